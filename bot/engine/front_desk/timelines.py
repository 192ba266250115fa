"""Timelines as people use them: trees are forked, grown within their money, looked at, compared and cut back."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal
from typing import Final

import structlog

from bot.core.changes import Audit
from bot.core.config import CommunityConfig
from bot.core.errors import NotFound, Rejected, SelfroomError
from bot.core.letters import NoticePayload
from bot.core.people import by_person
from bot.core.records import AgentId, Beat, BeatId, Json, Person, Snowflake
from bot.core.sentences import Sentence
from bot.core.timelines.changes import PublicEvent
from bot.core.timelines.growth import Growth, Limits, Operation, planned
from bot.core.timelines.records import (
    NOW,
    AtMessage,
    AtStep,
    AtTime,
    Cut,
    Event,
    EventKind,
    Node,
    NodeId,
    Planned,
    Point,
    Timeline,
    Tree,
    TreeId,
    TreeKey,
)
from bot.core.timelines.showing import MindShown, Shown, what_keeps_still, why_deaf
from bot.core.wording import counted
from bot.engine.front_desk.office import Office, check_manages
from bot.engine.front_desk.tree_news import laid_to_rest, notice
from bot.engine.masks import check_may_look, check_sits_nowhere, heads_open_to, rooms_shut_to
from bot.engine.timelines.house import Estimate, Orchard
from bot.engine.timelines.looking import link_to

Told = Mapping[str, Json]  # what an event tells
PRICED: Final[tuple[Operation, ...]] = ("advance", "multi", "chain", "frontier", "branch", "ask")
log = structlog.get_logger(__name__)
OFF = Sentence("Timelines are switched off here: tell whoever runs Selfroom.")
MEGABYTE = 1_000_000
OFF_HERE = Sentence("What-ifs are switched off in this server: `/setup options` has `timelines`.")
SITS_IN = Sentence(
    "You sit in a scene with agents of these rooms, whose heads a tree would open: come back once that is over."
)
NOT_A_TREE = Sentence("This is no tree's thread: name the tree by its number, /timeline list shows them.")


@dataclass(frozen=True, slots=True)
class Timelines:
    """The trees of a community."""

    office: Office
    orchard: Orchard | None = None
    config: CommunityConfig = field(default_factory=CommunityConfig)  # what a community's own is laid over

    def _there(self) -> Orchard:
        if self.orchard is None:
            raise Rejected(OFF)
        return self.orchard

    async def all(self, guild_id: Snowflake) -> Sequence[Timeline]:
        """Give the trees that there are, the oldest first."""
        async with self.office.looking(guild_id) as (community, read):
            return [one for one in await read.timelines.all(community.id) if not one.gone]

    async def find(
        self, guild_id: Snowflake, tree_id: int | None, thread_id: int | None, *, who: Snowflake
    ) -> Timeline:
        """Give the tree of a number, else that of a thread, to somebody who is to look into it.

        Raises NotFound, and Rejected where they sit in a closed scene of its rooms, which might end in the tree, or
        with agents that are in them.
        """
        async with self.office.looking(guild_id) as (community, read):
            if tree_id is not None:
                found = await read.timelines.find(community.id, TreeId(tree_id))
            elif not thread_id or not (found := await read.timelines.of_thread(community.id, Snowflake(thread_id))):
                raise NotFound(NOT_A_TREE)
            shut = await rooms_shut_to(read, community.id, who)
        if found is None or found.gone:
            raise NotFound(found.gone if found is not None else _no_tree(tree_id))
        if shut and not shut.isdisjoint(await self.rooms(found) or shut):
            raise Rejected(SITS_IN)
        return found

    async def rooms(self, timeline: Timeline) -> Sequence[AgentId]:
        """Give the rooms that a tree goes on from; none: all of them."""
        return (await self._there().trees.find(timeline.key)).rooms

    async def rooms_to_read(self, timeline: Timeline) -> Sequence[AgentId]:
        """Give the rooms that all have to be open to who looks and does not manage; empty where only managers look.

        So it is while a closed scene goes on there, which may end in the tree: who looks may know somebody who plays.
        """
        if (await self._config(timeline)).timelines_for_managers:
            return ()
        tree = await self._there().trees.find(timeline.key)
        async with self.office.store.reading() as read:
            shut = await rooms_shut_to(read, timeline.community_id, None)
        return () if tree.managers_only or not shut.isdisjoint(tree.rooms) else tree.rooms

    async def shown(self, timeline: Timeline) -> Shown:
        """Give a tree with its nodes."""
        trees = self._there().trees
        tree, nodes = await trees.find(timeline.key), await trees.nodes(timeline.key)
        async with self.office.store.reading() as read:
            point = await link_to(read, timeline.community_id, tree.point)
        return Shown(timeline=timeline, tree=tree, nodes=nodes, coin=await self.coin(timeline), point=point)

    async def remarks(self, timeline: Timeline, who: Snowflake) -> Sequence[str]:
        """Say what somebody has to know of how a tree begins: what keeps it still, and whether they are heard there."""
        tree = await self._there().trees.find(timeline.key)
        async with self.office.store.reading() as read:
            known = await read.people.find(timeline.community_id, who)
        return [one for one in (*tree.not_unwound, why_deaf(known)) if one]

    async def coin(self, timeline: Timeline) -> str:
        """Name the money in which a tree's calls are counted."""
        return await self._there().treasury.coin(timeline.key)

    async def snapshot(self, timeline: Timeline) -> tuple[int, Sequence[Node]]:
        """Give the nodes of a tree by id, and the number of the newest event that they show."""
        return await self._there().trees.snapshot(timeline.key)

    async def events(self, timeline: Timeline, after: int, node_id: NodeId | None) -> Sequence[Event]:
        """Give what happened since an event, oldest first; `node_id`: in that node alone."""
        return await self._there().trees.events(timeline.key, after=after, node_id=node_id)

    async def fork(
        self,
        guild_id: Snowflake,
        person: Person,
        room_id: AgentId,
        *,
        title: str,
        rooms: tuple[AgentId, ...],
        point: Point = NOW,
        played_by: tuple[AgentId, ...] = (),
    ) -> Timeline:
        """Begin a tree at a moment of some rooms, told of in one of them; raises Rejected over a limit.

        `played_by`: agents that play the seats of people there.
        """
        orchard, now = self._there(), self.office.now()
        check_manages(person)
        async with self.office.changing(guild_id, person) as (community, write):
            config = self.config.overlaid(community.overrides)
            shut = await rooms_shut_to(write, community.id, person.id)
            if not shut.isdisjoint(rooms or shut):
                raise Rejected(SITS_IN)
            await check_sits_nowhere(write, community.id, played_by)
            if not config.timelines:
                raise Rejected(OFF_HERE)
            if sum(not one.gone for one in await write.timelines.all(community.id)) >= config.timelines_at_once:
                most = counted(config.timelines_at_once, "tree")
                raise Rejected(Sentence("Over the limit of {trees}: delete one first.", trees=most))
            timeline = Timeline(
                community_id=community.id,
                id=TreeId(write.ids.take("timeline")),
                room_id=room_id,
                title=title,
                made_by=person.id,
                usd_cap=config.timeline_usd,
                created_at=now,
                expires_at=now + timedelta(days=config.timeline_days),
            )
            await write.timelines.keep(timeline)
            await write.apply(community.id, [self._audit(person, f"Tree {timeline.id} was begun.")])
            still = what_keeps_still(await write.views.glance(community.id, room_ids=rooms, messages=0), rooms)
        cut = Cut(rooms=rooms, point=point, played_by=played_by, newest_messages=config.timeline_messages)
        try:
            await self._begin(orchard, timeline, cut, still)
        except BaseException:
            async with self.office.store.writing(community.id) as write:
                await write.timelines.drop(community.id, timeline.id)
            raise
        return timeline

    async def _begin(self, orchard: Orchard, timeline: Timeline, cut: Cut, still: str) -> None:
        """Freeze what a tree begins with, and make its file; `still`: why nobody does anything in it."""
        await orchard.grower.prepare()  # it loads while the image is made
        image = await orchard.images.image(timeline.community_id, cut, now=timeline.created_at)
        if still:
            image = replace(image, not_unwound=(str(still), *image.not_unwound))
        tree = Tree(
            key=timeline.key,
            title=timeline.title,
            rooms=cut.rooms,
            point=cut.point,
            made_by=timeline.made_by,
            made_at=timeline.created_at,
            at=image.at,
            seed=secrets.token_hex(8),
            revision="",
            program=orchard.program,
        )
        await orchard.grower.begin(tree, image)

    async def place(self, timeline: Timeline, thread_id: Snowflake, board_post_id: Snowflake | None) -> Timeline:
        """Keep where a tree is told of; raises NotFound where it went meanwhile, and stays gone."""
        async with self.office.store.writing(timeline.community_id) as write:
            known = await write.timelines.find(timeline.community_id, timeline.id)
            if known is None or known.gone:
                raise NotFound(known.gone if known is not None else _no_tree(timeline.id))
            placed = replace(known, thread_id=thread_id, board_post_id=board_post_id)
            await write.timelines.keep(placed)
        return placed

    async def estimate(self, timeline: Timeline, growth: Growth) -> Estimate:
        """Say what an operation is thought to cost; raises what keeps it from being done."""
        orchard = self._there()
        tree = await orchard.trees.find(timeline.key)
        growth = replace(growth, limits=Limits.of(await self._config(timeline)))
        plans = planned(growth, await orchard.trees.nodes(timeline.key), tree.seed)
        found = await orchard.treasury.estimate(timeline.key, _turns_of(plans), len(plans))
        return await orchard.treasury.held(timeline.key, found, timeline.usd_cap)

    async def prices(
        self, timeline: Timeline, person: Person, node_id: int, *, turns: int, siblings: int
    ) -> Mapping[Operation, Decimal | str]:
        """Give what each operation on a node is thought to cost, or the sentence that keeps it from being done."""
        told: dict[Operation, Decimal | str] = {}
        line = PublicEvent(room_id=timeline.room_id, text="…")
        for what in PRICED:
            growth = Growth(
                what=what,
                by=person,
                nodes=() if what == "frontier" else (NodeId(node_id),),
                turns=turns,
                siblings=siblings,
                changes=(line,),
                asked=(timeline.room_id, line.text),
            )
            try:
                told[what] = (await self.estimate(timeline, growth)).usd
            except SelfroomError as error:
                told[what] = error.sentence
        return told

    async def asks_above(self, timeline: Timeline) -> Decimal:
        """Give the price from which a person is asked whether an operation is to be run."""
        return (await self._config(timeline)).timeline_ask_usd

    async def _check_on(self, timeline: Timeline) -> CommunityConfig:
        """Give the settings of a tree's community; raises Rejected where it has switched what-ifs off."""
        config = await self._config(timeline)
        if not config.timelines:
            raise Rejected(OFF_HERE)
        return config

    async def _config(self, timeline: Timeline) -> CommunityConfig:
        async with self.office.store.reading() as read:
            community = await read.communities.of_id(timeline.community_id)
        return self.config.overlaid(community.overrides if community is not None else {})

    async def point_of(
        self,
        guild_id: Snowflake,
        *,
        message_id: int | None = None,
        minutes_ago: int | None = None,
        scene_id: int | None = None,
        step: int = 0,
    ) -> Point:
        """Give a point: when a message of Discord's had just been said, so long ago, or after a step of a scene.

        Without any it is now. Raises NotFound for a message that is not known.
        """
        if scene_id is not None:
            return AtStep(scene_id=scene_id, step=step)
        if minutes_ago is not None:
            return AtTime(at=self.office.now() - timedelta(minutes=minutes_ago))
        if message_id is None:
            return NOW
        async with self.office.looking(guild_id) as (community, read):
            found = await read.talk.find(community.id, Snowflake(message_id))
        if found is None:
            raise NotFound(Sentence("Selfroom does not know this message: name one that agents could hear."))
        return AtMessage(message_id=found.id)

    async def grow(self, timeline: Timeline, person: Person, growth: Growth) -> Sequence[Node]:
        """Make nodes and begin to run them, within a grant of the day's money; gives them as they were stored."""
        orchard, key = self._there(), timeline.key
        check_manages(person)
        config = await self._check_on(timeline)
        if (await orchard.trees.find(key)).bytes > (most := config.timeline_megabytes) * MEGABYTE:
            raise Rejected(
                Sentence("This tree is as large as one may be, {size} MB: delete some nodes first.", size=most)
            )
        growth = replace(growth, limits=Limits.of(config))
        async with orchard.treasury.turn_at(key):
            grant = await orchard.treasury.grant(key, await self.estimate(timeline, growth))
            nodes: Sequence[Node] = ()
            try:
                nodes = await orchard.grower.grow(key, growth)
            finally:
                if grant is not None:
                    await orchard.treasury.give(key, grant, nodes)
        ids = ", ".join(str(one.id) for one in nodes)
        await self._touched(timeline, person, f"Tree {key.id}: {counted(len(nodes), 'node')} made ({ids}).")
        return nodes

    async def go_on(self) -> None:
        """Have run on what was running, or waiting, when Selfroom ended."""
        if self.orchard is None:
            return
        async with self.office.store.reading() as read:
            timelines = [one for one in await read.timelines.all() if not one.gone]
        for one in timelines:
            try:
                await self._go_on(self.orchard, one)
            except SelfroomError as error:  # it waits until somebody asks for it; the others go on
                log.warning("what was running in a what-if does not go on", tree=one.id, why=error.sentence)

    async def _go_on(self, orchard: Orchard, timeline: Timeline) -> None:
        key = timeline.key
        nodes = [node for node in await orchard.trees.nodes(key) if not node.status.is_over]
        if not nodes or orchard.treasury.runs(key):
            return
        await self._check_on(timeline)
        estimate = await orchard.treasury.estimate(key, _turns_of(nodes), len(nodes))
        grant = await orchard.treasury.grant(key, await orchard.treasury.capped(key, estimate, timeline.usd_cap))
        resumed: Sequence[Node] = ()
        try:
            resumed = await orchard.grower.resume(key)
        finally:
            if grant is not None:
                await orchard.treasury.give(key, grant, resumed)

    async def read(self, timeline: Timeline, node_id: int) -> Sequence[str]:
        """Give what was said in a node since the fork."""
        return await self._there().grower.read(timeline.key, NodeId(node_id))

    async def answer(self, timeline: Timeline, node: Node) -> str:
        """Give what the agent said that was asked in a node; empty where it said nothing."""
        agent_id = node.asked[0] if node.asked is not None else None
        told = await self._told(timeline, node.id, EventKind.MESSAGE)
        mine = [one for one in told if one["room"] == agent_id and one["by"] == str(agent_id)]
        return "\n".join(str(one["text"]) for one in mine)

    async def minds(self, timeline: Timeline, node_id: int, *, who: Snowflake) -> Sequence[MindShown]:
        """Give what the agents of a node carry, but for those into whose heads this person may not look."""
        carried = await self._there().grower.minds(timeline.key, NodeId(node_id))
        async with self.office.store.reading() as read:
            open_to = await heads_open_to(read.scenes, timeline.community_id, who, {one.agent_id for one in carried})
        return [one for one in carried if one.agent_id in open_to]

    async def beats(self, timeline: Timeline, node_id: int, *, who: Snowflake) -> Sequence[Told]:
        """Give the beats that there were in a node, oldest first, but of agents into whose heads they may not look."""
        node = await self._there().trees.node(timeline.key, NodeId(node_id))
        told = await self._told(timeline, node.id, EventKind.BEAT)
        agents = {AgentId(int(str(one["agent"]))) for one in told}
        async with self.office.store.reading() as read:
            open_to = await heads_open_to(read.scenes, timeline.community_id, who, agents)
        return [one for one in told if one["agent"] in open_to]

    async def seen_at(self, timeline: Timeline, node_id: int, beat_id: int, *, who: Snowflake) -> Beat:
        """Give what an agent saw at a beat of a node, whosever it was, as `seen` does."""
        beats = await self._told(timeline, NodeId(node_id), EventKind.BEAT)
        agent = next((one["agent"] for one in beats if one["id"] == beat_id), None)
        if agent is None:
            raise NotFound(Sentence("Nobody had beat {beat_id} in node {node_id}.", beat_id=beat_id, node_id=node_id))
        return await self.seen(timeline, node_id, AgentId(int(str(agent))), beat_id, who=who)

    async def told_in(self, timeline: Timeline, node_id: NodeId) -> Sequence[Event]:
        """Give all that was told in a node, oldest first."""
        told: list[Event] = []
        while page := await self.events(timeline, told[-1].seq if told else 0, node_id):
            told += page
        return told

    async def _told(self, timeline: Timeline, node_id: NodeId, kind: EventKind) -> list[Told]:
        return [one.data for one in await self.told_in(timeline, node_id) if one.kind is kind]

    async def seen(self, timeline: Timeline, node_id: int, agent_id: AgentId, beat_id: int, *, who: Snowflake) -> Beat:
        """Give what an agent saw at a beat of a node, to who may look into its head as `/hud show` asks it."""
        async with self.office.store.reading() as read:
            await check_may_look(read, timeline.community_id, who, agent_id)
        beat = await self._there().grower.seen(timeline.key, NodeId(node_id), BeatId(beat_id))
        if beat.agent_id != agent_id:
            raise NotFound(Sentence("Beat {beat_id} was another agent's.", beat_id=beat_id))
        return beat

    async def compare(self, timeline: Timeline, one: int, two: int | None) -> tuple[str, Sequence[str]]:
        """Compare two nodes, or all children of one."""
        other = None if two is None else NodeId(two)
        return await self._there().grower.compare(timeline.key, NodeId(one), other, await self.coin(timeline))

    async def rerun(self, timeline: Timeline, person: Person, node_id: int) -> str:
        """Run a node again from its record, and say whether it came out the same."""
        orchard = self._there()
        check_manages(person)
        await self._check_on(timeline)
        tree = await orchard.trees.find(timeline.key)
        if tree.program != orchard.program:
            raise Rejected(
                Sentence(
                    "This tree was begun with Selfroom {then}, and this is {now}, which need not do the same with the "
                    "same answers: its nodes can be read and go on, but not be run again.",
                    then=tree.program,
                    now=orchard.program,
                )
            )
        differs = await orchard.grower.rerun(timeline.key, NodeId(node_id))
        await self._touched(timeline, person, f"Tree {timeline.id}: node {node_id} was run again.")
        return differs or Sentence("Node {node} was run again from its record: 0 bytes differ.", node=node_id)

    async def note(self, timeline: Timeline, person: Person, node_id: int, text: str) -> None:
        """Set what people note beside a node."""
        check_manages(person)
        await self._there().grower.note(timeline.key, NodeId(node_id), text)
        await self._touched(timeline, person, f"Tree {timeline.id}: a note was set beside node {node_id}.")

    async def stop(self, timeline: Timeline, person: Person, node_id: int) -> None:
        """End a node after the present call."""
        check_manages(person)
        await self._there().grower.stop(timeline.key, NodeId(node_id))
        await self._touched(timeline, person, f"Tree {timeline.id}: node {node_id} was stopped.")

    async def delete(self, timeline: Timeline, person: Person, node_id: int) -> str:
        """Delete a node and all that came from it."""
        check_manages(person)
        gone = await self._there().grower.delete(timeline.key, NodeId(node_id))
        await self._touched(timeline, person, f"Tree {timeline.id}: {counted(len(gone), 'node')} deleted.")
        return Sentence("Deleted: {nodes}.", nodes=counted(len(gone), "node"))

    async def remove(self, timeline: Timeline, person: Person) -> str:
        """Delete a tree."""
        check_manages(person)
        await self._there().grower.remove(timeline.key)
        async with self.office.store.writing(timeline.community_id) as write:
            await laid_to_rest(write.timelines, timeline, f"Tree {timeline.id} was deleted.")
            await write.apply(timeline.community_id, [self._audit(person, f"Tree {timeline.id} was deleted.")])
        self._there().treasury.on_changed(timeline.key, None)
        return Sentence("Tree {tree} is deleted, with all its nodes.", tree=timeline.id)

    def on_changed(self, tell: Callable[[TreeKey], None]) -> None:
        """Have somebody told whenever a tree is otherwise, and its maker where a node could not be kept."""
        if self.orchard is not None:
            self.orchard.treasury.on_changed = lambda key, _: tell(key)
            self.orchard.treasury.on_unkept = self._tell_unkept

    async def _tell_unkept(self, key: TreeKey, why: str) -> None:
        async with self.office.store.writing(key.community_id) as write:
            timeline = await write.timelines.find(key.community_id, key.id)
            if timeline is None or timeline.gone:
                return
            text = f"🌳 A node of what-if {key.id} could not be kept: {why} It runs again when Selfroom starts anew."
            told = NoticePayload(text=text, to_managers=not timeline.made_by, person_id=timeline.made_by or None)
            await write.apply(key.community_id, [notice(timeline, told, self.office.now())])

    async def of_key(self, key: TreeKey) -> Shown | None:
        """Give a tree as it is shown; None once it is gone."""
        async with self.office.store.reading() as read:
            timeline = await read.timelines.find(key.community_id, key.id)
        return None if timeline is None or timeline.gone else await self.shown(timeline)

    async def _touched(self, timeline: Timeline, person: Person, what: str) -> None:
        """Keep a tree longer, and who did what."""
        days = (await self._config(timeline)).timeline_days
        async with self.office.store.writing(timeline.community_id) as write:
            known = await write.timelines.find(timeline.community_id, timeline.id)
            if known is not None:
                later = self.office.now() + timedelta(days=days)
                await write.timelines.keep(replace(known, expires_at=later))
            await write.apply(timeline.community_id, [self._audit(person, what)])
        self._there().treasury.on_changed(timeline.key, None)

    def _audit(self, person: Person, what: str) -> Audit:
        return Audit(by=by_person(person.id, manager=person.is_architect), what=what, at=self.office.now())


def _no_tree(number: int | None) -> Sentence:
    return Sentence("There is no tree {number} here: /timeline list shows those that are.", number=number)


def _turns_of(nodes: Sequence[Node | Planned]) -> int:
    """Give in how many turns of agents these are thought to be run; a minute counts as one."""
    return sum(one.turns_wanted or int((one.minutes or 0) + 0.99) for one in nodes)
