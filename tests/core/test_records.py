"""Records know what can be told of them without looking anywhere else."""

import pytest

from bot.core.kinds import ReasonKind, SenderKind, Visibility
from bot.core.records import PUBLIC_SIDE, SYSTEM, AgentId, MessageId, Reason, Sender, Snowflake
from tests.factories import by_agent, by_person, message, room
from tests.fakes import START


@pytest.mark.parametrize(
    ("sender", "shown", "is_human"),
    [
        (by_agent(5), "5", False),
        (by_person("mira"), "@mira", True),
        (Sender(kind=SenderKind.BOT, name="feeds"), "@feeds", False),
        (Sender(kind=SenderKind.ARCHITECT, name="boss"), "The Architect (@boss)", True),
        (Sender(kind=SenderKind.ARCHITECT), "The Architect", True),
        (SYSTEM, "System", False),
    ],
)
def test_agents_see_who_wrote_by_id_or_name(sender: Sender, shown: str, is_human: bool) -> None:
    assert (sender.shown(), sender.is_human) == (shown, is_human)


def test_a_thread_belongs_to_the_owner_of_the_room_it_is_in() -> None:
    thread = room(9, thread_of=AgentId(2), visibility=Visibility.PRIVATE)
    assert (room(3).owner_id, thread.owner_id) == (3, 2)
    assert (room(3).side, thread.side) == (PUBLIC_SIDE, 9)


def test_a_wish_for_another_answer_is_a_persons_reply_that_stands_nowhere() -> None:
    wish = message(5, discord_id=None, reply_to=MessageId(4))
    assert wish.is_wish
    for other in (message(5, reply_to=MessageId(4)), message(5, discord_id=None)):
        assert not other.is_wish
    assert not message(5, discord_id=None, reply_to=MessageId(4), sender=by_agent(1)).is_wish


@pytest.mark.parametrize("kind", list(ReasonKind))
def test_only_a_person_who_spoke_to_it_calls_an_agent(kind: ReasonKind) -> None:
    by_who = Reason(kind=kind, person_id=Snowflake(501), since=START, due_at=START)
    by_nobody = Reason(kind=kind, since=START, due_at=START)
    assert by_who.is_a_persons_call is (kind is ReasonKind.ADDRESSED)
    assert not by_nobody.is_a_persons_call
