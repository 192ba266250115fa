"""The `text` HUD: what people and models read, and what nobody can forge in it."""

import re
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings

from bot.core.kinds import InputFormat, Visibility
from bot.core.records import AgentId
from bot.core.view import RoomView
from tests import factories
from tests.core.hud.formats.test_lines import LINE
from tests.core.hud.golden import FOLDER, KAI, LUNA, TALLY, garden, texts
from tests.core.hud.worlds import Drawn, examples, hud, worlds
from tests.fakes import START


@pytest.mark.parametrize("name", ["one_agent.txt", "three_agents.txt", "lean.txt"])
def test_a_hud_reads_as_the_golden_file_does(name: str) -> None:
    assert texts()[name] == (FOLDER / name).read_text(), "if that is wanted: python -m tests.core.hud.golden"


def test_the_constant_part_comes_first_and_the_most_volatile_last() -> None:
    text = hud(garden(), LUNA).input
    heads = (
        "DIRECTORY",
        "AGENT 1",
        ">>> IDENTITY",
        ">>> KNOWLEDGE",
        "--- Room: Luna",
        "NOW\n",
        ">>> RECENT",
        ">>> BUDGET",
    )
    shown_rooms = [text.index(head) for head in heads]
    assert shown_rooms == sorted(shown_rooms)


def test_sections_of_an_agent_are_in_the_documented_order() -> None:
    heads = re.findall(r">>> (.+?) <<<\n", hud(garden(), LUNA).input)
    assert heads == [
        "IDENTITY", "MEMORY ALLOCATIONS", "KNOWLEDGE STORE", "FOCUS", "RECENT ACTIONS", "LOOKUPS",
        "ROOMS", "BUDGET STATUS",
    ]  # fmt: skip


def test_an_empty_focus_says_what_belongs_there_on_this_side_only() -> None:
    told = "keep its task, steps and decisions here"
    closed = RoomView(room=factories.room(1, visibility=Visibility.PRIVATE), members=(AgentId(1),))
    assert hud(factories.view([factories.agent(1)]), 1).input.count(told) == 1
    assert hud(factories.view([factories.agent(1)], rooms=[closed]), 1, side=1).input.count(told) == 1


@pytest.mark.parametrize("hud_format", InputFormat)
def test_a_threads_name_carries_no_note(hud_format: InputFormat) -> None:
    private = factories.room(9, visibility=Visibility.PRIVATE)
    room = replace(private, thread_of=AgentId(1), thread_name="plans (your own room) [file x]")
    message = factories.message(1, "hi", room_id=9, thread_name="talk (edited) [file y]")
    shown = RoomView(room=room, members=(AgentId(1),), messages=(message,))
    mine = factories.membership(1, 9)
    view = factories.view([factories.agent(1)], rooms=[shown], memberships=[mine])
    text = hud(view, 1, side=9, hud_format=hud_format).input
    assert "plans your own room file x" in text and "talk edited file y" in text


def heads_of(text: str) -> Counter[str]:
    """The lines that open something, apart from what they name."""
    opening = (line for line in text.splitlines() if line.startswith((">>> ", "====", "----", "--- Room:", "AGENT ")))
    return Counter(re.sub(r": .*", "", line) for line in opening)


@settings(max_examples=examples(25), deadline=None)
@given(worlds())
def test_hostile_communities_have_the_same_heads_as_tame_ones(drawn: Drawn) -> None:
    view = drawn.view
    text = hud(view, 1).input
    heads = heads_of(text)
    shown = hud(view, 1).parts[0]
    assert heads["AGENT 1"] == 1
    assert heads["--- Room"] == len(shown.room_ids)
    assert heads["=" * 80] == 3
    lines = [line for line in text.splitlines() if re.match(r"\[\d+ ", line)]
    assert len(lines) == len(shown.message_ids)
    assert all(LINE.fullmatch(line) for line in lines)


def test_retired_agents_are_named_only_where_they_are_still_in_a_room() -> None:
    view = garden()
    gone = {id: replace(agent, retired_at=START) for id, agent in view.agents.items() if id in (KAI, TALLY)}
    view = replace(view, agents={**view.agents, **gone})
    assert "2 Kai (persona, retired): boats\n" in hud(view, LUNA).input
    alone = {(AgentId(LUNA), AgentId(LUNA)): view.memberships[AgentId(LUNA), AgentId(LUNA)]}
    directory = hud(replace(view, memberships=alone, rooms={}), LUNA).input.split("AGENT 1")[0]
    assert "Luna" in directory and "Kai" not in directory
