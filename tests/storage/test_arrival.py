"""What a hostile archive may not bring in: deeds aimed at other servers, money, times that no database can read."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from storage.moving.arrival import admitted
from storage.tables import AGENTS, BEATS, LETTERS, RESERVATIONS


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
