"""The OS section: the same text for every agent of a community, so that the provider's prompt cache knows it."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from bot.core.actions import hud_actions
from bot.core.hud.agent_hud import OsSection
from bot.core.hud.formats import FORMATS
from bot.core.kinds import InputFormat, OutputFormat
from bot.core.records import Json

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
BY_ID: Final = ": an entry for each agent of this call, by its id."  # what a call of one knows nothing of


def constant_part(
    prompts: Mapping[str, str],
    input_format: InputFormat,
    output_format: OutputFormat,
    *,
    structured: bool,
    alone: bool = False,
) -> str:
    """Give the OS section; it holds no id, name or time of anybody. `alone`: of calls of one agent."""
    return _constant(tuple(prompts.items()), input_format, answer_format(output_format, structured, alone))


@lru_cache(maxsize=64)
def _constant(prompts: tuple[tuple[str, str], ...], input_format: InputFormat, answer: str) -> str:
    parts = dict(prompts)
    told = OsSection(
        directives=parts["directives"],
        instructions={name: parts[name] for name in INSTRUCTIONS},
        actions=hud_actions(privileged=False),
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
