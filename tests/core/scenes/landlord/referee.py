"""A second recogniser and scorekeeper for landlord, slow and plain, from the rules' table alone.

Cards are strings; a combination is (name, size class, key). It builds every play of a type and looks for the cards
among them, where the first one looks at the cards.
"""

import random
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, combinations_with_replacement
from typing import Any

ORDER = ["3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "2", "SJ", "BJ"]
TABLE = [
    "single",
    "pair",
    "triple",
    "triple + single",
    "triple + pair",
    "straight",
    "pair run",
    "plane",
    "plane + singles",
    "plane + pairs",
    "four + 2 singles",
    "four + 2 pairs",
    "bomb",
    "rocket",
]
IN_A_ROW = ORDER[:12]
Read = tuple[str, int, int]  # its name, how long it is, which rank decides


def there_are(card: str, decks: int) -> int:
    return decks if card in ("SJ", "BJ") else 4 * decks


def rows(least: int) -> Iterator[list[str]]:
    for first in range(12):
        for last in range(first + least, 13):
            yield IN_A_ROW[first:last]


def every(name: str, size: int, decks: int, held: Counter[str]) -> Iterator[tuple[list[str], str, int]]:
    """Give all plays of a name with so many cards of those held: the cards, the rank that decides, and the length."""
    has = [card for card in ORDER if held[card]]
    three = [card for card in has if held[card] >= 3]
    pairs = [card for card in has if held[card] >= 2]
    match name:
        case "single" | "pair" | "triple":
            many = ["single", "pair", "triple"].index(name) + 1
            yield from (([card] * many, card, 1) for card in has if there_are(card, decks) >= many)
        case "triple + single":
            yield from (([card] * 3 + [other], card, 1) for card in three for other in has if other != card)
        case "triple + pair":
            yield from (([card] * 3 + [other] * 2, card, 1) for card in three for other in pairs if other != card)
        case "straight":
            yield from ((row, row[-1], len(row)) for row in rows(5) if len(row) == size)
        case "pair run":
            yield from ((row * 2, row[-1], len(row)) for row in rows(3) if 2 * len(row) == size)
        case "plane" | "plane + singles" | "plane + pairs":
            yield from planes(name, size, held, has, pairs)
        case "four + 2 singles" | "four + 2 pairs":
            yield from fours(name, held, has, pairs)
        case "bomb":
            fit = [card for card in has if card not in ("SJ", "BJ")]
            yield from (([card] * many, card, many) for card in fit for many in range(4, 4 * decks + 1))
        case "rocket":
            yield (["SJ"] * decks + ["BJ"] * decks, "BJ", 1)


def planes(
    name: str, size: int, held: Counter[str], has: list[str], pairs: list[str]
) -> Iterator[tuple[list[str], str, int]]:
    for row in rows(2):
        if size != len(row) * {"plane": 3, "plane + singles": 4, "plane + pairs": 5}[name]:
            continue
        if any(held[card] < 3 for card in row):
            continue
        others = [card for card in has if card not in row]
        if name == "plane":
            yield row * 3, row[-1], len(row)
        elif name == "plane + singles":
            for taken in combinations_with_replacement(others, len(row)):
                if not ("SJ" in taken and "BJ" in taken):
                    yield row * 3 + [*taken], row[-1], len(row)
        else:
            for twice in combinations([card for card in pairs if card not in row], len(row)):
                yield row * 3 + [*twice] * 2, row[-1], len(row)


def fours(name: str, held: Counter[str], has: list[str], pairs: list[str]) -> Iterator[tuple[list[str], str, int]]:
    for four in [card for card in has if held[card] >= 4]:
        if name == "four + 2 singles":
            for two in combinations_with_replacement([card for card in has if card != four], 2):
                yield [four] * 4 + [*two], four, 1
        else:
            for twice in combinations([card for card in pairs if card != four], 2):
                yield [four] * 4 + [*twice] * 2, four, 1


def reads(cards: Sequence[str], decks: int) -> list[Read]:
    """Give every reading of the cards, in the order of the table, the highest first."""
    held = Counter(cards)
    found: list[Read] = []
    for name in TABLE:
        plays = every(name, len(cards), decks, held)
        keys = {(length, ORDER.index(key)) for play, key, length in plays if Counter(play) == held}
        found += [(name, length, key) for length, key in sorted(keys, reverse=True)]
    return found


def may_beat(mine: Read, theirs: Read) -> bool:
    if theirs[0] == "rocket":
        return False
    if mine[0] == "rocket":
        return True
    if mine[0] == "bomb":
        return theirs[0] != "bomb" or mine[1:] > theirs[1:]
    return mine[:2] == theirs[:2] and mine[2] > theirs[2]


def book(decks: int, most: int) -> dict[tuple[str, ...], list[Read]]:
    """Give every play of at most so many cards, with its readings; what is not in it is none."""
    pack = Counter({card: there_are(card, decks) for card in ORDER})
    found: dict[tuple[str, ...], list[Read]] = {}
    for size in range(1, most + 1):
        for name in TABLE:
            for play, key, length in every(name, size, decks, pack):
                if len(play) == size and not Counter(play) - pack:
                    cards = tuple(sorted(play, key=ORDER.index))
                    found.setdefault(cards, []).append((name, length, ORDER.index(key)))
    for reads_ in found.values():
        reads_.sort(key=lambda one: (TABLE.index(one[0]), -one[1], -one[2]))
    return found


def multisets(decks: int, most: int) -> Iterator[tuple[str, ...]]:
    """Give all multisets of 1 to so many cards."""

    def more(at: int, left: int, cards: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        if at == len(ORDER):
            if cards:
                yield cards
            return
        for many in range(min(left, there_are(ORDER[at], decks)) + 1):
            yield from more(at + 1, left - many, cards + (ORDER[at],) * many)

    yield from more(0, most, ())


def some_cards(rng: random.Random, decks: int) -> tuple[str, ...]:
    """Draw 9 cards or more: mostly near a play, so that there is something to recognise; else any."""
    pack = Counter({card: there_are(card, decks) for card in ORDER})
    if rng.random() < 0.2:
        return in_order(rng.sample([*pack.elements()], rng.randint(9, 20 if decks == 1 else 33)))
    many, least = rng.choice([(1, 9), (2, 5), (3, 3), (3, 2), (3, 3), (3, 4), (4, 2)])
    length = rng.randint(least, 12 if many == 1 else least + 3)
    first = rng.randint(0, max(0, 12 - length))
    body = Counter({card: many for card in ORDER[first : first + length]})
    others = [card for card in ORDER if rng.random() < 0.1 or card not in body]
    each = rng.choice([0, 1, 1, 2, 3])
    body.update(card for _ in range(length) for card in [rng.choice(others)] * each)
    if rng.random() < 0.3:
        body[rng.choice(ORDER)] += rng.choice([-1, 1])
    return in_order((+body & pack).elements())


def in_order(cards: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(cards, key=ORDER.index))


Asked = Generator[int, tuple[str, Sequence[str], int], dict[str, object]]


def hand(seats: Sequence[int], first: int, deal: int, rules: Mapping[str, bool | int], sizes: dict[int, int]) -> Asked:
    """Follow one deal: yields whom it asks, is told (move, cards, points), and gives what came of it."""
    order = turned(seats, first)
    worth, caller, passed = 1, 0, list[int]()
    for seat in order:
        move, _, points = yield seat
        if move == "pass":
            passed.append(seat)
            continue
        caller, worth = seat, points if rules["points"] else 1
        if not rules["points"] or points == 3:
            break
    if not caller and deal < 3:
        return {"again": order[1]}
    landlord = caller or order[0]
    if caller and rules["robbing"] and not rules["points"]:
        others = [one for one in turned(seats, caller)[1:] if rules["passers_rob"] or one not in passed]
        landlord, robs = yield from robbed(caller, others, again=bool(rules["caller_again"]))
        worth *= 2**robs
    around = turned(seats, landlord)
    if rules["doubling"]:
        for seat in [*around[1:], landlord]:
            worth *= 2 if (yield seat)[0] == "double" else 1
    winner, bombs, plays = yield from tricks(around, int(rules["decks"]), sizes)
    worth *= 2**bombs
    farmers = around[1:]
    never = not any(plays[one] for one in farmers) if winner == landlord else plays[landlord] == 1
    worth = min(worth * (2 if never and rules["spring"] else 1), int(rules["cap"])) * int(rules["base"])
    sign = 1 if winner == landlord else -1
    return {"scores": {one: sign * worth * len(farmers) if one == landlord else -sign * worth for one in seats}}


def robbed(
    caller: int, others: Sequence[int], *, again: bool
) -> Generator[int, tuple[str, Sequence[str], int], tuple[int, int]]:
    """Follow the robbing: who is landlord, and how often it was robbed."""
    landlord, robs = caller, 0
    for seat in others:
        if (yield seat)[0] == "rob":
            landlord, robs = seat, robs + 1
    if robs and again and (yield caller)[0] == "rob":
        landlord, robs = caller, robs + 1
    return landlord, robs


def tricks(
    around: Sequence[int], decks: int, sizes: dict[int, int]
) -> Generator[int, tuple[str, Sequence[str], int], Any]:
    """Follow the play of the cards: who is out first, how many bombs, how often each played."""
    plays, bombs, leader = Counter[int](), 0, around[0]
    left = {**sizes}
    left[leader] += {17: 3, 13: 2, 25: 8}[sizes[leader]]
    while True:
        lying: Read | None = None
        seat, last = leader, leader
        while True:
            move, cards, _ = yield seat
            if move == "play":
                beating = [one for one in reads(cards, decks) if lying is None or may_beat(one, lying)]
                assert beating, f"{cards} on {lying}"
                lying, last = beating[0], seat
                plays[seat] += 1
                bombs += lying[0] in ("bomb", "rocket")
                left[seat] -= len(cards)
                if not left[seat]:
                    return seat, bombs, plays
            else:
                assert lying is not None, "the leader may not pass"
            seat = turned(around, seat)[1]
            if seat == last:
                break
        leader = last


def turned(seats: Sequence[int], first: int) -> list[int]:
    at = list(seats).index(first)
    return [*seats[at:], *seats[:at]]
