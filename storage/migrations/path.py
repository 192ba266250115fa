"""The path from whatever revision a database has to the newest one."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text
from sqlalchemy.schema import SchemaItem

from bot.core.errors import StoreError

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory

FOLDER = Path(__file__).parent
FIRST = "0016"  # the tables of the first release; what came before is one with it
INDEX_TABLE = "message_words"  # made by hand in the migrations: no metadata knows a full-text table


@cache
def revisions() -> tuple[str, ...]:
    """Give the revisions that this program knows, the newest last.

    Their files tell: alembic, which would read and run them all, is loaded only where there is something to upgrade.
    """
    return tuple(sorted(path.name.partition("_")[0] for path in FOLDER.glob("versions/[0-9]*_*.py")))


def revision_of(connection: Connection) -> str | None:
    """Give the revision of a database; None for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


def refuse_newer(current: str | None) -> None:
    """Raise StoreError when the database has a revision that this program does not know any more, or not yet."""
    if current is None or current in revisions():
        return
    if current < FIRST:
        raise StoreError(f"The database (revision {current}) is from before the first release: begin a new one.")
    raise StoreError(f"The database (revision {current}) is newer than this program: install the newest Selfroom.")


def is_behind(current: str | None) -> bool:
    """Tell whether there are revisions to run."""
    return current != revisions()[-1]


@cache
def scripts() -> "ScriptDirectory":
    """Give what alembic knows of the revisions, which are loaded by it."""
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    return ScriptDirectory.from_config(config)


def upgrade(connection: Connection, to: str = "head") -> None:
    """Run the revisions that are missing, within the connection's transaction; all or nothing."""
    from alembic.migration import MigrationContext
    from alembic.operations import Operations

    def steps(revision: object, context: object) -> object:
        return scripts()._upgrade_revs(to, revision)  # type: ignore[arg-type]  # what alembic's own command does

    context = MigrationContext.configure(connection, opts={"fn": steps, "transactional_ddl": True})
    with Operations.context(context):
        context.run_migrations()


def is_ours(item: SchemaItem, name: str | None, kind: str, reflected: bool, other: SchemaItem | None) -> bool:
    """Tell `alembic check` which tables to compare: not the full-text index and its shadows."""
    return not (name or "").startswith(INDEX_TABLE)
