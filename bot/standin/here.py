"""The scripted mind without a network: it answers a call as its endpoint would, for programs that have no server."""

from bot.core.models import ModelAnswer, ModelCall
from bot.core.records import Usage
from bot.standin.endpoint import shortened, words_for
from bot.standin.faults import spoilt
from bot.standin.question import Question
from bot.standin.script import NOTHING_PREPARED
from bot.standin.usage import PromptCache, tokens_of


class Here:
    """Answers one call after the other, and remembers the beginnings of prompts as a provider does."""

    def __init__(self) -> None:
        self._cache = PromptCache()

    def answer(self, call: ModelCall) -> ModelAnswer:
        """Give the answer with what it used, but for its price: the same for the same calls in the same order."""
        question = Question(
            endpoint="responses",
            model=call.model,
            text="\n".join(part for part in (call.instructions, call.input) if part),
            schema=None if call.schema is None else dict(call.schema),
            json_wanted=call.wants_json or call.schema is not None,
            cache_key=call.cache_key or None,
            max_output_tokens=call.answer_tokens,
        )
        said = shortened(question, spoilt(words_for(question, NOTHING_PREPARED), None, incomplete=False))
        usage = Usage(
            input_tokens=tokens_of(question.prompt),
            cached_tokens=self._cache.cached_tokens(question.prompt, model=call.model, key=question.cache_key),
            output_tokens=tokens_of(said.text),
        )
        return ModelAnswer(text=said.text, usage=usage, complete=not said.incomplete)
