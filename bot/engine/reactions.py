"""Reactions come in: counted once per reactor, message and emoji, and undone when taken back."""

from bot.core.emoji import reaction_name
from bot.core.events import ReactionChanged, ReactionsCleared
from bot.core.kinds import SenderKind
from bot.core.ports import Clock, Store, Writing
from bot.core.records import Community, Message, Sender, Snowflake
from bot.core.tempo import changes_for


class Reactions:
    """Takes what people do with reactions on Discord."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def changed(self, event: ReactionChanged, community: Community) -> None:
        """Put or take back one reaction; other bots' are ignored."""
        if event.is_bot:
            return
        async with self._store.writing(community.id) as write:
            message = await write.message_of(community.id, event.message_id)
            if message is None:
                return
            reactor = await _reactor(write, community, event)
            if reactor is not None:
                await self._apply(write, community, message, reactor, event.emoji, added=event.added)

    async def cleared(self, event: ReactionsCleared, community: Community) -> None:
        """Take all reactions of a message back, or all of one emoji."""
        async with self._store.writing(community.id) as write:
            message = await write.message_of(community.id, event.message_id)
            if message is None:
                return
            for reactor, name in await write.reactions_of(community.id, message.id):
                if event.emoji is None or reaction_name(event.emoji) == name:
                    await self._apply(write, community, message, reactor, name, added=False)

    async def _apply(
        self, write: Writing, community: Community, message: Message, reactor: Sender, emoji: str, *, added: bool
    ) -> None:
        name = reaction_name(emoji)
        effect = await write.reaction_effect(community.id, message.id, name, reactor)
        view = await write.view(community.id, room_ids=[message.room_id], messages=1)
        changes = changes_for(view, message, reactor, emoji, added=added, now=self._clock.now(), effect=effect)
        await write.apply(community.id, changes)


async def _reactor(write: Writing, community: Community, event: ReactionChanged) -> Sender | None:
    """Give who reacted, as far as it is known; None for people whom agents are to ignore."""
    known = await write.person(community.id, Snowflake(event.user_id))
    person = event.person or known
    if known is not None and known.ignored:
        return None
    if event.person is not None and known is None:
        await write.put_person(community.id, event.person)
    if person is None:
        return Sender(kind=SenderKind.PERSON, person_id=event.user_id)
    kind = SenderKind.ARCHITECT if person.is_architect else SenderKind.PERSON
    return Sender(kind=kind, person_id=person.id, name=person.username)
