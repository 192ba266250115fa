"""Answers of all kinds: good, misspelt, hostile, broken."""

import json
from random import Random

from hypothesis import strategies as st

from bot.core.actions import CATALOGUE
from bot.core.spellings import AGENT_FIELDS, PARAMETERS
from tests.core.test_permissions import EXAMPLES as SOUND

IDS = st.sampled_from([0, 1, 2, 3, 4, 5, 6, 99, -1, True, "1", "5", None, 2**70, 1.5, "x"])
TIMES = st.sampled_from(["2026-11-20T11:00:00Z", "2026-11-20T11:00:00+09:00", "yesterday", "9999-12-31T23:59:59-14:00"])
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | IDS | TIMES
KEYS = st.sampled_from(sorted({*PARAMETERS, *(name for names in AGENT_FIELDS.values() for name in names), "type"}))
ANYTHING = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=6
)
LIKELY = dict(SOUND) | {
    "key": "open sesame",
    "at": "2026-11-20T11:00:00Z",
    "until": "2026-11-20T11:00:00Z",
    "expires": "2026-11-21T11:00:00Z",
    "agent_type": "bot",
}
NOISE: tuple[object, ...] = (
    None,
    True,
    -1,
    0,
    99,
    2**70,
    1.5,
    "x",
    "",
    [],
    {},
    [1],
    {"a": 1},
    "hidden lamp",
    "System",
    "%*",
    "a.b[0]",
)


def an_action(random: Random) -> object:
    """An action with its own parameters, mostly as they should be."""
    definition = random.choice(CATALOGUE)
    filled = {}
    for name, info in definition.parameters.items():
        if not info.is_required() and random.random() < 0.5:
            continue
        filled[name] = random.choice(NOISE) if random.random() < 0.04 else _likely(random, name)
    return {"type": definition.name, **filled}


def _likely(random: Random, name: str) -> object:
    if name.endswith("id"):
        return random.randint(1, 5)
    return LIKELY.get(name, "tea")


def _response(random: Random) -> object:
    return {"room_id": random.randint(1, 5), "message": random.choice(["tea", "", "[no response]", "open sesame"])}


@st.composite
def data(draw: st.DrawFn, agent_id: int) -> object:
    """An answer for one agent, or something like it."""
    random = draw(st.randoms(use_true_random=True))
    part: dict[str, object] = {
        "agent_id": agent_id if random.random() < 0.9 else draw(IDS),
        "thoughts": draw(PLAIN),
        "responses": [_response(random) for _ in range(random.randint(0, 2))],
        "actions": [an_action(random) for _ in range(random.randint(0, 12))],
    }
    how = random.randint(0, 9)
    if how == 0:
        return draw(ANYTHING)
    if how == 1:
        part[random.choice(sorted(part))] = draw(ANYTHING)
    return part if how == 2 else {"agents": [part, *([draw(ANYTHING)] if how == 3 else [])]}


@st.composite
def answers(draw: st.DrawFn, agent_id: int) -> str:
    """The text of an answer, perhaps fenced, wrapped, cut off or scratched."""
    text = json.dumps(draw(data(agent_id)), ensure_ascii=draw(st.booleans()))
    how = draw(st.integers(0, 12))
    if how == 0:
        text = f"Certainly!\n```json\n{text}\n```"
    elif how == 1:
        text = text[: draw(st.integers(0, len(text)))]
    elif how == 2:
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.text(max_size=5)) + text[at + draw(st.integers(0, 3)) :]
    elif how == 3:
        text = draw(st.text(max_size=200))
    return text
