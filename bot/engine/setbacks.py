"""What becomes of a letter that Discord did not take: waited out, looked for, given up, and told to managers once."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog

from bot.core.after_beat import retired_with_its_channel
from bot.core.changes import AddLetter, Change, UpdateAgent
from bot.core.errors import ChannelGone, FateUnknown, Forbidden, Gone, Limited, PublishError
from bot.core.kinds import LetterKind, LetterState, Visibility
from bot.core.letters import RESTS, NoticePayload, is_lasting, wanted_visibility
from bot.core.ports import Clock, Store, Writing
from bot.core.ports.residents import Views
from bot.core.records import AgentId, CommunityId, Letter
from bot.core.view import Outline

REFUSALS = 3
REFUSED_WAIT_SECONDS = 2.0
CHANNEL_REST = timedelta(minutes=10)
LONGEST_REST = timedelta(hours=6)
AGAIN_SECONDS = 1.0
LONGEST_AGAIN_SECONDS = 300.0
MOST_DOUBLINGS = 10  # no rest is longer by then, and a letter that lasts is tried for years
GIVE_UP_AFTER = timedelta(hours=24)
TOLD_AGAIN_AFTER = timedelta(hours=1)
SPOKEN = frozenset({LetterKind.POST, LetterKind.CHANNEL})  # without these an agent cannot live in its room
RESTING = SPOKEN | {LetterKind.TOPIC, LetterKind.RENAME, LetterKind.BILLBOARD}  # these wait for the right to come back

log = structlog.get_logger(__name__)


class Stumbled(PublishError):
    """We ourselves failed: tried again a few times, for it may have been the moment."""


class Setbacks:
    """Decides and writes what follows from a refusal."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._told: dict[tuple[CommunityId, AgentId, str], datetime] = {}

    async def meet(self, letter: Letter, error: PublishError) -> None:
        """Keep what becomes of the letter after this error."""
        now = self._clock.now()
        log.warning("a letter was not taken", letter=letter.id, kind=letter.kind, error=error.sentence)
        lasts = is_lasting(letter)
        if now - letter.created_at > GIVE_UP_AFTER and not lasts:
            await self._give_up(letter, error, now)
            return
        match error:
            case FateUnknown():
                await self._look_later(letter, now)
            case Limited(retry_after_seconds=seconds):
                await self._wait(letter, seconds, now)
            case Stumbled() if letter.attempts < REFUSALS:
                await self._stumbled(letter, now)
            case Forbidden():
                await self._refused(letter, error, now)
            case ChannelGone() if letter.kind is not LetterKind.NOTICE:
                await self._retire(letter, now)
            case Gone():
                await self._move(letter, LetterState.FAILED, now)
            case _ if lasts:
                await self._refused(letter, error, now)
            case _:
                await self._give_up(letter, error, now)

    async def _look_later(self, letter: Letter, now: datetime) -> None:
        """Try again when the line may be back; a post keeps the mark of being looked for, and its time (posting)."""
        if letter.kind is not LetterKind.POST:
            again = min(AGAIN_SECONDS * 2 ** min(letter.attempts, MOST_DOUBLINGS), LONGEST_AGAIN_SECONDS)
            await self._wait(letter, again, now, attempts=letter.attempts + 1)

    async def _stumbled(self, letter: Letter, now: datetime) -> None:
        """Try again soon; a post may have arrived all the same, and is looked for first."""
        state = LetterState.SENDING if letter.kind is LetterKind.POST else LetterState.WAITING
        again = now + timedelta(seconds=AGAIN_SECONDS * 2**letter.attempts)
        await self._move(letter, state, now, attempts=letter.attempts + 1, not_before=again)

    async def _wait(self, letter: Letter, seconds: float, now: datetime, *, attempts: int | None = None) -> None:
        later = now + timedelta(seconds=seconds)
        await self._move(letter, _kept(letter), now, attempts=attempts, not_before=later)

    async def _refused(self, letter: Letter, error: PublishError, now: datetime) -> None:
        """Try three times, then let the channel rest, tell the managers, and look again ever more rarely.

        Refusals are counted as they are kept: new rights may have ended the count while this one was on its way.
        """
        async with self._store.writing(letter.community_id) as write:
            kept = await write.letters.attempts(letter.community_id, letter.id)
            attempts = kept if kept > letter.attempts else kept + 1  # a post counts before it is sent
            await self._count(write, letter, attempts, error, now)

    async def _count(self, write: Writing, letter: Letter, attempts: int, error: PublishError, now: datetime) -> None:
        """Keep what follows from so many refusals."""
        later: datetime | None = now + timedelta(seconds=REFUSED_WAIT_SECONDS)
        beside: list[Change] = []
        if attempts >= REFUSALS:
            rests = letter.kind in RESTING or is_lasting(letter)  # a sign less keeps nobody from talking
            later = now + _rest(attempts) if rests else None
            if attempts == REFUSALS and letter.kind in SPOKEN:
                reason = RESTS + error.sentence
                beside.append(UpdateAgent(agent_id=letter.room_id, fields={"paused_reason": reason}))
            if attempts == REFUSALS or not rests:
                beside += await self._notice(write.views, letter, error, now)
        state = LetterState.FAILED if later is None else _kept(letter)
        its = letter.community_id, letter.id
        await write.letters.move(*its, state, attempts=attempts, not_before=later, at=now)
        await write.apply(letter.community_id, beside)

    async def _give_up(self, letter: Letter, error: PublishError, now: datetime) -> None:
        async with self._store.reading() as read:
            told = await self._notice(read.views, letter, error, now)
        await self._move(letter, LetterState.FAILED, now, beside=told)

    async def _retire(self, letter: Letter, now: datetime) -> None:
        """People deleted the channel: its agent is retired, restorable into a new one; a thread is only gone."""
        room_id = letter.room_id
        async with self._store.reading() as read:
            view = await read.views.action_view(letter.community_id, agent_ids=(), room_ids=[room_id], doors=False)
        if view.all_rooms[room_id].thread_of is not None:
            await self._move(letter, LetterState.FAILED, now)
            return
        gone = retired_with_its_channel(view.agents[room_id], now)
        await self._move(letter, LetterState.FAILED, now, beside=gone)

    async def _notice(self, views: Views, letter: Letter, error: PublishError, now: datetime) -> list[Change]:
        """Tell the managers, once an hour per room and sentence; trouble with a notice is only logged."""
        key = (letter.community_id, letter.room_id, error.sentence)
        last = self._told.get(key)
        if letter.kind is LetterKind.NOTICE or (last is not None and now - last < TOLD_AGAIN_AFTER):
            return []
        self._told = {one: at for one, at in self._told.items() if now - at < TOLD_AGAIN_AFTER}
        self._told[key] = now
        ids = [letter.room_id]
        view = await views.action_view(letter.community_id, agent_ids=(), room_ids=ids, doors=False)
        text = f"⚠️ {_place(view, letter.room_id)}: {error.sentence}{_meanwhile(letter)}"
        payload = NoticePayload(text=text).stored()
        return [AddLetter(kind=LetterKind.NOTICE, room_id=letter.room_id, payload=payload, not_before=now)]

    async def _move(
        self,
        letter: Letter,
        state: LetterState,
        now: datetime,
        *,
        attempts: int | None = None,
        not_before: datetime | None = None,
        beside: Sequence[Change] = (),
    ) -> None:
        async with self._store.writing(letter.community_id) as write:
            await write.letters.move(
                letter.community_id, letter.id, state, attempts=attempts, not_before=not_before, at=now
            )
            await write.apply(letter.community_id, beside)


def _rest(attempts: int) -> timedelta:
    doubled: timedelta = CHANNEL_REST * 2 ** min(attempts - REFUSALS, MOST_DOUBLINGS)
    return min(doubled, LONGEST_REST)


def _place(view: Outline, room_id: AgentId) -> str:
    """Word a room for people: its channel, or whose it is."""
    room = view.all_rooms[room_id]
    return f"<#{room.channel_id}>" if room.channel_id else f"{view.agents[room.owner_id].name}'s room"


def _meanwhile(letter: Letter) -> str:
    """Word what holds until a letter on who may enter is carried."""
    if letter.kind is not LetterKind.PERMISSION or not is_lasting(letter):
        return ""
    closes = wanted_visibility([letter]) is Visibility.PRIVATE
    return " It is tried again then." + (" Until Discord shows it closed, the room counts as public." if closes else "")


def _kept(letter: Letter) -> LetterState:
    """Give the state to wait in: what has to be looked for is still looked for then."""
    return LetterState.SENDING if letter.state is LetterState.SENDING else LetterState.WAITING
