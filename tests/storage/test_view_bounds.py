"""However full the rooms of an agent are, a view of them holds no more than can be shown."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from bot.core.records import AgentId, Attachment, CommunityId
from storage import messages, view_bounds
from storage.store import SqlStore
from tests.factories import membership
from tests.founding import founded
from tests.storage.lines import said

FIRST, SECOND, THIRD = AgentId(1), AgentId(2), AgentId(3)
Said = Mapping[AgentId, tuple[list[str], int]]


async def seen_of(store: SqlStore, lines: Mapping[AgentId, list[str]], wanted: int, *, files: str = "") -> Said:
    """Give what a view holds of these rooms, of which one agent is in all, and how much it leaves out."""
    community_id = await founded(store, 3, guests=[(FIRST, SECOND), (FIRST, THIRD)])
    told = [(id_, text, number) for id_, texts in lines.items() for number, text in enumerate(texts)]
    attached = (Attachment(name="a", media_type="text/plain", size_bytes=1, url="b", text=files),) if files else ()
    async with store.writing(community_id) as write:
        await write.talk.add(
            community_id,
            [said(text, 1_000 * id_ + number, room_id=id_, attachments=attached) for id_, text, number in told],
        )
    async with store.reading() as read:
        view = await read.views.whole(community_id, agent_ids=[FIRST], messages=wanted)
    return {id_: ([one.content for one in its.messages], its.older) for id_, its in view.rooms.items()}


def numbered(count: int) -> list[str]:
    return [str(number) for number in range(count)]


async def test_full_rooms_share_what_a_view_may_hold_and_others_are_whole(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view_bounds, "MOST_MESSAGES", 100)
    monkeypatch.setattr(view_bounds, "LEAST_OF_A_ROOM", 5)
    seen = await seen_of(store, {FIRST: numbered(80), SECOND: numbered(10), THIRD: numbered(90)}, 70)
    assert seen == {
        FIRST: (numbered(80)[-45:], 35),
        SECOND: (numbered(10), 0),
        THIRD: (numbered(90)[-45:], 45),
    }


@pytest.mark.parametrize("files", ["", "x" * 38])
async def test_long_texts_leave_out_the_oldest_of_those_who_have_most_and_no_room_is_empty(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch, files: str
) -> None:
    monkeypatch.setattr(view_bounds, "MOST_CHARACTERS", 200)
    texts = [f"{number:0{2 if files else 40}}" for number in range(9)]
    seen = await seen_of(store, {FIRST: texts, SECOND: ["x" * 500], THIRD: texts}, 50, files=files)
    assert seen == {FIRST: (texts[-1:], 8), SECOND: (["x" * 500], 0), THIRD: (texts[-1:], 8)}


async def test_of_many_rooms_newest_files_only_so_much_is_read(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "MOST_OF_FILES", 100)
    community_id = await founded(store, 3, guests=[(FIRST, SECOND), (FIRST, THIRD)])
    file = Attachment(name="a", media_type="text/plain", size_bytes=1, url="b", text="x" * 40)
    async with store.writing(community_id) as write:
        lines = [said("look", number, room_id=AgentId(number), attachments=(file,)) for number in (1, 2, 3)]
        await write.talk.add(community_id, lines)
    async with store.reading() as read:
        view = await read.views.whole(community_id, agent_ids=[FIRST], messages=10)
    files = {id_: its.messages[0].attachments for id_, its in view.rooms.items()}
    assert files == {FIRST: (replace(file, text=None),), SECOND: (file,), THIRD: (file,)}


async def test_what_is_left_of_the_bound_goes_to_those_who_come_first(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view_bounds, "MOST_CHARACTERS", 200)
    texts = [f"{number:040}" for number in range(9)]
    seen = await seen_of(store, {FIRST: texts, THIRD: texts}, 50)
    assert seen == {FIRST: (texts[-3:], 6), SECOND: ([], 0), THIRD: (texts[-2:], 7)}


def read_of(counts: Mapping[AgentId, int], attention: Mapping[AgentId, int], wanted: int) -> Mapping[AgentId, int]:
    """Give how many messages are read of the rooms of one agent."""
    seats = {(FIRST, id_): membership(FIRST, id_, attention=attention.get(id_)) for id_ in counts}
    return view_bounds.most_of_each(view_bounds.Asked(CommunityId(1), [FIRST], list(counts), wanted), counts, seats)


def test_of_many_full_rooms_no_more_is_read_than_an_agent_could_be_shown() -> None:
    rooms = {AgentId(id_): 500 for id_ in range(1, 51)}
    assert set(read_of(rooms, {}, 400).values()) == {view_bounds.LEAST_OF_A_ROOM}
    assert read_of(rooms, {SECOND: 90}, 160)[SECOND] == 160


def test_of_few_rooms_and_of_the_only_one_that_is_full_all_is_read_that_was_asked_for() -> None:
    few = {FIRST: 500, SECOND: 500, THIRD: 500}
    assert set(read_of(few, {}, 400).values()) == {400}
    quiet = {AgentId(id_): 5 for id_ in range(2, 51)}
    assert read_of({FIRST: 500} | quiet, {}, 400) == {FIRST: 400} | quiet


async def test_what_no_summary_covers_is_known_of_a_room_that_is_not_read_to_its_end(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view_bounds, "LEAST_OF_A_ROOM", 5)
    monkeypatch.setattr(view_bounds, "SPARE", 1)
    community_id = await founded(store, 3, guests=[(FIRST, SECOND), (FIRST, THIRD)])
    lines = [said("well", 1_000 * room + n, room_id=AgentId(room), tokens=10) for room in (1, 2) for n in range(30)]
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, lines)
    async with store.reading() as read:
        view = await read.views.whole(community_id, agent_ids=[FIRST], messages=20)
    assert [len(view.rooms[id_].messages) for id_ in (FIRST, SECOND, THIRD)] == [10, 10, 0]
    assert [view.rooms[id_].uncovered_tokens for id_ in (FIRST, SECOND, THIRD)] == [200, 200, None]


def test_a_room_alone_may_be_as_long_as_was_asked() -> None:
    assert view_bounds.of_each([100_000], 8_000) == 8_000
    assert view_bounds.of_each([100_000] * 20, 8_000) == 400
    assert view_bounds.of_each([100_000] * 400, 8_000) == view_bounds.LEAST_OF_A_ROOM
    assert view_bounds.of_each([100_000] * 400, 1) == 1
