"""`/room`: how rooms look, who is in them, and how fast they talk."""

from cogs.room.company import Company
from cogs.room.settings import RoomSettings


class RoomCog(Company, RoomSettings, group_name="room", group_description="Look at rooms and change them"):
    """Commands on rooms."""


__all__ = ["RoomCog"]
