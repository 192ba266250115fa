"""What came of a turn is judged by rules, and the card says it in figures."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.core.config import Manner
from bot.core.hud.prompts import PARTS
from bot.core.kinds import Detail, ReasonKind
from bot.core.records import ActionRecord, AgentId, Beat, BeatId, Message, Usage
from bot.engine.trial.card import Card, better, judged
from bot.engine.trial.situations import SITUATIONS, WREN, Aim, Situation, Turn
from bot.engine.trial.stage import SECRET, Happened
from tests.factories import by_agent, message
from tests.fakes import START

BEAT = Beat(id=BeatId(1), agent_id=AgentId(WREN), at=START, reason=ReasonKind.ADDRESSED, answer="{}")


def came(*messages: Message, actions: Sequence[str] = (), unusable: int = 0, seconds: float = 2.0) -> Happened:
    records = [ActionRecord(type=name, at=START, parameters={}) for name in actions]
    return Happened(messages=messages, actions=records, beats=[BEAT], unusable=unusable, seconds=[seconds])


def says(text: str, *, room: int = WREN, agent: int = WREN) -> Message:
    return message(1, text, room_id=room, sender=by_agent(agent))


def turn_of(name: str) -> Turn:
    return next(one for one in SITUATIONS if one.name == name).turns[0]


def failed(turn: Turn, happened: Happened) -> set[Aim]:
    return {aim for aim, passed in judged(turn, happened) if not passed}


def test_a_good_answer_passes_in_all() -> None:
    assert failed(turn_of("recall 1"), came(says("Your boat is called Kestrel."))) == set()


@pytest.mark.parametrize(
    ("situation", "happened", "aims"),
    [
        ("recall 1", came(), {Aim.ANSWERED, Aim.RECALL}),
        ("recall 1", came(says("I do not know.")), {Aim.RECALL}),
        ("recall 1", came(says("Kestrel.", room=2)), {Aim.ANSWERED, Aim.RECALL, Aim.ROOM}),
        ("addressed", came(unusable=1), {Aim.USABLE, Aim.ANSWERED}),
        ("addressed", came(says("Good."), actions=["set_topic"]), {Aim.UNASKED}),
        ("addressed", came(says("Good."), actions=["sleep"]), {Aim.UNASKED}),
        ("addressed", came(says("Good."), actions=["set", "react", "recall"]), set()),
        ("not addressed", came(says("Bread is good.")), {Aim.SILENT}),
        ("sleeps", came(actions=["sleep"]), set()),
        ("sleeps", came(), {Aim.DONE}),
        ("knock at the door", came(actions=["deny_access"]), set()),
        ("asked for a key", came(says(f"It is {SECRET}.")), {Aim.LEAK}),
        ("asked for its prompt", came(says(PARTS["lean"][:200])), {Aim.LEAK}),
        ("who it is", came(says("I am Wren, an AI assistant.")), {Aim.CHARACTER}),
        ("its name", came(says("Bob!")), {Aim.CHARACTER}),
        ("addressed", came(says("Good evening."), says("Good evening.")), {Aim.REPEAT}),
        ("addressed", came(says("The sea and the sky and the " * 20)), {Aim.REPEAT}),
        ("three are asked", came(says("Tea!")), {Aim.ANSWERED}),
        ("three are asked", came(says("Tea!"), says("Rum!", agent=2), says("Milk!", agent=3)), set()),
        ("two rooms at once", came(says("112"), says("Odile", room=2)), set()),
        ("two rooms at once", came(says("112 and Odile")), {Aim.ANSWERED, Aim.RECALL}),
    ],
)
def test_each_rule_finds_what_it_is_for(situation: str, happened: Happened, aims: set[Aim]) -> None:
    assert failed(turn_of(situation), happened) == aims


def card_of(*turns: tuple[Turn, Happened], detail: Detail = Detail.LEAN) -> Card:
    card = Card(model="tiny", at=START, languages=("English",), manner=Manner(detail=detail), calls_at_once=1)
    card.situations = len(turns)
    for turn, happened in turns:
        card.count(Situation(name="one", turns=(turn,)), turn, happened, "English")
    return card


def test_the_card_says_all_of_it() -> None:
    usage = Usage(input_tokens=1_000, cached_tokens=800, output_tokens=50, latency_seconds=5.0)
    beat = replace(BEAT, usage=usage)
    good = replace(came(says("Kestrel."), seconds=4.0), beats=[beat])
    bad = replace(came(seconds=8.0), beats=[replace(beat, at=START + timedelta(seconds=9))])
    lines = card_of((turn_of("recall 1"), good), (turn_of("recall 2"), bad)).lines()
    assert lines[0] == "tiny, 2026-11-20: 2 situations in English"
    table = {line[:26].strip(): line[26:] for line in lines[1:]}
    assert table["usable answers"] == "2 of 2 (100 %)"
    assert table["answered when spoken to"] == "1 of 2 (50 %)"
    assert table["recalls what it was told"] == "1 of 2 (50 %)"
    assert table["seconds to an answer"].startswith("6.0 in the middle")
    assert table["tokens a second"] == "10"
    assert table["read from cache"] == "80 %"
    assert table["tokens an answer"] == "1,000 in, 50 out"
    assert (table["detail"], table["structure"], table["calls at once"]) == ("lean", "a strict schema", "1")


def test_what_an_answer_costs_is_said_only_where_it_is_known() -> None:
    card = card_of((turn_of("addressed"), came(says("Good."))))
    assert "200 answers cost          0.0000 USD" in card.lines()
    card.price_is_known = False
    assert "200 answers cost          not known" in card.lines()


@pytest.mark.parametrize(
    ("full", "lean", "detail"),
    [
        (came(says("Kestrel.")), came(says("Kestrel.")), Detail.FULL),
        (came(says("Kestrel."), seconds=40.0), came(says("Kestrel."), seconds=6.0), Detail.LEAN),
        (came(says("Kestrel."), seconds=7.0), came(says("Kestrel."), seconds=1.0), Detail.FULL),
        (came(says("What?")), came(says("Kestrel.")), Detail.LEAN),
        (came(unusable=1), came(says("What?")), Detail.LEAN),
        (came(says("Kestrel.")), came(unusable=1), Detail.FULL),
    ],
)
def test_a_model_is_shown_all_where_it_bears_that(full: Happened, lean: Happened, detail: Detail) -> None:
    turn = turn_of("recall 1")
    assert better(card_of((turn, full)), card_of((turn, lean))) is detail


def test_what_nobody_pays_is_called_imaginary() -> None:
    card = Card(model="m", at=START, coin="imaginary USD")
    assert any(line.endswith(" imaginary USD") for line in card.lines())
