"""What time itself brings about: messages said later, requests that expire, what is forgotten, who begins something."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TypeVar

import structlog

from bot.core.actions import SendMessage
from bot.core.actor import Actor
from bot.core.changes import AddLetter, Change, CloseRequest, DropSchedule, PutReason, RecordAction
from bot.core.config import CommunityConfig
from bot.core.floor import may_speak
from bot.core.gate import side_of
from bot.core.kinds import LetterKind, ReasonKind, RequestState
from bot.core.letters import NoticePayload
from bot.core.ports import Clock, Random, Reading, Store, Writing
from bot.core.reasons import initiative, is_free
from bot.core.records import (
    PUBLIC_SIDE,
    AccessRequest,
    ActionRecord,
    AgentId,
    BeatId,
    CommunityId,
    Json,
    Reason,
    Schedule,
)
from bot.core.scenes.records import Scene, SceneStatus
from bot.core.scenes.showing import begun
from bot.core.view import Glance, Outline
from bot.engine.front_desk.privacy import forgotten
from bot.engine.performer import ActionContext, Performer
from bot.engine.readable_rows import read_of_all
from bot.engine.stage import OUTDATED, opened

SCHEDULES_AT_ONCE = 200
RARELY = timedelta(minutes=1)
HOURLY = timedelta(hours=1)
AGED_AT_ONCE = 200  # messages or HUDs that go in one transaction
LOGS_AT_ONCE = 100  # rows of each log
NO_BEAT = BeatId(0)
T = TypeVar("T")
log = structlog.get_logger(__name__)


def _nothing() -> None:
    """Nobody waits for letters."""


class Upkeep:
    """Does what is due; `run` is called every few seconds. `config` are the installation's settings."""

    def __init__(
        self,
        store: Store,
        performer: Performer,
        clock: Clock,
        random_for: Callable[[CommunityId, BeatId], Random],
        *,
        config: CommunityConfig | None = None,
        on_letters: Callable[[], None] = _nothing,
    ) -> None:
        self._store = store
        self._performer = performer
        self._clock = clock
        self._random_for = random_for
        self._config = config or CommunityConfig()
        self._on_letters = on_letters
        self._begun_at = clock.now()
        self._rarely_at: datetime | None = None
        self._hourly_at: datetime | None = None

    async def run(self) -> None:
        """Do all that is due now; a fault of one thing leaves the others alone."""
        now = self._clock.now()
        with _alone("scheduled messages were not said"):
            await self.say_scheduled()
        if self._rarely_at is None or now >= self._rarely_at:
            if self._rarely_at is None:
                with _alone("nobody was forgotten to the end"):
                    await self._forget_people()
            self._rarely_at = now + RARELY
            with _alone("requests did not expire"):
                await self._expire_requests(now)
            with _alone("nobody was given a moment to begin something"):
                await self._seed_initiative(now)
        if self._hourly_at is None or now >= self._hourly_at:
            self._hourly_at = now + HOURLY
            with _alone("nothing was forgotten"):
                await self._forget(now)
            with _alone("scenes without rules kept their places"):
                await self._end_outdated(now)

    async def _forget_people(self) -> None:
        """Carry on what was begun to forget people before a stop; who asked since is told what came of it elsewhere."""
        begun = await self._read(lambda read: read.personal.forgetting(until=self._begun_at))
        for community_id, person_id in begun:
            with _alone("somebody was not forgotten to the end", community=community_id):
                await forgotten(self._store, self._clock, community_id, person_id)

    async def say_scheduled(self) -> None:
        """Say what agents wanted to be said by now."""
        now = self._clock.now()
        due = await self._read(lambda read: read.agents.schedules_due(now, limit=SCHEDULES_AT_ONCE))
        for community_id, schedule in due:
            with _alone("a scheduled message was not said", community=community_id, schedule=schedule.id):
                async with self._store.writing(community_id) as write:
                    await self._say(write, community_id, schedule, now)
        if due:
            self._on_letters()

    async def _say(self, write: Writing, community_id: CommunityId, schedule: Schedule, now: datetime) -> None:
        """Say it under the rules of that moment; a paused agent says it when it goes on."""
        view = await write.views.whole(community_id, agent_ids=[schedule.agent_id], messages=1)
        agent = view.agents.get(schedule.agent_id)
        if agent is not None and agent.paused_reason is not None:
            return
        await write.apply(community_id, [DropSchedule(schedule_id=schedule.id)])
        if agent is None or agent.retired_at is not None:
            return
        await self._performer.perform(
            write,
            community_id,
            Actor.agent(schedule.agent_id),
            [SendMessage(room_id=schedule.room_id, message=schedule.content)],
            ActionContext(
                now=now,
                random=self._random_for(community_id, NO_BEAT),
                side=side_of(view, schedule.room_id),
                rooms_shown=frozenset({schedule.room_id}),
                may_speak=lambda room_id: _may_say(view, schedule, room_id, now),
            ),
        )

    async def _expire_requests(self, now: datetime) -> None:
        told = False
        for community_id, config in (await self._configs()).items():
            with _alone("requests did not expire", community=community_id):
                knocks = await self._knocks(community_id)
                before = now - timedelta(hours=config.request_hours)
                requests = [one for one in knocks if one.created_at <= before]
                if requests:
                    async with self._store.writing(community_id) as write:
                        view = await write.views.action_view(community_id, agent_ids=(), room_ids=(), doors=False)
                        expired = [change for one in requests for change in _expired(one, view, now)]
                        await write.apply(community_id, expired)
                    told = True
        if told:
            self._on_letters()

    async def _knocks(self, community_id: CommunityId) -> Sequence[AccessRequest]:
        return await self._read(lambda read: read.access.knocks(community_id))

    async def _seed_initiative(self, now: datetime) -> None:
        """Give everyone a first moment to begin something, where managers want that."""
        for community_id, config in (await self._configs()).items():
            if not config.initiative:
                continue
            with _alone("nobody was given a moment to begin something", community=community_id):
                async with self._store.writing(community_id) as write:
                    everyone = tuple(await write.agents.names(community_id))
                    view = await write.views.glance(community_id, agent_ids=everyone, messages=0)
                    await write.apply(community_id, _first_initiatives(view, everyone, now))

    async def _end_outdated(self, now: datetime) -> None:
        """End scenes that rest and whose rules are gone: no time of theirs runs out, and they keep their places."""
        told = False
        for community_id, config in (await self._configs()).items():
            with _alone("a scene without rules kept its place", community=community_id):
                if not await self._resting_scenes(community_id):
                    continue  # nobody's turn is taken for it
                async with self._store.writing(community_id) as write:
                    for one in await write.scenes.all(community_id, (SceneStatus.PAUSED,)):
                        stage = await opened(write, community_id, one.id, config=config, now=now)
                        if begun(stage.scene) is None:
                            await stage.stop(OUTDATED)
                            await write.apply(community_id, stage.changes)
                            told = True
        if told:
            self._on_letters()

    async def _resting_scenes(self, community_id: CommunityId) -> Sequence[Scene]:
        return await self._read(lambda read: read.scenes.all(community_id, (SceneStatus.PAUSED,)))

    async def _forget(self, now: datetime) -> None:
        for community_id, config in (await self._configs()).items():
            with _alone("nothing was forgotten", community=community_id):
                await self._forget_in(community_id, config, now)

    async def _forget_in(self, community_id: CommunityId, config: CommunityConfig, now: datetime) -> None:
        """Remove what is too old in short transactions, for it may be much when less is to be kept; then the rest."""
        messages_before, huds_before = now - timedelta(days=config.message_days), now - timedelta(days=config.hud_days)
        emptied = AGED_AT_ONCE
        while emptied == AGED_AT_ONCE:
            async with self._store.writing(community_id) as write:
                emptied = await write.upkeep.forget_huds(community_id, huds_before, limit=AGED_AT_ONCE)
            await self._clock.sleep(0)  # others come first in between
        after: AgentId | None = AgentId(0)
        gone = 0
        while after is not None:
            async with self._store.writing(community_id) as write:
                some, after = await write.upkeep.forget_in_next(
                    community_id, after, messages_before, limit=AGED_AT_ONCE
                )
            gone += some
            await self._clock.sleep(0)
        if gone:
            log.info("old messages were forgotten", community=community_id, messages=gone)
        before = {
            "messages_before": messages_before,
            "huds_before": huds_before,
            "logs_before": now - timedelta(days=config.log_days),
        }
        most = LOGS_AT_ONCE
        while most == LOGS_AT_ONCE:
            async with self._store.writing(community_id) as write:
                most = await write.upkeep.forget_logs(community_id, **before, limit=LOGS_AT_ONCE)
            await self._clock.sleep(0)
        async with self._store.writing(community_id) as write:
            await write.upkeep.forget(community_id, **before)

    async def _read(self, ask: Callable[[Reading], Awaitable[T]]) -> T:
        return await read_of_all(self._store, self._clock, ask)

    async def _configs(self) -> dict[CommunityId, CommunityConfig]:
        communities = await self._read(lambda read: read.communities.all())
        return {one.id: self._config.overlaid(one.overrides) for one in communities}


@contextmanager
def _alone(failed: str, **whose: object) -> Iterator[None]:
    """Let a fault of one thing leave the others alone."""
    try:
        yield
    except Exception:
        log.exception(failed, **whose)


def _may_say(view: Glance, schedule: Schedule, room_id: AgentId, now: datetime) -> str:
    """Only hush and banter hold a scheduled message back: its time is its floor."""
    reason = Reason(kind=ReasonKind.TIMER, room_id=room_id, since=now, due_at=now)
    return may_speak(view, schedule.agent_id, room_id, reasons=[reason], let_through_at=now, now=now)


def _expired(request: AccessRequest, view: Outline, now: datetime) -> list[Change]:
    """Close a request and tell who asked."""
    changes: list[Change] = [CloseRequest(request_id=request.id, state=RequestState.EXPIRED, at=now)]
    why = f"Nobody answered your request for room {request.room_id}: it expired, ask again if you still want to."
    if request.requester_agent_id is not None:
        asked: dict[str, Json] = {"room_id": request.room_id}
        record = ActionRecord(type="request_access", at=now, parameters=asked, accepted=False, why=why)
        changes.append(RecordAction(agent_id=request.requester_agent_id, side=PUBLIC_SIDE, record=record))
    if request.requester_person_id is not None:
        told = why.replace(f"room {request.room_id}", f"{view.agents[request.room_id].name}'s room")
        payload = NoticePayload(text=told, to_managers=False, person_id=request.requester_person_id).stored()
        changes.append(AddLetter(kind=LetterKind.NOTICE, room_id=request.room_id, payload=payload, not_before=now))
    return changes


def _first_initiatives(view: Glance, agent_ids: Sequence[AgentId], now: datetime) -> list[PutReason]:
    waiting = {
        id_ for id_, reasons in view.reasons.items() if any(one.kind is ReasonKind.INITIATIVE for one in reasons)
    }
    agents = [view.agents[id_] for id_ in agent_ids if id_ not in waiting]
    return [initiative(agent, view.config, now) for agent in agents if is_free(agent, now)]
