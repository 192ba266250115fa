"""Answers are recorded before they are used, served again by request, and missed by name."""

import asyncio
from decimal import Decimal

import pytest

from bot.core.errors import ModelBusy
from bot.core.models import ModelAnswer, ModelCall
from bot.core.records import CommunityId, Usage
from bot.core.timelines.records import Answer, NodeId, TreeId, TreeKey
from bot.engine.timelines.answers import Record
from tests.engine.timelines.garden import Asked
from tests.fakes import ScriptedModel

KEY, NODE = TreeKey(CommunityId(1), TreeId(1)), NodeId(1)


class Kept(list[Answer]):
    """What was recorded."""

    async def record(self, key: TreeKey, node_id: NodeId, answer: Answer) -> None:
        self.append(answer)


def call(text: str) -> ModelCall:
    return ModelCall(
        model="m", instructions="", input=text, temperature=None, answer_tokens=9, schema=None, cache_key=""
    )


def record(kept: Kept, *script: object, only: bool = False) -> Record:
    house = Asked(ScriptedModel(script))  # type: ignore[arg-type]
    return Record(trees=kept, house=house, key=KEY, node_id=NODE, kept=tuple(kept), only=only)


async def test_what_was_answered_is_served_again_also_where_the_model_failed() -> None:
    kept = Kept()
    first = record(kept, "one", ModelBusy("Later.", retry_after_seconds=3))
    assert (await first.answer(call("a"))).text == "one"
    with pytest.raises(ModelBusy):
        await first.answer(call("b"))
    again = record(kept, only=True)
    assert (await again.answer(call("a"))).text == "one"
    with pytest.raises(ModelBusy, match="Later") as failed:
        await again.answer(call("b"))
    assert failed.value.retry_after_seconds == 3
    assert again.usd == first.usd > 0


async def test_a_call_that_is_not_in_the_record_is_named_and_nobody_is_asked() -> None:
    kept = Kept([Answer(call=1, request="other", answer=ModelAnswer(text="", usage=Usage(cost_usd=Decimal(1))))])
    again = record(kept, "never", only=True)
    with pytest.raises(asyncio.CancelledError):
        await again.answer(call("a"))
    assert again.differs == "Call 1 asks otherwise than it did."
    assert len(kept) == 1
