"""What a hostile archive may not bring in: deeds aimed at other servers, money, times that no database can read."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from storage.moving.arrival import admitted
from storage.tables import AGENTS, BEATS, COUNTERS, LETTERS, MESSAGES, REASONS, RESERVATIONS


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
