"""What the engine counts stands on the page that Prometheus reads."""

from bot.adapters.metrics import MOST_SERIES, Heart, PrometheusMetrics, hearts_page
from bot.core.kinds import Doing, ReasonKind, State
from bot.core.next_beat import NextBeat, Waiting
from bot.core.records import AgentId, CommunityId
from tests.factories import agent, later
from tests.fakes import START


def test_what_is_counted_adds_up_by_label() -> None:
    metrics = PrometheusMetrics()
    metrics.count("beats", reason="addressed")
    metrics.count("beats", 2, reason="addressed")
    metrics.count("beats", reason="ambient")
    page = metrics.page().decode()
    assert 'selfroom_beats_total{reason="addressed"} 3.0' in page
    assert 'selfroom_beats_total{reason="ambient"} 1.0' in page


def test_what_is_measured_is_summed_and_counted() -> None:
    metrics = PrometheusMetrics()
    metrics.observe("model_seconds", 0.5)
    metrics.observe("model_seconds", 1.5)
    page = metrics.page().decode()
    assert "selfroom_model_seconds_count 2.0" in page
    assert "selfroom_model_seconds_sum 2.0" in page


def test_names_without_end_are_counted_together() -> None:
    metrics = PrometheusMetrics()
    for number in range(MOST_SERIES + 3):
        metrics.count("model_calls", model=f"model-{number}")
    metrics.count("model_calls", model="model-0")
    page = metrics.page().decode()
    assert 'selfroom_model_calls_total{model="others"} 3.0' in page
    assert 'selfroom_model_calls_total{model="model-0"} 2.0' in page
    assert page.count("selfroom_model_calls_total{") == MOST_SERIES + 1


def test_two_houses_in_one_process_count_for_themselves() -> None:
    one, other = PrometheusMetrics(), PrometheusMetrics()
    one.count("beats")
    assert b"selfroom_beats_total" not in other.page()


def test_every_heart_tells_its_pace_its_last_beat_the_next_and_what_it_waits_for() -> None:
    beats = agent(1, name="Wren", interval_seconds=2.5, last_beat_at=START, last_reason=ReasonKind.AMBIENT)
    at = {AgentId(2): Doing.TYPING}
    looks = (
        NextBeat(waiting=Waiting.PATIENCE, words="", at=later(64), state=State.TYPING, doing=at),
        NextBeat(waiting=Waiting.NEWS, words=""),
    )
    hearts = [
        Heart(community=CommunityId(7), agent=one, next_beat=look)
        for one, look in zip((beats, agent(2, name='Mo "the" Moss')), looks, strict=True)
    ]
    page = hearts_page(hearts).decode()
    wren = 'agent="1",community="7",name="Wren"'
    assert f"selfroom_agent_interval_seconds{{{wren}}} 2.5" in page
    (last,) = [line for line in page.splitlines() if line.startswith("selfroom_agent_last_beat_at{")]
    assert (wren in last, 'reason="ambient"' in last) == (True, True)
    assert float(last.rpartition(" ")[2]) == START.timestamp()
    assert 'selfroom_agent_waits{agent="1",community="7",for="patience",name="Wren"} 1.0' in page
    assert 'selfroom_agent_waits{agent="2",community="7",for="news",name="Mo \\"the\\" Moss"} 1.0' in page
    assert f'selfroom_agent_state{{{wren},state="typing"}} 1.0' in page
    assert f'selfroom_agent_doing{{{wren},room="2",what="typing"}} 1.0' in page
    coming = [line for line in page.splitlines() if line.startswith("selfroom_agent_next_beat_at{")]
    assert [float(line.rpartition(" ")[2]) for line in coming] == [later(64).timestamp()]
