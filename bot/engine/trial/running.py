"""A trial from its first question to its card."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from bot.core.config import Manner
from bot.core.errors import ModelError, ModelUnreachable
from bot.core.kinds import Detail, InputFormat
from bot.core.ports import Model, ModelCall
from bot.core.records import Usage
from bot.core.spending import added
from bot.engine.purse import as_told
from bot.engine.trial.card import AT_ONCE, Card, better
from bot.engine.trial.phrases import LANGUAGES
from bot.engine.trial.situations import PROBES, SITUATIONS, Situation
from bot.engine.trial.stage import Asked, Props, staged

COOL: Final = 0.2
MUTE_AT_MOST: Final = 3  # turns in a row without any answer: that says nothing of the model
SMALL_TOKENS: Final = 40
ONE_BY_ONE: Final = 1.6  # times as long as one, from which on two at once were done one after the other
Progress = Callable[[int, int, str], Awaitable[None]]


async def unheard(done: int, total: int, what: str) -> None:
    """Tell nobody how far a trial is."""


async def freely(used: Usage) -> bool:
    """Have a trial take what it takes."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be tried: `detail` AUTO finds out how the model is best asked; `only`: some situations, all if empty.

    `most_seconds`: after which what is left is left out.
    """

    name: str
    detail: Detail = Detail.AUTO
    languages: Sequence[str] = LANGUAGES
    only: Sequence[str] = ()
    temperature: float = 0.7
    input_format: InputFormat = InputFormat.TEXT
    most_seconds: float | None = None


@dataclass(slots=True)
class Trial:
    """Tries one model; `used` is all that it took so far, and `affords` tells whether it may take more than that."""

    props: Props
    model: Model
    affords: Callable[[Usage], Awaitable[bool]] = freely
    used: Usage = field(default_factory=Usage)

    async def run(self, wanted: Wanted, progress: Progress = unheard) -> Card:
        """Play every situation in every language; raises ModelError when the model does not answer at all."""
        begun = self.props.clock.now()
        await progress(0, 1, "asking whether it is there")
        at_once = await self._calls_at_once(wanted.name)
        asked = self._asked(wanted)
        if wanted.detail is Detail.AUTO:
            await progress(0, 1, "finding out how it is best asked")
            asked = await self._best(asked)
        until = None if wanted.most_seconds is None else begun + timedelta(seconds=wanted.most_seconds)
        card = await self._played(wanted, asked, progress, until)
        warm = None if asked.temperature == wanted.temperature else asked.temperature
        card.manner = Manner(detail=asked.detail, temperature=warm)
        card.calls_at_once = at_once
        card.is_held = self.model.takes_schema(wanted.name)
        return card

    def _asked(self, wanted: Wanted) -> Asked:
        return Asked(
            model=self.model,
            name=wanted.name,
            detail=wanted.detail,
            language=wanted.languages[0],
            temperature=wanted.temperature,
            input_format=wanted.input_format,
        )

    async def _played(self, wanted: Wanted, asked: Asked, progress: Progress, until: datetime | None) -> Card:
        """Play what is wanted, as far as there is time."""
        chosen = [one for one in SITUATIONS if self._is_tried(one, wanted)]
        card = self._card(asked, wanted.languages)
        card.situations = len(chosen)
        total = len(chosen) * len(wanted.languages)
        for place, (language, one) in enumerate((language, one) for language in wanted.languages for one in chosen):
            if (until is not None and self.props.clock.now() > until) or not await self.affords(self.used):
                card.cut_short = True
                break
            await progress(place, total, f"{one.name} ({language})")
            await self._play(card, one, replace(asked, language=language))
            if card.mute >= MUTE_AT_MOST:
                raise ModelUnreachable(f"{wanted.name} stopped answering at {one.name!r}: see to it, and try it again.")
        await progress(total, total, "done")
        return card

    def _is_tried(self, situation: Situation, wanted: Wanted) -> bool:
        if situation.needs_eyes and not self.model.sees_images(wanted.name):
            return False
        return not wanted.only or situation.name in wanted.only

    def _card(self, asked: Asked, languages: Sequence[str]) -> Card:
        known = self.model.price_is_known(asked.name)
        return Card(
            model=asked.name,
            at=self.props.clock.now(),
            languages=tuple(languages),
            price_is_known=known,
            coin=self.model.source.coin,
        )

    async def _play(self, card: Card, situation: Situation, asked: Asked) -> None:
        async with staged(self.props, asked, situation) as stage:
            try:
                for turn in situation.turns:
                    card.count(situation, turn, await stage.play(turn), asked.language)
            finally:
                self.used = added(self.used, await stage.spent())

    async def _best(self, asked: Asked) -> Asked:
        """Give how the model is best asked: all or little shown, and as warm as agents are, or cooler."""
        full, lean = [await self._probed(replace(asked, detail=one)) for one in (Detail.FULL, Detail.LEAN)]
        chosen = replace(asked, detail=better(full, lean))
        card = full if chosen.detail is Detail.FULL else lean
        if card.score == 1.0 or not self.model.takes_temperature(asked.name):
            return chosen
        cool = replace(chosen, temperature=COOL)
        return cool if (await self._probed(cool)).score > card.score else chosen

    async def _probed(self, asked: Asked) -> Card:
        card = self._card(asked, [asked.language])
        for situation in SITUATIONS:
            if situation.name in PROBES and await self.affords(self.used):
                await self._play(card, situation, asked)
        return card

    async def _calls_at_once(self, name: str) -> int:
        """Ask one small question, then two at once: a server that takes as long for each does one at a time."""
        await self._small(name)  # whatever is slow at first
        one = await self._small(name)
        begun = self.props.clock.now()
        for one_of_them in await asyncio.gather(self._small(name), self._small(name), return_exceptions=True):
            if isinstance(one_of_them, BaseException):
                raise one_of_them
        both = (self.props.clock.now() - begun).total_seconds()
        return 1 if both > one * ONE_BY_ONE and both > 1.0 else AT_ONCE

    async def _small(self, name: str) -> float:
        call = ModelCall(
            model=name,
            instructions="Answer with the numbers from one to ten, in words.",
            input="Count!",
            temperature=None,
            answer_tokens=SMALL_TOKENS,
            schema=None,
            cache_key="selfroom-trial",
        )
        begun = self.props.clock.now()
        most = self.model.list_price(name, input_tokens=2 * SMALL_TOKENS, output_tokens=SMALL_TOKENS)
        unknown = Usage(cost_usd=most, input_tokens=2 * SMALL_TOKENS, output_tokens=SMALL_TOKENS)
        used: Usage | None = None
        try:
            async with self.props.clock.timeout(self.props.call_seconds):
                used = as_told((await self.model.answer(call)).usage)
        except ModelError as error:
            used = error.usage
            raise
        except TimeoutError as error:
            raise ModelUnreachable(f"{name} took too long to answer: see to it, and try it again.") from error
        finally:
            self.used = added(self.used, used or unknown)  # of what nobody knows all counts
        return (self.props.clock.now() - begun).total_seconds()
