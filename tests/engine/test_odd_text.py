"""Text and names of any kind are heard, shown, answered and found like others, and change nothing around them."""

import json

import pytest

from bot.core.changes import UpdateAgent
from bot.core.kinds import ReasonKind
from bot.core.records import PUBLIC_SIDE, AgentId, Snowflake
from tests.engine.hearts import answer, hearts
from tests.storage.lines import forget

ONE = AgentId(1)
TEXTS = {
    "combining": "e" + "\u0301" * 3_999,
    "zero width": "a\u200bb\u200c\u200d\ufeffc hello",
    "right to left": "\u202eshalom\u202c שלום עולם \u2067مرحبا\u2069",
    "emoji": "👩\u200d👩\u200d👧\u200d👦🏽🏳️\u200d🌈",
    "many in a row": "🦊" * 2_000,
    "nothing that shows": "\u200b\u2060\u00ad",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
async def test_any_text_is_stored_shown_in_a_line_of_its_own_and_answered(text: str) -> None:
    async with hearts(1, script=[answer({1: [(1, f"You said: {text}"[:1_900])]})]) as home:
        await home.hear(text, message_id=Snowflake(77))
        await home.hear("Agent1, what was that?")
        await home.run(60)
        (call,) = home.model.calls
        lines = [line for line in (call.instructions + call.input).splitlines() if "what was that?" in line]
        assert len(lines) == 1
        said, _, answered = await home.messages()
        assert (said.content, said.sender.shown()) == (text, "@mira")
        assert answered.content == f"You said: {text}"[:1_900]


async def test_a_person_whose_name_is_only_emoji_is_heard_answered_and_forgotten() -> None:
    async with hearts(1, script=[answer({1: [(1, "Hello, little fox!")]})]) as home:
        await home.hear("Agent1, hi", who="🦊", id=503)
        await home.run(60)
        assert "@🦊" in home.model.calls[0].input
        assert await home.lines() == [("@🦊", "Agent1, hi"), ("1", "Hello, little fox!")]
        await home.hear("I saw @🦊 there")
        async with home.store.writing(home.community_id) as write:
            assert (await forget(write.personal, home.community_id, Snowflake(503), home.clock.now())).messages == 1
        await home.hear("back again", who="🦊", id=503)
        assert [content for _, content in await home.lines()] == ["Hello, little fox!", "I saw @someone there"]


async def test_an_agent_whose_name_is_only_emoji_is_addressed_by_it() -> None:
    async with hearts(2) as home:
        await home.apply(UpdateAgent(agent_id=ONE, fields={"name": "🌊"}))
        await home.crowd()
        home.model.script.append(answer({1: [(1, "Splash.")]}))
        await home.hear("what do you think, @🌊?")
        await home.slot(1)
        beat = await home.last_beat()
        assert beat is not None
        assert (beat.reason, beat.person_id) == (ReasonKind.ADDRESSED, 501)
        assert "Name: 🌊" in beat.hud or "🌊 (ID: 1" in beat.hud
        await home.run(10)
        assert ("1", "Splash.") in await home.lines()


VALUES = {
    "half a character": r'["\ud800"]',
    "half a name": r'{"\udfff": 1}',
    "a control character": r'["a\u0000b\u001b[31m"]',
    "an endless number": "[1e999]",
    "a number of thousands of digits": f"[{'9' * 3_000}]",
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
async def test_no_value_written_as_a_text_leaves_an_agent_with_what_cannot_be_sent(value: str) -> None:
    kept = {"type": "set", "path": "people.mira", "value": value}
    script = [answer({1: [(1, "I shall keep that.")]}, actions={1: [kept]}), answer({1: [(1, "Here I am.")]})]
    async with hearts(1, script=script) as home:
        await home.hear(f"Agent1, keep this: {value}"[:1_900])
        await home.run(60)
        await home.hear("Agent1, are you there?")
        await home.run(60)
        sent = home.model.calls[-1]
        (sent.instructions + sent.input).encode()
        assert not set("\x00\x1b") & set(sent.input)
        assert ("1", "Here I am.") in await home.lines()
        known = (await home.view()).minds[ONE, PUBLIC_SIDE].knowledge
        json.dumps(known, ensure_ascii=False, allow_nan=False).encode()
        assert len(json.dumps(known)) < 500
