"""The path from whatever revision a database has to the newest one."""

from functools import cache
from pathlib import Path

from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from alembic.script.revision import ResolutionError
from alembic.util import CommandError
from sqlalchemy import Connection
from sqlalchemy.schema import SchemaItem

from bot.core.errors import StoreError

FOLDER = Path(__file__).parent
FIRST = "0016"  # the tables of the first release; what came before is one with it
INDEX_TABLE = "message_words"  # made by hand in the migrations: no metadata knows a full-text table


@cache
def revisions() -> ScriptDirectory:
    """Give the revisions that this program knows."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    return ScriptDirectory.from_config(config)


def revision_of(connection: Connection) -> str | None:
    """Give the revision of a database; None for an empty one."""
    return MigrationContext.configure(connection).get_current_revision()


def refuse_newer(current: str | None) -> None:
    """Raise StoreError when the database has a revision that this program does not know any more, or not yet."""
    if current is None:
        return
    if current < FIRST:
        raise StoreError(f"The database (revision {current}) is from before the first release: begin a new one.")
    try:
        revisions().get_revision(current)
    except (ResolutionError, CommandError) as error:
        raise StoreError(
            f"The database (revision {current}) is newer than this program: install the newest Selfroom."
        ) from error


def is_behind(current: str | None) -> bool:
    """Tell whether there are revisions to run."""
    return current != revisions().get_current_head()


def upgrade(connection: Connection, to: str = "head") -> None:
    """Run the revisions that are missing, within the connection's transaction; all or nothing."""
    script = revisions()

    def steps(revision: object, context: object) -> object:
        return script._upgrade_revs(to, revision)  # type: ignore[arg-type]  # what alembic's own command does

    context = MigrationContext.configure(connection, opts={"fn": steps, "transactional_ddl": True})
    with Operations.context(context):
        context.run_migrations()


def is_ours(item: SchemaItem, name: str | None, kind: str, reflected: bool, other: SchemaItem | None) -> bool:
    """Tell `alembic check` which tables to compare: not the full-text index and its shadows."""
    return not (name or "").startswith(INDEX_TABLE)
