"""What everybody sees of a council: in words, and as what its picture is drawn from."""

from typing import TYPE_CHECKING

from bot.core.records import Json
from bot.core.scenes.council.motions import VOTED, Decision, Motion, Tally, by_seat, quorum_of, shown, told
from bot.core.scenes.council.moves import Choice
from bot.core.scenes.kind import Expect, Over, Seat, Seen
from bot.core.wording import counted

if TYPE_CHECKING:
    from bot.core.scenes.council.state import Meeting

Facts = tuple[tuple[str, str], ...]
LAST_DECIDED = 5
BARS = set(Tally.model_fields)  # what a ballot's bars are drawn from


def seen(council: "Meeting", seat: Seat) -> Seen:
    """Give what a seat sees (0: whoever watches)."""
    awaited, facts = council.awaits, _facts(council)
    last = council.decided[-1] if council.decided else None
    return Seen(
        phase=council.phase,
        awaited=awaited.seats if isinstance(awaited, Expect) else (),
        facts=facts,
        question=facts[0] if council.motion is not None and council.ballot else None,
        bars=(("yes", last.yes), ("no", last.no), ("abstained", last.abstained)) if last else (),
        private=(("You are", "a member" if seat in council.members else "presiding"),) if seat else (),
        picture={} if seat else _picture(council, facts),
    )


def _facts(council: "Meeting") -> Facts:
    facts = [("About", "{o.topic}")]
    if council.motion is not None:
        on_table = shown(council.motion, is_voted_on=bool(council.ballot))
        facts = [*on_table, *facts] if council.ballot else [*facts, *on_table]
    if council.chair:
        facts.append(("Presiding", f"{{s{council.chair}}}"))
    if council.terms.quorum:
        facts.append(("Quorum", f"{quorum_of(len(council.members))} of {counted(len(council.members), 'member')}"))
    facts += [(one.what, _came(one)) for one in council.decided[-LAST_DECIDED:]]
    if cast := _cast(council):
        facts.append(("Last ballot", by_seat(cast)))
    return tuple(facts)


def _came(tally: Tally) -> str:
    came = told(tally).removeprefix(tally.what).strip()
    return f"{came} **{{t{tally.title}}}**" if isinstance(tally, Decision) and tally.title else came


def _cast(council: "Meeting") -> dict[Seat, Choice]:
    """Give who voted how in the last ballot, if that was open and no other goes on."""
    return {} if council.ballot else {**council.last_votes}


def _picture(council: "Meeting", facts: Facts) -> dict[str, Json]:
    """Give what the horseshoe is drawn from: of an open ballot nothing but that it is, nor who came back to vote."""
    awaited, cast, motion = council.awaits, _cast(council), council.motion
    away = () if council.ballot else council.away
    speaks = awaited.seats if isinstance(awaited, Expect) and not council.ballot else ()
    phase = "closed" if isinstance(awaited, Over) else council.phase
    seats: list[Json] = [
        {
            "seat": one,
            "note": ", ".join(_notes(council, one, cast)),
            "speaks": one in speaks,
            "away": one in away,
            "chair": one == council.chair and one not in council.members,
        }
        for one in council.seats
    ]
    return {
        "seats": seats,
        "horseshoe": True,
        "middle": [phase.capitalize(), *(_of_motion(motion) if motion else [])],
        "about": f"{{t{motion.title}}}" if motion else "",
        "ballots": [one.model_dump(mode="json", include=BARS) for one in council.decided[-LAST_DECIDED:]],
        "quorum": quorum_of(len(council.members)) if council.terms.quorum else 0,
        "told": [phase.capitalize(), *(f"{name}: {words}" for name, words in facts)],
    }


def _notes(council: "Meeting", seat: Seat, cast: dict[Seat, Choice]) -> list[str]:
    motion = council.motion
    said = {
        "away": seat in council.away and not council.ballot,
        "presides": seat == council.chair,
        "moved it": motion is not None and seat == motion.by,
        "would vote": motion is not None and seat == motion.vote_called_by,
        "would adjourn": seat in council.leaving,
        _voted(cast.get(seat, "abstain")): seat in cast,
    }
    return [word for word, holds in said.items() if holds]


def _voted(choice: Choice) -> str:
    return VOTED[choice] if choice == "abstain" else f"voted {choice}"


def _of_motion(motion: Motion) -> list[str]:
    stands = [] if motion.seconded else ["needs a second"]
    return [
        f"motion {motion.number}, {counted(len(motion.clauses), 'clause')}",
        counted(len(motion.amendments), "amendment"),
        *stands,
    ]
