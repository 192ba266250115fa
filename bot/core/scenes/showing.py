"""What of a scene is shown, in words, to a seat and on the board: all of it comes from the state's views."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from pydantic import ValidationError

from bot.core.errors import Rejected
from bot.core.happenings import Happened, Happening
from bot.core.people import mention
from bot.core.records import AgentId, BeatId, Json, SceneId, Side
from bot.core.scenes.kind import RULES, Form, Over, SceneKind, Seat, Seen
from bot.core.scenes.moves import Parameter, parameters
from bot.core.scenes.play import UNREADABLE, Entry, Play, Standing, replayed
from bot.core.scenes.records import Scene, SceneEvent, SceneStatus
from bot.core.scenes.registry import KINDS, KINDS_BEFORE
from bot.core.sentences import Sentence
from bot.core.wording import as_words, counted

TEXT = "text"  # the kind of event that is what somebody said, named by others through its number
REMOVED = "(removed)"
NOBODY = "somebody who left"
LONGEST_BAR = 10
COMMENTED = "(comment)"
NOT_SAID = "–"  # what an option stands for that nobody set
_MARK = re.compile(r"\{(s\d+|t\d+|o\.[\w.]+)\}")


def play_of(scene: Scene) -> Play | None:
    """Give a scene's rules; None when there are none of its version, or for its options, any more."""
    kind = KINDS.get(scene.kind)
    if kind is None or kind.version != scene.version:
        kind = KINDS_BEFORE.get((scene.kind, scene.version))
    if kind is None:
        return None
    try:
        return Play(kind=kind, options=kind.options.model_validate(dict(scene.options)), seed=scene.seed)
    except ValidationError:
        return None


def begun(scene: Scene) -> tuple[Play, Standing] | None:
    """Give a scene's rules and where it stands; None where it has not begun, or these rules cannot read it.

    It may have been played by others before an update, or come in with an archive.
    """
    play = play_of(scene) if scene.standing else None
    if play is None:
        return None
    try:
        return play, play.unpacked(scene.standing)
    except UNREADABLE:
        return None


def refolded(scene: Scene, log: Sequence[Entry]) -> tuple[str, int | None]:
    """Fold a scene's log again; gives the digest at its end, and the first step whose own differs (None: none does).

    Raises Rejected for a log that its rules do not let be. A long one takes its time: that is for a workshop.
    """
    play = play_of(scene)
    if play is None or not scene.standing:
        raise Rejected(Sentence("There is no log to be folded."))
    standing, differs = replayed(play, scene.taken, log, scene.first_digest)
    return standing.digest(), differs


def closed_side(scene: Scene) -> Side | None:
    """Give the side of the barrier that a closed scene is while it goes on; None: it lies on its room's."""
    kind = KINDS.get(scene.kind)
    return Side(-scene.id) if kind is not None and kind.is_closed and scene.status.is_open else None


def moved(scene: Scene, agent_id: AgentId | None, beat_id: BeatId | None) -> Happening | None:
    """Give what is told live of a move: who made it, and never which; of a closed kind nothing, at its end either."""
    kind = KINDS.get(scene.kind)
    if kind is None or kind.is_closed:
        return None
    told = Happening(kind=Happened.MOVED, community_id=scene.community_id, room_id=scene.room_id)
    return replace(told, agent_id=agent_id, beat_id=beat_id, what=scene.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """Who is who, and what was written: what marks stand for."""

    names: Mapping[Seat, str]
    texts: Mapping[int, str | None] = field(default_factory=dict)
    options: Mapping[str, Json] = field(default_factory=dict)

    def words(self, text: str) -> str:
        """Give a text with its marks put into words; what somebody wrote there is no mark, and no line of its own."""
        return _MARK.sub(lambda found: on_one_line(self._word(found[1])), text)

    def speech(self, text: str) -> str:
        """Give the same for a message of its own, with the lines of who speaks."""
        return _MARK.sub(lambda found: self._word(found[1]), text)

    def name(self, seat: Seat) -> str:
        """Give who sits there."""
        return self.names.get(seat, NOBODY)

    def _word(self, mark: str) -> str:
        if mark.startswith("o."):
            value: Json = dict(self.options)
            for name in mark[2:].split("."):
                value = value.get(name) if isinstance(value, dict) else None
            return str(value) if value not in (None, "") else NOT_SAID
        if mark[0] == "s":
            return self.name(int(mark[1:]))
        return self.texts.get(int(mark[1:])) or REMOVED


def on_one_line(text: str) -> str:
    """Give a text without its line breaks: each line beside others is told by whom it names."""
    return " ".join(text.split())


def texts_in(text: str) -> tuple[int, ...]:
    """Give the numbers of the texts that stand in a text by their marks."""
    return tuple(int(mark[1:]) for mark in _MARK.findall(text) if mark[0] == "t")


def cast_of(scene: Scene, events: Sequence[SceneEvent], names: Mapping[Seat, str]) -> Cast:
    """Give what the marks of a scene stand for."""
    texts = {event.number: event.text for event in events if event.kind == TEXT}
    return Cast(names=names, texts=texts, options=scene.options)


def is_comment(event: SceneEvent) -> bool:
    """Tell whether a text is no move's, but of who watches and comments."""
    return event.kind == TEXT and event.number < 0


def line(event: SceneEvent, cast: Cast) -> str:
    """Give an event in one line."""
    if is_comment(event):
        return f"{COMMENTED}: {on_one_line(event.text or REMOVED)}"
    words = cast.words(event.text or "").replace("\n", " ")
    return f"{cast.name(event.seat)}: {words}" if event.seat else words


def stretches(text: str, speaker: Seat, texts: Mapping[int, str]) -> tuple[str, ...]:
    """Give what is known word for word of how an event was told, between marks that may have stood for anything."""
    found, at = ["", ": "] if speaker else [""], 0
    for mark in _MARK.finditer(text):
        found[-1] += text[at : mark.start()]
        said = texts.get(int(mark[1][1:])) if mark[1][0] == "t" else None
        if said is None:
            found.append("")
        else:
            found[-1] += on_one_line(said)
        at = mark.end()
    found[-1] += text[at:]
    return tuple(found)


def fits(told: str, known: Sequence[str]) -> bool:
    """Tell whether a line may be an event of which these stretches are known."""
    first, last = known[0], known[-1]
    if len(known) == 1:
        return told == first
    at, end = len(first), len(told) - len(last)
    if end < at or not told.startswith(first) or not told.endswith(last):
        return False
    for one in known[1:-1]:
        if (place := told.find(one, at, end)) < 0:
            return False
        at = place + len(one)
    return True


def lines_for(events: Sequence[SceneEvent], cast: Cast, seat: Seat | None) -> list[str]:
    """Give what a seat has heard (0: whoever watches; None: all that happened, once it is over)."""
    heard = (one for one in events if one.kind != TEXT or is_comment(one))
    return [line(one, cast) for one in heard if seat is None or one.audience is None or seat in one.audience]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownMove:
    """A move as it is offered: its parameters in order, and the values that each may have."""

    name: str
    hint: str
    parameters: tuple[Parameter, ...]
    values: Mapping[str, tuple[int | str, ...]]
    suggested: Mapping[str, tuple[tuple[int | str, ...], ...]] = field(default_factory=dict)
    about: str = ""

    @property
    def words(self) -> str:
        """What people read on its button: `vote on motion 2`."""
        return f"{as_words(self.name)} {self.about}".strip()

    @property
    def signature(self) -> str:
        """Its name and parameters on one line: `vote(choice: yes|no|abstain, comment?: at most 30 words)`."""
        return f"{self.name}({', '.join(map(self._parameter, self.parameters))})"

    def _parameter(self, one: Parameter) -> str:
        name = f"{one.name}?" if one.optional else one.name
        if one.what == "text":
            return f"{name}: at most {one.words} words"
        values = "|".join(map(str, self.values.get(one.name, ())))
        return f"{name}: {'some of ' if one.what == 'many' else ''}{values}"


def shown_move(form: Form) -> ShownMove:
    """Give a legal form as it is offered."""
    return ShownMove(
        name=form.move.name,
        hint=hint_of(form.move),
        parameters=parameters(form.move),
        values={name: tuple(values) for name, values in form.values.items()},
        suggested={name: tuple(map(tuple, some)) for name, some in form.suggested.items()},
        about=form.about,
    )


def hint_of(move: type) -> str:
    """Give a move's hint: its docstring."""
    return " ".join((move.__doc__ or "").split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """All that one seat is shown when it may move, and nothing that another seat alone knows."""

    scene_id: SceneId
    window: int
    kind: SceneKind
    seat: Seat
    names: Mapping[Seat, str]
    phase: str
    awaited: tuple[Seat, ...]
    away: tuple[Seat, ...]
    dead: tuple[Seat, ...]
    facts: tuple[tuple[str, str], ...]
    private: tuple[tuple[str, str], ...]
    bars: tuple[tuple[str, int], ...]
    picture: Mapping[str, Json]
    lines: tuple[str, ...]
    moves: tuple[ShownMove, ...]
    deadline_at: datetime | None
    refused: str = ""  # what it proposed before, and why that was none
    is_secret: bool = False  # nobody is ever told who moves what now
    outcome: str = ""  # of one that is over, of which a seat is shown all that happened
    emotions: bool = False  # whether its agents note what they feel
    watches: bool = False  # it is shown to who sits nowhere, and comments
    room_id: AgentId | None = None  # of the room itself, where it takes place there
    question: tuple[str, str] | None = None  # which of the facts is decided on now


def turn_of(
    scene: Scene, events: Sequence[SceneEvent], names: Mapping[Seat, str], seat: Seat, *, mentions: bool = False
) -> Turn | None:
    """Give what a seat is shown; None when there is nothing to play. `mentions`: people are mentioned in its texts."""
    found = begun(scene)
    if found is None:
        return None
    turn = shown_at(scene, *found, events, names, seat, mentions=mentions)
    is_running = scene.status is SceneStatus.RUNNING
    return turn if is_running else replace(turn, moves=(), away=())


def shown_at(
    scene: Scene,
    play: Play,
    standing: Standing,
    events: Sequence[SceneEvent],
    names: Mapping[Seat, str],
    seat: Seat,
    *,
    mentions: bool = False,
) -> Turn:
    """Give what a seat is shown where a scene stands so, and what it could do if it went on."""
    cast, seen = cast_of(scene, events, names), _seen(scene, standing, seat)
    told = _mentioning(cast, scene) if mentions else cast
    sits = next((one for one in scene.seats if one.seat == seat), None)
    return Turn(
        scene_id=scene.id,
        window=standing.window,
        kind=play.kind,
        seat=seat,
        names=names,
        phase=seen.phase,
        awaited=seen.awaited,
        away=standing.state.away,
        dead=seen.dead,
        facts=_worded(seen.facts, told),
        question=next(iter(_worded((seen.question,), told)), None) if seen.question else None,
        private=_worded(seen.private, told),
        bars=tuple((cast.words(name), count) for name, count in seen.bars),
        picture=pictured(seen, cast),
        lines=tuple(lines_for(events, told, seat)),
        moves=tuple(map(shown_move, standing.state.offers(seat))) if seat in standing.open_seats else (),
        deadline_at=scene.deadline_at if seat in standing.open_seats or seen.awaited else None,
        refused=sits.why if sits is not None else "",
        emotions=scene.options.get("emotions") is True,
        room_id=scene.room_id if scene.is_in_room else None,
        is_secret=standing.state.is_secret,
    )


def _seen(scene: Scene, standing: Standing, seat: Seat) -> Seen:
    """Give what a seat sees; once a scene is over, or was stopped, nothing is hidden from it."""
    return (standing.state if scene.status.is_open else standing.state.revealed()).view(seat)


def epilogue_of(scene: Scene, events: Sequence[SceneEvent], names: Mapping[Seat, str], seat: Seat) -> Turn | None:
    """Give what a seat is shown once when it is over: all that happened; None while it is not, or was ended early."""
    turn = turn_of(scene, events, names, seat) if scene.status is SceneStatus.OVER else None
    if turn is None:
        return None
    cast = cast_of(scene, events, names)
    lines = tuple(lines_for(events, cast, None))
    return replace(turn, lines=lines, moves=(), deadline_at=None, refused="", outcome=cast.words(scene.outcome))


def pictured(seen: Seen, cast: Cast) -> Mapping[str, Json]:
    """Give what a picture is drawn from with its marks put into words."""
    return {name: _pictured(one, cast) for name, one in seen.picture.items()}


def _pictured(shown: Json, cast: Cast) -> Json:
    match shown:
        case str():
            return cast.words(shown) if "{" in shown else shown
        case list():
            return [_pictured(one, cast) for one in shown]
        case dict():
            return {name: _pictured(one, cast) for name, one in shown.items()}
        case _:
            return shown


def _worded(facts: Sequence[tuple[str, str]], cast: Cast) -> tuple[tuple[str, str], ...]:
    """Put facts into words; one of which nothing was said is none."""
    words = ((cast.words(name), cast.words(told)) for name, told in facts)
    return tuple((name, told) for name, told in words if told != NOT_SAID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """What everybody sees of a scene in one message, the same bytes for all."""

    scene_id: SceneId
    window: int
    title: str
    status: SceneStatus
    lines: tuple[str, ...]
    choices: tuple[tuple[Seat, str], ...] = ()  # of whom the starter names one
    agents: tuple[tuple[AgentId, str], ...] = ()  # who may still sit down
    free: int = 0  # seats that are not taken yet
    can_begin: bool = False
    is_homeless: bool = False  # its thread is gone, and it goes on in a new one
    commentators: tuple[tuple[AgentId, str], ...] = ()  # who may comment
    until: datetime | None = None  # unless nobody may know how long an unseen window is open
    coin: str = "USD"
    kind: str = ""
    names: Mapping[Seat, str] = field(default_factory=dict)
    picture: Mapping[str, Json] = field(default_factory=dict)  # from which it is drawn, where its kind has one


def title_of(scene: Scene) -> str:
    """Give what people call it: its kind, its number and its own title."""
    kind = KINDS.get(scene.kind)
    return f"{kind.title if kind else scene.kind} {scene.id}" + (f": {scene.title}" if scene.title else "")


PRESS_ID = r"scene:(?P<what>[a-z]+):(?P<id>\d+):(?P<window>\d+)"


def press_id(what: str, scene_id: SceneId, window: int = 0) -> str:
    """Give the id of a button: neither seat nor role is in it; `window` where what it does is of one moment only."""
    return f"scene:{what}:{scene_id}:{max(0, window)}"


def _mentioning(cast: Cast, scene: Scene) -> Cast:
    """Give a cast that mentions the people among it."""
    people = {one.seat: mention(one.person_id) for one in scene.seats if one.person_id is not None}
    return replace(cast, names={**cast.names, **{seat: people[seat] for seat in people if seat in cast.names}})


def board_of(
    scene: Scene,
    events: Sequence[SceneEvent],
    names: Mapping[Seat, str],
    agents: Sequence[tuple[AgentId, str]] = (),
    *,
    commentator: str = "",
    estimate: str = "",
    coin: str = "USD",
) -> Board:
    """Give a scene's board as it stands now.

    `agents`: who may still sit down, `commentator`: who comments, `estimate`: what it costs, `coin`: in which money.
    In its lines people are mentioned, so that each reads there by the name that they have on Discord.
    """
    play, found, cast = play_of(scene), begun(scene), cast_of(scene, events, names)
    shown = _mentioning(cast, scene)
    lines = [f"{seat}. {shown.name(seat)}" for seat in scene.taken] if scene.status is SceneStatus.LOBBY else []
    choices: tuple[tuple[Seat, str], ...] = ()
    until: datetime | None = scene.deadline_at
    picture: Mapping[str, Json] = {}
    free = play.kind.seats[1] - len(scene.seats) if play and scene.status is SceneStatus.LOBBY else 0
    if play is not None and scene.status is SceneStatus.LOBBY:
        lines += _lobby(scene, play.kind, estimate, coin, commentator)
    elif found is not None:
        seen, standing = _seen(scene, found[1], RULES), found[1]
        until, picture = scene.deadline_at if seen.awaited else None, pictured(seen, cast)
        lines += _shown(scene, standing, seen, shown)
        if scene.status is SceneStatus.RUNNING:
            choices = tuple((seat, cast.name(seat)) for seat in getattr(standing.awaits, "choices", ()))
    elif play is None or scene.standing:
        lines.append("This kind of scene is not played any more.")
    return Board(
        scene_id=scene.id,
        window=scene.window_step,
        title=title_of(scene),
        status=scene.status,
        lines=tuple(lines),
        choices=choices,
        agents=tuple(agents) if free else (),
        commentators=tuple(agents) if scene.status is SceneStatus.LOBBY and not commentator else (),
        free=free,
        can_begin=scene.status is SceneStatus.LOBBY and not refusal_to_begin(scene),
        is_homeless=scene.status is SceneStatus.PAUSED and scene.thread_id is None,
        coin=coin,
        until=until,
        kind=scene.kind,
        names={one.seat: cast.name(one.seat) for one in scene.seats},
        picture=picture,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A scene with what may be told of it to somebody who does not sit in it."""

    scene: Scene
    cast: Cast
    board: Board
    lines: Sequence[str]
    watching: Turn | None  # what the seat of nobody sees


def _lobby(scene: Scene, kind: SceneKind, estimate: str, coin: str, commentator: str) -> list[str]:
    taken = f"{len(scene.seats)} of {counted(kind.seats[1], 'seat')} taken."
    capped = f"Its agents' turns cost {scene.usd_cap:.2f} {coin} at most."
    watches = f"{on_one_line(commentator)} will watch and comment, at the same cost." if commentator else ""
    return [one for one in (taken, capped, estimate, refusal_to_begin(scene) or "It can begin.", watches) if one]


def refusal_to_begin(scene: Scene) -> str:
    """Say why a scene cannot begin yet; empty when it can."""
    play = play_of(scene)
    if play is None:
        return "This kind of scene is not played any more."
    least, most = play.kind.seats
    count = len(scene.seats)
    if count < least:
        return f"It needs {counted(least, 'seat')} taken: {least - count} more."
    if count > most:
        return f"It has {most} seats at most: somebody has to leave."
    return play.options.refusal(count)


def _shown(scene: Scene, standing: Standing, seen: Seen, cast: Cast) -> list[str]:
    lines = [f"**{seen.phase.capitalize()}**"]
    if isinstance(standing.awaits, Over) or not scene.status.is_open:
        lines = [f"**{scene.status.value.capitalize()}**", cast.words(scene.outcome)]
    elif seen.awaited:
        waits = f", until <t:{int(scene.deadline_at.timestamp())}:T>" if scene.deadline_at is not None else ""
        lines.append(f"Waiting for {', '.join(map(cast.name, seen.awaited))}{waits}")
    if scene.status is SceneStatus.PAUSED:
        lines.append(f"**Paused**: {scene.why}")
    facts = [f"**{name}**: {told}" for name, told in _worded(seen.facts, cast)]
    return [*lines, *facts, *([] if seen.picture else _barred(seen))]


def _barred(seen: Seen) -> list[str]:
    """Draw the bars of a kind that has no picture, in one line."""
    most = max((count for _, count in seen.bars), default=0)
    if not most:
        return []
    long = min(most, LONGEST_BAR)
    return [" · ".join(f"{name} {'▰' * -(-count * long // most)}{count}" for name, count in seen.bars)]
