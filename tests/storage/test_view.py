"""One read gives a slot all it needs, in a fixed number of statements."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.core.changes import (
    AddAgent,
    AddCheckpoint,
    AddKey,
    AddLookup,
    AddMembership,
    AddRequest,
    AddSchedule,
    Audit,
    Change,
    ClearLookups,
    CloseRequest,
    CountFailure,
    DropSchedule,
    HoldKey,
    JournalPlan,
    PutReason,
    React,
    RecordAction,
    RemoveMembership,
    Say,
    SetFocus,
    SetKnowledge,
    SetOverride,
    Unreact,
    UpdateAgent,
    UpdateKey,
    UpdateMembership,
    UpdateMessage,
    UpdateRoom,
)
from bot.core.circumstances import Inquiry
from bot.core.config import CommunityConfig
from bot.core.errors import NotFound
from bot.core.kinds import Emotion, InputFormat, MindPart, ReasonKind, RequestState, Visibility
from bot.core.plan import added, done
from bot.core.records import (
    PUBLIC_SIDE,
    AccessKey,
    AccessRequest,
    ActionRecord,
    AgentId,
    Allocations,
    Attachment,
    Checkpoint,
    CheckpointId,
    CommunityId,
    Feeling,
    Focus,
    KeyId,
    Lookup,
    MessageId,
    Plan,
    Reason,
    RequestId,
    Schedule,
    ScheduleId,
    Side,
    Snowflake,
    WholeAgent,
)
from bot.core.view import View
from storage.store import SqlStore
from tests.factories import agent, by_agent, by_person, membership, room
from tests.fakes import START
from tests.founding import statements
from tests.storage.lines import hear, said
from tests.storage.town import settle_in

FIRST, SECOND, THIRD = AgentId(1), AgentId(2), AgentId(3)


async def apply(store: SqlStore, community_id: CommunityId, *changes: Change) -> View:
    async with store.writing(community_id) as write:
        await write.apply(community_id, changes)
        return await write.views.whole(community_id, agent_ids=[FIRST], minds=None)


async def test_agents_and_rooms_come_back_as_they_were_given(store: SqlStore, community_id: CommunityId) -> None:
    new = agent(
        4,
        name="Ærøn 🜁",
        aliases=("a", "b"),
        allocations=Allocations(knowledge=20, recent_actions=10, rooms=70),
        input_format=InputFormat.TOON,
        can_create_agents=True,
        created_by=FIRST,
        asleep_until=START + timedelta(hours=1),
    )
    its = room(4, visibility=Visibility.PRIVATE, topic="boats", wpm=20)
    view = await apply(store, community_id, AddAgent(agent=new, room=its))
    async with store.reading() as read:
        whole = await read.views.roster(community_id, agent_ids=[AgentId(4)])
    assert whole.agents == {4: replace(new, community_id=community_id)}
    assert view.all_rooms[AgentId(4)] == replace(its, community_id=community_id)
    with pytest.raises(NotFound):
        async with store.reading() as read:
            await read.views.whole(CommunityId(99))


async def test_a_prompt_that_was_not_asked_for_cannot_be_taken_for_an_empty_one(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.reading() as read:
        view = await read.views.whole(community_id, agent_ids=[FIRST], room_ids=[SECOND], minds=None)
        glance = await read.views.glance(community_id, agent_ids=[FIRST], messages=0)
    assert [view.whole_agent(id).prompt for id in (FIRST, SECOND)] == [agent(id).prompt for id in (1, 2)]
    with pytest.raises(LookupError):
        view.whole_agent(THIRD)
    assert not any(isinstance(one, WholeAgent) for one in (view.agents[THIRD], *glance.agents.values()))


async def test_a_roster_and_a_glance_read_no_more_agents_than_were_asked_for(store: SqlStore) -> None:
    community_id = await settle_in(store, agents=50)
    async with store.reading() as read:
        roster = await read.views.roster(community_id, agent_ids=[FIRST], room_ids=[SECOND])
        glance = await read.views.glance(community_id, room_ids=[SECOND], messages=1)
    assert {*roster.agents} == {*roster.all_rooms} == {FIRST, SECOND}
    assert glance.agents.keys() == set(glance.rooms[SECOND].members)
    assert glance.all_rooms.keys() == {SECOND}


async def test_a_row_that_did_not_change_is_made_into_a_record_once(store: SqlStore, community_id: CommunityId) -> None:
    first, again = await apply(store, community_id), await apply(store, community_id)
    changed = await apply(store, community_id, UpdateAgent(agent_id=SECOND, fields={"interval_seconds": 2.5}))
    assert again.agents[THIRD] is first.agents[THIRD] is changed.agents[THIRD]
    assert (again.agents[SECOND].interval_seconds, changed.agents[SECOND].interval_seconds) == (5.0, 2.5)


async def test_an_update_touches_only_its_columns(store: SqlStore, community_id: CommunityId) -> None:
    before = (await apply(store, community_id)).agents[FIRST]
    allocations = Allocations(knowledge=10, recent_actions=10, rooms=80)
    view = await apply(
        store,
        community_id,
        UpdateAgent(agent_id=FIRST, fields={"interval_seconds": 2.5, "allocations": allocations}),
        UpdateAgent(agent_id=FIRST, fields={"aliases": ("wren",)}),
        UpdateRoom(room_id=FIRST, fields={"billboard": "hello", "hushed_until": START}),
        UpdateMembership(agent_id=FIRST, room_id=FIRST, fields={"seen_until": MessageId(3), "attention": 40}),
    )
    assert view.agents[FIRST] == replace(before, interval_seconds=2.5, allocations=allocations, aliases=("wren",))
    assert (view.rooms[FIRST].room.billboard, view.rooms[FIRST].room.hushed_until) == ("hello", START)
    assert (view.memberships[FIRST, FIRST].seen_until, view.memberships[FIRST, FIRST].attention) == (3, 40)


async def test_a_view_shows_the_rooms_of_the_asked_with_all_their_members(
    store: SqlStore, community_id: CommunityId
) -> None:
    view = await apply(
        store,
        community_id,
        AddMembership(membership=membership(1, 2, attention=30)),
        AddMembership(membership=membership(3, 2)),
        AddMembership(membership=membership(2, 3)),
    )
    assert view.rooms.keys() == {FIRST, SECOND}
    assert view.rooms[SECOND].members == (SECOND, FIRST, THIRD)
    assert view.memberships.keys() == {(1, 1), (1, 2), (2, 2), (3, 2)}
    assert view.memberships[FIRST, SECOND].attention == 30
    view = await apply(store, community_id, RemoveMembership(agent_id=FIRST, room_id=SECOND))
    assert view.rooms.keys() == {FIRST}
    async with store.reading() as read:
        asked = await read.views.whole(community_id, room_ids=[THIRD])
    assert asked.rooms[THIRD].members == (THIRD, SECOND)


async def test_a_view_holds_the_newest_messages_and_counts_the_older(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said(str(number), number) for number in range(12)])
        same = START + timedelta(seconds=100)
        await write.talk.add(
            community_id, [said(f"at once {number}", 20 + number, sent_at=same, room_id=SECOND) for number in range(6)]
        )
    async with store.reading() as read:
        view = await read.views.whole(community_id, room_ids=[FIRST, SECOND, THIRD], messages=4)
        assert [message.content for message in view.rooms[FIRST].messages] == ["8", "9", "10", "11"]
        assert view.rooms[FIRST].older == 8
        at_once = [f"at once {number}" for number in (2, 3, 4, 5)]
        assert [message.content for message in view.rooms[SECOND].messages] == at_once
        assert (view.rooms[THIRD].messages, view.rooms[THIRD].older) == ((), 0)
        nothing = await read.views.whole(community_id, room_ids=[FIRST], messages=0)
        assert (nothing.rooms[FIRST].messages, nothing.rooms[FIRST].older) == ((), 12)


async def test_minds_are_kept_by_side_with_their_keys_in_order(store: SqlStore, community_id: CommunityId) -> None:
    plan, _ = done(added(added(Plan(), "goals", "sail")[0], "goals", "fish")[0], "goals", "2")
    felt = (Feeling(emotion="joy", why="wind", at=START),)
    focus = Focus(current_task="sail", notes=("a", "b"), updated_at=START, plan=plan, feelings=felt)
    private = Side(2)
    actions = [
        RecordAction(
            agent_id=FIRST,
            side=PUBLIC_SIDE,
            record=ActionRecord(type="set", at=START, parameters={"n": number}, accepted=False, why="too large"),
        )
        for number in range(25)
    ]
    view = await apply(
        store,
        community_id,
        SetKnowledge(
            agent_id=FIRST,
            side=PUBLIC_SIDE,
            knowledge={"zebra": 1, "ant": {"b": [1, None, "x"]}},
            path="zebra",
            before=None,
            after=1,
            by="itself",
            at=START,
        ),
        SetFocus(agent_id=FIRST, side=PUBLIC_SIDE, focus=focus),
        SetFocus(agent_id=FIRST, side=private, focus=Focus(notes=("secret",))),
        JournalPlan(
            agent_id=FIRST, side=PUBLIC_SIDE, path="goal 1", before={"goal 1": None}, after={}, by="itself", at=START
        ),
        AddLookup(agent_id=FIRST, side=PUBLIC_SIDE, lookup=Lookup(question="get", answer=[1])),
        *actions,
    )
    mind = view.mind_of(FIRST)
    assert list(mind.knowledge) == ["zebra", "ant"]
    assert (mind.focus, mind.lookups) == (focus, (Lookup(question="get", answer=[1]),))
    assert [one.parameters["n"] for one in mind.recent_actions] == list(range(5, 25))
    assert mind.recent_actions[0].why == "too large"
    assert view.mind_of(FIRST, private).focus.notes == ("secret",)
    assert view.mind_of(FIRST, private).knowledge == {}
    view = await apply(store, community_id, ClearLookups(agent_id=FIRST, side=PUBLIC_SIDE))
    assert view.mind_of(FIRST).lookups == ()
    async with store.reading() as read:
        (entry,) = await read.logs.journal(community_id, FIRST)
        (planned,) = await read.logs.journal(community_id, FIRST, MindPart.PLAN)
    assert (entry.path, entry.before, entry.after, entry.by) == ("zebra", None, 1, "itself")
    assert (planned.path, planned.before, planned.by) == ("goal 1", {"goal 1": None}, "itself")


async def test_of_long_changes_no_more_are_read_than_can_be_shown_and_each_is_found(
    store: SqlStore, community_id: CommunityId
) -> None:
    known = [
        SetKnowledge(
            agent_id=FIRST,
            side=PUBLIC_SIDE,
            knowledge={"a": number},
            path="a",
            before="b" * 90_000,
            after=f"{number}",
            by="itself",
            at=START,
        )
        for number in range(60)
    ]
    await apply(store, community_id, *known)
    async with store.reading() as read:
        entries = await read.logs.journal(community_id, FIRST, limit=200)
        few = await read.logs.journal(community_id, FIRST, limit=3)
        whose = {"part": MindPart.KNOWLEDGE, "side": PUBLIC_SIDE}
        newest = await read.logs.change(community_id, FIRST, **whose, entry_id=None)  # type: ignore[arg-type]
        assert newest is not None and newest.id is not None
        oldest = await read.logs.change(community_id, FIRST, **whose, entry_id=newest.id - 59)  # type: ignore[arg-type]
        assert await read.logs.change(community_id, FIRST, **whose, entry_id=newest.id + 1) is None  # type: ignore[arg-type]
    assert [one.after for one in entries] == [str(number) for number in range(59, 39, -1)]
    assert [one.after for one in few] == ["59", "58", "57"]
    assert oldest is not None and (newest.after, oldest.after) == ("59", "0")


async def test_keys_requests_and_failures(store: SqlStore, community_id: CommunityId) -> None:
    key = AccessKey(
        id=KeyId(1), room_id=FIRST, label="spare", ciphertext=b"\x00c", digest=b"d", created_at=START, uses_left=2
    )
    request = AccessRequest(
        id=RequestId(1), room_id=FIRST, requester_agent_id=SECOND, key_id=KeyId(1), key_label="spare", created_at=START
    )
    view = await apply(
        store,
        community_id,
        AddKey(key=key),
        HoldKey(key_id=KeyId(1), agent_id=THIRD),
        HoldKey(key_id=KeyId(1), agent_id=THIRD),
        UpdateKey(key_id=KeyId(1), fields={"uses_left": 1}),
        AddRequest(request=request),
        CountFailure(room_id=FIRST, agent_id=SECOND, at=START),
        CountFailure(room_id=FIRST, person_id=Snowflake(501), at=START),
    )
    kept = replace(key, uses_left=1, held_by=(THIRD,))
    assert (view.keys, view.held_keys) == ({FIRST: (kept,)}, {THIRD: (kept,)})
    assert view.requests == {FIRST: (request,)}
    async with store.reading() as read:
        for actor, since, failures in (
            (by_agent(2), 0, {FIRST: 1}),
            (by_person(), 0, {FIRST: 1}),
            (by_agent(2), 1, {}),
        ):
            lately = START + timedelta(seconds=since)
            asked = Inquiry(actor=actor, doors=frozenset({FIRST}), failures_since=lately)
            assert (await read.inquiries.answer(community_id, asked)).failures == failures
        assert await read.access.knocks(community_id) == [request]
    granted = CloseRequest(request_id=RequestId(1), state=RequestState.GRANTED, at=START)
    denied = CloseRequest(request_id=RequestId(1), state=RequestState.DENIED, at=START)
    view = await apply(store, community_id, granted, denied)
    assert view.requests == {}


async def test_a_reaction_counts_once_and_can_be_taken_back(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await hear(write.talk, community_id, said("hello", sender=by_agent(1)))
    up = React(
        message_id=MessageId(1),
        emoji="thumbs_up",
        emotion=Emotion.THUMBS_UP,
        reactor=by_agent(2),
        at=START,
        moved_seconds=-0.5,
    )
    heart = React(message_id=MessageId(1), emoji="heart", emotion=Emotion.HEART, reactor=by_person(), at=START)
    view = await apply(store, community_id, heart, up, up, replace(up, reactor=by_person()))
    assert view.rooms[FIRST].messages[0].reactions == (("thumbs_up", 2), ("heart", 1))
    async with store.reading() as read:
        moved = await read.inquiries.answer(community_id, Inquiry(actor=by_agent(2), moves_since=START))
        assert moved.moves == {FIRST: 1}
        asked = [(by_agent(2), "thumbs_up"), (by_agent(2), "brain"), (by_person(), "thumbs_up")]
        effects = await read.reactions.effects(community_id, MessageId(1), asked)
        assert effects == {(by_agent(2), "thumbs_up"): -0.5, (by_person(), "thumbs_up"): -0.5}
        assert (MessageId(1), by_person(), "heart") in await read.reactions.given_to(community_id, [MessageId(1)])
    view = await apply(store, community_id, Unreact(message_id=MessageId(1), emoji="thumbs_up", reactor=by_agent(2)))
    assert view.rooms[FIRST].messages[0].reactions == (("heart", 1), ("thumbs_up", 1))
    await apply(store, community_id, replace(up, message_id=MessageId(77)))


async def test_settings_summaries_schedules_and_the_audit(store: SqlStore, community_id: CommunityId) -> None:
    checkpoints = [
        Checkpoint(
            id=CheckpointId(number),
            room_id=FIRST,
            first_message_id=MessageId(number),
            last_message_id=MessageId(number),
            text=f"summary {number}",
            created_at=START,
        )
        for number in (1, 2)
    ]
    schedule = Schedule(id=ScheduleId(1), agent_id=FIRST, room_id=FIRST, content="later", at=START)
    view = await apply(
        store,
        community_id,
        *(AddCheckpoint(checkpoint=one) for one in checkpoints),
        AddSchedule(schedule=schedule),
        SetOverride(name="floor", value=3),
        SetOverride(name="usd_per_day", value="0.5"),
        Audit(by="@mira", what="changed the floor", agent_id=FIRST, at=START),
    )
    assert view.rooms[FIRST].checkpoint == checkpoints[1]
    assert (view.config.floor, str(view.config.usd_per_day)) == (3, "0.5")
    async with store.reading() as read:
        assert await read.summaries.of_room(community_id, FIRST) == checkpoints
        assert await read.agents.schedules(community_id, FIRST) == [schedule]
        assert await read.agents.schedules_due(START, limit=5) == [(community_id, schedule)]
        assert [entry.what for entry in await read.logs.audit(community_id)] == ["changed the floor"]
        assert (await read.communities.all())[0].overrides == {"floor": 3, "usd_per_day": "0.5"}
    view = await apply(
        store, community_id, DropSchedule(schedule_id=ScheduleId(1)), SetOverride(name="floor", value=None)
    )
    assert view.config.floor == CommunityConfig().floor
    async with store.reading() as read:
        assert await read.agents.schedules(community_id, FIRST) == []


async def test_the_answers_to_a_message_are_counted(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await hear(write.talk, community_id, said("hello"))
    changed = UpdateMessage(message_id=MessageId(1), fields={"answers_from_agents": 2})
    view = await apply(store, community_id, changed)
    assert view.rooms[FIRST].messages[0].answers_from_agents == 2


async def furnish(store: SqlStore, community_id: CommunityId, rooms: int) -> None:
    """Give every room something of all that a HUD shows."""
    changes: list[Change] = []
    async with store.writing(community_id) as write:
        file = Attachment(name="a.txt", media_type="text/plain", size_bytes=1, url="https://example.org/a")
        await write.talk.add(
            community_id, [said("x", n, room_id=AgentId(n % rooms + 1), attachments=(file,)) for n in range(4 * rooms)]
        )
        for id in map(AgentId, range(1, rooms + 1)):
            other = AgentId(id % rooms + 1)
            key = AccessKey(
                id=KeyId(id), room_id=id, label="k", ciphertext=b"c", digest=b"d", held_by=(other,), created_at=START
            )
            knock = AccessRequest(
                id=RequestId(id), room_id=id, requester_agent_id=other, key_id=key.id, key_label="k", created_at=START
            )
            covered = Checkpoint(
                id=CheckpointId(id),
                room_id=id,
                first_message_id=MessageId(1),
                last_message_id=MessageId(1),
                text="s",
                created_at=START,
            )
            done = ActionRecord(type="react", at=START, parameters={})
            changes += [
                AddMembership(membership=membership(other, id)),
                React(
                    message_id=MessageId(id), emoji="brain", emotion=Emotion.BRAIN, reactor=by_agent(other), at=START
                ),
                AddKey(key=key),
                AddRequest(request=knock),
                SetFocus(agent_id=id, side=PUBLIC_SIDE, focus=Focus(notes=("n",))),
                AddLookup(agent_id=id, side=PUBLIC_SIDE, lookup=Lookup(question="q", answer=1)),
                RecordAction(agent_id=id, side=PUBLIC_SIDE, record=done),
                AddCheckpoint(checkpoint=covered),
                Say(
                    message_id=MessageId(write.ids.take("message")),
                    room_id=id,
                    sender=by_agent(id),
                    content="soon",
                    sent_at=START,
                ),
                SetOverride(name="floor", value=3),
                PutReason(agent_id=id, reason=Reason(kind=ReasonKind.AMBIENT, room_id=id, since=START, due_at=START)),
            ]
        await write.apply(community_id, changes)


def is_complete(view: View, agents: int) -> bool:
    """Whether everything that `furnish` gave stands in the view."""
    rooms = view.rooms.values()
    return (
        all(view.memberships.get((AgentId(id), AgentId(id))) for id in range(1, agents + 1))
        and all(room.checkpoint and room.messages and room.messages[0].attachments for room in rooms)
        and any(message.reactions for room in rooms for message in room.messages)
        and all(view.keys[id] and view.requests[id] and view.unposted[id] for id in view.rooms)
        and all(view.mind_of(AgentId(id)).focus.notes and view.reasons[AgentId(id)] for id in range(1, agents + 1))
        and all(view.mind_of(AgentId(id)).lookups and view.held_keys[AgentId(id)] for id in range(1, agents + 1))
        and view.config.floor == 3
    )


async def test_a_view_takes_as_many_statements_for_fifty_rooms_as_for_one(store: SqlStore) -> None:
    community_id = await settle_in(store, agents=50)
    await furnish(store, community_id, 50)
    counts: list[int] = []
    for agents in (1, 50):
        with statements(store) as asked:
            async with store.reading() as read:
                view = await read.views.whole(
                    community_id, agent_ids=[AgentId(id) for id in range(1, agents + 1)], minds=None
                )
        assert is_complete(view, agents)
        counts.append(sum(statement.lstrip().startswith(("SELECT", "WITH")) for statement in asked))
    assert counts[0] == counts[1] <= 15


async def test_small_values_are_kept(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await write.notes.keep(None, "commands", "abc")
        await write.notes.keep(community_id, "commands", {"a": [1]})
        await write.notes.keep(community_id, "commands", {"a": [2]})
    async with store.writing(community_id) as write:
        assert (await write.notes.find(None, "commands"), await write.notes.find(community_id, "commands")) == (
            "abc",
            {"a": [2]},
        )
        await write.notes.keep(None, "commands", None)
        assert await write.notes.find(None, "commands") is None
