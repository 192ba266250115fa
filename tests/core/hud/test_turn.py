"""A turn as a call: a closed world, what was wrong before, and no growth without end."""

import json
import re
from dataclasses import replace

import pytest

from bot.core.changes import UpdateAgent, WholeAgentColumns
from bot.core.config import CommunityConfig
from bot.core.hud.turn import HAPPENED, LINES_PERCENT, MOVES, rules_of, shown_scene
from bot.core.records import Json, Lorebook, LoreEntry
from bot.core.scenes.chat import CHAT, ChatOptions
from bot.core.scenes.kind import SceneKind
from bot.core.scenes.registry import KINDS
from bot.core.scenes.showing import shown_at
from bot.tokens import o200k
from tests.core.scenes.plays import of
from tests.core.scenes.surfaces import scene_at
from tests.engine.theatre import Player, simply, theatre
from tests.factories import COMMUNITY_ID
from tests.fakes import START


async def test_a_turn_is_a_closed_world_with_its_own_schema_and_what_is_constant_first() -> None:
    async with theatre() as stage:
        await stage.opened("council", 3)
        await stage.run(4)
        call = stage.house.model.calls[0]
        for word in ("Selfroom", "Discord", "prompt", "room", "heartbeat"):
            assert word.casefold() not in f"{call.instructions} {call.input}".replace("resident", "").casefold(), word
        assert call.schema is not None
        text = json.dumps(call.schema)
        assert '"move_motion"' in text
        assert '"vote"' not in text
        assert call.cache_key == stage.house.model.calls[1].cache_key
        assert call.instructions == stage.house.model.calls[1].instructions
        assert len(call.instructions.split()) < 700


async def test_an_agent_without_a_usable_move_is_asked_again_with_the_reason_and_then_passed_over() -> None:
    answers: list[dict[str, Json] | str | Exception] = [{"type": "vote", "choice": "yes"}, "not json", {"type": "say"}]
    model = Player(lambda text, moves: answers.pop(0) if answers else simply(text, moves))
    async with theatre(model) as stage:
        await stage.opened(agents=2, turns=4)
        await stage.run(10)
        inputs = [call.input for call in stage.house.model.calls[:4]]
        assert "vote cannot be done now" in inputs[1] or "vote is no move here" in inputs[1]
        assert "There was no move in the answer" in inputs[2]
        assert "seat: 2" in inputs[3]
        scene = await stage.scene()
        assert scene.seats[0].refused == 3
        assert await stage.replays()


@pytest.mark.long
async def test_prompts_do_not_grow_with_the_length_of_a_scene() -> None:
    async with theatre(config=CommunityConfig(scene_usd=100)) as stage:
        await stage.opened(agents=3, turns=205)
        for _ in range(600):
            await stage.run(1)
            if len(stage.house.model.calls) >= 201:
                break
        sizes = [len(call.input.split()) for call in stage.house.model.calls]
        assert sizes[200] <= 1.2 * sizes[20]


async def test_a_turn_says_how_many_seconds_there_are() -> None:
    async with theatre() as stage:
        await stage.opened(agents=2)
        await stage.run(1)
        assert re.search(r"^You have (8\d|90) seconds\.$", stage.house.model.calls[0].input, re.MULTILINE)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_rules_of_a_kind_take_900_tokens_at_most(kind: SceneKind) -> None:
    assert max(o200k().count(rules_of(kind, emotions=felt)) for felt in (False, True)) <= 900


@pytest.mark.parametrize("budget", [1_000, 4_000])
def test_what_happened_takes_two_fifths_of_the_budget_at_most(budget: int) -> None:
    playing = of(CHAT, ChatOptions(), 2)
    told = tuple(f"Ada: {number} {'and so on ' * 60}" for number in range(60))
    turn = shown_at(scene_at(playing, playing.standing), playing.play, playing.standing, [], {1: "Ada", 2: "Bo"}, 1)
    shown = shown_scene(replace(turn, lines=told), budget, now=START, tokenizer=o200k())
    lines = shown.partition(f"{HAPPENED}\n")[2].partition(MOVES)[0]
    assert "Ada: 59" in lines
    assert budget // 10 < o200k().count(lines) <= budget * LINES_PERCENT // 100 + 10


async def test_lore_is_told_in_a_turn_once_it_is_spoken_of_within_the_books_own_budget() -> None:
    mill = LoreEntry(name="mill", keys=("old mill",), content="The old mill burnt down in 1902.")
    tower = LoreEntry(name="tower", keys=("old mill",), content="The tower beside it stands. " * 20, priority=-1)
    fields: WholeAgentColumns = {"lore": Lorebook(entries=(mill, tower), budget_tokens=40)}
    lines = iter(["Good evening.", "Who was at the old mill?"])
    model = Player(lambda text, moves: {"type": "say", "text": next(lines, "I see.")})
    async with theatre(model) as stage:
        async with stage.house.store.writing(COMMUNITY_ID) as write:
            ids = await write.agents.names(COMMUNITY_ID)
            await write.apply(COMMUNITY_ID, [UpdateAgent(agent_id=id_, fields=fields) for id_ in ids])
        await stage.opened(agents=2, turns=4)
        await stage.run(10)
        first, second, third = [call.input for call in stage.house.model.calls[:3]]
    assert "==== LORE ====" not in first + second
    assert "==== LORE ====\n- The old mill burnt down in 1902.\n" in third
    assert "The tower" not in third
