"""Prometheus: what the engine counts and measures, and how every heart beats."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from bot.core.next_beat import NextBeat
from bot.core.ports.talk import Queue
from bot.core.records import Agent, CommunityId
from bot.core.spans import Span

WHOSE = ("community", "agent", "name")
MOST_SERIES = 200  # of one name: models have the names that people give them
OTHERS = "others"  # where all further ones are counted together


@dataclass(frozen=True, slots=True, kw_only=True)
class Heart:
    """One agent's heartbeat at this moment; `named`: anybody on this machine may know its name."""

    community: CommunityId
    agent: Agent
    next_beat: NextBeat
    named: bool = True


class PrometheusMetrics:
    """Keeps the `Metrics` port; every name becomes `selfroom_<name>`, and spans go to `traces`, where there is one."""

    def __init__(self, traces: Callable[[Span], None] | None = None) -> None:
        self._traces = traces
        self._registry = CollectorRegistry()
        self._counters: dict[str, Counter] = {}
        self._histograms: dict[str, Histogram] = {}
        self._series: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)

    def count(self, name: str, amount: float = 1, **labels: str) -> None:
        counter = self._counters.get(name)
        if counter is None:
            counter = Counter(f"selfroom_{name}", name.replace("_", " "), sorted(labels), registry=self._registry)
            self._counters[name] = counter
        (counter.labels(**self._bounded(name, labels)) if labels else counter).inc(amount)

    def observe(self, name: str, value: float, **labels: str) -> None:
        histogram = self._histograms.get(name)
        if histogram is None:
            histogram = Histogram(f"selfroom_{name}", name.replace("_", " "), sorted(labels), registry=self._registry)
            self._histograms[name] = histogram
        (histogram.labels(**self._bounded(name, labels)) if labels else histogram).observe(value)

    def span(self, span: Span) -> None:
        if self._traces is not None:
            self._traces(span)

    def watch(self, name: str, what: str, read: Callable[[], float]) -> None:
        """Show what `read` gives whenever somebody looks."""
        Gauge(f"selfroom_{name}", what, registry=self._registry).set_function(read)

    def _bounded(self, name: str, labels: dict[str, str]) -> dict[str, str]:
        known, this = self._series[name], tuple(labels.values())
        if this not in known and len(known) >= MOST_SERIES:
            return dict.fromkeys(labels, OTHERS)
        known.add(this)
        return labels

    def page(self) -> bytes:
        """Give the text that Prometheus reads."""
        return generate_latest(self._registry)


def queues_page(queues: Sequence[Queue], now: datetime) -> bytes:
    """Give what waits to be sent, and for how long the longest of it is due, as Prometheus reads it."""
    registry = CollectorRegistry()
    labels = ("kind", "state")
    letters = Gauge("selfroom_letters", "letters that are not done with", labels, registry=registry)
    oldest = Gauge("selfroom_letters_due_seconds", "for how long the first is due", labels, registry=registry)
    for queue in queues:
        letters.labels(queue.kind, queue.state).set(queue.letters)
        oldest.labels(queue.kind, queue.state).set(max(0.0, (now - queue.since).total_seconds()))
    return generate_latest(registry)


def hearts_page(hearts: Sequence[Heart]) -> bytes:
    """Give how every heart beats as Prometheus reads it; times are in seconds since 1970."""
    registry = CollectorRegistry()
    interval = Gauge("selfroom_agent_interval_seconds", "between an agent's beats", WHOSE, registry=registry)
    last = Gauge("selfroom_agent_last_beat_at", "its last beat, and why it came", (*WHOSE, "reason"), registry=registry)
    coming = Gauge("selfroom_agent_next_beat_at", "when its next beat can come", WHOSE, registry=registry)
    waits = Gauge("selfroom_agent_waits", "what its next beat waits for", (*WHOSE, "for"), registry=registry)
    state = Gauge("selfroom_agent_state", "what it is at", (*WHOSE, "state"), registry=registry)
    doing = Gauge("selfroom_agent_doing", "what it is at in a room", (*WHOSE, "room", "what"), registry=registry)
    for heart in hearts:
        agent, look = heart.agent, heart.next_beat
        whose = (str(heart.community), str(agent.id), agent.name if heart.named else "")
        interval.labels(*whose).set(agent.interval_seconds)
        waits.labels(*whose, look.waiting).set(1)
        state.labels(*whose, look.state).set(1)
        for room_id, what in look.doing.items():
            doing.labels(*whose, str(room_id), what).set(1)
        if agent.last_beat_at is not None and agent.last_reason is not None:
            last.labels(*whose, agent.last_reason).set(agent.last_beat_at.timestamp())
        if look.at is not None:
            coming.labels(*whose).set(look.at.timestamp())
    return generate_latest(registry)
