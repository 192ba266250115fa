"""How an agent divides its view between rooms: fixed percentages, dynamic shares, and what is left over."""

from collections.abc import Mapping, Sequence
from typing import Final

from bot.core.records import AgentId, Membership
from bot.core.sentences import Sentence

DYNAMIC: Final = "%*"
_FAINT: Final = 0.01  # a room with no share of its own still comes before unused tokens


def word_attention(attention: int | None) -> str:
    """Word a membership's attention as agents set it: `40%` or `%*`."""
    return DYNAMIC if attention is None else f"{attention}%"


def share_words(attention: int | None) -> str:
    """Word it for people."""
    return Sentence("an equal share of what is left") if attention is None else f"{attention}%"


def shares(memberships: Sequence[Membership]) -> dict[AgentId, float]:
    """Give each room's share in percent: fixed ones as they are, dynamic ones the rest in equal parts."""
    fixed = sum(one.attention or 0 for one in memberships)
    dynamic = sum(one.attention is None for one in memberships)
    part = max(0.0, 100 - fixed) / dynamic if dynamic else 0.0
    scale = min(1.0, 100 / fixed) if fixed else 1.0  # only a store from elsewhere can hold more than 100
    return {one.room_id: part if one.attention is None else one.attention * scale for one in memberships}


def allot(
    total: int, weights: Mapping[AgentId, float], least: Mapping[AgentId, int], most: Mapping[AgentId, int]
) -> dict[AgentId, int]:
    """Divide tokens by weight, each room between its least and its most; what one leaves goes to the others.

    The sum is at most `total` when the leasts are.
    """
    given: dict[AgentId, int] = {}
    free = dict.fromkeys(weights)
    while free:
        unit = max(0, total - sum(given.values())) / sum(max(weights[room], _FAINT) for room in free)
        wished = {room: int(unit * max(weights[room], _FAINT)) for room in free}
        settled = _settled(wished, least, most)
        given |= settled or wished
        free = dict.fromkeys(room for room in free if room not in given)
    return given


def _settled(
    wished: Mapping[AgentId, int], least: Mapping[AgentId, int], most: Mapping[AgentId, int]
) -> dict[AgentId, int]:
    """Give the rooms whose tokens are final: those below their least or above their most, whichever weighs more."""
    below = {room: least[room] for room, wish in wished.items() if wish < least[room]}
    above = {room: most[room] for room, wish in wished.items() if wish > most[room]}
    lacking = sum(tokens - wished[room] for room, tokens in below.items())
    spare = sum(wished[room] - tokens for room, tokens in above.items())
    if not (below or above) or lacking == spare:
        return below | above
    return below if lacking > spare else above
