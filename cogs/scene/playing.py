"""`/scene join`, `move` and what shows scenes."""

from collections.abc import Mapping, Sequence

from discord import app_commands

from bot.core.actions import LeaveSeat, Play, TakeSeat
from bot.core.people import mention
from bot.core.records import AgentId, Json
from bot.core.scenes.moves import parameters
from bot.core.scenes.records import Fared, Scene, SceneStatus
from bot.core.scenes.registry import KINDS
from bot.core.scenes.showing import hint_of, title_of
from bot.core.timelines.typed import pairs_of
from bot.core.wording import as_words, counted, honest
from cogs.arguments import AgentArg
from cogs.base import Interaction, guild_of, person, wait
from cogs.scene.naming import KindArg, MoveArg, SceneArg, SceneGroup, scenes_seen
from cogs.ui.guide import FOR_EVERYONE
from cogs.ui.presets import PresetSelect
from cogs.ui.scene_choices import read
from cogs.ui.scene_pictures import results_files, results_text
from cogs.ui.scenes import (
    DRAWN,
    BoardButton,
    CombinationSelect,
    FormButton,
    MoveButton,
    MoveSelect,
    SuggestedSelect,
    show_seat,
)
from cogs.ui.texts import label

Typed = app_commands.Range[str, 1, 1_500]


class Playing(SceneGroup):
    """Commands for who plays in scenes, or looks at them."""

    async def cog_load(self) -> None:
        """Know the buttons that were sent before the last start."""
        self.client.add_dynamic_items(
            BoardButton, PresetSelect, MoveButton, MoveSelect, CombinationSelect, SuggestedSelect, FormButton
        )

    @app_commands.command(extras=FOR_EVERYONE)
    async def options(self, interaction: Interaction, kind: KindArg) -> None:
        """List what may be chosen for a kind of scene, and its rules.

        Args:
            kind: Which kind
        """
        found = KINDS[kind]
        moves = [f"- **{as_words(move.name)}**: {hint_of(move)}" for move in found.moves]
        fields = [f"- `{name}`: {info.description}" for name, info in found.options.model_fields.items()]
        await self.list_out(interaction, found.title, [found.rules, *moves, "**Options**", *fields], empty="None.")

    @app_commands.command(name="list", extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(30, 60.0)
    async def list_(self, interaction: Interaction) -> None:
        """List the scenes there are and were, the newest first."""
        await wait(interaction)
        lines = [_listed(one) for one in await scenes_seen(interaction)]
        empty = "There are no scenes yet: managers open one with `/scene start`."
        await self.list_out(interaction, "Scenes", lines, empty=empty)

    @app_commands.command(extras=FOR_EVERYONE)
    async def show(self, interaction: Interaction, scene: SceneArg | None = None) -> None:
        """Show a scene as everybody sees it.

        Args:
            scene: Which scene; that of this thread when left out
        """
        found = await self.scene(interaction, scene)
        told = await self.desk.scenes.told(guild_of(interaction), found.id)
        await self.say(interaction, honest("\n".join([f"**{told.board.title}**", *told.board.lines])[:1_900]))

    @app_commands.command(extras=FOR_EVERYONE)
    async def join(self, interaction: Interaction, scene: SceneArg | None = None, ping: bool | None = None) -> None:
        """Take a seat in a scene whose lobby is open, or say whether you are called when it is your turn.

        Args:
            scene: Which scene; that of this thread when left out
            ping: Whether you are called in the thread when it is your turn
        """
        found = await self.scene(interaction, scene)
        await self.act(interaction, TakeSeat(scene_id=found.id, pings=ping))

    @app_commands.command(extras=FOR_EVERYONE)
    async def leave(
        self, interaction: Interaction, scene: SceneArg | None = None, agent: AgentArg | None = None
    ) -> None:
        """Leave your seat in a scene, or take an agent from its seat.

        Args:
            scene: Which scene; that of this thread when left out
            agent: An agent that is to leave (for who started it, and managers)
        """
        found = await self.scene(interaction, scene)
        await self.act(interaction, LeaveSeat(scene_id=found.id, agent_id=agent.id if agent else None))

    @app_commands.command(extras=FOR_EVERYONE)
    async def move(
        self,
        interaction: Interaction,
        move: MoveArg | None = None,
        arguments: Typed | None = None,
        scene: SceneArg | None = None,
    ) -> None:
        """See your seat and what you may do, or do it.

        Args:
            move: What you do; nothing shows your seat
            arguments: Its parameters as name=value with semicolons; of a move with one, only the value
            scene: Which scene; that of this thread when left out
        """
        found = await self.scene(interaction, scene)
        if move is None:
            await show_seat(interaction, found.id)
            return
        turn = await self.desk.scenes.seat(guild_of(interaction), found.id, person(interaction))
        given = _arguments(found, move, arguments or "")
        await self.act(interaction, Play(scene_id=found.id, window=turn.window, move=move, arguments=given))

    @app_commands.command(extras=FOR_EVERYONE)
    async def results(self, interaction: Interaction, scene: SceneArg | None = None) -> None:
        """Show how a scene stands or ended, with all that happened as a file.

        Args:
            scene: Which scene; that of this thread when left out
        """
        found = await self.scene(interaction, scene)
        DRAWN.take(interaction, interaction.user.id)
        told = await self.desk.scenes.told(guild_of(interaction), found.id)
        await self.say(interaction, results_text(told), files=await results_files(told))

    @app_commands.command(extras=FOR_EVERYONE)
    @app_commands.checks.cooldown(30, 60.0)
    async def stats(self, interaction: Interaction) -> None:
        """Show how agents and people fared in the scenes that came to their end, in rooms that you can read."""
        await wait(interaction)
        rooms = {one.room_id for one in await scenes_seen(interaction)}
        fared, names = await self.desk.scenes.fared(guild_of(interaction), rooms)
        lines = _fared(fared, names, await self.desk.providers.coin(guild_of(interaction)))
        await self.list_out(interaction, "Scenes played", lines, empty="No scene has ended yet.")


def _arguments(scene: Scene, move: str, typed: str) -> Mapping[str, Json]:
    model = KINDS[scene.kind].move_named(move)
    known = {one.name: one for one in parameters(model)} if model is not None else {}
    if len(known) == 1 and typed:
        (one,) = known.values()
        return {one.name: read(one, typed.removeprefix(f"{one.name}="))}
    return {name: read(known[name], value) if name in known else value for name, value in pairs_of(typed)}


def _listed(scene: Scene) -> str:
    where = f" in <#{scene.thread_id}>" if scene.thread_id is not None else ""
    why = f": {scene.why}" if scene.status is SceneStatus.PAUSED else ""
    return f"**{label(title_of(scene))}**{where}, {scene.status}{why}, {counted(len(scene.seats), 'seat')}"


def _fared(fared: Sequence[Fared], names: Mapping[AgentId, str], coin: str) -> list[str]:
    lines = []
    for one in fared:
        agent = label(names.get(one.agent_id, "an agent that is gone")) if one.agent_id is not None else ""
        who = agent or (mention(one.person_id) if one.person_id is not None else "somebody who left")
        lines.append(
            f"{one.kind}: {who} played {one.played}, won {one.won}, score {one.score}, {counted(one.turns, 'turn')}, "
            f"{counted(one.refused, 'refused move')}, {counted(one.misses, 'miss', 'misses')}"
            + (f", {one.usd:.4f} {coin}" if one.agent_id is not None else "")
        )
    return lines
