"""What goes wrong at a provider, in the words of our own errors."""

import json
from dataclasses import dataclass, field
from math import isfinite
from typing import Literal

import httpx2
import openai

from bot.adapters.llm.guard import AddressRefused, AnswerRefused
from bot.core.errors import ModelBusy, ModelError, ModelRefused, ModelUnreachable
from bot.core.key_redaction import KeyRedactor
from bot.core.records import Usage

LONGEST_REST_SECONDS = 3_600.0  # whatever a server asks for
MOST_QUOTED = 300
PASSING = frozenset({408, 409, 425})  # it may take the same request the next time
GATEWAYS = frozenset({502, 504, 520, 524})  # which lost an answer: the model behind them may have given it


Untaken = Literal["form", "temperature", "stream"]


class Declined(Exception):
    """The model would not answer, and said why."""

    def __init__(self, said: str, usage: Usage) -> None:
        super().__init__()
        self.said = said
        self.usage = usage


class Lost(openai.OpenAIError):
    """The line broke when the server may have taken the request. Not tried again: it would be paid for twice."""


@dataclass(frozen=True, slots=True)
class Blame:
    """Where a fault happened, and where key and address can be changed."""

    address: str
    model: str
    key_is_in: str = "check OPENAI_API_KEY"
    address_is_in: str = "change SELFROOM_OPENAI_BASE_URL"
    redactor: KeyRedactor = field(default_factory=KeyRedactor)  # for what a server repeats of keys


def as_model_error(error: openai.OpenAIError, at: Blame) -> ModelError:
    """Word a provider's error in one sentence that says what to do."""
    match error:
        case AnswerRefused():
            return ModelRefused(str(error), unsure=True)
        case AddressRefused():
            return ModelRefused(str(error))
        case openai.APIConnectionError() | Lost():
            return ModelUnreachable(_unheard(error, at), unsure=not _never_came(error))
        case openai.APIError(code="insufficient_quota"):
            return ModelRefused(f"There is no credit left at {at.address}: top it up with the provider.")
        case openai.RateLimitError() | openai.APIError(code="rate_limit_exceeded"):
            sentence = f"The provider at {at.address} is asked too often."
            return ModelBusy(sentence, retry_after_seconds=_retry_after(error))
        case openai.AuthenticationError() | openai.PermissionDeniedError():
            return ModelRefused(f"The provider at {at.address} does not take the key: {at.key_is_in}.")
        case openai.NotFoundError() | openai.BadRequestError(code="model_not_found"):
            return ModelRefused(
                f"The provider at {at.address} has no model {at.model!r}: name another (/agent edit, /setup model)."
            )
        case openai.APIStatusError() if 400 <= error.status_code < 500 and error.status_code not in PASSING:
            said = _quoted(_said(error), at)
            return ModelRefused(f"The provider at {at.address} does not take the request for {at.model!r}: {said}")
        case openai.InternalServerError():
            sentence = f"The provider at {at.address} has a fault: it is asked again by itself."
            return ModelUnreachable(sentence, unsure=error.status_code in GATEWAYS)
        case _:
            sentence = f"The provider at {at.address} did not answer usefully ({type(error).__name__})."
            return ModelUnreachable(sentence, unsure=not isinstance(error, openai.APIStatusError))


def _unheard(error: openai.OpenAIError, at: Blame) -> str:
    if isinstance(error, openai.APITimeoutError) or isinstance(error.__cause__, httpx2.TimeoutException):
        return f"The model at {at.address} took too long to answer: it is asked again by itself."
    if isinstance(error, Lost):
        return f"The line to the model at {at.address} broke: it is asked again by itself."
    return f"No model answers at {at.address}: start it, or {at.address_is_in}."


def _never_came(error: openai.OpenAIError) -> bool:
    """Tell whether the request cannot have reached the server, so that it cost nothing."""
    return isinstance(error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout)


def untaken(error: Exception) -> Untaken | None:
    """Tell what of a request a server does not take, so that it is left out from then on; None: something else."""
    if not isinstance(error, openai.BadRequestError | openai.UnprocessableEntityError):
        return None
    if "temperature" in (error.param or error.message.lower()):
        return "temperature"
    said = error.message.lower()
    if any(word in said for word in ("response_format", "json_schema", "text.format")):
        return "form"
    return "stream" if "stream" in said else None


def declined(error: Declined, at: Blame) -> ModelRefused:
    """Word why a model would not answer."""
    return ModelRefused(f"The model declined to answer: {_quoted(error.said, at)}", usage=error.usage)


def _said(error: openai.APIStatusError) -> str:
    """Give a server's own words; the library's are Python's, in which no key is found again."""
    match error.body:
        case {"message": str(said)} | str(said):
            return said
        case _:
            return json.dumps(error.body)


def _quoted(said: str, at: Blame) -> str:
    """Give what a server said, without keys and as far as it fits into a sentence."""
    text = " ".join(at.redactor.beginning(said, MOST_QUOTED).split())
    return text if len(said) <= MOST_QUOTED else f"{text}…"


def _retry_after(error: openai.APIError) -> float | None:
    said = error.response.headers.get("retry-after", "") if isinstance(error, openai.APIStatusError) else ""
    try:
        seconds = float(said)
    except ValueError:
        return None
    return min(seconds, LONGEST_REST_SECONDS) if isfinite(seconds) and seconds > 0 else None
