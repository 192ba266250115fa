"""`/setup`: what a new server needs, step by step; it can be run again at any time."""

from cogs.setup.archives import Archives
from cogs.setup.models import Models
from cogs.setup.settings import Settings


class SetupCog(
    Settings, Models, Archives, group_name="setup", group_description="What Selfroom needs on this server (managers)"
):
    """Commands on the server's own settings, and on all that is kept of it."""


__all__ = ["SetupCog"]
