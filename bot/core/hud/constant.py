"""The OS section: the same text for every agent of a community, so that the provider's prompt cache knows it."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from bot.core.actions import hud_actions
from bot.core.hud.escape import paragraph
from bot.core.hud.formats.keys import SHORT
from bot.core.hud.formats.paragraphs import action_lists, major, title
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
READING: Final = (
    "A message is [id HH:MM] sender: text, then notes: (re id) what it replies to, (name n) reactions, (edited). "
    'A day begins with its date. Line breaks inside texts are written \\n. "older" counts earlier '
    'messages. The directory says: id name (type, access): topic. "messages from" is the first message you see there.'
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
    if input_format is InputFormat.TEXT:
        return _as_text(parts, answer)
    document: dict[str, Json] = {
        "system": {"directives": parts["directives"]},
        "meta": {
            "instructions": {name: parts[name] for name in INSTRUCTIONS},
            "available_actions": {name: list(lines) for name, lines in hud_actions(privileged=False).items()},
            "response_format": answer,
        },
    }
    if input_format is InputFormat.COMPACT_JSON:
        document["keys"] = {short: name for name, short in SHORT.items()}
        return json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _as_text(parts: Mapping[str, str], answer: str) -> str:
    lines = [major("SELFROOM"), f"{paragraph(parts['directives'])}\n", title("INSTRUCTIONS")]
    lines += [f"{name}: {paragraph(parts[name])}\n" for name in INSTRUCTIONS]
    lines.append(f"reading: {READING}\n")
    lines += [title("ACTIONS"), _actions(), title("ANSWER"), f"{answer.rstrip()}\n"]
    return "".join(lines)


def _actions() -> str:
    return action_lists({name: list(lines) for name, lines in hud_actions(privileged=False).items()})


def answer_format(output_format: OutputFormat, structured: bool, alone: bool) -> str:
    """Give how to answer: in few words when the model is held to the schema, else with an example."""
    told = STRUCTURED if structured else ANSWER
    told = told.replace(BY_ID, ".") if alone else told
    if structured:
        return told
    if output_format is OutputFormat.TOON:
        return told.replace("JSON object", "TOON document") + "\n" + (ONE_TOON_EXAMPLE if alone else TOON_EXAMPLE)
    return told + json.dumps(ONE_EXAMPLE if alone else EXAMPLE, ensure_ascii=False)
