"""The menu of a message, as a manager and as a plain member."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.e2e.proving import proves
from tests.e2e.sharing import Cast, shared_home, words_of
from tests.e2e.visitor import Json, until

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    async with shared_home(tmp_path_factory.mktemp("menu")) as one:
        yield one


@proves(manager="Who said this?", member="Who said this?")
async def test_everyone_may_ask_who_said_it(cast: Cast) -> None:
    answer = await cast.answered("Hello Wren, who are you?")
    said = await cast.guest.visitor.say(cast.guest.channel_id, "good evening")
    for who in (cast.manager, cast.guest):
        assert "**Wren** (ID 1) said it: a persona, an AI agent" in await who.known(answer)
        assert "@guest said it, a person." in await who.known(said)


@proves(member="Who said this?")
async def test_everyone_may_see_which_agents_reacted(cast: Cast) -> None:
    liked = await cast.guest.visitor.say(cast.guest.channel_id, "look, a kingfisher")

    async def id_of() -> str | None:
        told = words_of(await cast.guest.menu("Who said this?", liked))
        return told.partition("Message ")[2].partition(",")[0] or None

    like = {"type": "react", "message_id": int(await until(id_of, "its id")), "reaction": "heart"}
    answer = json.dumps({"agents": [{"agent_id": 1, "responses": [], "actions": [like]}]})
    await cast.you.prepare_model({"match": "you like it, Wren", "answer": answer})
    await cast.you.say(cast.manager.channel_id, "you like it, Wren?")

    async def told() -> bool:
        return "Reacted: **Wren** ❤️" in words_of(await cast.guest.menu("Who said this?", liked))

    await until(told, "who reacted")


@proves(manager="Show the HUD behind this")
async def test_managers_see_the_very_hud_behind_an_answer(cast: Cast) -> None:
    answer = await cast.answered("Wren, have you seen the blue boat?")
    shown = await cast.manager.menu("Show the HUD behind this", answer)
    assert "> spoke to it. It asked" in shown["content"]
    assert "have you seen the blue boat?" in await cast.manager.text_of(shown)
    assert not await cast.offered("Show the HUD behind this", kind=3)


@proves(manager="Ask again", member="Ask again")
async def test_an_agent_is_asked_again(cast: Cast) -> None:
    answer = await cast.answered("Wren, tell me a story")
    for who in (cast.guest, cast.manager):
        assert "Wren looks at it again." in words_of(await who.menu("Ask again", answer))
        other = await cast.you.answer_after(answer)
        assert other["content"].startswith("-# ↻ once more, after [Wren](")
        assert f"/{answer['channel_id']}/{answer['id']})" in other["content"]
        kept = await cast.you.messages(answer["channel_id"])
        assert answer["content"] in [one["content"] for one in kept]
        answer = other


@proves(manager="Delete and forget")
async def test_managers_delete_a_message_everywhere(cast: Cast) -> None:
    answer = await cast.answered("Wren, say something to be deleted")
    assert not await cast.offered("Delete and forget", kind=3)
    asked = await cast.manager.menu("Delete and forget", answer)
    assert "deleted, here and from every memory" in words_of(await cast.manager.press(asked, "Delete"))

    async def gone() -> bool:
        return answer["id"] not in [one["id"] for one in await cast.you.messages(answer["channel_id"])]

    await until(gone, "the end of the message")


@proves(manager="Delete and forget")
async def test_a_message_in_parts_is_deleted_whole(cast: Cast) -> None:
    paragraphs = [" ".join(f"w{part}{number:03}" for number in range(380)) for part in range(5)]
    said = {"room_id": 1, "message": "\n\n".join(paragraphs)}
    answer = json.dumps({"agents": [{"agent_id": 1, "responses": [said], "actions": []}]})
    await cast.manager.told("setup options", setting="answer_tokens_alone", value="16000")  # it is a story
    await cast.you.prepare_model({"match": "a long story", "answer": answer})
    asked = await cast.you.say(cast.manager.channel_id, "Wren, a long story please")

    async def parts() -> list[Json]:
        later = [one for one in await cast.you.messages(asked["channel_id"]) if int(one["id"]) > int(asked["id"])]
        return [one for one in later if "webhook_id" in one]

    async def whole() -> list[Json] | None:
        found = await parts()
        return found if found and found[-1]["attachments"] else None

    found = await until(whole, "the last part with its file")
    assert len(found) == 3
    question = await cast.manager.menu("Delete and forget", found[1])
    await cast.manager.press(question, "Delete")

    async def gone() -> bool:
        return not await parts()

    await until(gone, "the end of all parts")


@proves(manager="React as The Architect")
async def test_the_architect_reacts(cast: Cast) -> None:
    answer = await cast.answered("Wren, good night")
    before = (await cast.home.agents())["Wren"]["interval_seconds"]
    asked = await cast.manager.menu("React as The Architect", answer)
    assert "👍 on [that message](" in words_of(await cast.manager.press(asked, "👍"))
    assert (await cast.home.agents())["Wren"]["interval_seconds"] == pytest.approx(max(1, before - 0.5), abs=0.4)
    assert "is on [that message](" in words_of(await cast.manager.press(asked, "👍"))
    assert not await cast.offered("React as The Architect", kind=3)
