"""What is otherwise in a branch: the same actions as in life, by the same rules, done by whoever branches."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import assert_never, get_args

from pydantic import ValidationError

from bot.core.actions import (
    Action,
    Feel,
    Invite,
    Pause,
    Remove,
    Resume,
    SetInterval,
    SetSetting,
)
from bot.core.actor import Actor
from bot.core.changes import AddLookup, PutReason, Say, SetFocus, UpdateRoom
from bot.core.changes import Change as Written
from bot.core.errors import NotFound, Rejected, one_of
from bot.core.events import MessageSeen
from bot.core.feelings import Felt, with_feeling
from bot.core.kinds import ReasonKind
from bot.core.ports.residents import Views
from bot.core.ports.store import Ids
from bot.core.records import (
    PUBLIC_SIDE,
    SYSTEM,
    AgentId,
    Lookup,
    MessageId,
    Person,
    Reason,
    SceneId,
    Side,
    Snowflake,
)
from bot.core.scenes.editing import edited
from bot.core.sentences import Sentence
from bot.core.timelines.changes import (
    AgentCtx,
    AgentPlan,
    AgentProps,
    Change,
    PublicEvent,
    SceneState,
    Settings,
)
from bot.core.view import Outline
from bot.engine.performer import ActionContext, Performer
from bot.engine.timelines.chance import NodeRandom
from bot.engine.timelines.play import Play

NOT_HERE = frozenset(
    {"usd_per_day", "tokens_per_day", "architect_role_id", "category_id", "managers_channel_id", "synced_commands"}
)
VISITORS = 1_000_000  # ids that no person on Discord has
SAID_MOST = 2_000


class Changing:
    """Performs changes in an opened world; raises Rejected, or NotFound, for the first that cannot be."""

    def __init__(self, play: Play, performer: Performer, by: Person) -> None:
        self._play = play
        self._performer = performer
        self._by = by
        self._community_id = play.world.tree.key.community_id

    async def make(self, changes: Sequence[Change]) -> None:
        """Make all of them, in their order."""
        for number, change in enumerate(changes, 1):
            try:
                await self._make(change)
            except (Rejected, NotFound) as error:
                if len(changes) == 1:
                    raise
                raise Rejected(
                    Sentence("Change {number}: {sentence}", number=number, sentence=error.sentence)
                ) from error

    async def _make(self, change: Change) -> None:
        match change:
            case AgentCtx():
                await self._perform(change.actions, change.agent_id, change.side)
                if change.told:
                    await self._tell(change)
            case AgentPlan():
                await self._perform(change.actions, change.agent_id, change.side)
            case AgentProps():
                await self._alter(change)
            case SceneState():
                await self._edit(change)
            case PublicEvent():
                await self._happens(change)
            case Settings():
                await self._set(change)
            case _:
                assert_never(change)

    async def _edit(self, change: SceneState) -> None:
        """Have a scene stand otherwise, as far as its kind allows it."""
        async with self._play.world.store.writing(self._community_id) as write:
            scene = await write.scenes.find(self._community_id, SceneId(change.scene_id))
            if scene is None:
                raise NotFound(Sentence("There is no scene {scene_id} in that world.", scene_id=change.scene_id))
            await write.scenes.keep(edited(scene, change.edit))

    async def _perform(self, actions: Iterable[Action], subject: int | None, side: int = 0) -> None:
        for action in actions:
            async with self._play.world.store.writing(self._community_id) as write:
                await self._known(write.views, subject)
                (outcome,) = await self._performer.perform(
                    write,
                    self._community_id,
                    Actor.person(self._by, manager=True),
                    [action],
                    self._context(side),
                    subject=None if subject is None else AgentId(subject),
                )
                if not outcome.accepted:
                    raise Rejected(outcome.why)

    def _context(self, side: int = 0) -> ActionContext:
        node = self._play.world.node
        chance = NodeRandom(self._play.world.tree.seed, node.seed, "changes")
        return ActionContext(now=self._play.clock.now(), random=chance, side=Side(side))

    async def _known(self, views: Views, agent_id: int | None) -> Outline:
        view = await views.action_view(self._community_id, agent_ids=(), room_ids=(), doors=False)
        if agent_id is not None and agent_id not in view.agents:
            raise NotFound(Sentence("There is no agent {agent_id} in that world.", agent_id=agent_id))
        return view

    async def _tell(self, change: AgentCtx) -> None:
        """Show one line to an agent alone, once: it stands among its look-ups."""
        async with self._play.world.store.writing(self._community_id) as write:
            await self._known(write.views, change.agent_id)
            lookup = Lookup(question="You are told", answer=change.told)
            told = AddLookup(agent_id=AgentId(change.agent_id), side=Side(change.side), lookup=lookup)
            await write.apply(self._community_id, [told])

    async def _alter(self, change: AgentProps) -> None:
        own: list[Action] = []
        if change.altered is not None:
            if change.altered.agent_id != change.agent_id:
                raise Rejected(Sentence("A change of an agent's properties is of one agent."))
            own.append(change.altered)
        if change.allocation is not None:
            own.append(change.allocation)
        own += change.attention
        if change.interval_seconds is not None or change.resting_interval_seconds is not None:
            own.append(SetInterval(seconds=change.interval_seconds, resting_seconds=change.resting_interval_seconds))
        if change.paused is not None:
            own.append(Pause() if change.paused else Resume())
        await self._perform(own, change.agent_id)
        if change.emotion is not None:
            await self._feel(AgentId(change.agent_id), change.emotion)
        for room_id in change.joins:
            await self._perform([Invite(agent_id=change.agent_id)], room_id)
        for room_id in change.leaves:
            await self._perform([Remove(agent_id=change.agent_id)], room_id)

    async def _feel(self, agent_id: AgentId, emotion: str) -> None:
        """Let an agent have noted a feeling, which in life is its own alone."""
        try:
            feels = Feel.model_validate({"emotion": emotion})
        except ValidationError as error:
            raise Rejected(
                Sentence("Name a feeling that agents know: {names}.", names=one_of(list(get_args(Felt))))
            ) from error
        async with self._play.world.store.writing(self._community_id) as write:
            await self._known(write.views, agent_id)
            held = await write.views.minds(self._community_id, [(agent_id, PUBLIC_SIDE)])
            focus = with_feeling(held.mind_of(agent_id).focus, feels.emotion, "", self._play.clock.now())
            await write.apply(self._community_id, [SetFocus(agent_id=agent_id, side=PUBLIC_SIDE, focus=focus)])

    async def _set(self, change: Settings) -> None:
        for name, value in change.values.items():
            if name in NOT_HERE:
                raise Rejected(
                    Sentence(
                        "`{name}` cannot be changed in a timeline: money, provider and places are real.", name=name
                    )
                )
            await self._perform([SetSetting(name=name, value=value)], None)

    async def _happens(self, change: PublicEvent) -> None:
        """Let something be said in a room that all its members hear."""
        room_id, play = AgentId(change.room_id), self._play
        if len(change.text) > SAID_MOST:
            raise Rejected(Sentence("That is too long to be said at once: 2,000 characters at most."))
        async with play.world.store.writing(self._community_id) as write:
            view = await write.views.glance(self._community_id, room_ids=[room_id], messages=0)
            room = view.rooms.get(room_id)
            if room is None:
                raise NotFound(Sentence("There is no room {room_id} in that world.", room_id=room_id))
            if change.visitor:
                visitor = int.from_bytes(hashlib.sha256(change.visitor.encode()).digest()[:4]) % VISITORS + 1
                who, channel_id = Person(id=Snowflake(visitor), username=change.visitor), room.room.channel_id
            else:
                await write.apply(self._community_id, self._said_by_system(write.ids, change, room.members))
                return
        await hear(play, who, channel_id, change.text)

    def _said_by_system(self, ids: Ids, change: PublicEvent, members: Sequence[AgentId]) -> list[Written]:
        room_id, now = AgentId(change.room_id), self._play.clock.now()
        said = Say(
            message_id=MessageId(ids.take("message")),
            room_id=room_id,
            sender=SYSTEM,
            content=change.text,
            sent_at=now,
            post=False,
        )
        wake = Reason(kind=ReasonKind.AMBIENT, room_id=room_id, message_id=said.message_id, since=now, due_at=now)
        quiet = UpdateRoom(room_id=room_id, fields={"agent_run": 0})
        return [said, quiet, *(PutReason(agent_id=one, reason=wake) for one in members)]


async def hear(play: Play, who: Person, channel_id: Snowflake | None, text: str) -> None:
    """Let somebody say something in a room; raises Rejected where it has no channel."""
    if channel_id is None:
        raise Rejected(Sentence("That room has no channel yet: nothing can be said there."))
    async with play.world.store.reading() as read:
        community = next(one for one in await read.communities.all())
    await play.intake.take(
        MessageSeen(
            guild_id=community.guild_id,
            channel_id=channel_id,
            message_id=play.publisher.id(),
            author=who,
            content=text,
            sent_at=play.clock.now(),
        )
    )
