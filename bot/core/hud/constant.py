"""The OS section: the same text for every agent of a community, so that the provider's prompt cache knows it."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from bot.core.actions import BY_NAME, LEAN, hud_actions
from bot.core.hud.agent_hud import OsSection
from bot.core.hud.formats import FORMATS
from bot.core.kinds import InputFormat, OutputFormat
from bot.core.records import Json
from bot.core.schema import LeanForm

INSTRUCTIONS: Final = (
    "identity",
    "data",
    "silence",
    "memory",
    "actions",
    "own_room",
    "time",
    "collaboration",
    "persona",
    "bot",
)
ANSWER: Final = (
    "Answer with one JSON object: an entry for each agent of this call, by its id. responses are messages to rooms; "
    "leave them empty to stay silent. actions are objects with type and that action's parameters. thoughts are "
    "optional and private. Example: "
)
ONE_EXAMPLE: Final[dict[str, Json]] = {
    "thoughts": "…",
    "responses": [{"room_id": 8, "message": "…"}],
    "actions": [{"type": "react", "message_id": 122, "reaction": "thumbs_up"}],
}
EXAMPLE: Final[Json] = {"agents": [{"agent_id": 5, **ONE_EXAMPLE}]}
ONE_TOON_EXAMPLE: Final = (
    'thoughts: "…"\nresponses[1]{room_id,message}:\n  8,"…"\n'
    "actions[1]:\n  - type: react\n    message_id: 122\n    reaction: thumbs_up\n"
)
TOON_EXAMPLE: Final = (
    'agents[1]:\n  - agent_id: 5\n    thoughts: "…"\n    responses[1]{room_id,message}:\n      8,"…"\n'
    "    actions[1]:\n      - type: react\n        message_id: 122\n        reaction: thumbs_up\n"
)
STRUCTURED: Final = (
    "Answer in the given schema: an entry for each agent of this call, by its id. responses are messages to rooms, "
    "empty to stay silent; leave parameters that an action does not have null; thoughts are private."
)
ONE_ROOM: Final = "message is what you say now, empty to stay silent; actions are mostly none."
SEVERAL_ROOMS: Final = "responses are messages to rooms by their ids, none to stay silent; actions are mostly none."
REMEMBERED: Final[Json] = {"type": "set", "path": "people.ann.cat", "value": "Tom"}
LEAN_EXAMPLES: Final = (
    ('by @ann "remember that my cat is Tom":', "Your cat is Tom, I keep that.", REMEMBERED),
    ('"what is my cat called?":', "Your cat is called Tom."),
)
BY_ID: Final = ": an entry for each agent of this call, by its id."  # what a call of one knows nothing of


def constant_part(
    prompts: Mapping[str, str],
    input_format: InputFormat,
    output_format: OutputFormat,
    *,
    structured: bool,
    alone: bool = False,
    lean: LeanForm | None = None,
    emotions: bool = False,
) -> str:
    """Give the OS section; it holds no id, name or time of anybody. `alone`: of calls of one agent."""
    if lean is not None:
        answer = lean_answer_format(output_format, structured, in_one_room=lean.in_one_room)
        return _lean(prompts["lean"], input_format, answer)
    answer = answer_format(output_format, structured, alone)
    return _constant(tuple(prompts.items()), input_format, answer, emotions)


@lru_cache(maxsize=64)
def _lean(told: str, input_format: InputFormat, answer: str) -> str:
    lines = {"if needed": tuple(BY_NAME[name].hud_line for name in LEAN)}
    section = OsSection(directives=told, instructions={}, actions=lines, answer=answer)
    return FORMATS[input_format].constant(section)


def lean_answer_format(output_format: OutputFormat, structured: bool, *, in_one_room: bool) -> str:
    """Give how an agent answers that is shown little: what it says in the one room shown, or room by room."""
    told = ONE_ROOM if in_one_room else SEVERAL_ROOMS
    if output_format is OutputFormat.TOON and not structured:
        example = 'message: "…"\n' if in_one_room else 'responses[1]{room_id,message}:\n  8,"…"\n'
        return f"Answer with one TOON document. {told}\n{example}actions[0]:\n"
    form = "in the given schema" if structured else "with one JSON object only"
    examples = LEAN_EXAMPLES if in_one_room else LEAN_EXAMPLES[:1]
    shown = (f"{asked} {_lean_example(said, *done, in_one_room=in_one_room)}" for asked, said, *done in examples)
    return f"Answer {form}. {told} Asked {'; asked '.join(shown)}"


def _lean_example(said: str, *done: Json, in_one_room: bool) -> str:
    """Give an answer: a weak mind takes an action that it was shown, and hardly another."""
    message: dict[str, Json] = {"message": said} if in_one_room else {"responses": [{"room_id": 8, "message": said}]}
    return json.dumps({**message, "actions": list(done)})


@lru_cache(maxsize=64)
def _constant(prompts: tuple[tuple[str, str], ...], input_format: InputFormat, answer: str, emotions: bool) -> str:
    parts = dict(prompts)
    told = OsSection(
        directives=parts["directives"],
        instructions={name: parts[name] for name in INSTRUCTIONS},
        actions=hud_actions(privileged=False, emotions=emotions),
        answer=answer,
    )
    return FORMATS[input_format].constant(told)


def answer_format(output_format: OutputFormat, structured: bool, alone: bool) -> str:
    """Give how to answer: in few words when the model is held to the schema, else with an example."""
    told = STRUCTURED if structured else ANSWER
    told = told.replace(BY_ID, ".") if alone else told
    if structured:
        return told
    if output_format is OutputFormat.TOON:
        return told.replace("JSON object", "TOON document") + "\n" + (ONE_TOON_EXAMPLE if alone else TOON_EXAMPLE)
    return told + json.dumps(ONE_EXAMPLE if alone else EXAMPLE, ensure_ascii=False)
