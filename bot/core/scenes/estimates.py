"""What a scene will cost and take, before it begins: from scenes like it that were played here, else from play-outs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from bot.core.scenes.commentary import EVERY_SECONDS
from bot.core.scenes.kind import Seat
from bot.core.scenes.play_outs import PlayOut
from bot.core.scenes.records import Scene
from bot.core.wording import counted

ANSWER_TOKENS = 120  # of a turn, about: a move with thoughts, as small models give them
CENT = Decimal("0.01")
WATCHES: Seat = 0
# of one turn of a seat, or of one look of who comments (WATCHES), for so many tokens that a play-out shows it
Price = Callable[[Seat, int], Decimal | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """How often agents are asked, what that costs (None: their models have no price), and how long all takes."""

    asked: int
    usd: Decimal | None
    seconds: float
    coin: str = "USD"

    @property
    def words(self) -> str:
        """Say it in one line."""
        usd = (
            "cost unknown"
            if self.usd is None
            else "less than a cent"
            if self.usd < CENT
            else f"{self.usd:.2f} {self.coin}"
        )
        minutes = counted(max(1, round(self.seconds / 60)), "minute")
        return f"Estimate: about {counted(self.asked, 'turn')} of agents, {usd}, {minutes}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What play-outs of a scene came to on average: of each seat how often it is asked, and with how many tokens."""

    asked: Mapping[Seat, float]
    tokens: Mapping[Seat, int]
    seconds: float


def expected(played: Sequence[PlayOut]) -> Expected:
    """Give the average of play-outs of one scene."""
    seats = sorted({seat for one in played for seat in one.asked})
    asked = {seat: sum(one.asked[seat] for one in played) for seat in seats}
    return Expected(
        asked={seat: asked[seat] / len(played) for seat in seats},
        tokens={seat: sum(one.tokens[seat] for one in played) // max(1, asked[seat]) for seat in seats},
        seconds=sum(one.seconds for one in played) / len(played),
    )


def estimated(scene: Scene, past: Sequence[Scene], thought: Expected, price: Price) -> Estimate | None:
    """Estimate a lobby's scene; None where no agent sits there. `past`: what came to its end here.

    From scenes of the same kind with as many seats follows how much of its turns is used, what one costs and takes.
    """
    played = _played(scene, past, thought, price)
    if played is None or scene.commentator_id is None:
        return played
    shown = sum(thought.asked[seat] * thought.tokens.get(seat, 0) for seat in thought.asked)
    looks = min(played.seconds / EVERY_SECONDS, sum(thought.asked.values()))
    each = price(WATCHES, round(shown / max(1.0, sum(thought.asked.values()))))
    usd = None if played.usd is None or each is None else played.usd + each * Decimal(looks)
    return _capped(scene, played.asked + looks, usd, played.seconds)


def _played(scene: Scene, past: Sequence[Scene], thought: Expected, price: Price) -> Estimate | None:
    seats = [place for place, one in enumerate(scene.seats, 1) if one.agent_id is not None]
    if not seats:
        return None
    alike = (scene.kind, scene.version, len(scene.seats))
    played = [one for one in past if (one.kind, one.version, len(one.seats)) == alike and _turns(one)]
    asked = sum(thought.asked.get(seat, 0.0) for seat in seats)
    usd = _priced(seats, thought, price)
    if not played:
        return _capped(scene, asked, usd, thought.seconds)
    used = sum(_turns(one) / _allowed(one) for one in played) / len(played)
    turns = max(1.0, _allowed(scene) * used)
    often = max(1.0, turns * len(seats) / len(scene.seats))
    spent = sum((one.usd for one in played), Decimal(0))
    asked_before = sum(seat.turns for one in played for seat in one.seats if seat.agent_id is not None)
    if spent and asked_before:
        usd = spent / asked_before * Decimal(often)
    elif usd is not None:
        usd = usd / Decimal(max(1.0, asked)) * Decimal(often)
    seconds = sum((one.ended_at - one.started_at).total_seconds() for one in played if one.ended_at and one.started_at)
    return _capped(scene, often, usd, turns * seconds / sum(map(_turns, played)))


def _priced(seats: Sequence[Seat], thought: Expected, price: Price) -> Decimal | None:
    """Give what the turns of some seats cost by play-outs; None where one of their models has no price."""
    total = Decimal(0)
    for seat in seats:
        each = price(seat, thought.tokens.get(seat, 0))
        if each is None:
            return None
        total += each * Decimal(thought.asked.get(seat, 0.0))
    return total


def _capped(scene: Scene, asked: float, usd: Decimal | None, seconds: float) -> Estimate:
    """Give an estimate: once its money is spent, a scene rests."""
    usd = None if usd is None else min(scene.usd_cap, usd)
    return Estimate(asked=max(1, round(asked)), usd=usd, seconds=seconds)


def _turns(scene: Scene) -> int:
    return sum(one.turns for one in scene.seats)


def _allowed(scene: Scene) -> int:
    turns = scene.options.get("turns")
    return turns if isinstance(turns, int) and turns else _turns(scene)
