"""What is shown of a table: to everybody the same, and to a seat its own hand and what is still out."""

from typing import TYPE_CHECKING, TypeVar

from bot.core import wording
from bot.core.records import Json
from bot.core.scenes.kind import Expect, Seat, Seen
from bot.core.scenes.landlord.cards import NONE, counted, names_of, pack, without, words_of

if TYPE_CHECKING:
    from bot.core.scenes.landlord.table import Table

T = TypeVar("T")


def seen(table: "Table", seat: Seat) -> Seen:
    """Give what a seat sees (0: whoever watches)."""
    awaited = table.awaits
    seats = awaited.seats if isinstance(awaited, Expect) else ()
    return Seen(
        phase=table.phase,
        awaited=seats,
        facts=_facts(table),
        private=_private(table, seat) if seat in table.seats else (),
        picture=_picture(table, seat, seats),
    )


def _facts(table: "Table") -> tuple[tuple[str, str], ...]:
    house = table.house
    multiplier = f"×{table.multiplier} (base {house.base}, at most ×{house.cap})"
    facts = [("Decks", str(house.decks)), ("Multiplier", multiplier)]
    if house.hands > 1:
        facts += [("Hand", f"{table.hand} of {house.hands}")]
    if any(table.scores):
        facts += [("Scores", ", ".join(f"{{s{one}}} {score:+d}" for one, score in _by_seat(table, table.scores)))]
    if table.landlord:
        facts += [("Landlord", f"{{s{table.landlord}}}"), ("Bottom", words_of(table.bottom))]
    facts.append(("Cards left", ", ".join(f"{{s{one}}} {sum(hand)}" for one, hand in _by_seat(table, table.hands))))
    if table.on_table is not None:
        facts.append(("On the table", f"{{s{table.leader}}}: {words_of(table.cards)} ({table.on_table.shape})"))
    elif table.landlord and table.phase == "playing":
        facts.append(("On the table", "nothing"))
    facts += [(f"Played by {{s{one}}}", counted(cards)) for one, cards in _by_seat(table, table.played) if sum(cards)]
    return tuple(facts)


def _private(table: "Table", seat: Seat) -> tuple[tuple[str, str], ...]:
    """Give a seat's own: `Seats` and `To beat` say once more, by numbers alone, what names may make hard to read."""
    at, hand = _seats(table, seat), table.hand_of(seat)
    role = ("landlord" if seat == table.landlord else "farmer") if table.landlord else "not known yet"
    out = without(pack(table.house.decks), hand)
    for played in table.played:
        out = without(out, played)
    where = "in other hands" if table.landlord else "in other hands or at the bottom"
    beaten = table.on_table
    to_beat = "nothing" if beaten is None else f"{words_of(table.cards)} by seat {table.leader} ({beaten.shape})"
    return (
        ("Your role", role),
        ("Seats", at),
        ("To beat", to_beat),
        (f"Still out, {where}", counted(out)),
        ("Your hand", words_of(hand)),
    )


def _seats(table: "Table", seat: Seat) -> str:
    roles = {one: "farmer" if table.landlord else "player" for one in table.seats} | {table.landlord: "landlord"}
    you = {seat: " (you)"}
    return "; ".join(
        f"{one} {roles[one]} {wording.counted(sum(hand), 'card')}{you.get(one, '')}"
        for one, hand in _by_seat(table, table.hands)
    )


def _picture(table: "Table", seat: Seat, awaited: tuple[Seat, ...]) -> dict[str, Json]:
    rows: list[Json] = [
        {
            "seat": one,
            "landlord": one == table.landlord,
            "left": sum(hand),
            "score": table.scores[table.seats.index(one)],
            "awaited": one in awaited,
            "cards": [*names_of(hand)] if table.is_over else [],
        }
        for one, hand in _by_seat(table, table.hands)
    ]
    hand = table.hand_of(seat) if seat in table.seats else NONE
    over: list[Json] = [one.model_dump(mode="json") for one in table.over]
    if table.is_over and len(over) < table.hand:
        over.append(_broken_off(table))
    return {
        "seats": rows,
        "bottom": [*names_of(table.bottom)] if table.landlord else [],
        "hidden": 0 if table.landlord else sum(table.bottom),
        "table": [*names_of(table.cards)],
        "by": table.leader if sum(table.cards) else 0,
        "shape": table.on_table.shape if table.on_table is not None else "",
        "multiplier": table.multiplier,
        "hand": [*names_of(hand)],
        "over": over,
    }


def _broken_off(table: "Table") -> dict[str, Json]:
    """Give what had become of a hand that was not played to its end: nobody has won it."""
    doubled: list[Json] = [one.model_dump(mode="json") for one in table.doubled]
    return {
        "landlord": table.landlord,
        "landlord_won": None,
        "points": table.points,
        "doubled": doubled,
        "multiplier": table.multiplier,
        "won": [],
    }


def _by_seat(table: "Table", of: tuple[T, ...]) -> list[tuple[Seat, T]]:
    return [*zip(table.seats, of, strict=True)]
