"""What is handed in can be read as what it should be, or does not come in."""

from decimal import Decimal

import pytest

from bot.core.errors import BadSetting
from bot.core.records import Community, CommunityId
from storage.moving.handed import HandedArchives, looked_through
from storage.store import SqlStore
from tests.fakes import START
from tests.storage.test_handed import Files, archives, arrived, changed, empty, lines, packed, with_lines
from tests.storage.test_moving import FIRST, lively

__all__ = ["archives", "empty", "lively"]  # what every test here takes


@pytest.mark.parametrize(
    ("table", "values"),
    [
        ("minds", {"focus": {"mood": 1}}),
        ("minds", {"focus": {"feelings": [1]}}),
        ("minds", {"focus": {"notes": "a"}}),
        ("minds", {"knowledge": [1]}),
        ("messages", {"sender_kind": "ghost"}),
        ("messages", {"reactions": [1]}),
        ("beats", {"sections": [1]}),
        ("reactions", {"reactor": "person:mira"}),
        ("scenes", {"standing": "[" * 90}),
        ("agents", {"aliases": [["a"]]}),
    ],
    ids=str,
)
async def test_nobody_hands_in_what_cannot_be_read_as_what_it_should_be(
    archives: HandedArchives, lively: CommunityId, table: str, values: dict[str, object]
) -> None:
    """It would stop every beat of its agent, again and again."""
    data = await packed(archives, lively)

    def spoilt(files: Files) -> None:
        with_lines(files, table, [row | values for row in lines(files, table)])

    looked_through(data)
    with pytest.raises(BadSetting, match="damaged"):
        looked_through(changed(data, spoilt))


async def test_a_message_with_fewer_files_than_it_says_is_read(
    store: SqlStore, archives: HandedArchives, lively: CommunityId, empty: Community
) -> None:
    def counted_wrongly(files: Files) -> None:
        with_lines(files, "messages", [row | {"attachment_count": 3} for row in lines(files, "messages")])
        with_lines(files, "attachments", [])

    await archives.unpack(empty, changed(await packed(archives, lively), counted_wrongly))
    async with store.reading() as read:
        history = await read.talk.history(await arrived(store), FIRST)
    assert history
    assert not any(one.attachments for one in history)


async def test_what_was_set_aside_elsewhere_does_not_come_in(
    store: SqlStore, archives: HandedArchives, lively: CommunityId, empty: Community
) -> None:
    """It is added up with each beat, by all combinations of agents that it names."""

    def booked(files: Files) -> None:
        row = {"day": START.date().isoformat(), "usd": "1", "tokens": 1, "settled": False, "paid": True}
        many = [row | {"agents": {str(one): 1, "1": 2}} for one in range(2, 50)]
        with_lines(files, "reservations", many)

    async with store.writing(empty.id) as write:
        await write.money.reserve(empty.id, START.date(), usd=Decimal("0.4"), tokens=10)
    await archives.unpack(empty, changed(await packed(archives, lively), booked))
    async with store.reading() as read:
        assert await read.money.spent(await arrived(store), START.date()) == (Decimal("0.4"), 10)
