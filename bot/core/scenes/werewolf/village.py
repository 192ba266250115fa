"""Who is what among werewolves, how votes are counted, and who has won: nothing here knows of nights or turns."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Annotated

from bot.core.scenes.kind import Few, Frozen, Seat
from bot.core.wording import counted


class Role(StrEnum):
    """What somebody is."""

    WOLF = "wolf"
    SEER = "seer"
    WITCH = "witch"
    HUNTER = "hunter"
    VILLAGER = "villager"


class Cause(StrEnum):
    """What somebody died of; only what happens by day is told."""

    KILLED = "killed"
    POISONED = "poisoned"
    SHOT = "shot"
    HANGED = "hanged"


class Death(Frozen):
    """Who died when, and of what."""

    seat: Seat
    day: int
    cause: Cause


class Ballot(Frozen):
    """Who voted for whom to hang on a day; 0 abstained."""

    day: int
    votes: Annotated[Mapping[Seat, Seat], Few]

    def counts(self) -> list[tuple[Seat, int]]:
        """Give who has how many votes, the most first."""
        found = Counter(seat for seat in self.votes.values() if seat)
        return sorted(found.items(), key=lambda one: (-one[1], one[0]))


MANY = {Role.WOLF: "wolves", Role.WITCH: "witches"}


def roles_for(players: int, *, third_wolf: bool, hunter: bool) -> list[Role]:
    """Give the roles that so many players have, wolves first."""
    wolves = 1 if players <= 6 else 2 if players <= 8 else 3 if players <= 11 else 4
    special = [Role.WOLF] * (wolves + (third_wolf and players == 8)) + [Role.SEER]
    special += [Role.WITCH] * (players >= 6) + [Role.HUNTER] * (hunter and players >= 9)
    return special + [Role.VILLAGER] * (players - len(special))


def in_words(roles: Collection[Role]) -> str:
    """Say how many there are of each."""
    found = Counter(roles)
    return ", ".join(counted(found[role], role, MANY.get(role, "")) for role in Role if found[role])


def most_voted(votes: Iterable[Seat]) -> list[Seat]:
    """Give those with the most votes, in the order of seats; none where nobody voted."""
    found = Counter(votes)
    most = max(found.values(), default=0)
    return sorted(seat for seat, count in found.items() if count == most)


def hanged(votes: Mapping[Seat, Seat]) -> Seat:
    """Give who is hanged: whoever alone has the most votes; 0 where several have, or all abstain."""
    first = most_voted(seat for seat in votes.values() if seat)
    return first[0] if len(first) == 1 else 0


def winner(roles: Mapping[Seat, Role], alive: Sequence[Seat], *, side: bool) -> str:
    """Say who has won: `nobody`, `village`, `wolves`, or empty while nobody has."""
    left = [roles[seat] for seat in alive]
    wolves = left.count(Role.WOLF)
    if not left:
        return "nobody"
    if not wolves:
        return "village"
    if not side:
        return "wolves" if 2 * wolves >= len(left) else ""
    villagers = left.count(Role.VILLAGER)
    return "wolves" if not villagers or not len(left) - wolves - villagers else ""


def fared(role: Role | None, won: str) -> tuple[str, int]:
    """Say how somebody fared, with the score, by who has won; None moderated."""
    if role is None:
        return "moderated", 0
    if won not in ("village", "wolves"):
        return "drew", 0
    return ("won", 1) if (role is Role.WOLF) is (won == "wolves") else ("lost", 0)
