"""What a model answers on a turn: one move, and what it wants to keep; the rest is refused one by one."""

import json
from collections.abc import Mapping
from typing import Final

from bot.core.actions import Action, Play
from bot.core.answer_items import LONGEST_VALUE, MOST_VALUES, as_action
from bot.core.answer_text import read_answer
from bot.core.answers import LONGEST_THOUGHTS, MOST_ITEMS, AgentAnswer, ParsedAnswer, Refusal
from bot.core.errors import Rejected
from bot.core.hud.turn import KEPT_AT_MOST, epilogue_actions, is_kept
from bot.core.kinds import OutputFormat
from bot.core.knowledge import values_in
from bot.core.plain_words import without_thinking
from bot.core.records import AgentId, Json, SceneId

NOT_DURING: Final = "Not during a scene."
NOT_AFTERWARDS: Final = "A scene that is over leaves what is kept of it, and nothing else."
ENOUGH_KEPT: Final = f"{KEPT_AT_MOST} things are kept of a scene at most."
NO_MOVE: Final = "There was no move in the answer: choose one."
SCENE_MOVE: Final = "move"


def parse_turn(
    text: str,
    *,
    agent_id: AgentId,
    scene_id: SceneId,
    window: int,
    output_format: OutputFormat,
    is_over: bool = False,
    watches: bool = False,
) -> ParsedAnswer:
    """Read an answer to a turn; it never raises. What is not plain (core.answer_text) is for a workshop.

    Where the scene `is_over` no move is left, and only a few things are kept; who `watches` keeps nothing.
    """
    data = read_answer(without_thinking(text), output_format).data
    if not isinstance(data, dict):
        return ParsedAnswer(replies={agent_id: AgentAnswer(agent_id=agent_id, rejected=((SCENE_MOVE, NO_MOVE),))})
    actions: list[Action] = []
    rejected: list[Refusal] = []
    move = None if is_over else _move(data, scene_id, window)
    if move is None and not is_over:
        rejected.append((SCENE_MOVE, NO_MOVE))
    given = data.get("actions")
    for item in given[:MOST_ITEMS] if isinstance(given, list) else ():
        try:
            action = as_action(item)
        except Rejected as no:
            rejected.append(("action", no.sentence))
            continue
        if is_over and action.definition not in epilogue_actions():
            rejected.append((action.definition.name, NOT_AFTERWARDS))
        elif is_over and len(actions) >= KEPT_AT_MOST:
            rejected.append((action.definition.name, ENOUGH_KEPT))
        elif is_kept(action.definition) and not watches:
            actions.append(action)
        else:
            rejected.append((action.definition.name, NOT_DURING))
    thoughts = data.get("thoughts")
    reply = AgentAnswer(
        agent_id=agent_id,
        thoughts=thoughts[:LONGEST_THOUGHTS] if isinstance(thoughts, str) else "",
        actions=(*actions, *([move] if move is not None else [])),
        rejected=tuple(rejected),
    )
    return ParsedAnswer(replies={agent_id: reply})


def _move(data: Mapping[str, Json], scene_id: SceneId, window: int) -> Play | None:
    """Take the move, also where a model left the object around it out, or put its parameters into one."""
    move = data.get(SCENE_MOVE)
    if isinstance(move, str):
        move = {"type": move, **{name: value for name, value in data.items() if name not in KNOWN}}
    if not isinstance(move, dict):
        move = dict(data) if "type" in data else None
    if move is None:
        return None
    name = move.get("type") or move.get("name") or move.get(SCENE_MOVE)
    if not isinstance(name, str) or not 1 <= len(name) <= 64 or not name.isprintable():
        return None
    inner = move.get("arguments")
    rest = {key: value for key, value in move.items() if key not in ("type", "name", SCENE_MOVE, "arguments")}
    arguments = {**rest, **(inner if isinstance(inner, dict) else {})}
    if values_in(arguments) > MOST_VALUES or len(json.dumps(arguments, ensure_ascii=False)) > LONGEST_VALUE:
        return None  # more than any move has: it would be blotted and kept, value by value
    return Play(scene_id=scene_id, window=window, move=name, arguments=arguments)


KNOWN: Final = frozenset({SCENE_MOVE, "thoughts", "actions"})
