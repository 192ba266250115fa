"""Scenes: where they stand, who sits in them, and their logs."""

import asyncio
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from sqlalchemy import (
    ColumnElement,
    Integer,
    Table,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    or_,
    select,
    tuple_,
    update,
)

from bot.core.happenings import Happening
from bot.core.kinds import ReasonKind, SenderKind
from bot.core.records import AgentId, BeatId, CommunityId, Json, MessageId, SceneId, Snowflake
from bot.core.scenes.kind import RULES
from bot.core.scenes.play import Entry
from bot.core.scenes.records import OPEN, Fared, Scene, SceneEvent, SceneStatus, Seated, Source
from bot.core.scenes.showing import REMOVED, fits, on_one_line, stretches
from storage.beats import recount
from storage.changes.minds import SUMS, add_up
from storage.communities import arrived
from storage.convert import columns_of, names_of, plain
from storage.prepared import Prepared, Question
from storage.retelling import redraw, retell
from storage.session import Field, Session, Values, owned
from storage.tables import BEATS, EVENTS, MESSAGES, MOVES, REASONS, SCENES, SEATS, USAGE
from storage.timelines.live import owe_trees_texts

MOST_LISTED = 200
MOST_FARED = 1_000  # of who played, those who did most often: an archive may bring a hundred thousand
WON = "won"
BEGUN_BEFORE = timedelta(hours=1)  # what a beat saw may be later than its own time
KEPT_TEXTS = func.coalesce(BEATS.c.hud, BEATS.c.answer, BEATS.c.thoughts).is_not(None)  # as their index has it
AT_ONCE, MOST_OF_A_SCENE = 200, 10_000  # rows of a log, or of what happened: 400 turns make some thousand
SCENES_LOOKED_AT, TEXTS_AT_ONCE, HUDS_AT_ONCE = 50, 50, 50  # that one transaction forgets
MARKED = re.compile(r"\{t\d+\}")  # as an event names a text
TEXT = "text"  # of an event: what somebody said, which moves name by its number


_THIS_SCENE = (SCENES.c.community_id == bindparam("its"), SCENES.c.id == bindparam("which"))
_SEATS_THERE = (SEATS.c.community_id == bindparam("its"), SEATS.c.scene_id == bindparam("which"))
_TEXT_THERE = (
    EVENTS.c.community_id == bindparam("its"),
    EVENTS.c.scene_id == bindparam("which"),
    EVENTS.c.kind == TEXT,
    EVENTS.c.number == bindparam("of_number"),
)
# what each step asks is prepared: to word it takes longer than to execute it
ONE = Prepared(select(SCENES).where(*_THIS_SCENE))
_FIRST_THERE = (  # asked of every line that anybody says, in a room where hundreds may have taken place
    select(SCENES.c.id)
    .where(SCENES.c.community_id == bindparam("its"), SCENES.c.thread_id == bindparam("there"))
    .order_by(case(*((SCENES.c.status == one, 0) for one in OPEN), else_=1), SCENES.c.id.desc())
    .limit(1)
)
OF_THREAD = Prepared(select(_FIRST_THERE.subquery("first").c.id))
ITS_SEATS = Prepared(select(SEATS).where(*_SEATS_THERE).order_by(SEATS.c.seat))
ONE_TEXT = Prepared(select(EVENTS.c.text).where(*_TEXT_THERE))
POSTED = Prepared(
    update(EVENTS).where(*_TEXT_THERE, EVENTS.c.message_id.is_(None)).values(message_id=bindparam("in_message"))
)
ASKED = Prepared(
    select(REASONS.c.agent_id, REASONS.c.since)
    .where(REASONS.c.community_id == bindparam("its"), REASONS.c.scene_id == bindparam("which"))
    .order_by(REASONS.c.agent_id)
)


@cache
def _listed(statuses: frozenset[SceneStatus]) -> tuple[Prepared, Prepared]:
    """Word which scenes there are of these statuses, and who sits in them: nearly every look into a head asks."""
    known = (SCENES.c.community_id == bindparam("its"), or_(*(SCENES.c.status == one for one in sorted(statuses))))
    columns = [one for one in SCENES.c if one is not SCENES.c.standing]
    newest = select(*columns).where(*known).order_by(SCENES.c.id.desc()).limit(bindparam("most", type_=Integer))
    ids = select(newest.subquery("newest").c.id)
    theirs = select(SEATS).where(SEATS.c.community_id == bindparam("its"), SEATS.c.scene_id.in_(ids))
    return Prepared(newest), Prepared(theirs.order_by(SEATS.c.seat))


def of_thread(community_id: CommunityId, thread_id: Snowflake) -> Question:
    """Ask which scene is played in a thread."""
    return OF_THREAD, {"its": community_id, "there": thread_id}


@dataclass(frozen=True, slots=True)
class SqlScenes:
    """Scenes, and their steps."""

    session: Session

    async def find(self, community_id: CommunityId, scene_id: SceneId) -> Scene | None:
        this = {"its": community_id, "which": scene_id}
        row = await self.session.first(ONE, this)
        if row is None:
            return None
        return _scene_of(row, [plain(Seated, seat) for seat in await self.session.mappings(ITS_SEATS, this)])

    async def of_thread(self, community_id: CommunityId, thread_id: Snowflake) -> Scene | None:
        there = await self.session.rows(*of_thread(community_id, thread_id))
        return await self.find(community_id, SceneId(there[0][0])) if there else None

    async def all(self, community_id: CommunityId, statuses: Collection[SceneStatus] = ()) -> Sequence[Scene]:
        listed, of_these = _listed(frozenset(statuses or SceneStatus))
        those = {"its": community_id, "most": MOST_LISTED}
        rows = await self.session.mappings(listed, those)
        seats: dict[int, list[Seated]] = {}
        for row in await self.session.mappings(of_these, those) if rows else ():
            seats.setdefault(row["scene_id"], []).append(plain(Seated, row))
        return [_scene_of(row, seats.get(row["id"], ())) for row in rows]

    async def log(self, community_id: CommunityId, scene_id: SceneId) -> Sequence[Entry]:
        rows = await self._newest(MOVES, names_of(Entry), MOVES.c.step, community_id, scene_id)
        return [plain(Entry, row) for row in rows]

    async def stood(self, community_id: CommunityId, scene_id: SceneId, step: int) -> Mapping[str, Json] | None:
        its = (owned(MOVES, community_id), MOVES.c.scene_id == scene_id, MOVES.c.step <= step)
        asked = select(MOVES.c.standing).where(*its, MOVES.c.standing.is_not(None))
        kept: str | None = await self.session.value(asked.order_by(MOVES.c.step.desc()).limit(1))
        found: Mapping[str, Json] | None = json.loads(kept) if kept else None
        return found

    async def events(self, community_id: CommunityId, scene_id: SceneId) -> Sequence[SceneEvent]:
        rows = await self._newest(EVENTS, names_of(SceneEvent), EVENTS.c.id, community_id, scene_id)
        return [plain(SceneEvent, row, audience=_audience(row["audience"])) for row in rows]

    async def _newest(
        self, table: Table, names: Sequence[str], key: Field, community_id: int, scene_id: int
    ) -> Sequence[Values]:
        """Give the newest rows of a scene, as many as any has, oldest first; others have their turn in between."""
        here = (owned(table, community_id), table.c.scene_id == scene_id)
        found: list[Values] = []
        while len(found) < MOST_OF_A_SCENE:
            older = (*here, key < found[-1][key.name]) if found else here
            asked = select(*(table.c[name] for name in names)).where(*older)
            page = await self.session.mappings(asked.order_by(key.desc()).limit(AT_ONCE))
            found += page
            if len(page) < AT_ONCE:
                break
            await asyncio.sleep(0)
        return found[::-1]

    async def texts(
        self, community_id: CommunityId, scene_id: SceneId, numbers: Collection[int]
    ) -> Mapping[int, str | None]:
        found = {}
        for number in sorted(numbers):
            for row in await self.session.rows(ONE_TEXT, {"its": community_id, "which": scene_id, "of_number": number}):
                found[number] = row[0]
        return found

    async def was_said(self, community_id: CommunityId, scene_id: SceneId, post_id: Snowflake) -> bool:
        return await self._happened(community_id, scene_id, EVENTS.c.post_id == post_id)

    async def was_told(self, community_id: CommunityId, scene_id: SceneId, kind: str) -> bool:
        return await self._happened(community_id, scene_id, EVENTS.c.kind == kind)

    async def _happened(self, community_id: int, scene_id: int, which: ColumnElement[bool]) -> bool:
        here = (owned(EVENTS, community_id), EVENTS.c.scene_id == scene_id, which)
        return await self.session.value(select(EVENTS.c.id).where(*here).limit(1)) is not None

    async def fared(self, community_id: CommunityId, room_ids: Collection[AgentId]) -> Sequence[Fared]:
        on = and_(SCENES.c.community_id == SEATS.c.community_id, SCENES.c.id == SEATS.c.scene_id)
        sums = [func.sum(SEATS.c[name]).label(name) for name in ("score", "turns", "refused", "misses", "usd")]
        won = func.sum(case((SEATS.c.result == WON, 1), else_=0)).label("won")
        who = (SCENES.c.kind, SEATS.c.agent_id, SEATS.c.person_id)
        asked = select(*who, func.count().label("played"), won, *sums).select_from(SEATS.join(SCENES, on))
        over = (SCENES.c.status == SceneStatus.OVER, SCENES.c.room_id.in_(room_ids), SEATS.c.seat != RULES)
        asked = asked.where(owned(SEATS, community_id), *over).group_by(*who)
        most_played = asked.order_by(func.count().desc(), *who).limit(MOST_FARED)
        found = [plain(Fared, row) for row in await self.session.mappings(most_played)]
        return sorted(found, key=lambda one: (one.kind, one.agent_id or 0, one.person_id or 0))

    async def due(self, now: datetime, *, limit: int) -> Sequence[tuple[CommunityId, SceneId]]:
        asked = select(SCENES.c.community_id, SCENES.c.id).where(SCENES.c.deadline_at <= now, arrived(SCENES))
        order = (SCENES.c.deadline_at, SCENES.c.id)
        turn = func.row_number().over(partition_by=SCENES.c.community_id, order_by=order)
        rows = await self.session.rows(asked.order_by(turn, *order).limit(limit))
        return [(CommunityId(row[0]), SceneId(row[1])) for row in rows]

    async def next_due_at(self) -> datetime | None:
        found: datetime | None = await self.session.value(select(func.min(SCENES.c.deadline_at)).where(arrived(SCENES)))
        return found

    async def keep(self, scene: Scene) -> None:
        row = columns_of(scene, "seats", "commentator") | {
            "options": dict(scene.options),
            "standing": json.dumps(dict(scene.standing)),
        }
        await self.session.upsert(SCENES, [row])
        sitting, of = (*scene.watchers, *scene.seats), {"community_id": scene.community_id, "scene_id": scene.id}
        seats = [columns_of(one) | of for one in sitting]
        if scene.status is SceneStatus.LOBBY or not scene.step:  # later no seat goes
            gone = and_(SEATS.c.scene_id == scene.id, SEATS.c.seat.not_in([one.seat for one in sitting]))
            await self.session.run(delete(SEATS).where(owned(SEATS, scene.community_id), gone))
        await self.session.upsert(SEATS, seats, keep=("usd",))

    async def enter(
        self,
        community_id: CommunityId,
        scene_id: SceneId,
        entry: Entry,
        *,
        source: Source,
        at: datetime,
        beat_id: BeatId | None = None,
        person_id: Snowflake | None = None,
        standing: Mapping[str, Json] | None = None,
        told: Happening | None = None,
    ) -> None:
        self.session.happenings += [told] if told is not None else []
        by = source if person_id is None else moved_by(person_id)
        whose = {"community_id": community_id, "scene_id": scene_id, "source": by, "beat_id": beat_id, "at": at}
        kept = None if standing is None else json.dumps(dict(standing))
        row = columns_of(entry) | {"arguments": dict(entry.arguments), "standing": kept} | whose
        await self.session.put(MOVES, [row])

    async def tell(self, community_id: CommunityId, scene_id: SceneId, events: Sequence[SceneEvent]) -> None:
        rows = [
            columns_of(one)
            | {"community_id": community_id, "scene_id": scene_id}
            | {"audience": None if one.audience is None else list(one.audience)}
            for one in events
        ]
        await self.session.put(EVENTS, rows)

    async def posted_as(
        self, community_id: CommunityId, scene_id: SceneId, numbers: Sequence[int], message_id: MessageId
    ) -> None:
        there = {"its": community_id, "which": scene_id, "in_message": message_id}
        await self.session.run(POSTED, [there | {"of_number": number} for number in numbers])

    async def posted_again(self, community_id: CommunityId, before: MessageId, message_id: MessageId) -> None:
        these = and_(owned(EVENTS, community_id), EVENTS.c.message_id == before)
        await self.session.run(update(EVENTS).where(these).values(message_id=message_id))

    async def ask_no_more(
        self, community_id: CommunityId, scene_id: SceneId, *, but: Collection[AgentId] = ()
    ) -> Mapping[AgentId, datetime]:
        turns = and_(owned(REASONS, community_id), REASONS.c.scene_id == scene_id)
        asked = await self.session.rows(ASKED, {"its": community_id, "which": scene_id})
        gone = [agent_id for agent_id, _ in asked if agent_id not in but]
        if gone:
            await self.session.run(delete(REASONS).where(turns, REASONS.c.agent_id.in_(gone)))
            await recount(self.session, community_id, gone)
        return {AgentId(agent_id): since for agent_id, since in asked if agent_id in but}

    async def settle(
        self,
        community_id: CommunityId,
        scene_id: SceneId,
        thread_id: Snowflake | None,
        board_post_id: Snowflake | None,
    ) -> None:
        this = and_(owned(SCENES, community_id), SCENES.c.id == scene_id)
        await self.session.run(update(SCENES).where(this).values(thread_id=thread_id, board_post_id=board_post_id))

    async def share_out(self, community_id: CommunityId, scene_id: SceneId) -> None:
        here = (owned(BEATS, community_id), BEATS.c.side == -scene_id)
        columns = [BEATS.c[name] for name in ("at", "agent_id", "input_format", "model", "room_id", "silent", *SUMS)]
        rows = [
            {
                "community_id": community_id,
                "day": row["at"].date(),
                "agent_id": row["agent_id"],
                "input_format": row["input_format"],
                "model": row["model"],
                "room_id": row["room_id"] or 0,
                "beats": 1,
                "silent_beats": int(row["silent"]),
            }
            | {name: row[name] for name in SUMS}
            for row in await self.session.mappings(select(*columns).where(*here))
        ]
        await self.session.run(delete(USAGE).where(owned(USAGE, community_id), USAGE.c.agent_id == -scene_id))
        if rows:
            await add_up(self.session, rows)

    async def put_back(self, community_id: CommunityId, scene_id: SceneId, until: datetime) -> None:
        this = and_(owned(SCENES, community_id), SCENES.c.id == scene_id, SCENES.c.deadline_at < until)
        await self.session.run(update(SCENES).where(this).values(deadline_at=until))

    async def put_off(self, seconds: float) -> list[tuple[CommunityId, SceneId]]:
        waiting = (SCENES.c.status.in_((SceneStatus.LOBBY, SceneStatus.RUNNING)), SCENES.c.deadline_at.is_not(None))
        asked = select(SCENES.c.community_id, SCENES.c.id, SCENES.c.deadline_at).where(*waiting)
        moved = await self.session.rows(asked)
        for community_id, scene_id, deadline_at in moved:
            this = and_(owned(SCENES, community_id), SCENES.c.id == scene_id)
            later = deadline_at + timedelta(seconds=seconds)
            await self.session.run(update(SCENES).where(this).values(deadline_at=later))
        return [(community_id, scene_id) for community_id, scene_id, _ in moved]

    async def forget_some(
        self, community_id: int, person_id: Snowflake, at: datetime, after: int
    ) -> tuple[int, int | None]:
        """Blank some of what a person said in scenes after that one, and let their seats there be nobody's.

        Gives how many texts went, and after which scene it goes on, None at the end.
        """
        asked = select(SCENES.c.id).where(owned(SCENES, community_id), SCENES.c.id > after)
        page = [row[0] for row in await self.session.rows(asked.order_by(SCENES.c.id).limit(SCENES_LOOKED_AT))]
        scene_id = min(await self._theirs(community_id, person_id, page), default=None)
        if scene_id is None:
            return 0, page[-1] if len(page) == SCENES_LOOKED_AT else None
        texts = and_(EVENTS.c.scene_id == scene_id, said_by(community_id, person_id), EVENTS.c.text.is_not(None))
        some = select(EVENTS.c.number).where(owned(EVENTS, community_id), texts).order_by(EVENTS.c.number)
        numbers = [row[0] for row in await self.session.rows(some.limit(TEXTS_AT_ONCE))]
        if numbers:
            if not await self._blank_huds(community_id, scene_id):
                these = and_(EVENTS.c.scene_id == scene_id, EVENTS.c.number.in_(numbers))
                return await blank_said(self.session, community_id, these, at=at), scene_id - 1
            return 0, scene_id - 1
        return await self._leave(community_id, person_id, scene_id, at), scene_id

    async def _theirs(self, community_id: int, person_id: Snowflake, scene_ids: Sequence[int]) -> set[int]:
        """Give in which of the scenes a person sat or moved, and which they started."""
        ways = (
            (SEATS, SEATS.c.scene_id, or_(SEATS.c.person_id == person_id, left_by(person_id))),
            (MOVES, MOVES.c.scene_id, MOVES.c.source == moved_by(person_id)),
            (SCENES, SCENES.c.id, SCENES.c.started_by == person_id),
        )
        found: set[int] = set()
        for table, key, its in ways:
            asked = select(key).distinct().where(owned(table, community_id), key.in_(scene_ids), its)
            found |= {row[0] for row in await self.session.rows(asked)}
        return found

    async def _blank_huds(self, community_id: int, scene_id: int) -> int:
        """Blank some of the HUDs of a scene's turns, in which its texts stand; gives how many."""
        turns = (owned(BEATS, community_id), BEATS.c.reason == ReasonKind.TURN, BEATS.c.scene_id == scene_id)
        ids = [
            row[0] for row in await self.session.rows(select(BEATS.c.id).where(KEPT_TEXTS, *turns).limit(HUDS_AT_ONCE))
        ]
        these = update(BEATS).where(owned(BEATS, community_id), BEATS.c.id.in_(ids))
        return await self.session.run(these.values(hud=None, answer=None, thoughts=None)) if ids else 0

    async def _leave(self, community_id: int, person_id: Snowflake, scene_id: int, at: datetime) -> int:
        """Let a person's seat and moves be nobody's; gives how many texts went."""
        its = (SEATS.c.scene_id == scene_id, SEATS.c.person_id == person_id)
        await self.session.run(update(SEATS).where(owned(SEATS, community_id), *its).values(person_id=None))
        sat = and_(owned(SEATS, community_id), SEATS.c.scene_id == scene_id, left_by(person_id))
        without = func.replace(SEATS.c.left_by, f" {person_id} ", "")
        await self.session.run(update(SEATS).where(sat).values(left_by=without))
        moves = (MOVES.c.scene_id == scene_id, MOVES.c.source == moved_by(person_id))
        await self.session.run(update(MOVES).where(owned(MOVES, community_id), *moves).values(source=Source.PERSON))
        gone = await self._forget_options(community_id, person_id, scene_id)
        await redraw(self.session, community_id, [scene_id], at)
        return gone

    async def _forget_options(self, community_id: int, person_id: Snowflake, scene_id: int) -> int:
        """Blank what they wrote into the options of a scene they started; rules read none of it."""
        this = and_(owned(SCENES, community_id), SCENES.c.id == scene_id)
        started = and_(this, SCENES.c.started_by == person_id)
        changed = 0
        for (options,) in await self.session.rows(select(SCENES.c.options).where(started)):
            kept = {name: value for name, value in options.items() if name == "ordering" or not _is_wordy(value)}
            if kept != options:
                changed += await self.session.run(update(SCENES).where(this).values(options=kept, title=""))
        return changed


def left_by(person_id: int) -> ColumnElement[bool]:
    """Tell on which seats of scenes a person sat before whoever does now."""
    return SEATS.c.left_by.contains(f" {int(person_id)} ")


def moved_by(person_id: int) -> str:
    """Give how the log names the person who made a move: a seat may be somebody else's by now."""
    return f"{Source.PERSON}:{person_id}"


def said_by(community_id: int, person_id: int) -> ColumnElement[bool]:
    """Tell which texts of scenes a person gave; where the log does not say who, it was who sits there."""
    step, place = tuple_(EVENTS.c.scene_id, EVENTS.c.step), tuple_(EVENTS.c.scene_id, EVENTS.c.seat)
    moves, seats = owned(MOVES, community_id), owned(SEATS, community_id)
    moved = select(MOVES.c.scene_id, MOVES.c.step).where(moves, MOVES.c.source == moved_by(person_id))
    sits = select(SEATS.c.scene_id, SEATS.c.seat).where(seats, SEATS.c.person_id == person_id)
    here = (MOVES.c.scene_id == EVENTS.c.scene_id, MOVES.c.step == EVENTS.c.step)
    by_another = exists().where(moves, *here, MOVES.c.source != Source.PERSON)
    return and_(EVENTS.c.kind == TEXT, or_(step.in_(moved), and_(place.in_(sits), ~by_another)))


async def blank_said(
    session: Session, community_id: int, which: ColumnElement[bool], *, aged: bool = False, at: datetime | None = None
) -> int:
    """Blank the texts of scenes that meet a condition, and the HUDs in which they may stand; gives how many there were.

    `aged`: nobody took them back, so stored HUDs stay. `at`: when they were; None where all goes on Discord, too.
    """
    these = and_(owned(EVENTS, community_id), which, EVENTS.c.kind == TEXT, EVENTS.c.text.is_not(None))
    asked = select(EVENTS.c.scene_id, func.min(EVENTS.c.at)).where(these).group_by(EVENTS.c.scene_id)
    scenes = {scene_id: at for scene_id, at in await session.rows(asked)}
    if not scenes:
        return 0
    if not aged:
        later = and_(owned(BEATS, community_id), KEPT_TEXTS, BEATS.c.at >= min(scenes.values()) - BEGUN_BEFORE)
        seen = and_(later, BEATS.c.reason == ReasonKind.TURN, BEATS.c.scene_id.in_(scenes))
        await session.run(update(BEATS).where(seen).values(hud=None, answer=None, thoughts=None))
        await _untell(session, community_id, these, at)
        await owe_trees_texts(session, community_id, these)
    return await session.run(update(EVENTS).where(these).values(text=None))


async def _untell(session: Session, community_id: int, texts: ColumnElement[bool], at: datetime | None) -> None:
    """Blank the lines that System told in a scene with one of these texts in them, here and on Discord."""
    asked = select(EVENTS.c.scene_id, SCENES.c.room_id, EVENTS.c.number, EVENTS.c.text)
    asked = asked.where(texts, owned(SCENES, community_id), SCENES.c.id == EVENTS.c.scene_id)
    found: dict[tuple[int, int], dict[int, str]] = {}
    for scene_id, room_id, number, text in await session.rows(asked):
        found.setdefault((scene_id, room_id), {})[number] = text
    for (scene_id, room_id), words in found.items():
        events = await _told_with(session, community_id, scene_id, words)
        here = (owned(MESSAGES, community_id), MESSAGES.c.room_id == room_id, MESSAGES.c.shown.is_(False))
        told = (*here, MESSAGES.c.scene_id == scene_id, MESSAGES.c.sender_kind == SenderKind.SYSTEM)
        untold = []
        for id_, content in await session.rows(select(MESSAGES.c.id, MESSAGES.c.content).where(*told)):
            left = "\n".join(_without(line, events) for line in content.splitlines())
            if left != content:
                this = and_(owned(MESSAGES, community_id), MESSAGES.c.id == id_)
                await session.run(update(MESSAGES).where(this).values(content=left))
                untold.append(id_)
            await asyncio.sleep(0)  # a scene may be long, and others have work too
        if at is not None:
            await retell(session, community_id, untold, at)
            await redraw(session, community_id, [scene_id], at)


async def _told_with(
    session: Session, community_id: int, scene_id: int, texts: Mapping[int, str]
) -> list[tuple[str, ...]]:
    """Give how events with one of these texts in them were told to everybody, as far as that is known."""
    named = EVENTS.c.text.contains("{t", autoescape=True)
    of_scene = (owned(EVENTS, community_id), EVENTS.c.scene_id == scene_id, EVENTS.c.kind != TEXT, named)
    asked = select(EVENTS.c.text, EVENTS.c.seat).where(*of_scene, EVENTS.c.audience.is_(None))
    marks = {f"{{t{number}}}" for number in texts}
    return [
        stretches(text, seat, texts)
        for text, seat in await session.rows(asked)
        if not marks.isdisjoint(MARKED.findall(text))
    ]


def _without(line: str, events: Sequence[Sequence[str]]) -> str:
    """Give a line of System's, each of which tells one thing, unless that is one of these events."""
    told = on_one_line(line)
    return REMOVED if any(fits(told, one) for one in events) else line


async def unsay(session: Session, community_id: int, post_id: int, content: str, at: datetime) -> bool:
    """Blank what was said in a scene by a post that says something else now; tells whether it said anything there."""
    by_it = and_(EVENTS.c.post_id == post_id, EVENTS.c.kind == TEXT)
    texts = [row[0] for row in await session.rows(select(EVENTS.c.text).where(owned(EVENTS, community_id), by_it))]
    if any(text is not None and text.strip() not in content for text in texts):
        await blank_said(session, community_id, by_it, at=at)
    return bool(texts)


def _is_wordy(value: object) -> bool:
    return isinstance(value, str | dict)


def _scene_of(row: Values, seats: Sequence[Seated]) -> Scene:
    players = tuple(one for one in seats if one.seat != RULES)
    watcher = next((one for one in seats if one.seat == RULES), None)
    return plain(Scene, row, standing=json.loads(row.get("standing") or "{}"), seats=players, commentator=watcher)


def _audience(stored: Sequence[int] | None) -> tuple[int, ...] | None:
    return None if stored is None else tuple(stored)
