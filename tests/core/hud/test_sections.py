"""The view that a weak mind can bear: small, whole in what matters, and on the same side of every barrier."""

import json
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.core.actions import BY_NAME, LEAN
from bot.core.config import CommunityConfig
from bot.core.hud.call import Ask, build
from bot.core.hud.constant import constant_part
from bot.core.hud.prompts import prompts_of
from bot.core.hud.values import fields
from bot.core.kinds import InputFormat, OutputFormat, ReasonKind, Visibility
from bot.core.records import PUBLIC_SIDE, ActionRecord, AgentId, Json, Lookup, MessageId, Mind, Reason
from bot.core.schema import LeanForm
from bot.core.view import RoomView, View
from bot.standin.reader import read_hud
from bot.tokens import by_bytes, o200k
from tests import factories
from tests.core.hud.golden import KAI, LUNA, garden
from tests.core.hud.worlds import NOW, Drawn, examples, hud, worlds
from tests.fakes import START, WordTokenizer

MOST_CONSTANT = 450  # tokens


def because(
    kind: ReasonKind = ReasonKind.ADDRESSED, room_id: int | None = LUNA, message_id: int | None = 105
) -> tuple[Reason, ...]:
    room = None if room_id is None else AgentId(room_id)
    message = None if message_id is None else MessageId(message_id)
    return (Reason(kind=kind, room_id=room, message_id=message, since=START, due_at=START),)


def listed(text: str) -> list[str]:
    return re.findall(r"^- (\w+)\(", text, re.MULTILINE)


@pytest.mark.parametrize("in_one_room", [True, False])
@pytest.mark.parametrize("structured", [True, False])
@pytest.mark.parametrize("output", list(OutputFormat))
@pytest.mark.parametrize("hud_format", list(InputFormat))
def test_what_is_constant_in_a_lean_view_is_at_most_450_tokens(
    hud_format: InputFormat, output: OutputFormat, structured: bool, in_one_room: bool
) -> None:
    form = LeanForm(LEAN, in_one_room)
    text = constant_part(prompts_of({}), hud_format, output, structured=structured, lean=form)
    assert o200k().count(text) <= MOST_CONSTANT


def test_a_lean_view_lists_eight_actions_at_most_and_the_schema_holds_just_those() -> None:
    built = hud(garden(), LUNA, lean=True, reasons=because())
    assert listed(built.instructions + built.input) == list(LEAN) and len(LEAN) <= 8
    assert re.findall(r'"enum": \["(\w+)"\]', json.dumps(built.schema)) == list(LEAN)


def test_a_lean_view_begins_with_who_it_is_and_ends_with_the_reason() -> None:
    text = hud(garden(), LUNA, lean=True, reasons=because()).input
    heads = (
        "AGENT 1: Luna",
        "seed: ",
        ">>> ROOMS",
        "--- Room: Luna",
        "] @mira: ",
        "NOW\n",
        ">>> LOOKUPS",
        ">>> WHAT YOU",
        "why: ",
    )
    places = [text.index(head) for head in heads]
    assert places == sorted(places)
    assert text.splitlines()[-1].startswith("why: @mira says to you in message 105: ")


@pytest.mark.parametrize("hud_format", [InputFormat.JSON, InputFormat.COMPACT_JSON])
def test_a_lean_view_in_json_ends_with_what_is_remembered_and_the_reason_too(hud_format: InputFormat) -> None:
    built = hud(garden(), LUNA, lean=True, reasons=because(), hud_format=hud_format)
    names = list(json.loads(built.input))
    assert (names[0], names[-2:]) == ("self", ["remembered", "why"])
    assert list(json.loads(built.input)["remembered"])[-1] == "knowledge"


def test_what_a_talk_adds_to_a_lean_view_stands_below_all_that_was_said_before() -> None:
    """So that a server whose cache knows the beginning reads only the new line, and what the line changes."""
    before, room = garden(), garden().rooms[AgentId(LUNA)]
    said = factories.message(107, "And the bread?", sender=room.messages[-1].sender, room_id=LUNA, sent_at=NOW)
    room = replace(room, messages=(*room.messages, said))
    after = replace(before, rooms={**before.rooms, AgentId(LUNA): room})
    first, second = (hud(view, LUNA, lean=True, reasons=because()).input for view in (before, after))
    assert first[: first.index("NOW\n")] == second[: second.index("[107 ")] + "=" * 80 + "\n"


@pytest.mark.parametrize("hud_format", [InputFormat.JSON, InputFormat.COMPACT_JSON])
def test_so_it_does_in_json(hud_format: InputFormat) -> None:
    before, room = garden(), garden().rooms[AgentId(LUNA)]
    said = factories.message(107, "And the bread?", sender=room.messages[-1].sender, room_id=LUNA, sent_at=NOW)
    deed = ActionRecord(type="set", at=NOW, parameters={"path": "bread", "value": "rye"}, accepted=True)
    mind = replace(before.mind_of(AgentId(LUNA)), recent_actions=(deed,))
    room = replace(room, messages=(*room.messages, said))
    minds = {**before.minds, (mind.agent_id, mind.side): mind}
    after = replace(before, rooms={**before.rooms, AgentId(LUNA): room}, minds=minds)
    texts = [hud(view, LUNA, lean=True, reasons=because(), hud_format=hud_format).input for view in (before, after)]
    at = next(at for at, (one, other) in enumerate(zip(*texts, strict=False)) if one != other)
    assert re.match(r'[\s,{]*"id":\s*107,', texts[1][at:])


def test_only_the_rooms_of_its_reasons_are_shown_and_what_is_said_in_several_names_its_room() -> None:
    one = hud(garden(), LUNA, lean=True, reasons=because())
    both = hud(garden(), LUNA, lean=True, reasons=(*because(), *because(ReasonKind.AMBIENT, KAI, 99)))
    assert "--- Room: Kai" not in one.input and "--- Room: Kai" in both.input
    assert list(fields(one.schema["properties"])) == ["message", "actions"]
    assert list(fields(both.schema["properties"])) == ["responses", "actions"]
    assert one.parts[0].room_ids == both.parts[0].room_ids == (LUNA, KAI)  # it may act where it could in a full view


def test_the_room_of_the_message_that_called_is_shown_with_what_was_looked_up_for_it() -> None:
    built = hud(garden(), LUNA, lean=True, reasons=because(ReasonKind.ANSWER, None, 99))
    assert "--- Room: Kai" in built.input and "--- Room: Luna" not in built.input


def test_who_knocks_is_shown_with_the_actions_that_decide() -> None:
    quiet, knocked = (hud(garden(), LUNA, lean=True, reasons=why) for why in (because(), because(ReasonKind.ACCESS)))
    assert "pending_access_requests" not in quiet.input and "moonflower" not in quiet.input
    assert "pending_access_requests: request 5 from @theo" in knocked.input
    assert {"grant_access", "deny_access"} <= set(listed(knocked.input))
    assert '"grant_access"' in json.dumps(knocked.schema) and '"grant_access"' not in json.dumps(quiet.schema)


@pytest.mark.parametrize("privileged", [True, False])
def test_more_shows_a_category_in_the_next_view_to_whom_it_is_for(privileged: bool) -> None:
    asked = Mind(agent_id=AgentId(1), lookups=(Lookup(question="more agents", answer="they stand under MORE ACTIONS"),))
    agent = factories.agent(1, can_create_agents=privileged)
    view = factories.view([agent], minds={(agent.id, PUBLIC_SIDE): asked})
    shown = listed(hud(view, 1, lean=True).input)
    assert ("create_agent" in shown) is privileged


def test_names_stand_beside_the_ids_of_those_who_spoke() -> None:
    assert "\n2 Kai\n" in hud(garden(), LUNA, lean=True, reasons=because()).input


def test_of_words_that_are_not_posted_yet_it_is_told_that_they_are_being_posted() -> None:
    said = ActionRecord(type="send_message", at=NOW, parameters={"message": "Hi"}, result="Said in room 1.")
    before = replace(said, at=NOW - timedelta(minutes=1))
    view = factories.view(
        [factories.agent(1)],
        minds={(AgentId(1), PUBLIC_SIDE): Mind(agent_id=AgentId(1), recent_actions=(before, said))},
    )
    assert hud(view, 1).input.count("Said in room 1.") == 2
    words = factories.message(9, "Hi", sender=factories.by_agent(1), room_id=1, discord_id=None, sent_at=NOW)
    text = hud(replace(view, being_posted={AgentId(1): (words,)}), 1).input
    assert text.count("Said in room 1.") == text.count("Being posted in room 1.") == 1


def test_a_lean_view_repeats_no_deed_that_stands_in_the_room() -> None:
    done = [("react", "thumbs_up on message 7", True), ("sleep", "asleep", True), ("react", "no such message", False)]
    deeds = tuple(
        ActionRecord(type=name, at=NOW, parameters={}, accepted=accepted, result=came if accepted else "", why=came)
        for name, came, accepted in done
    )
    view = factories.view(
        [factories.agent(1)], minds={(AgentId(1), PUBLIC_SIDE): Mind(agent_id=AgentId(1), recent_actions=deeds)}
    )
    text = hud(view, 1, lean=True).input
    assert "asleep" in text and "no such message" in text and "on message 7" not in text


def test_what_it_knows_is_shown_by_weight_and_what_is_hidden_can_be_asked_for() -> None:
    knows: dict[str, Json] = {f"fact{number}": {"v": "word " * 30, "w": number / 100} for number in range(20)}
    view = factories.view(
        [factories.agent(1)], minds={(AgentId(1), PUBLIC_SIDE): Mind(agent_id=AgentId(1), knowledge=knows)}
    )
    text = hud(view, 1, lean=True).input
    assert "fact19: " in text and "fact0: " not in text and "read them with get" in text


@pytest.mark.parametrize("hud_format", list(InputFormat))
def test_the_scripted_mind_reads_a_lean_view_in_every_format(hud_format: InputFormat) -> None:
    built = hud(garden(), LUNA, lean=True, reasons=because(), hud_format=hud_format)
    read = read_hud(f"{built.instructions}\n{built.input}")
    assert read is not None
    (seat,) = read.seats
    (room,) = seat.rooms
    assert (seat.id, seat.name, seat.kind) == (LUNA, "Luna", "persona") and "gardener" in seat.seed
    assert {line.id for line in room.lines} == built.parts[0].message_ids
    assert seat.knowledge["people"] and read.name_of(KAI) == "Kai"


@pytest.mark.slow
@settings(max_examples=examples(40), deadline=None)
@example(Drawn(39_763_938, ("",)), ReasonKind.ADDRESSED, 0)  # a name of a hundred tokens, and paths as long
@given(worlds(), st.sampled_from(list(ReasonKind)), st.integers(0, 3))
def test_no_lean_view_exceeds_its_budget_and_its_count_is_exact(drawn: Drawn, kind: ReasonKind, room: int) -> None:
    view = drawn.view
    for agent_id in list(view.agents)[:2]:
        built = hud(view, agent_id, lean=True, reasons=because(kind, room or agent_id, drawn.seed % 40))
        counted = o200k().count(built.input)
        most = min(view.agents[agent_id].token_budget, view.config.lean_tokens)
        assert counted == built.parts[0].tokens <= most
        assert built.tokens == o200k().count(built.instructions + built.input)
        assert sum(tokens for _, tokens in built.parts[0].sections) == counted


@settings(max_examples=examples(15), deadline=None)
@given(worlds(), st.sampled_from(list(InputFormat)), st.sampled_from([by_bytes(), WordTokenizer()]))
def test_lean_views_keep_to_their_budget_however_they_are_written_and_counted(
    drawn: Drawn, hud_format: InputFormat, tokenizer: WordTokenizer
) -> None:
    view = replace(drawn.view, config=CommunityConfig(lean_tokens=2_000))
    built = build(
        view,
        [Ask(agent_id=AgentId(1), reasons=because(room_id=1))],
        now=NOW,
        tokenizer=tokenizer,
        input_format=hud_format,
        output_format=OutputFormat.JSON,
        structured=False,
        lean=True,
    )
    assert tokenizer.count(built.input) == built.parts[0].tokens <= 2_000


@settings(max_examples=examples(15), deadline=None)
@given(worlds())
def test_a_lean_view_shows_nothing_that_the_full_one_may_not(drawn: Drawn) -> None:
    view = drawn.view
    for agent_id, room_id in list(view.memberships)[:6]:
        side = view.rooms[room_id].room.side
        lean = hud(view, agent_id, side=side, lean=True, reasons=because(room_id=room_id)).parts[0]
        mine = view.rooms_of(agent_id, side)
        assert set(lean.shown_ids) <= set(lean.room_ids) == {one.room.id for one in mine}
        seen = {message.id for one in mine for message in view.visible(agent_id, one)}
        assert lean.message_ids <= seen


def closed_and_open() -> View:
    """Ada is in an open room and in a closed one, where she joined late, and knows something of each side."""
    ada = factories.agent(1, name="Ada")
    closed = factories.room(2, visibility=Visibility.PRIVATE)
    said = [factories.message(number, f"closed word {number}", room_id=2) for number in (5, 6)]
    opened = [factories.message(number, f"open word {number}") for number in (7, 8)]
    return factories.view(
        [ada, factories.agent(2)],
        rooms=[
            RoomView(room=closed, members=(AgentId(2), AgentId(1)), messages=tuple(said)),
            RoomView(room=factories.room(1), members=(AgentId(1),), messages=tuple(opened)),
        ],
        memberships=[factories.membership(1, 2, joined_after=MessageId(5), joined_at=START + timedelta(minutes=1))],
        minds={
            (AgentId(1), PUBLIC_SIDE): Mind(agent_id=AgentId(1), knowledge={"in_the_open": "yes"}),
            (AgentId(1), closed.side): Mind(
                agent_id=AgentId(1), side=closed.side, knowledge={"behind_the_door": "yes"}
            ),
        },
    )


def test_the_barrier_between_sides_holds_in_a_lean_view() -> None:
    view = closed_and_open()
    opened = hud(view, 1, lean=True, reasons=because(room_id=1, message_id=8)).input
    closed = hud(view, 1, side=2, lean=True, reasons=because(room_id=2, message_id=6)).input
    assert "open word 8" in opened and "closed word" not in opened and "behind_the_door" not in opened
    assert "closed word 6" in closed and "closed word 5" not in closed and "open word" not in closed
    assert "behind_the_door" in closed and "in_the_open" in closed  # which it may read there, as in a full view


def test_every_lean_action_is_one_that_agents_have() -> None:
    assert all(BY_NAME[name].for_agents and not BY_NAME[name].privileged for name in LEAN)
