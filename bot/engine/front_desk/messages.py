"""What was said: found by its place on Discord or by words, and asked for once more."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.core.actor import Actor
from bot.core.changes import Audit, Change, PutReason, Say
from bot.core.emoji import shown_as
from bot.core.errors import NotFound, Rejected
from bot.core.kinds import LetterKind, LetterState, ReasonKind
from bot.core.moderation import IN_A_THREAD, let_stand, proposal_of, what_and_text
from bot.core.people import why_unheard
from bot.core.ports import Writing
from bot.core.ports.residents import Views
from bot.core.ports.talk import Queue
from bot.core.records import (
    Agent,
    AgentId,
    Community,
    Letter,
    LetterId,
    Message,
    MessageId,
    Person,
    Reason,
    Room,
    Snowflake,
)
from bot.core.sentences import Sentence
from bot.core.view import MayRead, Outline
from bot.engine.front_desk.office import MOST_THREADS, Office, by_nobody, check_manages, readable
from bot.engine.front_desk.rooms import Rooms
from bot.engine.moderation import let_through
from bot.engine.posting import files_of


@dataclass(frozen=True, slots=True)
class Messages:
    """The messages of a community."""

    office: Office
    rooms: Rooms

    async def at(self, guild_id: Snowflake, discord_id: int, *, may_read: MayRead = by_nobody) -> Message:
        """Give what is known of a message on Discord; raises NotFound, too when it is not for who asks."""
        async with self.office.looking(guild_id) as (community, read):
            message = await read.talk.find(community.id, Snowflake(discord_id))
        return await self._shown(guild_id, message, may_read)

    async def by_id(self, guild_id: Snowflake, message_id: MessageId, *, may_read: MayRead = by_nobody) -> Message:
        """Give a message by our own id of it; raises NotFound, too when it is not for who asks."""
        async with self.office.looking(guild_id) as (community, read):
            found = await read.talk.by_id(community.id, [message_id])
        return await self._shown(guild_id, found.get(message_id), may_read)

    async def _shown(self, guild_id: Snowflake, message: Message | None, may_read: MayRead) -> Message:
        place = await self.rooms.place(guild_id, message.room_id) if message else None
        is_open = place is not None and place.thread_of is None
        if (
            message is None
            or place is None
            or not (is_open or await readable(self.office, guild_id, [place], may_read))
        ):
            raise NotFound(Sentence("Selfroom does not know this message: choose one in an agent's room."))
        return message

    async def deliveries(self, guild_id: Snowflake, messages: Sequence[Message]) -> Mapping[MessageId, Letter]:
        """Give by message the letter that brought it to Discord, or is to; none for what was said there."""
        async with self.office.looking(guild_id) as (community, read):
            return await read.letters.carrying(community.id, [one.id for one in messages])

    async def queues(self, guild_id: Snowflake) -> Sequence[Queue]:
        """Give what of a server waits to be sent to Discord."""
        async with self.office.looking(guild_id) as (community, read):
            return await read.letters.queues(community.id)

    async def reactions(self, guild_id: Snowflake, message: Message) -> Sequence[tuple[AgentId, str]]:
        """Give which agents reacted to a message with what; on Discord all of them are the bot's."""
        async with self.office.looking(guild_id) as (community, read):
            found = await read.reactions.given_to(community.id, [message.id])
        return [(by.agent_id, shown_as(name)) for _, by, name in found if by.agent_id is not None]

    async def search(
        self,
        guild_id: Snowflake,
        query: str,
        *,
        room_ids: Sequence[AgentId],
        may_read: MayRead = by_nobody,
        limit: int = 50,
    ) -> Sequence[tuple[Message, str]]:
        """Find messages in these rooms and those of their private threads, newest first, each with an excerpt."""
        threads = [room for room in (await self.rooms.threads(guild_id)).values() if room.thread_of in room_ids]
        async with self.office.looking(guild_id) as (community, read):
            found = list(await read.talk.search(community.id, query, room_ids=room_ids, limit=limit))
            heard = await read.rooms.heard(community.id, [room.id for room in threads])
        found += await self._in_threads(guild_id, query, [one for one in threads if one.id in heard], may_read, limit)
        return sorted(found, key=lambda one: one[0].sent_at, reverse=True)[:limit]

    async def _in_threads(
        self, guild_id: Snowflake, query: str, threads: Sequence[Room], may_read: MayRead, limit: int
    ) -> Sequence[tuple[Message, str]]:
        """Find messages in private threads: those that are closed to who asks are left out, and it is searched again.

        So they hide nothing that is open; Discord is asked about so many threads at most.
        """
        left, decided = {room.id: room for room in threads}, frozenset[AgentId]()
        while left:
            async with self.office.looking(guild_id) as (community, read):
                inside = await read.talk.search(community.id, query, room_ids=list(left), limit=limit)
            unknown = [id_ for id_ in dict.fromkeys(one.room_id for one, _ in inside) if id_ not in decided]
            if not unknown:
                return inside
            unknown = unknown[: MOST_THREADS - len(decided)]
            decided |= frozenset(unknown)
            allowed = await readable(self.office, guild_id, [left[id_] for id_ in unknown], may_read)
            left = {id_: room for id_, room in left.items() if id_ in allowed or id_ not in unknown}
            if len(decided) == MOST_THREADS:
                left = {id_: room for id_, room in left.items() if id_ in decided}
        return ()

    async def ask_again(self, guild_id: Snowflake, person: Person, message: Message) -> str:
        """Have an agent look once more at a message, as if the person had asked for it in words; gives a sentence."""
        if message.scene_id is not None:
            raise Rejected(Sentence("This was said in a scene: agents speak there when it is their turn."))
        async with self.office.changing(guild_id, person) as (community, write):
            view = await write.views.action_view(community.id, agent_ids=(), room_ids=[message.room_id], doors=False)
            agent_id = message.sender.agent_id or view.all_rooms[message.room_id].owner_id
            agent = view.agents[agent_id]
            if (agent_id, message.room_id) not in view.memberships:
                raise Rejected(Sentence("{agent} is not there any more, so it cannot answer there.", agent=agent.name))
            if agent.paused_reason is not None or agent.retired_at is not None:
                raise Rejected(Sentence("{agent} is paused or retired: resume or restore it first.", agent=agent.name))
            known = await write.people.find(community.id, person.id)
            if known is not None and (why := why_unheard(known)):
                raise Rejected(why)
            since = self.office.now() - timedelta(minutes=view.config.addressed_per_person_minutes)
            if await write.beats.addressed_by(community.id, person.id, since) >= view.config.addressed_per_person:
                raise Rejected(Sentence("You asked a lot in the last minutes: try again a little later."))
            asking = self._asking(MessageId(write.ids.take("message")), person, agent, message)
            await write.apply(community.id, [asking, PutReason(agent_id=agent_id, reason=self._again(person, asking))])
        self.office.on_done()
        return Sentence("{agent} looks at it again.", agent=agent.name)

    def _asking(self, message_id: MessageId, person: Person, agent: Agent, message: Message) -> Say:
        """Word the wish as a line of the person, which only agents see."""
        return Say(
            message_id=message_id,
            room_id=message.room_id,
            sender=Actor.person(person).sender,
            content=f"{agent.name}, please answer message {message.reply_to or message.id} again.",
            sent_at=self.office.now(),
            reply_to=message.id,
            thread_id=message.thread_id,
            thread_name=message.thread_name,
            post=False,
        )

    def _again(self, person: Person, asking: Say) -> Reason:
        return Reason(
            kind=ReasonKind.ADDRESSED,
            room_id=asking.room_id,
            message_id=asking.message_id,
            person_id=person.id,
            mentioned=True,
            since=self.office.now(),
            due_at=self.office.now(),
        )


DECIDED = {"is approved.": "approved", "is discarded.": "discarded"}


@dataclass(frozen=True, slots=True)
class Decision:
    """What came of a decision, and what of it is to follow on Discord, by room."""

    result: str
    letters: tuple[tuple[AgentId, LetterKind], ...] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """What is held: messages, and billboards, topics and names that agents proposed."""

    office: Office

    async def waiting(self, guild_id: Snowflake) -> Sequence[tuple[Letter, str]]:
        """Give the letters that wait for a manager with their words, oldest first."""
        async with self.office.looking(guild_id) as (community, read):
            letters = await read.letters.held(community.id)
            ids = [letter.message_id for letter in letters if letter.message_id is not None]
            said = await read.talk.by_id(community.id, ids)
            places = sorted({message.room_id for message in said.values()})
            view = await read.views.action_view(community.id, agent_ids=(), room_ids=places, doors=False)
        words = ((letter, _words(letter, said, view)) for letter in letters)
        return [(letter, text) for letter, text in words if text is not None]

    async def decide(self, guild_id: Snowflake, person: Person, letter_id: LetterId, *, post: bool) -> Decision:
        """Let what is held be seen after all, or discard it; raises NotFound, Rejected."""
        check_manages(person)
        async with self.office.changing(guild_id, person) as (community, write):
            letter, message = await self._waiting(guild_id, write, community, letter_id)
            now = self.office.clock.now()
            await write.letters.move(community.id, letter.id, LetterState.FAILED, at=now)
            what = f"{_about(letter_id)}is {'approved' if post else 'discarded'}."
            agent_id = message.sender.agent_id if message is not None else letter.room_id
            done = Audit(by=Actor.person(person).signature(), what=what, agent_id=agent_id, at=now)
            if not post:
                await write.apply(community.id, [done])
                return Decision(
                    Sentence("It is discarded: nobody will see it.")
                    if message is None
                    else Sentence("The message is discarded: nobody will see it.")
                )
            if message is not None:
                changes = await _said_again(write, community, letter, message, now)
            else:
                changes = await _let_stand(write.views, community, letter, now)
            await write.apply(community.id, [*changes, done])
        self.office.on_done()
        told = (
            Sentence("It stands now.")
            if message is None
            else Sentence("The message is posted as soon as Discord takes it.")
        )
        return Decision(told, ((letter.room_id, letter.kind),))

    async def _waiting(
        self, guild_id: Snowflake, write: Writing, community: Community, letter_id: LetterId
    ) -> tuple[Letter, Message | None]:
        """Find a held letter, and its message if it is one; raises NotFound with who has decided already."""
        for letter in await write.letters.held(community.id, only=letter_id):
            if letter.message_id is None:
                return letter, None
            said = await write.talk.by_id(community.id, [letter.message_id])
            if letter.message_id in said:
                return letter, said[letter.message_id]
        first = await self.office.who_was_first(guild_id, _about(letter_id), DECIDED)
        raise NotFound(
            Sentence(
                "This message waits no longer: {first}", first=first or Sentence("it was deleted, or decided long ago.")
            )
        )


async def _said_again(
    write: Writing, community: Community, letter: Letter, message: Message, now: datetime
) -> list[Change]:
    """Say a held message behind what waits in its room."""
    id_ = MessageId(write.ids.take("message"))
    again = Say(
        message_id=id_,
        room_id=letter.room_id,
        sender=message.sender,
        content=message.content,
        type=message.type,
        sent_at=now,
        reply_to=message.reply_to,
        thread_id=message.thread_id,
        thread_name=message.thread_name,
        tokens=message.tokens,
        attachments=message.attachments,
        files=files_of(letter),
        scene_id=message.scene_id,
    )
    if message.scene_id is not None:
        await write.scenes.posted_again(community.id, message.id, id_)
    await write.notes.keep(community.id, let_through(id_), True)
    return [again]


async def _let_stand(views: Views, community: Community, letter: Letter, now: datetime) -> list[Change]:
    proposal = proposal_of(letter)
    view = await views.action_view(community.id, agent_ids=(), room_ids=[letter.room_id], doors=False)
    changes = let_stand(letter, proposal, view, now) if proposal is not None else []
    if not changes:
        raise Rejected(Sentence("It cannot be done any more: another agent has that name by now. Discard it."))
    return changes


def _words(letter: Letter, said: Mapping[MessageId, Message], view: Outline) -> str | None:
    """Give what is held as it may be shown outside its place."""
    if letter.message_id is not None:
        message = said.get(letter.message_id)
        if message is None:
            return None
        return f"({IN_A_THREAD})" if view.is_thread(view.all_rooms[message.room_id].side) else message.content
    proposal = proposal_of(letter)
    return what_and_text(proposal)[1] if proposal is not None else None


def _about(letter_id: LetterId) -> str:
    return f"Held message {letter_id} "
