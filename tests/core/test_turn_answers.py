"""What a model answers on a turn: one move, however it was wrapped, and what it keeps beside it."""

import json

import pytest

from bot.core.actions import Play, Set
from bot.core.answers import LONGEST_THOUGHTS
from bot.core.kinds import OutputFormat
from bot.core.records import AgentId, Json, SceneId
from bot.core.turn_answers import NO_MOVE, NOT_DURING, SCENE_MOVE, parse_turn

ADA = AgentId(1)


def parsed(text: str) -> tuple[list[object], tuple[tuple[str, str], ...]]:
    answer = parse_turn(text, agent_id=ADA, scene_id=SceneId(4), window=7, output_format=OutputFormat.JSON)
    reply = answer.replies[ADA]
    return list(reply.actions), reply.rejected


@pytest.mark.parametrize(
    "text",
    [
        '{"thoughts": "hm", "move": {"type": "vote", "choice": "yes"}, "actions": []}',
        'Here it is: ```json\n{"move": {"type": "vote", "choice": "yes"}}\n```',
        '{"move": "vote", "choice": "yes"}',
        '{"type": "vote", "choice": "yes"}',
        '{"move": {"name": "vote", "arguments": {"choice": "yes"}}}',
    ],
)
def test_a_move_is_read_however_it_was_wrapped(text: str) -> None:
    (move,), rejected = parsed(text)
    assert move == Play(scene_id=4, window=7, move="vote", arguments={"choice": "yes"})
    assert rejected == ()


@pytest.mark.parametrize("text", ["I vote yes!", "[]", "{}", '{"move": 5}', '{"move": {"type": ""}}'])
def test_an_answer_without_a_move_says_so(text: str) -> None:
    actions, rejected = parsed(text)
    assert actions == []
    assert rejected[0][1] == NO_MOVE


def test_beside_the_move_only_memory_is_kept() -> None:
    text = (
        '{"move": {"type": "yield"}, "actions": [{"type": "set", "path": "a", "value": 1},'
        ' {"type": "set_topic", "topic": "Council!"}, {"type": "nonsense"}]}'
    )
    actions, rejected = parsed(text)
    assert [type(action) for action in actions] == [Set, Play]
    assert [why for _, why in rejected] == [NOT_DURING, 'There is no action "nonsense".']


def test_a_turn_opens_no_window_on_the_world_beside_the_scene() -> None:
    items = [{"type": "hud"}, {"type": "get", "path": "tea"}, {"type": "hud_file", "text": "notes.txt"}]
    actions, rejected = parsed(json.dumps({"move": {"type": "yield"}, "actions": items}))
    assert rejected == (("hud", NOT_DURING),)
    assert len(actions) == 3


@pytest.mark.parametrize(
    "large",
    [[[]] * 60_000, [1] * 60_000, {str(number): 0 for number in range(15_000)}, "x" * 150_000],
    ids=["lists", "numbers", "names", "words"],
)
def test_a_move_of_more_than_any_is_no_move(large: Json) -> None:
    actions, rejected = parsed(json.dumps({"move": {"type": "say", "arguments": {"text": large}}}))
    assert actions == []
    assert rejected == ((SCENE_MOVE, NO_MOVE),)


def test_thoughts_on_a_turn_are_kept_to_their_bound() -> None:
    text = json.dumps({"thoughts": "hm " * 30_000, "move": {"type": "yield"}})
    answer = parse_turn(text, agent_id=ADA, scene_id=SceneId(4), window=7, output_format=OutputFormat.JSON)
    assert len(answer.replies[ADA].thoughts) == LONGEST_THOUGHTS
