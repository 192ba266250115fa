"""The ways an answer can be spoilt on request."""

import json
from dataclasses import dataclass
from typing import Literal

from bot.core.records import Json

Fault = Literal[
    "rate_limit",
    "no_credit",
    "server_error",
    "timeout",
    "cut_off",
    "refusal",
    "wrong_agent",
    "garbage",
    "empty",
    "disconnect",
]
REFUSAL = "I'm sorry, but I can't help with that."
GARBAGE = '%PDF-1.7 ]]} "agents": <<<lorem ipsum>>> \u00a7\u00a7 {{{'
STRANGER = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What goes back: a text or a refusal, whole or cut short; `hang_up` drops the line midway."""

    text: str
    refusal: str | None = None
    incomplete: bool = False
    hang_up: bool = False


def spoilt(text: str, fault: Fault | None, *, incomplete: bool) -> Outcome:
    """The answer after a fault that touches only its content; the other faults never get here."""
    match fault:
        case "cut_off":
            return Outcome(text=text[: len(text) * 3 // 5], incomplete=incomplete)
        case "refusal":
            return Outcome(text="", refusal=REFUSAL)
        case "wrong_agent":
            return Outcome(text=with_strangers(text))
        case "garbage":
            return Outcome(text=GARBAGE)
        case "empty":
            return Outcome(text="")
        case "disconnect":
            return Outcome(text=text, hang_up=True)
        case _:
            return Outcome(text=text)


def with_strangers(text: str) -> str:
    """The same answer, given for agents that nobody asked about."""
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    agents = answer.get("agents", [answer]) if isinstance(answer, dict) else None
    if not agents:
        words: list[Json] = [{"room_id": STRANGER, "message": "Hello from nowhere."}]
        agents = [{"agent_id": 0, "thoughts": None, "responses": words, "actions": []}]
    strangers = [agent | {"agent_id": STRANGER + int(agent.get("agent_id") or 0)} for agent in agents]
    return json.dumps({"agents": strangers}, ensure_ascii=False)
