"""Character cards: real ones, made by hand, and broken ones."""

import json
from typing import Any

import pytest

from bot.core import cards as core_cards
from bot.core.cards import card_of, read_card, written
from bot.core.errors import BadSetting
from bot.core.kinds import AgentType
from bot.core.records import AgentId, Json, Mind
from tests.core.cards import V2, V3, json_card, png_card
from tests.factories import agent as made


def test_a_version_2_card_is_read() -> None:
    card = read_card(json_card(V2))
    assert card.name == "Tamsin"
    assert card.prompt.split("\n\n") == [
        "Tamsin repairs clocks in a harbour town.",
        "patient, wry, exact",
        "Tamsin meets you in a workshop.",
    ]
    assert card.greeting == "Mind the springs, you. I am Tamsin."
    assert card.kept["creator_notes"] == "made by hand"
    assert card.type is AgentType.PERSONA
    assert [one.keys for one in card.lore.entries] == [("old mill",)]
    assert "Tamsin's clock" in card.lore.entries[0].content
    assert card.lore_there == 2


@pytest.mark.parametrize("chunk", ["tEXt", "zTXt", "iTXt"])
def test_a_card_is_found_in_a_picture(chunk: str) -> None:
    card = read_card(png_card({"chara": V2}, chunk=chunk))
    assert card.name == "Tamsin"
    assert card.has_picture


def test_the_newer_of_two_versions_counts() -> None:
    assert read_card(png_card({"chara": V2, "ccv3": V3})).name == "Tamsin the Third"


def test_a_version_1_card_has_its_fields_at_the_top() -> None:
    assert read_card(json.dumps({"name": "Old", "description": "An old card."}).encode()).prompt == "An old card."


def test_what_went_out_comes_back_the_same() -> None:
    agent = made(4, name="Moss", prompt="You are Moss.", aliases=("gardener",), token_budget=20_000)
    mind = Mind(agent_id=agent.id, knowledge={"people": {"Bob": {"trust": 0.8}}})
    whole = card_of(agent, mind, {"creator_notes": "kept", "extensions": {"depth": 4}})
    card = read_card(json.dumps(whole).encode())
    assert (card.name, card.prompt, card.token_budget) == ("Moss", "You are Moss.", 20_000)
    assert card.settings["aliases"] == ("gardener",)
    assert card.knowledge == mind.knowledge
    assert card.kept["creator_notes"] == "kept"
    extensions = card.kept["extensions"]
    assert isinstance(extensions, dict)
    assert extensions["depth"] == 4


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not json",
        b"[1, 2]",
        b'{"data": {"description": "nobody"}}',
        b'{"name": "Empty", "description": "  "}',
        b"[" * 100_000,
        png_card({}),
        png_card({"chara": V2})[:120],
        png_card({"comment": V2}),
        b"\x89PNG\r\n\x1a\n",
        "\udcff".encode("utf-8", "surrogatepass"),
    ],
)
def test_a_broken_card_is_refused_in_one_sentence(data: bytes) -> None:
    with pytest.raises(BadSetting) as refused:
        read_card(data)
    assert refused.value.sentence.endswith(".")


def test_a_card_that_describes_too_much_is_refused_with_the_bound() -> None:
    with pytest.raises(BadSetting, match=r"8,003 characters.*8,000 together"):
        read_card(json.dumps({"name": "Ada", "description": "a" * 8_000, "scenario": "b"}).encode())
    assert len(read_card(json.dumps({"name": "Ada", "description": "a" * 8_000}).encode()).prompt) == 8_000


def test_settings_out_of_range_are_left_out() -> None:
    own: dict[str, Any] = {"temperature": 9, "interval_seconds": "fast", "allocations": [90, 5, 5], "token_budget": 1}
    data = V2["data"] | {"extensions": {"selfroom": own}}
    card = read_card(json.dumps({"data": data}).encode())
    assert card.settings == {}
    assert card.token_budget is None


def test_a_card_is_clean_as_a_whole() -> None:
    own = '{"knowledge": {"a": NaN, "b": [-Infinity, 1e999, 1.5], "c": "x\\ud800y", "\\udfff": "\\ud83d\\ude00"}}'
    data = f'{{"name": "A\\udc00da", "description": "She.", "kept": NaN, "extensions": {{"selfroom": {own}}}}}'
    card = read_card(data.encode())
    assert card.name == "A?da"
    assert card.knowledge == {"a": None, "b": [None, None, 1.5], "c": "x?y", "?": "\N{GRINNING FACE}"}
    json.dumps([card.kept, card.knowledge], allow_nan=False, ensure_ascii=False).encode()


def test_a_cards_name_loses_the_brackets_that_an_agents_name_may_not_have() -> None:
    card = read_card(
        json.dumps(
            {"spec": "chara_card_v2", "data": {"name": "Ada (v2) [beta]", "description": "A gardener."}}
        ).encode()
    )
    assert card.name == "Ada v2 beta"


@pytest.mark.parametrize(
    "book",
    ["x" * core_cards.LARGEST_KEPT, [[]] * core_cards.MOST_KEPT, json.loads("[" * 60 + "]" * 60)],
    ids=["long", "wide", "nested"],
)
def test_a_card_that_no_archive_could_bring_anywhere_is_refused(book: object) -> None:
    with pytest.raises(BadSetting, match="more than any agent needs"):
        read_card(json.dumps({"name": "Ada", "description": "She.", "character_book": book}).encode())


def test_a_card_that_lies_too_deep_to_be_written_again_is_refused() -> None:
    chains = ",".join(["[" * 400 + "1" + "]" * 400] * 100)
    with pytest.raises(BadSetting, match="more than any agent needs"):
        read_card(f'{{"name": "Ann", "description": "She.", "evil": [{chains}]}}'.encode())


def test_what_was_kept_of_an_older_card_is_left_out_where_it_lies_too_deep() -> None:
    deep: Json = []
    for _ in range(400):
        deep = [deep]
    ann = made(5, name="Ann", prompt="You are Ann.")
    text = written(ann, Mind(agent_id=ann.id), {"creator_notes": "kept", "evil": deep})
    assert json.loads(text)["data"]["name"] == "Ann"
    assert len(text) < 2_000


def test_lore_goes_out_with_an_agent_and_what_a_card_said_of_it_first() -> None:
    lore = read_card(json_card(V2)).lore
    clone = card_of(made(4, lore=lore), Mind(agent_id=AgentId(4)), {})
    assert read_card(json.dumps(clone).encode()).lore == lore
    told: dict[str, Json] = {"character_book": {"entries": [], "name": "as it was"}}
    assert json.loads(written(made(4, lore=lore), Mind(agent_id=AgentId(4)), told))["data"].items() >= told.items()
