"""`/scene start` and what directs a scene: begin, pause, stop, who sits where."""

from discord import app_commands

from bot.core.actions import Direction, DirectScene, StartScene, TakeSeat
from bot.core.errors import Rejected
from bot.core.records import Json, Snowflake
from bot.core.scenes.kind import MOST_SEATS
from bot.core.scenes.registry import KINDS
from bot.core.timelines.typed import pairs_of
from cogs.arguments import AgentArg
from cogs.base import Interaction, guild_of, managers_only
from cogs.scene.naming import KindArg, SceneArg, SceneGroup
from cogs.ui.guide import FOR_EVERYONE
from cogs.ui.presets import preset_view

Title = app_commands.Range[str, 1, 100]
Typed = app_commands.Range[str, 1, 1_500]


class Directing(SceneGroup):
    """Commands for who starts scenes and directs them."""

    @app_commands.command()
    async def start(
        self,
        interaction: Interaction,
        kind: KindArg | None = None,
        title: Title | None = None,
        options: Typed | None = None,
        room: AgentArg | None = None,
    ) -> None:
        """Open the lobby of a scene in a thread of a room, where people and agents take their seats.

        Args:
            kind: What is played; when left out you choose from a list
            title: What it is about
            options: What is to be otherwise, as name=value with semicolons; /scene options lists the names
            room: In whose room; this one when left out
        """
        managers_only(interaction)
        host = await self.room(interaction, room)
        if kind is None:
            await self.say(interaction, "What shall be played?", view=preset_view(host.id))
            return
        given = parsed(kind, options or "", title or "")
        await self.act(interaction, StartScene(room_id=host.id, kind=kind, title=title or "", options=given))

    @app_commands.command(extras=FOR_EVERYONE)
    async def seat(
        self, interaction: Interaction, agent: AgentArg, scene: SceneArg | None = None, comments: bool = False
    ) -> None:
        """Let an agent take a seat, or comment (for who started it, and managers).

        Args:
            agent: Which agent
            scene: Which scene; that of this thread when left out
            comments: It takes no seat, but watches what everybody sees, and comments
        """
        found = await self.scene(interaction, scene)
        await self.act(interaction, TakeSeat(scene_id=found.id, agent_id=agent.id, comments=comments))

    @app_commands.command(extras=FOR_EVERYONE)
    async def replace(
        self,
        interaction: Interaction,
        seat: app_commands.Range[int, 1, MOST_SEATS],
        agent: AgentArg | None = None,
        scene: SceneArg | None = None,
    ) -> None:
        """Let an agent take a seat that was left or is an agent's (for who started it, and managers).

        Args:
            seat: Which seat, by its number
            agent: Which agent; you yourself when left out
            scene: Which scene; that of this thread when left out
        """
        found = await self.scene(interaction, scene)
        await self.act(interaction, TakeSeat(scene_id=found.id, agent_id=agent.id if agent else None, seat=seat))

    @app_commands.command(extras=FOR_EVERYONE)
    async def begin(self, interaction: Interaction, scene: SceneArg | None = None) -> None:
        """Begin a scene whose lobby is open (for who started it, and managers).

        Args:
            scene: Which scene; that of this thread when left out
        """
        await self._direct(interaction, scene, "begin")

    @app_commands.command(extras=FOR_EVERYONE)
    async def pause(self, interaction: Interaction, scene: SceneArg | None = None) -> None:
        """Pause a scene: the time that is left is kept (for who started it, and managers).

        Args:
            scene: Which scene; that of this thread when left out
        """
        await self._direct(interaction, scene, "pause")

    @app_commands.command(extras=FOR_EVERYONE)
    async def resume(self, interaction: Interaction, scene: SceneArg | None = None) -> None:
        """Let a paused scene go on (for who started it, and managers).

        Args:
            scene: Which scene; that of this thread when left out
        """
        await self._direct(interaction, scene, "resume")

    @app_commands.command(extras=FOR_EVERYONE)
    async def stop(self, interaction: Interaction, scene: SceneArg | None = None) -> None:
        """Stop a scene for good (for who started it, and managers).

        Args:
            scene: Which scene; that of this thread when left out
        """
        await self._direct(interaction, scene, "stop")

    @app_commands.command(extras=FOR_EVERYONE)
    async def skip(self, interaction: Interaction, scene: SceneArg | None = None) -> None:
        """Make the mildest legal move for whoever is awaited (for who started it, and managers).

        Args:
            scene: Which scene; that of this thread when left out
        """
        await self._direct(interaction, scene, "skip")

    @app_commands.command(extras=FOR_EVERYONE)
    async def extend(self, interaction: Interaction, scene: SceneArg | None = None) -> None:
        """Give whoever is awaited two minutes more (for who started it, and managers).

        Args:
            scene: Which scene; that of this thread when left out
        """
        await self._direct(interaction, scene, "extend")

    @app_commands.command()
    async def replay(self, interaction: Interaction, scene: SceneArg | None = None) -> None:
        """Fold a scene's log again, and prove that it comes to what is kept.

        Args:
            scene: Which scene; that of this thread when left out
        """
        managers_only(interaction)
        found = await self.scene(interaction, scene)
        who = Snowflake(interaction.user.id)
        await self.say(interaction, await self.desk.scenes.replay(guild_of(interaction), found.id, who=who))

    async def _direct(self, interaction: Interaction, scene: int | None, what: Direction) -> None:
        found = await self.scene(interaction, scene)
        await self.act(interaction, DirectScene(scene_id=found.id, what=what))


def parsed(kind: str, typed: str, title: str) -> dict[str, Json]:
    """Read options as they are typed; the title is the topic where there is one. Raises Rejected."""
    fields = KINDS[kind].options.model_fields
    given: dict[str, Json] = {"topic": title} if title and "topic" in fields else {}
    for name, value in pairs_of(typed):
        if name.startswith("briefs."):
            briefs = given.setdefault("briefs", {})
            if isinstance(briefs, dict):
                briefs[name.removeprefix("briefs.")] = value
            continue
        if name not in fields:
            raise Rejected(f"{name!r} is no option: /scene options lists them.")
        given[name] = value
    return given
