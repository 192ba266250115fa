"""What a scene will cost and take, before it begins: from those of its kind that were played here, else at most."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from bot.core.scenes.records import Scene
from bot.core.wording import counted

PROMPT_TOKENS, ANSWER_TOKENS = (
    1_500,
    120,
)  # of a turn, about: rules, what one knows, what happened; a move with thoughts
AGENT_SECONDS, PERSON_SECONDS = 8.0, 40.0  # of a turn, about: thinking, typing, pressing
CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """How often agents are asked, what that costs (None: their models have no price), and how long all takes."""

    asked: int
    usd: Decimal | None
    seconds: float
    is_known: bool  # from scenes that were played
    coin: str = "USD"

    @property
    def words(self) -> str:
        """Say it in one line."""
        about = "about" if self.is_known else "at most"
        usd = (
            "cost unknown"
            if self.usd is None
            else "less than a cent"
            if self.usd < CENT
            else f"{self.usd:.2f} {self.coin}"
        )
        minutes = counted(max(1, round(self.seconds / 60)), "minute")
        return f"Estimate: {about} {counted(self.asked, 'turn')} of agents, {usd}, {minutes}."


def estimated(scene: Scene, past: Sequence[Scene], usd_each: Decimal | None) -> Estimate | None:
    """Estimate a lobby's scene; `past`: what came to its end here, `usd_each`: the list price of one agent's turn."""
    agents = sum(one.agent_id is not None for one in scene.seats)
    turns = scene.options.get("turns")
    if not agents or not isinstance(turns, int):
        return None
    share = agents / len(scene.seats)
    played = [one for one in past if (one.kind, one.version) == (scene.kind, scene.version) and _turns(one)]
    if not played:
        people = len(scene.seats) - agents
        each = (AGENT_SECONDS * agents + PERSON_SECONDS * people) / len(scene.seats)
        return _capped(scene, turns * share, usd_each, turns * each, is_known=False)
    used = sum(_turns(one) / _allowed(one) for one in played) / len(played)
    all_turns = sum(map(_turns, played))
    asked = sum(seat.turns for one in played for seat in one.seats if seat.agent_id is not None)
    spent = sum((one.usd for one in played), Decimal(0))
    seconds = sum((one.ended_at - one.started_at).total_seconds() for one in played if one.ended_at and one.started_at)
    expected = max(1.0, turns * used)
    usd = spent / asked if spent and asked else usd_each
    return _capped(scene, expected * share, usd, expected * seconds / all_turns, is_known=True)


def _capped(scene: Scene, asked: float, usd_each: Decimal | None, seconds: float, *, is_known: bool) -> Estimate:
    """Give an estimate: once its money is spent, a scene rests."""
    often = max(1, round(asked))
    usd = None if usd_each is None else min(scene.usd_cap, usd_each * often)
    return Estimate(asked=often, usd=usd, seconds=seconds, is_known=is_known)


def _turns(scene: Scene) -> int:
    return sum(one.turns for one in scene.seats)


def _allowed(scene: Scene) -> int:
    turns = scene.options.get("turns")
    return turns if isinstance(turns, int) and turns else _turns(scene)
