"""The tables of docs/games.md, drawn from what the kinds themselves say; what stands around them is written by hand."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from bot.core.scenes.kind import Move, SceneKind
from bot.core.scenes.landlord.kind import LANDLORD
from bot.core.scenes.landlord.table import HAND_SIZES
from bot.core.scenes.moves import parameters
from bot.core.scenes.showing import hint_of
from bot.core.scenes.village.bodies import STOCKED
from bot.core.scenes.village.ground import COST, Terrain
from bot.core.scenes.village.kind import VILLAGE
from bot.core.scenes.werewolf.kind import WEREWOLF
from bot.core.scenes.werewolf.village import Role, roles_for

PAGE = Path("docs/games.md")
GAMES = (WEREWOLF, LANDLORD, VILLAGE)
_TABLE = re.compile(r"^\|.*(?:\n\|.*)*", re.MULTILINE)
Rows = Iterable[Sequence[object]]


def drawn(page: str) -> str:
    """Give the page with its tables as the kinds say them; raises ValueError for one that has no place on it."""
    head, *sections = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    titles = {f"## {kind.title}": kind for kind in GAMES}
    known = [titles.get(section.partition("\n")[0]) for section in sections]
    if missing := {kind.title for kind in GAMES} - {kind.title for kind in known if kind is not None}:
        raise ValueError(f"the page has no section {missing}")
    return head + "".join(
        _with_tables(section, tables(kind)) if kind is not None else section
        for section, kind in zip(sections, known, strict=True)
    )


def _with_tables(section: str, own: Sequence[str]) -> str:
    """Put each table in the place of the one with its first line."""
    left = {one.partition("\n")[0]: one for one in own}
    section = _TABLE.sub(lambda found: left.pop(found[0].partition("\n")[0], found[0]), section)
    if left:
        raise ValueError(f"there is no table on the page that begins with {' or '.join(left)}")
    return section


def tables(kind: SceneKind) -> list[str]:
    """Give all tables of a kind: its moves, options and presets, and what it alone has."""
    return [_moves(kind), _options(kind), _presets(kind), *OWN[kind.kind]()]


def _table(head: Sequence[str], rows: Rows) -> str:
    lines = [head, ["---"] * len(head), *([str(one) for one in row] for row in rows)]
    return "\n".join(f"|{'|'.join(f' {one} ' if one else ' ' for one in line)}|" for line in lines)


def _moves(kind: SceneKind) -> str:
    return _table(("move", "what it does"), ((f"`{move.name}`", _hint(move)) for move in kind.moves))


def _hint(move: type[Move]) -> str:
    words = [f" At most {one.words} words." for one in parameters(move) if one.what == "text"]
    return "".join([hint_of(move), *words])


def _options(kind: SceneKind) -> str:
    fields = kind.options.model_fields.items()
    rows = ((f"`{name}`", _value(info.default), info.description or "") for name, info in fields)
    return _table(("option", "begins as", "what it is"), rows)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _presets(kind: SceneKind) -> str:
    def given(options: Iterable[tuple[str, object]]) -> str:
        return ", ".join(f"`{name}` {_value(value)}" for name, value in options) or "as it begins"

    return _table(("with one press", "which is"), ((one.title, given(one.options.items())) for one in kind.presets))


def _roles() -> list[str]:
    columns = (Role.WOLF, Role.SEER, Role.WITCH, Role.HUNTER)
    groups: dict[tuple[int, ...], list[int]] = {}
    for players in range(WEREWOLF.seats[0], WEREWOLF.seats[1] + 1):
        found = Counter(roles_for(players, third_wolf=False, hunter=True))
        groups.setdefault(tuple(found[role] for role in columns), []).append(players)
    rows = [(_span(players), *(count or "–" for count in counts)) for counts, players in groups.items()]
    return [_table(("players", "wolves", "seer", "witch", "hunter, where you want one"), rows)]


def _span(players: Sequence[int]) -> str:
    return f"{players[0]}–{players[-1]}" if len(players) > 1 else f"{players[0]}"


def _hands() -> list[str]:
    sizes = ((*seats_decks, *sizes) for seats_decks, sizes in HAND_SIZES.items())
    return [_table(("seats", "decks", "each", "bottom"), sizes)]


def _ground() -> list[str]:
    signs = ((one.name.lower(), f"`{one.value}`", COST.get(one, "nobody can")) for one in Terrain)
    stocks = [(place, ", ".join(items)) for place, items in STOCKED.items()]
    houses = ("house 1, 2, …", "nothing; the house of seat 1, 2, …")
    return [
        _table(("tile", "on `look`", "points to enter it"), signs),
        _table(("place", "what there is"), [*stocks, houses]),
    ]


OWN = {"werewolf": _roles, "landlord": _hands, "village": _ground}
