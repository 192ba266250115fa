"""What goes wrong at a provider, in the words of our own errors."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Literal

import httpx2
import openai

from bot.adapters.llm.guard import AddressRefused, AnswerRefused
from bot.core.errors import ModelBusy, ModelError, ModelRefused, ModelUnreachable
from bot.core.key_redaction import KeyRedactor
from bot.core.models import ModelCall
from bot.core.records import Usage
from bot.core.splitting import sound

LONGEST_REST_SECONDS = 3_600.0  # whatever a server asks for
MOST_QUOTED = 300
PASSING = frozenset({408, 409, 425})  # it may take the same request the next time
GATEWAYS = frozenset({502, 504, 520, 524})  # which lost an answer: the model behind them may have given it


Untaken = Literal["form", "temperature", "length", "stream"]
NAMES_OF: Mapping[Untaken, tuple[str, ...]] = {  # as vendors call what they do not take
    "temperature": ("temperature",),
    "form": (
        *("response_format", "json_schema", "text.format"),
        *("output_config", "output_format", "schema", "tool_choice", "response_mime_type"),
    ),
    "length": ("max_tokens", "max_completion_tokens"),
    "stream": ("stream",),
}

OF_SCHEMAS = ("union types", "optional parameters", "grammar", "too complex", "output_config", "response_json_schema")
"""What vendors say of a schema that they do not take: words that they repeat from nobody."""


class Declined(Exception):
    """The model would not answer, and said why."""

    def __init__(self, said: str, usage: Usage) -> None:
        super().__init__()
        self.said = said
        self.usage = usage


class Told(Exception):
    """What another vendor's server said: a status as HTTP has it (0: none), its words, and when to come back."""

    def __init__(self, status: int, said: str, retry_after: float | None = None) -> None:
        super().__init__(said)
        self.status = status
        self.said = said
        self.retry_after = retry_after


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


def as_model_error(error: Exception, at: Blame) -> ModelError:
    """Word a provider's error in one sentence that says what to do."""
    match error:
        case AnswerRefused():
            return ModelRefused(str(error), unsure=True)
        case AddressRefused():
            return ModelRefused(str(error))
        case openai.APIConnectionError() | Lost() | httpx2.HTTPError():
            return ModelUnreachable(_unheard(error, at), unsure=not _never_came(error))
        case openai.APIError(code="insufficient_quota"):
            return _by_status(Told(402, error.message), at)
        case openai.APIError(code="rate_limit_exceeded" | "model_not_found" as code):
            status = 404 if code == "model_not_found" else 429
            return _by_status(Told(status, error.message, _retry_after(error)), at)
        case openai.APIStatusError():
            return _by_status(Told(error.status_code, _said(error), _retry_after(error)), at)
        case Told():
            return _by_status(error, at)
        case _:
            sentence = f"The provider at {at.address} did not answer usefully ({type(error).__name__})."
            return ModelUnreachable(sentence, unsure=True)


def _by_status(told: "Told", at: Blame) -> ModelError:
    """Word what a server said by the status it came with."""
    match told.status:
        case 402:
            return ModelRefused(f"There is no credit left at {at.address}: top it up with the provider.")
        case 429:
            sentence = f"The provider at {at.address} is asked too often."
            return ModelBusy(sentence, retry_after_seconds=told.retry_after)
        case 529:
            sentence = f"The provider at {at.address} has too much to do: it is asked again by itself."
            return ModelBusy(sentence, retry_after_seconds=told.retry_after)
        case 401 | 403:
            return ModelRefused(f"The provider at {at.address} does not take the key: {at.key_is_in}.")
        case 404:
            return ModelRefused(
                f"The provider at {at.address} has no model {at.model!r}: name another (/agent edit, /setup model)."
            )
        case status if 400 <= status < 500 and status not in PASSING:
            said = _quoted(told.said, at)
            return ModelRefused(f"The provider at {at.address} does not take the request for {at.model!r}: {said}")
        case status if status >= 500:
            sentence = f"The provider at {at.address} has a fault: it is asked again by itself."
            return ModelUnreachable(sentence, unsure=status in GATEWAYS)
        case status:
            sentence = f"The provider at {at.address} did not answer usefully ({status or 'its answer broke off'})."
            return ModelUnreachable(sentence, unsure=not status)


def _unheard(error: Exception, at: Blame) -> str:
    if isinstance(error, openai.APITimeoutError) or isinstance(_cause(error), httpx2.TimeoutException):
        return f"The model at {at.address} took too long to answer: it is asked again by itself."
    if isinstance(error, Lost):
        return f"The line to the model at {at.address} broke: it is asked again by itself."
    return f"No model answers at {at.address}: start it, or {at.address_is_in}."


def _never_came(error: Exception) -> bool:
    """Tell whether the request cannot have reached the server, so that it cost nothing."""
    return isinstance(_cause(error), httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout)


def _cause(error: Exception) -> BaseException | None:
    return error if isinstance(error, httpx2.HTTPError) else error.__cause__


def untaken(error: Exception, call: ModelCall) -> Untaken | None:
    """Tell what of a request a server does not take, so that it is left out from then on; None: something else.

    What it names as parameter or code counts. Of its other words only those that do not stand in what was sent: a
    server may repeat what people and models said, and the address of a picture, which has the name that somebody gave.
    """
    sent = "\n".join([call.input, *(one for one in call.images if not one.startswith("data:"))])
    match error:
        case (
            openai.BadRequestError(param=str(param), code=code)
            | openai.UnprocessableEntityError(param=str(param), code=code)
        ) if param:
            return _named(f"{param} {code}")
        case openai.BadRequestError(code=code) | openai.UnprocessableEntityError(code=code):
            return _named(str(code)) or _named(error.message, sent)
        case Told(status=400):
            is_schema = call.schema is not None and any(one in error.said.lower() for one in OF_SCHEMAS)
            return "form" if is_schema else _named(error.said, sent)
        case _:
            return None


def _named(said: str, sent: str = "") -> Untaken | None:
    said, sent = said.lower(), sent.lower()
    found = (what for what, names in NAMES_OF.items() if any(name in said and name not in sent for name in names))
    return next(found, None)


def declined(error: Declined, at: Blame) -> ModelRefused:
    """Word why a model would not answer."""
    sentence = f"The model declined to answer: {_quoted(error.said, at)}"
    return ModelRefused(sentence, usage=error.usage, unsure=not (error.usage.input_tokens or error.usage.output_tokens))


def _said(error: openai.APIStatusError) -> str:
    """Give a server's own words; the library's are Python's, in which no key is found again."""
    match error.body:
        case {"message": str(said)} | str(said):
            return said
        case _:
            return json.dumps(error.body)


def _quoted(said: str, at: Blame) -> str:
    """Give what a server said, without keys and as far as it fits into a sentence."""
    text = " ".join(at.redactor.beginning(sound(said), MOST_QUOTED).split())
    return text if len(said) <= MOST_QUOTED else f"{text}…"


def _retry_after(error: openai.APIError) -> float | None:
    return (
        asked_for(error.response.headers.get("retry-after", "")) if isinstance(error, openai.APIStatusError) else None
    )


def asked_for(said: str) -> float | None:
    """Give how many seconds a server asks to be left alone; None when it says nothing useful."""
    try:
        seconds = float(said)
    except ValueError:
        return None
    return min(seconds, LONGEST_REST_SECONDS) if isfinite(seconds) and seconds > 0 else None
