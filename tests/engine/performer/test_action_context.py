"""The context of actions tells who led to them, and what they answer."""

from bot.core.kinds import ReasonKind
from bot.core.records import MessageId, Reason, Snowflake
from bot.engine.performer import ActionContext
from tests.fakes import START, SeededRandom


def because(
    kind: ReasonKind, message_id: int | None = None, person_id: int | None = None, *, asked: bool = False
) -> Reason:
    message = None if message_id is None else MessageId(message_id)
    person = None if person_id is None else Snowflake(person_id)
    return Reason(kind=kind, message_id=message, person_id=person, mentioned=asked, since=START, due_at=START)


def context(*reasons: Reason) -> ActionContext:
    return ActionContext(now=START, random=SeededRandom(), reasons=reasons)


def test_without_reasons_nobody_led_to_it() -> None:
    alone = context()
    assert (alone.person_id, alone.heard_person_id, alone.called_by, alone.called) == (None, None, (), False)


def test_the_first_person_led_to_it_and_what_it_looked_up_is_not_heard() -> None:
    looked_up = because(ReasonKind.ANSWER, 3, 501)
    assert (context(looked_up).person_id, context(looked_up).heard_person_id) == (501, None)
    both = context(because(ReasonKind.TIMER), looked_up, because(ReasonKind.AMBIENT, 4, 502))
    assert (both.person_id, both.heard_person_id) == (501, 502)


def test_calls_are_answered_where_they_were_made_the_oldest_first() -> None:
    reasons = (because(ReasonKind.ADDRESSED, 9), because(ReasonKind.ANSWER, 3), because(ReasonKind.AMBIENT, 4))
    assert context(*reasons).called_by == (3, 9)
    assert context(reasons[0]).called and not context(*reasons[1:]).called
    assert context(because(ReasonKind.ANSWER, 3, asked=True)).called
