"""Whom a line without a name is for: who was asked answers next, talks go on across others, names turn away."""

from bot.core.addressing import Way, ways_of
from bot.core.kinds import ReasonKind
from bot.core.reasons import cues_for, reasons_for
from bot.core.records import AgentId, Message, MessageId, Snowflake
from bot.core.view import RoomView, View
from tests.factories import agent, by_agent, by_person, later, membership, message, room, view

IRIS, OTTO, ROOM = 1, 2, 3
MIRA, ROB = by_person("mira", 501), by_person("rob", 502)


def talk(*lines: Message, **fields: object) -> View:
    """Iris and Otto in a room whose owner is not there."""
    them = (agent(IRIS, name="Iris", last_beat_at=later(-1), **fields), agent(OTTO, name="Otto"))
    place = RoomView(room=room(ROOM), members=(AgentId(IRIS), AgentId(OTTO)), messages=lines)
    return view(them, rooms=[place], memberships=[membership(id, ROOM, patience_seconds=64.0) for id in (IRIS, OTTO)])


def said(id: int, who: object, text: str, *, at: float | None = None, **fields: object) -> Message:
    return message(id, text, room_id=ROOM, sender=who, sent_at=later(id if at is None else at), **fields)


def ways(*lines: Message) -> dict[int, Way]:
    seen = talk(*lines)
    return {int(id): way for id, way in ways_of(seen, seen.rooms[AgentId(ROOM)], lines[-1]).items()}


ASKED = (
    said(1, MIRA, "my screen flickers"),
    said(2, by_agent(IRIS), "mira: which driver do you use?"),
    said(3, ROB, "morning everyone"),
)


def test_who_was_asked_answers_with_the_next_line_whoever_speaks_between() -> None:
    assert ways(*ASKED, said(4, MIRA, "the one it came with")) == {IRIS: Way.GOING_ON}


def test_who_was_mentioned_before_they_ever_spoke_here_answers_as_well() -> None:
    asked = (said(1, by_agent(IRIS), "@Mira: which driver do you use?"), said(2, ROB, "morning everyone"))
    assert ways(*asked, said(3, MIRA, "the one it came with")) == {IRIS: Way.GOING_ON}
    assert ways(*asked, said(3, ROB, "the one it came with")) == {}
    turned = said(3, MIRA, "rob: good morning")
    assert ways(*asked, turned, said(4, MIRA, "slept well?")) == {}


def test_somebody_else_does_not_answer_for_who_was_asked() -> None:
    assert ways(*ASKED, said(4, ROB, "the one it came with")) == {}


def test_a_line_that_names_somebody_else_is_for_them() -> None:
    assert ways(*ASKED, said(4, MIRA, "rob: good morning")) == {}
    assert ways(*ASKED, said(4, MIRA, "@stranger are you here")) == {}


def test_who_turned_to_somebody_else_no_longer_answers_the_agent() -> None:
    turned = said(4, MIRA, "rob: good morning")
    assert ways(*ASKED, turned, said(5, MIRA, "slept well?")) == {}


def test_a_command_for_another_bot_is_no_answer_and_turns_away_from_the_agent() -> None:
    played = said(4, MIRA, "!play the harbour song")
    assert ways(*ASKED, played) == {}
    assert ways(*ASKED, played, said(5, MIRA, "lovely")) == {}
    named = said(2, MIRA, "Iris, what shall we hear?")
    assert ways(named, said(3, MIRA, "!play the harbour song")) == {}


def test_a_cry_and_a_command_that_names_an_agent_are_for_the_agent() -> None:
    assert ways(*ASKED, said(4, MIRA, "!!! the one it came with")) == {IRIS: Way.GOING_ON}
    assert ways(*ASKED, said(4, MIRA, "!rank Iris")) == {IRIS: Way.MENTIONED}


def test_a_reply_to_a_person_is_for_that_person() -> None:
    assert ways(*ASKED, said(4, MIRA, "the same to you", reply_to=MessageId(3))) == {}


def test_words_that_were_said_long_ago_are_not_waited_for() -> None:
    assert ways(*ASKED, said(4, MIRA, "right, back again", at=400)) == {}


def test_who_spoke_to_the_person_last_is_answered_agent_or_not() -> None:
    assert ways(*ASKED, said(4, ROB, "mira: hi to you too"), said(5, MIRA, "hi")) == {}
    assert ways(*ASKED, said(4, by_agent(OTTO), "mira, try nouveau"), said(5, MIRA, "ok")) == {OTTO: Way.GOING_ON}


def test_the_second_line_after_a_question_is_a_likely_answer() -> None:
    first = said(4, MIRA, "the one it came with")
    other = said(5, ROB, "lovely day")
    assert ways(*ASKED, first, other, said(6, MIRA, "and it is slow")) == {IRIS: Way.LIKELY}
    told = (ASKED[0], said(2, by_agent(IRIS), "mira: use the other driver"))
    assert ways(*told, said(3, MIRA, "ok"), said(4, ROB, "hm"), said(5, MIRA, "will do")) == {}


def test_a_word_that_only_the_agent_used_makes_a_later_line_likely() -> None:
    told = (ASKED[0], said(2, by_agent(IRIS), "mira: try nouveau instead"))
    busy = (said(3, MIRA, "ok"), said(4, ROB, "hm"), said(5, MIRA, "lunch", at=60), said(6, ROB, "hm", at=61))
    assert ways(*told, *busy, said(7, MIRA, "nouveau is not there", at=90)) == {IRIS: Way.LIKELY}
    known = said(6, ROB, "I like nouveau", at=61)
    assert ways(*told, *busy[:3], known, said(7, MIRA, "nouveau is not there", at=90)) == {}


def test_a_talk_in_a_thread_is_not_taken_for_one_in_the_channel() -> None:
    asked = (ASKED[0], said(2, by_agent(IRIS), "mira: which driver?", thread_id=Snowflake(77)))
    assert ways(*asked, ASKED[2], said(4, MIRA, "the one it came with")) == {}


def test_an_agent_looks_soon_at_a_line_that_is_likely_for_it_whatever_its_patience() -> None:
    lines = (*ASKED, said(4, MIRA, "the one it came with"), said(5, ROB, "hm"), said(6, MIRA, "and it is slow"))
    seen = talk(*lines, interval_seconds=5.0)
    puts = reasons_for(seen, AgentId(ROOM), lines[-1], now=later(6))
    iris = next(put.reason for put in puts if put.agent_id == IRIS)
    assert iris.kind is ReasonKind.AMBIENT
    assert iris.due_at <= later(7)  # its interval of 5 s after its beat has passed: at the next slot
    assert (
        cues_for(seen, AgentId(ROOM), lines[-1], ways_of(seen, seen.rooms[AgentId(ROOM)], lines[-1]), now=later(6))
        == []
    )
