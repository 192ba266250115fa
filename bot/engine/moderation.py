"""Messages of agents are read before they are posted, where a community wants that (SPEC §10)."""

from bot.core.changes import AddLetter
from bot.core.errors import Limited, ModelError
from bot.core.kinds import LetterKind, LetterState, SenderKind
from bot.core.letters import NoticePayload
from bot.core.moderation import held_word
from bot.core.ports import Clock, Models, Store
from bot.core.records import Letter, Message, MessageId
from bot.core.view import View

AGAIN_SECONDS = 15.0
SHOWN = 1_500


def let_through(message_id: MessageId) -> str:
    """Give the name under which it is kept that a manager has approved a message."""
    return f"let through {message_id}"


class Moderation:
    """Holds letters back; without models only the community's own words count."""

    def __init__(self, store: Store, clock: Clock, models: Models | None = None) -> None:
        self._store = store
        self._clock = clock
        self._models = models

    async def holds(self, letter: Letter, message: Message, view: View) -> bool:
        """Hold a letter back if it must be, and tell the managers; raises Limited when nobody can tell now."""
        if message.sender.kind is not SenderKind.AGENT or letter.state is not LetterState.WAITING or letter.posted_as:
            return False
        why = await self._objection(message, view)
        if not why:
            return False
        async with self._store.writing(letter.community_id) as write:
            if await write.kept(letter.community_id, let_through(message.id)):
                return False
            now = self._clock.now()
            agent = view.agents.get(message.sender.agent_id) if message.sender.agent_id is not None else None
            name = agent.name if agent else "An agent"
            said = "\n".join(f"> {line}" for line in message.content[:SHOWN].splitlines())
            text = f"✋ {name} wants to say something that is held back ({why}):\n{said}"
            payload = NoticePayload(text=text, held=letter.id).stored()
            notice = AddLetter(kind=LetterKind.NOTICE, room_id=letter.room_id, payload=payload, not_before=now)
            await write.update_letter(letter.community_id, letter.id, LetterState.HELD, at=now)
            await write.apply(letter.community_id, [notice])
        return True

    async def _objection(self, message: Message, view: View) -> str:
        word = held_word(message.content, view.config.held_words)
        if word:
            return f"the word {word!r}"
        if not view.config.moderation_model or self._models is None:
            return ""
        async with self._store.reading() as read:
            model = await self._models.of(read, view.community)
        try:
            return await model.objection(view.config.moderation_model, message.content)
        except ModelError as error:
            seconds = error.retry_after_seconds or AGAIN_SECONDS
            raise Limited(f"Nobody can moderate now: {error.sentence}", retry_after_seconds=seconds) from error
