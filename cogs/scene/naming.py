"""What commands on scenes are given: scenes, kinds and moves by their names."""

from discord import app_commands

from bot.core.errors import NotFound, Rejected
from bot.core.scenes.records import Scene
from bot.core.scenes.registry import KINDS, kind_named
from cogs.arguments import Choices
from cogs.base import Group, Interaction, choices, guild_of, may_read, person, wait
from cogs.ui.scenes import seen

NO_SCENE = "This is no scene's thread: name the scene by its number, /scene list shows them."


class SceneNumber(app_commands.Transformer):
    """A scene, by its number."""

    async def transform(self, interaction: Interaction, value: str) -> int:  # type: ignore[override]
        """Read the number; raises Rejected."""
        if not (value.isascii() and value.isdigit() and len(value) < 10):
            raise Rejected("Give the number of a scene: /scene list shows them.")
        return int(value)

    async def autocomplete(self, interaction: Interaction, value: str) -> Choices:  # type: ignore[override]
        """Suggest scenes that whoever types may see, the newest first."""
        shown = [one for one in await scenes_seen(interaction) if value in str(one.id) or value.casefold() in one.kind]
        return choices([(f"{one.id}: {one.kind} {one.title} ({one.status})", str(one.id)) for one in shown])


class KindName(app_commands.Transformer):
    """A kind of scene, by its name."""

    async def transform(self, interaction: Interaction, value: str) -> str:  # type: ignore[override]
        """Find the kind; raises NotFound."""
        return kind_named(value.strip().casefold()).kind

    async def autocomplete(self, interaction: Interaction, value: str) -> Choices:  # type: ignore[override]
        """Suggest the kinds there are."""
        fitting = [one for one in KINDS.values() if value.casefold() in one.kind]
        return choices([(f"{one.title}: {one.rules.split('.')[0]}", one.kind) for one in fitting])


class MoveName(app_commands.Transformer):
    """A move that one may make now."""

    async def transform(self, interaction: Interaction, value: str) -> str:  # type: ignore[override]
        """Take the name: whether it is a move now is for the rules to say."""
        return value.strip().casefold().replace(" ", "_")

    async def autocomplete(self, interaction: Interaction, value: str) -> Choices:  # type: ignore[override]
        """Suggest what the seat of whoever types may do now."""
        scene = await interaction.client.desk.scenes.at(guild_of(interaction), interaction.channel_id)
        if scene is None or scene.seat_of(person_id=person(interaction).id) is None or not scene.standing:
            return []
        turn = await interaction.client.desk.scenes.seat(guild_of(interaction), scene.id, person(interaction))
        return choices([(one.signature, one.name) for one in turn.moves if value in one.name])


SceneArg = app_commands.Transform[int, SceneNumber]
KindArg = app_commands.Transform[str, KindName]
MoveArg = app_commands.Transform[str, MoveName]


async def scenes_seen(interaction: Interaction) -> list[Scene]:
    """Give the scenes in rooms that whoever asks may read."""
    scenes = await interaction.client.desk.scenes.all(guild_of(interaction))
    known = await interaction.client.desk.agents.names(guild_of(interaction))
    rooms = {id_ for id_, (_, channel_id) in known.items() if may_read(interaction, channel_id)}
    return [one for one in scenes if one.room_id in rooms]


class SceneGroup(Group):
    """Commands on a scene: that which is named, else that of the thread."""

    async def scene(self, interaction: Interaction, number: int | None) -> Scene:
        """Give the scene that was named, else that of this thread; raises NotFound for one they may not see."""
        await wait(interaction)
        if number is None:
            there = await self.desk.scenes.at(guild_of(interaction), interaction.channel_id)
            if there is None:
                raise NotFound(NO_SCENE)
            number = there.id
        return await seen(interaction, number)
