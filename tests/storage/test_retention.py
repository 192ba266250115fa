"""What is kept no longer than it may be, and what stays all the same."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import event, func, select, text

from bot.core.changes import (
    AddRequest,
    Audit,
    CloseRequest,
    EndBeat,
    RecordAction,
    Say,
    SetKnowledge,
)
from bot.core.kinds import LetterState, RequestState
from bot.core.records import (
    PUBLIC_SIDE,
    AccessRequest,
    ActionRecord,
    AgentId,
    CommunityId,
    KeyId,
    LetterId,
    MessageId,
    RequestId,
    Snowflake,
)
from bot.core.scenes.records import SceneStatus
from storage.parts import SqlWriting
from storage.store import SqlStore
from storage.tables import ACTIONS, AUDIT, EARLY_EDITS, JOURNAL, LETTERS, MESSAGES, REQUESTS, TOMBSTONES
from tests.factories import by_agent
from tests.fakes import START
from tests.storage.lines import kept_beats, said
from tests.storage.scenes import a_council
from tests.storage.test_beats import beat

ROOM, OTHER = AgentId(1), AgentId(2)
MOMENT = timedelta(microseconds=1)
LATER = START + timedelta(days=90)
LOGS = (ACTIONS, JOURNAL, AUDIT, REQUESTS, TOMBSTONES, EARLY_EDITS)


async def counts(write: SqlWriting) -> dict[str, int]:
    return {table.name: int(await write.session.value(select(func.count()).select_from(table))) for table in LOGS}


async def forget(write: SqlWriting, community_id: CommunityId, **before: object) -> int:
    times = {"messages_before": START, "huds_before": START, "logs_before": START} | before
    return await write.upkeep.forget(community_id, **times)  # type: ignore[arg-type]


def acted(number: int, agent_id: AgentId = ROOM) -> RecordAction:
    record = ActionRecord(type="react", at=START + timedelta(seconds=number), parameters={"n": number})
    return RecordAction(agent_id=agent_id, side=PUBLIC_SIDE, record=record)


async def test_logs_are_kept_as_long_as_is_set_and_not_longer(store: SqlStore, community_id: CommunityId) -> None:
    request = AccessRequest(
        id=RequestId(1), room_id=ROOM, requester_agent_id=OTHER, key_id=KeyId(1), key_label="spare", created_at=START
    )
    learnt = SetKnowledge(
        agent_id=ROOM, side=PUBLIC_SIDE, knowledge={"a": 1}, path="a", before=None, after=1, by="itself", at=START
    )
    async with store.writing(community_id) as write:
        await write.apply(
            community_id,
            [
                *(acted(number) for number in range(30)),
                acted(0, OTHER),
                learnt,
                Audit(by="@mira", what="changed the floor", at=START),
                AddRequest(request=request),
                CloseRequest(request_id=RequestId(1), state=RequestState.DENIED, at=START),
                AddRequest(request=replace(request, id=RequestId(2))),
            ],
        )
        await write.talk.delete(community_id, [Snowflake(7)], START)
        await write.talk.edit(community_id, Snowflake(8), content="early", edited_at=START, tokens=1)
        before = await counts(write)
        await forget(write, community_id)
        assert await counts(write) == before
        await forget(write, community_id, logs_before=START + timedelta(hours=1))
        after = await counts(write)
        view = await write.views.whole(community_id, agent_ids=[ROOM, OTHER], minds=None)
    assert before == {"actions": 31, "journal": 1, "audit": 1, "requests": 2, "tombstones": 1, "early_edits": 1}
    # the last twenty actions of an agent stand in its HUD, and a request that waits is no log
    assert after == {"actions": 21, "journal": 0, "audit": 0, "requests": 1, "tombstones": 0, "early_edits": 0}
    assert [one.parameters["n"] for one in view.mind_of(ROOM).recent_actions] == list(range(10, 30))
    assert len(view.mind_of(OTHER).recent_actions) == 1
    assert view.mind_of(ROOM).knowledge == {"a": 1}


async def test_messages_and_huds_go_at_their_time_and_not_before(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said(str(number), number) for number in range(201)])
        await write.apply(community_id, [EndBeat(beat=beat(1, at=START)), EndBeat(beat=beat(2, at=START + MOMENT))])
        assert await forget(write, community_id, huds_before=START + MOMENT, messages_before=START) == 0
        huds = [(one.id, bool(one.hud)) for one in await kept_beats(write.beats, community_id, ROOM)]
        assert huds == [(2, True), (1, False)]
        assert await forget(write, community_id, messages_before=START + MOMENT) == 1
        assert await forget(write, community_id, messages_before=LATER) == 0  # the newest stay, however old


async def test_what_was_never_posted_goes_too_unless_it_still_waits(store: SqlStore, community_id: CommunityId) -> None:
    def says(number: int) -> Say:
        return Say(
            message_id=MessageId(number), room_id=ROOM, sender=by_agent(1), content=f"line {number}", sent_at=START
        )

    async with store.writing(community_id) as write:
        await write.apply(community_id, [says(write.ids.take("message")) for _ in range(2)])
        await write.letters.move(community_id, LetterId(1), LetterState.FAILED, at=START)
        assert await forget(write, community_id, messages_before=LATER) == 1
        left = await write.session.rows(select(MESSAGES.c.id))
        letters = await write.session.rows(select(LETTERS.c.id))
    assert ([row[0] for row in left], [row[0] for row in letters]) == ([2], [2])


async def test_old_huds_are_found_by_an_index_and_not_by_reading_all_beats(
    store: SqlStore, community_id: CommunityId
) -> None:
    ran: list[tuple[str, Any]] = []
    event.listen(
        store.database.engine.sync_engine,
        "before_cursor_execute",
        lambda connection, cursor, statement, parameters, *rest: ran.append((statement, parameters)),
    )
    async with store.writing(community_id) as write:  # most beats are emptied already
        await write.apply(community_id, [EndBeat(beat=beat(id_)) for id_ in range(1, 301)])
        await forget(write, community_id)
    (emptied,) = [one for one in ran if one[0].startswith("UPDATE beats")]
    async with store.database.writing() as connection:
        explain = "EXPLAIN QUERY PLAN"
        if not store.database.is_sqlite:
            explain = "EXPLAIN"
            await connection.execute(text("ANALYZE beats"))  # else it guesses
            await connection.execute(text("SET LOCAL enable_seqscan = off"))  # the table is small
        plan = (await connection.exec_driver_sql(f"{explain} {emptied[0]}", emptied[1])).all()
    assert "ix_beats_kept" in str(plan)


async def test_the_log_of_a_scene_goes_long_after_its_end_and_what_came_of_it_stays(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        over = await a_council(write, community_id, status=SceneStatus.OVER, ended_at=START, deadline_at=None)
        on = await a_council(write, community_id, thread_id=Snowflake(6_009))
        await forget(write, community_id)
        assert len(await write.scenes.log(community_id, over.id)) == 1
        await forget(write, community_id, logs_before=START + MOMENT)
        assert await write.scenes.log(community_id, over.id) == []
        assert await write.scenes.events(community_id, over.id) == []
        assert len(await write.scenes.log(community_id, on.id)) == 1
        assert len(await write.scenes.events(community_id, on.id)) == 3
        found = await write.scenes.find(community_id, over.id)
        assert found is not None
        assert (found.title, len(found.seats)) == ("Tea", 3)
