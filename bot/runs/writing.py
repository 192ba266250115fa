"""What came of a run, as files: a transcript, how it ended, what everybody knows, what it cost, and pictures."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from bot.core.errors import BadSetting
from bot.core.records import Json
from bot.core.terminal import in_a_line
from bot.core.timelines.records import Answer
from bot.engine.runs.paying import Recall
from bot.engine.runs.telling import Story
from storage.private import whole_file

ANSWER: TypeAdapter[Answer] = TypeAdapter(Answer)
ANSWERS: Final = "answers.jsonl"
LONGEST_ANSWER: Final = 8_000_000  # bytes of a line
MOST_ANSWERS: Final = 200_000
TAKEN: Final = "There is something in the folder {} already: name another, or write over it with --force."


def check_folder(folder: Path, *, force: bool) -> None:
    """Raise BadSetting for a folder that is not to be written into."""
    if folder.exists() and not folder.is_dir():
        raise BadSetting(f"{folder} is no folder: name another.")
    if not force and folder.is_dir() and any(folder.iterdir()):
        raise BadSetting(TAKEN.format(folder))


def write(story: Story, folder: Path, *, force: bool) -> None:
    """Write all that is told of a run into a folder; files of other names in it are left alone."""
    check_folder(folder, force=force)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "pictures").mkdir(exist_ok=True)
    except OSError as error:
        raise BadSetting(f"The folder {folder} cannot be made ({error.strerror or error}): name another.") from error
    for name, content in files(story):
        with whole_file(folder / name, replace=force) as file:
            file.write_bytes(content)


def files(story: Story) -> Iterator[tuple[str, bytes]]:
    """Give what is written of a run, file by file."""
    yield "transcript.txt", "".join(f"{in_a_line(one.text)}\n" for one in story.lines).encode("utf-8", "replace")
    # What draws for Discord loads all that it knows of that: who only plays or reads a run needs none of it.
    from cogs.ui.charts import usage_rows
    from cogs.ui.pictures import drawn
    from cogs.ui.scene_pictures import PICTURES

    yield "transcript.jsonl", "".join(f"{_as_json(dict(one.data))}\n" for one in story.lines).encode()
    for name in ("outcome", "knowledge", "usage"):
        yield f"{name}.json", f"{_as_json(getattr(story, name), indent=2)}\n".encode()
    yield ANSWERS, b"".join(ANSWER.dump_json(one) + b"\n" for one in story.answers)
    yield "pictures/usage.png", drawn("Tokens by agent", usage_rows(story.used))
    for one in story.scenes:
        if one.kind in PICTURES and one.picture:
            yield f"pictures/scene-{one.id}.png", PICTURES[one.kind][0](one.picture, one.names)


def _as_json(value: Json, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=True, indent=indent)


def read_answers(file: Path) -> Iterator[tuple[str, Recall]]:
    """Read through a record of answers: what was asked, and what reads the answer once it is asked for again.

    Raises BadSetting with the line that is none.
    """
    number, at = 0, 0
    with _legible(file, lambda: number):
        if not file.is_file():
            raise BadSetting(f"There is no file {file}: name the {ANSWERS} of a run's folder.")
        with file.open("rb") as lines:
            while line := lines.readline(LONGEST_ANSWER + 1):
                number += 1
                if len(line) > LONGEST_ANSWER or number > MOST_ANSWERS:
                    raise BadSetting(f"{file} holds more than any run answers: take the file as a run has written it.")
                if line.strip():
                    yield ANSWER.validate_json(line).request, partial(_answer_at, file, at, number)
                at += len(line)


def _answer_at(file: Path, at: int, number: int) -> Answer:
    with _legible(file, lambda: number), file.open("rb") as lines:
        lines.seek(at)
        return ANSWER.validate_json(lines.readline(LONGEST_ANSWER))


@contextmanager
def _legible(file: Path, number: Callable[[], int]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BadSetting(f"{file} cannot be read ({error.strerror or error}): check its rights.") from error
    except ValidationError as error:
        raise BadSetting(
            f"{file}, line {number()} is no recorded answer: take the file as a run has written it."
        ) from error
