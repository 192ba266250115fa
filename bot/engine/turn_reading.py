"""A turn's answer is read, and looked at before it is a move: what is said in a scene is in others' views at once."""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from bot.core.actions import Play
from bot.core.answer_text import LONGEST_ANSWER, is_plain
from bot.core.answers import AgentAnswer, ParsedAnswer
from bot.core.config import CommunityConfig
from bot.core.errors import ModelError, TooMuch
from bot.core.kinds import OutputFormat
from bot.core.moderation import held_word
from bot.core.ports import Model, Workshop
from bot.core.records import AgentId, CommunityId
from bot.core.scenes.showing import Turn
from bot.core.turn_answers import SCENE_MOVE, parse_turn
from bot.engine.moderation import Objections

NOT_SAID = "That is not said here ({}): say something else, or nothing."


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReader:
    """Reads what agents answer on their turns."""

    workshop: Workshop
    objections: Objections

    async def read(
        self, community_id: CommunityId, text: str, turn: Turn, agent_id: AgentId, output_format: OutputFormat
    ) -> ParsedAnswer:
        """Read an answer; one that cannot be read in time is as good as none."""
        text = text[:LONGEST_ANSWER]
        parse = partial(
            parse_turn,
            agent_id=agent_id,
            scene_id=turn.scene_id,
            window=turn.window,
            is_over=bool(turn.outcome),
            watches=turn.watches,
            output_format=output_format,
        )
        if is_plain(text):
            return parse(text)
        try:
            return await self.workshop.done(community_id, parse, text)
        except TooMuch as error:
            return ParsedAnswer(unusable=frozenset({agent_id}), rejected=(error.sentence,))

    async def looked_at(
        self, community_id: CommunityId, parsed: ParsedAnswer, turn: Turn, config: CommunityConfig, model: Model
    ) -> ParsedAnswer:
        """Give an answer without a move whose words moderation would hold back: nobody could wait for it here."""
        why_not = partial(self._why_not, community_id, config=config, model=model)
        replies = {id_: await self._allowed(one, turn, why_not) for id_, one in parsed.replies.items()}
        return replace(parsed, replies=replies)

    async def _allowed(self, reply: AgentAnswer, turn: Turn, why_not: Callable[[str], Awaitable[str]]) -> AgentAnswer:
        words = "\n".join(words for one in reply.actions if isinstance(one, Play) for words in _words_of(one, turn))
        why = await why_not(words) if words else ""
        if not why:
            return reply
        kept = tuple(one for one in reply.actions if not isinstance(one, Play))
        return replace(reply, actions=kept, rejected=((SCENE_MOVE, NOT_SAID.format(why)), *reply.rejected))

    async def _why_not(self, community_id: CommunityId, words: str, *, config: CommunityConfig, model: Model) -> str:
        if word := held_word(words, config.held_words):
            return f"the word {word!r}"
        if not config.moderation_model:
            return ""
        try:
            return await self.objections.to(community_id, words, model, config.moderation_model)
        except ModelError:
            return "nobody can look at it now"


def _words_of(move: Play, turn: Turn) -> Iterator[str]:
    """Give the texts of a move; its other values are chosen from a list."""
    known = next((one for one in turn.moves if one.name == move.move), None)
    for one in known.parameters if known is not None else ():
        given = move.arguments.get(one.name)
        if one.what == "text" and isinstance(given, str):
            yield given
