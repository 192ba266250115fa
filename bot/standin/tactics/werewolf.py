"""Werewolf as a sound player plays it: believe who saw something, follow suspicion, and as a wolf hang no wolf."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from bot.core.hud.turn import ReadTurn
from bot.core.records import Json
from bot.standin.dice import Dice

SAW = "I am the seer, and {name} is a wolf."
CLEARED = "I have looked at {name}, who is not a wolf."
SUSPECT = (
    "I suspect {name}: so quiet, and always with the others.",
    "For me it is {name}: that was no accident.",
    "I have listened to everybody, and I suspect {name}.",
)
PACKED = "I say we take {name}."
LAST = "You will see what I was. Look at who wanted this."
_SEATS = re.compile(r"(\d+) (.+?)(?=, \d+ |$)")
_DAWN = re.compile(r"^Day \d+ dawns")


class Table:
    """What a seat makes of what it is shown: who lives, who was accused, who was cleared."""

    def __init__(self, turn: ReadTurn) -> None:
        facts = turn.facts
        self.names = {int(seat): name for seat, name in _SEATS.findall(facts.get("seats", ""))}
        self.alive = [seat for seat in self.names if self._is_in(seat, facts.get("Alive", ""))]
        self.me = turn.seat
        self.role = facts.get("You are", "").partition(",")[0]
        self.pack = [seat for seat in self.names if self._is_in(seat, facts.get("The other wolves", ""))]
        saw = facts.get("You saw", "").split(", ")
        self.found = self._living(saw, " a wolf")
        self.cleared = self._living(saw, " not a wolf")
        self.accused = self._seats_in(turn.lines, "{name} is a wolf.")
        self.trusted = self._seats_in(turn.lines, "{name}, who is not a wolf.")
        self.seers = [seat for seat in self.alive if any(self._claims(seat, line) for line in turn.lines)]
        wolves = [self.names[seat] for seat in (*self.pack, self.me) if seat in self.names]
        self.accusers_of_wolves = [
            seat
            for seat in self.seers
            if seat not in self.pack
            and any(self._claims(seat, line) and f"{name} is a wolf." in line for name in wolves for line in turn.lines)
        ]
        self.suspected = Counter(self._seats_in(_today(turn.lines), "suspect {name}", "it is {name}"))
        for seat in self._spared_wolves(turn):
            self.suspected[seat] += 1

    def _is_in(self, seat: int, listed: str) -> bool:
        return self.names[seat] in listed.split(", ")

    def _living(self, saw: Sequence[str], word: str) -> list[int]:
        return [seat for seat in self.alive if f"{self.names[seat]}{word}" in saw]

    def _claims(self, seat: int, line: str) -> bool:
        return line.startswith(f"{self.names[seat]}: I am the seer")

    def _seats_in(self, lines: Sequence[str], *phrases: str) -> list[int]:
        return [
            seat
            for line in lines
            for seat in self.alive
            if seat != self.me and any(phrase.format(name=self.names[seat]) in line for phrase in phrases)
        ]

    def _spared_wolves(self, turn: ReadTurn) -> list[int]:
        """Give who voted for somebody else where one who was seen to be a wolf was hanged."""
        seen = {seat for seat, name in self.names.items() if any(f"{name} is a wolf." in one for one in turn.lines)}
        found = []
        for name, told in turn.facts.items():
            votes = self._votes(told) if name.startswith("Ballot") else {}
            if seen & {*votes.values()}:
                found += [seat for seat, whom in votes.items() if whom not in seen and seat in self.alive]
        return [seat for seat in found if seat not in (self.me, *seen)]

    def _votes(self, told: str) -> Mapping[int, int]:
        """Read who voted for whom; nobody for nobody."""
        seats = {name: seat for seat, name in self.names.items()}
        pairs = (one.partition(" for ")[::2] for one in told.split(", "))
        return {seats[voter]: seats[whom] for voter, whom in pairs if voter in seats and whom in seats}

    def most_suspected(self, among: Collection[int], dice: Dice) -> int:
        """Give whom most speak of; of several, or where nobody spoke of anybody, one is drawn."""
        most = max((self.suspected[seat] for seat in among), default=0)
        first = [seat for seat in sorted(among) if self.suspected[seat] == most]
        return dice.one_of(first, "suspect") if first else 0


def _today(lines: Sequence[str]) -> Sequence[str]:
    dawns = [place for place, line in enumerate(lines) if _DAWN.match(line)]
    return lines[dawns[-1] :] if dawns else lines


def werewolf(turn: ReadTurn, dice: Dice) -> dict[str, Json] | None:
    """Give a move; None where it does not matter which."""
    table, moves = Table(turn), turn.moves
    allowed = _allowed(turn)
    if "kill" in moves:
        return _hunts(table, turn, allowed["kill"], dice)
    if "inspect" in moves:
        known = {*table.found, *table.cleared}
        unknown = [seat for seat in allowed["inspect"] if seat not in known] or allowed["inspect"]
        return {"type": "inspect", "seat": table.most_suspected(unknown, dice)}
    if "wait" in moves:
        return _brews(table, turn, allowed, dice)
    if "vote" in moves or "shoot" in moves:
        name = "vote" if "vote" in moves else "shoot"
        return {"type": name, "seat": _votes(table, allowed[name], dice)}
    if "say" in moves:
        return {"type": "say", "text": _says(table, dice)}
    return {"type": "last_words", "text": LAST} if "last_words" in moves else None


def _allowed(turn: ReadTurn) -> Mapping[str, list[int]]:
    """Give the seats that each move may name; nobody is none of them."""
    return {
        name: [int(value) for one in parameters for value in one.values if value.isdigit() and value != "0"]
        for name, parameters in turn.moves.items()
    }


def _hunts(table: Table, turn: ReadTurn, prey: Sequence[int], dice: Dice) -> dict[str, Json]:
    """Kill who says to be the seer, else whom the pack speaks of; the first of the pack says whom."""
    if not prey:
        return {"type": "kill", "seat": 0}
    spoken = [seat for seat in prey if any(PACKED.format(name=table.names[seat]) in line for line in turn.lines[-3:])]
    seers = [seat for seat in table.seers if seat in prey]
    if seers or spoken:
        return {"type": "kill", "seat": (seers or spoken)[-1]}
    if "pack" in turn.moves and table.me < min(table.pack, default=0):
        return {"type": "pack", "text": PACKED.format(name=table.names[dice.one_of(prey, "prey")])}
    together = Dice(f"{turn.facts.get('Day')} {turn.facts.get('Alive')}")  # so that a pack without words agrees
    return {"type": "kill", "seat": together.one_of(prey, "prey")}


def _brews(table: Table, turn: ReadTurn, allowed: Mapping[str, list[int]], dice: Dice) -> dict[str, Json]:
    """Save the victim; poison who was seen to be a wolf."""
    if "heal" in turn.moves:
        return {"type": "heal"}
    wolves = [seat for seat in table.accused if seat in allowed.get("poison", ())]
    return {"type": "poison", "seat": wolves[-1]} if wolves else {"type": "wait"}


def _votes(table: Table, among: Sequence[int], dice: Dice) -> int:
    """Hang who was seen; else whom most suspect. A wolf hangs no wolf, and the seer nobody who is cleared."""
    if table.role == "wolf":
        others = [seat for seat in among if seat not in table.pack]
        return table.most_suspected(others, dice)
    seen = [seat for seat in (*table.found, *table.accused) if seat in among]
    if seen:
        return seen[0] if table.found else Counter(seen).most_common(1)[0][0]
    trusted = {*table.cleared, *table.trusted}
    return table.most_suspected([seat for seat in among if seat not in trusted] or among, dice)


def _says(table: Table, dice: Dice) -> str:
    """Tell what the seer saw, once it is a wolf; else whom one suspects."""
    if table.found:
        return SAW.format(name=table.names[table.found[0]])
    if table.cleared and len(table.alive) <= 4:
        return CLEARED.format(name=table.names[table.cleared[-1]])
    if table.role == "wolf" and table.accusers_of_wolves:
        return SAW.format(name=table.names[table.accusers_of_wolves[0]])
    others = [seat for seat in table.alive if seat != table.me and seat not in {*table.pack, *table.cleared}]
    if not others:
        return "I have nothing to say to that."
    whom = _votes(table, others, dice) if dice.below(3, "follow") else dice.one_of(others, "accuse")
    return dice.one_of(SUSPECT, "words").format(name=table.names[whom])
