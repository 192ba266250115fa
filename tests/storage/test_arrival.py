"""What a hostile archive may not bring in: deeds aimed at other servers, money, times that no database can read."""

from contextlib import nullcontext
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from sqlalchemy import Table

from bot.core.actions.fields import LONGEST_PROMPT
from bot.core.errors import BadSetting
from bot.core.kinds import LetterKind
from bot.core.names import LONGEST_NAME
from storage.columns import Document
from storage.moving.arrival import admitted, comes_in
from storage.moving.handed import MOST_AGENTS
from storage.moving.limits import (
    DEEPEST,
    LARGEST_NUMBER,
    LARGEST_SMALL,
    LONGEST,
    LONGEST_FROM_ANYBODY,
    RANGES,
    too_long,
)
from storage.scenes import MOST_LISTED
from storage.session import Values
from storage.tables import (
    ACTIONS,
    AGENTS,
    BEATS,
    COUNTERS,
    LETTERS,
    MEMBERSHIPS,
    MESSAGES,
    METADATA,
    MINDS,
    OVERRIDES,
    REASONS,
    RESERVATIONS,
    ROOMS,
    SCENES,
    SEATS,
)


@pytest.mark.parametrize("kind", ["permission", "removal", "notice"])
@pytest.mark.parametrize("state", ["waiting", "sending", "held"])
def test_letters_that_act_on_what_they_name_are_not_carried(kind: str, state: str) -> None:
    payload = {"left_channel_id": 1_234, "removed": True}
    assert admitted(LETTERS, {"kind": kind, "state": state, "payload": payload})["state"] == "failed"


def test_words_that_wait_to_be_posted_still_wait() -> None:
    assert admitted(LETTERS, {"kind": "post", "state": "waiting"})["state"] == "waiting"


def test_an_archive_gives_nobody_money_and_spends_nobody_elses() -> None:
    with pytest.raises(ValueError, match="gives money"):
        admitted(RESERVATIONS, {"usd": Decimal("-100000"), "tokens": 1})
    with pytest.raises(ValueError, match="gives money"):
        admitted(BEATS, {"cost_usd": Decimal("NaN")})
    with pytest.raises(ValueError, match="give tokens"):
        admitted(RESERVATIONS, {"usd": Decimal(1), "tokens": -1})
    assert admitted(RESERVATIONS, {"usd": Decimal(1), "tokens": 1, "paid": True})["paid"] is False


def test_a_row_that_could_never_be_read_again_does_not_come_in() -> None:
    with pytest.raises(ValueError, match="bogus"):
        admitted(LETTERS, {"kind": "bogus", "state": "waiting"})
    with pytest.raises(ValueError, match="no time"):
        admitted(AGENTS, {"next_beat_at": datetime(1, 1, 2, tzinfo=UTC)})


@pytest.mark.parametrize("status", ["paused", "over", "stuck"])
def test_only_a_lobby_brings_a_time_in_and_nothing_that_stands_in_it(status: str) -> None:
    asked: Values = {"deadline_at": datetime(2026, 1, 1, tzinfo=UTC), "standing": "{}"}
    assert admitted(SCENES, {**asked, "status": status})["deadline_at"] is None
    lobby = admitted(SCENES, {**asked, "status": "lobby"})
    assert (lobby["deadline_at"], lobby["standing"]) == (asked["deadline_at"], None)


def test_nobody_comes_in_on_a_seat_that_no_scene_has() -> None:
    assert admitted(SEATS, {"seat": 16})["seat"] == 16
    with pytest.raises(ValueError, match="more seats"):
        admitted(SEATS, {"seat": 17})


def test_where_a_scene_stands_is_no_longer_than_any_scene_needs() -> None:
    assert LONGEST_FROM_ANYBODY["scenes", "standing"] < LONGEST["beats", "hud"] / 10


@pytest.mark.parametrize("id_", [2**32 + 2, 2 - 2**32, 2**31, 0, -1, 1.5, "2"])
def test_ids_reach_into_no_other_community(id_: object) -> None:
    with pytest.raises(ValueError, match="was never counted"):
        admitted(MESSAGES, {"id": id_})
    with pytest.raises(ValueError, match="was never counted"):
        admitted(COUNTERS, {"message": id_ or -1})


def test_ids_as_they_are_counted_come_in() -> None:
    assert admitted(MESSAGES, {"id": 1, "discord_id": 2**62, "reply_to": None})["discord_id"] == 2**62
    assert admitted(COUNTERS, {"message": 0, "agent": 2**31 - 1})["agent"] == 2**31 - 1
    assert admitted(REASONS, {"room_id": 0})["room_id"] == 0


@pytest.mark.parametrize(("place", "longest"), LONGEST.items(), ids=str)
def test_no_text_comes_in_that_is_longer_than_its_column_says(place: tuple[str, str], longest: int) -> None:
    table = METADATA.tables[place[0]]
    marks = 2 if isinstance(table.c[place[1]].type, Document) else 0  # its quotes
    assert too_long(table, {place[1]: "x" * (longest - marks)}) is None
    assert too_long(table, {place[1]: "x" * (longest - marks + 1)}) == (place[1], longest)
    with pytest.raises(BadSetting, match=rf"{place[0]}.{place[1]} of more than {longest:,} characters"):
        admitted(table, {place[1]: "x" * (longest + 1)})


def test_each_text_of_a_table_has_a_limit() -> None:
    kinds = (str, bytes)
    for table in METADATA.tables.values():
        for column in table.columns:
            has_length = isinstance(column.type, Document) or column.type.python_type in kinds
            assert not has_length or (table.name, column.name) in LONGEST, column


def test_what_is_read_with_every_line_is_no_longer_than_people_and_agents_may_make_it() -> None:
    each = [("agents", "aliases"), ("agents", "paused_reason"), ("rooms", "billboard"), ("rooms", "topic")]
    assert MOST_AGENTS * sum(LONGEST_FROM_ANYBODY[place] for place in each) < 4_000_000
    assert LONGEST_FROM_ANYBODY["scenes", "options"] * MOST_LISTED < 5_000_000
    assert (
        LONGEST_FROM_ANYBODY["messages", "reactions"] == LONGEST_FROM_ANYBODY["letters", "posted_as"] == LARGEST_SMALL
    )


def test_a_setting_that_there_is_not_is_left_behind() -> None:
    assert comes_in(OVERRIDES, {"name": "floor", "value": 2}, handed=True)
    assert not comes_in(OVERRIDES, {"name": "x1"}, handed=False)


def test_from_anybody_nothing_waits_to_be_sent_that_takes_long_to_read() -> None:
    for characters, state in ((1_000, "waiting"), (5_000, "failed")):
        row: Values = {"kind": "billboard", "state": "waiting", "payload": {"text": "x" * characters}}
        assert admitted(LETTERS, row, handed=True)["state"] == state
        assert admitted(LETTERS, row)["state"] == "waiting"


def test_only_a_letter_with_files_holds_much() -> None:
    much = {"text": "x" * LARGEST_SMALL}
    for kind in LetterKind:
        row: Values = {"kind": kind.value, "state": "failed", "payload": much}
        if kind is LetterKind.POST:
            assert admitted(LETTERS, row)["payload"] == much
        else:
            with pytest.raises(ValueError, match="without files"):
                admitted(LETTERS, row)


def test_what_is_kept_by_name_is_held_to_what_people_may_give() -> None:
    assert LONGEST["agents", "name"] == LONGEST_NAME
    assert LONGEST["agents", "prompt"] == LONGEST_PROMPT
    assert LONGEST["people", "username"] < LONGEST["messages", "content"] < LONGEST["attachments", "text"]


@pytest.mark.parametrize(
    ("table", "name", "odd"),
    [
        *[(AGENTS, "interval_seconds", one) for one in (0.001, -5, 1e308, float("nan"), float("inf"), "5")],
        *[(AGENTS, "token_budget", one) for one in (0, 200_001, 2**31 - 1)],
        (AGENTS, "interval_seconds", [5]),
        (AGENTS, "temperature", 2.1),
        (AGENTS, "knowledge_percent", 101),
        (ROOMS, "wpm", 10**9),
        (MEMBERSHIPS, "patience_seconds", 1e300),
        (MESSAGES, "discord_id", "12"),
        (MESSAGES, "discord_id", 2**64),
    ],
)
def test_no_number_comes_in_that_no_setting_takes(table: Table, name: str, odd: object) -> None:
    with pytest.raises(ValueError, match=r"no number that it can be|was never counted"):
        admitted(table, {name: odd})


def test_what_lies_too_deep_to_be_gone_through_does_not_come_in() -> None:
    for depth, is_let_in in ((DEEPEST, True), (DEEPEST + 1, False), (900, False)):
        knowledge: object = "deep"
        for _ in range(depth):
            knowledge = [knowledge]
        with nullcontext() if is_let_in else pytest.raises(ValueError, match=r"minds.knowledge is too deep"):
            admitted(MINDS, {"knowledge": knowledge})


def test_agents_and_rooms_are_held_to_the_limits_of_settings() -> None:
    ranges = {name: bounds for (table, name), bounds in RANGES.items() if table in ("agents", "rooms")}
    assert {"temperature", "interval_seconds", "resting_interval_seconds", "token_budget", "wpm", "rpm"} <= set(ranges)
    assert all(bounds[1] < LARGEST_NUMBER for bounds in ranges.values())


@pytest.mark.slow
def test_what_is_read_by_the_hundred_comes_in_no_longer_than_we_write_it() -> None:
    many, long = ["said something"] * 20_000, "x" * 400_000
    assert admitted(BEATS, {"outcome": many, "sections": [["rooms", 4], [long, 5]]}) == {
        "outcome": many[:200],
        "sections": [["rooms", 4]],
    }
    assert admitted(BEATS, {"outcome": [long, "kept"]})["outcome"] == ["kept"]
    assert admitted(BEATS, {"outcome": long})["outcome"] == []
    assert admitted(ACTIONS, {"parameters": {"value": long}})["parameters"] == {}
    assert admitted(ACTIONS, {"parameters": {"value": "tea"}})["parameters"] == {"value": "tea"}
