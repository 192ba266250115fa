"""Playing village: eats in time, rests, goes for its goal, looks for company, gives, talks, and is at home at night."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from bot.core.hud.turn import ReadTurn
from bot.core.records import Json
from bot.standin.dice import Dice

Move = dict[str, Json]
FOOD: Final = ("bread", "apples", "eggs", "berries")
FOUND_AT: Final = {
    "bread": "market",
    "apples": "farm",
    "eggs": "farm",
    "berries": "forest",
    "wood": "forest",
    "stone": "mine",
    "iron": "mine",
    "water": "well",
    "tools": "smithy",
    "coins": "ruins",
}
HUNGRY, TIRED, FOOD_KEPT = 30, 25, 2
MEETING_HOURS: Final = (11, 12, 17, 18)  # everybody comes to the well then
AT_HOME: Final = (22, 23, 0, 1, 2, 3, 4)
GREETINGS: Final = (
    "Good day to you all. I come from {place}, and it looks well there.",
    "Has anybody something to eat to spare? I would give something for it.",
    "I will be at the well around noon, should you want to meet.",
    "What are you looking for today? Perhaps I can help.",
    "It is a fine hour for a walk. Where are you going?",
    "I have {bag}. Tell me if you need any of it.",
)
_NUMBERS = re.compile(r"hunger (\d+) of \d+, energy (\d+) of")
_COUNTED = re.compile(r"(\d+) (\w+)")
_AT = re.compile(r"^(\d+),(\d+)(?: \(([^)]+)\))?")
_PERSON = re.compile(r"seat (\d+) \([^;]*?\) at (\d+),(\d+)(?: \([^)]*\))?, (\d+) away")
_SEAT = re.compile(r"seat (\d+)")
_HOUR = re.compile(r"(\d\d):00")


@dataclass(frozen=True)
class Villager:
    """What a seat knows of itself and sees, read from its turn."""

    turn: ReadTurn

    def fact(self, name: str) -> str:
        """Give a fact; empty where there is none."""
        return self.turn.facts.get(name, "")

    @cached_property
    def body(self) -> tuple[int, int]:
        """Its hunger and its energy."""
        found = _NUMBERS.search(self.fact("You"))
        return (int(found[1]), int(found[2])) if found else (0, 100)

    @cached_property
    def place(self) -> str:
        """The name of the place where it is; empty elsewhere."""
        found = _AT.match(self.fact("You are at"))
        return (found[3] or "") if found else ""

    @cached_property
    def hour(self) -> int:
        """The hour of the day."""
        found = _HOUR.search(self.fact("phase"))
        return int(found[1]) if found else 12

    @cached_property
    def bag(self) -> Mapping[str, int]:
        """What it carries."""
        told = self.fact("Your bag").rpartition("(")[0]
        return {item: int(count) for count, item in _COUNTED.findall(told)}

    @cached_property
    def seen(self) -> Sequence[tuple[int, int, int, int]]:
        """Who is near: seat, column, row, how far."""
        return [(int(a), int(b), int(c), int(d)) for a, b, c, d in _PERSON.findall(self.fact("You see"))]

    def may(self, move: str, name: str = "", value: object = "") -> bool:
        """Tell whether a move may be made, with that value of a parameter."""
        if move not in self.turn.moves:
            return False
        values = next((one.values for one in self.turn.moves[move] if one.name == name), ())
        return not name or str(value) in values

    def most(self, move: str, wanted: int) -> int:
        """Give how many of something a move may be about, no more than wanted."""
        values = next((one.values for one in self.turn.moves[move] if one.name == "n"), ("1",))
        return max(1, min(wanted, *(max(map(int, values)),)))


def villager(turn: ReadTurn, dice: Dice) -> Move | None:
    """Give a villager's move."""
    me = Villager(turn)
    hunger, energy = me.body
    if (said := _spoken(me, dice)) is not None:
        return said
    food = [item for item in FOOD if me.bag.get(item) and me.may("eat", "item", item)]
    if food and hunger >= HUNGRY:
        return {"type": "eat", "item": food[0], "n": me.most("eat", min(me.bag[food[0]], hunger // 15))}
    if energy < TIRED:
        return {"type": "rest"}
    return _for_food(me, hunger) or _for_goal(me, dice) or _at_leisure(me, dice)


def _spoken(me: Villager, dice: Dice) -> Move | None:
    """Say something now and then where somebody hears it, once a turn."""
    near = [one for one in me.seen if one[3] <= 5]
    last = me.turn.lines[-1] if me.turn.lines else ""
    own = me.fact("seats").partition(f"{me.turn.seat} ")[2].partition(",")[0]
    if not near or last.startswith(f"{own}: ") or not me.may("talk") or dice.below(3, "talk"):
        return None
    bag = ", ".join(f"{count} {item}" for item, count in me.bag.items()) or "nothing yet"
    text = dice.one_of(GREETINGS, "greeting").format(place=me.place or "the fields", bag=bag)
    return {"type": "talk", "text": text}


def _for_food(me: Villager, hunger: int) -> Move | None:
    """Have some food, in time."""
    if sum(me.bag.get(item, 0) for item in FOOD) >= FOOD_KEPT or hunger < 12:
        return None
    here = [item for item in FOOD if me.may("gather", "item", item)]
    if here:
        return {"type": "gather", "item": here[0], "n": me.most("gather", 3)}
    empty = {place for place, told in _stocks(me).items() if not any(item in told for item in FOOD)}
    ways = {place: cost for place, cost in _ways(me).items() if place in ("market", "farm", "forest")}
    near = sorted((cost, place) for place, cost in ways.items() if place not in empty)
    return _to(me, near[0][1]) if near else None


def _stocks(me: Villager) -> Mapping[str, str]:
    return dict(one.split(": ", 1) for one in me.fact("There is").split("; ") if ": " in one)


def _ways(me: Villager) -> Mapping[str, int]:
    ways = (one.rpartition(" ") for one in me.fact("Points from here").split(", ") if " " in one)
    return {place: int(cost) for place, _, cost in ways if cost.isdigit()}


def _to(me: Villager, place: str) -> Move | None:
    return {"type": "move", "place": place} if me.may("move", "place", place) else None


def _for_goal(me: Villager, dice: Dice) -> Move | None:
    goal = me.fact("Your goal")
    if not goal or goal.endswith("(met)"):
        return None
    if goal.startswith("give"):
        return _giving(me, goal)
    if goal.startswith("stand"):
        item = _COUNTED.findall(goal)[0]
        return _to(me, me.fact("Your house")) if me.bag.get(item[1], 0) >= int(item[0]) else _getting(me, item[1])
    if goal.startswith("see"):
        been = me.fact("You have been to").split(", ")
        left = [place for place in _ways(me) if place in goal and place not in been]
        return _to(me, min(left, key=lambda place: _ways(me)[place])) if left else None
    met = {int(seat) for seat in _SEAT.findall(me.fact("You have met"))}
    return _towards([one for one in me.seen if one[0] not in met]) or _to_company(me, dice)


def _giving(me: Villager, goal: str) -> Move | None:
    whom = int(_SEAT.findall(goal)[0])
    count, item = _COUNTED.findall(goal.rpartition(")")[0].rpartition(") ")[2] or goal)[-1]
    have = me.bag.get(item, 0)
    if not have:
        return _getting(me, item)
    if me.may("give", "seat", whom) and me.may("give", "item", item):
        return {"type": "give", "seat": whom, "item": item, "n": me.most("give", min(have, int(count)))}
    seen = _towards([one for one in me.seen if one[0] == whom])
    return seen or _to(me, "well" if me.hour in MEETING_HOURS else f"house {whom}")


def _getting(me: Villager, item: str) -> Move | None:
    if me.may("gather", "item", item):
        return {"type": "gather", "item": item, "n": me.most("gather", 3)}
    return _to(me, FOUND_AT[item])


def _towards(seen: Sequence[tuple[int, int, int, int]]) -> Move | None:
    if not seen:
        return None
    _, x, y, away = min(seen, key=lambda one: one[3])
    return {"type": "walk", "x": x, "y": y} if away else None


def _to_company(me: Villager, dice: Dice) -> Move | None:
    where = "well" if me.hour in MEETING_HOURS else dice.one_of(("well", "market", "farm", "smithy"), "company")
    return _to(me, "onward") or _to(me, where)


def _at_leisure(me: Villager, dice: Dice) -> Move | None:
    """Be at home at night; by day share what there is enough of, get together, and rest."""
    if me.hour in AT_HOME:
        return _to(me, me.fact("Your house")) or {"type": "rest"}
    spare = [item for item, count in me.bag.items() if count > 1 and me.may("give", "item", item)]
    if spare and dice.below(2, "gift") == 0:
        seats = next(one.values for one in me.turn.moves["give"] if one.name == "seat")
        return {"type": "give", "seat": int(dice.one_of(seats, "whom")), "item": dice.one_of(spare, "what"), "n": 1}
    if me.place in FOUND_AT.values() and "gather" in me.turn.moves and sum(me.bag.values()) < 5:
        items = next(one.values for one in me.turn.moves["gather"] if one.name == "item")
        return {"type": "gather", "item": dice.one_of(items, "gathered"), "n": 1}
    met = {int(seat) for seat in _SEAT.findall(me.fact("You have met"))}
    strangers = _towards([one for one in me.seen if one[0] not in met])
    return strangers or (_to_company(me, dice) if dice.below(3, "rest") else {"type": "rest"})
