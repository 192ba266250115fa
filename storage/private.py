"""Files that only their owner may read, and that are there whole or not at all."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.core.errors import BadSetting

BESIDE = ("-wal", "-shm", "-journal")
UNFINISHED = ".selfroom-"  # what the folders begin with in which files are written before they have their name
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def keep_private(file: Path) -> None:
    """Make a file of a database its owner's alone before SQLite opens it, which gives its log the same rights.

    What is no file (a device that somebody named) stays as it is: others need it. A file that is there is not even
    opened: to close it would take SQLite's locks from all connections of this process, and the next program that looked
    into the database would then remove the log to which they write.
    """
    with suppress(OSError):  # SQLite says better what is wrong with the place
        for one in (file, *(file.with_name(f"{file.name}{ending}") for ending in BESIDE)):
            if one.is_file() and stat.S_IMODE(one.stat().st_mode) & OTHERS:
                one.chmod(0o600)
        os.close(os.open(os.path.realpath(file), os.O_RDONLY | os.O_CREAT | os.O_EXCL, 0o600))


def is_one_of(target: Path, files: Iterable[Path]) -> bool:
    """Tell whether a path leads to one of these, by whatever name or link, or would once they are there."""
    # A link is a way to what it points at, and a place in a folder: neither may be one of them.
    ways = {os.path.realpath(target), os.path.join(os.path.realpath(target.parent), target.name)}
    return any(os.path.realpath(file) in ways or _is_same(target, file) for file in files)


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of them is not there
        return False


@contextmanager
def whole_file(target: Path, *, replace: bool) -> Iterator[Path]:
    """Give an empty file to write that takes the target's place when the block ends well.

    Raises BadSetting when there is such a file already (without `replace`), and where none can be made.
    """
    taken = f"There is a file {target} already: name another, or replace it with --force."
    if os.path.lexists(target) and not replace:
        raise BadSetting(taken)
    if target.exists() and not target.is_file():
        raise BadSetting(f"{target} is no file: name a file to write.")
    try:
        # In a folder of its own nobody else can put anything in the way of what is written, or read it.
        with TemporaryDirectory(dir=target.parent, prefix=UNFINISHED, ignore_cleanup_errors=True) as folder:
            partial = Path(folder, "partial")
            _reserve(partial)
            yield partial
            if not replace:
                _settle(partial, target)
            else:
                partial.replace(target)
    except FileExistsError as error:
        raise BadSetting(taken) from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise BadSetting(f"There is no folder {target.parent}: make it, or name another place.") from error
    except OSError as error:
        raise BadSetting(
            f"{target} cannot be written ({error.strerror or error}): check the folder and free some space."
        ) from error


def _settle(partial: Path, target: Path) -> None:
    """Give a file its name; raises FileExistsError when somebody took it meanwhile."""
    try:
        os.link(partial, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links: the name is held until the file takes it
        _reserve(target)
        partial.replace(target)


def _reserve(file: Path) -> None:
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
