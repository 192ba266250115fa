"""Look-ups of an agent that somebody waits for are answered within the beat, below the view in which it asked."""

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs

from bot.core.config import CommunityConfig
from bot.core.errors import ModelRefused
from bot.core.kinds import Detail, OutputFormat
from bot.core.ports import ModelCall
from bot.core.records import AgentId
from tests.engine.hearts import Hearts, hearts
from tests.fakes import CountedMetrics

NOBODY_TALKS = 200.0  # seconds after which what a person said to nobody is no talk any more
TOLD = "the boat is called Kestrel"


def looks(*actions: dict[str, Any]) -> str:
    return json.dumps({"responses": [], "actions": actions})


def recalls(words: str) -> dict[str, Any]:
    return {"type": "recall", "query": words}


def says(text: str) -> str:
    return json.dumps({"responses": [{"room_id": 1, "message": text}], "actions": []})


async def asked(house: Hearts, *answers: Any) -> Sequence[ModelCall]:  # noqa: ANN401
    """Ask the agent for the boat's name, far from where it was told; gives the calls of that beat."""
    await house.hear(TOLD, who="rob", id=502)
    await house.run(NOBODY_TALKS)
    house.model.calls.clear()
    house.model.script.extend(answers)
    await house.hear("@Agent1 what is my boat called?")
    await house.run(5)
    return house.model.calls


@pytest.mark.parametrize("detail", [Detail.FULL, Detail.LEAN])
async def test_a_look_up_for_somebody_who_waits_is_answered_in_the_same_beat(detail: Detail) -> None:
    async with hearts(agents=1, detail=detail) as house:
        first, second = await asked(house, looks(recalls("boat")), says("Kestrel."))
        assert (await house.lines())[-1] == ("1", "Kestrel.")
        assert second.instructions == first.instructions
        tail = second.input.removeprefix(first.input)  # what comes before stays in the provider's cache
        assert tail.startswith("\n>>> LOOKUPS <<<\n- recall boat: ") and TOLD in tail
        assert tail.splitlines()[-1] == first.input.splitlines()[-1]
        assert second.schema == first.schema
        beat = await house.last_beat()
        assert beat is not None and beat.outcome == ("Looked up within the beat: recall.", "Said in room 1.")
        assert tail.strip() in beat.hud
        view = await house.view(1)
        mind = view.mind_of(AgentId(1))
        assert not mind.lookups and not view.reasons.get(AgentId(1))
        assert [(one.type, one.accepted) for one in mind.recent_actions] == [("recall", True), ("send_message", True)]


def of_both(first: str, second: str) -> str:
    """Put two answers together to that of a shared call."""
    parts = [{"agent_id": id, **json.loads(text)} for id, text in enumerate((first, second), 1)]
    return json.dumps({"agents": parts})


async def both_asked(house: Hearts, *answers: Any) -> Sequence[ModelCall]:  # noqa: ANN401
    """Ask two agents in one call; gives the calls of that beat."""
    house.model.script.extend(answers)
    await house.hear("@Agent1 @Agent2 what is my boat called?")
    await house.run(5)
    return house.model.calls


async def test_a_look_up_in_a_shared_call_is_answered_alone_in_the_same_beat() -> None:
    async with hearts(agents=2) as house:
        shared, alone = await both_asked(
            house, of_both(looks(recalls("boat")), says("Ask the other.")), says("Kestrel.")
        )
        assert [text for who, text in await house.lines() if who in "12"] == ["Ask the other.", "Kestrel."]
        assert len(shared.input) > 0 and "\n>>> LOOKUPS <<<\n- recall boat: " in alone.input
        beat = await house.last_beat()
        assert beat is not None and beat.outcome == ("Looked up within the beat: recall.", "Said in room 1.")


async def test_what_can_be_used_for_nothing_in_a_shared_call_is_asked_for_again_alone() -> None:
    nowhere = json.dumps({"responses": [{"room_id": "the kitchen", "message": "hi"}], "actions": []})
    async with hearts(agents=2) as house:
        calls = await both_asked(house, of_both(nowhere, says("Good day.")), says("Here I am."))
        assert len(calls) == 2
        assert {text for who, text in await house.lines() if who in "12"} == {"Good day.", "Here I am."}


async def test_an_answer_after_a_look_up_that_cannot_be_used_is_mended() -> None:
    async with hearts(agents=1) as house:
        calls = await asked(house, looks(recalls("boat")), '{"agents" ]]} <<<', says("Kestrel."))
        assert (await house.lines())[-1] == ("1", "Kestrel.")
        tail = calls[2].input.removeprefix(calls[1].input)
        assert len(calls) == 3 and tail.startswith("\nmend: ")
        beat = await house.last_beat()
        assert beat is not None and beat.usage.input_tokens > 3 * len(calls[0].input.split())


async def test_each_further_call_is_set_aside_and_booked_to_the_beat() -> None:
    async with hearts(agents=1) as house:
        calls = await asked(house, looks(recalls("boat")), looks(recalls("sails")), says("Kestrel."))
        assert len(calls) == 3
        beat = await house.last_beat()
        async with house.store.reading() as read:
            spent, _ = await read.money.spent(house.community_id, house.clock.now().date())
        assert beat is not None
        answered = [house.model.list_price(one.model, input_tokens=1, output_tokens=0) for one in calls]
        assert beat.usage.cost_usd > sum(answered, Decimal(0)) and beat.usage.cost_usd <= spent


async def test_after_two_steps_what_is_looked_up_is_for_the_next_beat() -> None:
    async with hearts(agents=1) as house:
        endless = [looks(recalls(word)) for word in ("boat", "sails", "mast")]
        calls = await asked(house, *endless, says("Kestrel."))
        assert len(calls) == 3 and "recall mast" not in calls[-1].input
        await house.run(20)
        assert "- recall mast: " in house.model.calls[3].input
        assert (await house.lines())[-1] == ("1", "Kestrel.")


async def test_nobody_who_only_listens_is_asked_on() -> None:
    async with hearts(agents=1) as house:
        await house.crowd()
        house.model.script.append(looks(recalls("boat")))
        await house.hear(TOLD, who="rob", id=502)
        await house.run(NOBODY_TALKS)
        first, second = house.model.calls
        assert "speak only if you have something to add" in first.input
        assert not second.input.startswith(first.input) and "- recall boat: " in second.input


async def test_without_money_for_a_further_call_the_next_beat_answers() -> None:
    async with hearts(agents=1, config=CommunityConfig(tokens_per_day=9_500)) as house:
        calls = await asked(house, looks(recalls("boat")), says("Kestrel."))
        assert len(calls) == 1
        assert [one.question for one in (await house.view(1)).mind_of(AgentId(1)).lookups] == ["recall boat"]


@pytest.mark.parametrize("second", [ModelRefused("No more today."), '{"agents": 4', "{"])
async def test_where_the_further_call_fails_the_next_beat_answers(second: object) -> None:
    async with hearts(agents=1) as house:
        await asked(house, looks(recalls("boat")), second, second)  # it is asked for once more
        assert [one.question for one in (await house.view(1)).mind_of(AgentId(1)).lookups] == ["recall boat"]
        house.model.script.append(says("Kestrel."))
        await house.run(20)
        assert (await house.lines())[-1] == ("1", "Kestrel.")


async def test_what_may_not_be_looked_up_is_said_at_once() -> None:
    async with hearts(agents=2, together=False) as house:
        reads = {"type": "read_history", "room_id": 2}
        _, second = await asked(house, looks(reads), says("I cannot look there."))
        assert '- read_history: "rejected: You are not in room 2' in second.input
        assert (await house.lines())[-1] == ("1", "I cannot look there.")


async def test_more_shows_a_category_and_opens_the_form_for_it() -> None:
    async with hearts(agents=1, detail=Detail.LEAN) as house:
        named = {"type": "set_topic", "topic": "boats"}
        done = json.dumps({"message": "Done.", "actions": [named]})
        first, second = await asked(house, looks({"type": "more", "category": "room"}), done)
        assert "set_topic" not in json.dumps(first.schema) and "set_topic(" not in first.input
        assert "set_topic" in json.dumps(second.schema) and "- set_topic(topic)" in second.input
        assert (await house.view(1)).all_rooms[AgentId(1)].topic == "boats"
        assert (await house.lines())[-1] == ("1", "Done.")


async def test_a_message_without_a_room_goes_where_a_lean_agent_looks() -> None:
    async with hearts(agents=2, detail=Detail.LEAN) as house:
        await house.crowd()
        house.model.script.append(json.dumps({"message": "Here I am.", "actions": []}))
        await house.hear("@Agent2 are you there?")
        await house.run(5)
        assert (await house.lines())[-1] == ("2", "Here I am.")
        call = house.model.calls[0]
        assert call.schema is not None and "responses" not in json.dumps(call.schema)


async def test_a_lean_agent_that_writes_in_words_is_told_so_without_a_schema() -> None:
    async with hearts(agents=1, detail=Detail.LEAN, output_format=OutputFormat.TOON) as house:
        house.model.script.append("message: Kestrel.\nactions[0]:\n")
        await house.hear("@Agent1 what is my boat called?")
        await house.run(5)
        assert (await house.lines())[-1] == ("1", "Kestrel.")


async def test_what_is_logged_of_a_call_names_its_community_and_its_beats() -> None:
    async with hearts(agents=1) as house:
        with capture_logs([merge_contextvars]) as logs:
            await asked(house, ModelRefused("The model refused."))
        told = next(one for one in logs if one["event"] == "a model did not answer")
        assert told["community"] == house.community_id
        assert list(told["beats"]) == [AgentId(1)]


async def test_what_an_answer_used_is_counted_for_whoever_runs_this() -> None:
    async with hearts(agents=1) as house:
        metrics = house.heartbeat._metrics
        assert isinstance(metrics, CountedMetrics)
        await asked(house, says("Kestrel."))
        beat = await house.last_beat()
        assert beat is not None
        used = beat.usage.input_tokens + beat.usage.cached_tokens + beat.usage.output_tokens
        assert 0 < used <= metrics.counts["tokens"]
        assert metrics.observed["answer_seconds"]
