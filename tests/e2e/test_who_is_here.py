"""Who is in a room: agents and people are told it alike, and the id 0 stands for The Architect everywhere."""

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.e2e.sharing import shared_home, words_of
from tests.e2e.staging import Stage
from tests.e2e.visitor import Visitor, until

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]

SMALL = {"SELFROOM_COMMUNITY__SUMMARY_TOKENS": "500"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    async with shared_home(tmp_path_factory.mktemp("who"), **SMALL) as cast:
        one = Stage(cast)
        for name in ("Rook", "Fern"):
            one.ids[name] = await cast.agent(name)
            one.halls[name] = await cast.you.channel(name.lower())
        yield one


async def view_of(stage: Stage, name: str) -> str:
    """Have an agent look, and give what it was shown."""
    await stage.does(name, [])
    inputs = [call["input"] for call in await stage.cast.you.model_calls()]
    return str(next(one for one in reversed(inputs) if f"you: {stage.ids[name]}\n" in one))


def head(view: str, room: str) -> str:
    """Give what stands above a room's messages."""
    return view.partition(f"--- Room: {room} ")[2].partition("\n-- ")[0]


async def heard(stage: Stage, who: Visitor, name: str, words: str) -> None:
    """Have somebody say something in a room, and wait until it is known."""
    said = await who.say(stage.halls[name], words)
    await stage.cast.manager.known(said)


async def test_a_rooms_head_tells_who_spoke_there_and_who_may_enter(stage: Stage) -> None:
    await heard(stage, stage.cast.guest.visitor, "Rook", "Hello Rook, I am new here")
    shown = head(await view_of(stage, "Rook"), "Rook")
    you, guest = stage.cast.you.user["username"], stage.cast.guest.visitor.user["username"]
    assert f"members: 0, {stage.rook}" in shown
    assert f"The Architect (@{you})" in shown
    assert f"@{guest}" in shown
    assert "; everyone may enter" in shown


async def test_people_read_the_same_in_a_list(stage: Stage) -> None:
    for who in (stage.cast.manager, stage.cast.guest):
        told = await who.told("room members", room="Rook")
        assert "**The Architect** (ID 0)" in told
        assert f"in the last 24 hours: The Architect (@{stage.cast.you.user['username']})" in told
        assert f"@{stage.cast.guest.visitor.user['username']}" in told
        assert "May enter: everyone" in told


async def test_who_was_shut_out_is_nobodys_company_any_more(stage: Stage) -> None:
    cast = stage.cast
    await heard(stage, cast.guest.visitor, "Fern", "Hello Fern, I like your room")
    assert f"@{cast.guest.visitor.user['username']}" in head(await view_of(stage, "Fern"), "Fern")
    assert "is private now" in await cast.manager.close_room("Fern")
    shown = head(await view_of(stage, "Fern"), "Fern")
    assert f"@{cast.guest.visitor.user['username']}" not in shown
    assert f"The Architect (@{cast.you.user['username']})" in shown
    assert "only who was let in may enter" in shown
    told = await cast.manager.told("room members", room="Fern")
    assert f"May enter: only <@{cast.you.user['id']}>" in told
    assert "and administrators" in told
    assert "private" in await cast.guest.told("room members", room="Fern")


async def test_the_id_0_is_the_architect(stage: Stage) -> None:
    assert "0 The Architect (people, every room)" in await view_of(stage, "Rook")
    assert "**The Architect** (ID 0)" in await stage.told("agent list")
    for typed in ("0", "the architect"):
        assert "0 is The Architect: the people who may manage this server" in await stage.told(
            "agent show", agent=typed
        )
    words = [{"room_id": stage.rook, "message": "I call The Architect."}]
    outcome = await stage.obeys("Rook", "", [{"type": "wake_agent", "agent_id": 0}], words)
    assert any("0 is The Architect, who is no agent" in one for one in outcome), outcome


async def test_an_agent_knows_since_when_it_is_here_and_is_told_before_it_forgets(stage: Stage) -> None:
    await stage.cast.home.script({"match": "You keep the memory of a chat room", "answer": "Done: boats were counted"})
    first = await view_of(stage, "Rook")
    assert "\njoined: 20" in first
    assert "\ncheckpoints: 0\n" in first
    assert "summary soon" not in first

    async def near() -> bool:
        await stage.cast.guest.visitor.say(stage.halls["Rook"], "The boats come in one after the other today. " * 2)
        return "summary soon: keep what must stay word for word" in await view_of(stage, "Rook")

    await until(near, "word that a summary is near")
    await stage.does("Rook", [{"type": "compact", "room_id": stage.rook}])

    async def summed_up() -> bool:  # once, or twice where one came by itself meanwhile
        shown = re.search(r"\ncheckpoints: ([1-9])\n", await view_of(stage, "Rook"))
        card = words_of(await stage.cast.manager.run("agent show", agent="Rook"))
        assert "**Joined** <t:" in card
        return shown is not None and f"**Summaries of its rooms** {shown[1]}" in card

    await until(summed_up, "summary that the agent and its card know of")
