"""`/timeline`: what if. Worlds that go on from a moment, and in which nothing that happens ever happened."""

from cogs.timeline.growing import Growing
from cogs.timeline.looking import Looking
from cogs.timeline.merging import Merging


class TimelineCog(
    Growing, Looking, Merging, group_name="timeline", group_description="What if: worlds that go on from a moment"
):
    """Commands on trees of timelines."""


__all__ = ["TimelineCog"]
