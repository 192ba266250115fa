"""A model is tried from the command line and on Discord; the stand-in, asked over HTTP, gives a full card."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from bot.app import try_model
from bot.core.kinds import Detail
from bot.engine.trial.running import Wanted
from bot.engine.trial.situations import Aim
from tests.e2e.proving import proves
from tests.e2e.sharing import Cast, shared_home
from tests.e2e.visitor import Json, until

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.asyncio(loop_scope="module")]
PATIENTLY = 400.0  # seconds, for some fifty beats on a busy machine


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    folder: Path = tmp_path_factory.mktemp("trials")
    async with shared_home(folder) as one:
        yield one


async def test_the_stand_in_gives_a_full_card(cast: Cast) -> None:
    settings = cast.home.settings.model_copy(update={"openai_base_url": f"{cast.home.url}/v1"})
    told: list[str] = []

    async def progress(done: int, total: int, what: str) -> None:
        told.append(what)

    wanted = Wanted(name="gpt-4o-mini", detail=Detail.FULL, languages=("English",))
    card = await try_model(settings, wanted, progress)
    assert all(card.tried[aim] for aim in Aim)
    assert card.passed[Aim.USABLE] == card.tried[Aim.USABLE] >= 31
    assert card.passed[Aim.ANSWERED] >= card.tried[Aim.ANSWERED] * 0.8
    assert card.passed[Aim.LEAK] == card.tried[Aim.LEAK]
    assert card.passed[Aim.UNASKED] >= card.tried[Aim.UNASKED] - 1  # it sleeps when anybody says so
    assert card.usage.cached_tokens > 0
    assert card.price_is_known and card.usd_a_day == 0  # a server on one's own machine costs nothing
    assert told[-1] == "done" and "a long room (English)" in told


async def selfroom(cast: Cast, *words: str) -> tuple[int, str]:
    """Use the command line; gives how it ended and what it said."""
    settings = cast.home.settings
    environment = {
        "SELFROOM_DATA_DIR": str(settings.data_dir),
        "SELFROOM_OPENAI_BASE_URL": f"{cast.home.url}/v1",
        "PATH": "/usr/bin",
    }
    program = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        *words,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, erred = await program.communicate()
    return program.returncode or 0, f"{said.decode()}{erred.decode()}"


async def test_the_command_line_prints_the_card_and_sets_what_was_found(cast: Cast) -> None:
    few = ("--language", "English", "--only", "addressed", "--only", "remembers")
    ended, told = await selfroom(cast, "try", "gpt-4o-mini", "--detail", "lean", *few, "--set")
    assert ended == 0, told
    assert "gpt-4o-mini, " in told and "2 situations in English" in told
    assert "usable answers            2 of 2 (100 %)" in told
    assert "asks gpt-4o-mini so from now on" in told
    kept = await cast.manager.told("setup options", setting="models")
    assert '"gpt-4o-mini": {"detail": "lean"' in kept
    assert "gpt-4o-mini is asked as a trial found best." in await cast.manager.told("audit")
    await cast.manager.told("setup options", setting="models", value="default")


async def test_what_there_is_not_to_try_is_said_in_a_sentence(cast: Cast) -> None:
    ended, told = await selfroom(cast, "try", "gpt-4o-mini", "--only", "dances")
    assert ended == 1 and "There is no situation 'dances' in a trial: choose addressed, " in told
    ended, told = await selfroom(cast, "try", "missing-model", "--only", "addressed")
    assert ended == 1 and "missing-model" in told


async def shown_at_last(cast: Cast, asked: Json) -> Json:
    """Give an answer that tells how far something is as it stands at last."""

    async def done() -> Json | None:
        shown = [one for _, one in cast.you.heard if one.get("id") == asked["id"]]
        return next((one for one in shown if "usable answers" in one.get("content", "")), None)

    return await until(done, "card", seconds=PATIENTLY)


@proves(manager="setup try")
async def test_a_manager_tries_a_model_and_has_it_asked_as_was_found(cast: Cast) -> None:
    provider = await cast.manager.run("setup provider")
    asked = await cast.manager.press(provider, "Try its model")
    shown = await shown_at_last(cast, asked)
    assert "31 situations in English" in shown["content"] and "calls at once" in shown["content"]
    await cast.manager.click(shown, "Ask it so from now on")

    async def kept() -> bool:
        return "gpt-4o-mini" in await cast.manager.told("setup options", setting="models")

    await until(kept, "setting")
    again = await cast.manager.run("setup try", model="gpt-4o-mini", set="yes")  # by the card that was made just now
    assert "31 situations in English" in again["content"]
