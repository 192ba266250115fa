"""What can go wrong with a database, in sentences that say what to do."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from socket import gaierror

import structlog
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from bot.core.errors import StoreError

log = structlog.get_logger(__name__)
Troubles = Mapping[int, Exception]  # what kept work from being done, by community
LOST = "The connection to the database was lost: check that it is running; nothing was written."
SENTENCES = (
    ("starting up|shutting down|in recovery mode|terminating connection", LOST),
    ("disk is full", "The disk that holds the database is full: free some space and try again."),
    (
        "disk i/o error",
        "The disk that holds the database cannot be read or written: check the disk and free some space.",
    ),
    ("no space left", "The disk that holds the database is full: free some space and try again."),
    ("is locked", "The database is locked by another program: close it and try again."),
    ("image is malformed|malformed database", "The database file is damaged: restore it from a backup."),
    ("not a database", "The database file is not a database: check the path, or restore it from a backup."),
    ("unable to open", "The database file cannot be opened: check that its folder exists and may be written."),
    ("readonly", "The database may not be written: check the rights on its file and folder."),
    (
        '(database|role) ".*" does not exist',
        "The database or its user does not exist: create it, or check the database URL.",
    ),
    ("password authentication", "The database does not accept the user's password: check the database URL."),
    ("too many clients", "The database has no connection left: close other programs or raise its limit."),
)


@contextmanager
def in_sentences() -> Iterator[None]:
    """Turn faults of the database into StoreError with one sentence; mistakes of the program stay as they are."""
    try:
        yield
    except IntegrityError:
        raise
    except DBAPIError as error:
        if (sentence := sentence_for(error)) is None:
            raise
        raise StoreError(sentence) from error
    except PoolTimeout as error:
        raise StoreError("The database is too busy: try again in a moment.") from error
    except (ConnectionError, FileNotFoundError, gaierror) as error:
        raise StoreError(LOST) from error


@contextmanager
def apart(community_id: int, troubles: dict[int, Exception]) -> Iterator[None]:
    """Do some work of a community; whatever is in its way is put among the troubles, and no other waits for it."""
    try:
        yield
    except StoreError as error:
        log.warning("what was left to be done is not done yet", community=community_id, why=error.sentence)
        troubles[community_id] = error
    except Exception as error:
        log.exception("what was left to be done is not done yet", community=community_id)
        troubles[community_id] = error


def sentence_for(error: DBAPIError) -> str | None:
    """Give the sentence for a database error, None when it is a mistake in a statement."""
    told = str(error.orig).lower()
    for mark, sentence in SENTENCES:
        if re.search(mark, told):
            return sentence
    return LOST if error.connection_invalidated or "connection" in told else None
