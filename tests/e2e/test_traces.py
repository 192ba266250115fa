"""A collector of OpenTelemetry's spans is sent those of each beat, and one that is away keeps nobody waiting."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.e2e.sharing import shared_home

pytestmark = pytest.mark.e2e
WHOLE = {"beat", "claim", "view", "hud", "chat gpt-4o-mini", "apply", "letter"}


@asynccontextmanager
async def collector() -> AsyncIterator[tuple[str, list[Span]]]:
    """Open one; gives its address and what it was sent."""
    taken: list[Span] = []

    async def take(request: web.Request) -> web.Response:
        sent = ExportTraceServiceRequest.FromString(await request.read())
        taken.extend(span for of in sent.resource_spans for scope in of.scope_spans for span in scope.spans)
        return web.Response(content_type="application/x-protobuf")

    app = web.Application()
    app.router.add_post("/v1/traces", take)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        yield f"http://{host}:{port}", taken
    finally:
        await runner.cleanup()


async def test_the_spans_of_an_answer_reach_the_collector_in_one_trace_and_tell_no_words(tmp_path: Path) -> None:
    async with collector() as (url, taken):
        async with shared_home(tmp_path, SELFROOM_TRACES_URL=url) as cast:
            ledger = await cast.owner.channel("ledger")
            await cast.owner.answer_after(await cast.owner.say(ledger, "Ledger, add 2 and 3"))
        traces = {span.trace_id for span in taken if span.name == "letter"}
        whole = [span for span in taken if span.trace_id in traces]
        assert {span.name for span in whole} == WHOLE
        assert "add 2" not in str(taken) and "Ledger" not in str(taken)


async def test_a_collector_that_is_away_keeps_nobody_waiting(tmp_path: Path) -> None:
    async with shared_home(tmp_path, SELFROOM_TRACES_URL="http://127.0.0.1:9") as cast:
        ledger = await cast.owner.channel("ledger")
        await cast.owner.answer_after(await cast.owner.say(ledger, "Ledger, add 2 and 3"))
