"""What an agent attaches: a file beside its words, which others and moderation read, and that goes with them."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from storage.store import SqlStore
from tests.e2e.commanding import words_of
from tests.e2e.sharing import shared_home
from tests.e2e.staging import Stage
from tests.e2e.test_moderation import notice
from tests.e2e.visitor import Json, until
from tests.engine.test_kept_answers import everything

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]

# 160 kB, no two sentences alike: an answer that goes round in circles is cut off.
LONG = "".join(f"The tide at noon of day {day} stands at {day * 7919 % 997} cm. " for day in range(3_300))
FIRST = "The first line is about herons.\n"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    long_answers = {"SELFROOM_COMMUNITY__ANSWER_TOKENS_ALONE": "64000"}
    async with shared_home(tmp_path_factory.mktemp("files"), **long_answers) as cast:
        one = Stage(cast)
        for name in ("Rook", "Fern"):
            one.ids[name] = await cast.agent(name)
            one.halls[name] = await cast.you.channel(name.lower())
        await one.told("room invite", agent="Fern", room="Rook")
        yield one


def file(name: str, text: str) -> Json:
    return {"type": "attach", "name": name, "text": text}


async def gives(stage: Stage, words: str, *files: Json) -> None:
    """Have Rook say something in its room with these files."""
    await stage.does("Rook", list(files), [{"room_id": stage.rook, "message": words}])


async def post_with(stage: Stage, words: str) -> Json:
    async def look() -> Json | None:
        found = await stage.cast.you.messages(stage.halls["Rook"])
        return next((one for one in found if words in one["content"] and "webhook_id" in one), None)

    return await until(look, f"post with {words!r}")


async def seen_by_fern(stage: Stage) -> str:
    """Have Fern look, and give what it was shown."""
    await stage.does("Fern", [])
    inputs = [call["input"] for call in await stage.cast.you.model_calls()]
    return str(next(one for one in reversed(inputs) if f"you: {stage.fern}\n" in one))


async def test_a_long_file_stands_beside_the_words_and_others_read_its_beginning(stage: Stage) -> None:
    await gives(stage, "My log of this month.", file("log.md", FIRST + LONG))
    post = await post_with(stage, "My log of this month.")
    assert [one["filename"] for one in post["attachments"]] == ["log.md"]
    assert await stage.cast.manager.text_of(post) == (FIRST + LONG).strip()
    await stage.calm()
    shown = await seen_by_fern(stage)
    assert "[file log.md, text/plain, " in shown
    assert "The first line is about herons." in shown
    assert shown.count("The tide at noon") < 1_000
    agent = await stage.told("agent show", agent="Fern")
    assert "tokens" in agent


async def test_a_file_goes_with_its_post(stage: Stage) -> None:
    await gives(stage, "A list for later.", file("list.txt", "buy marzipan and cinnamon"))
    post = await post_with(stage, "A list for later.")
    await stage.calm()
    assert "marzipan" in await seen_by_fern(stage)
    await stage.cast.owner.ask("DELETE", f"/channels/{post['channel_id']}/messages/{post['id']}")

    async def forgotten() -> bool:
        return "marzipan" not in await seen_by_fern(stage)

    await until(forgotten, "view without the file")
    async with await SqlStore.open(stage.cast.home.settings.database) as store:
        assert [text for text in await everything(store) if "marzipan" in text] == []


async def test_moderation_reads_a_file_too_and_a_manager_lets_it_through(stage: Stage) -> None:
    office = await stage.cast.you.channel("welcome")
    await stage.told("setup places", managers_channel=office)
    await stage.told("setup moderation", words="spades", model="none")
    await gives(stage, "My tools.", file("tools.txt", f"{LONG}\nrakes and spades"))
    held = await notice(stage.cast.you, office, "the word 'spades'")
    assert "My tools." in held["content"]
    assert "My tools." not in await stage.posts("Rook")
    assert "posted" in words_of(await stage.cast.manager.press(held, "Approve"))
    post = await post_with(stage, "My tools.")
    assert (await stage.cast.manager.text_of(post)).endswith("rakes and spades")


async def test_a_file_without_words_is_told_how_to_give_one(stage: Stage) -> None:
    outcome = await stage.obeys("Rook", "", [file("alone.txt", "x")])
    assert any("say in the same answer what it is" in one for one in outcome)
