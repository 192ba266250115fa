"""Who pays for a call, and for how much of it: the installation's ceilings, and the shares of a call's agents.

Revision ID: 0012
Revises: 0011
"""

import sqlalchemy as sa
from alembic import op

from storage.columns import Document

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

RESERVATIONS = sa.table(
    "reservations", sa.column("id", sa.Integer()), sa.column("agents", Document()), sa.column("paid", sa.Boolean())
)


def upgrade() -> None:
    """Whatever was set aside before counts against the installation's ceilings, and agents shared it equally."""
    op.add_column("reservations", sa.Column("paid", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute(RESERVATIONS.update().values(paid=True))
    op.create_index(op.f("ix_reservations_day_paid"), "reservations", ["day", "paid"], unique=False)
    found = op.get_bind().execute(sa.select(RESERVATIONS.c.id, RESERVATIONS.c.agents)).all()
    for id, agents in found:
        if isinstance(agents, list):
            weights = {str(agent_id): 1 for agent_id in agents}
            op.execute(RESERVATIONS.update().where(RESERVATIONS.c.id == id).values(agents=weights))
