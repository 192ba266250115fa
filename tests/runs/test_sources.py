"""Where runs come from: files, presets, and cards beside them."""

import json
from pathlib import Path

import pytest

from bot.core.errors import BadSetting
from bot.core.runs.spec import RunSpec
from bot.runs.sources import LARGEST_CARD, as_written, presets, read_cards, read_source
from tests.runs.played import alone

CARD = {"name": "Cy", "description": "Cy counts coins.", "first_mes": "Hello."}


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone(tmp_path, monkeypatch)


def write(name: str, content: str) -> None:
    Path(name).write_text(content)


def naming(card: str) -> RunSpec:
    whole = {"agents": [{"template": "Wren"}, {"card": card}], "events": [{"text": "It rains."}]}
    return RunSpec.model_validate(whole)


async def test_there_is_a_preset_for_every_kind_of_scene_and_for_free_talk() -> None:
    runs = {name: (await read_source(name, {}))[0] for name in presets()}
    kinds = {name: one.scene.kind if one.scene is not None else "talk" for name, one in runs.items()}
    assert kinds == {name: name for name in ("chat", "council", "landlord", "talk", "village", "werewolf")}


async def test_a_file_goes_before_a_preset_of_its_name() -> None:
    write("council", as_written("chat"))
    assert (await read_source("council", {}))[0].title == "Two who have to talk"
    with pytest.raises(BadSetting, match="There is no file nowhere, and no preset of that name"):
        await read_source("nowhere", {})


@pytest.mark.slow
@pytest.mark.parametrize(
    "bomb",
    [
        pytest.param(".".join(["a"] * 120_000) + " = 1", id="keys in one another"),
        pytest.param("zz = [\n" + " " * 20_000 + "1,]", id="spaces before a value"),
        pytest.param("zz = 1\n[" + " " * 20_000 + '":"]', id="spaces before a name"),
    ],
)
async def test_a_file_that_would_take_all_time_or_memory_is_refused(bomb: str) -> None:
    write("theirs.toml", f"{bomb}\n")
    with pytest.raises(BadSetting, match=r"theirs\.toml takes more time or memory to read than any run needs"):
        await read_source("theirs.toml", {})


@pytest.mark.slow
async def test_a_file_spends_no_more_than_a_dollar_unless_whoever_plays_it_says_so() -> None:
    write("theirs.toml", f'model = "gpt-4o"\nbudget = 1000\n{as_written("chat")}')
    with pytest.raises(
        BadSetting, match=r"theirs\.toml may spend 1000 USD of yours: allow as much as .* with --budget"
    ):
        await read_source("theirs.toml", {})
    assert (await read_source("theirs.toml", {"budget": 3.0}))[0].budget == 3
    assert (await read_source("theirs.toml", {"model": "stand-in"}))[0].is_scripted


@pytest.mark.slow
async def test_a_card_is_read_from_beside_the_file_and_from_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards/cy.json").write_text(json.dumps(CARD))
    cards = await read_cards(naming("cards/cy.json"), tmp_path)
    assert (cards["cards/cy.json"].name, cards["cards/cy.json"].greeting) == ("Cy", "Hello.")
    (tmp_path / "link.json").symlink_to("/etc/hostname")
    for name in ("../cy.json", "/etc/passwd", "link.json"):
        with pytest.raises(BadSetting, match="lies outside the folder"):
            await read_cards(naming(name), tmp_path)
    for name, said in (("none.json", "There is no card none.json"), ("tea.toml", "The card tea.toml: This is no char")):
        with pytest.raises(BadSetting, match=said):
            await read_cards(naming(name), tmp_path)


async def test_a_card_is_bounded(tmp_path: Path) -> None:
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate(LARGEST_CARD + 1)
    with pytest.raises(BadSetting, match="is larger than 10,000,000 bytes"):
        await read_cards(naming("large.json"), tmp_path)
