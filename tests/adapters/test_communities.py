"""Each community's calls go with its own key to its own server, or with the installation's where that pays."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal

import pytest

from bot.adapters.cipher import AesCipher
from bot.adapters.llm.breakers import BREAK_AFTER_FAILURES
from bot.adapters.llm.communities import CommunityProviders
from bot.adapters.llm.prices import Price, Prices
from bot.adapters.llm.provider import Pace, Provider, ProviderOptions
from bot.core.errors import ModelRefused, ModelUnreachable, Rejected
from bot.core.models import Ceilings, OwnProvider
from bot.core.records import Community, CommunityId, Snowflake
from bot.core.sealing import of_provider
from bot.engine.timelines.chance import settle
from tests.adapters.keyed import Crowd, KeyedServer, keyed
from tests.adapters.test_providers import call

SEALER = AesCipher("a secret that is long enough")
HOUSE, OURS = "sk-of-the-house-1234", "sk-our-own-5678"
HERE = Community(id=CommunityId(1), guild_id=Snowflake(11), name="Here")
ELSEWHERE = Community(id=CommunityId(3), guild_id=Snowflake(33), name="Elsewhere")
THERE = Community(id=CommunityId(2), guild_id=Snowflake(22), name="There")


@dataclass
class Kept:
    """Which providers are kept, as the store tells it."""

    own: dict[CommunityId, OwnProvider] = field(default_factory=dict)

    async def of(self, community_id: CommunityId) -> OwnProvider | None:
        return self.own.get(community_id)


@dataclass
class World:
    house: KeyedServer
    theirs: KeyedServer
    kept: Kept
    models: CommunityProviders

    def bring(self, community: Community, key: str = OURS, **fields: object) -> None:
        whole = {"base_url": self.theirs.url, "api": "chat"} | fields
        self.kept.own[community.id] = OwnProvider(sealed_key=SEALER.encrypt(key, of_provider(community.id)), **whole)  # type: ignore[arg-type]

    async def ask(self, community: Community, model: str = "gpt-4o-mini") -> Decimal:
        models = await self.models.of(self.kept, community)
        return (await models.answer(call(model=model))).usage.cost_usd


@asynccontextmanager
async def world(
    *sponsored: Community,
    private: bool = True,
    others: tuple[str, ...] = (),
    ceilings: Ceilings | None = None,
    allowed: tuple[str, ...] = (),
) -> AsyncIterator[World]:
    async with keyed(HOUSE) as house, keyed(OURS) as theirs:
        pace = Pace(silence_seconds=5, total_seconds=5, retries=0)
        installation = {
            name: Provider(ProviderOptions(name=name, base_url=house.url, api_key=HOUSE, near=True), pace)
            for name in ("", *others)
        }
        paid = {one.guild_id for one in sponsored}
        models = CommunityProviders(
            installation,
            Prices(),
            SEALER,
            pays_for=paid.__contains__,
            private=private,
            pace=pace,
            ceilings=ceilings,
            allowed=allowed,
        )
        for server in (house, theirs):
            await server.prepare(answer={"agents": ["yes"]})
        try:
            yield World(house, theirs, Kept(), models)
        finally:
            await models.close()
            await settle()


async def test_one_community_spends_the_installations_key_and_another_its_own() -> None:
    async with world(HERE) as here:
        here.bring(THERE)
        await here.ask(HERE)
        await here.ask(THERE)
        assert here.house.keys == {HOUSE}
        assert here.theirs.keys == {OURS}


async def test_who_is_not_paid_for_and_brings_nothing_is_told_what_to_do() -> None:
    async with world(HERE) as here:
        models = await here.models.of(here.kept, THERE)
        assert "`/setup provider`" in models.source.missing
        with pytest.raises(ModelRefused, match="/setup provider"):
            await models.answer(call())
        assert not here.house.keys


async def test_another_key_is_used_at_once_and_a_removed_one_no_more() -> None:
    async with world(HERE) as here:
        here.bring(HERE, "sk-of-yesterday")
        with pytest.raises(ModelRefused, match="set it anew with `/setup provider`") as caught:
            await here.ask(HERE)
        assert "sk-of-yesterday" not in str(caught.value)
        before = await here.models.of(here.kept, HERE)
        assert await here.models.of(here.kept, HERE) is before
        here.bring(HERE)
        await here.ask(HERE)
        here.kept.own.clear()
        await here.ask(HERE)
        assert here.theirs.came_with == {"Bearer sk-of-yesterday": 1, f"Bearer {OURS}": 1}
        assert here.house.came_with == {f"Bearer {HOUSE}": 1}


async def test_a_call_that_runs_when_the_key_changes_is_answered() -> None:
    async with world() as here:
        await here.theirs.prepare(match="slowly", answer={"agents": []}, delay_seconds=0.2)
        here.bring(HERE)
        models = await here.models.of(here.kept, HERE)
        running = asyncio.create_task(models.answer(call(input="slowly")))
        await here.theirs.came.wait()
        here.bring(HERE, prefix="mine")
        await here.models.of(here.kept, HERE)
        assert (await running).complete


@pytest.mark.parametrize(("calls_at_once", "at_once"), [(1, 1), (2, 2), (None, 3)])
async def test_a_server_of_ones_own_is_asked_so_much_at_once_as_was_set(
    calls_at_once: int | None, at_once: int
) -> None:
    async with world() as here:
        await here.theirs.prepare(match="good evening", answer={"agents": []})
        here.bring(HERE, calls_at_once=calls_at_once)
        models = await here.models.of(here.kept, HERE)
        here.theirs.crowd = Crowd(awaited=at_once)  # none is answered before so many have come
        answers = await asyncio.gather(*[models.answer(call(input=f"good evening {number}")) for number in range(3)])
        assert all(one.complete for one in answers)
        assert here.theirs.crowd.most == at_once


async def test_who_comes_too_late_for_the_old_key_is_asked_again_with_the_new_one() -> None:
    async with world() as here:
        here.bring(HERE)
        before = await here.models.of(here.kept, HERE)
        await before.answer(call())
        here.bring(HERE, prefix="ours")
        after = await here.models.of(here.kept, HERE)
        await settle()
        with pytest.raises(ModelUnreachable, match="changed just now"):
            await before.answer(call())
        assert (await after.answer(call())).complete


async def test_a_prefix_keeps_the_installations_models_beside_ones_own() -> None:
    async with world(HERE, others=("local",)) as here:
        here.bring(HERE, prefix="ours")
        await here.ask(HERE, "gpt-4o-mini")
        await here.ask(HERE, "local/llama3")
        assert not here.theirs.keys
        await here.ask(HERE, "ours/llama3")
        assert here.theirs.keys == {OURS}
        assert [one["model"] for one in await here.theirs.calls()] == ["llama3"]
        assert not (await here.models.of(here.kept, HERE)).source.own


async def test_who_is_not_paid_for_never_reaches_the_installation_by_any_name() -> None:
    async with world(others=("local",)) as here:
        here.bring(THERE, prefix="ours")
        for model in ("gpt-4o-mini", "local/llama3", "ours/llama3"):
            await here.ask(THERE, model)
        assert not here.house.keys
        assert [one["model"] for one in await here.theirs.calls()] == ["gpt-4o-mini", "local/llama3", "llama3"]


async def test_ones_own_calls_are_booked_at_list_price_unless_they_are_free() -> None:
    async with world() as here:
        here.bring(HERE)
        assert await here.ask(HERE) > 0
        here.bring(HERE, free=True)
        assert await here.ask(HERE) == 0
        models = await here.models.of(here.kept, HERE)
        assert models.list_price("gpt-4o-mini", input_tokens=1_000, output_tokens=1_000) == 0


async def test_a_failing_server_rests_alone() -> None:
    async with world(THERE) as here:
        await here.theirs.forget()
        await here.theirs.prepare(fault="server_error")
        here.bring(HERE)
        for _ in range(5):
            with pytest.raises(ModelUnreachable, match="has a fault"):
                await here.ask(HERE)
        with pytest.raises(ModelUnreachable, match="rests for a moment"):
            await here.ask(HERE)
        here.bring(ELSEWHERE)
        await here.theirs.forget()
        await here.ask(ELSEWHERE)  # the same server, but another community's own dealings with it
        await here.ask(THERE)
        here.bring(HERE)  # sealed anew
        await here.ask(HERE)


async def test_what_one_community_makes_fail_rests_for_no_other_on_the_installations_server() -> None:
    async with world(HERE, ELSEWHERE) as there:
        here, elsewhere = [await there.models.of(there.kept, one) for one in (HERE, ELSEWHERE)]
        await there.house.forget()
        await there.house.prepare(fault="server_error")
        for _ in range(BREAK_AFTER_FAILURES):
            with pytest.raises(ModelUnreachable):
                await there.ask(HERE)
        await there.house.forget()
        assert here.is_failing("gpt-4o-mini")
        assert not elsewhere.is_failing("gpt-4o-mini")
        await there.ask(ELSEWHERE)
        with pytest.raises(ModelUnreachable, match="rests for a moment"):
            await there.ask(HERE)


async def test_a_slow_server_holds_up_its_own_community_only() -> None:
    async with world(HERE) as here:
        await here.theirs.forget()
        await here.theirs.prepare(answer={"agents": []}, delay_seconds=60)
        here.bring(THERE)
        waiting = [asyncio.create_task(here.ask(THERE)) for _ in range(20)]  # more than are asked at once
        await here.theirs.came.wait()
        await here.ask(HERE)
        assert not any(one.done() for one in waiting)
        for one in waiting:
            one.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


async def test_moderation_goes_the_same_way() -> None:
    async with world(HERE) as here:
        here.bring(THERE)
        models = await here.models.of(here.kept, THERE)
        with pytest.raises(ModelRefused, match="has no model"):  # the scripted model moderates nothing
            await models.objection("omni-moderation-latest", "Good morning.")
        assert here.theirs.keys == {OURS}
        assert not here.house.keys


async def test_a_key_that_cannot_be_read_any_more_is_said_so() -> None:
    async with world(HERE) as here:
        other = AesCipher("another secret, as after a move")
        here.kept.own[HERE.id] = OwnProvider(
            base_url=None, api="chat", sealed_key=other.encrypt(OURS, of_provider(HERE.id))
        )
        models = await here.models.of(here.kept, HERE)
        assert "cannot be read any more" in models.source.missing
        assert not here.house.keys


async def test_the_installations_organisation_is_not_told_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-the-house")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-the-house")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Team: of-the-house\nAuthorization: Bearer of-the-house")
    async with world() as here:
        here.bring(HERE)
        await here.ask(HERE)
        assert "of-the-house" not in str(here.theirs.headers)


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("https://127.0.0.1/v1", "not on the public Internet"),
        ("https://[::1]/v1", "not on the public Internet"),
        ("https://169.254.169.254/latest", "not on the public Internet"),
        ("https://10.1.2.3/v1", "not on the public Internet"),
        ("https://[::ffff:192.168.0.1]/v1", "not on the public Internet"),
        ("http://api.example.com/v1", "must begin with https://"),
        ("https://me:secret@api.example.com/v1", "without name, password"),
        ("https://api.example.com/v1?key=abc", "without name, password"),
        ("ftp://api.example.com", "base URL, such as"),
        ("https://api.example.com:port/v1", "base URL, such as"),
        ("", "base URL, such as"),
        ("https://" + "a" * 300, "base URL, such as"),
    ],
)
async def test_an_address_that_may_not_be_asked_is_refused_with_why(address: str, why: str) -> None:
    async with world(private=False) as here:
        with pytest.raises(Rejected, match=why) as caught:
            async with here.models.trial(OwnProvider(base_url=address, api="chat"), OURS):
                raise AssertionError("it was opened")
        assert "secret" not in str(caught.value)


async def test_a_name_that_leads_into_the_own_network_is_refused_when_it_is_asked() -> None:
    async with world(private=False) as here:
        port = here.theirs.server.port
        own = OwnProvider(base_url=f"https://localhost:{port}/v1", api="chat")
        async with here.models.trial(own, OURS) as trial:
            with pytest.raises(ModelRefused, match="localhost is not on the public Internet"):
                await trial.answer(call())
        here.bring(HERE, base_url=own.base_url)
        with pytest.raises(ModelRefused, match="not on the public Internet"):
            await here.ask(HERE)
        assert not here.theirs.keys


async def test_a_trial_asks_with_the_key_that_was_given_and_keeps_nothing() -> None:
    async with world() as here:
        own = OwnProvider(base_url=here.theirs.url, api="responses", prefix="ours")
        async with here.models.trial(own, OURS) as trial:
            assert (await trial.answer(call(model="ours/gpt-4o-mini"))).complete
        async with here.models.trial(replace(own, prefix=""), "sk-wrong-key") as trial:
            with pytest.raises(ModelRefused, match="does not take the key"):
                await trial.answer(call())
        assert here.theirs.keys == {OURS, "sk-wrong-key"}
        assert "/setup provider" in (await here.models.of(here.kept, HERE)).source.missing


async def test_a_model_without_a_price_is_asked_on_no_key_but_ones_own() -> None:
    async with keyed(HOUSE) as house, keyed(OURS) as theirs:
        for server in (house, theirs):
            await server.prepare(answer={"agents": ["yes"]})
        priced = Prices(own={"priced-here": Price(input=Decimal(1), output=Decimal(1))})
        first = Provider(ProviderOptions(name="", base_url=house.url, api_key=HOUSE), Pace(retries=0))
        models = CommunityProviders(
            {"": first}, priced, SEALER, pays_for=lambda _: True, private=True, pace=Pace(retries=0)
        )
        here = World(house, theirs, Kept(), models)
        for name in ("gpt-4o-search-preview", "o3-deep-research"):  # their searches are in no list
            with pytest.raises(ModelRefused, match="costs is not known"):
                await here.ask(HERE, name)
        with pytest.raises(ModelRefused, match=r"What nobody-knows-it costs is not known: .*SELFROOM_PRICES"):
            await here.ask(HERE, "nobody-knows-it")
        assert not house.keys
        assert await here.ask(HERE, "priced-here") > 0
        here.bring(HERE)
        await here.ask(HERE, "nobody-knows-it")
        assert theirs.keys == {OURS}
        await models.close()
        await settle()


async def test_a_model_that_the_installation_does_not_pay_for_is_asked_on_ones_own_key_only() -> None:
    async with world(HERE, allowed=("gpt-4o-mini",)) as here:
        with pytest.raises(ModelRefused, match=r"does not pay for gpt-4o: choose one of gpt-4o-mini"):
            await here.ask(HERE, "gpt-4o")
        assert not here.house.keys
        await here.ask(HERE)
        here.bring(HERE, prefix="ours")
        await here.ask(HERE, "ours/gpt-4o")
        with pytest.raises(ModelRefused, match="does not pay for gpt-4o"):
            await here.ask(HERE, "gpt-4o")


async def test_a_provider_of_ones_own_beside_the_installations_lifts_no_ceiling_of_that() -> None:
    most = Ceilings(usd_each=Decimal(1))
    async with world(HERE, ceilings=most) as here:
        models = await here.models.of(here.kept, HERE)
        assert (models.source.ceilings, models.ceilings("gpt-4o")) == (most, most)
        here.bring(HERE, prefix="ours")
        models = await here.models.of(here.kept, HERE)
        assert (models.ceilings("gpt-4o"), models.ceilings("ours/gpt-4o")) == (most, None)
        here.bring(HERE)
        assert (await here.models.of(here.kept, HERE)).ceilings("gpt-4o") is None
