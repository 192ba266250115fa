"""Prometheus: what the engine counts and measures."""

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest


class PrometheusMetrics:
    """Keeps the `Metrics` port; every name becomes `selfroom_<name>`."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._counters: dict[str, Counter] = {}
        self._histograms: dict[str, Histogram] = {}

    def count(self, name: str, amount: float = 1, **labels: str) -> None:
        """Add to a counter."""
        counter = self._counters.get(name)
        if counter is None:
            counter = Counter(f"selfroom_{name}", name.replace("_", " "), sorted(labels), registry=self._registry)
            self._counters[name] = counter
        (counter.labels(**labels) if labels else counter).inc(amount)

    def observe(self, name: str, value: float, **labels: str) -> None:
        """Note a measured value."""
        histogram = self._histograms.get(name)
        if histogram is None:
            histogram = Histogram(f"selfroom_{name}", name.replace("_", " "), sorted(labels), registry=self._registry)
            self._histograms[name] = histogram
        (histogram.labels(**labels) if labels else histogram).observe(value)

    def page(self) -> bytes:
        """Give the text that Prometheus reads."""
        return generate_latest(self._registry)
