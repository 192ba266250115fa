"""Reactions come in: counted once per reactor, message and emoji, and undone when taken back."""

from datetime import timedelta
from typing import assert_never

from bot.core.changes import UpdateRoom
from bot.core.emoji import reaction_name
from bot.core.events import ReactionChanged, ReactionsCleared, ReactionsFound
from bot.core.kinds import HeldFor, SenderKind
from bot.core.people import as_decided, is_heard
from bot.core.ports import Clock, Store, Writing
from bot.core.ports.people import WritablePeople
from bot.core.records import Community, Message, Person, Sender, Snowflake
from bot.core.tempo import changes_for


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
            if message is None:
                return
            reactor = await _reactor(write.people, community, event.user_id, event.person, added=event.added)
            if reactor is not None:
                await self._apply(write, community, message, reactor, event.emoji, added=event.added)

    async def _cleared(self, event: ReactionsCleared, community: Community) -> None:
        """Take all reactions of a message back, or all of one emoji."""
        async with self._store.writing(community.id) as write:
            message = await write.talk.find(community.id, event.message_id)
            if message is None:
                return
            for _, reactor, name in await write.reactions.given_to(community.id, [message.id]):
                if event.emoji is None or reaction_name(event.emoji) == name:
                    await self._apply(write, community, message, reactor, name, added=False)

    async def _found(self, event: ReactionsFound, community: Community) -> None:
        """Put and take back what happened to an emoji on a message while nobody listened."""
        async with self._store.writing(community.id) as write:
            message = await write.talk.find(community.id, event.message_id)
            if message is None:
                return
            stored = [
                reactor
                for _, reactor, name in await write.reactions.given_to(community.id, [message.id])
                if name == reaction_name(event.emoji) and reactor.person_id is not None
            ]
            there = {person.id for person in event.people}
            for reactor in stored:
                if reactor.person_id not in there:
                    await self._apply(write, community, message, reactor, event.emoji, added=False)
            known = {reactor.person_id for reactor in stored}
            for person in (one for one in event.people if one.id not in known):
                newcomer = await _reactor(write.people, community, person.id, person, added=True)
                if newcomer is not None:
                    await self._apply(write, community, message, newcomer, event.emoji, added=True, is_late=True)

    async def _apply(
        self,
        write: Writing,
        community: Community,
        message: Message,
        reactor: Sender,
        emoji: str,
        *,
        added: bool,
        is_late: bool = False,
    ) -> None:
        """Store a reaction and what follows from it; of one found late on an old message the room takes no notice."""
        now, name = self._clock.now(), reaction_name(emoji)
        effect = await write.reactions.effect(community.id, message.id, name, reactor)
        view = await write.views.whole(community.id, room_ids=[message.room_id], messages=1)
        is_stale = is_late and now - message.sent_at > timedelta(minutes=view.config.stale_minutes)
        changes = changes_for(view, message, reactor, emoji, added=added, now=now, effect=effect, is_stale=is_stale)
        await write.apply(community.id, changes)
        if any(isinstance(change, UpdateRoom) and "hushed_until" in change.fields for change in changes):
            await write.claims.free_held(community.id, HeldFor.HUSH, now)  # each looks anew for how long it waits


async def _reactor(
    people: WritablePeople, community: Community, person_id: Snowflake, person: Person | None, *, added: bool
) -> Sender | None:
    """Give who reacted, as far as it is known; None for people whom agents are to ignore."""
    known = await people.find(community.id, person_id)
    if known is not None and not is_heard(known) and added:
        return None
    if person is not None and added:
        fresh = as_decided(person, known)
        if fresh != known:
            await people.put(community.id, fresh)
    person = person or known
    if person is None:
        return Sender(kind=SenderKind.PERSON, person_id=person_id)
    kind = SenderKind.ARCHITECT if person.is_architect else SenderKind.PERSON
    return Sender(kind=kind, person_id=person.id, name=person.username)
