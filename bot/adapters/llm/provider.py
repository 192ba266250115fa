"""One model server: its queue, circuit breakers, and what is found out about it and its models."""

import asyncio
import hashlib
import time
from asyncio import Lock
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Protocol, TypeVar

import httpx2
import structlog

from bot.adapters.llm import openai_line
from bot.adapters.llm.breakers import BREAK_AFTER_FAILURES, BREAK_SECONDS, MOST_FAILING, OpenedState, breakers
from bot.adapters.llm.claude import ClaudeLine
from bot.adapters.llm.faults import Blame, Declined, Untaken, as_model_error, declined, untaken
from bot.adapters.llm.gemini import GeminiLine
from bot.adapters.llm.ladder import TRIALS, Known, Ladder, Rung, Seen, is_held, is_words, only_thinks, trial
from bot.adapters.llm.listening import Patience, Pieces, heard
from bot.adapters.llm.looks import Looks
from bot.adapters.llm.openai_line import OpenAiLine
from bot.adapters.llm.pictures import PictureTurns, as_taken
from bot.adapters.llm.queue import Overlaps, Place, Queue
from bot.core.errors import AskedAnew, ModelBusy, ModelError, ModelRefused, ModelUnreachable
from bot.core.key_redaction import KeyRedactor
from bot.core.models import Api, ModelAnswer, ModelCall, VoiceMessage
from bot.core.ports import Store
from bot.core.records import Json, Usage
from bot.core.spending import added, together
from bot.tokens import tokenizer_for

T = TypeVar("T")
LEFT_ALONE_SECONDS, LEFT_ALONE_AT_MOST_SECONDS = 60.0, 900.0  # a model that has a spare, each time it fails
CALLS_AT_ONCE: Final = 8  # where neither a setting nor the server says how many
# What comes of what a server says that is no model:
MALFORMED = AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError
SECRET_CHARACTERS = 8  # a shorter key is a word such as none, for servers that take any
KEY_IS_IN: Final[Mapping[Api, str]] = {
    "responses": "check OPENAI_API_KEY",
    "chat": "check OPENAI_API_KEY",
    "anthropic": "check ANTHROPIC_API_KEY",
    "gemini": "check GEMINI_API_KEY",
}
SETUP = "set it anew with `/setup provider`"
NEAR: Final = "http://localhost"

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderOptions:
    """One model server. `name` is the prefix in model names, empty for the first one; a `free` one has no prices.

    `own`: it is a community's, which is told to mend it where it set it up. `near`: it stands in this machine's own
    network, where a model may have no price. `imaginary`: what it costs is only shown, and nobody pays.
    """

    name: str
    base_url: str | None
    api_key: str = field(repr=False)
    api: Api = "responses"
    structured: bool = True
    free: bool = False
    own: bool = False
    near: bool = False
    imaginary: bool = False

    @property
    def is_paid(self) -> bool:
        """Whether the installation pays real money for its calls."""
        return not (self.own or self.free or self.imaginary)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long a server is waited for (between words, and for all of an answer), and how often it is asked again.

    `calls_at_once`: None is what the server turns out to do, at most 8.
    """

    silence_seconds: float = 60
    total_seconds: float = 300
    calls_at_once: int | None = None
    retries: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Where is kept over restarts what was found out about a server; `name` tells whose it is."""

    store: Store
    name: str

    async def read(self) -> Mapping[str, Json]:
        """Give what was kept."""
        async with self.store.reading() as read:
            found = await read.notes.find(None, self.name)
        return found if isinstance(found, dict) else {}

    async def keep(self, found: Mapping[str, Json]) -> None:
        """Keep it."""
        async with self.store.writing() as write:
            await write.notes.keep(None, self.name, dict(found))


class Line(Protocol):
    """How one vendor's servers are spoken to. `errors` are its library's, `broken` those of a stream that broke off."""

    errors: tuple[type[Exception], ...]
    broken: tuple[type[Exception], ...]

    @property
    def address(self) -> str:
        """Where it is, for people."""

    @property
    def is_known(self) -> bool:
        """Whether nothing has to be found out about it."""

    def pieces(self, model: str, call: ModelCall, known: Known, place: int | None) -> Pieces:
        """Ask; gives the answer as it comes."""

    async def objection(self, model: str, text: str) -> str:
        """Ask a moderation model."""

    async def hear(self, model: str, voice: VoiceMessage) -> ModelAnswer:
        """Ask a transcription model."""

    async def seen(self, model: str) -> Seen:
        """Look what the server tells of itself."""

    async def close(self) -> None:
        """Close all connections."""


class Provider:
    """One server with a queue, and circuit breakers; `transport` is the way to a community's own.

    Whoever asks (`whose`) has a breaker for each model: what one community makes fail rests for no other. Without
    a `memory` nothing is found out by asking, only by what real answers show.
    """

    def __init__(
        self,
        options: ProviderOptions,
        pace: Pace | None = None,
        *,
        transport: httpx2.AsyncBaseTransport | None = None,
        memory: Memory | None = None,
    ) -> None:
        self._pace = pace or Pace()
        self.options = options
        self._line: Line = _line(options, self._pace, transport)
        self._queue = Queue(self._pace.calls_at_once or CALLS_AT_ONCE)
        self._overlaps = Overlaps()
        self._pictures = PictureTurns()
        self._breakers = breakers()
        self._ladder = Ladder()
        self._looks = Looks()
        self._memory = memory
        self._recalled = memory is None
        self._recalling = Lock()
        # by who asks and the model: failures in a row, and until when a spare one answers
        self._failing: dict[tuple[str, str], tuple[int, float]] = {}
        self._calls = 0
        self._left = False

    @property
    def address(self) -> str:
        return self._line.address

    def known(self, model: str, whose: str = "") -> Known:
        """Give what is known of a model to those who ask: on a server for all, what others found out about it is not.

        For what one community asks for, a server may refuse, and others would be asked less well for it.
        """
        return self._ladder.of(model, self._learner(whose))

    def seen(self, model: str) -> Seen:
        """Give what the server told of itself when it was looked for a model."""
        return self._looks.of(model)

    def _learner(self, whose: str) -> str:
        return "" if self.options.own else whose

    def is_failing(self, model: str, whose: str = "") -> bool:
        """Tell whether a model failed them lately: then it is left to a spare one for a minute, and ever longer."""
        return time.monotonic() < self._failing.get((whose, model), (0, 0.0))[1]

    async def answer(self, model: str, call: ModelCall, whose: str = "") -> ModelAnswer:
        """Ask once the queue allows; raises ModelError's children."""
        try:
            answer = await self._answer(model, call, whose)
        except AskedAnew:
            raise
        except ModelError as error:
            if isinstance(error.__cause__, Declined):
                raise  # that lies in what was asked, and others ask for something else
            failures = self._failing.pop((whose, model), (0, 0.0))[0] + 1
            seconds = min(LEFT_ALONE_SECONDS * 2.0 ** (failures - 1), LEFT_ALONE_AT_MOST_SECONDS)
            self._failing[whose, model] = failures, time.monotonic() + seconds
            if len(self._failing) > MOST_FAILING:
                del self._failing[next(iter(self._failing))]
            raise
        self._failing.pop((whose, model), None)
        return answer

    async def _answer(self, model: str, call: ModelCall, whose: str) -> ModelAnswer:
        breaker = await self._breakers.get_breaker(f"{whose} {model}")
        try:
            pictures = self._pictures.of(call, whose, server=self._fetched_for)
            async with pictures as images, self._in_turn(call, whose) as place, breaker:
                started = time.monotonic()
                found_out = await self._found_out(model, call, whose)
                images = await as_taken(images, server=self._fetched_for) if images else ()
                try:
                    answer = await self._ask(model, replace(call, images=images), place, whose)
                except ModelError as error:
                    error.usage = error.usage and added(found_out, error.usage)
                    raise
                if self._turns_out_to_think(model, answer, whose):
                    why = f"{model!r} thinks before it writes: it is asked again with room for that."
                    raise AskedAnew(why, usage=together(found_out, answer.usage))
        except OpenedState as error:
            raise ModelUnreachable(
                f"{model!r} at {self.address} has failed {BREAK_AFTER_FAILURES} times and rests for a moment.",
                retry_after_seconds=BREAK_SECONDS,
            ) from error
        except AskedAnew:
            raise
        except ModelUnreachable:
            self._looks.spoil(model)  # it may come back as another one
            raise
        await self._remembered()
        usage = together(found_out, answer.usage)
        return replace(answer, usage=replace(usage, latency_seconds=time.monotonic() - started))

    async def listed(self) -> tuple[str, ...]:
        """Ask the server which models it has; none where it tells nothing."""
        return (await self._line.seen("")).names

    async def objection(self, model: str, text: str, whose: str = "") -> str:
        """Ask whether a text may be said; gives why not, and raises ModelError's children."""
        return await self._aside(model, text, whose, partial(self._line.objection, model, text), "moderation model")

    async def hear(self, model: str, voice: VoiceMessage, whose: str = "") -> ModelAnswer:
        """Ask what is said in a voice message; raises ModelError's children."""
        return await self._aside(model, "", whose, partial(self._line.hear, model, voice), "transcription model")

    async def _aside(self, model: str, text: str, whose: str, asking: Callable[[], Awaitable[T]], what: str) -> T:
        """Ask, once it is its turn, what is no call of an agent."""
        asked = ModelCall(
            model=model,
            instructions="",
            input=text,
            temperature=None,
            answer_tokens=0,
            schema=None,
            cache_key="",
            is_awaited=True,
        )
        async with self._in_turn(asked, whose):
            try:
                return await asking()
            except self._line.errors as error:
                raise as_model_error(error, self._blame(model, KeyRedactor())) from error
            except MALFORMED as error:
                raise ModelUnreachable(f"What answers at {self.address} is no {what}.") from error

    async def leave(self) -> None:
        """Take no more calls: the connections are closed now, or when the last call that runs is answered."""
        self._left = True
        if not self._calls:
            await self.close()

    async def close(self) -> None:
        """Close all connections, whatever runs."""
        await self._line.close()

    @asynccontextmanager
    async def _in_turn(self, call: ModelCall, whose: str) -> AsyncIterator[Place]:
        if self._left:
            raise ModelUnreachable("The model provider was changed just now: it is asked again by itself.")
        self._calls += 1
        try:
            most = self._pace.total_seconds
            async with AsyncExitStack() as held:
                place = await held.enter_async_context(self._queue.turn(call, seconds=most, whose=whose))
                if self._memory is not None:  # other processes may ask there as well
                    async with asyncio.timeout(most):
                        of = f"{self._memory.name} {self.address}"
                        await held.enter_async_context(self._memory.store.call_place(of, self._queue.at_once))
                yield place
        except TimeoutError as error:
            raise ModelBusy(f"The model at {self.address} is busy with other calls.") from error
        finally:
            self._calls -= 1
            if self._left and not self._calls:
                await self.close()

    @property
    def _fetched_for(self) -> str:
        """The address by which it is decided whether pictures are sent themselves: Gemini fetches none."""
        return NEAR if self.options.api == "gemini" else self.address

    @property
    def _patience(self) -> Patience:
        """How long an answer is waited for: a server that is near, or narrow, may read for minutes before a word."""
        pace = self._pace
        is_slow = self.options.near or self.options.free or self._queue.at_once == 1
        first = pace.total_seconds if is_slow else 2 * pace.silence_seconds
        return Patience(first_seconds=first, silence_seconds=pace.silence_seconds, total_seconds=pace.total_seconds)

    async def _ask(self, model: str, call: ModelCall, place: Place | None, whose: str) -> ModelAnswer:
        """Ask the server; what it turns out not to take is left out from then on."""
        known = self.known(model, whose)
        call = replace(call, wants_json=call.wants_json and self.options.structured and known.rung == "json")
        if not known.temperature:
            call = replace(call, temperature=None)
        call.on_sent()
        try:
            answer = await self._heard(model, call, known, place)
        except TimeoutError as error:
            sentence = f"The model at {self.address} took too long to answer: it is asked again by itself."
            raise ModelUnreachable(sentence, unsure=True) from error
        except self._line.errors as error:
            if self._does_without(model, call, untaken(error, call), self._learner(whose)):
                return await self._ask(model, call, place, whose)
            raise as_model_error(error, self._blame(model, call.redactor)) from error
        except Declined as error:
            raise declined(error, self._blame(model, call.redactor)) from error
        except MALFORMED as error:
            log.warning("an answer could not be read", address=self.address, model=model, exc_info=True)
            sentence = f"What answers at {self.address} is no model: check the address."
            raise ModelUnreachable(sentence, unsure=True) from error
        self._learn(model, call, answer, self._learner(whose))
        return answer

    async def _heard(self, model: str, call: ModelCall, known: Known, place: Place | None) -> ModelAnswer:
        loop = asyncio.get_running_loop()
        run = self._overlaps.sent(loop.time())
        seen, is_wide = self.seen(model), self._queue.at_once > 1
        is_placed = place is not None and seen.is_placed and is_wide and place.number < (seen.places or 0)
        number = place.number if place is not None and is_placed else None
        try:
            return await heard(
                self._line.pieces(model, call, known, number),
                self._patience,
                answer_tokens=call.answer_tokens,
                broken=self._line.broken,
                on_word=lambda: self._overlaps.spoke(run, loop.time()),
            )
        finally:
            self._overlaps.ended(run, loop.time())
            options = self.options  # of a server for all, times that anybody can bring about tell nothing
            may_be = (options.own or options.near or options.free) and not seen.places
            if may_be and self._overlaps.is_narrow and self._pace.calls_at_once is None:
                self._queue.resize(1)

    def _does_without(self, model: str, call: ModelCall, untaken: Untaken | None, whose: str) -> bool:
        """Keep what a server does not take; tells whether the same call can be asked without it."""
        match untaken:
            case "temperature" if call.temperature is not None:
                self._ladder.without_temperature(model, whose)
            case "length" if self._ladder.of(model, whose).both_lengths:
                self._ladder.without_both_lengths(model, whose)
            case "stream" if self._ladder.of(model, whose).stream:
                self._ladder.without_stream(model, whose)
            case "form" if call.schema is not None:
                self._ladder.stands(model, "json", whose)
                raise AskedAnew(f"{model!r} takes no schema: it is asked again in words.")
            case "form" if call.wants_json:
                self._ladder.stands(model, "words", whose)
            case _:
                return False
        return True

    def _learn(self, model: str, call: ModelCall, answer: ModelAnswer, whose: str) -> None:
        """Go a rung down when the server took a form and did not hold the model to it."""
        if not is_words(answer.text):
            return
        if call.schema is not None:
            log.info("a schema was ignored: the form is said in words from now on", address=self.address, model=model)
            self._ladder.stands(model, "json", whose)
        elif call.wants_json:
            self._ladder.stands(model, "words", whose)

    def _turns_out_to_think(self, model: str, answer: ModelAnswer, whose: str) -> bool:
        """Keep that a model thinks whose answer ended before it began; tells whether that was not known yet."""
        known = self.known(model, whose)
        if known.thinks or not only_thinks(answer):
            return False
        self._ladder.thinks(model, self._learner(whose))
        return True

    async def _found_out(self, model: str, call: ModelCall, whose: str) -> Usage:
        """Find out what server and model take before they are first asked; gives what that used.

        Raises AskedAnew for a call that was written for what turned out not to be so.
        """
        if self._memory is None:
            return Usage()
        async with self._looks.alone(model):  # whoever asks for another model waits for nobody here
            is_new = await self._look(model)
            used, thought = Usage(), self.known(model, whose).thinks
            if not self._line.is_known and (call.schema is not None or call.wants_json) and self.options.structured:
                used = await self._tried(model)
            await self._remembered()
        known = self.known(model, whose)
        is_otherwise = known.thinks != thought or (call.schema is not None and known.rung != "schema")
        if is_otherwise or (is_new and not self._holds(model, call)):
            raise AskedAnew(f"{model!r} is asked anew, as it turned out to take less.", usage=used)
        return used

    def _holds(self, model: str, call: ModelCall) -> bool:
        """Tell whether a call fits into what the server says it holds."""
        tokens, most = tokenizer_for(model).count(call.instructions + call.input), self.seen(model).context_tokens
        return most is None or tokens + call.answer_tokens <= most

    async def _look(self, model: str) -> bool:
        """Look who answers there: at first, after it failed, and now and then; another one is known nothing of.

        Tells whether it was looked now.
        """
        if self._looks.is_fresh(model):
            return False
        await self._recall()
        seen = await self._line.seen(model)
        whose = f"{self.address} {self.options.api} {self.options.api_key} {seen.mark}"
        self._ladder.belongs(model, hashlib.sha256(whose.encode()).hexdigest()[:16])
        self._looks.keep(model, seen)
        if seen.places and self._pace.calls_at_once is None:
            self._queue.resize(min(seen.places, CALLS_AT_ONCE))
            log.info("a server tells how many calls it does at once", address=self.address, calls=self._queue.at_once)
        return True

    async def _recall(self) -> None:
        async with self._recalling:
            if self._memory is not None and not self._recalled:
                self._ladder.remember((await self._memory.read()).get("models"))
                self._recalled = True

    async def _tried(self, model: str) -> Usage:
        """Find out on which rung a model stands by asking it a small question in each form; gives what that used."""
        used = Usage()
        if self._ladder.of(model).since:
            return used
        for rung, question, chat in TRIALS:
            if chat and self.options.api != "responses":
                continue
            self._ladder.stands(model, rung, chat=chat)
            try:
                answer, tokens = await self._tried_on(model, rung, question)
            except AskedAnew:
                continue
            except ModelRefused:
                if not chat:
                    raise
                continue  # it has no Chat Completions
            used = added(used, tokens)
            if is_held(answer.text) or only_thinks(answer):  # of such a one real answers show more
                break
            self._ladder.stands(model, "words")
        rung = self._ladder.of(model).rung
        log.info("it was found out how far a model is held to a form", address=self.address, model=model, rung=rung)
        return used

    async def _tried_on(self, model: str, rung: Rung, question: str) -> tuple[ModelAnswer, Usage]:
        """Ask a small question, and once more with more room where a model only thought; gives also what that used."""
        asked = trial(model, rung, question, thinks=self._ladder.of(model).thinks)
        answer = await self._ask(model, asked, None, "")
        if not self._turns_out_to_think(model, answer, ""):
            return answer, answer.usage
        longer = await self._ask(model, trial(model, rung, question, thinks=True), None, "")
        return longer, added(answer.usage, longer.usage)

    async def _remembered(self) -> None:
        if self._memory is not None and self._ladder.is_new and self._recalled:
            await self._memory.keep({"models": self._ladder.told()})

    def _blame(self, model: str, redactor: KeyRedactor) -> Blame:
        """Give whom a fault is laid to; what a server repeats of our key and of rooms' keys is hidden."""
        key = self.options.api_key
        redactor = redactor | [key] if len(key) >= SECRET_CHARACTERS else redactor
        if self.options.own:
            return Blame(self.address, model, SETUP, SETUP, redactor)
        return Blame(self.address, model, key_is_in=KEY_IS_IN[self.options.api], redactor=redactor)


def _line(options: ProviderOptions, pace: Pace, transport: httpx2.AsyncBaseTransport | None) -> Line:
    url, key, seconds = options.base_url, options.api_key, pace.total_seconds
    http = openai_line.stranger(transport, key) if options.own else openai_line.of_ours()
    if options.api == "anthropic":
        return ClaudeLine(base_url=url, api_key=key, seconds=seconds, http=http)
    if options.api == "gemini":
        return GeminiLine(base_url=url, api_key=key, seconds=seconds, http=http)
    return OpenAiLine(api=options.api, base_url=url, api_key=key, seconds=seconds, retries=pace.retries, http=http)
