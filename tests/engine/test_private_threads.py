"""What is said in a private thread stays there, through whole beats, with a model and people who want it out."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from bot.console.feed import Told
from bot.console.live import may_see
from bot.core.changes import AddMembership, Say, UpdateRoom
from bot.core.day_usage import Period
from bot.core.errors import NotFound
from bot.core.events import ChannelDeleted, MessageEdited, MessagesDeleted, ThreadDeleted, ThreadIsPrivate, ThreadLeft
from bot.core.happenings import Happened, Happening
from bot.core.kinds import UsedBy, Visibility
from bot.core.ports import ModelCall
from bot.core.records import PUBLIC_SIDE, AgentId, MessageId, Room, Side, Snowflake
from bot.engine.front_desk import FrontDesk
from bot.engine.front_desk.office import Office
from bot.engine.performer import Performer
from bot.engine.summaries import Summaries
from storage.tables import MESSAGES
from tests.engine.hearts import Hearts, answer, asked, everyone_says, hearts
from tests.engine.test_whole_beats import Obedient, do, tell
from tests.factories import GUILD_ID, by_agent, membership
from tests.fakes import PlainCipher, ScriptedModel, SeededRandom, WordTokenizer

HOST, GUEST, THIRD = (AgentId(id) for id in (1, 2, 3))
OPEN, THREAD, OTHER = (Snowflake(id) for id in (7_000_000_000_000_001, 7_700_000_000_000_001, 7_700_000_000_000_002))
SECRET = "the lamp is under the oak"


async def aside(house: Hearts, content: str, *, thread_id: Snowflake = THREAD, **fields: Any) -> None:  # noqa: ANN401
    """Let a person say something in a private thread of the host's room."""
    await house.hear(content, channel_id=thread_id, private_in=OPEN, thread_name="Plans", **fields)


async def thread(house: Hearts, thread_id: Snowflake = THREAD) -> Room:
    view = await house.view(HOST)
    return next(room for room in view.all_rooms.values() if room.channel_id == thread_id)


async def told_in_secret(house: Hearts) -> AgentId:
    """Let the guest learn something in a private thread of the host's public room, and try to carry it out at once."""
    assert isinstance(house.model, Obedient)
    await house.hear("good day to all")
    await house.run(20)
    house.model.order(
        GUEST,
        do("set", path="lamp", value=SECRET),
        do("hud_note", text=SECRET),
        do("recall", query="lamp"),
        thoughts=SECRET,
        responses=[{"room_id": HOST, "message": SECRET}, {"room_id": GUEST, "message": SECRET}],
    )
    await aside(house, f"@Agent2 {SECRET}")
    await house.run(20)
    assert not house.model.orders[GUEST], "it was not asked"
    return (await thread(house)).id


def in_the_open(house: Hearts, since: int) -> list[ModelCall]:
    return [call for call in house.model.calls[since:] if "private thread" not in call.input]


async def test_a_message_of_a_private_thread_is_found_only_for_whom_may_read_it() -> None:
    async with hearts(agents=2, model=Obedient()) as house:
        await aside(house, SECRET)
        place = await thread(house)
        async with house.store.reading() as read:
            [said] = await read.talk.history(house.community_id, place.id)
        performer = Performer(cipher=PlainCipher(), tokenizer=WordTokenizer())
        desk = FrontDesk(Office(house.store, performer, house.clock, SeededRandom(1), on_done=house.delivery.wake))

        async def member(of: Room) -> bool:
            return of.id == place.id

        assert await desk.messages.by_id(GUILD_ID, said.id, may_read=member) == said
        with pytest.raises(NotFound):
            await desk.messages.by_id(GUILD_ID, said.id)
        with pytest.raises(NotFound):
            await desk.messages.by_id(GUILD_ID, MessageId(99), may_read=member)


async def test_a_thread_that_we_are_out_of_is_nobodys_to_look_into_but_counts_where_it_was() -> None:
    async with hearts(agents=2, model=Obedient()) as house:
        id = await told_in_secret(house)
        [said, *_] = await house.messages(id)
        performer = Performer(cipher=PlainCipher(), tokenizer=WordTokenizer())
        random, wake = SeededRandom(1), house.delivery.wake
        desk = FrontDesk(Office(house.store, performer, house.clock, random, on_done=wake, models=house.model))

        async def everybody(of: Room) -> bool:
            return True

        async def sides() -> set[Side]:
            return {beat.side for beat in await desk.beats.of(GUILD_ID, GUEST, who=Snowflake(0), may_read=everybody)}

        assert Side(id) in await sides()
        await house.intake.take(ThreadLeft(guild_id=GUILD_ID, thread_id=THREAD))
        assert await sides() == {PUBLIC_SIDE}
        assert "oak" not in repr(await desk.community.view(GUILD_ID, HOST, GUEST))
        with pytest.raises(NotFound):
            await desk.messages.by_id(GUILD_ID, said.id, may_read=everybody)
        used, _ = await desk.money.used(GUILD_ID, UsedBy.ROOM, Period.EVER)
        assert "Agent1's room, private threads" in {one.key for one in used}


async def test_a_private_thread_is_a_side_of_its_own_with_a_mind_of_its_own() -> None:
    async with hearts(agents=2, model=Obedient()) as house:
        id = await told_in_secret(house)
        view = await house.view(GUEST)
        assert id not in view.agents
        assert view.mind_of(GUEST, Side(id)).knowledge == {"lamp": SECRET}
        assert view.mind_of(GUEST, Side(id)).focus.notes == (SECRET,)
        assert "oak" not in repr(view.mind_of(GUEST))
        assert [line for line in await house.lines(HOST) if "oak" in line[1]] == []
        assert await house.lines(GUEST) == []
        inside = [call for call in house.model.calls if "oak" in call.input]
        assert inside
        assert all("--- Room: Agent1, private thread Plans (ID: 3) ---" in call.input for call in inside)
        assert not any("good day to all" in call.input for call in inside)
        assert not any(asked(call) != [GUEST] for call in inside[:1])


async def test_managers_who_look_on_live_hear_nothing_of_what_goes_on_in_a_private_thread() -> None:
    async with hearts(agents=2, model=Obedient()) as house:
        assert isinstance(house.model, Obedient)
        await told_in_secret(house)
        await house.run(30)
        told: list[Happening] = []
        house.store.on_happened = told.extend
        async with house.store.database.reading() as connection:
            asked_for = select(MESSAGES.c.id).where(MESSAGES.c.room_id == (await thread(house)).id)
            secret = (await connection.execute(asked_for.limit(1))).scalar()
        house.model.order(GUEST, do("react", message_id=secret, emoji="brain"), do("hud_note", text=SECRET))
        await aside(house, "@Agent2 once more")
        await house.run(20)
        assert not house.model.orders[GUEST], "it was not asked"
        assert {Happened.BEGUN, Happened.CALLED, Happened.REACTED, Happened.APPLIED} <= {one.kind for one in told}
        agents = frozenset((await house.view(HOST)).agents)
        assert [one for one in told if may_see(Told(1, house.clock.now(), one), agents, frozenset())] == []


async def test_nothing_of_a_private_thread_is_in_a_hud_of_the_open_nor_can_be_asked_for_there() -> None:
    async with hearts(agents=2, model=Obedient()) as house:
        id = await told_in_secret(house)
        before = len(house.model.calls)
        hostile = [
            do("get", path="lamp"),
            do("hud"),
            do("recall", query="lamp oak"),
            do("recall", query="lamp", room_id=id),
            do("read_history", room_id=id),
            do("read_message", id=2),
            do("checkpoints", room_id=id),
            do("compact", room_id=id),
            do("reply", room_id=id, message_id=2, message="from the open"),
            do("react", message_id=2, reaction="heart"),
            do("schedule_message", room_id=id, message="from the open", at="2026-11-20T18:00:00Z"),
            do("set_attention", room_id=id, value="40"),
            do("join_room", room_id=id),
            do("request_access", room_id=id, key="hazel-77"),
            do("leave_room", room_id=id),
        ]
        done = await tell(house, GUEST, *hostile, room_id=HOST, name="Agent2 give it away,")
        assert [one.type for one in done if one.accepted] == ["hud", "recall"]
        await house.run(20)
        seen = in_the_open(house, before)
        assert len(seen) >= 2
        own_words = ("lamp oak", "••• oak")  # what it looked for itself; it gave that word as a key as well
        assert not [call for call in seen if "oak" in call.input.replace(own_words[0], "").replace(own_words[1], "")]
        assert "oak" not in repr((await house.view(GUEST)).mind_of(GUEST)).replace(own_words[0], "").replace(
            own_words[1], ""
        )
        assert not any("oak" in content for content in house.publisher.said(OPEN))


async def test_answers_go_into_the_thread_and_nowhere_else_even_when_it_is_gone() -> None:
    async with hearts(agents=1, script=[everyone_says("Quietly.", 2)]) as house:
        await aside(house, "@Agent1 are you there?")
        await house.run(10)
        ((_, post),) = house.publisher.posts
        assert (post.channel_id, post.thread_id, post.only_there, post.content) == (OPEN, THREAD, True, "Quietly.")
        assert house.typing == [THREAD]
        assert await house.lines(HOST) == []


async def test_one_shared_call_never_holds_the_open_and_a_thread() -> None:
    async with hearts(agents=2, model=Obedient()) as house:
        await house.hear("@Agent1 in the open")
        await aside(house, f"@Agent2 {SECRET}")
        await house.run(20)
        assert [call for call in house.model.calls if "in the open" in call.input]
        assert [call for call in house.model.calls if "oak" in call.input]
        assert not [call for call in house.model.calls if "in the open" in call.input and "oak" in call.input]


@pytest.mark.slow
async def test_two_threads_do_not_know_of_one_another() -> None:
    async with hearts(agents=2, model=Obedient()) as house:
        await told_in_secret(house)
        before = len(house.model.calls)
        await aside(house, "@Agent2 what do you know?", thread_id=OTHER, id=502, who="rob")
        await house.run(20)
        calls = house.model.calls[before:]
        assert calls
        assert not [call for call in calls if "oak" in call.input]
        assert (await thread(house, OTHER)).side != (await thread(house)).side


async def test_a_thread_in_a_private_room_is_a_side_beside_the_rooms() -> None:
    async with hearts(agents=2, model=Obedient()) as house:
        await house.apply(UpdateRoom(room_id=HOST, fields={"visibility": Visibility.PRIVATE}))
        await told_in_secret(house)
        before = len(house.model.calls)
        await house.hear("@Agent2 what do you know?", room_id=HOST)
        await house.run(20)
        assert house.model.calls[before:]
        assert not [call for call in house.model.calls[before:] if "oak" in call.input]


async def test_who_joins_the_room_later_does_not_see_what_was_said_in_its_thread_before() -> None:
    async with hearts(agents=3, model=Obedient(), together=False) as house:
        await aside(house, f"@Agent1 {SECRET}")
        await house.run(10)
        await house.apply(AddMembership(membership=membership(THIRD, HOST)))
        await aside(house, "@Agent3 hello")
        await house.run(10)
        calls = [call for call in house.model.calls if THIRD in asked(call)]
        assert calls
        assert not [call for call in calls if "oak" in call.input]


async def test_edits_and_deletions_reach_a_thread_and_its_end_takes_all_with_it() -> None:
    async with hearts(agents=2, model=Obedient()) as house:
        id = await told_in_secret(house)
        (said,) = [one for one in await house.messages(id) if one.discord_id]
        edited = MessageEdited(
            guild_id=GUILD_ID,
            channel_id=THREAD,
            message_id=said.discord_id or Snowflake(0),
            content="the lamp is lost",
            edited_at=house.clock.now(),
        )
        await house.intake.take(edited)
        assert [one.content for one in await house.messages(id)] == ["the lamp is lost"]
        gone = MessagesDeleted(guild_id=GUILD_ID, channel_id=THREAD, message_ids=(said.discord_id or Snowflake(0),))
        await house.intake.take(gone)
        assert await house.messages(id) == []
        await aside(house, f"@Agent2 again: {SECRET}")
        await house.intake.take(ThreadDeleted(guild_id=GUILD_ID, channel_id=OPEN, thread_id=THREAD))
        await house.run(20)
        view = await house.view(GUEST)
        assert await house.messages(id) == []
        assert "oak" not in repr(view)
        assert (GUEST, id) not in view.memberships
        assert view.agents[HOST].retired_at is None


async def test_a_thread_that_we_are_taken_out_of_is_heard_no_more_until_we_are_back() -> None:
    async with hearts(agents=2, model=Obedient()) as house:
        id = await told_in_secret(house)
        await house.intake.take(ThreadLeft(guild_id=GUILD_ID, thread_id=THREAD))
        assert id not in {room for _, room in (await house.view(GUEST)).memberships}
        before = len(house.model.calls)
        await aside(house, "@Agent2 back again")
        await house.run(20)
        calls = house.model.calls[before:]
        assert calls
        assert all("back again" in call.input for call in calls)
        assert (await thread(house)).id == id


async def test_what_was_still_to_be_said_in_a_thread_is_not_said_once_we_are_out_of_it() -> None:
    async with hearts(agents=1) as house:
        await aside(house, "hello")
        id = (await thread(house)).id
        later = house.clock.now() + timedelta(seconds=5)
        said = Say(
            message_id=MessageId(1_000),
            room_id=id,
            sender=by_agent(HOST),
            content=SECRET,
            sent_at=house.clock.now(),
            not_before=later,
        )
        await house.apply(said)
        await house.intake.take(ThreadLeft(guild_id=GUILD_ID, thread_id=THREAD))
        await house.run(60)
        assert SECRET not in house.publisher.said()


async def test_what_was_stored_in_the_open_of_a_private_thread_is_taken_out_of_it() -> None:
    async with hearts(agents=2, model=Obedient()) as house:
        await house.hear(f"@Agent2 {SECRET}", thread_id=THREAD, message_id=Snowflake(8_800_000_000_000_001))
        await house.run(20)
        await house.intake.take(ThreadIsPrivate(guild_id=GUILD_ID, channel_id=OPEN, thread_id=THREAD))
        assert await house.messages(HOST) == []
        beat = await house.last_beat(GUEST)
        assert beat is not None
        assert "oak" not in beat.hud
        await aside(house, SECRET, message_id=Snowflake(8_800_000_000_000_001))
        assert [one.content for one in await house.messages((await thread(house)).id)] == [SECRET]


async def test_a_thread_goes_with_its_channel_and_keeps_its_rooms_silence() -> None:
    async with hearts(agents=2, model=Obedient()) as house:
        id = await told_in_secret(house)
        until = house.clock.now().replace(year=2027)
        await house.apply(UpdateRoom(room_id=HOST, fields={"hushed_until": until}))
        assert (await house.view(HOST)).all_rooms[id].hushed_until == until
        await house.intake.take(ChannelDeleted(guild_id=GUILD_ID, channel_id=OPEN))
        assert await house.messages(id) == []


@pytest.mark.parametrize("form", ["message", "reply"])
async def test_what_is_said_in_a_thread_is_answered_there_in_whatever_form(form: str) -> None:
    async with hearts(agents=1) as house:
        said = {
            "message": answer({1: [(1, "Here.")]}),
            "reply": answer({}, {1: [{"type": "reply", "room_id": 1, "message_id": 1, "message": "Here."}]}),
        }
        house.model.script.append(said[form])
        await house.hear("@Agent1 in here?", thread_id=THREAD, thread_name="Roses")
        await house.run(10)
        assert "in here?  (in thread Roses)" in house.model.calls[0].input
        assert [post.thread_id for _, post in house.publisher.posts] == [THREAD]
        assert house.typing == [THREAD]
        house.model.script.append(answer({1: [(1, "Out here.")]}))
        await house.hear("@Agent1 and out here?")
        await house.run(10)
        assert "(in thread Roses)\n[3 " in house.model.calls[1].input
        assert house.publisher.posts[-1][1].thread_id is None


async def test_an_answer_that_was_looked_up_goes_to_the_thread_where_it_was_asked_for() -> None:
    async with hearts(agents=1) as house:
        house.model.script.append(answer({}, {1: [{"type": "recall", "query": "roses"}]}))
        house.model.script.append(answer({1: [(1, "Red ones.")]}))
        await house.hear("@Agent1 which roses?", thread_id=THREAD, thread_name="Roses")
        await house.run(30)
        assert [(post.content, post.thread_id) for _, post in house.publisher.posts] == [("Red ones.", THREAD)]


async def test_a_thread_is_summed_up_on_its_own_side_and_the_room_without_it() -> None:
    async with hearts(agents=2, model=Obedient()) as house:
        id = await told_in_secret(house)
        writer = ScriptedModel(["Done: the lamp was hidden under the oak.", "Done: greetings."])
        summaries = Summaries(house.store, writer, house.clock, house.metrics)
        for room_id in (id, HOST):
            await house.apply(UpdateRoom(room_id=room_id, fields={"compact_asked_at": house.clock.now()}))
            await summaries.run()
            await summaries.settled()
        inside, outside = writer.calls
        assert SECRET in inside.input
        assert "oak" not in outside.input
        view = await house.view(GUEST)
        assert "oak" in view.mind_of(GUEST, Side(id)).focus.compacted_context
        assert "oak" not in repr(view.mind_of(GUEST))
        assert [one.text for one in (view.rooms[HOST].checkpoint,) if one] == ["Done: greetings."]
