"""Links open once and soon, sessions end, and nothing that was given out lies anywhere."""

import gc
from datetime import timedelta

import pytest

from bot.console.door import LINK_MINUTES, LONGEST_TOKEN, MOST_SESSIONS, Door, Guest, Opened, Pace
from bot.core.records import Snowflake
from bot.engine.timelines.chance import VirtualClock
from tests.fakes import START

ADA, BO = Guest(Snowflake(1), Snowflake(7)), Guest(Snowflake(1), Snowflake(8))


class Hand:
    """A door and its clock."""

    def __init__(self) -> None:
        self.clock = VirtualClock(START)
        self.door = Door(self.clock, hours=12)

    def enters(self, guest: Guest = ADA) -> Opened:
        opened = self.door.open(self.door.link(guest))
        assert opened is not None
        return opened

    async def wait(self, **span: float) -> None:
        await self.clock.advance(timedelta(**span).total_seconds())


@pytest.fixture
def hand() -> Hand:
    return Hand()


def test_a_link_opens_once(hand: Hand) -> None:
    token = hand.door.link(ADA)
    opened = hand.door.open(token)
    assert opened is not None
    assert hand.door.who(opened.cookie, opened.proof) == ADA
    assert hand.door.open(token) is None


async def test_a_link_opens_nothing_after_five_minutes(hand: Hand) -> None:
    in_time, late = hand.door.link(ADA), hand.door.link(BO)
    await hand.wait(minutes=LINK_MINUTES, seconds=-1)
    assert hand.door.open(in_time) is not None
    await hand.wait(seconds=1)
    assert hand.door.open(late) is None


def test_a_new_link_withdraws_the_one_before_of_the_same_person_alone(hand: Hand) -> None:
    first, others, second = hand.door.link(ADA), hand.door.link(BO), hand.door.link(ADA)
    assert hand.door.open(first) is None
    assert hand.door.open(others) is not None
    assert hand.door.open(second) is not None


async def test_a_session_ends_after_its_hours_however_much_it_is_used(hand: Hand) -> None:
    opened = hand.enters()
    for _ in range(11):
        await hand.wait(hours=1)
        assert hand.door.who(opened.cookie, opened.proof) == ADA
    await hand.wait(hours=1)
    assert hand.door.who(opened.cookie, opened.proof) is None


def test_a_cookie_without_the_proof_of_its_own_page_is_nobodys(hand: Hand) -> None:
    one, two = hand.enters(), hand.enters()
    for proof in ("", two.proof, one.cookie):
        assert hand.door.who(one.cookie, proof) is None
    assert hand.door.who("", one.proof) is None


def test_revoking_ends_every_session_and_link_of_one_person_in_one_server(hand: Hand) -> None:
    mine, too, others = hand.enters(), hand.enters(), hand.enters(BO)
    elsewhere = hand.enters(Guest(Snowflake(2), ADA.user_id))
    token = hand.door.link(ADA)
    assert hand.door.revoke(ADA) == 2
    assert [hand.door.who(one.cookie, one.proof) for one in (mine, too)] == [None, None]
    assert hand.door.open(token) is None
    assert hand.door.who(others.cookie, others.proof) == BO
    assert hand.door.who(elsewhere.cookie, elsewhere.proof) is not None


def test_a_person_has_so_many_sessions_and_the_oldest_makes_room(hand: Hand) -> None:
    opened = [hand.enters() for _ in range(MOST_SESSIONS + 1)]
    known = [hand.door.who(one.cookie, one.proof) for one in opened]
    assert known == [None, *[ADA] * MOST_SESSIONS]


def test_leaving_ends_this_session_alone(hand: Hand) -> None:
    one, two = hand.enters(), hand.enters()
    hand.door.leave(one.cookie)
    assert hand.door.who(one.cookie, one.proof) is None
    assert hand.door.who(two.cookie, two.proof) == ADA


@pytest.mark.parametrize("token", ["", "x", "\udcff", "é" * LONGEST_TOKEN, "a" * 100_000])
def test_whatever_is_tried_opens_nothing(hand: Hand, token: str) -> None:
    hand.door.link(ADA)
    assert hand.door.open(token) is None
    assert hand.door.who(token, token) is None


def test_the_door_keeps_no_token_that_opens_it(hand: Hand) -> None:
    link, opened = hand.door.link(BO), hand.enters()
    kept, seen = [hand.door.__dict__], set[int]()
    words: list[object] = []
    while kept:
        one: object = kept.pop()
        if id(one) not in seen and not isinstance(one, type):
            seen.add(id(one))
            words.append(one)
            kept += [inner for inner in gc.get_referents(one) if isinstance(inner, (str, bytes, dict, tuple, list))]  # type: ignore[misc]
    assert {link, opened.cookie, opened.proof}.isdisjoint(word for word in words if isinstance(word, str))


async def test_each_has_a_pace_of_their_own(hand: Hand) -> None:
    pace = Pace(hand.clock, most=2, seconds=10)
    assert [pace.allows(ADA) for _ in range(3)] == [True, True, False]
    assert pace.allows(BO)
    await hand.wait(seconds=10)
    assert pace.allows(ADA)
