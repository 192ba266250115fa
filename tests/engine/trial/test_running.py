"""A model is tried through intake, heartbeat and performer as anywhere, on a stage that is gone afterwards."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from bot.adapters.clock import SystemClock
from bot.core.config import CommunityConfig
from bot.core.errors import ModelUnreachable
from bot.core.kinds import Detail
from bot.core.ports import ModelAnswer, ModelCall
from bot.core.records import Usage
from bot.engine.performer import Performer
from bot.engine.trial.phrases import LANGUAGES
from bot.engine.trial.running import Trial, Wanted
from bot.engine.trial.situations import PROBES, SITUATIONS, Aim
from bot.engine.trial.stage import Props
from storage.store import SqlStore
from tests.fakes import OpenBench, PlainCipher, ScriptedModel, SeededRandom, WordTokenizer

WHY = re.compile(r"why: .*? (?:spoke|says) to you in message (\d+)")


@asynccontextmanager
async def in_memory(config: CommunityConfig) -> AsyncIterator[SqlStore]:
    async with await SqlStore.open("sqlite://", config=config) as store:
        yield store


def props() -> Props:
    return Props(
        open_store=in_memory,
        performer=Performer(cipher=PlainCipher(), tokenizer=WordTokenizer()),
        clock=SystemClock(),
        random=SeededRandom(),
        cipher=PlainCipher(),
        workshop=OpenBench(),
    )


class Reads(ScriptedModel):
    """Answers each call by a function of it."""

    def __init__(self, answers: Callable[[ModelCall], str], *, one_by_one: bool = False) -> None:
        super().__init__()
        self._answers = answers
        self._turn = asyncio.Lock() if one_by_one else None

    async def answer(self, call: ModelCall) -> ModelAnswer:
        self.script.append(self._answers)
        if self._turn is None:
            return await super().answer(call)
        async with self._turn:
            await asyncio.sleep(0.6)  # a server that is slow
            return await super().answer(call)


def knowing(call: ModelCall) -> str:
    """Answer from what stands in the view, whatever is asked."""
    if not WHY.search(call.input):
        return json.dumps({"message": "", "responses": [], "actions": []})
    said = "I am Wren: Kestrel, 6:40, 112, Odile, tea, the red lantern."
    actions: list[dict[str, Any]] = []
    if found := re.search(r"\[(\d+) [^\]]*\] @rob: I have mended", call.input):
        actions = [{"type": "react", "message_id": int(found[1]), "reaction": "thumbs_up"}]
    rooms = re.findall(r"(?:spoke|says) to you in message \d+ in room (\d+)", call.input)
    said_there = [{"room_id": int(id), "message": said} for id in dict.fromkeys(rooms)]
    return json.dumps(
        {"message": said} | ({"responses": said_there} if len(said_there) > 1 else {}) | {"actions": actions}
    )


@pytest.mark.slow
async def test_a_model_is_tried_in_all_situations_and_languages() -> None:
    told: list[tuple[int, int]] = []

    async def progress(done: int, total: int, what: str) -> None:
        told.append((done, total))

    model = Reads(knowing)
    only = ("addressed", "recall 2", "two rooms at once", "not addressed", "thumbs", "a long room", "a thread")
    card = await Trial(props(), model).run(Wanted(name="gpt-4o-mini", detail=Detail.LEAN, only=only), progress)
    assert card.failed == [f"thumbs ({one}): not does what it is asked" for one in LANGUAGES[1:]]
    assert card.tried[Aim.ANSWERED] == 3 * 6 and card.tried[Aim.SILENT] == 3
    assert card.situations == len(only) and card.languages == LANGUAGES
    assert told[-1] == (3 * len(only), 3 * len(only))
    assert card.usage.input_tokens > 0 and card.manner.detail is Detail.LEAN
    assert any("language: Spanish" in call.input for call in model.calls)


@pytest.mark.slow
async def test_where_a_model_bears_only_little_it_is_shown_little() -> None:
    def overwhelmed(call: ModelCall) -> str:
        return knowing(call) if ">>> INSTRUCTIONS" not in call.instructions else "[[[["

    wanted = Wanted(name="tiny", languages=("English",), only=("addressed",))
    card = await Trial(props(), Reads(overwhelmed)).run(wanted)
    assert card.manner.detail is Detail.LEAN


async def test_pictures_are_shown_only_to_a_model_that_sees() -> None:
    for name, situations in (("tiny", 1), ("gpt-4o-mini", 2)):
        wanted = Wanted(name=name, detail=Detail.LEAN, languages=("English",), only=("addressed", "a picture"))
        assert (await Trial(props(), Reads(knowing)).run(wanted)).situations == situations


async def test_the_card_says_how_far_a_model_is_held_to_a_form() -> None:
    class Loose(Reads):
        def takes_schema(self, model: str) -> bool:
            return False

    wanted = Wanted(name="tiny", detail=Detail.LEAN, languages=("English",), only=("addressed",))
    card = await Trial(props(), Loose(knowing)).run(wanted)
    assert any(line.split(maxsplit=1)[0] == "structure" and "an example" in line for line in card.lines())


@pytest.mark.slow
async def test_a_model_that_does_better_cooler_is_asked_cooler() -> None:
    def hot(call: ModelCall) -> str:
        return knowing(call) if (call.temperature or 0) < 0.25 else json.dumps({"message": "Hm?", "actions": []})

    card = await Trial(props(), Reads(hot)).run(Wanted(name="tiny", languages=("English",), only=("recall 1",)))
    assert card.manner.temperature == 0.2
    assert card.passed[Aim.RECALL] == 1


@pytest.mark.parametrize(("one_by_one", "at_once"), [(True, 1), (False, 8)])
async def test_a_server_that_does_one_thing_at_a_time_is_found_out(one_by_one: bool, at_once: int) -> None:
    model = Reads(knowing, one_by_one=one_by_one)
    wanted = Wanted(name="tiny", detail=Detail.LEAN, languages=("English",), only=("addressed",))
    assert (await Trial(props(), model).run(wanted)).calls_at_once == at_once


async def test_when_there_is_no_more_time_the_card_says_that_it_was_cut_short() -> None:
    wanted = Wanted(name="tiny", detail=Detail.LEAN, languages=("English",), most_seconds=-1)
    card = await Trial(props(), Reads(knowing)).run(wanted)
    assert card.cut_short and card.lines()[0].endswith(", cut short")
    assert not card.tried


async def test_a_model_that_is_not_there_is_said_at_once() -> None:
    model = ScriptedModel([ModelUnreachable("No model answers there.")])
    with pytest.raises(ModelUnreachable, match="No model answers there"):
        await Trial(props(), model).run(Wanted(name="tiny"))


async def test_a_model_that_goes_away_is_said_and_gets_no_card() -> None:
    class Leaves(Reads):
        async def answer(self, call: ModelCall) -> ModelAnswer:
            if len(self.calls) > 6:
                raise ModelUnreachable("No model answers there.")
            return await super().answer(call)

    wanted = Wanted(name="tiny", detail=Detail.LEAN, languages=("English",))
    with pytest.raises(ModelUnreachable, match="tiny stopped answering at"):
        await Trial(props(), Leaves(knowing)).run(wanted)


async def test_what_a_call_that_gave_no_answer_may_have_cost_counts_among_what_a_trial_took() -> None:
    class Breaks(Reads):
        async def answer(self, call: ModelCall) -> ModelAnswer:
            if len(self.calls) > 6:
                raise ModelUnreachable("The line broke.", unsure=True)
            return await super().answer(call)

    trial = Trial(props(), Breaks(knowing))
    with pytest.raises(ModelUnreachable, match="stopped answering"):
        await trial.run(Wanted(name="tiny", detail=Detail.LEAN, languages=("English",)))
    assert trial.used.input_tokens > 10_000  # what was set aside for those


@pytest.mark.parametrize("detail", [Detail.LEAN, Detail.AUTO])
async def test_a_trial_goes_no_further_than_there_is_money(detail: Detail) -> None:
    async def little(used: Usage) -> bool:
        return used.input_tokens < 1_000

    model = Reads(knowing)
    trial = Trial(props(), model, little)
    card = await trial.run(Wanted(name="tiny", detail=detail, languages=("English",)))
    assert card.cut_short
    assert len(model.calls) < 10


async def test_a_first_question_that_is_never_answered_counts_in_full_among_what_a_trial_took() -> None:
    class Silent(ScriptedModel):
        async def answer(self, call: ModelCall) -> ModelAnswer:
            return await asyncio.Future()

    trial = Trial(replace(props(), call_seconds=0.01), Silent())
    with pytest.raises(ModelUnreachable, match="took too long"):
        await trial.run(Wanted(name="gpt-4o-mini"))
    assert trial.used.cost_usd > 0


def test_the_probes_are_few_and_of_every_sort() -> None:
    probed = [one for one in SITUATIONS if one.name in PROBES]
    assert len(probed) == len(PROBES) <= 6
    turns = [turn for one in probed for turn in one.turns]
    assert any(turn.is_silent for turn in turns) and any(turn.does for turn in turns)
