"""What came of a run, as files: a transcript, how it ended, what everybody knows, what it cost, and pictures."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from bot.core.errors import BadSetting
from bot.core.records import Json
from bot.core.terminal import in_a_line
from bot.core.timelines.records import Answer
from bot.engine.runs.telling import Story
from cogs.ui.charts import usage_rows
from cogs.ui.pictures import drawn
from cogs.ui.scene_pictures import PICTURES
from storage.private import whole_file

ANSWER: TypeAdapter[Answer] = TypeAdapter(Answer)
ANSWERS: Final = "answers.jsonl"
LARGEST_RECORD: Final = 500_000_000  # bytes
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


def read_answers(file: Path) -> Iterator[Answer]:
    """Read a record of answers; raises BadSetting with the line that is none."""
    number = 0
    try:
        if not file.is_file():
            raise BadSetting(f"There is no file {file}: name the {ANSWERS} of a run's folder.")
        if file.stat().st_size > LARGEST_RECORD:
            raise BadSetting(f"{file} is larger than {LARGEST_RECORD:,} bytes: no run answers so much.")
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):  # noqa: B007 - told where it breaks off
                if line.strip():
                    yield ANSWER.validate_json(line)
    except OSError as error:
        raise BadSetting(f"{file} cannot be read ({error.strerror or error}): check its rights.") from error
    except ValidationError as error:
        raise BadSetting(
            f"{file}, line {number} is no recorded answer: take the file as a run has written it."
        ) from error
