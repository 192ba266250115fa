"""Shared calls: each room once, each agent's data its own, the same messages as alone."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.hud.call import BuiltCall
from bot.core.kinds import InputFormat, Visibility
from bot.core.records import PUBLIC_SIDE, AgentId, Mind
from bot.core.view import RoomView, View
from tests import factories
from tests.core.hud.golden import KAI, LUNA, TALLY, garden
from tests.core.hud.worlds import Drawn, examples, hud, worlds


@pytest.mark.slow
@settings(max_examples=examples(25), deadline=None)
@given(worlds(), st.sampled_from(InputFormat))
def test_a_shared_call_shows_each_agent_the_same_messages_as_alone(drawn: Drawn, hud_format: InputFormat) -> None:
    view = drawn.view
    ids = list(view.agents)[:4]
    shared = hud(view, *ids, *ids[: max(0, 2 - len(ids))], hud_format=hud_format)
    for id, part in zip(ids, shared.parts, strict=False):
        alone = hud(view, id, hud_format=hud_format).parts[0]
        assert part.message_ids == alone.message_ids
        assert part.window_starts == alone.window_starts
        assert part.room_ids == alone.room_ids
        assert part.tokens <= view.agents[id].token_budget
        assert part.message_ids <= lines_of(shared) or hud_format is not InputFormat.TEXT


def lines_of(built: BuiltCall) -> set[int]:
    return {int(found[1]) for found in re.finditer(r"^\[(\d+) \d\d:\d\d\]", built.input, re.MULTILINE)}


def test_each_room_is_shown_once_with_its_messages() -> None:
    text = hud(garden(), LUNA, KAI, TALLY).input
    assert text.count("--- Room: Luna (ID: 1) ---") == 1
    assert text.count("what could I plant next to the jasmine") == 1


def test_segments_follow_the_rooms_and_name_what_each_agent_sees() -> None:
    text = hud(garden(), LUNA, KAI, TALLY).input
    assert text.index("--- Room: Tally") < text.index("AGENT 1: Luna") < text.index("AGENT 2: Kai")
    kai = text[text.index("AGENT 2: Kai") : text.index("AGENT 3: Tally")]
    assert "1 Luna: attention_pct 50 (%*)" in kai and "messages from 97" in kai
    assert "mira.trust" not in kai


def test_an_isolation_notice_stands_in_shared_calls_only() -> None:
    assert "unknown to the others" in hud(garden(), LUNA, KAI).input
    assert "unknown to the others" not in hud(garden(), LUNA).input


def test_secrets_of_keys_are_shown_to_their_owner_alone() -> None:
    assert "moonflower" in hud(garden(), LUNA).input
    shared = hud(garden(), LUNA, KAI)
    assert "moonflower" not in shared.input + shared.instructions
    assert '"friends"' in shared.input


def test_the_constant_part_is_the_same_for_all() -> None:
    one, other, both = hud(garden(), LUNA), hud(garden(), KAI), hud(garden(), LUNA, KAI)
    assert one.instructions == other.instructions
    told, _, _ = one.instructions.partition(">>> ANSWER <<<")
    assert both.instructions.startswith(told)  # a call of one only answers otherwise
    for word in ("Luna", "Kai", "2026", "mira", "Testers"):
        assert word not in one.instructions


def test_the_cache_key_follows_the_rooms_and_nothing_else() -> None:
    assert hud(garden(), LUNA).cache_key == hud(garden(), LUNA).cache_key
    assert hud(garden(), LUNA).cache_key != hud(garden(), KAI, TALLY).cache_key


def test_a_private_room_is_not_there_on_public_beats_and_the_other_way_round() -> None:
    view = behind_a_key()
    public, private = hud(view, 1).input, hud(view, 1, side=2).input
    assert "the password is owl" not in public
    assert "the password is owl" in private
    assert "met at the fair" in private[private.index("FROM YOUR PUBLIC ROOMS") :]
    assert "--- Room: Agent1" not in private


def behind_a_key() -> View:
    room = factories.room(2, visibility=Visibility.PRIVATE)
    shown = RoomView(room=room, members=(AgentId(2), AgentId(1)))
    minds = {
        (AgentId(1), PUBLIC_SIDE): Mind(agent_id=AgentId(1), knowledge={"theo": "met at the fair"}),
        (AgentId(1), room.side): Mind(agent_id=AgentId(1), side=room.side, knowledge={"plan": "the password is owl"}),
    }
    agents = [factories.agent(1), factories.agent(2)]
    return factories.view(agents, rooms=[shown], memberships=[factories.membership(1, 2)], minds=minds)


def test_the_other_formats_show_each_room_once_too() -> None:
    for hud_format in set(InputFormat) - {InputFormat.TEXT}:
        built = hud(garden(), LUNA, KAI, TALLY, hud_format=hud_format)
        assert built.input.count("what could I plant next to the jasmine") == 1
        assert len(built.parts) == 3
