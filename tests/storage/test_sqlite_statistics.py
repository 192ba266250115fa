"""SQLite reads what it was asked for, however large the database has grown, and not whole communities."""

from typing import Any

import pytest
from sqlalchemy import event

from bot.core.circumstances import Inquiry
from bot.core.records import AgentId, CommunityId, MessageId, Snowflake
from storage.store import SqlStore
from tests.factories import by_agent
from tests.fakes import START
from tests.storage.lines import hear, last_beat, said

LARGE = ("messages", "letters", "beats", "actions", "reactions", "parts", "tombstones", "journal", "waiting", "earlier")
ROOM = AgentId(1)


async def ask_everything(store: SqlStore, community_id: CommunityId) -> None:
    """Do what happens many times a minute."""
    ids = [AgentId(1), AgentId(2)]
    async with store.writing(community_id) as write:
        await hear(write.talk, community_id, said("hello", 1, reply_to=Snowflake(7)))
        await write.talk.edit(community_id, Snowflake(1001), content="hi", edited_at=START, tokens=1)
        await write.views.whole(community_id, agent_ids=ids)
        await write.claims.due(START, limit=5)
        await write.claims.take(community_id, ids, now=START, lease_until=START)
        await write.letters.due(START, limit=5)
        await write.letters.next_due_at()
        await write.letters.unconfirmed(community_id, ROOM)
        await write.letters.last_posted(community_id, ROOM)
        await write.talk.last_discord_id(community_id, ROOM)
        await write.talk.find(community_id, Snowflake(5))
        await write.talk.history(community_id, ROOM, before=MessageId(1))
        await last_beat(write.beats, community_id, ROOM)
        await write.beats.addressed_by(community_id, Snowflake(5), START)
        await write.beats.self_caused(community_id, ROOM, START, newest=12)
        await write.inquiries.answer(community_id, Inquiry(actor=by_agent(2), moves_since=START))
        await write.reactions.given_to(community_id, [MessageId(1)])
        await write.access.knocks(community_id)
        await write.beats.tally(community_id, ids, START)
        await write.logs.journal(community_id, ROOM)
        await write.talk.delete(community_id, [Snowflake(1001)], START)


@pytest.mark.parametrize("store", ["memory"], indirect=True)
async def test_no_frequent_statement_reads_a_whole_table_or_community(
    store: SqlStore, community_id: CommunityId
) -> None:
    asked: list[tuple[str, Any]] = []

    def note(connection: Any, cursor: Any, statement: str, values: Any, context: Any, many: bool) -> None:  # noqa: ANN401
        if not many and statement.lstrip().startswith(("SELECT", "UPDATE", "DELETE")):
            asked.append((statement, values))

    event.listen(store.database.engine.sync_engine, "before_cursor_execute", note)
    await ask_everything(store, community_id)
    event.remove(store.database.engine.sync_engine, "before_cursor_execute", note)
    wasteful: list[str] = []
    async with store.database.reading() as connection:
        for statement, values in asked:
            plan = await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
            steps = [str(row.detail) for row in plan.all()]
            wasteful += [f"{step}: {statement}" for step in steps if is_wasteful(step)]
    assert len(asked) > 40
    assert wasteful == []


def is_wasteful(step: str) -> bool:
    """Tell whether a step reads a large table, or all that a community has in it."""
    words = step.split()
    if len(words) < 2 or words[1] not in LARGE or "ix_letters_open" in step:
        return False
    return words[0] == "SCAN" or step.endswith("(community_id=?)")
