"""What tests prepared: answers, faults, and the record of what was asked."""

import random
import re
import reprlib
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, get_args

from bot.core.hud.formats.document import Document
from bot.core.records import Json
from bot.standin.completion import Shape
from bot.standin.faults import Fault
from bot.standin.problems import bad_request
from bot.standin.question import Question
from bot.standin.usage import PromptCache, Usage

KEPT_CALLS = 1_000
KEPT_CHARACTERS = 20_000_000  # of all calls together, but for the newest
RULE_FIELDS = ("kind", "probability", "seed", "count")


@dataclass(slots=True, kw_only=True)
class Step:
    """One prepared turn: whom it is for, what to answer, how slowly, and what to spoil.

    `times` is how often it may still be used; None is without end.
    """

    match: str | None = None
    answer: str | Document | None = None
    delay_seconds: float = 0.0
    fault: Fault | None = None
    times: int | None = 1
    retry_after_seconds: float = 1.0
    timeout_seconds: float = 3_600.0
    incomplete: bool = True

    def fits(self, text: str) -> bool:
        if self.times is not None and self.times <= 0:
            return False
        if self.match is None or self.match in text:
            return True
        try:
            return re.search(self.match, text) is not None
        except re.error:
            return False


NOTHING_PREPARED = Step(times=None)


@dataclass(slots=True, kw_only=True)
class FaultRule:
    """A fault that strikes by chance, at most `count` times (None: without end)."""

    step: Step
    probability: float
    count: int | None
    random: random.Random

    def strikes(self) -> bool:
        if self.count is not None and self.count <= 0:
            return False
        hit = self.random.random() < self.probability
        if hit and self.count is not None:
            self.count -= 1
        return hit


@dataclass(slots=True, kw_only=True)
class Call:
    """One request as far as it is shown, and what became of it."""

    id: str
    asked: Shape
    at: datetime
    fault: Fault | None = None
    usage: Usage | None = None
    answer: str | None = None

    def shown(self) -> Shape:
        usage = self.usage
        counted = usage and {
            "input_tokens": usage.input_tokens,
            "cached_tokens": usage.cached_tokens,
            "output_tokens": usage.output_tokens,
        }
        return {
            "id": self.id,
            "when": self.at.isoformat(),
            **self.asked,
            "fault": self.fault,
            "answer": self.answer,
            "usage": counted,
        }

    @property
    def characters(self) -> int:
        """How much of the record it takes, about."""
        return sum(len(one) for one in (*self.asked.values(), self.answer) if isinstance(one, str))


@dataclass(slots=True)
class Script:
    """The state of one scripted model; in memory, gone with the process."""

    steps: list[Step] = field(default_factory=list)
    rules: list[FaultRule] = field(default_factory=list)
    calls: deque[Call] = field(default_factory=lambda: deque(maxlen=KEPT_CALLS))
    cache: PromptCache = field(default_factory=PromptCache)

    def step_for(self, text: str) -> Step:
        """The first prepared step that fits (used up by one), else a fault by chance, else nothing."""
        for step in self.steps:
            if step.fits(text):
                if step.times is not None:
                    step.times -= 1
                return step
        struck = next((rule for rule in self.rules if rule.strikes()), None)
        return struck.step if struck else NOTHING_PREPARED

    def record(self, request_id: str, question: Question) -> Call:
        call = Call(id=request_id, asked=shown_of(question), at=datetime.now(UTC))
        self.calls.append(call)
        left = sum(one.characters for one in self.calls) - KEPT_CHARACTERS
        while left > 0 and len(self.calls) > 1:
            left -= self.calls.popleft().characters
        return call


def shown_of(question: Question) -> Shape:
    """What is recorded of a question: not its body, which may be many times as large in memory."""
    return {
        "endpoint": question.endpoint,
        "model": question.model,
        "input": question.text,
        "schema": question.schema_name,
        "stream": question.stream,
        "prompt_cache_key": question.cache_key,
        "temperature": question.body.get("temperature"),
    }


def read_steps(body: Json) -> list[Step]:
    """A list of steps, one step, or {"steps": [...]}."""
    if isinstance(body, dict) and isinstance(body.get("steps"), list):
        body = body["steps"]
    return [read_step(item) for item in (body if isinstance(body, list) else [body])]


def read_step(item: Json) -> Step:
    if not isinstance(item, dict):
        raise bad_request('A step is a JSON object such as {"answer": "hello"}.')
    known = sorted(Step.__dataclass_fields__)
    unknown = sorted(set(item) - set(known))
    if unknown:
        raise bad_request(f"A step has no '{unknown[0]}': it may have {', '.join(known)}.")
    if item.get("fault") is not None and item["fault"] not in get_args(Fault):
        raise bad_request(f"{reprlib.repr(item['fault'])} is no fault: use one of {', '.join(get_args(Fault))}.")
    for name in ("delay_seconds", "retry_after_seconds", "timeout_seconds"):
        check_number(item, name, least=0)
    check_number(item, "times", least=1)
    given: dict[str, Any] = item  # each field was looked at above
    return Step(**given)


def check_number(item: Document, name: str, *, least: float, most: float = 1e9) -> None:
    value = item.get(name)
    if value is not None and (not isinstance(value, int | float) or not least <= value <= most):
        raise bad_request(f"'{name}' must be a number from {least} to {most:g}, not {reprlib.repr(value)}.")


def read_rule(body: Json) -> FaultRule:
    if not isinstance(body, dict):
        raise bad_request('A fault is a JSON object such as {"kind": "rate_limit", "probability": 0.1}.')
    check_number(body, "probability", least=0, most=1)
    check_number(body, "count", least=1)
    options = {name: value for name, value in body.items() if name not in RULE_FIELDS}
    step = read_step(options | {"fault": body.get("kind"), "times": None})
    if step.fault is None and not step.delay_seconds:
        raise bad_request(f"'kind' must be one of {', '.join(get_args(Fault))}.")
    given: dict[str, Any] = body  # looked at above
    return FaultRule(
        step=step,
        probability=given.get("probability", 1.0),
        count=given.get("count"),
        random=random.Random(given.get("seed", 0)),  # noqa: S311
    )
