"""What the `alembic` command runs: against a throw-away database in memory unless one is named with `-x url=…`."""

from alembic import context
from sqlalchemy import create_engine

from storage.migrations.path import is_ours, upgrade
from storage.tables import METADATA

engine = create_engine(context.get_x_argument(as_dictionary=True).get("url", "sqlite://"))
with engine.connect() as connection:
    if "url" not in context.get_x_argument(as_dictionary=True):
        upgrade(connection)
    context.configure(
        connection=connection, target_metadata=METADATA, compare_type=True, include_object=is_ours, render_as_batch=True
    )
    with context.begin_transaction():
        context.run_migrations()
    connection.commit()
engine.dispose()
