"""Figures of the action vocabulary: its size in tokens, and what a 20-action answer costs."""

import asyncio
import json
import time
from collections.abc import Callable

from bot.core.actions import CreateKey, RequestAccess, hud_actions
from bot.core.answers import parse_answer
from bot.core.kinds import OutputFormat
from bot.core.records import AgentId
from bot.core.schema import answer_schema
from bot.tokens import o200k
from tests.bench import Figure
from tests.engine.performer.house import ADA, BO, CY, DI, open_house
from tests.founding import statements

ROUNDS = 20


def run() -> list[Figure]:
    """Measure."""
    groups = [*hud_actions(privileged=False).items(), *hud_actions(privileged=True).items()]
    listed = "".join(f"{category}\n" + "".join(f"- {line}\n" for line in lines) for category, lines in groups)
    schema = json.dumps(answer_schema(), separators=(",", ":"))
    return [
        Figure(name="actions.list", value=o200k().count(listed), unit="tokens", target=900),
        Figure(name="actions.schema", value=o200k().count(schema), unit="tokens", target=3_500),
        _parsing(),
        *asyncio.run(_performing()),
    ]


def an(name: str, **parameters: object) -> dict[str, object]:
    """Write one action."""
    return {"type": name, **parameters}


def many_kinds(message_ids: list[int]) -> str:
    """Write an answer of 20 actions of as many kinds as work together."""
    actions: list[dict[str, object]] = [
        *(an("set", path=f"people.p{n}.trust", value=0.5, w=0.9) for n in range(4)),
        *(an("append", path="seen", value=f"thing {n}") for n in range(2)),
        *(an("react", message_id=id, reaction="thumbs_up") for id in message_ids),
        {"type": "hud_note", "text": "a note"},
        {"type": "hud_step", "action": "add", "text": "a step"},
        {"type": "set_topic", "topic": "tea"},
        {"type": "set_billboard", "message": "tea at five"},
        {"type": "set_attention", "room_id": 1, "value": "40"},
        {"type": "set_wpm", "wpm": 90},
        {"type": "get", "path": "seen"},
        {"type": "create_key", "label": "blue"},
        {"type": "wake_agent", "agent_id": 1},
        {"type": "reply", "room_id": 1, "message_id": message_ids[0], "message": "indeed"},
        {"type": "sleep", "until": "2026-11-20T12:00:00Z"},
    ]
    return _answer(actions)


def busy_day(message_ids: list[int]) -> str:
    """Write an answer of 20 actions as a busy agent would: it speaks, replies, remembers, plans and furnishes."""
    actions: list[dict[str, object]] = [
        *(an("set", path=f"people.p{n}.trust", value=0.5, w=0.9) for n in range(6)),
        *(an("append", path="seen", value=f"thing {n}") for n in range(3)),
        {"type": "delete", "path": "people.p0"},
        {"type": "hud_update", "section": "currentTask", "value": "tea"},
        *(an("hud_note", text=f"note {n}") for n in range(2)),
        {"type": "hud_decision", "text": "green tea"},
        *(an("hud_step", action="add", text=f"step {n}") for n in range(2)),
        {"type": "set_attention", "room_id": 1, "value": "40"},
        {"type": "set_topic", "topic": "tea"},
        {"type": "reply", "room_id": 1, "message_id": message_ids[0], "message": "indeed"},
    ]
    return _answer(actions)


def _answer(actions: list[dict[str, object]]) -> str:
    responses = [{"room_id": 1, "message": "hello there"}]
    return json.dumps({"agents": [{"agent_id": 2, "responses": responses, "actions": actions}]})


def _parsing() -> Figure:
    text = many_kinds([1, 2])
    start = time.perf_counter()
    for _ in range(200):
        parse_answer(text, asked=[AgentId(2)], output_format=OutputFormat.JSON)
    return Figure(name="actions.parse_20", value=(time.perf_counter() - start) * 5, unit="ms", target=5)


async def _performing() -> list[Figure]:
    """Parse, perform and write; the statements are counted at the database."""
    seconds, few = await _timed(busy_day)
    _, of_many_kinds = await _timed(many_kinds)
    return [
        Figure(name="actions.statements_20", value=few, unit="statements", target=25),
        Figure(name="actions.statements_20_of_13_kinds", value=of_many_kinds, unit="statements", target=25),
        Figure(name="actions.statements_20_of_every_table", value=await _manager(), unit="statements"),
        Figure(name="actions.apply_20", value=seconds * 1_000, unit="ms", target=100),
    ]


def every_table() -> str:
    """Write an answer of a privileged agent that touches as many tables as 20 actions can."""
    later = "2026-11-20T12:00:00Z"
    actions: list[dict[str, object]] = [
        an("set", path="a", value=1),
        {"type": "hud_note", "text": "a note"},
        {"type": "react", "message_id": 1, "reaction": "thumbs_up"},
        {"type": "wake_agent", "agent_id": 1},
        {"type": "set_topic", "topic": "tea"},
        {"type": "create_key", "label": "blue", "key": "open it"},
        {"type": "give_key", "label": "blue", "agent_id": 2},
        {"type": "grant_access", "request_id": 1},
        {"type": "revoke_key", "key": "x"},
        {"type": "request_access", "room_id": 3, "key": "nope"},
        {"type": "set_attention", "room_id": 1, "value": "40"},
        {"type": "set_name", "name": "Dido"},
        {"type": "sleep", "until": later},
        {"type": "schedule_message", "room_id": 1, "message": "x", "at": later},
        {"type": "get", "path": "a"},
        {"type": "create_agent", "name": "Newt", "background_prompt": "x", "in_room_id": 1},
        {"type": "alter_agent", "agent_id": 2, "name": "Boo"},
        {"type": "retire_agent", "agent_id": 1},
        {"type": "leave_room", "room_id": 1},
    ]
    responses = [{"room_id": 1, "message": "hello there"}]
    return json.dumps({"agents": [{"agent_id": 4, "responses": responses, "actions": actions}]})


async def _manager() -> int:
    """Count the statements of the answer that touches the most."""
    async with open_house() as house:
        await house.said_by_agent(ADA, "a line")
        await house.act(DI, CreateKey(key="abcd efgh", label="x"))
        await house.act(CY, RequestAccess(room_id=4, key="abcd efgh"))
        reply = parse_answer(every_table(), asked=[DI], output_format=OutputFormat.JSON)
        with statements(house.store) as asked:
            outcomes = await house.act(DI, *reply.replies[DI].actions)
        if sum(one.accepted for one in outcomes) != 19:  # the wrong key is meant to be refused
            raise AssertionError([one.why for one in outcomes])
        return len(asked)


async def _timed(write_answer: Callable[[list[int]], str]) -> tuple[float, int]:
    """Give the median time of an answer in seconds, and its statements."""
    seconds: list[float] = []
    most = 0
    for _ in range(ROUNDS):
        async with open_house() as house:
            ids = [await house.said_by_agent(ADA, f"line {n}") for n in range(2)]
            with statements(house.store) as asked:
                start = time.perf_counter()
                reply = parse_answer(write_answer([*map(int, ids)]), asked=[BO], output_format=OutputFormat.JSON)
                outcomes = await house.act(BO, *reply.replies[BO].actions)
                seconds.append(time.perf_counter() - start)
            if not all(one.accepted for one in outcomes) or len(outcomes) != 20:
                raise AssertionError([one.why for one in outcomes])
            most = max(most, len(asked))
    return sorted(seconds)[ROUNDS // 2], most
