"""`json` is the reference; `compact_json` and `toon` read back to the same value."""

import json

import pytest
import toon
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.hud.call import BuiltCall
from bot.core.hud.escape import whole
from bot.core.hud.formats import FORMATS, document, read_document
from bot.core.hud.formats import compact_json as compact
from bot.core.hud.formats import json as reference
from bot.core.hud.formats import toon as toon_format
from bot.core.hud.formats.keys import LONG, SHORT
from bot.core.hud.values import entries, fields
from bot.core.kinds import InputFormat
from bot.core.records import Json
from tests import factories
from tests.core.hud.golden import KAI, LUNA, TALLY, garden
from tests.core.hud.worlds import HOSTILE, Drawn, examples, hud, worlds

LOSSLESS = [name for name, hud_format in FORMATS.items() if hud_format.lossless]
words = st.one_of(
    st.text(max_size=20), st.sampled_from(HOSTILE), st.sampled_from([*SHORT, *LONG, "~i", "messages"])
).map(whole)
scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e6, 1e6) | words
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3))
messages = st.builds(
    lambda id, content, reply, reactions, edited: document.message_entry(
        factories.message(id, content, reply_to=reply, reactions=tuple(reactions.items()), edited=edited)
    ),
    st.integers(1, 10**7),
    words,
    st.none() | st.integers(1, 10**7),
    st.dictionaries(words, st.integers(1, 99), max_size=3),
    st.booleans(),
)
documents = st.fixed_dictionaries(
    {
        "self": st.fixed_dictionaries({"knowledge": st.dictionaries(words, values, max_size=4)}),
        "rooms": st.lists(st.fixed_dictionaries({"messages": st.lists(messages, max_size=4)}), max_size=2),
    }
)


@settings(max_examples=examples(60), deadline=None)
@given(documents)
def test_what_is_written_compactly_reads_back(value: document.Document) -> None:
    assert compact.read(compact.write(value)) == value
    assert reference.read(reference.write(value)) == value


@settings(max_examples=examples(60), deadline=None)
@given(documents)
def test_what_is_written_in_toon_reads_back(value: document.Document) -> None:
    assert toon_format.read(toon_format.write(value)) == value


@settings(max_examples=examples(8), deadline=None)
@given(worlds())
def test_whole_huds_read_back_as_json(drawn: Drawn) -> None:
    view = drawn.view
    for hud_format in LOSSLESS:
        value = read(hud(view, 1, hud_format=hud_format))
        assert value.keys() >= {"self", "meta", "rooms"}


@pytest.mark.parametrize("agents", [(LUNA,), (LUNA, KAI, TALLY)])
def test_the_lossless_formats_hold_the_same_value(agents: tuple[int, ...]) -> None:
    values = [without_use(read(hud(garden(), *agents, hud_format=hud_format))) for hud_format in LOSSLESS]
    assert len(values) >= 3
    assert all(value == values[0] for value in values)


@pytest.mark.parametrize("hud_format", InputFormat)
def test_a_hud_is_read_in_whichever_format_it_is(hud_format: InputFormat) -> None:
    built = hud(garden(), LUNA, KAI, hud_format=hud_format)
    document = read_document(f"{built.instructions}\n{built.input}")
    assert document is not None
    assert document == FORMATS[hud_format].read(f"{built.instructions}\n{built.input}")
    assert [fields(fields(one["self"])["identity"])["id"] for one in entries(document["agents"])] == [LUNA, KAI]


def read(built: BuiltCall) -> dict[str, Json]:
    """Read a call's text back."""
    document = read_document(f"{built.instructions}\n{built.input}")
    assert document is not None
    return document


def without_use(value: Json) -> Json:
    """The value without how many tokens it took, which is another number in each format."""
    if isinstance(value, dict):
        return {key: without_use(one) for key, one in value.items() if key not in ("budget", "memory_used")}
    return [without_use(one) for one in value] if isinstance(value, list) else value


def test_every_documented_field_is_there() -> None:
    built = hud(garden(), LUNA, hud_format=InputFormat.JSON)
    constant, own = json.loads(built.instructions), json.loads(built.input)
    assert constant["system"].keys() == {"directives"}
    assert constant["meta"].keys() == {"instructions", "available_actions", "response_format"}
    assert own["self"].keys() >= {
        "identity", "knowledge", "memory_used", "allocations", "recent_actions", "focus", "lookups", "keys_held",
        "budget",
    }  # fmt: skip
    assert own["self"]["identity"].keys() == {
        "id",
        "name",
        "type",
        "model",
        "temperature",
        "joined",
        "checkpoints",
        "seed",
    }
    assert own["self"]["budget"].keys() >= {"used", "total", "status"}
    assert own["meta"].keys() == {"directory", "now", "time_zone", "language"}
    assert own["rooms"][0].keys() >= {
        "id", "name", "you", "is_self_room", "members", "attention_pct", "time_since_last", "word_budget", "topic",
        "billboard", "summary", "older", "messages", "my_keys", "pending_access_requests",
    }  # fmt: skip
    assert own["rooms"][0]["messages"][1] == {
        "id": 98,
        "timestamp": "2026-11-20 10:04:00",
        "sender": "1",
        "content": "Evening primrose! It opens when you have time to look.",
        "type": "text",
        "reply_to": 97,
        "reactions": {"heart": 2},
    }


def test_messages_stay_a_table_in_toon() -> None:
    text = hud(garden(), LUNA, hud_format=InputFormat.TOON).input
    assert "messages[7]{id,timestamp,sender,content,type,reply_to,reactions,edited}:" in text
    assert isinstance(toon.decode(text), dict)


def test_the_table_of_short_keys_stands_in_the_constant_part() -> None:
    built = hud(garden(), LUNA, hud_format=InputFormat.COMPACT_JSON)
    assert json.loads(built.instructions)["keys"]["t"] == "timestamp"
    assert '"timestamp"' not in built.input


def test_no_two_keys_share_a_short_one() -> None:
    assert len(LONG) == len(SHORT)
    assert not set(LONG) & set(SHORT) - {"id"}
