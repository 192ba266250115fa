"""Reactions come in: counted once per reactor, message and emoji, and undone when taken back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar, assert_never

from bot.core.changes import AddLetter, Change, UpdateAgent, UpdateRoom
from bot.core.emoji import is_hush, reaction_name
from bot.core.events import ReactionChanged, ReactionsCleared, ReactionsFound
from bot.core.kinds import HeldFor, SenderKind
from bot.core.people import as_decided, is_heard
from bot.core.ports import Clock, Store, Writing
from bot.core.ports.people import WritablePeople
from bot.core.reasons import is_hushed
from bot.core.records import Agent, AgentId, Community, Message, Person, Room, Sender, Snowflake
from bot.core.tempo import changes_for
from bot.engine.hushing import hushed_room, hushed_thread

AT_ONCE = 100  # reactors, to a transaction
Given = tuple[Sender, str]  # by whom, and the emoji
T = TypeVar("T")


class Reactions:
    """Takes what people do with reactions on Discord."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def take(self, event: ReactionChanged | ReactionsCleared | ReactionsFound, community: Community) -> None:
        """Store what happened to reactions."""
        match event:
            case ReactionChanged():
                await self._changed(event, community)
            case ReactionsCleared():
                await self._cleared(event, community)
            case ReactionsFound():
                await self._found(event, community)
            case _:
                assert_never(event)

    async def _changed(self, event: ReactionChanged, community: Community) -> None:
        """Put or take back one reaction; other bots' are ignored."""
        if event.is_bot:
            return
        async with self._store.writing(community.id) as write:
            message = await write.talk.find(community.id, event.message_id)
            silences = event.added and is_hush(event.emoji)
            if message is None and not silences:
                return
            them = {event.user_id: event.person}
            reactors = await _reactors(write.people, community, them, added=event.added)
            if silences and reactors:
                await self._silence(write, community, event.channel_id)
            if message is None:
                return
            given = [(reactor, event.emoji) for reactor in reactors]
            await self._apply(write, community, message, given, added=event.added)

    async def _silence(self, write: Writing, community: Community, thread_id: Snowflake) -> None:
        """Let a scene rest in whose thread somebody asks for silence, on whichever post it is."""
        config = (await write.views.roster(community.id)).config
        changes = await hushed_thread(write, community.id, thread_id, config=config, now=self._clock.now())
        await write.apply(community.id, changes)

    async def _cleared(self, event: ReactionsCleared, community: Community) -> None:
        """Take all reactions of a message back, or all of one emoji."""
        async with self._store.reading() as read:
            message = await read.talk.find(community.id, event.message_id)
            found = await read.reactions.given_to(community.id, [message.id]) if message else ()
        only = None if event.emoji is None else reaction_name(event.emoji)
        given = [(reactor, name) for _, reactor, name in found if only in (None, name)]
        for few in _few_at_once(given):
            await self._take_back(event, community, few)

    async def _take_back(
        self, event: ReactionsCleared | ReactionsFound, community: Community, given: Sequence[Given]
    ) -> None:
        async with self._store.writing(community.id) as write:
            message = await write.talk.find(community.id, event.message_id)
            if message is not None:
                await self._apply(write, community, message, given, added=False)

    async def _found(self, event: ReactionsFound, community: Community) -> None:
        """Put and take back what happened to an emoji on a message while nobody listened."""
        async with self._store.reading() as read:
            message = await read.talk.find(community.id, event.message_id)
            if message is None:
                return
            found = await read.reactions.given_to(community.id, [message.id])
        of_people = {reactor.person_id: reactor for _, reactor, name in found if name == reaction_name(event.emoji)}
        there = {person.id: person for person in event.people}
        gone = [(by, event.emoji) for id_, by in of_people.items() if id_ is not None and id_ not in there]
        for few in _few_at_once(gone):
            await self._take_back(event, community, few)
        for some in _few_at_once([person for id_, person in there.items() if id_ not in of_people]):
            async with self._store.writing(community.id) as write:
                message = await write.talk.find(community.id, event.message_id)
                if message is None:
                    return
                them = {person.id: person for person in some}
                reactors = await _reactors(write.people, community, them, added=True)
                given = [(reactor, event.emoji) for reactor in reactors]
                await self._apply(write, community, message, given, added=True, is_late=True)

    async def _apply(
        self,
        write: Writing,
        community: Community,
        message: Message,
        given: Sequence[Given],
        *,
        added: bool,
        is_late: bool = False,
    ) -> None:
        """Store reactions and what follows from them; of one found late on an old message the room takes no notice."""
        if not given:
            return
        now, named = self._clock.now(), [(reactor, reaction_name(emoji)) for reactor, emoji in given]
        effects = await write.reactions.effects(community.id, message.id, named)
        authors = [message.sender.agent_id] if message.sender.agent_id is not None else []
        view = await write.views.roster(community.id, agent_ids=authors, room_ids=[message.room_id])
        is_stale = is_late and now - message.sent_at > timedelta(minutes=view.config.stale_minutes)
        agents, rooms = dict(view.agents), dict(view.all_rooms)
        so_far = replace(view, agents=agents, all_rooms=rooms)
        changes: list[Change] = []
        for (reactor, emoji), known in zip(given, named, strict=True):
            effect = effects.get(known)
            more = changes_for(so_far, message, reactor, emoji, added=added, now=now, effect=effect, is_stale=is_stale)
            changes += [change for change in more if not isinstance(change, AddLetter) or change not in changes]
            _follow(agents, rooms, more)
        await write.apply(community.id, changes)
        if any(isinstance(change, UpdateRoom) and "hushed_until" in change.fields for change in changes):
            await write.claims.free_held(community.id, HeldFor.HUSH, now)  # each looks anew for how long it waits
            if is_hushed(rooms[message.room_id], now):
                rested = await hushed_room(write, community.id, message.room_id, config=view.config, now=now)
                await write.apply(community.id, rested)


def _few_at_once(reactions: Sequence[T]) -> Iterator[Sequence[T]]:
    return (reactions[start : start + AT_ONCE] for start in range(0, len(reactions), AT_ONCE))


def _follow(agents: dict[AgentId, Agent], rooms: dict[AgentId, Room], changes: Sequence[Change]) -> None:
    """Let the next reaction find what this one changed."""
    for change in changes:
        match change:
            case UpdateAgent(agent_id=id_, fields=fields):
                agents[id_] = replace(agents[id_], **fields)
            case UpdateRoom(room_id=id_, fields=columns):
                rooms[id_] = replace(rooms[id_], **columns)


async def _reactors(
    people: WritablePeople, community: Community, them: Mapping[Snowflake, Person | None], *, added: bool
) -> list[Sender]:
    """Give who reacted, as far as they are known, without those whom agents are to ignore."""
    known = await people.known(community.id, list(them))
    heard = {id_: one for id_, one in them.items() if not added or id_ not in known or is_heard(known[id_])}
    if added:
        fresh = [as_decided(one, known.get(one.id)) for one in heard.values() if one is not None]
        await people.put(community.id, *(one for one in fresh if one != known.get(one.id)))
    return [_reactor(id_, one or known.get(id_)) for id_, one in heard.items()]


def _reactor(person_id: Snowflake, person: Person | None) -> Sender:
    if person is None:
        return Sender(kind=SenderKind.PERSON, person_id=person_id)
    kind = SenderKind.ARCHITECT if person.is_architect else SenderKind.PERSON
    return Sender(kind=kind, person_id=person.id, name=person.username)
