"""Claude and Gemini by their vendors' own libraries: what is asked, and what is made of whatever comes back."""

import json
import threading
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from decimal import Decimal
from itertools import pairwise
from typing import Any

import httpx2
import pytest

from bot.adapters.llm.claude import MOST_KEPT, Beginnings
from bot.adapters.llm.communities import Providers
from bot.adapters.llm.prices import Prices
from bot.adapters.llm.provider import Pace, Provider, ProviderOptions
from bot.core.errors import AskedAnew, ModelBusy, ModelError, ModelRefused, ModelUnreachable
from bot.core.models import ModelAnswer, ModelCall
from bot.core.records import Json
from bot.core.schema import LeanForm, answer_schema
from bot.engine.purse import as_told
from bot.engine.timelines.chance import settle
from tests.adapters.test_providers import SCHEMA, call
from tests.adapters.vendors import OURS, Anthropic, Google, running
from tests.engine.hearts import answer, asked, hearts
from tests.fakes import ScriptedModel

pytestmark = pytest.mark.together  # by the vendors' libraries, which take a second each to load
SONNET, FLASH = "claude/claude-sonnet-4-6", "gemini/gemini-2.5-flash"
PICTURE = "data:image/png;base64,YSBjYXQ="


@asynccontextmanager
async def claude(key: str = OURS, **fields: Any) -> AsyncIterator[tuple[Providers, Anthropic]]:  # noqa: ANN401
    there = Anthropic(**fields)
    async with running(there) as url:
        options = ProviderOptions(name="claude", base_url=url, api_key=key, api="anthropic", near=True)
        providers = Providers({"claude": Provider(options, Pace(retries=2))}, Prices())
        yield providers, there
        await providers.close()
        await settle()


@asynccontextmanager
async def gemini(key: str = OURS, **fields: Any) -> AsyncIterator[tuple[Providers, Google]]:  # noqa: ANN401
    there = Google(**fields)
    async with running(there) as url:
        options = ProviderOptions(name="gemini", base_url=url, api_key=key, api="gemini", near=True)
        providers = Providers({"gemini": Provider(options, Pace(retries=2))}, Prices())
        yield providers, there
        await providers.close()
        await settle()


async def test_claude_is_held_to_the_schema_with_a_mark_where_the_constant_part_ends() -> None:
    async with claude() as (providers, there):
        assert not providers.takes_temperature(SONNET)
        given = await providers.answer(call(model=SONNET))
        (sent,) = there.bodies
    assert (given.text, given.complete) == ('{"responses": []}', True)
    assert sent["model"] == "claude-sonnet-4-6"
    assert sent["system"] == [{"type": "text", "text": "You are here.", "cache_control": {"type": "ephemeral"}}]
    assert sent["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}}
    assert sent["max_tokens"] == 500
    assert not {"thinking", "temperature"} & set(sent)


async def test_what_claude_thinks_is_neither_kept_nor_posted() -> None:
    thought = {"type": "thinking", "thinking": "They want the secret."}
    async with claude(answer=[thought, {"type": "text", "text": "Hello."}]) as (providers, _):
        assert (await providers.answer(call(model=SONNET, schema=None))).text == "Hello."


async def test_a_claude_that_takes_no_such_schema_is_asked_for_json_by_a_tool() -> None:
    def refuses(body: dict[str, Any]) -> str:
        return "output_config.format.schema: Schema is too complex." if "output_config" in body else ""

    tool = {"type": "tool_use", "input": {"responses": []}}
    async with claude(refuses=refuses, answer=[tool], stop_reason="tool_use") as (providers, there):
        with pytest.raises(AskedAnew):
            await providers.answer(call(model=SONNET))
        assert not providers.takes_schema(SONNET)
        given = await providers.answer(call(model=SONNET, schema=None, wants_json=True))
        assert (json.loads(given.text), given.complete) == ({"responses": []}, True)
        assert there.bodies[-1]["tool_choice"] == {"type": "tool", "name": "answer"}


@pytest.mark.parametrize(
    "said", ["Schema is too complex for compilation.", "too many parameters with union types (27)"]
)
async def test_that_somebody_spoke_of_it_hides_no_refusal_of_a_schema(said: str) -> None:
    async with claude(refuses=lambda body: said if "output_config" in body else "") as (providers, _):
        with pytest.raises(AskedAnew):
            await providers.answer(call(model=SONNET, input="[3 10:31] @mira: what is a schema, and a format?"))
        assert not providers.takes_schema(SONNET)


LEAN_FORM = LeanForm(actions=("set", "recall", "more"), in_one_room=True)


@pytest.mark.parametrize(
    "schema",
    [
        *(answer_schema(alone=alone, emotions=emotions) for alone in (True, False) for emotions in (True, False)),
        answer_schema(lean=LEAN_FORM),
    ],
)
async def test_claude_takes_the_schema_of_every_view(schema: dict[str, Json]) -> None:
    async with claude() as (providers, there):
        await providers.answer(call(model=SONNET, schema=schema))
        assert "output_config" in there.bodies[0] and providers.takes_schema(SONNET)


@pytest.mark.parametrize(("reason", "complete"), [("max_tokens", False), ("end_turn", True), ("pause_turn", False)])
async def test_why_claude_stopped_tells_whether_the_answer_is_whole(reason: str, *, complete: bool) -> None:
    async with claude(stop_reason=reason) as (providers, _):
        assert (await providers.answer(call(model=SONNET))).complete is complete


async def test_a_claude_that_declines_says_why_and_what_it_used() -> None:
    async with claude(stop_reason="refusal", explanation="This could harm somebody.") as (providers, _):
        with pytest.raises(ModelRefused, match="declined to answer: This could harm somebody") as caught:
            await providers.answer(call(model=SONNET))
    assert caught.value.usage is not None
    assert caught.value.usage.output_tokens == 20


@pytest.mark.parametrize(
    ("problem", "error", "words"),
    [
        ((429, "rate_limit_error", "slowly"), ModelBusy, "asked too often"),
        ((529, "overloaded_error", "Overloaded"), ModelBusy, "too much to do"),
        ((500, "api_error", "oh"), ModelUnreachable, "has a fault"),
        ((404, "not_found_error", "model: claude-9"), ModelRefused, "has no model"),
        ((400, "invalid_request_error", "Your credit balance is too low"), ModelRefused, "no credit left"),
        ((400, "invalid_request_error", "prompt is too long"), ModelRefused, "prompt is too long"),
    ],
)
async def test_claudes_faults_are_ours_and_nothing_is_sent_twice(
    problem: tuple[int, str, str], error: type[ModelError], words: str
) -> None:
    async with claude(problem=problem) as (providers, there):
        with pytest.raises(error, match=words) as caught:
            await providers.answer(call(model=SONNET))
        assert len(there.bodies) == 1
    if error is ModelBusy:
        assert caught.value.retry_after_seconds == 7


async def test_a_claude_that_is_overloaded_in_the_middle_gives_what_it_wrote() -> None:
    async with claude(answer=[{"type": "text", "text": "One. Two"}], breaks=("overloaded_error", "Overloaded")) as (
        providers,
        there,
    ):
        given = await providers.answer(call(model=SONNET))
        assert (given.text, given.complete) == ("One. Two", False)
        assert as_told(given.usage) is None  # what it wrote was not counted yet: all that was set aside counts
        there.answer = []
        there.answer.append({"type": "text", "text": ""})
        with pytest.raises(ModelBusy, match="too much to do"):
            await providers.answer(call(model=SONNET))


@pytest.mark.parametrize(("opened", "model", "name"), [(claude, SONNET, "ANTHROPIC"), (gemini, FLASH, "GEMINI")])
async def test_a_wrong_key_is_said_with_where_it_is(opened: Any, model: str, name: str) -> None:  # noqa: ANN401
    async with opened(key="sk-wrong") as (providers, _):
        with pytest.raises(ModelRefused, match=f"does not take the key: check {name}_API_KEY"):
            await providers.answer(call(model=model))


@pytest.mark.parametrize("api", ["anthropic", "gemini"])
async def test_where_nobody_listens_is_said_with_the_address(api: Any) -> None:  # noqa: ANN401
    options = ProviderOptions(name="", base_url="http://127.0.0.1:9", api_key="k", api=api)
    providers = Providers({"": Provider(options, Pace(retries=0))}, Prices())
    with pytest.raises(ModelUnreachable, match=r"No model answers at http://127\.0\.0\.1:9") as caught:
        await providers.answer(call())
    assert caught.value.usage is not None
    await providers.close()


@pytest.mark.parametrize("api", ["anthropic", "gemini", "chat", "responses"])
async def test_a_communitys_server_is_sent_its_own_key_and_nothing_of_the_installations(
    api: Any,  # noqa: ANN401
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for vendor in ("ANTHROPIC", "OPENAI"):
        said = "\n".join(f"{name}: of-the-house" for name in ("Authorization", "X-Team", "User-Agent", "X-Api-Key"))
        monkeypatch.setenv(f"{vendor}_CUSTOM_HEADERS", said)
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GOOGLE_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "of-the-house")
    sent: list[httpx2.Headers] = []

    def noted(request: httpx2.Request) -> httpx2.Response:
        sent.append(request.headers)
        return httpx2.Response(401, json={"error": {"message": "no"}})

    options = ProviderOptions(name="", base_url="https://den.example", api_key=OURS, api=api, own=True)
    provider = Provider(options, Pace(retries=0), transport=httpx2.MockTransport(noted))
    with pytest.raises(ModelRefused, match="does not take the key"):
        await provider.answer("a-model", call())
    await provider.close()
    assert sent and all(OURS in str(one.raw) and "of-the-house" not in str(one.raw) for one in sent)


async def test_geminis_client_is_made_beside_everything_else_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """To read certificates takes a tenth of a second, for which nobody else had a turn."""
    from google.genai import Client

    made, real = list[bool](), Client.__init__

    def noted(client: Client, **fields: Any) -> None:  # noqa: ANN401
        made.append(threading.current_thread() is threading.main_thread())
        real(client, **fields)

    monkeypatch.setattr(Client, "__init__", noted)
    async with gemini() as (providers, _):
        for _ in range(2):
            await providers.answer(call(model=FLASH))
    assert made == [False]


async def test_gemini_is_held_to_the_schema_and_its_thoughts_are_dropped() -> None:
    parts = [{"text": "They want the secret.", "thought": True}, {"text": '{"respon'}, {"text": 'ses": []}'}]
    async with gemini(parts=parts) as (providers, there):
        given = await providers.answer(call(model=FLASH, images=(PICTURE,)))
        (sent,) = there.bodies
    assert (given.text, given.complete, given.response_id) == ('{"responses": []}', True, "resp-1")
    assert there.paths[0].endswith("models/gemini-2.5-flash:streamGenerateContent")
    assert sent["systemInstruction"]["parts"][0]["text"] == "You are here."
    config = sent["generationConfig"]
    assert (config["responseMimeType"], config["responseJsonSchema"]) == ("application/json", SCHEMA)
    assert (config["maxOutputTokens"], config["temperature"]) == (500, 0.5)
    words, picture = sent["contents"][0]["parts"]
    assert (words["text"], picture["inlineData"]["data"]) == ("What now?", "YSBjYXQ=")
    used = given.usage
    assert (used.input_tokens, used.cached_tokens, used.output_tokens) == (2_000, 1_500, 50)
    assert used.cost_usd > Decimal(0)


@pytest.mark.parametrize(
    ("fields", "words"), [({"finish": "SAFETY"}, "safety"), ({"blocked": "PROHIBITED_CONTENT"}, "prohibited_content")]
)
async def test_a_gemini_that_declines_says_why(fields: dict[str, Any], words: str) -> None:
    async with gemini(**fields) as (providers, _):
        with pytest.raises(ModelRefused, match=words):
            await providers.answer(call(model=FLASH))


async def test_a_gemini_that_is_cut_off_gives_what_it_wrote() -> None:
    async with gemini(finish="MAX_TOKENS", parts=[{"text": "One. Two"}]) as (providers, _):
        given = await providers.answer(call(model=FLASH, schema=None))
    assert (given.text, given.complete) == ("One. Two", False)


@pytest.mark.parametrize(
    ("problem", "error", "words"),
    [
        ((429, "RESOURCE_EXHAUSTED", "quota"), ModelBusy, "asked too often"),
        ((503, "UNAVAILABLE", "The model is overloaded."), ModelBusy, "too much to do"),
        ((500, "INTERNAL", "oh"), ModelUnreachable, "has a fault"),
        ((404, "NOT_FOUND", "models/x is not found"), ModelRefused, "has no model"),
        ((403, "PERMISSION_DENIED", "no"), ModelRefused, "does not take the key"),
    ],
)
async def test_geminis_faults_are_ours_and_nothing_is_sent_twice(
    problem: tuple[int, str, str], error: type[ModelError], words: str
) -> None:
    async with gemini(problem=problem) as (providers, there):
        with pytest.raises(error, match=words) as caught:
            await providers.answer(call(model=FLASH))
        assert len(there.bodies) == 1
    assert caught.value.retry_after_seconds == (35 if problem[0] == 429 else None)


async def test_a_gemini_that_takes_no_such_schema_is_asked_for_json() -> None:
    def refuses(body: dict[str, Any]) -> str:
        return "The specified schema is too complex" if "responseJsonSchema" in body["generationConfig"] else ""

    async with gemini(refuses=refuses) as (providers, there):
        with pytest.raises(AskedAnew):
            await providers.answer(call(model=FLASH))
        await providers.answer(call(model=FLASH, schema=None, wants_json=True))
        assert there.bodies[-1]["generationConfig"]["responseMimeType"] == "application/json"


async def pieces(body: str) -> AsyncIterator[bytes]:
    """Give a body as it comes over a line, not at once."""
    yield body[:100].encode()
    yield body[100:].encode()


WIDE = '{"candidates":[' + "{}," * 100_000 + "{}]}"
MANY_PARTS = json.dumps({"candidates": [{"content": {"parts": [{"text": "a"}] * 900}}]})
UNKNOWN = json.dumps({"candidates": [{"finishReason": f"OF-ITS-OWN-{n}"} for n in range(900)]})
BLOCKED = json.dumps({"promptFeedback": {"blockReason": "OF-ITS-OWN"}})


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (f"data: {{}}\n{WIDE}\n\n", "text/event-stream"),
        (WIDE, "text/event-stream"),
        (f"{WIDE}\n\n", "text/event-stream"),
        (f"data: {MANY_PARTS}\n\n", "text/event-stream"),
        (f"data: {UNKNOWN}\n\n", "text/event-stream"),
        (f"data: {BLOCKED}\n\n", "text/event-stream"),
        (MANY_PARTS, "application/json"),
    ],
    ids=["beside the data", "alone", "with an end", "many parts", "unknown reasons", "unknown blocks", "no events"],
)
async def test_googles_library_makes_nothing_of_what_is_not_read(
    body: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It took ten seconds on the loop for the first of these, and kept each unknown reason for ever."""
    from google.genai.types import GenerateContentResponse

    seen, real = list[int](), GenerateContentResponse._from_response

    def noted(**given: Any) -> GenerateContentResponse:  # noqa: ANN401
        seen.append(len(json.dumps(given["response"], default=str)))
        return real(**given)

    monkeypatch.setattr(GenerateContentResponse, "_from_response", noted)
    told = httpx2.Response(200, content=pieces(body), headers={"Content-Type": kind})
    answers = httpx2.MockTransport(lambda _: told)
    options = ProviderOptions(name="", base_url="https://den.example", api_key=OURS, api="gemini", own=True)
    provider = Provider(options, Pace(retries=0), transport=answers)
    with suppress(ModelError), warnings.catch_warnings():
        warnings.simplefilter("error")
        await provider.answer("a-model", call())
    await provider.close()
    assert max(seen, default=0) < 2_000


def test_both_vendors_have_prices() -> None:
    prices = Prices()
    assert prices.knows(SONNET) and prices.knows(FLASH)
    assert prices.context_tokens(SONNET) >= 200_000


def test_the_ends_of_what_stays_the_same_stay_where_they_are() -> None:
    kept = Beginnings()
    log = [
        f"[{number}] @mira: line number {number} of a long afternoon by the sea, and of nothing else\n"
        for number in range(60)
    ]
    ends: list[list[int]] = []
    for until in range(10, 60, 10):
        ends.append(kept.ends("wren", "".join(log[:until]) + "NOW: 12:00\n" + str(until)))
    assert ends[0] == []
    for before, after in pairwise(ends):
        assert after[: len(before)] == before
        assert len(after) == len(before) + 1
    assert kept.ends("bolt", "".join(log)) == []


def test_of_what_was_read_before_no_more_is_kept_than_memory_has_room_for() -> None:
    """A server chooses how much its agents see, and each server may have a provider of its own."""
    kept = Beginnings()
    for number in range(40):
        kept.ends(f"asker {number}", f"{number}\n" + "x" * 1_000_000)
    assert sum(len(text) for text, _ in kept._last.values()) <= MOST_KEPT
    assert not kept.ends("asker 39", "39\n" + "x" * 1_000_000 + "\nmore")
    assert kept.ends("asker 39", "39\n" + "x" * 1_000_000 + "\nmore\nand more") == [1_000_004]


class Native(ScriptedModel):
    """Asks a double through the real client."""

    def __init__(self, providers: Providers, there: Anthropic) -> None:
        super().__init__()
        self.providers = providers
        self.there = there

    async def answer(self, call: ModelCall) -> ModelAnswer:
        said = answer({id: [(1, f"Well, number {len(self.calls)}, and so on.")] for id in asked(call)})
        self.calls.append(call)
        self.there.answer = [{"type": "text", "text": said}]
        return await self.providers.answer(call)


class Thinking(ScriptedModel):
    """Asks Google's double, which thinks for long, through the real client."""

    def __init__(self, providers: Providers) -> None:
        super().__init__()
        self.providers = providers

    def thinks(self, model: str) -> bool:
        return self.providers.thinks(model)

    async def answer(self, call: ModelCall) -> ModelAnswer:
        return await self.providers.answer(call)


async def test_a_gemini_that_thinks_has_room_for_its_answer() -> None:
    said = answer({1: [(1, "Good evening, mira.")]})
    async with (
        gemini(thoughts=2_000, parts=[{"text": said}]) as (providers, there),
        hearts(1, model=Thinking(providers), llm=FLASH) as home,
    ):
        await home.hear("good evening")
        await home.run(20)
        assert ("1", "Good evening, mira.") in await home.lines()
        assert len(there.bodies) == 1


@pytest.mark.parametrize(
    ("model", "thinks"),
    [
        (FLASH, True),
        ("gemini/gemini-3-pro-preview", True),
        ("gemini/gemini-2.0-flash", False),
        ("gemini/gemini-2.5-flash-lite", False),
    ],
)
async def test_which_geminis_think(model: str, *, thinks: bool) -> None:
    async with gemini() as (providers, _):
        assert providers.thinks(model) is thinks


@pytest.mark.slow
async def test_most_of_what_claude_reads_in_a_talk_comes_from_its_cache() -> None:
    async with claude() as (providers, there), hearts(1, model=Native(providers, there), llm=SONNET) as home:
        for number in range(30):
            await home.hear(f"This is thing number {number} that I tell you about my boat, the sea and the weather.")
            await home.run(20)
        talk = there.usages[2:]
        read = sum(one["cache_read_input_tokens"] for one in talk)
        fresh = sum(one["input_tokens"] + one["cache_creation_input_tokens"] for one in talk)
        assert len(talk) >= 25
        assert read / (read + fresh) >= 0.8
        beat = await home.last_beat()
        assert beat is not None and beat.usage.cached_tokens > 0
