"""What is shown of a village with wolves in it: to everybody the same, and to a seat what it is and knows."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from bot.core.records import Json
from bot.core.scenes.kind import Event, Expect, Seat, Seen
from bot.core.scenes.werewolf.village import Ballot, Cause, Death, Role, in_words

if TYPE_CHECKING:
    from bot.core.scenes.werewolf.state import Werewolf

PHASES: Final = {"shot": "the hunter's shot"}
NIGHTS: Final = ("night", "late night")
MODERATES: Final = (("You are", "the moderator: on no side, and told no more than everybody"),)


def seen(game: "Werewolf", seat: Seat) -> Seen:
    """Give what a seat sees (0: whoever watches)."""
    counts = game.ballots[-1].counts() if game.ballots else []
    return Seen(
        phase=PHASES.get(game.phase, game.phase),
        awaited=_awaited(game),
        dead=tuple(one for one in game.roles if one not in game.alive),
        facts=tuple(_facts(game)),
        bars=tuple((f"{{s{whom}}}", count) for whom, count in counts),
        private=tuple(_private(game, seat)) if seat in game.roles else MODERATES if seat else (),
        picture=_picture(game, counts),
    )


def _awaited(game: "Werewolf") -> tuple[Seat, ...]:
    """Give whom everybody sees awaited: at night nobody."""
    awaited = game.awaits
    return awaited.seats if isinstance(awaited, Expect) and not awaited.unseen else ()


def _facts(game: "Werewolf") -> list[tuple[str, str]]:
    facts = [
        ("Day", f"{game.day} of {game.terms.days}"),
        ("Roles at first", in_words([*game.roles.values()])),
        ("Alive", ", ".join(f"{{s{one}}}" for one in game.alive)),
    ]
    if game.deaths:
        facts.append(("Dead", ", ".join(_grave(game, one) for one in game.deaths)))
    return [*facts, *((f"Ballot of day {one.day}", _votes(one.votes)) for one in reversed(game.ballots))]


def _votes(votes: Mapping[Seat, Seat | None]) -> str:
    """Say who voted for whom."""
    return ", ".join(f"{{s{seat}}} for {f'{{s{whom}}}' if whom else 'nobody'}" for seat, whom in votes.items())


def _grave(game: "Werewolf", one: Death) -> str:
    return f"{game.named(one.seat)} on day {one.day}{', hanged' if one.cause is Cause.HANGED else ''}"


def _private(game: "Werewolf", seat: Seat) -> list[tuple[str, str]]:
    role = game.roles[seat]
    told = [("You are", f"{role}, {'alive' if seat in game.alive else 'dead'}")]
    if role is Role.WOLF:
        pack = ", ".join(f"{{s{one}}}" for one, other in game.roles.items() if other is Role.WOLF and one != seat)
        told.append(("The other wolves", pack or "none"))
        if seat in game.alive and game.kills and game.phase != "night":
            told.append(("The pack's votes", _votes(dict(sorted(game.kills.items())))))
    if role is Role.SEER and game.inspected:
        found = ", ".join(f"{{s{one}}} {game.wolf_or_not(one)}" for _, one in game.inspected)
        told.append(("You saw", found))
    if role is Role.WITCH:
        left = [name for name, used in (("heal", game.healed_in), ("poison", game.poisoned_in)) if not used]
        told.append(("Your potions", " and ".join(left) or "none"))
        if game.phase == "late night" and game.has_heal and seat in game.alive:
            told.append(("Tonight's victim", f"{{s{game.victim}}}" if game.victim else "nobody"))
    return told


def _picture(game: "Werewolf", counts: list[tuple[Seat, int]]) -> dict[str, Json]:
    """Give what the ring is drawn from; once it is over who was what, and the strip of all days, too."""
    ring: list[Json] = [
        {"seat": one, "alive": one in game.alive, "role": game.roles[one].value if game.won else ""}
        for one in game.roles
    ]
    bars: list[Json] = [{"seat": whom, "votes": count} for whom, count in counts]
    days: list[Json] = [_day(game, day) for day in range(1, game.day + 1)] if game.won else []
    night = game.phase in NIGHTS
    return {"ring": ring, "bars": bars, "night": night, "day": game.day, "won": game.won, "days": days}


def _day(game: "Werewolf", day: int) -> dict[str, Json]:
    """Give who died on a day and how, and who voted for whom."""
    deaths: list[Json] = [{"seat": one.seat, "cause": one.cause.value} for one in game.deaths if one.day == day]
    ballot = next((one for one in game.ballots if one.day == day), Ballot(day=day, votes={}))
    votes: list[Json] = [
        {"seat": whom, "by": [seat for seat, vote in ballot.votes.items() if vote == whom]}
        for whom, _ in ballot.counts()
    ]
    return {"day": day, "deaths": deaths, "votes": votes}


def of_witch(seat: Seat, what: str) -> Event:
    """Tell the witch alone what she has done."""
    return Event(text=f"{{s{seat}}}, the witch, {what}.", audience=(seat,), kind="witch")
