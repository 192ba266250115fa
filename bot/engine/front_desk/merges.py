"""What never was is taken over into life, item by item, and put back: the only way from a timeline into life."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import groupby
from typing import TypeVar

from bot.core import knowledge
from bot.core.actions import Action, Delete, HudUpdate, PlanGoal, PlanMilestone, UndoKnowledge, UndoPlan
from bot.core.actions.fields import LONGEST_PATH
from bot.core.actor import Actor
from bot.core.changes import AddLetter, Audit, RecordAction
from bot.core.config import CommunityConfig
from bot.core.errors import NotFound, Rejected
from bot.core.focus import LIST_SECTIONS, items_of
from bot.core.hud.knowledge import segment
from bot.core.keeping import JournalEntry, Merged
from bot.core.key_redaction import KeyRedactor
from bot.core.kinds import LetterKind, MindPart
from bot.core.letters import NoticePayload
from bot.core.people import by_person
from bot.core.plan import pieces
from bot.core.portions import portions
from bot.core.ports import Reading, Writing
from bot.core.ports.communities import Logs
from bot.core.records import ActionRecord, AgentId, CommunityId, Json, Message, Mind, Person, Snowflake
from bot.core.sentences import Sentence
from bot.core.timelines.merging import Carried, Item, chosen, offered, origin_of, quotable, quoted_already
from bot.core.timelines.records import NodeId, Timeline
from bot.core.view import Outline, Subject
from bot.core.wording import counted, honest
from bot.engine.aside import aside
from bot.engine.front_desk.office import LOOKED_BACK, Office, check_manages
from bot.engine.front_desk.timelines import OFF, OFF_HERE
from bot.engine.masks import heads_open_to
from bot.engine.performer import ActionContext
from bot.engine.performer.performer import shown_parameters
from bot.engine.timelines.house import Orchard

LISTED_MERGES = 25
QUOTED_CHARACTERS = 1_700
FEW, CHARACTERS_AT_ONCE = 100, 40_000  # of one mind, that are worked out together
T = TypeVar("T")
TOLD = "Taken over from {} by The Architect: it did not happen here."
FORGETTING = Sentence("Somebody is being forgotten here just now: try again in a minute.")
FORGOTTEN = Sentence("That tells of somebody who asked to be forgotten: it stays where it is.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What of a node may be taken over; `names`: of the agents and rooms' owners in it."""

    origin: str
    items: Sequence[Item]
    names: Mapping[AgentId, str]

    def of(self, agent_id: AgentId | None) -> Sequence[Item]:
        """Give what one agent carries, or all of it."""
        return self.items if agent_id is None else [one for one in self.items if one.agent_id == agent_id]


@dataclass(frozen=True, slots=True)
class Merges:
    """Takes over what was chosen of a node, and puts it back."""

    office: Office
    orchard: Orchard | None = None
    config: CommunityConfig = field(default_factory=CommunityConfig)  # what a community's own is laid over

    async def offered(self, timeline: Timeline, node_id: int, *, who: Snowflake) -> Offer:
        """Give what of a node may be taken over: what is there neither as at the fork nor as it is live.

        It tells what agents carry now: of those into whose heads the person may not look there is nothing.
        """
        world = await self._world(timeline, node_id)
        async with self.office.store.reading() as read:
            offer = await _offer(read, timeline, NodeId(node_id), world)
            open_to = await heads_open_to(
                read.scenes, timeline.community_id, who, {one.agent_id for one in offer.items}
            )
        return replace(offer, items=[one for one in offer.items if one.agent_id in open_to])

    async def take(
        self,
        guild_id: Snowflake,
        person: Person,
        timeline: Timeline,
        node_id: int,
        what: str,
        *,
        of: AgentId | None = None,
    ) -> str:
        """Take over what somebody chose (core.timelines.merging.chosen), all of it or nothing; gives what was done.

        `of`: only what this agent carries.
        """
        check_manages(person)
        world = await self._world(timeline, node_id)
        async with self.office.changing(guild_id, person) as (community, write):
            if not self.config.overlaid(community.overrides).timelines:
                raise Rejected(OFF_HERE)
            offer = await _offer(write, timeline, NodeId(node_id), world)
            items = await aside(chosen, offer.of(of), what)
            await _check_remembered(write, community.id, world, items)
            at = await self._moment(write.logs, community.id)
            for message in [one.message for one in items if one.message is not None]:
                await self._quote(write, community.id, person, offer, message)
            for some in _together([one for one in items if one.message is None]):
                await self._write(write, community.id, person, offer, some, at)
            newest = await write.logs.merges(community.id, limit=1)
        self.office.on_done()
        kept = [one for one in items if one.message is None]
        told = Sentence("Taken over from {origin}: {things}.", origin=offer.origin, things=counted(len(items), "thing"))
        if not kept:
            return told
        return told + Sentence(" `/timeline unmerge merge:{id}` puts back what is kept in minds.", id=newest[0].id)

    async def all(self, guild_id: Snowflake) -> Sequence[JournalEntry]:
        """Give the first change of each time that something was taken over, newest first."""
        async with self.office.looking(guild_id) as (community, read):
            return await read.logs.merges(community.id, limit=LISTED_MERGES)

    async def put_back(self, guild_id: Snowflake, person: Person, number: int) -> str:
        """Put back each path that still has the value that was taken over; gives which, and which not."""
        check_manages(person)
        back, stays = dict[str, None](), dict[str, None]()
        async with self.office.changing(guild_id, person) as (community, write):
            merged = await write.logs.merged(community.id, number)
            if not merged:
                raise NotFound(
                    Sentence("There is no merge {number} here: /timeline unmerge lists those there are.", number=number)
                )
            names = await write.agents.names(community.id)
            for some in _runs(merged):
                whose = names.get(some[0].agent_id, "an agent that is gone")
                for told, done in await self._undone(write, community.id, person, some):
                    (back if done else stays).setdefault(f"{whose}'s {told}")
        self.office.on_done()
        parts = (("Put back", [one for one in back if one not in stays]), ("Changed since, and left alone", [*stays]))
        return " ".join(f"{head}: {'; '.join(listed)}." for head, listed in parts if listed)

    async def _world(self, timeline: Timeline, node_id: int) -> Carried:
        if self.orchard is None:
            raise Rejected(OFF)
        return await self.orchard.grower.carried(timeline.key, NodeId(node_id))

    async def _moment(self, logs: Logs, community_id: CommunityId) -> datetime:
        """Give the time of a merge, which is that of no other: by it its changes are known."""
        before = await logs.merges(community_id, limit=1)
        return max([self.office.now(), *(one.at + timedelta(microseconds=1) for one in before)])

    async def _write(
        self,
        write: Writing,
        community_id: CommunityId,
        person: Person,
        offer: Offer,
        items: Sequence[Item],
        now: datetime,
    ) -> None:
        """Do what is of one mind as the person, by the rules of life, and tell the agent in what it did lately."""
        done = [(item, action) for item in items for action in item.actions]
        agent_id, side = items[0].agent_id, items[0].side
        outcomes = await self.office.performer.perform(
            write,
            community_id,
            Actor.person(person, origin=offer.origin),
            [action for _, action in done],
            ActionContext(now=now, random=self.office.random, side=side),
            subject=agent_id,
        )
        for (item, _), outcome in zip(done, outcomes, strict=True):
            if not outcome.accepted:
                raise Rejected(
                    Sentence(
                        "{agent}, {item}: {why}",
                        agent=offer.names.get(agent_id, "It"),
                        item=item.name[:80],
                        why=outcome.why,
                    )
                )
        told = [
            ActionRecord(
                type=action.definition.name,
                at=now,
                parameters=shown_parameters(action, KeyRedactor()),
                result=TOLD.format(offer.origin),
            )
            for _, action in done
        ]
        await write.apply(community_id, [RecordAction(agent_id=agent_id, side=side, record=one) for one in told])

    async def _quote(
        self, write: Writing, community_id: CommunityId, person: Person, offer: Offer, message: Message
    ) -> None:
        """Have the bot itself quote a message in its room, never as if it had been said."""
        now, sender = self.office.now(), message.sender
        who = sender.shown() if sender.agent_id is None else offer.names.get(sender.agent_id, "an agent")
        lines = honest(message.content[:QUOTED_CHARACTERS]).splitlines()
        text = "\n".join([f"**{offer.origin}**: what {who} would have said", *(f"> {line}" for line in lines)])
        payload = NoticePayload(text=text, to_managers=False).stored()
        by = by_person(person.id, manager=person.is_architect)
        await write.apply(
            community_id,
            [
                AddLetter(kind=LetterKind.NOTICE, room_id=message.room_id, payload=payload, not_before=now),
                Audit(by=by, what=quoted_already(offer.origin, message.id), agent_id=message.room_id, at=now),
            ],
        )

    async def _undone(
        self, write: Writing, community_id: CommunityId, person: Person, some: Sequence[Merged]
    ) -> list[tuple[str, bool]]:
        """Put back changes of one mind, as far as nothing else stands there now; tells which are, in words."""
        agent_id, side = some[0].agent_id, some[0].side
        mind = (await write.views.minds(community_id, [(agent_id, side)])).mind_of(agent_id, side)
        steps = [(f"{one.part}, {path}", action) for one in some for path, action in _undoing(mind, one)]
        if agent_id not in await write.agents.names(community_id):
            return [(told, False) for told, _ in steps]
        context = ActionContext(now=self.office.now(), random=self.office.random, side=side)
        outcomes = await self.office.performer.perform(
            write,
            community_id,
            Actor.person(person),
            [action for _, action in steps if action is not None],
            context,
            subject=agent_id,
        )
        accepted = iter([one.accepted for one in outcomes])
        return [(told, action is not None and next(accepted)) for told, action in steps]


def _together(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Give what is of one mind together, a few at a time: an answer may change no more at once either."""
    for _, its in groupby(items, key=lambda one: (one.agent_id, one.side)):
        yield from _few(its, lambda one: len(one.words))


def _runs(merged: Sequence[Merged]) -> Iterator[list[Merged]]:
    """Give changes, the newest first, in runs: of the knowledge of one mind several, no path twice; others alone."""
    for (_, _, part), its in groupby(reversed(merged), key=lambda one: (one.agent_id, one.side, one.part)):
        if part is not MindPart.KNOWLEDGE:
            yield from ([one] for one in its)
            continue
        run: dict[str, Merged] = {}
        for one in its:
            if one.entry.path in run:
                yield from _few(run.values(), _restored)
                run = {}
            run[one.entry.path] = one
        yield from _few(run.values(), _restored)


def _restored(one: Merged) -> int:
    return len(json.dumps(one.entry.before))


def _few(several: Iterable[T], size_of: Callable[[T], int]) -> Iterator[list[T]]:
    return portions(several, size_of, most=CHARACTERS_AT_ONCE, many=FEW)


async def _offer(read: Reading, timeline: Timeline, node_id: NodeId, world: Carried) -> Offer:
    everyone = list(await read.agents.names(timeline.community_id))
    view = await read.views.action_view(timeline.community_id, agent_ids=everyone, room_ids=(), doors=False, minds=None)
    done = {one.what for one in await read.logs.audit(timeline.community_id, limit=LOOKED_BACK)}
    return await aside(_offered, origin_of(timeline.id, node_id), world, view, done)


def _offered(origin: str, world: Carried, view: Subject, done: Collection[str]) -> Offer:
    """Work an offer out: minds may be large, and many."""
    items = [
        one
        for one in [*offered(world.fork, view.minds, world.node), *quotable(world.said)]
        if _is_here(view, one) and (one.message is None or quoted_already(origin, one.message.id) not in done)
    ]
    return Offer(origin=origin, items=items, names={id_: agent.name for id_, agent in view.agents.items()})


def _is_here(view: Outline, item: Item) -> bool:
    """Tell whether that agent, or that room, is there in life, and the agent still in the room on whose side it is."""
    if item.message is not None:
        room = view.all_rooms.get(item.agent_id)
        return room is not None and room.channel_id is not None
    agent = view.agents.get(item.agent_id)
    if agent is None or agent.retired_at is not None:
        return False
    return item.side == 0 or (item.agent_id, AgentId(item.side)) in view.memberships


async def _check_remembered(read: Reading, community_id: CommunityId, world: Carried, items: Collection[Item]) -> None:
    """Raise Rejected where something chosen tells of somebody who was, or is being, forgotten."""
    if any(there == community_id for there, _ in await read.personal.forgetting()):
        raise Rejected(FORGETTING)
    known = await read.people.known(community_id, list(world.people))
    gone = {id_: name for id_, name in world.people.items() if id_ in known and not known[id_].username}
    for item in items:
        words = item.words.casefold()
        by = item.message.sender.person_id if item.message is not None else None
        if by in gone or any(str(id_) in words or (name and name.casefold() in words) for id_, name in gone.items()):
            raise Rejected(FORGOTTEN)


def _undoing(mind: Mind, one: Merged) -> Iterator[tuple[str, Action | None]]:
    """Give what puts a change back, by path; None where something else stands there now."""
    entry = one.entry
    match one.part:
        case MindPart.KNOWLEDGE:
            there = knowledge.read(mind.knowledge, entry.path)
            if there == entry.after:
                yield entry.path, UndoKnowledge(entry_id=entry.id)
            elif entry.before is None and isinstance(entry.after, Mapping) and isinstance(there, Mapping):
                yield from _untouched(entry.after, there, entry.path)
            else:
                yield entry.path, None
        case MindPart.PLAN:
            yield entry.path, _unplanning(mind, entry)
        case MindPart.FOCUS:
            yield entry.path, _unnoting(mind, entry)


def _untouched(after: Mapping[str, Json], there: Mapping[str, Json], above: str) -> Iterator[tuple[str, Action | None]]:
    """Give what takes the rest of an object away that came whole, of which something is otherwise by now."""
    for key, value in after.items():
        path, now = f"{above}.{segment(key)}", there.get(key)
        if now != value and isinstance(value, Mapping) and isinstance(now, Mapping):
            yield from _untouched(value, now, path)
        else:
            is_as_it_came = key in there and now == value
            yield path, Delete(path=path) if is_as_it_came and _leads(path, key) else None


def _leads(path: str, key: str) -> bool:
    """Tell whether a path may be written, and leads to a key."""
    try:
        return len(path) <= LONGEST_PATH and knowledge.parse_path(path)[-1] == key
    except Rejected:
        return False


def _unplanning(mind: Mind, entry: JournalEntry) -> Action | None:
    there, before, after = pieces(mind.focus.plan), _pieces(entry.before), _pieces(entry.after)
    same = [name for name in after if there.get(name) == after[name]]
    if len(same) == len(after):
        return UndoPlan(entry_id=entry.id)
    for name in same:  # what was added goes alone, where the current goal is another by now
        part, _, number = name.partition(" ")
        if number.isdigit() and before.get(name) is None:
            return PlanGoal(text=number, action="drop") if part == "goal" else PlanMilestone(text=number, action="drop")
    return None


def _unnoting(mind: Mind, entry: JournalEntry) -> Action | None:
    """Give back a section that is as it was left, else without what was added to it."""
    before, after = _lines(entry.before, entry.path), _lines(entry.after, entry.path)
    now = list(items_of(mind.focus, entry.path))
    added = [one for one in after if one not in before]
    if not any(one in now for one in added):
        return None
    section = next(shown for shown, name in LIST_SECTIONS.items() if name == entry.path)
    rest = before if now == after else [one for one in now if one not in added]
    return HudUpdate.model_validate({"section": section, "value": rest})


def _pieces(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _lines(value: Json, name: str) -> list[str]:
    lines = _pieces(value).get(name)
    return [str(one) for one in lines] if isinstance(lines, list) else []
