"""From a question and a prepared step to what goes back: prepared words first, else the brain's."""

import json

from bot.core.hud.formats.document import Document
from bot.core.hud.values import entries
from bot.standin.brain import think
from bot.standin.completion import Completion
from bot.standin.faults import Outcome, spoilt
from bot.standin.plain import plain_answer
from bot.standin.question import Question
from bot.standin.reader import read_hud, words
from bot.standin.schema import Fitter
from bot.standin.script import Call, Script, Step
from bot.standin.usage import Usage, first_tokens, tokens_of


def words_for(question: Question, step: Step) -> str:
    """The answer's text. A prepared text goes out as it is; a prepared object only gains missing nulls."""
    fitter = Fitter(question.schema) if question.schema else None
    if isinstance(step.answer, str):
        return step.answer
    if step.answer is not None:
        return as_json(fitter.filled(step.answer) if fitter else step.answer)
    hud = read_hud(question.text)
    if hud is None:
        return plain_answer(question, fitter)
    answer = think(hud)
    if fitter is None:
        return as_json(answer)
    return as_json(fitter.fitted(in_one_room(answer) if "message" in fitter.schema.get("properties", {}) else answer))


def in_one_room(answer: Document) -> Document:
    """The answer where one message is asked for: what is said in the one room that is shown."""
    said = [words(one, "message") for one in entries(answer.get("responses"))]
    return {**answer, "message": " ".join(said)}


def as_json(answer: object) -> str:
    return json.dumps(answer, ensure_ascii=False)


def reply_to(question: Question, step: Step, script: Script, call: Call, reply_id: str) -> tuple[Completion, Outcome]:
    """The reply with its usage, which is noted on the call as well."""
    outcome = shortened(question, spoilt(words_for(question, step), step.fault, incomplete=step.incomplete))
    usage = Usage(
        input_tokens=tokens_of(question.prompt),
        cached_tokens=script.cache.cached_tokens(question.prompt, model=question.model, key=question.cache_key),
        output_tokens=tokens_of(outcome.refusal or outcome.text),
    )
    call.usage, call.answer = usage, outcome.refusal or outcome.text
    reply = Completion(
        question=question,
        text=outcome.text,
        refusal=outcome.refusal,
        incomplete=outcome.incomplete,
        usage=usage,
        id=reply_id,
    )
    return reply, outcome


def shortened(question: Question, outcome: Outcome) -> Outcome:
    """The outcome, cut where the asker's limit of output tokens ends it."""
    limit = question.max_output_tokens
    if limit is None or tokens_of(outcome.text) <= limit:
        return outcome
    cut = first_tokens(outcome.text, limit)
    return Outcome(text=cut, refusal=outcome.refusal, incomplete=True, hang_up=outcome.hang_up)
