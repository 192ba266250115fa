"""Spans as OpenTelemetry has them: a trace for each beat, and the conventions' names for a call."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind as Wire

from bot.adapters.traces import OtelTraces
from bot.core.records import BeatId, CommunityId, Snowflake, Usage
from bot.core.spans import Span, SpanKind
from tests.fakes import START

USED = Usage(input_tokens=900, cached_tokens=700, output_tokens=30, cost_usd=Decimal("0.0002"))
CALL = Span(
    kind=SpanKind.CALL,
    community_id=CommunityId(1),
    guild_id=Snowflake(77),
    beat_ids=(BeatId(4),),
    since=START,
    until=START + timedelta(seconds=2),
    model="qwen",
    usage=USED,
)


class Collected:
    """What reached a collector once everything was closed."""

    def __init__(self, *spans: Span) -> None:
        exporter = InMemorySpanExporter()
        traces = OtelTraces(exporter, "0.1.0")
        for span in spans:
            traces(span)
        traces.close()
        self.spans = exporter.get_finished_spans()

    def named(self, name: str) -> list[ReadableSpan]:
        return [one for one in self.spans if one.name == name]


def whole_beat(guild: int = 77, beat: int = 4) -> list[Span]:
    kinds = (SpanKind.CLAIM, SpanKind.VIEW, SpanKind.HUD, SpanKind.CALL, SpanKind.APPLY, SpanKind.BEAT, SpanKind.LETTER)
    one = replace(CALL, guild_id=Snowflake(guild), beat_ids=(BeatId(beat),))
    return [replace(one, kind=kind) for kind in kinds]


def test_all_that_was_done_for_a_beat_is_one_trace_below_the_beat() -> None:
    seen = Collected(*whole_beat())
    (beat,) = seen.named("beat")
    others = [one for one in seen.spans if one is not beat]
    assert {one.name for one in others} == {"claim", "view", "hud", "chat qwen", "apply", "letter"}
    assert beat.parent is None and beat.context is not None
    assert {one.parent and one.parent.span_id for one in others} == {beat.context.span_id}
    assert {one.context and one.context.trace_id for one in seen.spans} == {beat.context.trace_id}


def test_a_letter_that_is_sent_after_a_restart_finds_its_beat() -> None:
    before, after = Collected(*whole_beat()[:-1]), Collected(whole_beat()[-1])
    (beat,), (letter,) = before.named("beat"), after.named("letter")
    assert beat.context is not None and letter.parent is not None
    assert (letter.parent.trace_id, letter.parent.span_id) == (beat.context.trace_id, beat.context.span_id)


@pytest.mark.parametrize("other", [whole_beat(beat=5), whole_beat(guild=78)])
def test_beats_of_other_servers_and_other_beats_are_other_traces(other: list[Span]) -> None:
    seen = Collected(*whole_beat(), *other)
    assert len({one.context.trace_id for one in seen.spans if one.context}) == 2


def test_a_call_is_told_in_the_words_of_the_genai_conventions() -> None:
    (call,) = Collected(CALL).spans
    assert call.kind is Wire.CLIENT and call.attributes is not None
    assert dict(call.attributes) == {
        "selfroom.community": 1,
        "selfroom.beat": 4,
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "qwen",
        "gen_ai.usage.input_tokens": 900,
        "gen_ai.usage.output_tokens": 30,
        "gen_ai.usage.cache_read.input_tokens": 700,
        "gen_ai.usage.cache_creation.input_tokens": 0,
        "selfroom.cost_usd": 0.0002,
    }
    assert call.start_time is not None and call.end_time is not None
    assert call.end_time - call.start_time == 2_000_000_000


def test_what_a_shared_call_used_counts_once_and_the_other_beats_link_to_it() -> None:
    first, other = Collected(replace(CALL, beat_ids=(BeatId(4), BeatId(5)))).spans
    used = [one for one in (first, other) if one.attributes and "gen_ai.usage.input_tokens" in one.attributes]
    assert used == [first]
    assert [link.context for link in other.links] == [first.context] and not first.links


def test_a_call_that_failed_says_with_what() -> None:
    (call,) = Collected(replace(CALL, usage=None, failure="ModelUnreachable")).spans
    assert call.attributes is not None and call.attributes["error.type"] == "ModelUnreachable"
    assert not call.status.is_ok


def test_a_clock_that_was_set_back_makes_no_span_that_ends_before_it_begins() -> None:
    (call,) = Collected(replace(CALL, until=START - timedelta(seconds=5))).spans
    assert call.start_time == call.end_time
