"""What moderation holds back, and what managers decide about it."""

from collections.abc import Sequence

from bot.core.actor import Actor
from bot.core.changes import Audit, Say
from bot.core.errors import NotFound
from bot.core.kinds import LetterState
from bot.core.ports import Writing
from bot.core.records import Community, Letter, LetterId, Message, MessageId, Person, Snowflake
from bot.engine.front_desk.office import Office, check_manages
from bot.engine.moderation import let_through

DECIDED = {"approve": "approved", "discard": "discarded"}


class HeldBack(Office):
    """Held messages."""

    async def held(self, guild_id: Snowflake) -> Sequence[tuple[Letter, Message]]:
        """Give the letters that wait for a manager with what they say, oldest first."""
        async with self._looking(guild_id) as (community, read):
            letters = await read.held(community.id)
            ids = [letter.message_id for letter in letters if letter.message_id is not None]
            said = await read.messages_by_id(community.id, ids)
        return [(one, said[id]) for one in letters if (id := one.message_id) is not None and id in said]

    async def decide(self, guild_id: Snowflake, person: Person, letter_id: LetterId, *, post: bool) -> str:
        """Post a held message after all, behind what waits in its room, or discard it; raises NotFound, Rejected."""
        check_manages(person)
        async with self._changing(guild_id, person) as (community, write):
            letter, message = await self._waiting(guild_id, write, community, letter_id)
            now = self._clock.now()
            await write.update_letter(community.id, letter.id, LetterState.FAILED, at=now)
            what = f"{'approve' if post else 'discard'}: {_about(letter_id)}"
            done = Audit(by=Actor.person(person).in_words(), what=what, agent_id=message.sender.agent_id, at=now)
            if not post:
                await write.apply(community.id, [done])
                return "The message is discarded: nobody will see it."
            id = MessageId(write.ids.take("message"))
            again = Say(
                message_id=id,
                room_id=letter.room_id,
                sender=message.sender,
                content=message.content,
                type=message.type,
                sent_at=now,
                reply_to=message.reply_to,
                tokens=message.tokens,
            )
            await write.keep(community.id, let_through(id), True)
            await write.apply(community.id, [again, done])
        self._on_done()
        return "The message is posted."

    async def _waiting(
        self, guild_id: Snowflake, write: Writing, community: Community, letter_id: LetterId
    ) -> tuple[Letter, Message]:
        """Find a held letter and its message; raises NotFound with who has decided already."""
        for letter in await write.held(community.id):
            if letter.id == letter_id and letter.message_id is not None:
                said = await write.messages_by_id(community.id, [letter.message_id])
                if letter.message_id in said:
                    return letter, said[letter.message_id]
        first = await self._who_was_first(guild_id, _about(letter_id), DECIDED)
        raise NotFound(f"This message waits no longer: {first or 'it was deleted, or decided long ago.'}")


def _about(letter_id: LetterId) -> str:
    return f"held message {letter_id}."
