"""Beats as managers see them."""

import pytest

from bot.core.records import AgentId, Room
from cogs.ui.beats import for_managers
from tests.factories import room


@pytest.mark.parametrize(
    ("to_it", "of_it"),
    [
        ("Your focus is updated.", "Its focus is updated."),
        ("Your plan is updated.", "Its plan is updated."),
        ("Rejected: You cannot react to your own message.", "Rejected: It cannot react to its own message."),
        ("Rejected: You are in that room already.", "Rejected: It is in that room already."),
        (
            "Rejected: That takes an answer of your own: you are asked again alone.",
            "Rejected: That takes an answer of its own: it is asked again alone.",
        ),
        ("The request is answered: you were let in.", "The request is answered: it was let in."),
        ("Said in room 3.", "Said in a private thread, or in a room that is gone."),
        ("Said in room 1: hello, youth of room 7.", "Said in <#70>: hello, youth of room 7."),
    ],
)
def test_what_an_agent_was_told_is_worded_for_who_reads_of_it(to_it: str, of_it: str) -> None:
    rooms: dict[AgentId, Room] = {AgentId(1): room(1, channel_id=70)}
    assert for_managers(to_it, rooms) == of_it
