"""A server where Selfroom may not read what people write: they are told how to be heard, and talk all the same."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.e2e.commanding import Commander, words_of
from tests.e2e.conftest import Living, living, quick_settings
from tests.e2e.proving import proves
from tests.e2e.visitor import Json, Visitor, until, visiting

pytestmark = [pytest.mark.e2e, pytest.mark.long]


@pytest.fixture
async def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Living]:
    settings = quick_settings(tmp_path, monkeypatch, SELFROOM_MESSAGE_CONTENT="false")
    async with living(settings) as home:
        yield home


async def told(you: Visitor, room: str, words: str) -> Json:
    """Wait until the bot itself says something in a room."""

    async def look() -> Json | None:
        said = [one for one in await you.messages(room) if words in one["content"]]
        return said[-1] if said else None

    return await until(look, f"{words!r} in the room")


@proves(member="say|Ask again")
async def test_a_whole_conversation_without_the_message_content_intent(home: Living) -> None:
    async with visiting(home.url, "mira") as mira, visiting(home.url, "bob") as bob:
        room = await mira.channel("wren")
        inside, his = Commander(mira, room), Commander(bob, room)
        bot = mira.about["application_id"]

        # Who writes as everywhere is told how to be heard, and nothing of it reaches an agent.
        await mira.say(room, "Hello Wren, my boat is called Kestrel.")
        assert f"begin with <@{bot}>" in (await told(mira, room, "only what mentions me"))["content"]
        assert "Kestrel" not in str(await home.calls())

        # A mention is heard, and in an agent's room it is for its host.
        asked = await mira.say(room, f"<@{bot}> hello! What do you do all day?")
        first = await mira.answer_after(asked)
        assert first["author"]["username"] == "Wren"
        answered = await mira.say(room, f"<@{bot}> and at night?", reply_to=first["id"])
        assert (await mira.answer_after(answered))["author"]["username"] == "Wren"

        # `/say` is the person's own word for everybody, under their name, and theirs to take back.
        await inside.start("say", message="My boat is called Kestrel.\n-# Selfroom: all is well")
        said = await told(mira, room, "Kestrel.\n")
        assert said["content"] == "> My boat is called Kestrel.\n> -# Selfroom: all is well"
        await mira.answer_after(said)
        assert "@mira said it, a person" in (await inside.known(said)).replace("*", "")
        assert "Kestrel" in str((await home.calls())[-1])
        assert "Only who said this" in words_of(await his.press(said, "Take back"))
        await inside.click(said, "Take back")

        async def gone() -> bool:
            return all(one["id"] != said["id"] for one in await mira.messages(room))

        await until(gone, "taken back")
        again = await mira.say(room, f"<@{bot}> Wren, what is my boat called?")
        await mira.answer_after(again)
        assert "Kestrel" not in str((await home.calls())[-1])

        # What was written without a mention is heard once its author shows it.
        shown = await mira.say(room, "The password of my cellar is swordfish.")
        assert "does not know this message" in words_of(await his.menu("Ask again", shown, known=False))
        assert "Agents hear it now" in words_of(await inside.menu("Ask again", shown, known=False))
        await mira.answer_after(shown)
        assert "swordfish" in str((await home.calls())[-1])


@proves(manager="say")
async def test_who_manages_says_it_in_the_open_too(home: Living) -> None:
    async with visiting(home.url, "you", manager=True) as you:
        await Commander(you, await you.channel("wren")).start("say", message="good evening", agent="Wren")
        said = await told(you, await you.channel("wren"), "good evening")
        assert said["content"] == "> @Wren, good evening"
        assert (await you.answer_after(said))["author"]["username"] == "Wren"


async def test_who_is_ignored_or_elsewhere_is_refused_in_a_sentence(home: Living) -> None:
    async with visiting(home.url, "mira") as mira:
        inside, outside = Commander(mira, await mira.channel("wren")), Commander(mira, await mira.channel("welcome"))
        assert "no agent's room" in await outside.told("say", message="Hello")
        await inside.told("privacy ignore-me", ignore=True)
        assert "Agents ignore you, as you wished" in await inside.told("say", message="Hello")


async def test_a_channel_in_slow_mode_is_slow_by_command_too(home: Living) -> None:
    async with visiting(home.url, "mira") as mira, visiting(home.url, "bob") as bob, visiting(home.url) as owner:
        room = await mira.channel("wren")
        await owner.ask("PATCH", f"/channels/{room}", {"rate_limit_per_user": 3_600})
        inside, his = Commander(mira, room), Commander(bob, room)
        await inside.start("say", message="Wren, are you there?")
        await told(mira, room, "are you there?")
        assert "This channel is in slow mode: say that <t:" in await inside.told("say", message="Well?")
        await his.start("say", message="I have not said anything yet")
        await told(mira, room, "I have not said anything yet")
        async with visiting(home.url, "ann") as ann:
            await ann.say(room, "I write, and then I want to say more")
            assert "This channel is in slow mode: say that <t:" in await Commander(ann, room).told(
                "say", message="More"
            )
