"""Where nobody waits for anybody, each agent looks at its own heartbeat, one after the other."""

from datetime import timedelta

from bot.core.records import AgentId
from bot.core.scenes.free import FLOOR_SECONDS, heartbeats
from tests.factories import agent
from tests.fakes import START


def test_the_first_to_beat_looks_first_and_the_others_once_it_has_answered_or_too_much_time_went_by() -> None:
    slow, quick = (agent(id_, interval_seconds=pace, last_beat_at=START) for id_, pace in ((1, 8.0), (2, 3.0)))
    agents = {one.id: one for one in (slow, quick)}
    due = heartbeats(agents, [AgentId(1), AgentId(2), AgentId(3)], now=START, not_before=START)
    seconds = {id_: (at - START).total_seconds() for id_, at in due.items()}
    assert seconds == {2: 3.0, 1: 8.0 + FLOOR_SECONDS}  # nobody is there whose number is 3


def test_nobody_looks_before_the_last_speech_is_posted() -> None:
    later = START + timedelta(seconds=20)
    assert heartbeats({AgentId(1): agent(1)}, [AgentId(1)], now=START, not_before=later) == {1: later}
