"""What agents want to be seen is read before it is, where a community wants that (docs/privacy.md#moderation)."""

import asyncio
from collections.abc import Sequence
from weakref import WeakValueDictionary

from bot.core.changes import AddLetter
from bot.core.errors import Limited, ModelError, ModelUnreachable
from bot.core.kinds import LetterKind, LetterState, SenderKind
from bot.core.letters import NoticePayload, Proposal
from bot.core.moderation import IN_A_THREAD, held_word, what_and_text
from bot.core.ports import Clock, Model, Models, Store
from bot.core.records import Agent, CommunityId, Letter, Message, MessageId
from bot.core.view import Roster

AGAIN_SECONDS = 15.0
PATIENCE_SECONDS = 60.0  # for one text, whatever a server does meanwhile
SHOWN = 1_500
READ_AT_ONCE = 20_000  # characters, of a file that is longer
ASKED_AT_ONCE = 8  # by one community


def let_through(message_id: MessageId) -> str:
    """Give the name under which it is kept that a manager has approved a message."""
    return f"let through {message_id}"


async def objection(model: Model, name: str, text: str, clock: Clock) -> str:
    """Ask a moderation model why a text may not be said, for so long at most; raises ModelError's children."""
    try:
        async with clock.timeout(PATIENCE_SECONDS):
            return await model.objection(name, text)
    except TimeoutError as error:
        why = f"{name} did not answer within {PATIENCE_SECONDS:.0f} s: try again, or name another model."
        raise ModelUnreachable(why, unsure=True) from error


class Moderation:
    """Holds letters back; without models only the community's own words count."""

    def __init__(self, store: Store, clock: Clock, models: Models | None = None) -> None:
        self._store = store
        self._clock = clock
        self._models = models
        self._asking: WeakValueDictionary[CommunityId, asyncio.Semaphore] = WeakValueDictionary()

    async def holds(self, letter: Letter, message: Message, files: Sequence[tuple[str, str]], view: Roster) -> bool:
        """Hold a letter back if it must be, and tell the managers; raises Limited when nobody can tell now."""
        if message.sender.kind is not SenderKind.AGENT or letter.state is not LetterState.WAITING or letter.posted_as:
            return False
        words = "\n".join([message.content, *(f"[file {name}]\n{text}" for name, text in files)])
        why = await self._objection(words, view)
        if not why:
            return False
        async with self._store.reading() as read:
            if await read.notes.find(letter.community_id, let_through(message.id)):
                return False
        agent = view.agents.get(message.sender.agent_id) if message.sender.agent_id is not None else None
        secluded = view.is_thread(view.all_rooms[letter.room_id].side)
        await self._hold(letter, agent, "say something", IN_A_THREAD if secluded else words, why)
        return True

    async def holds_proposal(self, letter: Letter, proposal: Proposal, view: Roster) -> bool:
        """Hold back what is not a message but will be seen as well; raises Limited when nobody can tell now."""
        what, text = what_and_text(proposal)
        why = await self._objection(text, view)
        if why:
            await self._hold(letter, view.agents.get(letter.room_id), what, text, why)
        return bool(why)

    async def _hold(self, letter: Letter, agent: Agent | None, what: str, words: str, why: str) -> None:
        now, name = self._clock.now(), agent.name if agent else "An agent"
        async with self._store.writing(letter.community_id) as write:
            said = "\n".join(f"> {line}" for line in words[:SHOWN].splitlines())
            text = f"✋ {name} wants to {what} that is held back ({why}):\n{said}"
            payload = NoticePayload(text=text, held=letter.id).stored()
            notice = AddLetter(kind=LetterKind.NOTICE, room_id=letter.room_id, payload=payload, not_before=now)
            await write.letters.move(letter.community_id, letter.id, LetterState.HELD, at=now)
            await write.apply(letter.community_id, [notice])

    async def _objection(self, text: str, view: Roster) -> str:
        word = held_word(text, view.config.held_words)
        if word:
            return f"the word {word!r}"
        if not view.config.moderation_model or self._models is None:
            return ""
        async with self._store.reading() as read:
            model = await self._models.of(read.providers, view.community)
        asking = self._asking.setdefault(view.community.id, asyncio.Semaphore(ASKED_AT_ONCE))
        try:
            async with asking:
                for start in range(0, max(1, len(text)), READ_AT_ONCE):
                    piece = text[start : start + READ_AT_ONCE]
                    if why := await objection(model, view.config.moderation_model, piece, self._clock):
                        return why
                return ""
        except ModelError as error:
            seconds = error.retry_after_seconds or AGAIN_SECONDS
            raise Limited(f"Nobody can moderate now: {error.sentence}", retry_after_seconds=seconds) from error
