"""A copy of a community taken back to a point of its past, as far as what is kept tells what was then."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import assert_never

from sqlalchemy import ColumnElement, Table, delete, func, or_, select, update

from bot.core import knowledge
from bot.core.errors import NotFound, Rejected
from bot.core.kinds import MindPart, ReasonKind, RequestState
from bot.core.plan import undone
from bot.core.records import CommunityId, Focus, Json, MessageId, Plan, SceneId
from bot.core.scenes.play import UNREADABLE, Play, Standing
from bot.core.scenes.records import Scene, SceneStatus
from bot.core.scenes.showing import play_of
from bot.core.scenes.windows import window_seconds
from bot.core.sentences import Sentence
from bot.core.timelines.records import AtMessage, AtStep, AtTime, Now, Point
from storage.convert import focus_columns, focus_of
from storage.scenes import SqlScenes
from storage.session import Session, owned
from storage.tables import (
    ACTIONS,
    AGENTS,
    BEATS,
    CHECKPOINTS,
    EVENTS,
    FAILURES,
    JOURNAL,
    LOOKUPS,
    MEMBERSHIPS,
    MESSAGES,
    MINDS,
    MOVES,
    PARTS,
    REACTIONS,
    REASONS,
    REQUESTS,
    ROOMS,
    SCENES,
    SEATS,
)
from storage.talking import count_reactions
from storage.timelines.seating import ask_for_moves

NO_POINT = Sentence("The point at which it should begin is not in these rooms: choose another.")
SETTINGS_STAY = "Members, settings and prompts are as they are now."
EDITED = "Messages that were edited since ({}) say what they say now."
EMPTIED = "The focus of agents whose focus changed since ({}) is empty."
LOST = "Changes of what agents knew that could not be taken back: {}."  # which: a board is read by anybody
OUTDATED = "Scenes that were made by an older version, or whose log is kept no longer ({}), are as they are now."
FEW_MINDS = 5  # that are read between two turns of the loop: they may be large


async def moment_of(session: Session, community_id: CommunityId, point: Point) -> datetime | None:
    """Give the time of a point, None for now; raises NotFound."""
    match point:
        case Now():
            return None
        case AtTime(at=at):
            return at
        case AtMessage(message_id=id_):
            asked = select(MESSAGES.c.sent_at).where(owned(MESSAGES, community_id), MESSAGES.c.id == id_)
        case AtStep(scene_id=scene_id, step=0):
            created = func.coalesce(SCENES.c.started_at, SCENES.c.created_at)
            asked = select(created).where(owned(SCENES, community_id), SCENES.c.id == scene_id)
        case AtStep(scene_id=scene_id, step=step):
            its = (MOVES.c.scene_id == scene_id, MOVES.c.step == step)
            asked = select(MOVES.c.at).where(owned(MOVES, community_id), *its)
        case _:
            assert_never(point)
    found: datetime | None = await session.value(asked)
    if found is None:
        raise NotFound(NO_POINT)
    return found


@dataclass(slots=True)
class Past:
    """A copy that becomes as it was at a time; `told` are sentences about what stays as it is now."""

    session: Session
    community_id: CommunityId
    point: Point
    at: datetime
    told: list[str] = field(default_factory=lambda: [SETTINGS_STAY])

    async def unwind(self) -> Sequence[str]:
        """Take the copy back; gives what could not be."""
        await self._messages()
        await self._minds()
        await self._logs()
        await self._scenes()
        await self._residents()
        return tuple(self.told)

    async def _gone(self, table: Table, *which: ColumnElement[bool]) -> int:
        return await self.session.run(delete(table).where(owned(table, self.community_id), *which))

    async def _set(self, table: Table, *which: ColumnElement[bool], **values: object) -> int:
        return await self.session.run(update(table).where(owned(table, self.community_id), *which).values(**values))

    async def _messages(self) -> None:
        """Leave only what had been said, with the reactions it had."""
        later: ColumnElement[bool] = MESSAGES.c.sent_at > self.at
        if isinstance(self.point, AtMessage):
            later = or_(later, (MESSAGES.c.sent_at == self.at) & (MESSAGES.c.id > self.point.message_id))
        await self._gone(MESSAGES, later)
        left = select(MESSAGES.c.id).where(owned(MESSAGES, self.community_id))
        if isinstance(self.point, AtMessage):
            this = left.where(MESSAGES.c.id == self.point.message_id)
            if await self.session.value(this) is None:
                raise NotFound(NO_POINT)
        await self._gone(PARTS, PARTS.c.message_id.not_in(left))
        since = owned(REACTIONS, self.community_id), or_(REACTIONS.c.at > self.at, REACTIONS.c.message_id.not_in(left))
        touched = [row[0] for row in await self.session.rows(select(REACTIONS.c.message_id).distinct().where(*since))]
        await self.session.run(delete(REACTIONS).where(*since))
        await count_reactions(self.session, self.community_id, touched)
        await self._gone(CHECKPOINTS, CHECKPOINTS.c.created_at > self.at)
        asked = select(func.count()).where(owned(MESSAGES, self.community_id), MESSAGES.c.edited_at > self.at)
        if edited := await self.session.value(asked):
            self.told.append(EDITED.format(edited))

    async def _minds(self) -> None:
        """Unwind knowledge and plans through the journal, newest change first; what focus was is kept nowhere."""
        emptied = lost = 0
        asked = select(MINDS.c.agent_id, MINDS.c.side, MINDS.c.knowledge, MINDS.c.focus)
        asked = asked.where(owned(MINDS, self.community_id))
        async for page in self.session.leafed(asked, MINDS, FEW_MINDS):
            for agent_id, side, known, kept, *_ in page:
                focus = focus_of(kept)
                whole, plan, left = await self._unwound(agent_id, side, known or {}, focus.plan)
                lost += left
                changed = focus.updated_at is not None and focus.updated_at > self.at
                emptied += changed
                now = _unfocused(focus, plan, self.at) if changed else replace(focus, plan=plan)
                this = (MINDS.c.agent_id == agent_id, MINDS.c.side == side)
                await self._set(MINDS, *this, knowledge=whole, focus=focus_columns(now))
        await self._gone(JOURNAL, JOURNAL.c.at > self.at)
        if emptied:
            self.told.append(EMPTIED.format(emptied))
        if lost:
            self.told.append(LOST.format(lost))

    async def _unwound(
        self, agent_id: int, side: int, whole: dict[str, Json], plan: Plan
    ) -> tuple[dict[str, Json], Plan, int]:
        """Take a mind back, change by change; gives how many changes there was no place for, too."""
        lost = 0
        its = (owned(JOURNAL, self.community_id), JOURNAL.c.agent_id == agent_id, JOURNAL.c.side == side)
        entries = select(JOURNAL.c.part, JOURNAL.c.path, JOURNAL.c.before).where(*its, JOURNAL.c.at > self.at)
        for part, path, before in await self.session.rows(entries.order_by(JOURNAL.c.id.desc())):
            try:
                if part == MindPart.PLAN:
                    plan = undone(plan, before)
                elif part == MindPart.KNOWLEDGE:  # a focus that changed since is emptied by its owner
                    whole = before_change(whole, path, before)
            except Rejected:
                lost += 1
            await asyncio.sleep(0)  # of a large mind there may be thousands, and others have work too
        return whole, plan, lost

    async def _logs(self) -> None:
        await self._gone(ACTIONS, ACTIONS.c.at > self.at)
        await self._gone(BEATS, BEATS.c.at > self.at)
        await self._gone(LOOKUPS)
        await self._gone(FAILURES, FAILURES.c.at > self.at)
        await self._gone(REQUESTS, REQUESTS.c.created_at > self.at)
        await self._set(REQUESTS, REQUESTS.c.closed_at > self.at, state=RequestState.PENDING, closed_at=None)

    async def _residents(self) -> None:
        """Let nobody have seen, said or been told what was not yet."""
        newest = select(func.coalesce(func.max(MESSAGES.c.id), 0)).where(owned(MESSAGES, self.community_id))
        last = MessageId(await self.session.value(newest))
        for column in (MEMBERSHIPS.c.seen_until, MEMBERSHIPS.c.window_start, MEMBERSHIPS.c.joined_after):
            await self._set(MEMBERSHIPS, column > last, **{column.name: last})
        spoke = MEMBERSHIPS.c.last_spoke_at
        await self._set(MEMBERSHIPS, spoke > self.at, last_spoke_at=None, overrun_words=0)
        await self._set(AGENTS, AGENTS.c.last_beat_at > self.at, last_beat_at=None, last_reason=None)
        await self._set(AGENTS, AGENTS.c.fault_told_at > self.at, fault_told_at=None)
        for column in (ROOMS.c.rest_told_at, ROOMS.c.fault_told_at, ROOMS.c.compact_asked_at):
            await self._set(ROOMS, column > self.at, **{column.name: None})
        said = select(func.max(MESSAGES.c.sent_at)).where(
            MESSAGES.c.community_id == ROOMS.c.community_id, MESSAGES.c.room_id == ROOMS.c.id, MESSAGES.c.shown
        )
        await self._set(ROOMS, last_message_at=said.scalar_subquery(), agent_run=0)

    async def _scenes(self) -> None:
        """Leave the scenes that there were, each where it stood."""
        await self._gone(SCENES, func.coalesce(SCENES.c.started_at, SCENES.c.created_at) > self.at)
        scenes = SqlScenes(self.session)
        its = self.point.scene_id if isinstance(self.point, AtStep) else None
        if its is not None and await scenes.find(self.community_id, SceneId(its)) is None:
            raise NotFound(NO_POINT)
        outdated = 0
        for scene in await scenes.all(self.community_id):
            whole = await scenes.find(self.community_id, scene.id)
            if whole is not None and whole.started_at is not None and not await self._stands(scenes, whole):
                outdated += 1
        if outdated:
            self.told.append(OUTDATED.format(outdated))

    async def _stands(self, scenes: SqlScenes, scene: Scene) -> bool:
        """Fold a scene's log to its step at that time; tells whether its rules are still known."""
        step = await self._step_of(scene)
        is_over = scene.ended_at is not None and scene.ended_at <= self.at
        if (step == scene.step and scene.ended_at is None) or (is_over and step in (scene.step, 0)):
            return True  # 0: its log is kept no longer
        play = play_of(scene)
        if play is None:
            return False
        try:
            standing = await self._folded(scenes, scene, play, step)
        except UNREADABLE:  # its rules were others, or it came in with an archive
            return False
        for table in (MOVES, EVENTS):
            await self._gone(table, table.c.scene_id == scene.id, table.c.step > step)
        spent = select(func.coalesce(func.sum(BEATS.c.cost_usd), 0)).where(
            owned(BEATS, self.community_id), BEATS.c.scene_id == scene.id, BEATS.c.agent_id == SEATS.c.agent_id
        )
        cost = spent.where(BEATS.c.reason == ReasonKind.TURN, BEATS.c.at <= self.at).scalar_subquery()
        await self._set(SEATS, SEATS.c.scene_id == scene.id, result="", score=0, steps=0, why="", usd=cost)
        await self._set(SEATS, SEATS.c.scene_id == scene.id, SEATS.c.left_at > self.at, left_at=None)
        await self._reopened(scenes, scene.id, standing)
        return True

    async def _folded(self, scenes: SqlScenes, scene: Scene, play: Play, step: int) -> Standing:
        """Give where a scene stood after a step; raises one of UNREADABLE where its rules do not let that be."""
        kept = await scenes.stood(self.community_id, scene.id, step)
        standing = play.unpacked(kept) if kept is not None else play.begin(scene.taken).standing
        log = await scenes.log(self.community_id, scene.id)
        if scene.step and not log:
            raise ValueError("its log is kept no longer")
        for entry in log:
            if standing.step < entry.step <= step:
                standing = play.enter(standing, entry).standing
                await asyncio.sleep(0)  # a long scene has more than a thousand
        return standing

    async def _step_of(self, scene: Scene) -> int:
        if isinstance(self.point, AtStep) and self.point.scene_id == scene.id:
            return self.point.step
        until = (MOVES.c.scene_id == scene.id, MOVES.c.at <= self.at)
        asked = select(func.coalesce(func.max(MOVES.c.step), 0)).where(owned(MOVES, self.community_id), *until)
        return int(await self.session.value(asked))

    async def _reopened(self, scenes: SqlScenes, scene_id: SceneId, standing: Standing) -> None:
        """Let a scene wait for whom it waited for, with all the time they had."""
        scene = await scenes.find(self.community_id, scene_id)
        if scene is None:
            return
        told = select(func.coalesce(func.max(EVENTS.c.id), 0)).where(owned(EVENTS, self.community_id))
        scene = replace(
            scene,
            status=SceneStatus.RUNNING,
            step=standing.step,
            window_step=standing.window,
            window_at=self.at,
            events=int(await self.session.value(told.where(EVENTS.c.scene_id == scene_id))),
            standing=standing.packed(),
            digest=standing.digest(),
            deadline_at=self.at + timedelta(seconds=window_seconds(scene, standing)),
            seconds_left=None,
            why="",
            faults=0,
            ended_at=None,
            outcome="",
        )
        await scenes.keep(scene)
        await self._gone(REASONS, REASONS.c.scene_id == scene_id)
        asked = standing.waited_for
        waited = [one.agent_id for one in scene.seats if one.seat in asked and one.agent_id is not None]
        await ask_for_moves(self.session, scene, waited, self.at)


def before_change(whole: dict[str, Json], path: str, before: Json) -> dict[str, Json]:
    """Give knowledge as it was before a change of the journal; raises Rejected where there is no place for it."""
    edit = knowledge.deleted(whole, path) if before is None else knowledge.assigned(whole, path, before)
    return dict(edit.whole)


def _unfocused(focus: Focus, plan: Plan, at: datetime) -> Focus:
    return Focus(plan=plan, feelings=tuple(one for one in focus.feelings if one.at <= at))
