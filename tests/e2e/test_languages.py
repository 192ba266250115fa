"""One who reads German has a whole conversation with an agent: commands and answers in German, and it answers."""

from collections.abc import AsyncIterator

import aiohttp
import pytest
import pytest_asyncio

from tests.e2e.commanding import Commander
from tests.e2e.sharing import Cast, shared_home, words_of
from tests.e2e.visitor import Json, Visitor, visiting

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    async with shared_home(tmp_path_factory.mktemp("languages")) as one:
        yield one


async def reads(url: str, who: Visitor, locale: str) -> None:
    """Let somebody read in a language."""
    me = await who.ask("GET", "/users/@me")
    async with aiohttp.ClientSession() as session:
        answer = await session.patch(f"{url}/playground/people/{me['id']}", json={"locale": locale})
        assert answer.status == 200, await answer.text()


async def in_german(who: Visitor, channel_id: str) -> dict[str, Json]:
    """Give the commands that somebody is offered, by their German names."""
    index = await who.ask("GET", f"/channels/{channel_id}/application-command-index")
    return {one["name_localizations"].get("de", one["name"]): one for one in index["application_commands"]}


async def test_one_who_reads_german_has_a_whole_conversation_with_an_agent(cast: Cast) -> None:
    hall = cast.manager.channel_id
    async with visiting(cast.home.url, "greta") as greta:
        await reads(cast.home.url, greta, "de")
        offered, me = await in_german(greta, hall), Commander(greta, hall)
        assert {"hilfe", "agent", "gespräch", "sagen", "datenschutz"} <= set(offered)
        assert offered["gespräch"]["description_localizations"]["de"] == "Mit einem Agenten unter euch sprechen"

        helped = await me.run("help")
        assert "Was du mit Selfroom tun kannst" in words_of(helped)
        assert "`/agent liste` Liste die Agenten dieses Servers auf." in words_of(helped)
        listed = await me.told("agent list")
        assert "Agenten**" in listed and "Wren" in listed
        card = await me.told("agent show", agent="Wren")
        assert "**Herzschlag**" in card and "Agenten klopfen mit einem Schlüssel an" in card
        assert "Hier gibt es keinen Agenten 'Nobody'" in await me.told("agent show", agent="Nobody")
        assert "nur Personen, die den Server verwalten dürfen" in await me.told("agent pause", agent="Wren")

        said = await greta.say(hall, "Hallo Wren, wie geht es dir?")
        assert (await greta.answer_after(said))["content"]

        talk = await me.told("talk agent", agent="Wren")
        assert talk.startswith("Sprich hier mit Wren: <#")
        thread_id = talk.split("<#")[1].split(">")[0]
        greeting = (await greta.messages(thread_id))[0]["content"]
        assert "unter euch" in greeting
        aside = await greta.say(thread_id, "Wren, hörst du mich hier?")
        assert (await greta.answer_after(aside))["channel_id"] == thread_id

        asked = await me.run("privacy forget-me")
        assert words_of(asked).startswith("Alles vergessen, was du hier gesagt hast?")
        assert "Nichts hat sich geändert." in words_of(await me.press_in_place(asked, "So lassen"))
        assert "Agenten ignorieren" in await me.told("privacy ignore-me", ignore=True)


async def test_beside_her_others_read_what_they_read_before(cast: Cast) -> None:
    assert "What you can do with Selfroom" in await cast.guest.told("help")
    assert "There is no agent 'Nobody' here" in await cast.guest.told("agent show", agent="Nobody")
