"""Rooms are summed up in chunks by the community's model, within its money; nothing is locked meanwhile.

The rules are in docs/memory.md#summaries.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice

import structlog

from bot.core.changes import AddCheckpoint, Change, RecordAction, SetFocus, UpdateRoom
from bot.core.config import CommunityConfig
from bot.core.errors import ModelError, ModelUnreachable, NotFound, StoreError
from bot.core.focus import after_summary
from bot.core.hud.formats.lines import content_of
from bot.core.hud.summary import (
    ANSWER_TOKENS,
    SummaryCall,
    carried,
    due_stretch,
    may_read_summary,
    summary_call,
    summary_text,
)
from bot.core.keeping import Unsummarised
from bot.core.portions import portions
from bot.core.ports import Clock, Metrics, Model, ModelAnswer, ModelCall, Models, Reading, Store
from bot.core.ports.talk import Talk
from bot.core.records import (
    ActionRecord,
    AgentId,
    Checkpoint,
    CheckpointId,
    Community,
    CommunityId,
    Message,
    MessageId,
    Mind,
    Usage,
)
from bot.core.spending import SLOWED_FROM, Limit, day_of
from bot.core.view import Outline, View
from bot.engine.aside import aside
from bot.engine.carried import MOST_AT_ONCE
from bot.engine.purse import CallPrice, as_told, count_use, set_aside, settle, spending_now
from bot.engine.readable_rows import read_of_all

LOOK_SECONDS = 60.0  # between looks at rooms in which people talk; one that is asked for is seen at once
LATE = timedelta(minutes=10)  # messages may come with an earlier time than they are stored at
ROOMS_AT_ONCE = 4  # of one community
COMMUNITIES_AT_ONCE = 16
MESSAGES_AT_MOST = 1_000  # read for one chunk
COUNTED_AT_MOST = 8 * MESSAGES_AT_MOST  # tokens that so many messages take at the least
PROMPT_TOKENS = 1_500  # of a call beside the messages: instructions and the earlier summary
SHORTEST = 400  # characters to which a message is cut when the model holds no more
TEMPERATURE = 0.2
AGAIN_SECONDS, LONGEST_AGAIN_SECONDS = 30.0, 4 * 3_600.0
POOR_AGAIN_SECONDS = 600.0
RoomKey = tuple[CommunityId, AgentId]
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A room that is due, when it may be tried, and how often that failed."""

    until: datetime
    failures: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One chunk of one room, as it stood when it was read; `last`: nothing more is waiting after it."""

    community_id: CommunityId
    room_id: AgentId
    view: View
    stretch: tuple[Message, ...]
    last: bool
    call: SummaryCall
    provider: Model
    model: str
    answer_tokens: int
    input_tokens: int

    @property
    def earlier_id(self) -> CheckpointId | None:
        """The newest summary when the job was made."""
        newest = self.view.rooms[self.room_id].checkpoint
        return newest.id if newest else None


class Summaries:
    """Writes summaries; `run` is called every few seconds. `config` are the installation's settings.

    What is due stands in the store; only when to look and to try again is kept in memory.
    """

    def __init__(
        self,
        store: Store,
        models: Models,
        clock: Clock,
        metrics: Metrics,
        *,
        config: CommunityConfig | None = None,
        call_seconds: float = 210.0,
    ) -> None:
        self._store = store
        self._models = models
        self._clock = clock
        self._metrics = metrics
        self._config = config or CommunityConfig()
        self._call_seconds = call_seconds
        self._looked_at: datetime | None = None
        self._due: dict[RoomKey, Wait] = {}
        self._lanes: dict[CommunityId, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Begin with one chunk of rooms that are due, who waited longest first; nobody waits for another community."""
        now = self._clock.now()
        for room_key in await self._found(now):
            self._due.setdefault(room_key, Wait(until=now))
        ready: dict[CommunityId, list[RoomKey]] = {}
        for room_key, wait in sorted(self._due.items(), key=lambda one: one[1].until):
            if wait.until <= now and room_key[0] not in self._lanes:
                ready.setdefault(room_key[0], []).append(room_key)
        for community_id, places in islice(ready.items(), COMMUNITIES_AT_ONCE - len(self._lanes)):
            lane = asyncio.create_task(self._attempt_all(places[:ROOMS_AT_ONCE]), name=f"summaries-{community_id}")
            self._lanes[community_id] = lane
            lane.add_done_callback(partial(self._end_lane, community_id))

    async def settled(self) -> None:
        """Wait until what was begun has come to its end."""
        if self._lanes:
            await asyncio.wait(list(self._lanes.values()))

    async def close(self) -> None:
        """End what was begun; it is due again at the next start."""
        for lane in list(self._lanes.values()):
            lane.cancel()
        await self.settled()

    def _end_lane(self, community_id: CommunityId, _: asyncio.Task[None]) -> None:
        del self._lanes[community_id]

    async def _attempt_all(self, places: Sequence[RoomKey]) -> None:
        async with asyncio.TaskGroup() as group:
            for room_key in places:
                group.create_task(self._attempt(room_key))

    async def _found(self, now: datetime) -> list[RoomKey]:
        """Give the rooms that want a summary: asked for, or with a chunk's worth of talk that none covers."""
        since: datetime | None = None
        if self._looked_at is None or now >= self._looked_at + timedelta(seconds=LOOK_SECONDS):
            since = self._looked_at - LATE if self._looked_at else datetime.fromtimestamp(0, UTC)
        found, communities = await read_of_all(self._store, self._clock, lambda read: _talked(read, since))
        chunks = {one.id: chunk for one in communities if (chunk := await self._chunk_of(one)) is not None}
        if since is not None:
            self._looked_at = now
        talked = [one for one in found if one.community_id in chunks]
        return [(one.community_id, one.room_id) for one in talked if _is_due(one, chunks[one.community_id])]

    async def _chunk_of(self, community: Community) -> int | None:
        """Give the tokens of a community's chunk; None when that cannot be found out: its rooms wait, no others."""
        try:
            async with self._store.reading() as read:
                provider = await self._models.of(read.providers, community)
            return _chunk(provider, self._config.overlaid(community.overrides))
        except StoreError:
            raise
        except Exception:
            self._metrics.count("summaries_failed")
            log.exception("a community's rooms cannot be summed up", community=community.id)
            return None

    async def _attempt(self, room_key: RoomKey) -> None:
        """Sum one room up; whatever goes wrong stays with it."""
        try:
            await self._tried(room_key)
        except Exception:
            log.exception("a room could not be summed up, nor put off", community=room_key[0], room=room_key[1])

    async def _tried(self, room_key: RoomKey) -> None:
        try:
            await self._sum_up(room_key)
        except NotFound:
            self._due.pop(room_key, None)
        except ModelError as error:
            log.warning("a room could not be summed up", community=room_key[0], room=room_key[1], why=error.sentence)
            self._again(room_key, error.retry_after_seconds or 0.0)
        except Exception:
            log.exception("a room could not be summed up", community=room_key[0], room=room_key[1])
            self._again(room_key)

    def _again(self, room_key: RoomKey, seconds: float = 0.0) -> None:
        """Try a room again later and later; nothing is lost, for what is due stands in the store."""
        failures = self._due[room_key].failures + 1
        wait = max(seconds, min(AGAIN_SECONDS * 2 ** (failures - 1), LONGEST_AGAIN_SECONDS))
        self._due[room_key] = Wait(until=self._clock.now() + timedelta(seconds=wait), failures=failures)
        self._metrics.count("summaries_failed")

    async def _sum_up(self, room_key: RoomKey) -> None:
        job = await self._job(*room_key)
        if job is None:
            del self._due[room_key]
            return
        reservation = None if job.provider.source.missing else await self._reserve(job)
        if reservation is None:
            later = self._clock.now() + timedelta(seconds=POOR_AGAIN_SECONDS)
            self._due[room_key] = replace(self._due[room_key], until=later)
            return
        answer = await self._ask(job, reservation)
        text = summary_text(answer.text)
        if not text:
            raise ModelUnreachable("The model gave no summary.")
        if await self._keep(job, text) and job.last:
            del self._due[room_key]
        else:
            self._due[room_key] = Wait(until=self._clock.now())

    async def _job(self, community_id: CommunityId, room_id: AgentId) -> Job | None:
        """Read the next chunk of a room; None (and the wish for a summary is met) when nothing is due."""
        async with self._store.reading() as read:
            view = await read.views.whole(community_id, room_ids=[room_id], messages=0)
            if room_id not in view.rooms:
                return None
            provider = await self._models.of(read.providers, view.community)
            newest = view.rooms[room_id].checkpoint
            after = newest.last_message_id if newest else MessageId(0)
            messages = await read.talk.after(community_id, room_id, after, limit=MESSAGES_AT_MOST)
        room, config = view.rooms[room_id].room, view.config
        asked = room.compact_asked_at is not None or len(messages) == MESSAGES_AT_MOST
        tokenizer = provider.tokenizer(config.model)
        chunk = _chunk(provider, config)
        stretch = await aside(due_stretch, messages, newest, tokenizer, tokens=chunk, asked=asked)
        if stretch:
            return await aside(_planned, view, provider, room_id, messages, stretch)
        if room.compact_asked_at is not None:
            async with self._store.writing(community_id) as write:
                await write.apply(community_id, [UpdateRoom(room_id=room_id, fields={"compact_asked_at": None})])
        return None

    async def _reserve(self, job: Job) -> int | None:
        day, config = day_of(self._clock.now()), job.view.config
        price = CallPrice.of(job.provider, job.model, input_tokens=job.input_tokens, answer_tokens=job.answer_tokens)
        async with self._store.writing(job.community_id) as write:
            spending = await spending_now(write.money, job.community_id, config, day, price.ceilings)
            if spending.share >= SLOWED_FROM:  # what is left of the day's money is for talk
                return None
            reservation = await set_aside(write.money, job.community_id, config, day, price)
            return None if isinstance(reservation, Limit) else reservation

    async def _ask(self, job: Job, reservation: int) -> ModelAnswer:
        """Ask the model; what was set aside is given back when it surely did not answer."""
        sent: list[bool] = []
        request = ModelCall(
            model=job.model,
            instructions=job.call.instructions,
            input=job.call.input,
            temperature=TEMPERATURE if job.provider.takes_temperature(job.model) else None,
            answer_tokens=job.answer_tokens,
            schema=None,
            cache_key=f"selfroom-summaries-{job.community_id}",
            whose=str(job.community_id),
            on_sent=lambda: sent.append(True),
        )
        self._metrics.count("model_calls", model=job.provider.counted_as(job.model))
        try:
            async with self._clock.timeout(self._call_seconds):
                answer = await job.provider.answer(request)
        except (TimeoutError, asyncio.CancelledError) as error:
            if not sent:
                await self._settle(job, reservation, Usage())
            if isinstance(error, asyncio.CancelledError):
                raise
            raise ModelUnreachable("The model took too long to answer.", unsure=bool(sent)) from error
        except ModelError as error:
            await self._settle(job, reservation, error.usage)
            raise
        count_use(self._metrics, job.provider.counted_as(job.model), answer.usage)
        await self._settle(job, reservation, as_told(answer.usage))
        return answer

    async def _settle(self, job: Job, reservation: int, usage: Usage | None) -> None:
        if usage is not None:  # else all that was set aside counts
            async with self._store.writing(job.community_id) as write:
                await settle(write.money, job.community_id, reservation, usage)

    async def _keep(self, job: Job, text: str) -> bool:
        """Store the summary and give it to who may see it; False when what it was made of has changed."""
        now = self._clock.now()
        async with self._store.writing(job.community_id) as write:
            view = await write.views.whole(job.community_id, room_ids=[job.room_id], messages=0)
            if not await _still_stands(write.talk, view, job):
                log.info("a summary was thrown away: what it was made of has changed", room=job.room_id)
                return False
            checkpoint = Checkpoint(
                id=CheckpointId(write.ids.take("checkpoint")),
                room_id=job.room_id,
                first_message_id=job.call.first_message_id,
                last_message_id=job.call.last_message_id,
                text=text,
                created_at=now,
            )
            changes: list[Change] = [AddCheckpoint(checkpoint=checkpoint), *_wish_met(view, job)]
            await write.apply(job.community_id, changes)
            side = view.all_rooms[job.room_id].side
            minds = [(id_, side) for id_ in _readers(view, checkpoint)]
            sizes = await write.views.mind_sizes(job.community_id, minds)
            for some in portions(minds, lambda one: sizes.get(one, 0), most=MOST_AT_ONCE):
                held = await write.views.minds(job.community_id, some)
                told = [_told(held.mind_of(*one), checkpoint, job.stretch, now) for one in some]
                await write.apply(job.community_id, [change for each in told for change in each])
        self._metrics.count("summaries_written")
        return True


async def _talked(read: Reading, since: datetime | None) -> tuple[Sequence[Unsummarised], Sequence[Community]]:
    found = await read.summaries.wanted(since)
    theirs = {one.community_id for one in found}
    return found, [one for one in await read.communities.all() if one.id in theirs] if found else []


def _planned(
    view: View, provider: Model, room_id: AgentId, messages: Sequence[Message], stretch: tuple[Message, ...]
) -> Job:
    """Word the call, with less of the stretch where the model's context does not hold it."""
    config = view.config
    tokenizer, answer_tokens = provider.tokenizer(config.model), _answer_tokens(provider, config)
    most = provider.context_tokens(config.model) - answer_tokens
    owner = view.agents.get(view.all_rooms[room_id].owner_id)
    earlier = carried(view.rooms[room_id], view.memberships.values(), stretch[0].id)
    while True:
        call = summary_call(owner.name if owner else "", stretch, earlier, language=config.language)
        input_tokens = tokenizer.count(call.instructions) + tokenizer.count(call.input)
        shorter = _less_of(stretch)
        if input_tokens <= most or shorter == stretch:
            break
        stretch = shorter
    return Job(
        community_id=view.community.id,
        room_id=room_id,
        view=view,
        stretch=tuple(one for one in messages if one.id <= stretch[-1].id),
        last=len(messages) < MESSAGES_AT_MOST and stretch[-1].id == messages[-1].id,
        call=call,
        provider=provider,
        model=config.model,
        answer_tokens=answer_tokens,
        input_tokens=input_tokens,
    )


def _chunk(provider: Model, config: CommunityConfig) -> int:
    """Give the tokens of a chunk: no more than the model holds beside prompt and answer."""
    held = provider.context_tokens(config.model) - _answer_tokens(provider, config) - PROMPT_TOKENS
    return max(1, min(config.summary_tokens, held))


def _answer_tokens(provider: Model, config: CommunityConfig) -> int:
    """Models that think before they write need more room than the words take."""
    return config.answer_tokens if provider.thinks(config.model) else ANSWER_TOKENS


def _is_due(one: Unsummarised, chunk: int) -> bool:
    """Tell whether to look closer; of long rooms the store counts only the newest messages."""
    return one.asked or one.tokens >= min(chunk, COUNTED_AT_MOST)


def _less_of(stretch: tuple[Message, ...]) -> tuple[Message, ...]:
    """Give half of a stretch, or half of what its one message says."""
    if len(stretch) > 1:
        return stretch[: len(stretch) // 2]
    said = content_of(stretch[0])
    if len(said) <= SHORTEST:
        return stretch
    return (replace(stretch[0], content=f"{said[: len(said) // 2]}…", attachments=(), tokens=0),)


async def _still_stands(talk: Talk, view: Outline, job: Job) -> bool:
    """Nothing was deleted or changed meanwhile, and nobody else has summed up the room."""
    room = view.rooms.get(job.room_id)
    if room is None or (room.checkpoint.id if room.checkpoint else None) != job.earlier_id:
        return False
    if room.room.visibility is not job.view.rooms[job.room_id].room.visibility:
        return False
    there = await talk.by_id(job.community_id, [one.id for one in job.stretch])
    return all(one.id in there and there[one.id].content == one.content for one in job.stretch)


def _wish_met(view: Outline, job: Job) -> list[Change]:
    """Take the wish for a summary away once all of it is met, unless it was made again meanwhile."""
    before, after = job.view.rooms[job.room_id].room, view.rooms[job.room_id].room
    if not job.last or after.compact_asked_at is None or after.compact_asked_at != before.compact_asked_at:
        return []
    return [UpdateRoom(room_id=job.room_id, fields={"compact_asked_at": None})]


def _readers(view: Outline, checkpoint: Checkpoint) -> list[AgentId]:
    room = view.rooms[checkpoint.room_id].room
    here = (one for one in view.memberships.values() if one.room_id == room.id)
    return [one.agent_id for one in here if may_read_summary(room, one, checkpoint)]


def _told(mind: Mind, checkpoint: Checkpoint, covered: Sequence[Message], now: datetime) -> list[Change]:
    """Put the summary into an agent's focus on the room's side, drop what it covers, and tell the agent."""
    focus, dropped = after_summary(mind.focus, checkpoint, covered, now)
    lost = f"; {dropped} that it covers left your focus" if dropped else ""
    record = ActionRecord(
        type="compact",
        at=now,
        parameters={"room_id": int(checkpoint.room_id)},
        result=f"messages {checkpoint.first_message_id} to {checkpoint.last_message_id} are summed up{lost}",
    )
    return [
        SetFocus(agent_id=mind.agent_id, side=mind.side, focus=focus),
        RecordAction(agent_id=mind.agent_id, side=mind.side, record=record),
    ]
