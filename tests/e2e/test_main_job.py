"""What a newcomer does first, through the whole program."""

import time

import pytest

from tests.e2e.conftest import Living
from tests.e2e.visitor import Visitor, until, visiting

pytestmark = pytest.mark.e2e


async def test_a_newcomer_finds_two_agents_in_channels_of_their_own(home: Living, you: Visitor) -> None:
    await you.channel("wren")
    await you.channel("ledger")
    agents = await home.agents()
    assert {agents["Wren"]["type"], agents["Ledger"]["type"]} == {"persona", "bot"}


async def test_a_greeting_is_answered_in_the_agents_own_voice(home: Living, you: Visitor) -> None:
    channel = await you.channel("wren")
    started = time.monotonic()
    said = await you.say(channel, "Hello Wren, who are you?")
    await you.hear("TYPING_START", lambda data: data["channel_id"] == channel)
    assert time.monotonic() - started < 2 * 3  # two seconds, on a machine three times busier
    answer = await you.answer_after(said)
    assert answer["author"]["username"] == "Wren"
    assert answer["author"]["avatar"]
    assert "lighthouse" in answer["content"]
    assert "scripted" in answer["content"]


async def test_what_it_is_told_to_remember_it_remembers(home: Living, you: Visitor) -> None:
    channel = await you.channel("ledger")
    await you.answer_after(await you.say(channel, "Remember that my tea is green"))
    answer = await you.answer_after(await you.say(channel, "What is my tea?"))
    assert "green" in answer["content"]


async def test_thumbs_quicken_and_slow_the_heartbeat_once(home: Living, you: Visitor) -> None:
    channel = await you.channel("wren")
    answer = await you.answer_after(await you.say(channel, "Hello Wren"))
    before = (await home.agents())["Wren"]["interval_seconds"]
    await you.react(answer, "👍")
    await you.react(answer, "👍🏽")

    async def quicker() -> bool:
        return bool((await home.agents())["Wren"]["interval_seconds"] == before - 0.5)

    await until(quicker, "quicker heartbeat")
    await you.react(answer, "👎")

    async def slower() -> bool:
        return bool((await home.agents())["Wren"]["interval_seconds"] == before)

    await until(slower, "slower heartbeat")


async def test_agent_create_makes_a_resident_who_answers(home: Living, you: Visitor) -> None:
    hall = await you.channel("wren")
    told = await you.command(hall, "agent create", name="Moss", prompt="You are Moss, a gardener who loves rain.")
    assert "Moss" in told["content"]
    channel = await you.channel("moss")
    answer = await you.answer_after(await you.say(channel, "Who are you?"))
    assert answer["author"]["username"] == "Moss"


async def test_a_plain_member_may_not_create_agents(home: Living, you: Visitor) -> None:
    channel = await you.channel("wren")
    async with visiting(home.url, "guest") as guest:
        told = await guest.command(channel, "agent create", name="Mine", prompt="You are mine.")
    assert "manage" in told["content"].lower()
    assert "Mine" not in await home.agents()


async def test_people_among_themselves_cost_little_and_get_no_answer(home: Living, you: Visitor) -> None:
    channel = await you.channel("wren")
    async with visiting(home.url, "ann") as ann, visiting(home.url, "ben") as ben:
        await ann.answer_after(await ann.say(channel, "Hello Wren"))
        before = len(await home.calls())
        asked = await ben.say(channel, "ann, did you see the match?")
        await ann.say(channel, "no, was it good?")
        await ben.say(channel, "it was fine")

        async def looked() -> bool:
            wren = (await home.agents())["Wren"]
            return bool(wren["last_reason"] == "ambient" and wren["state"] == "idle")

        await until(looked, "ambient beat")
    later = [one for one in await you.messages(channel) if int(one["id"]) > int(asked["id"])]
    assert not [one for one in later if "webhook_id" in one]
    assert len(await home.calls()) == before + 1


async def test_who_takes_up_the_words_of_others_is_left_to_talk_with_them(home: Living, you: Visitor) -> None:
    channel = await you.channel("wren")
    ask = {"agent_id": 1, "thoughts": "", "actions": [], "responses": [{"room_id": 1, "message": "Got a ladder, ann?"}]}
    async with visiting(home.url, "ann") as ann, visiting(home.url, "ben") as ben:
        for line, of_others in (("varnish smells, does it?", True), ("it smells, does it?", False)):
            await home.script({"match": "the lamp is out of reach", "answer": {"agents": [ask]}})
            answer = await ann.answer_after(await ann.say(channel, "Wren, the lamp is out of reach"))
            assert answer["content"] == "Got a ladder, ann?"
            await ben.say(channel, "one could take varnish")
            await ann.say(channel, line)

            async def shown(line: str = line) -> str | None:
                inputs = [call["input"] for call in await home.calls()]
                return next((one for one in inputs if line in one), None)

            why = (await until(shown, "a look at the line")).split("why: ")[-1]
            assert ("ann spoke to you" in why) is not of_others, why


async def test_hud_show_gives_managers_what_the_agent_saw_and_its_cost(home: Living, you: Visitor) -> None:
    channel = await you.channel("wren")
    await you.answer_after(await you.say(channel, "Hello Wren"))
    shown = await you.command(channel, "hud show", agent="Wren")
    assert "USD" in shown["content"]
    async with home.session.get(shown["attachments"][-1]["url"]) as response:
        hud = await response.text()
    (call,) = [one for one in await home.calls() if "Hello Wren" in one["input"]]
    assert (
        call["input"].split("AGENT 1")[1] in hud
        or hud.split("AGENT 1")[1].split("==== ANSWER")[0].strip() in call["input"]
    )
    async with visiting(home.url, "guest") as guest:
        offered = {one["name"] for one in await guest.offered(channel)}
    assert "hud" not in offered and "search" in offered
