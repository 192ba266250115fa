"""Which is cheaper: one call that agents share, or one call each, of which the provider has the beginning cached."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from bot.core.gate import Ready
from bot.core.hud.call import AgentPart, BuiltCall
from bot.core.records import AgentId, Message, MessageId
from bot.core.view import Outline

CACHE_KEPT = timedelta(minutes=5)  # how long providers keep a beginning at least
LEAST_CACHED_TOKENS = 1_024
VOLATILE = frozenset({"recent_actions", "budget", "now"})  # what changes in every beat and stands last
ROOM_LINE_TOKENS = 60  # what else changes in every beat: the time, word budgets, times since the last word
UNCOUNTED_TOKENS = 30  # of a message whose tokens are not stored
InputPrice = Callable[[int, int], Decimal]  # input tokens, of which so many are cached -> USD


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What the input costs either way, in USD."""

    shared_usd: Decimal
    alone_usd: Decimal

    @property
    def alone_is_cheaper(self) -> bool:
        """Whether agents are to be asked one by one."""
        return self.alone_usd < self.shared_usd


def compare(
    view: Outline, ready: Sequence[Ready], built: BuiltCall, constant_tokens: int, price: InputPrice, now: datetime
) -> Comparison:
    """Compare a shared call with calls alone, as either would be once it has become the habit.

    `constant_tokens` are those of the call's instructions. A beginning is warm when all agents have beaten lately.
    """
    warm = all(_lately(one, now) for one in ready)
    rooms = sum(_tokens_of(part, frozenset({"messages"})) for part in built.parts)
    segments = sum(part.tokens for part in built.parts) - rooms
    told = built.tokens - constant_tokens - segments
    fresh = sum(_size(message) for message in _new(view, built.parts))
    shared = constant_tokens + max(0, told - fresh) if warm else constant_tokens
    alone = sum(_alone(view, part, constant_tokens, price, warm=warm) for part in built.parts)
    return Comparison(shared_usd=price(built.tokens, _cached(shared)), alone_usd=Decimal(alone))


def _alone(view: Outline, part: AgentPart, constant_tokens: int, price: InputPrice, *, warm: bool) -> Decimal:
    whole = constant_tokens + part.tokens
    if not warm:
        return price(whole, _cached(constant_tokens))
    changed = _tokens_of(part, VOLATILE) + ROOM_LINE_TOKENS + _after_the_first_new(view, part)
    return price(whole, _cached(max(constant_tokens, whole - changed)))


def _cached(tokens: int) -> int:
    return tokens if tokens >= LEAST_CACHED_TOKENS else 0


def _lately(one: Ready, now: datetime) -> bool:
    before = one.agent.last_beat_at  # as it was before this beat
    return before is not None and now - before <= CACHE_KEPT


def _tokens_of(part: AgentPart, names: frozenset[str]) -> int:
    return sum(tokens for name, tokens in part.sections if name in names)


def _size(message: Message) -> int:
    return message.tokens or UNCOUNTED_TOKENS


def _shown(view: Outline, part: AgentPart, room_id: AgentId) -> tuple[Message, ...]:
    room = view.rooms.get(room_id)
    messages = room.messages if room is not None else ()
    return tuple(message for message in messages if message.id in part.message_ids)


def _is_new(view: Outline, part: AgentPart, message: Message) -> bool:
    membership = view.memberships.get((part.agent_id, message.room_id))
    return membership is None or message.id > membership.seen_until


def _new(view: Outline, parts: Iterable[AgentPart]) -> list[Message]:
    """The messages that somebody in the call has not seen yet."""
    new: dict[MessageId, Message] = {}
    for part in parts:
        for room_id in part.room_ids:
            new |= {one.id: one for one in _shown(view, part, room_id) if _is_new(view, part, one)}
    return list(new.values())


def _after_the_first_new(view: Outline, part: AgentPart) -> int:
    """Count from the first new line to the end of the rooms: nothing after a change is cached."""
    tokens = 0
    for room_id in part.room_ids:
        for message in _shown(view, part, room_id):
            if tokens or _is_new(view, part, message):
                tokens += _size(message)
    return tokens
