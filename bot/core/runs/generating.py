"""Agents made up for a run: each another, and the same ones for the same number and seed. Pure."""

from hashlib import sha256
from typing import Final

from bot.core.runs.spec import MOST_AGENTS, RunAgent

NAMES: Final = (
    *("Ada", "Bo", "Cy", "Dee", "Eli", "Fay", "Gus", "Hana", "Ivo", "Jun", "Kit", "Lena", "Milo", "Nia", "Otto", "Pia"),
    *("Quin", "Rosa", "Sam", "Tove", "Uma", "Vic", "Wim", "Xia", "Yara", "Zeno", "Alba", "Bram", "Cleo", "Dario"),
    *("Edda", "Finn", "Greta", "Hugo", "Ines", "Jonas", "Kaja", "Lars", "Mira", "Nils", "Oda", "Pavel", "Runa"),
    *("Sven", "Thea", "Udo", "Vera", "Wanda", "Yuri", "Zita"),
)
TRADES: Final = (
    *("a baker", "a nurse", "a fisherman", "a teacher", "a carpenter", "an innkeeper", "a librarian", "a farmer"),
    *("a doctor", "a musician", "a student", "a shopkeeper", "a retired judge", "an engineer", "a painter", "a sailor"),
)
WAYS: Final = (
    *(
        "patient and exact",
        "quick and blunt",
        "cheerful and forgetful",
        "careful with money",
        "curious about everybody",
    ),
    *("proud and hard to convince", "gentle and quiet", "fond of jokes", "worried about the future", "fair above all"),
)
AIMS: Final = (
    *("You look for what everybody can agree to.", "You say what you think, and change your mind for good reasons."),
    *("You ask before you judge.", "You want things to stay as they are.", "You want something new to be tried."),
    *("You speak for those who are not there.", "You keep others to what they promised."),
)


def generated(number: int, seed: int) -> tuple[RunAgent, ...]:
    """Make up so many agents, at most as many as a run may have, with names of their own."""
    names = sorted(NAMES, key=lambda name: _drawn(seed, name))
    return tuple(
        RunAgent(
            name=name,
            prompt=(
                f"You are {name}, {_one(TRADES, seed, name, 'trade')}, {_one(WAYS, seed, name, 'way')}. "
                f"{_one(AIMS, seed, name, 'aim')} You speak in one or two plain sentences."
            ),
        )
        for name in names[: min(number, MOST_AGENTS)]
    )


def _one(several: tuple[str, ...], seed: int, *what: str) -> str:
    return several[int.from_bytes(_drawn(seed, *what)[:8]) % len(several)]


def _drawn(seed: int, *what: str) -> bytes:
    return sha256("/".join((str(seed), *what)).encode()).digest()
