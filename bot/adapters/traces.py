"""OpenTelemetry: the spans of single beats, each beat a trace of its own, sent to a collector over OTLP."""

import hashlib
from datetime import datetime

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    SpanContext,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)
from opentelemetry.trace import (
    SpanKind as Wire,
)
from opentelemetry.util.types import AttributeValue

from bot.core.records import BeatId
from bot.core.spans import Span, SpanKind

SEND_SECONDS = 5  # at most, also when it closes
KIND = {SpanKind.CALL: Wire.CLIENT, SpanKind.LETTER: Wire.PRODUCER}


def traces_to(url: str, version: str) -> "OtelTraces":
    """Give what sends spans to a collector's address, as `http://127.0.0.1:4318`."""
    return OtelTraces(OTLPSpanExporter(f"{url.rstrip('/')}/v1/traces", timeout=SEND_SECONDS), version)


class OtelTraces:
    """Takes spans that are done; closing it sends what is left.

    Names and attributes of a call are those of the GenAI conventions:
    https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/
    """

    def __init__(self, exporter: SpanExporter, version: str) -> None:
        self._ids = _Ids()
        resource = Resource.create({"service.name": "selfroom", "service.version": version})
        self._provider = TracerProvider(resource=resource, id_generator=self._ids)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("selfroom", version)

    def __call__(self, span: Span) -> None:
        """Take it into each beat's trace; what a shared call used stands in the first, to which the others link."""
        first, *others = span.beat_ids
        context = self._put(span, first, _told(span), [])
        for beat_id in others:
            self._put(span, beat_id, {}, [Link(context)])

    def _put(self, span: Span, beat_id: BeatId, told: dict[str, AttributeValue], links: list[Link]) -> SpanContext:
        whole = _of_beat(span, beat_id)
        is_whole = span.kind is SpanKind.BEAT
        self._ids.whole = whole if is_whole else None
        put = self._tracer.start_span(
            _name(span),
            None if is_whole else set_span_in_context(NonRecordingSpan(whole)),
            kind=KIND.get(span.kind, Wire.INTERNAL),
            attributes={"selfroom.community": span.community_id, "selfroom.beat": beat_id, **_about(span), **told},
            links=links,
            start_time=_nanoseconds(span.since),
        )
        if span.failure:
            put.set_attribute("error.type", span.failure)
            put.set_status(Status(StatusCode.ERROR))
        put.end(max(_nanoseconds(span.since), _nanoseconds(span.until)))
        return put.get_span_context()

    def close(self) -> None:
        """Send what is left, within the exporter's own time."""
        self._provider.shutdown()


class _Ids(RandomIdGenerator):
    """Random ids, but for the span that is a whole beat: what is done for the beat finds it by its id."""

    def __init__(self) -> None:
        self.whole: SpanContext | None = None

    def generate_span_id(self) -> int:
        return self.whole.span_id if self.whole is not None else super().generate_span_id()

    def generate_trace_id(self) -> int:
        return self.whole.trace_id if self.whole is not None else super().generate_trace_id()


def _of_beat(span: Span, beat_id: BeatId) -> SpanContext:
    """Give a beat's own trace and span, which whoever knows its ids finds again, after a restart as well."""
    digest = hashlib.sha256(f"{span.guild_id} {span.community_id} {beat_id}".encode()).digest()
    return SpanContext(
        trace_id=int.from_bytes(digest[:16]),
        span_id=int.from_bytes(digest[16:24]),
        is_remote=True,
        trace_flags=TraceFlags(TraceFlags.SAMPLED),
    )


def _name(span: Span) -> str:
    return f"chat {span.model}" if span.kind is SpanKind.CALL else span.kind.value


def _about(span: Span) -> dict[str, AttributeValue]:
    return {f"selfroom.{name}": value for name, value in span.about.items()}


def _told(span: Span) -> dict[str, AttributeValue]:
    told: dict[str, AttributeValue] = {}
    if span.kind is SpanKind.CALL:
        told = {"gen_ai.operation.name": "chat", "gen_ai.request.model": span.model}
    if (used := span.usage) is not None:
        told |= {
            "gen_ai.usage.input_tokens": used.input_tokens,
            "gen_ai.usage.output_tokens": used.output_tokens,
            "gen_ai.usage.cache_read.input_tokens": used.cached_tokens,
            "gen_ai.usage.cache_creation.input_tokens": used.cache_write_tokens,
            "selfroom.cost_usd": float(used.cost_usd),
        }
    return told


def _nanoseconds(at: datetime) -> int:
    return round(at.timestamp() * 1_000_000) * 1_000
