"""What is read together is counted together, before any of it comes in."""

import json

import pytest

from bot.core.config import CommunityConfig
from bot.core.errors import BadSetting
from bot.core.records import Json
from storage.moving.arrival import comes_in
from storage.moving.handed import Together
from storage.moving.pages import Page
from storage.session import Values
from storage.tables import OVERRIDES


@pytest.mark.parametrize(
    ("table", "column", "most"),
    [
        ("scenes", "id", 100),
        ("scene_seats", "seat", 24),
        ("requests", "id", 500),
        ("usage", "room_id", 20_000),
        ("memberships", "room_id", 3_000),
        ("rooms", "id", 1_500),
        ("reasons", "agent_id", 1_000),
        ("letters", "room_id", 1_000),
        ("keys", "room_id", 500),
        ("key_holders", "key_id", 2_000),
        ("schedules", "agent_id", 500),
        ("attachments", "place", 20),
        ("parts", "discord_id", 50),
    ],
)
def test_nobody_hands_in_more_than_a_look_at_the_whole_can_read(table: str, column: str, most: int) -> None:
    together = Together()
    rows: list[Values] = [
        {"status": "paused", "scene_id": 1, "message_id": 1, column: number} for number in range(most)
    ]
    together.add(Page(table_name=table, rows=rows))
    together.add(Page(table_name="scenes", rows=[{"status": "over", "id": 1}] * 200))
    with pytest.raises(BadSetting, match="than can come in here without keeping everybody waiting"):
        together.add(Page(table_name=table, rows=rows[:1]))


@pytest.mark.parametrize(
    ("table", "owner", "column", "each", "all_"),
    [
        ("names", "bearer", "name", 200, 5_000),
        ("messages", "sender_person_id", "sender_name", 200, 5_000),
        ("reactions", "message_id", "emoji", 50, None),
        ("reactions", "message_id", "emotion", 50, 2_000),
    ],
)
def test_nobody_hands_in_more_names_than_can_be_looked_for(
    table: str, owner: str, column: str, each: int, all_: int | None
) -> None:
    """Whoever asked what is kept of one with thirty thousand names held everybody up for seconds, in vain."""
    together = Together()
    together.add(Page(table_name=table, rows=[{owner: 7, column: f"n{at}"} for at in range(each)]))
    together.add(Page(table_name=table, rows=[{owner: 7, column: "n1"}] * 1_000))
    with pytest.raises(BadSetting, match="than can come in here without keeping everybody waiting"):
        together.add(Page(table_name=table, rows=[{owner: 7, column: "one more"}]))
    if all_ is not None:
        together = Together()
        together.add(Page(table_name=table, rows=[{owner: at, column: f"n{at}"} for at in range(all_)]))
        with pytest.raises(BadSetting, match="than can come in here without keeping everybody waiting"):
            together.add(Page(table_name=table, rows=[{owner: None, column: "one more"}]))


def test_settings_that_nobody_could_choose_do_not_come_in() -> None:
    """All of them are read, and held to their limits, with each line that is said."""
    assert comes_in(OVERRIDES, {"name": "floor", "value": 2}, handed=True)
    for handed in (False, True):
        assert not comes_in(OVERRIDES, {"name": "floor", "value": [0] * 1_990}, handed=handed)
        assert not comes_in(OVERRIDES, {"name": "allowed_models", "value": [1] * 1_990}, handed=handed)
        assert not comes_in(OVERRIDES, {"name": "no_such_setting", "value": 2}, handed=handed)


def test_nobody_hands_in_more_settings_than_are_read_with_each_line() -> None:
    together = Together()
    words: Json = ["w" * 9] * 1_990
    assert CommunityConfig().tried({"held_words": words}).held_words
    rows: list[Values] = [{"name": f"setting {at}", "value": words} for at in range(10)]
    assert len(json.dumps(rows)) < 1_000_000
    with pytest.raises(BadSetting, match="than can come in here without keeping everybody waiting"):
        together.add(Page(table_name="overrides", rows=rows))
