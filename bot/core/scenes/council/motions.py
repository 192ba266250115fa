"""What a council decides on: motions with their amendments, how votes are counted, and how that is told."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from bot.core.scenes.council.moves import Choice
from bot.core.scenes.kind import MOST_SEATS, NO_TEXT, Frozen, Seat, TextId

MOST_MOTIONS, MOST_AMENDMENTS = 20, 10  # that options allow; of amendments at a time
VOTED: Mapping[Choice, str] = {"yes": "yes", "no": "no", "abstain": "abstained"}


class Amendment(Frozen):
    """Other words for a clause."""

    by: Seat
    clause: int
    text: TextId


class Motion(Frozen):
    """What is on the table; `clauses` are the numbers of its texts."""

    number: int
    by: Seat
    title: TextId
    clauses: Annotated[tuple[TextId, ...], Field(max_length=1 + MOST_AMENDMENTS)]
    seconded: bool
    amendments: Annotated[tuple[Amendment, ...], Field(max_length=MOST_AMENDMENTS)] = ()
    vote_called_by: Seat = 0
    turns: int = 0  # since it was moved


class Tally(Frozen):
    """What a ballot came to."""

    what: str
    yes: int
    no: int
    abstained: int
    absent: int
    passed: bool


class Decision(Tally):
    """A ballot as it is remembered: what was voted on, word by word, and who voted how if that was open."""

    title: TextId = NO_TEXT  # of a motion
    clauses: Annotated[tuple[TextId, ...], Field(max_length=1 + MOST_AMENDMENTS)]
    votes: Annotated[Mapping[Seat, Choice], Field(max_length=MOST_SEATS)]


def passes(yes: int, no: int, abstained: int, members: int, *, two_thirds: bool = False, quorum: bool = True) -> bool:
    """Tell whether a motion has passed: enough took part, and yes outweighs no; a tie fails."""
    if quorum and yes + no + abstained < quorum_of(members):
        return False
    return yes > 0 and 3 * yes >= 2 * (yes + no) if two_thirds else yes > no


def quorum_of(members: int) -> int:
    """Give how many have to vote where half of the members must."""
    return (members + 1) // 2


def told(tally: Tally) -> str:
    """Word what a ballot came to."""
    word = "passed" if tally.passed else "failed"
    return f"{tally.what} {word}: {tally.yes} yes, {tally.no} no, {tally.abstained} abstained, {tally.absent} absent."


def resolved(decision: Decision) -> str:
    """Word what was decided in full: the text as it was amended, and who voted how if that was open."""
    who = f" ({by_seat(decision.votes)})" if decision.votes else ""
    return f"{told(decision)} **{{t{decision.title}}}** {clauses_of(decision)}{who}"


def by_seat(votes: Mapping[Seat, Choice]) -> str:
    """Give who voted how."""
    return ", ".join(f"{{s{seat}}} {VOTED[choice]}" for seat, choice in sorted(votes.items()))


def clauses_of(motion: Motion | Decision) -> str:
    """Give the text of a motion as it is now, clause by clause."""
    return " ".join(f"({place}) {{t{text}}}" for place, text in enumerate(motion.clauses, 1))


def voted_on(motion: Motion) -> str:
    """Name what a ballot on a motion is about: the first of its amendments, else the motion."""
    first = next(iter(motion.amendments), None)
    return f"motion {motion.number}" if first is None else f"clause {first.clause} of motion {motion.number}"


def shown(motion: Motion, *, is_voted_on: bool = False) -> list[tuple[str, str]]:
    """Give a motion and its amendments as everybody sees them; before all else what is voted on now."""
    stands = "" if motion.seconded else " (needs a second)"
    whole = f"**{{t{motion.title}}}** {clauses_of(motion)}"
    amended = [(f"Amendment of {{s{one.by}}}, clause {one.clause}", f"{{t{one.text}}}") for one in motion.amendments]
    if not is_voted_on:
        return [(f"Motion {motion.number}{stands}", whole), *amended]
    vote = f"Vote on {voted_on(motion)}"
    if not motion.amendments:
        return [(vote, whole)]
    first = motion.amendments[0]
    told = f"{{s{first.by}}} would have it say: {{t{first.text}}}"
    return [(vote, told), (f"Motion {motion.number}", whole), *amended[1:]]
