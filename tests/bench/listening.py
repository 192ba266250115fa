"""A real chat as people's messages, and the models that benchmarks let agents speak with."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.core.due_times import EPOCH
from bot.core.ports import ModelAnswer, ModelCall, Tokenizer
from bot.core.records import Usage
from bot.tokens import tokenizer_for
from tests.bench.traces import FOLDER
from tests.engine.hearts import asked
from tests.fakes import ScriptedModel

TRACE = FOLDER / "ubuntu-2009-10-01.jsonl"
FIRST_PERSON = 1_000
SILENCE = '{"agents": []}'


@dataclass(frozen=True, slots=True)
class Line:
    """One message: seconds after the first, who by name and id, and what."""

    seconds: float
    who: str
    id: int
    text: str


def trace() -> Iterator[Line]:
    """Give the lines of the trace."""
    people: dict[str, int] = {}
    start: datetime | None = None
    for raw in TRACE.read_text(encoding="utf-8").splitlines():
        one = json.loads(raw)
        at = datetime.fromisoformat(one["t"]).replace(tzinfo=EPOCH.tzinfo)
        start = start or at
        id = people.setdefault(one["sender"], FIRST_PERSON + len(people))
        yield Line((at - start) / timedelta(seconds=1), one["sender"], id, one["text"])


class CountingModel(ScriptedModel):
    """Says nothing, and counts what it is shown with the real tokenizer."""

    def __init__(self) -> None:
        super().__init__()
        self.input_tokens = 0
        self.agents: list[int] = []

    async def answer(self, call: ModelCall) -> ModelAnswer:
        counter = self.tokenizer(call.model)
        tokens = counter.count(call.instructions) + counter.count(call.input)
        self.input_tokens += tokens
        self.agents.append(len(asked(call)))
        return ModelAnswer(text=SILENCE, usage=Usage(input_tokens=tokens, output_tokens=5))

    def tokenizer(self, model: str) -> Tokenizer:  # type: ignore[override]
        return tokenizer_for(model)
