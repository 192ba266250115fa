"""A community that may ask no model rests and says why, once; a manager brings a provider, and nothing was lost."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from bot.core.actions import CreateAgent
from bot.core.changes import SetOverride
from bot.core.config import CommunityConfig, Manner
from bot.core.errors import ModelRefused, ModelUnreachable, Rejected, TooMuch
from bot.core.kinds import Detail
from bot.core.models import ModelAnswer, ModelCall, OwnProvider
from bot.core.records import Snowflake, Usage
from bot.engine.front_desk import FrontDesk, Office
from bot.engine.front_desk.providers import MOST_TRIALS
from bot.engine.performer import Performer
from bot.engine.summaries import Summaries
from bot.engine.trial.card import Card
from bot.engine.trial.running import unheard
from bot.engine.trial.situations import SITUATIONS
from tests.engine.hearts import Hearts, answer, hearts
from tests.engine.town import until
from tests.engine.trial.test_running import Reads, in_memory
from tests.factories import GUILD_ID, person
from tests.fakes import START, DrippingModel, PlainCipher, ScriptedModel, SeededRandom, WordTokenizer

WHY = "This server has no model provider yet: somebody who may manage it sets one up with `/setup provider`."
OFFICE = Snowflake(7_000_000_000_000_009)
BOSS = person("boss", 900, is_architect=True)
OURS = OwnProvider(base_url="https://models.example/v1/", api="chat")


@dataclass
class Choosy(ScriptedModel):
    """Serves a community only while nothing is missing, and tries what it is asked to."""

    def __init__(self, *script: Any) -> None:  # noqa: ANN401
        super().__init__(script)
        self.tried: list[tuple[OwnProvider, str]] = []
        self.refused: ModelRefused | None = None
        self.drips = False

    @asynccontextmanager
    async def trial(self, provider: OwnProvider, key: str) -> AsyncIterator[ScriptedModel]:
        self.tried.append((provider, key))
        yield DrippingModel() if self.drips else ScriptedModel([self.refused or "ok"])


def front_desk(home: Hearts) -> FrontDesk:
    performer = Performer(cipher=PlainCipher(), tokenizer=WordTokenizer())
    return FrontDesk(
        Office(
            home.store,
            performer,
            home.clock,
            SeededRandom(1),
            on_done=home.delivery.wake,
            cipher=PlainCipher(),
            models=home.model,
        )
    )


async def said(home: Hearts, channel: int) -> list[str]:
    return [str(done[-1]) for done in home.publisher.done if done[0] == "notify" and done[1] == channel]


def room(id: int) -> int:
    return 7_000_000_000_000_000 + id


@asynccontextmanager
async def poor(agents: int = 2, *script: Any, **fields: Any) -> AsyncIterator[Hearts]:  # noqa: ANN401
    config = CommunityConfig(managers_channel_id=OFFICE, **fields)
    model = Choosy(*script)
    model.missing = WHY
    async with hearts(agents, config=config, model=model, together=False) as home:
        yield home


def model_of(home: Hearts) -> Choosy:
    assert isinstance(home.model, Choosy)
    return home.model


async def kept(home: Hearts) -> OwnProvider | None:
    async with home.store.reading() as read:
        return await read.providers.of(home.community_id)


async def test_each_room_says_it_once_and_the_managers_hear_it_once() -> None:
    async with poor() as home:
        for number in range(3):
            await home.hear(f"hello, number {number}", room_id=1)
            await home.run(5)
        await home.hear("hello there", room_id=2)
        await home.run(3_600)
        assert await said(home, room(1)) == [WHY]
        assert await said(home, room(2)) == [WHY]
        assert await said(home, OFFICE) == [WHY]
        assert home.model.calls == []


async def test_talk_that_addresses_nobody_is_let_go_in_silence() -> None:
    async with poor(1) as home:
        await home.hear("good day", who="mira", id=501)
        await home.run(5)
        told = await said(home, room(1))
        await home.hear("oh, hello Mira", who="rob", id=502)
        await home.run(3_600)
        assert await said(home, room(1)) == told


async def test_what_waited_is_answered_as_soon_as_a_provider_is_brought() -> None:
    async with poor(1, answer({1: [(1, "Here I am.")]})) as home:
        await home.hear("hello, is anybody there?")
        await home.run(65)
        model_of(home).missing = ""
        told = await front_desk(home).providers.bring(GUILD_ID, BOSS, OURS, key=" sk-1 ", model="llama3")
        assert told.startswith("llama3 answers in")
        await home.run(5)
        assert ("1", "Here I am.") in await home.lines()


async def test_without_a_word_from_managers_it_looks_again_by_itself() -> None:
    async with poor(1, answer({1: [(1, "Here I am.")]})) as home:
        await home.hear("hello, is anybody there?")
        await home.run(65)
        model_of(home).missing = ""  # whoever runs Selfroom pays for it now
        await home.run(600)
        assert ("1", "Here I am.") in await home.lines()


async def test_summaries_rest_as_well() -> None:
    async with poor(1, "Goal: a feast", summary_tokens=500) as home:
        config = CommunityConfig(summary_tokens=500)
        summaries = Summaries(home.store, home.model, home.clock, home.metrics, config=config)
        for number in range(40):
            await home.hear(f"line {number} of a long talk about the summer feast by the sea", who="rob", id=502)
        for _ in range(3):
            await home.clock.advance(61)
            await summaries.run()
            await summaries.settled()
        assert home.model.calls == []
        model_of(home).missing = ""
        await home.clock.advance(700)
        await summaries.run()
        await summaries.settled()
        assert len(home.model.calls) == 1


async def test_a_provider_is_tried_then_sealed_and_the_audit_knows_no_key() -> None:
    async with poor(1) as home:
        desk = front_desk(home)
        told = await desk.providers.bring(GUILD_ID, BOSS, OURS, key=" sk-sesame ", model="llama3")
        assert model_of(home).tried == [(OwnProvider(base_url="https://models.example/v1", api="chat"), "sk-sesame")]
        found = await kept(home)
        assert found is not None
        assert PlainCipher().decrypt(found.sealed_key) == "sk-sesame"
        assert b"sk-sesame" not in found.sealed_key
        assert "Agents that use other models (gpt-4o-mini) keep them" in told
        assert (await desk.community.settings(GUILD_ID))[1].model == "llama3"
        audit = [one.what for one in await desk.community.audit_log(GUILD_ID, BOSS)]
        assert audit == ["The server's own model provider is set (https://scripted.example/v1, chat)."]
        assert "sesame" not in told


async def test_what_does_not_answer_is_not_kept() -> None:
    async with poor(1) as home:
        model_of(home).refused = ModelRefused("The provider does not take the key.")
        desk = front_desk(home)
        with pytest.raises(ModelRefused, match="does not take the key"):
            await desk.providers.bring(GUILD_ID, BOSS, OURS, key="sk-1", model="llama3")
        assert await kept(home) is None
        assert await desk.community.audit_log(GUILD_ID, BOSS) == []
        assert (await desk.community.settings(GUILD_ID))[1].model == "gpt-4o-mini"


async def in_vain(home: Hearts, trial: Coroutine[Any, Any, object], seconds: float) -> None:
    """Wait for a trial that is given up after so long."""
    task = asyncio.ensure_future(trial)
    await until(lambda: home.clock.sleeping)
    await home.clock.advance(seconds - 1)
    assert not task.done()
    await home.clock.advance(2)
    with pytest.raises(ModelUnreachable, match=f"did not answer within {seconds:.0f} s: try again"):
        await task


async def test_a_provider_that_never_ends_its_answer_is_given_up_when_it_is_tried() -> None:
    async with poor(1) as home:
        model_of(home).drips = True
        await in_vain(home, front_desk(home).providers.bring(GUILD_ID, BOSS, OURS, key="sk-1", model="llama3"), 90)
        assert await kept(home) is None


async def test_a_model_that_never_ends_its_answer_is_given_up_and_what_was_set_aside_counts() -> None:
    async with hearts(1, model=DrippingModel()) as home:
        await in_vain(home, front_desk(home).providers.try_model(GUILD_ID, BOSS, "gpt-4o"), 90)
        await in_vain(home, front_desk(home).providers.try_moderation(GUILD_ID, BOSS, "omni-moderation-latest"), 60)
        async with home.store.reading() as read:
            usd, _ = await read.money.spent(home.community_id, home.clock.now().date())
        assert usd > 0


@pytest.mark.parametrize(
    ("provider", "key", "model", "why"),
    [
        (OURS, "sk-1", " ", "Name a model"),
        (OURS, "sk 1", "llama3", "no spaces"),
        (OURS, "sk-1\nsk-2", "llama3", "no spaces"),
        (OURS, "schlüssel", "llama3", "no spaces"),
        (OURS, "k" * 501, "llama3", "no spaces"),
        (OwnProvider(base_url=None, api="responses"), "", "gpt-4o-mini", "the vendor answers nobody"),
        (OwnProvider(base_url=None, api="responses", prefix="a b"), "sk-1", "gpt-4o-mini", "A prefix has"),
        (replace(OURS, calls_at_once=0), "sk-1", "llama3", "1 to 32 calls at once"),
        (replace(OURS, calls_at_once=33), "sk-1", "llama3", "1 to 32 calls at once"),
    ],
)
async def test_what_cannot_be_right_is_refused_unasked(provider: OwnProvider, key: str, model: str, why: str) -> None:
    async with poor(1) as home:
        with pytest.raises(Rejected, match=why):
            await front_desk(home).providers.bring(GUILD_ID, BOSS, provider, key=key, model=model)
        assert model_of(home).tried == []


async def test_only_managers_bring_and_remove() -> None:
    async with poor(1) as home:
        desk = front_desk(home)
        with pytest.raises(Rejected, match="Only people who may manage"):
            await desk.providers.bring(GUILD_ID, person(), OURS, key="sk-1", model="llama3")
        await desk.providers.bring(GUILD_ID, BOSS, OURS, key="sk-1", model="llama3")
        with pytest.raises(Rejected, match="Only people who may manage"):
            await desk.providers.remove(GUILD_ID, person())
        assert WHY in await desk.providers.remove(GUILD_ID, BOSS)
        assert await kept(home) is None
        with pytest.raises(Rejected, match="nothing has changed"):
            await desk.providers.remove(GUILD_ID, BOSS)


async def test_the_rooms_say_it_again_after_a_removal() -> None:
    async with poor(1, answer({1: [(1, "Here.")]})) as home:
        await home.hear("hello?")
        await home.run(5)
        desk = front_desk(home)
        await desk.providers.bring(GUILD_ID, BOSS, OURS, key="sk-1", model="llama3")
        await desk.providers.remove(GUILD_ID, BOSS)
        await home.hear("and now?")
        await home.run(60)
        assert await said(home, room(1)) == [WHY, WHY]


async def test_ones_own_models_are_not_held_to_the_installations_list() -> None:
    async with poor(1, allowed_models=("gpt-4o-mini",)) as home:
        desk, made = front_desk(home), CreateAgent(name="Own", background_prompt="You are Own.", model="mistral")
        with pytest.raises(Rejected, match="does not allow the model mistral"):
            await desk.actions.take(GUILD_ID, BOSS, made)
        await desk.providers.bring(GUILD_ID, BOSS, OURS, key="sk-1", model="llama3")
        await desk.actions.take(GUILD_ID, BOSS, made)
        await home.apply(SetOverride(name="allowed_models", value=["llama3"]))
        another = CreateAgent(name="More", background_prompt="You are More.", model="mistral")
        with pytest.raises(Rejected, match="choose one of llama3"):
            await desk.actions.take(GUILD_ID, BOSS, another)


def found(calls: int, model: str = "llama3") -> Card:
    return Card(model=model, at=START, manner=Manner(detail=Detail.LEAN), calls_at_once=calls)


async def test_a_server_of_ones_own_is_asked_so_much_at_once_as_its_trial_found_best() -> None:
    async with poor(1) as home:
        desk = front_desk(home)
        await desk.providers.bring(GUILD_ID, BOSS, OURS, key="sk-1", model="llama3")
        model_of(home).own = {"llama3"}
        for calls, told, set_to in ((1, "1 call at a time", 1), (8, "as it turns out to do", None)):
            assert told in await desk.trials.keep(GUILD_ID, BOSS, found(calls))
            own = await kept(home)
            assert own is not None and own.calls_at_once == set_to
            assert PlainCipher().decrypt(own.sealed_key) == "sk-1"
        assert (await desk.community.settings(GUILD_ID))[1].manner("llama3").detail is Detail.LEAN
        audit = [one.what for one in await desk.community.audit_log(GUILD_ID, BOSS)]
        assert "The server's own model provider: It is asked 1 call at a time." in audit


async def test_how_much_is_asked_at_once_of_the_installations_server_is_not_for_managers_to_set() -> None:
    async with poor(1) as home:
        desk = front_desk(home)
        assert "set by whoever runs Selfroom" in await desk.trials.keep(GUILD_ID, BOSS, found(1))
        await desk.providers.bring(GUILD_ID, BOSS, OURS, key="sk-1", model="ours/llama3")
        model_of(home).own = {"ours/llama3"}
        assert "set by whoever runs Selfroom" in await desk.trials.keep(GUILD_ID, BOSS, found(1, "gpt-4o-mini"))
        own = await kept(home)
        assert own is not None and own.calls_at_once is None


@dataclass
class Declining(ScriptedModel):
    """Reads everything, is paid for it, and says nothing."""

    spent: Usage = field(default_factory=Usage)

    def __init__(self) -> None:
        super().__init__()
        usd = self.list_price("", input_tokens=900, output_tokens=9)
        self.spent = Usage(input_tokens=900, output_tokens=9, cost_usd=usd)

    async def answer(self, call: ModelCall) -> ModelAnswer:
        raise ModelRefused("The model declined to answer.", usage=self.spent)


async def test_an_answer_that_is_declined_is_booked_all_the_same() -> None:
    model = Declining()
    async with hearts(1, model=model) as home:
        await home.hear("hello?")
        await home.slot(1)
        async with home.store.reading() as read:
            usd, tokens = await read.money.spent(home.community_id, home.clock.now().date())
        assert (usd, tokens) == (model.spent.cost_usd, 909)


class Lanes:
    """A workshop in which nothing can be read, and whose work it was."""

    def __init__(self) -> None:
        self.seen = set[int]()

    async def done(self, lane: int, *_: object, **__: object) -> Any:  # noqa: ANN401
        self.seen.add(lane)
        raise TooMuch


async def test_what_a_trial_gives_to_read_is_work_of_the_server_that_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its stage is the first community of a store, as the first server of the installation is."""
    monkeypatch.setattr("bot.engine.trial.running.SITUATIONS", SITUATIONS[:1])
    lanes, others = Lanes(), Snowflake(GUILD_ID + 1)
    async with hearts(1, model=Reads(lambda _: "[" * 50_000)) as home:
        async with home.store.writing() as write:
            theirs = (await write.communities.add(others, "Others")).id
        performer = Performer(cipher=PlainCipher(), tokenizer=WordTokenizer(), models=home.model)
        parts: Any = {"models": home.model, "workshop": lanes, "open_stage": in_memory, "cipher": PlainCipher()}
        office = Office(home.store, performer, home.clock, SeededRandom(1), home.delivery.wake, **parts)
        await FrontDesk(office).trials.run(others, BOSS, None, unheard)
    assert theirs != home.community_id
    assert lanes.seen == {theirs}


async def test_so_many_servers_try_a_model_at_once_and_no_more() -> None:
    goes_on, asked = asyncio.Event(), asyncio.Event()

    class Slow(ScriptedModel):
        async def answer(self, call: ModelCall) -> ModelAnswer:
            asked.set()
            await goes_on.wait()
            raise ModelRefused("Not today.")

    async with hearts(1, model=Slow()) as home:
        performer = Performer(cipher=PlainCipher(), tokenizer=WordTokenizer(), models=home.model)
        parts: Any = {"models": home.model, "workshop": Lanes(), "open_stage": in_memory, "cipher": PlainCipher()}
        trials = FrontDesk(
            Office(home.store, performer, home.clock, SeededRandom(1), home.delivery.wake, **parts)
        ).trials
        guilds = [Snowflake(GUILD_ID + number) for number in range(MOST_TRIALS + 1)]
        async with home.store.writing() as write:
            for guild_id in guilds[1:]:
                await write.communities.add(guild_id, "Others")
        running = [asyncio.create_task(trials.run(one, BOSS, None, unheard)) for one in guilds[:-1]]
        await asked.wait()
        with pytest.raises(Rejected, match="in a few minutes"):
            await trials.run(guilds[-1], BOSS, None, unheard)
        goes_on.set()
        assert all(isinstance(one, ModelRefused) for one in await asyncio.gather(*running, return_exceptions=True))
        with pytest.raises(ModelRefused):
            await trials.run(guilds[-1], BOSS, None, unheard)
