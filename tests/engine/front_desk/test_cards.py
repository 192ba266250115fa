"""Who moves in from a card knows no more than an agent of its size may."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.core.errors import Rejected
from bot.engine.front_desk import FrontDesk, Office
from bot.engine.performer import Performer
from tests.core.cards import V2
from tests.engine.town import Town, town
from tests.factories import GUILD_ID, person
from tests.fakes import OpenBench, PlainCipher, SeededRandom, WordTokenizer


def card(known: dict[str, object], **fields: str) -> bytes:
    data = V2["data"] | fields | {"extensions": {"selfroom": {"knowledge": known}}}
    return json.dumps({"data": data}).encode()


@asynccontextmanager
async def front_desk() -> AsyncIterator[tuple[Town, FrontDesk]]:
    async with town() as here:
        yield (
            here,
            FrontDesk(
                Office(
                    here.store,
                    Performer(cipher=PlainCipher(), tokenizer=WordTokenizer()),
                    here.clock,
                    SeededRandom(1),
                    on_done=here.delivery.wake,
                    workshop=OpenBench(),
                )
            ),
        )


async def test_knowledge_above_the_allocation_keeps_the_agent_out_and_less_is_kept() -> None:
    async with front_desk() as (here, desk):
        before = len((await here.view()).agents)
        much = await desk.cards.read(GUILD_ID, card({"a": "word " * 5_000}))
        with pytest.raises(Rejected, match="3,000 fit: leave some of it out"):
            await desk.cards.move_in(GUILD_ID, person(is_architect=True), much)
        assert len((await here.view()).agents) == before
        little = await desk.cards.read(GUILD_ID, card({"a": "a word"}))
        agent, _ = await desk.cards.move_in(GUILD_ID, person(is_architect=True), little)
        assert (await desk.minds.of(GUILD_ID, agent.id)).knowledge == {"a": "a word"}


async def test_two_who_move_in_at_once_know_what_their_own_cards_say() -> None:
    async with front_desk() as (_, desk):
        boss, names = person(is_architect=True), ("Iris", "Jack", "Kim")
        cards = [await desk.cards.read(GUILD_ID, card({"secret": f"of {name}"}, name=name)) for name in names]
        moved = await asyncio.gather(*(desk.cards.move_in(GUILD_ID, boss, one) for one in cards))
        for name, (agent, _) in zip(names, moved, strict=True):
            mind = await desk.minds.of(GUILD_ID, agent.id)
            assert (agent.name, mind.knowledge) == (name, {"secret": f"of {name}"})


async def test_a_greeting_is_cut_to_what_a_message_takes() -> None:
    async with front_desk() as (here, desk):
        talker = await desk.cards.read(GUILD_ID, card({}, first_mes="Hello. " * 3_000))
        agent, _ = await desk.cards.move_in(GUILD_ID, person(is_architect=True), talker)
        assert agent.id in (await here.view()).agents
