"""What the engine counts stands on the page that Prometheus reads."""

from bot.adapters.metrics import PrometheusMetrics


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


def test_two_houses_in_one_process_count_for_themselves() -> None:
    one, other = PrometheusMetrics(), PrometheusMetrics()
    one.count("beats")
    assert b"selfroom_beats_total" not in other.page()
