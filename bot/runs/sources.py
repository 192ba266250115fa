"""Where a run comes from: a file, or one that ships with Selfroom; and the character cards beside it."""

from collections.abc import Mapping
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Final

from bot.adapters.workshop import ProcessWorkshop
from bot.core.cards import Card, read_card
from bot.core.errors import BadSetting, TooMuch, one_of
from bot.core.runs.reading import LARGEST_FILE, read_run
from bot.core.runs.spec import RunSpec

LARGEST_CARD: Final = 10_000_000  # bytes, as on Discord
MOST_UNASKED: Final = Decimal(1)  # USD that a file may spend without a word of whoever plays it
ENDING: Final = ".toml"


def presets() -> dict[str, str]:
    """Give the runs that ship, by name, as they are written."""
    found = [one for one in files("bot.runs.presets").iterdir() if one.name.endswith(ENDING)]
    return {one.name.removesuffix(ENDING): one.read_text("utf-8") for one in sorted(found, key=lambda one: one.name)}


def shipped() -> dict[str, RunSpec]:
    """Give the runs that ship, by name."""
    return {name: read_run(text.encode(), name) for name, text in presets().items()}


def titles() -> dict[str, str]:
    """Give what each preset is, by its name."""
    return {name: one.title for name, one in shipped().items()}


def as_written(name: str) -> str:
    """Give a preset as it is written; raises BadSetting."""
    there = presets()
    if name not in there:
        raise BadSetting(f"There is no preset {name!r}: choose {one_of(list(there))}.")
    return there[name]


async def read_source(source: str, over: Mapping[str, object]) -> tuple[RunSpec, Path]:
    """Read a file, or a preset by its name, and give the folder that its cards lie in; raises BadSetting.

    A file is anybody's: it is read in a process of its own, and lets no more than a little be spent.
    """
    there = presets()
    if (data := _written(source, there)) is None:
        return read_run(there[source].encode(), f"the preset {source}", over), Path()
    workshop = ProcessWorkshop()
    try:
        spec = await workshop.done(0, read_run, data, source, over)
    except TooMuch as error:
        raise BadSetting(f"{source} takes more time or memory to read than any run needs: do not play it.") from error
    finally:
        await workshop.close()
    if not spec.is_scripted and spec.budget > MOST_UNASKED and "budget" not in over:
        raise BadSetting(f"{source} may spend {spec.budget} USD of yours: allow as much as you want to with --budget.")
    return spec, Path(source).parent


def _written(source: str, there: Mapping[str, str]) -> bytes | None:
    """Give what stands in a file; None where it is none, but a preset."""
    path = Path(source)
    if source in there and not path.is_file():
        return None
    missing = f"There is no file {source}, and no preset of that name: name a file, or {one_of(list(there))}."
    return _bounded(path, LARGEST_FILE, missing)


async def read_cards(spec: RunSpec, folder: Path) -> dict[str, Card]:
    """Read the character cards that a run names, as those are read that strangers give; raises BadSetting."""
    names = list(dict.fromkeys(one.card for one in spec.agents if one.card is not None))
    if not names:
        return {}
    cards: dict[str, Card] = {}
    workshop = ProcessWorkshop()
    try:
        for name in names:
            data = _bounded(
                _beside(folder, name),
                LARGEST_CARD,
                f"There is no card {name} beside the run's file: put it there, or name another.",
            )
            try:
                cards[name] = await workshop.done(0, read_card, data)
            except (BadSetting, TooMuch) as error:
                raise BadSetting(f"The card {name}: {error.sentence}") from error
    finally:
        await workshop.close()
    return cards


def _beside(folder: Path, name: str) -> Path:
    """Give the file of a card, which lies in the run's folder or in one below it: elsewhere a file has no business."""
    here = folder.resolve()
    found = (here / name).resolve()
    if not found.is_relative_to(here):
        raise BadSetting(f"The card {name} lies outside the folder of the run's file: put it there.")
    return found


def _bounded(path: Path, most: int, missing: str) -> bytes:
    """Read a file of at most so many bytes; raises BadSetting for what is none, or larger."""
    try:
        if not path.is_file():
            raise BadSetting(missing)
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise BadSetting(f"{path} cannot be read ({error.strerror or error}): check its rights.") from error
    if len(data) > most:
        raise BadSetting(f"{path} is larger than {most:,} bytes: give something smaller.")
    return data
