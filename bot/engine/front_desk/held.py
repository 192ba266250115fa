"""What moderation holds back, and what managers decide about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.core.actor import Actor
from bot.core.changes import Audit, Change, Say
from bot.core.errors import NotFound, Rejected
from bot.core.kinds import LetterKind, LetterState
from bot.core.moderation import IN_A_THREAD, let_stand, proposal_of, what_and_text
from bot.core.ports import Writing
from bot.core.records import AgentId, Community, Letter, LetterId, Message, MessageId, Person, Snowflake
from bot.core.view import Outline
from bot.engine.front_desk.office import Office, check_manages
from bot.engine.moderation import let_through
from bot.engine.posting import files_of

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
                return Decision(f"{'The message' if message is not None else 'It'} is discarded: nobody will see it.")
            if message is not None:
                changes = await _said_again(write, community, letter, message, now)
            else:
                changes = await _let_stand(write, community, letter, now)
            await write.apply(community.id, [*changes, done])
        self.office.on_done()
        told = "The message is posted as soon as Discord takes it." if message is not None else "It stands now."
        return Decision(told, ((letter.room_id, letter.kind),))

    async def _waiting(
        self, guild_id: Snowflake, write: Writing, community: Community, letter_id: LetterId
    ) -> tuple[Letter, Message | None]:
        """Find a held letter, and its message if it is one; raises NotFound with who has decided already."""
        for letter in await write.letters.held(community.id):
            if letter.id == letter_id and letter.message_id is None:
                return letter, None
            if letter.id == letter_id and letter.message_id is not None:
                said = await write.talk.by_id(community.id, [letter.message_id])
                if letter.message_id in said:
                    return letter, said[letter.message_id]
        first = await self.office.who_was_first(guild_id, _about(letter_id), DECIDED)
        raise NotFound(f"This message waits no longer: {first or 'it was deleted, or decided long ago.'}")


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


async def _let_stand(write: Writing, community: Community, letter: Letter, now: datetime) -> list[Change]:
    proposal = proposal_of(letter)
    view = await write.views.action_view(community.id, agent_ids=(), room_ids=[letter.room_id], doors=False)
    changes = let_stand(letter, proposal, view, now) if proposal is not None else []
    if not changes:
        raise Rejected("It cannot be done any more: another agent has that name by now. Discard it.")
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
