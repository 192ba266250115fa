"""What a server and its models take is found out before they are asked, remembered, and found out when it changes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from bot.adapters.llm import openai_line
from bot.adapters.llm.communities import Providers
from bot.adapters.llm.ladder import Rung, Seen
from bot.adapters.llm.looks import Looks
from bot.adapters.llm.prices import SAFE_CONTEXT_TOKENS, Prices
from bot.adapters.llm.provider import Memory, Pace, Provider, ProviderOptions
from bot.core.errors import AskedAnew, ModelRefused, ModelUnreachable
from bot.core.models import Api
from bot.engine.purse import as_told
from bot.engine.timelines.chance import settle
from storage.store import SqlStore
from tests.adapters.llama import Llama, form_of, is_trial, llama
from tests.adapters.test_providers import call


@asynccontextmanager
async def asked_at(there: Llama, store: SqlStore, **options: Any) -> AsyncIterator[Providers]:  # noqa: ANN401
    """Ask as a program does that was started just now."""
    base: dict[str, Any] = {"name": "", "base_url": there.url, "api_key": "k", "api": "chat", "near": True}
    pace = Pace(retries=0, calls_at_once=options.pop("calls_at_once", None))
    one = ProviderOptions(**(base | options))
    providers = Providers({"": Provider(one, pace, memory=Memory(store=store, name="models"))}, Prices())
    try:
        yield providers
    finally:
        await providers.close()
        await settle()


@pytest.fixture
async def store() -> AsyncIterator[SqlStore]:
    async with await SqlStore.open("sqlite://") as opened:
        yield opened


async def ask(providers: Providers, **fields: Any) -> str:  # noqa: ANN401
    """Ask as the engine does: what was planned for another form is planned anew."""
    for _ in range(3):
        schema = call().schema if providers.takes_schema("tiny") else None
        try:
            return (await providers.answer(call(model="tiny", schema=schema, wants_json=True, **fields))).text
        except AskedAnew:
            continue
    raise AssertionError


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("refuses", [False, True])
@pytest.mark.parametrize(
    ("rung", "trials", "form"),
    [
        ("schema", ["json_schema"], "json_schema"),
        ("json", ["json_schema", "json_object"], "json_object"),
        ("words", ["json_schema", "json_object"], "none"),
    ],
)
async def test_how_far_a_model_is_held_to_a_form_is_found_out_before_it_is_asked(
    store: SqlStore, api: Api, rung: Rung, trials: list[str], form: str, *, refuses: bool
) -> None:
    async with llama(rung=rung, refuses=refuses) as there, asked_at(there, store, api=api) as providers:
        await ask(providers)
        await ask(providers)
        in_chat_as_well = ["json_schema"] if api == "responses" and rung != "schema" else []
        assert there.trials == in_chat_as_well + trials
        assert [form_of(one) for one in there.calls] == [form, form]


async def test_a_server_that_keeps_to_a_schema_in_chat_alone_is_asked_there(store: SqlStore) -> None:
    async with llama(only_in_chat=True) as there, asked_at(there, store, api="responses") as providers:
        await ask(providers)
    assert there.trials == ["json_schema", "json_schema"]
    (sent,) = there.calls
    assert "messages" in sent
    assert form_of(sent) == "json_schema"


async def test_a_server_without_chat_is_asked_in_the_next_form(store: SqlStore) -> None:
    async with llama(rung="json", has_chat=False) as there, asked_at(there, store, api="responses") as providers:
        await ask(providers)
    assert there.trials == ["json_schema", "json_object"]
    assert form_of(there.calls[-1]) == "json_object"


async def test_what_was_found_out_is_remembered_over_a_restart(store: SqlStore) -> None:
    async with llama(rung="words") as there:
        for _ in range(2):
            async with asked_at(there, store) as providers:
                await ask(providers)
        assert len(there.trials) == 2
        assert [form_of(one) for one in there.calls] == ["none", "none"]


@pytest.mark.parametrize("tells", [True, False])
async def test_another_model_behind_the_same_name_is_tried_anew(store: SqlStore, *, tells: bool) -> None:
    async with llama(rung="words", tells=tells) as there:
        async with asked_at(there, store) as providers:
            await ask(providers)
        there.model, there.rung = "/models/better.gguf", "schema"
        async with asked_at(there, store) as providers:
            await ask(providers)
        assert there.trials == ["json_schema", "json_object", "json_schema"]
        assert form_of(there.calls[-1]) == "json_schema"


async def test_what_was_found_out_with_one_key_is_not_taken_for_another(store: SqlStore) -> None:
    async with llama(rung="json") as there:
        async with asked_at(there, store, api_key="mine") as providers:
            await ask(providers)
        async with asked_at(there, store, api_key="yours") as providers:
            await ask(providers)
    assert there.trials == ["json_schema", "json_object"] * 2


@pytest.mark.parametrize("where", ["/props", "/v1/models"])
async def test_a_server_that_tells_of_itself_in_drips_is_asked_all_the_same(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setattr(openai_line, "LOOK_SECONDS", 0.3)
    async with llama(drips=where) as there, asked_at(there, store) as providers:
        assert await ask(providers)


async def test_after_a_failure_it_is_looked_who_answers_there_now(store: SqlStore) -> None:
    async with llama(rung="words") as there, asked_at(there, store) as providers:
        await ask(providers)
        there.down = True
        with pytest.raises(ModelUnreachable):
            await ask(providers)
        there.down, there.model, there.rung = False, "/models/better.gguf", "schema"
        await ask(providers)  # it was planned in words
        await ask(providers)
        assert form_of(there.calls[-1]) == "json_schema"


async def test_a_trial_is_paid_for_with_the_call_that_needed_it(store: SqlStore) -> None:
    async with llama() as there, asked_at(there, store) as providers:
        first = await providers.answer(call(model="tiny"))
        second = await providers.answer(call(model="tiny"))
        assert (first.usage.input_tokens, second.usage.input_tokens) == (100, 50)


@pytest.mark.parametrize("counts", [True, False])
async def test_nobody_knows_what_a_call_used_whose_trial_alone_was_counted(store: SqlStore, *, counts: bool) -> None:
    async with llama(counts=counts) as there, asked_at(there, store) as providers:
        given = await providers.answer(call(model="tiny"))
        assert (as_told(given.usage) is not None) is counts


async def test_a_trial_is_paid_for_though_its_call_was_refused(store: SqlStore) -> None:
    def no(_: object) -> str:
        raise web.HTTPBadRequest

    async with llama(says=no) as there, asked_at(there, store) as providers:
        with pytest.raises(ModelRefused) as caught:
            await providers.answer(call(model="tiny"))
        assert caught.value.usage is not None
        assert caught.value.usage.input_tokens == 50


async def test_what_was_put_otherwise_tells_what_it_used(store: SqlStore) -> None:
    async with llama(rung="json") as there, asked_at(there, store) as providers:
        with pytest.raises(AskedAnew) as caught:
            await providers.answer(call(model="tiny"))
        assert caught.value.usage is not None
        assert caught.value.usage.input_tokens == 100


async def test_a_server_is_asked_as_many_calls_at_once_as_it_has_places(store: SqlStore) -> None:
    for slots in (1, 3):
        async with llama(slots=slots) as there, asked_at(there, store) as providers:
            await ask(providers)
            await asyncio.gather(*(ask(providers) for _ in range(8)))
            assert there.most <= slots


async def test_how_many_calls_run_at_once_can_be_set_against_what_a_server_says(store: SqlStore) -> None:
    async with llama(slots=1) as there, asked_at(there, store, calls_at_once=4) as providers:
        await asyncio.gather(*(ask(providers) for _ in range(8)))
        assert there.most > 1


async def test_who_had_a_place_at_a_server_with_several_keeps_it(store: SqlStore) -> None:
    async with llama(slots=2) as there, asked_at(there, store) as providers:
        await ask(providers)
        for _ in range(2):
            await asyncio.gather(ask(providers, whose="wren"), ask(providers, whose="bolt"))
        places = [one["id_slot"] for one in there.calls[1:]]
        assert places[:2] == places[2:]
        assert set(places) == {0, 1}


async def test_no_place_is_named_that_a_server_does_not_have(store: SqlStore) -> None:
    async with llama(slots=2) as there, asked_at(there, store, calls_at_once=4) as providers:
        await asyncio.gather(*(ask(providers, whose=str(number)) for number in range(8)))
        assert there.most > 2
        assert {one["id_slot"] for one in there.calls if "id_slot" in one} <= {0, 1}


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("rung", ["schema", "json", "words"])
async def test_what_a_model_thinks_is_no_answer_in_words(store: SqlStore, api: Api, rung: Rung) -> None:
    async with llama(thoughts=300, rung=rung) as there, asked_at(there, store, api=api) as providers:
        for _ in range(2):
            assert "<think>" in await ask(providers)
        assert providers.thinks("tiny")
        forms = {"schema": "json_schema", "json": "json_object", "words": "none"}
        assert form_of(there.calls[-1]) == forms[rung]


async def test_a_model_that_is_seen_to_think_for_long_is_asked_again_with_room(store: SqlStore) -> None:
    async with llama() as there, asked_at(there, store) as providers:
        await ask(providers)
        there.thoughts = 5_000
        with pytest.raises(AskedAnew) as caught:
            await providers.answer(call(model="tiny"))
        assert caught.value.usage is not None and caught.value.usage.input_tokens == 50
        assert providers.thinks("tiny") and providers.takes_schema("tiny")


async def test_a_model_that_thinks_for_longer_than_it_may_write_is_asked_again_with_room(store: SqlStore) -> None:
    async with llama(thoughts=5_000) as there, asked_at(there, store) as providers:
        with pytest.raises(AskedAnew):
            await providers.answer(call(model="tiny"))
        assert providers.thinks("tiny") and providers.takes_schema("tiny")
        given = await providers.answer(call(model="tiny", answer_tokens=6_000))
        assert given.complete


async def test_a_server_that_takes_one_name_for_the_longest_answer_is_told_one(store: SqlStore) -> None:
    def says(body: Any) -> str:  # noqa: ANN401
        if "max_tokens" in body:
            raise web.HTTPBadRequest(text='{"error": {"message": "Unsupported", "param": "max_tokens"}}')
        return "{}"

    async with llama(says=says) as there, asked_at(there, store) as providers:
        await ask(providers)
        assert [one.get("max_tokens") for one in there.calls] == [500, None]
        assert {one["max_completion_tokens"] for one in there.calls} == {500}


async def test_a_server_with_one_place_or_none_is_told_no_place(store: SqlStore) -> None:
    for fields in ({"slots": 1}, {"tells": False}):
        async with llama(**fields) as there, asked_at(there, store) as providers:
            await ask(providers, whose="wren")
            assert not any("id_slot" in one for one in there.asked)


async def test_what_a_server_holds_is_its_models_limit_from_the_first_look_on(store: SqlStore) -> None:
    async with llama(context=600) as there, asked_at(there, store) as providers:
        assert providers.context_tokens("tiny") == SAFE_CONTEXT_TOKENS
        with pytest.raises(AskedAnew):
            await providers.answer(call(model="tiny", input="many words " * 200))
        assert providers.context_tokens("tiny") == 600


@asynccontextmanager
async def two_at(there: Llama, store: SqlStore) -> AsyncIterator[tuple[Providers, Providers]]:
    """Two communities that share one of the installation's servers."""
    async with asked_at(there, store) as one:
        mine, yours = (Providers(one._providers, Prices(), whose=whose) for whose in ("1", "2"))
        yield mine, yours


async def test_what_the_server_refuses_one_community_is_asked_of_it_for_another(store: SqlStore) -> None:
    async with llama(cool=False, tells=False) as there, two_at(there, store) as (mine, yours):
        await mine.answer(call(model="tiny", schema=None))
        assert not mine.takes_temperature("tiny")
        assert yours.takes_temperature("tiny")


async def test_answers_in_words_to_one_community_leave_another_its_schema(store: SqlStore) -> None:
    async with llama(says=lambda _: "Whatever you say.") as there, two_at(there, store) as (mine, yours):
        await mine.answer(call(model="tiny"))
        assert not mine.takes_schema("tiny")
        assert yours.takes_schema("tiny")


async def test_a_model_that_is_found_out_slowly_holds_up_no_call_for_another(store: SqlStore) -> None:
    async with llama(slots=4, slow=asyncio.Event()) as there, two_at(there, store) as (mine, yours):
        assert there.slow is not None
        slow = asyncio.create_task(mine.answer(call(model="slow")))
        while not there.asked:
            await settle()
        async with asyncio.timeout(5):
            await yours.answer(call(model="tiny"))
        assert not slow.done()
        there.slow.set()
        await slow


async def test_a_failing_model_makes_nothing_unknown_of_others(store: SqlStore) -> None:
    async with llama(rung="words", tells=False) as there, two_at(there, store) as (mine, yours):
        await ask(yours)
        there.fails = "bad"
        for _ in range(2):
            with pytest.raises(ModelUnreachable):
                await mine.answer(call(model="bad"))
        await ask(yours)
        assert [one["model"] for one in there.asked if is_trial(one)] == ["tiny", "tiny"]


async def test_what_one_model_of_a_server_holds_is_no_limit_of_another(store: SqlStore) -> None:
    async with llama(tells=False, holds={"tiny": 600, "large": 9_000}) as there, asked_at(there, store) as providers:
        await providers.answer(call(model="large"))
        with pytest.raises(AskedAnew):
            await providers.answer(call(model="tiny", input="many words " * 200))
        assert (providers.context_tokens("large"), providers.context_tokens("tiny")) == (9_000, 600)


async def test_what_is_found_out_for_all_counts_for_who_learned_something_of_their_own(store: SqlStore) -> None:
    async with (
        llama(cool=False, only_in_chat=True) as there,
        asked_at(there, store, api="responses") as one,
    ):
        mine = Providers(one._providers, Prices(), whose="1")
        await mine.answer(call(model="tiny", schema=None))  # its temperature is refused before anything is tried
        await ask(mine)
        assert form_of(there.calls[-1]) == "json_schema"
        assert "messages" in there.calls[-1]  # in Chat Completions, where alone it is held to a schema
        assert not mine.takes_temperature("tiny")


def test_of_a_server_is_not_kept_for_each_model_which_others_it_has() -> None:
    """A list of a megabyte, for each of two hundred models, is more than any server may take."""
    looks = Looks()
    looks.keep("a-model", Seen(places=3, names=("x" * 1_000_000,)))
    assert looks.of("a-model") == Seen(places=3)
