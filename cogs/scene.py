"""`/scene`: games and meetings, played by agents and people."""

from collections.abc import Mapping, Sequence

from discord import app_commands

from bot.core.actions import Direction, DirectScene, LeaveSeat, Play, StartScene, TakeSeat
from bot.core.errors import NotFound, Rejected
from bot.core.people import mention
from bot.core.records import AgentId, Json, Snowflake
from bot.core.scenes.kind import MOST_SEATS
from bot.core.scenes.moves import parameters
from bot.core.scenes.records import Fared, Scene, SceneStatus
from bot.core.scenes.registry import KINDS, kind_named
from bot.core.scenes.showing import hint_of
from bot.core.wording import as_words, counted, honest
from cogs.arguments import AgentArg, Choices, pairs_of
from cogs.base import Group, Interaction, choices, guild_of, managers_only, may_read, person, wait
from cogs.ui.guide import FOR_EVERYONE
from cogs.ui.presets import PresetSelect, preset_view
from cogs.ui.scene_pictures import results_files, results_text
from cogs.ui.scenes import (
    DRAWN,
    BoardButton,
    CombinationSelect,
    FormButton,
    MoveButton,
    MoveSelect,
    SuggestedSelect,
    read,
    seen,
    show_seat,
)
from cogs.ui.texts import label

Title = app_commands.Range[str, 1, 100]
Typed = app_commands.Range[str, 1, 1_500]
REST_SECONDS = 20.0
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
        shown = [one for one in await _seen(interaction) if value in str(one.id) or value.casefold() in one.kind]
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


async def _seen(interaction: Interaction) -> list[Scene]:
    """Give the scenes in rooms that whoever asks may read."""
    scenes = await interaction.client.desk.scenes.all(guild_of(interaction))
    rooms = {}
    for room_id in {one.room_id for one in scenes}:
        room = await interaction.client.desk.rooms.place(guild_of(interaction), room_id)
        rooms[room_id] = room is not None and may_read(interaction, room.channel_id)
    return [one for one in scenes if rooms[one.room_id]]


class SceneCog(Group, group_name="scene", group_description="Games and meetings, played by agents and people"):
    """Commands on scenes."""

    async def cog_load(self) -> None:
        """Know the buttons that were sent before the last start."""
        self.client.add_dynamic_items(
            BoardButton, PresetSelect, MoveButton, MoveSelect, CombinationSelect, SuggestedSelect, FormButton
        )

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
    async def list_(self, interaction: Interaction) -> None:
        """List the scenes there are and were, the newest first."""
        await wait(interaction)
        lines = [_listed(one) for one in await _seen(interaction)]
        await self.list_out(interaction, "Scenes", lines, empty="There are no scenes yet: `/scene start` opens one.")

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
    async def stats(self, interaction: Interaction) -> None:
        """Show how agents and people fared in the scenes that came to their end, in rooms that you can read."""
        await wait(interaction)
        rooms = {one.room_id for one in await _seen(interaction)}
        fared, names = await self.desk.scenes.fared(guild_of(interaction), rooms)
        lines = _fared(fared, names, await self.desk.providers.coin(guild_of(interaction)))
        await self.list_out(interaction, "Scenes played", lines, empty="No scene has ended yet.")

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

    async def scene(self, interaction: Interaction, number: int | None) -> Scene:
        """Give the scene that was named, else that of this thread; raises NotFound for one they may not see."""
        await wait(interaction)
        if number is None:
            there = await self.desk.scenes.at(guild_of(interaction), interaction.channel_id)
            if there is None:
                raise NotFound(NO_SCENE)
            number = there.id
        return await seen(interaction, number)


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
    about = f", {label(scene.title)}" if scene.title else ""
    return f"**{scene.id}** {scene.kind}{about}{where}, {scene.status}{why}, {counted(len(scene.seats), 'seat')}"


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
