"""`/scene`: games and meetings, played by agents and people."""

from cogs.scene.directing import Directing
from cogs.scene.playing import Playing


class SceneCog(
    Directing, Playing, group_name="scene", group_description="Games and meetings, played by agents and people"
):
    """Commands on scenes."""


__all__ = ["SceneCog"]
