"""Scenes under one's fingers: the buttons of boards, and one's own seat with a button, select or form for each move.

What they mean stands in their ids, so they survive a restart; neither a seat nor a role is among it.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Self
from urllib.parse import parse_qsl, urlencode

import discord

from bot.client import Offering, SelfroomClient
from bot.core.actions import Action, DirectScene, LeaveSeat, Play, TakeSeat
from bot.core.errors import NotFound, Rejected
from bot.core.permissions import ONLY_DIRECTORS
from bot.core.records import Json, SceneId, Snowflake
from bot.core.scenes.moves import NOT_ASKED, Parameter
from bot.core.scenes.records import Scene, SceneStatus
from bot.core.scenes.registry import KINDS
from bot.core.scenes.showing import PRESS_ID, ShownMove, Turn, hint_of, press_id, title_of
from bot.core.sentences import Sentence
from bot.core.wording import as_words
from bot.languages import spoken
from bot.languages.shown import speak_view
from cogs.ui import rights
from cogs.ui.again import MOST_OPTIONS, Again, Item, Lasting, chosen, question
from cogs.ui.forms import Form, open_form
from cogs.ui.patience import Patience
from cogs.ui.scene_choices import asked, combinations, combined, named, number, read
from cogs.ui.scene_pictures import drawn, results_files, results_text
from cogs.ui.seats import SEATS, SHOWN_CHARACTERS, Look, asked_text, seat_text

Interaction = discord.Interaction[SelfroomClient]
Button = discord.ui.Button[discord.ui.View]
MOST_BUTTONS = 5
FORM_CHARACTERS = 4_000
NAME = r"[a-z_]{1,40}"
PRESSES = Patience(40, 60.0)  # of one person, at all scenes: each may have a board drawn anew
DRAWN = Patience(6, 60.0)


def guild_of(interaction: Interaction) -> Snowflake:
    """Give the server's id."""
    if interaction.guild_id is None:
        raise NotFound("This works in a server only.")
    return Snowflake(interaction.guild_id)


async def seen(interaction: Interaction, scene_id: int) -> Scene:
    """Give a scene whose room the person may read now; raises NotFound, or CommandOnCooldown for one too many."""
    PRESSES.take(interaction, interaction.user.id)
    desk, guild_id = interaction.client.desk, guild_of(interaction)
    found = await desk.scenes.find(guild_id, scene_id)
    room = await desk.rooms.place(guild_id, found.room_id)
    if room is None or not rights.may_read(interaction, room.channel_id):
        raise NotFound(f"There is no scene {scene_id} here: /scene list shows those that are.")
    return found


async def act(interaction: Interaction, action: Action) -> str:
    """Do something as the person who pressed."""
    client = interaction.client
    outcome = await client.desk.actions.take(guild_of(interaction), client.person(interaction.user), action)
    return await rights.told(interaction, outcome)


async def tell(
    interaction: Interaction, text: str, view: discord.ui.View | None = None, *, files: Sequence[discord.File] = ()
) -> None:
    """Answer the person alone."""
    shown, beside = view or discord.utils.MISSING, [*files] or discord.utils.MISSING
    locale = interaction.locale.value
    if view is not None:
        speak_view(view, locale)
    said = spoken(text, locale)[:SHOWN_CHARACTERS]
    if interaction.response.is_done():
        await interaction.followup.send(said, view=shown, files=beside, ephemeral=True)
    else:
        await interaction.response.send_message(said, view=shown, files=beside, ephemeral=True)


class BoardButton(Lasting, template=PRESS_ID):
    """A button or select of a board; who may do it is decided where it is done."""

    def __init__(self, item: discord.ui.Item[discord.ui.View], what: str, scene_id: int) -> None:
        super().__init__(item)  # type: ignore[arg-type]  # a select is pressed as a button is
        self.what = what
        self.scene_id = scene_id

    @classmethod
    def read(cls, item: Item, match: re.Match[str]) -> Self:
        return cls(item, match["what"], int(match["id"]))

    async def pressed(self, interaction: Interaction) -> None:
        """Do what it is for, and tell who pressed."""
        if self.what == "act":
            await show_moves(interaction, self.scene_id)
            return
        await interaction.response.defer(ephemeral=True, thinking=True)
        scene = await seen(interaction, self.scene_id)
        match self.what:
            case "seat":
                await show_seat(interaction, self.scene_id)
            case "stop":
                await ask_to_stop(interaction, scene)
            case "leave" if scene.status is not SceneStatus.LOBBY:
                await ask_to_leave(interaction, scene)
            case "rules":
                await show_rules(interaction, self.scene_id)
            case "history" | "results":
                await show_history(interaction, self.scene_id)
            case _:
                told = [await _outcome(interaction, one) for one in self._actions(interaction)]
                await tell(interaction, "\n".join(told))

    def _actions(self, interaction: Interaction) -> list[Action]:
        values = chosen(interaction)
        match self.what:
            case "join" | "ping":
                return [TakeSeat(scene_id=self.scene_id, pings=True if self.what == "ping" else None)]
            case "leave":
                return [LeaveSeat(scene_id=self.scene_id)]
            case "agents":
                return [TakeSeat(scene_id=self.scene_id, agent_id=int(value)) for value in values]
            case "comment":
                return [TakeSeat(scene_id=self.scene_id, agent_id=int(value), comments=True) for value in values]
            case "choose":
                return [DirectScene(scene_id=self.scene_id, what="choose", seat=int(values[0]))]
            case "begin" | "pause" | "resume" | "add" as what:
                return [DirectScene(scene_id=self.scene_id, what=what)]
        raise Rejected("That button is of an older Selfroom: use /scene show.")


async def _outcome(interaction: Interaction, action: Action) -> str:
    """Do something; of several things at once, what is refused keeps none of the others from being done."""
    try:
        return await act(interaction, action)
    except Rejected as no:
        return no.sentence


async def ask_to_stop(interaction: Interaction, scene: Scene) -> None:
    """Ask whoever may stop a scene whether they are sure; raises Rejected for others."""
    who = interaction.client.person(interaction.user)
    if not (who.is_architect or who.id == scene.started_by):
        raise Rejected(ONLY_DIRECTORS)
    again = Again("scene stop", (f"scene={scene.id}",))
    await tell(interaction, f"Stop {title_of(scene)} for good? It cannot go on afterwards.", question(again, "Stop it"))


async def ask_to_leave(interaction: Interaction, scene: Scene) -> None:
    """Ask whoever would leave a scene that goes on whether they are sure; raises Rejected for who sits nowhere."""
    if scene.seat_of(person_id=interaction.client.person(interaction.user).id) is None:
        raise Rejected(Sentence("You do not sit in that scene."))
    asked = Sentence("Leave {scene}? Nobody waits for your seat then, and an agent may take it.", scene=title_of(scene))
    again = Again("scene leave", (f"scene={scene.id}",))
    await tell(interaction, asked, question(again, Sentence("Leave my seat")))


async def show_seat(interaction: Interaction, scene_id: int, note: str = "") -> None:
    """Show a person's own seat to them alone, with what they may do now; `note`: what came of their last move.

    Raises Offering, with the seat itself, for who left it.
    """
    async with SEATS.of(interaction, scene_id).busy:  # else what became of it meanwhile is shown where it was before
        await _show_seat(interaction, scene_id, note)


async def _show_seat(interaction: Interaction, scene_id: int, note: str) -> None:
    who, scenes = interaction.client.person(interaction.user), interaction.client.desk.scenes
    try:
        turn = await scenes.seat(guild_of(interaction), scene_id, who)
    except Rejected:
        scene = await scenes.find(guild_of(interaction), scene_id)
        if (left := scene.left_seat(who.id)) is None:
            raise
        view = discord.ui.View(timeout=None)
        view.add_item(_back(scene_id, Sentence("Take it again")))
        where = {"seat": left.seat, "scene": title_of(scene)}
        raise Offering(Sentence("You left seat {seat} of {scene}, and nobody has taken it.", **where), view) from None
    await SEATS.show(interaction, scene_id, look_of(turn, note))


def _back(scene_id: int, label: str) -> BoardButton:
    """Give the button by which somebody comes back to their seat."""
    button: discord.ui.Button[discord.ui.View] = discord.ui.Button(
        label=label, style=discord.ButtonStyle.success, custom_id=press_id("join", SceneId(scene_id))
    )
    return BoardButton(button, "join", scene_id)


async def show_moves(interaction: Interaction, scene_id: int) -> None:
    """Offer a person what they may do now: its form at once where that is the only thing. Raises Rejected for none."""
    await seen(interaction, scene_id)
    who = interaction.client.person(interaction.user)
    turn = await interaction.client.desk.scenes.seat(guild_of(interaction), scene_id, who)
    if not turn.moves:
        raise Rejected(NOT_ASKED)
    if len(turn.moves) == 1 and isinstance(_items(turn, turn.moves[0])[0], FormButton):
        await open_form(interaction, MoveForm(turn, turn.moves[0]))
    else:
        await tell(interaction, asked_text(turn), seat_view(turn))


def look_of(turn: Turn, note: str = "") -> Look:
    """Give how a seat is shown in one message."""
    return Look(
        text=seat_text(turn, note),
        moves=str([turn.seat in turn.away, *([one.custom_id for one in _items(turn, move)] for move in turn.moves)]),
        view=partial(seat_view, turn),
        picture=json.dumps([turn.picture, [*turn.names.items()]]) if turn.picture else "",
        draw=partial(drawn, turn.kind, turn.picture, turn.names),
    )


def seat_view(turn: Turn) -> discord.ui.View | None:
    """Give a button, select or form for each move that is legal now."""
    view = discord.ui.View(timeout=None)
    if turn.seat in turn.away:
        view.add_item(_back(turn.scene_id, Sentence("I am back")))
    for move in turn.moves:
        for item in _items(turn, move):
            view.add_item(item)
    view.stop()  # what its buttons do is known by their ids
    return view if view.children else None


def _items(turn: Turn, move: ShownMove) -> Sequence[Lasting]:
    needed = [one for one in move.parameters if not one.optional]
    if not needed:
        return [MoveButton(turn.scene_id, turn.window, move.name, words=move.words)]
    choices = [one for one in move.parameters if one.what != "text"]
    if len(needed) == len(choices) == 1 and needed == choices:
        values = move.values.get(needed[0].name, ())
        if move.suggested.get(needed[0].name):
            return [SuggestedSelect.drawn(turn, move, needed[0]), FormButton.drawn(turn, move)]
        if len(values) <= MOST_BUTTONS and needed[0].what == "one":
            buttons = [
                MoveButton(
                    turn.scene_id,
                    turn.window,
                    move.name,
                    needed[0].name,
                    str(one),
                    words=f"{move.words}: {named(turn, needed[0], one)}",
                )
                for one in values
            ]
            more = [one.name for one in move.parameters if one.optional]
            return [*buttons, FormButton.drawn(turn, move, more)] if more else buttons
        if len(values) <= MOST_OPTIONS:
            return [MoveSelect.drawn(turn, move, needed[0])]
    if 1 <= len(combinations(move)) <= MOST_OPTIONS:
        return [CombinationSelect.drawn(turn, move)]
    return [FormButton.drawn(turn, move)]


class MoveButton(
    Lasting, template=rf"play:(?P<id>\d+):(?P<window>\d+):(?P<move>{NAME})(?::(?P<name>{NAME})=(?P<value>.*))?"
):
    """One move, whole as it is."""

    def __init__(
        self, scene_id: int, window: int, move: str, name: str = "", value: str = "", *, words: str = ""
    ) -> None:
        given = f":{name}={value}" if name else ""
        super().__init__(
            discord.ui.Button(label=(words or move)[:80], custom_id=f"play:{scene_id}:{window}:{move}{given}")
        )
        self.play = (scene_id, window, move)
        self.arguments: dict[str, Json] = {name: number(value)} if name else {}

    @classmethod
    def read(cls, item: Item, match: re.Match[str]) -> Self:
        return cls(int(match["id"]), int(match["window"]), match["move"], match["name"] or "", match["value"] or "")

    async def pressed(self, interaction: Interaction) -> None:
        """Make the move."""
        scene_id, window, move = self.play
        await press(interaction, scene_id, window, move, self.arguments)


class MoveSelect(
    Lasting, template=rf"pick:(?P<id>\d+):(?P<window>\d+):(?P<move>{NAME}):(?P<name>{NAME}):(?P<what>one|many)"
):
    """A move with one parameter, chosen from a list."""

    @classmethod
    def drawn(cls, turn: Turn, move: ShownMove, one: Parameter) -> Self:
        """Give the select as Discord shows it."""
        values = move.values[one.name]
        options = [discord.SelectOption(label=named(turn, one, value)[:100], value=str(value)) for value in values]
        select: discord.ui.Select[discord.ui.View] = discord.ui.Select(
            custom_id=f"pick:{turn.scene_id}:{turn.window}:{move.name}:{one.name}:{one.what}",
            options=options,
            placeholder=move.words,
            max_values=len(options) if one.what == "many" else 1,
        )
        return cls(select)  # type: ignore[arg-type]  # a select is pressed as a button is

    @classmethod
    def read(cls, item: Item, match: re.Match[str]) -> Self:
        return cls(item)  # type: ignore[arg-type]

    async def pressed(self, interaction: Interaction) -> None:
        """Make the move."""
        of = self.template.fullmatch(self.custom_id)
        values: list[Json] = [number(value) for value in chosen(interaction)]
        if of is None or not values:
            raise Rejected("That moment has passed: press *My seat* again.")
        given: Json = values if of["what"] == "many" else values[0]
        await press(interaction, int(of["id"]), int(of["window"]), of["move"], {of["name"]: given})


class CombinationSelect(Lasting, template=rf"choose:(?P<id>\d+):(?P<window>\d+):(?P<move>{NAME})"):
    """A move with several parameters, chosen from a list of all that they may be together."""

    @classmethod
    def drawn(cls, turn: Turn, move: ShownMove) -> Self:
        """Give the select as Discord shows it."""
        options = [
            discord.SelectOption(label=combined(turn, move, one)[:100], value=urlencode(one)[:100])
            for one in combinations(move)
        ]
        select: discord.ui.Select[discord.ui.View] = discord.ui.Select(
            custom_id=f"choose:{turn.scene_id}:{turn.window}:{move.name}",
            options=options,
            placeholder=move.words,
        )
        return cls(select)  # type: ignore[arg-type]  # a select is pressed as a button is

    @classmethod
    def read(cls, item: Item, match: re.Match[str]) -> Self:
        return cls(item)  # type: ignore[arg-type]

    async def pressed(self, interaction: Interaction) -> None:
        """Make the move."""
        of, values = self.template.fullmatch(self.custom_id), chosen(interaction)
        if of is None or not values:
            raise Rejected("That moment has passed: press *My seat* again.")
        given = {name: number(value) for name, value in parse_qsl(values[0])}
        await press(interaction, int(of["id"]), int(of["window"]), of["move"], given)


class SuggestedSelect(Lasting, template=rf"suggest:(?P<id>\d+):(?P<window>\d+):(?P<move>{NAME}):(?P<name>{NAME})"):
    """A move with a list of which few choices are legal: some of those; the form beside it takes any."""

    @classmethod
    def drawn(cls, turn: Turn, move: ShownMove, one: Parameter) -> Self:
        """Give the select as Discord shows it."""
        words = [" ".join(map(str, values)) for values in move.suggested[one.name][:MOST_OPTIONS]]
        select: discord.ui.Select[discord.ui.View] = discord.ui.Select(
            custom_id=f"suggest:{turn.scene_id}:{turn.window}:{move.name}:{one.name}",
            options=[discord.SelectOption(label=told[:100], value=told[:100]) for told in words],
            placeholder=f"{move.words} …",
        )
        return cls(select)  # type: ignore[arg-type]  # a select is pressed as a button is

    @classmethod
    def read(cls, item: Item, match: re.Match[str]) -> Self:
        return cls(item)  # type: ignore[arg-type]

    async def pressed(self, interaction: Interaction) -> None:
        """Make the move."""
        of, values = self.template.fullmatch(self.custom_id), chosen(interaction)
        if of is None or not values:
            raise Rejected("That moment has passed: press *My seat* again.")
        given: list[Json] = [*values[0].split()]
        await press(interaction, int(of["id"]), int(of["window"]), of["move"], {of["name"]: given})


class FormButton(Lasting, template=rf"form:(?P<id>\d+):(?P<window>\d+):(?P<move>{NAME})"):
    """Opens the form of a move that takes words."""

    def __init__(self, scene_id: int, window: int, move: str, *, words: str = "") -> None:
        label, custom_id = f"{words or move}…", f"form:{scene_id}:{window}:{move}"
        super().__init__(discord.ui.Button(label=label, custom_id=custom_id, style=discord.ButtonStyle.primary))
        self.play = (scene_id, window, move)

    @classmethod
    def drawn(cls, turn: Turn, move: ShownMove, more: Sequence[str] = ()) -> Self:
        """Give the button as Discord shows it; `more`: what the form asks for that no button beside it does."""
        words = " + ".join((move.words, *more))
        return cls(turn.scene_id, turn.window, move.name, words=words)

    @classmethod
    def read(cls, item: Item, match: re.Match[str]) -> Self:
        return cls(int(match["id"]), int(match["window"]), match["move"])

    async def pressed(self, interaction: Interaction) -> None:
        """Open the form, if the move is legal still."""
        scene_id, _, name = self.play
        await seen(interaction, scene_id)
        who = interaction.client.person(interaction.user)
        turn = await interaction.client.desk.scenes.seat(guild_of(interaction), scene_id, who)
        move = next((one for one in turn.moves if one.name == name), None)
        if move is None:
            raise Rejected("That moment has passed: press *My seat* again.")
        await open_form(interaction, MoveForm(turn, move))


Field = discord.ui.TextInput["MoveForm"] | discord.ui.Select["MoveForm"]


class MoveForm(Form):
    """The parameters of one move."""

    def __init__(self, turn: Turn, move: ShownMove) -> None:
        super().__init__(title=f"{move.words[:1].upper()}{move.words[1:]}")
        self._turn = turn
        self._move = move
        self._fields: dict[str, Field] = {}
        for one in move.parameters:
            field = self._fields[one.name] = _field(turn, move, one)
            text = one.name if isinstance(field, discord.ui.Select) else asked(move, one)
            self.add_item(discord.ui.Label(text=text, component=field))

    def anew(self) -> "MoveForm":
        """Give the form as it began."""
        return MoveForm(self._turn, self._move)

    async def on_submit(self, interaction: Interaction) -> None:  # type: ignore[override]
        """Make the move."""
        written = {one: _written(self._fields[one.name]) for one in self._move.parameters}
        given = {one.name: read(one, text) for one, text in written.items() if text.strip() or not one.optional}
        await play(interaction, self._turn.scene_id, self._turn.window, self._move.name, given)


def _field(turn: Turn, move: ShownMove, one: Parameter) -> Field:
    """Give a list where one of a few is chosen, else a line to write into."""
    values = move.values.get(one.name, ())
    if one.what != "one" or not 1 <= len(values) <= MOST_OPTIONS:
        return discord.ui.TextInput(
            style=discord.TextStyle.paragraph if one.words > MOST_OPTIONS else discord.TextStyle.short,
            required=not one.optional,
            max_length=FORM_CHARACTERS if one.words else 200,
        )
    is_only = len(values) == 1 and not one.optional
    options = [
        discord.SelectOption(label=named(turn, one, value)[:100], value=str(value), default=is_only) for value in values
    ]
    return discord.ui.Select(options=options, min_values=int(not one.optional), required=not one.optional)


def _written(field: Field) -> str:
    return "".join(field.values[:1]) if isinstance(field, discord.ui.Select) else field.value


async def play(interaction: Interaction, scene_id: int, window: int, move: str, arguments: Mapping[str, Json]) -> None:
    """Make a move, and show its seat as it is then: where the move was made, unless that is the board."""
    if interaction.message is not None and interaction.message.flags.ephemeral:
        await interaction.response.defer()
    else:
        await interaction.response.defer(ephemeral=True, thinking=True)
    await seen(interaction, scene_id)
    async with SEATS.of(interaction, scene_id).busy:
        told = await act(interaction, Play(scene_id=scene_id, window=window, move=move, arguments=arguments))
        await _show_seat(interaction, scene_id, told)


async def press(interaction: Interaction, scene_id: int, window: int, move: str, arguments: Mapping[str, Json]) -> None:
    """Make a move by one press: what is refused is said in the seat, which shows what may be done instead."""
    try:
        await play(interaction, scene_id, window, move, arguments)
    except Rejected as no:
        await show_seat(interaction, scene_id, no.sentence)


async def show_rules(interaction: Interaction, scene_id: int) -> None:
    """Tell the rules of a scene's kind."""
    scene = await interaction.client.desk.scenes.find(guild_of(interaction), scene_id)
    kind = KINDS.get(scene.kind)
    if kind is None:
        raise NotFound("This kind of scene is not played any more.")
    moves = "\n".join(f"- **{as_words(move.name)}**: {hint_of(move)}" for move in kind.moves)
    parts = f"**{kind.title}**\n{kind.rules}", moves
    whole = "\n".join(parts)
    for part in [whole] if len(whole) <= SHOWN_CHARACTERS else parts:
        await tell(interaction, part)


async def show_history(interaction: Interaction, scene_id: int) -> None:
    """Give what happened, as a file."""
    DRAWN.take(interaction, interaction.user.id)
    told = await interaction.client.desk.scenes.told(guild_of(interaction), SceneId(scene_id))
    await interaction.followup.send(results_text(told), files=await results_files(told), ephemeral=True)
