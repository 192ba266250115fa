"""However much there is, one person's wish to be forgotten holds nobody else up."""

from typing import Any

import pytest

from bot.core.changes import Change, EndBeat
from bot.core.keeping import Readable
from bot.core.records import AgentId, CommunityId, Snowflake
from storage import inline
from storage.personal import PAGE
from storage.session import Rows, Session
from storage.store import SqlStore
from tests.factories import by_person, person
from tests.fakes import START
from tests.storage.lines import said
from tests.storage.test_beats import beat

ROOM, MIRA = AgentId(1), Snowflake(501)
WREN = by_person("wren", 502)
COUNT = 2 * PAGE + 3


async def filled(store: SqlStore, community_id: CommunityId) -> None:
    """Give the community more lines and stored HUDs that name her than are looked through at once."""
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira", 501))
        await write.talk.add(
            community_id, [said(f"{number} thanks @mira", number, sender=WREN) for number in range(COUNT)]
        )
        beats: list[Change] = [
            EndBeat(beat=beat(number + 1, hud=f"{number} @mira spoke", answer="", thoughts=""))
            for number in range(COUNT)
        ]
        await write.apply(community_id, beats)


async def test_whatever_may_touch_any_number_of_rows_is_done_off_the_loop(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not store.database.is_sqlite:
        pytest.skip("PostgreSQL works elsewhere")
    await filled(store, community_id)
    at_once: list[object] = []
    judge = inline.is_short

    def noting(args: tuple[object, ...]) -> bool:
        if short := judge(args):
            at_once.append(args)
        return short

    async with store.writing(community_id) as write:
        monkeypatch.setattr(inline, "is_short", noting)
        await write.personal.forget(community_id, MIRA, START)
        assert at_once == []
        await write.people.put(community_id, person("ann", 503))
        assert at_once, "what comes after is done at once again"
        monkeypatch.setattr(inline, "is_short", judge)


async def test_texts_are_looked_through_few_at_a_time_and_all_of_them(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(store, community_id)
    at_a_time: list[int] = []
    asked = Session.rows

    async def counting(session: Session, statement: Any, values: Any = None) -> Rows:  # noqa: ANN401
        rows = await asked(session, statement, values)
        at_a_time.append(len(rows))
        return rows

    monkeypatch.setattr(Session, "rows", counting)
    async with store.writing(community_id) as write:
        gone = await write.personal.forget(community_id, MIRA, START)
    assert gone.texts == COUNT
    assert max(at_a_time) == PAGE


@pytest.mark.parametrize("what", ["a room", "a thread", "an export"])
async def test_much_that_goes_or_is_asked_for_at_once_is_worked_off_the_loop(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    if not store.database.is_sqlite:
        pytest.skip("PostgreSQL works elsewhere")
    thread = Snowflake(77)
    async with store.writing(community_id) as write:
        lines = [said(str(number), number, thread_id=thread) for number in range(COUNT)]
        await write.talk.add(community_id, [*lines, said("outside", COUNT)])
    on_loop: list[str] = []
    judge = inline.is_short

    def noting(args: tuple[object, ...]) -> bool:
        if short := judge(args):
            on_loop.append(str(args[0]))
        return short

    async with store.writing(community_id) as write:
        monkeypatch.setattr(inline, "is_short", noting)
        if what == "an export":
            data = await write.personal.data(community_id, MIRA, Readable(rooms=frozenset({ROOM})))
            assert data["where_you_may_not_read"] == {"messages": COUNT, "reactions": 0}
        else:
            gone = await write.talk.delete_room(community_id, ROOM, START, thread_id=thread if "th" in what else None)
            assert gone == COUNT + (what == "a room")
        assert [one for one in on_loop if "messages" in one] == []
        monkeypatch.setattr(inline, "is_short", judge)
