"""The desk on which one transaction's actions are worked out: loaded once, changed in memory, written once."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, Unpack

from bot.core.actor import Actor
from bot.core.changes import (
    AddLookup,
    AddMembership,
    AgentColumns,
    Change,
    JournalPlan,
    MembershipColumns,
    PutReason,
    RemoveMembership,
    RoomColumns,
    SetFocus,
    SetKnowledge,
    UpdateAgent,
    UpdateMembership,
    UpdateRoom,
)
from bot.core.circumstances import Circumstances
from bot.core.config import CommunityConfig
from bot.core.errors import Rejected
from bot.core.focus import LIST_SECTIONS, items_of
from bot.core.hud.knowledge import Tally
from bot.core.hud.lookups import LONGEST_QUESTION, MOST_LOOKUPS, fitted, lookup_characters
from bot.core.key_redaction import KeyRedactor
from bot.core.kinds import MindPart
from bot.core.models import Ceilings
from bot.core.people import mention
from bot.core.permissions import NAME_THE_AGENT, no_agent, visible_message
from bot.core.plan import difference
from bot.core.ports import Cipher, Model, Models, Random, Tokenizer, Writing
from bot.core.records import (
    PUBLIC_SIDE,
    Agent,
    AgentId,
    BeatId,
    CommunityId,
    Focus,
    Json,
    Lookup,
    Membership,
    Message,
    MessageId,
    Mind,
    Plan,
    Reason,
    Room,
    Schedule,
    Side,
    Snowflake,
    WholeAgent,
)
from bot.core.sentences import Sentence
from bot.core.view import Belongings, Doors, Outline
from bot.engine.performer.action_context import ActionContext
from bot.engine.purse import ceilings_of

ENOUGH_LOOKUPS = f"At most {MOST_LOOKUPS} look-ups are answered at once: ask for this one when you have read those."


@dataclass(kw_only=True)
class UnitOfWork:
    """The community as it stands after the actions so far; `changes` is what will be written."""

    write: Writing
    view: Outline
    minds: Belongings | None  # of the subject, where actions may need them
    doors: Doors | None  # where one of the actions is about access
    actor: Actor
    subject_id: AgentId | None
    cipher: Cipher
    tokenizer: Tokenizer
    models: Models | None
    context: ActionContext
    rooms_at_first: tuple[AgentId, ...] = ()  # where the subject was when the answer came
    circumstances: Circumstances = field(default_factory=Circumstances)
    changes: list[Change] = field(default_factory=list)
    failures: Counter[AgentId] = field(default_factory=Counter)  # wrong keys by room, of this answer
    moves: Counter[AgentId] = field(default_factory=Counter)  # tempo moves by author, of this answer
    scheduled: dict[AgentId, list[Schedule]] = field(default_factory=dict)  # that wait, as far as they were asked for
    tally: Tally | None = None  # of the subject's knowledge, where it changed
    lookups: list[Lookup] = field(default_factory=list)  # of this answer
    secret: str = ""
    named: dict[int, str] = field(default_factory=dict)  # usernames of people who stand in results by their ids
    redactor: KeyRedactor = field(default_factory=KeyRedactor)

    # what permissions look at
    @property
    def agents(self) -> Mapping[AgentId, Agent]:
        return self.view.agents

    @property
    def rooms(self) -> Mapping[AgentId, Room]:
        return self.view.all_rooms

    @property
    def memberships(self) -> Mapping[tuple[AgentId, AgentId], Membership]:
        return self.view.memberships

    @property
    def messages(self) -> Mapping[MessageId, Message]:
        return self.circumstances.messages

    async def model(self) -> Model | None:
        """Give the models that the community may ask, with what the installation holds it to while it pays."""
        return None if self.models is None else await self.models.of(self.write.providers, self.view.community)

    async def ceilings(self) -> Ceilings | None:
        """Give what the installation holds the community to, where it pays."""
        return await ceilings_of(self.models, self.write.providers, self.view.community)

    @property
    def now(self) -> datetime:
        return self.context.now

    @property
    def random(self) -> Random:
        return self.context.random

    @property
    def side(self) -> Side:
        return self.context.side

    @property
    def rooms_shown(self) -> frozenset[AgentId] | None:
        return self.context.rooms_shown

    @property
    def shared(self) -> bool:
        return self.context.shared

    @property
    def community_id(self) -> CommunityId:
        return self.view.community.id

    @property
    def config(self) -> CommunityConfig:
        return self.view.config

    @property
    def beat_id(self) -> BeatId | None:
        return self.context.beat_id

    def shares_a_room(self, agent_id: AgentId, other: AgentId) -> bool:
        """Tell whether both are in one of the rooms shown."""
        return any(other in self.members(room_id) for room_id in self.rooms_in(agent_id))

    def name(self, person_id: Snowflake, username: str) -> str:
        """Give what stands for a person in a result: their id is kept, their name is shown."""
        self.named[person_id] = username
        return mention(person_id)

    def whose(self, what: Literal["attention", "focus", "plan"]) -> str:
        """Word something of the subject for the actor: the agent's own is *your*."""
        if self.actor.agent_id is not None:
            return f"Your {what}"
        name = self.me().name
        return {
            "attention": Sentence("{agent}'s attention", agent=name),
            "focus": Sentence("{agent}'s focus", agent=name),
            "plan": Sentence("{agent}'s plan", agent=name),
        }[what]

    def place(self, room_id: AgentId) -> str:
        """Word a room for the actor: agents know numbers, people see channels."""
        room = self.room(room_id)
        if self.actor.agent_id is not None:
            return f"room {room_id}"
        if room.channel_id:
            return f"<#{room.channel_id}>"
        return Sentence("{owner}'s room", owner=self.agent(room.owner_id).name)

    # looking up
    def me(self) -> Agent:
        """Give the agent whose thing it is; raises Rejected when none was named."""
        if self.subject_id is None:
            raise Rejected(NAME_THE_AGENT)
        return self.agent(self.subject_id)

    def agent(self, agent_id: int) -> Agent:
        """Find an agent; raises Rejected."""
        found = self.view.agents.get(AgentId(agent_id))
        if found is None:
            raise Rejected(no_agent(agent_id))
        return found

    def whole_agent(self, agent_id: int) -> WholeAgent:
        """Find an agent that an action names, with its prompt; raises Rejected."""
        return self.view.whole_agent(self.agent(agent_id).id)

    def room(self, room_id: int) -> Room:
        """Find a room; raises Rejected."""
        found = self.view.all_rooms.get(AgentId(room_id))
        if found is None:
            raise Rejected(Sentence("There is no room {room_id} here.", room_id=room_id))
        return found

    def members(self, room_id: AgentId) -> tuple[AgentId, ...]:
        """Give a loaded room's members."""
        shown = self.view.rooms.get(room_id)
        return shown.members if shown else ()

    def rooms_in(self, agent_id: AgentId) -> tuple[AgentId, ...]:
        """Give the rooms that the agent is in and this beat shows."""
        mine = (room for agent, room in self.view.memberships if agent == agent_id)
        return tuple(room for room in mine if self.rooms_shown is None or room in self.rooms_shown)

    def message(self, message_id: int) -> Message:
        """Find a message that the agent may see; for people, any that was named."""
        if self.actor.agent_id is not None:
            return visible_message(self.actor.agent_id, MessageId(message_id), self)
        found = self.messages.get(MessageId(message_id))
        if found is None:
            raise Rejected(Sentence("There is no message {message_id} here.", message_id=message_id))
        return found

    def called_in(self, room_id: AgentId) -> Message | None:
        """Give the newest message of a room that called the agent."""
        shown = self.view.rooms.get(room_id)
        known = {message.id: message for message in shown.messages} if shown else {}
        calls = (self.messages.get(id_) or known.get(id_) for id_ in reversed(self.context.called_by))
        return next((one for one in calls if one is not None and one.room_id == room_id), None)

    def newest_message(self, room_id: AgentId) -> MessageId:
        """Give the newest message of a room that was asked for."""
        return self.circumstances.newest.get(room_id, MessageId(0))

    def mind(self) -> Mind:
        """Give the subject's mind on this side."""
        return self.belongings.mind_of(self.me().id, self.side)

    @property
    def belongings(self) -> Belongings:
        """What the subject carries; a LookupError where it was not read."""
        if self.minds is None:
            raise LookupError("no mind was read for these actions")
        return self.minds

    @property
    def asked_by(self) -> Snowflake | None:
        """The person whose message led to this, if one did."""
        return self.actor.who.id if self.actor.who else self.context.person_id

    # changing
    def put(self, *changes: Change) -> None:
        """Add changes to what will be written."""
        self.changes += changes

    def update_agent(self, agent_id: AgentId, **fields: Unpack[AgentColumns]) -> None:
        """Set some of an agent's columns."""
        self.alter_agent(replace(self.view.agents[agent_id], **fields), fields)

    def alter_agent(self, after: Agent, fields: AgentColumns) -> None:
        """Put an agent in its place, of which these columns were set."""
        self.view = replace(self.view, agents={**self.view.agents, after.id: after})
        self._merge(UpdateAgent(agent_id=after.id, fields=fields))

    def update_room(self, room_id: AgentId, **fields: Unpack[RoomColumns]) -> None:
        """Set some of a room's columns."""
        self._place(replace(self.view.all_rooms[room_id], **fields))
        self._merge(UpdateRoom(room_id=room_id, fields=fields))

    def update_membership(self, agent_id: AgentId, room_id: AgentId, **fields: Unpack[MembershipColumns]) -> None:
        """Set some of a membership's columns."""
        after = replace(self.view.memberships[agent_id, room_id], **fields)
        self.view = replace(self.view, memberships={**self.view.memberships, (agent_id, room_id): after})
        self._merge(UpdateMembership(agent_id=agent_id, room_id=room_id, fields=fields))

    def add_membership(self, agent_id: AgentId, room_id: AgentId) -> None:
        """Make an agent a member, with dynamic attention."""
        joined = self.newest_message(room_id)
        one = Membership(agent_id=agent_id, room_id=room_id, joined_at=self.now, joined_after=joined, seen_until=joined)
        self.view = replace(self.view, memberships={**self.view.memberships, (agent_id, room_id): one})
        self._seat(room_id, (*self.members(room_id), agent_id))
        self.put(AddMembership(membership=one))

    def remove_membership(self, agent_id: AgentId, room_id: AgentId) -> None:
        """End a membership."""
        kept = {key: one for key, one in self.view.memberships.items() if key != (agent_id, room_id)}
        self.view = replace(self.view, memberships=kept)
        self._seat(room_id, tuple(each for each in self.members(room_id) if each != agent_id))
        self.put(RemoveMembership(agent_id=agent_id, room_id=room_id))

    def keep_knowledge(self, whole: Mapping[str, Json], path: str, before: Json, after: Json) -> None:
        """Keep the subject's knowledge on this side, with a line in its journal."""
        self._keep_mind(replace(self.mind(), knowledge=whole))
        self.put(
            SetKnowledge(
                agent_id=self.me().id,
                side=self.side,
                knowledge=whole,
                path=path,
                before=before,
                after=after,
                by=self.actor.signature(),
                at=self.now,
            )
        )

    def keep_focus(self, focus: Focus) -> None:
        """Keep the subject's focus on this side; what comes from another world is journalled, to be taken back."""
        if self.actor.origin:
            self._journal_focus(self.mind().focus, focus)
        self._keep_mind(replace(self.mind(), focus=focus))
        self._merge(SetFocus(agent_id=self.me().id, side=self.side, focus=focus))

    def _journal_focus(self, was: Focus, focus: Focus) -> None:
        for name in LIST_SECTIONS.values():
            before, after = list[Json](items_of(was, name)), list[Json](items_of(focus, name))
            if before != after:
                self.put(
                    JournalPlan(
                        agent_id=self.me().id,
                        side=self.side,
                        path=name,
                        before={name: before},
                        after={name: after},
                        by=self.actor.signature(),
                        at=self.now,
                        part=MindPart.FOCUS,
                    )
                )

    def keep_plan(self, plan: Plan) -> bool:
        """Keep the subject's plan on this side, with a line in its journal; tells whether that changes anything."""
        focus = self.mind().focus
        before, after = difference(focus.plan, plan)
        if not after:
            return False
        self.keep_focus(replace(focus, plan=plan, updated_at=self.now))
        self.put(
            JournalPlan(
                agent_id=self.me().id,
                side=self.side,
                path=", ".join(after),
                before=before,
                after=after,
                by=self.actor.signature(),
                at=self.now,
            )
        )
        return True

    def look_up(self, question: str, answer: Json) -> None:
        """Have an answer shown once in the subject's next HUD; raises Rejected when there are enough of them."""
        if len(self.lookups) == MOST_LOOKUPS:
            raise Rejected(ENOUGH_LOOKUPS)
        self.lookups.append(Lookup(question=question[:LONGEST_QUESTION], answer=answer))

    def fitted_lookups(self) -> list[Lookup]:
        """Give what was looked up, each answer cut to its share of what a HUD shows."""
        if not self.lookups:
            return []
        most = lookup_characters(self.me()) // len(self.lookups)
        return [replace(one, answer=fitted(one.answer, most)) for one in self.lookups]

    def keep_lookups(self) -> None:
        """Keep what was looked up for the next HUD."""
        for one in self.fitted_lookups():
            self.put(AddLookup(agent_id=self.me().id, side=self.side, lookup=one))

    def give_reason(self, agent_id: AgentId, reason: Reason) -> None:
        """Give an agent a reason to beat."""
        self.put(PutReason(agent_id=agent_id, reason=reason))

    def side_room(self) -> AgentId | None:
        """Give the private room that this side is, or None in the open."""
        return None if self.side == PUBLIC_SIDE else AgentId(self.side)

    def _place(self, room: Room) -> None:
        self.view = replace(self.view, all_rooms={**self.view.all_rooms, room.id: room})
        if shown := self.view.rooms.get(room.id):
            self.view = replace(self.view, rooms={**self.view.rooms, room.id: replace(shown, room=room)})

    def _seat(self, room_id: AgentId, members: Sequence[AgentId]) -> None:
        if shown := self.view.rooms.get(room_id):
            seated = replace(shown, members=tuple(members))
            self.view = replace(self.view, rooms={**self.view.rooms, room_id: seated})

    def _keep_mind(self, mind: Mind) -> None:
        self.minds = Belongings(minds={**self.belongings.minds, (mind.agent_id, mind.side): mind})

    def _merge(self, change: UpdateAgent | UpdateRoom | UpdateMembership | SetFocus) -> None:
        """Write each row once: a later value takes the earlier one's place."""
        for at, earlier in enumerate(self.changes):
            if type(earlier) is type(change) and _row(earlier) == _row(change):
                self.changes[at] = _merged(earlier, change)
                return
        self.put(change)


def _merged(earlier: Change, later: Change) -> Change:
    match earlier, later:
        case UpdateAgent(), UpdateAgent():
            return replace(later, fields={**earlier.fields, **later.fields})
        case UpdateRoom(), UpdateRoom():
            return replace(later, fields={**earlier.fields, **later.fields})
        case UpdateMembership(), UpdateMembership():
            return replace(later, fields={**earlier.fields, **later.fields})
        case _:
            return later


def _row(change: Change) -> tuple[object, ...]:
    return tuple(getattr(change, name, None) for name in ("agent_id", "room_id", "side"))
