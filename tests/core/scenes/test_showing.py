"""Marks become words, what somebody wrote is never a mark, and boards tell everybody the same."""

from dataclasses import replace

from bot.core.records import AgentId, CommunityId, SceneId, Snowflake
from bot.core.scenes.chat import CHAT, ChatOptions
from bot.core.scenes.records import Scene, SceneEvent, SceneStatus, Seated
from bot.core.scenes.showing import (
    Cast,
    board_of,
    cast_of,
    fits,
    lines_for,
    play_of,
    press_id,
    refusal_to_begin,
    stretches,
)
from tests.core.scenes.plays import of
from tests.fakes import START

SCENE = Scene(
    community_id=CommunityId(1),
    id=SceneId(7),
    kind="chat",
    version=CHAT.version,
    title="Tea",
    room_id=AgentId(1),
    options={"topic": "tea", "briefs": {"2": "hush"}},
    started_by=Snowflake(1),
    created_at=START,
    seats=(Seated(seat=1, agent_id=AgentId(1)),),
)
NAMES = {1: "Ada", 2: "Bo"}


def event(id: int, text: str | None, **fields: object) -> SceneEvent:
    base: dict[str, object] = {"id": id, "step": 1, "kind": "note", "text": text, "at": START}
    return SceneEvent(**(base | fields))  # type: ignore[arg-type]


def test_marks_become_words_and_what_is_erased_says_so() -> None:
    cast = Cast(names=NAMES, texts={1: "I am {s2} {o.topic}", 2: None}, options=SCENE.options)
    assert cast.words("{s1}: {t1}") == "Ada: I am {s2} {o.topic}"
    assert cast.words("{t2} {t3} {s9}") == "(removed) (removed) somebody who left"
    assert cast.words("{o.topic}, {o.briefs.2}, {o.nothing}") == "tea, hush, –"


def test_a_seat_hears_what_is_for_all_and_what_is_for_it_and_the_end_tells_everything() -> None:
    events = [
        event(1, "Hello", kind="text", number=1, seat=1),
        event(2, "{t1}", seat=1),
        event(3, "for one", audience=(2,)),
    ]
    cast = cast_of(SCENE, events, NAMES)
    assert lines_for(events, cast, 1) == lines_for(events, cast, 0) == ["Ada: Hello"]
    assert lines_for(events, cast, 2) == lines_for(events, cast, None) == ["Ada: Hello", "for one"]


def test_a_lobby_says_what_is_missing() -> None:
    assert refusal_to_begin(SCENE) == "It needs 2 seats taken: 1 more."
    board = board_of(SCENE, [], NAMES, [(AgentId(2), "Bo")])
    assert board.lines[:2] == ("1. Ada", "1 of 12 seats taken.")
    assert board.agents == ((2, "Bo"),)
    person = replace(SCENE, seats=(*SCENE.seats, Seated(seat=2, person_id=Snowflake(7))))
    board = board_of(person, [], {**NAMES, 2: "@robin.hood"})
    assert board.lines[1] == "2. <@7>"  # which Discord shows by the name that they have there
    assert board.names[2] == "@robin.hood"
    full = replace(SCENE, seats=tuple(Seated(seat=one) for one in range(1, 14)))
    assert refusal_to_begin(full) == "It has 12 seats at most: somebody has to leave."


def test_of_what_nobody_set_nothing_is_told() -> None:
    for topic, told in (("", False), ("Tea at five", True)):
        lobby = replace(SCENE, kind="council", options={"topic": topic}, status=SceneStatus.RUNNING)
        play = play_of(lobby)
        assert play is not None
        running = replace(lobby, standing=play.begin((1, 2, 3)).standing.packed())
        assert any("About" in line for line in board_of(running, [], NAMES).lines) is told


def test_a_kind_of_an_older_version_is_not_played_on() -> None:
    assert "not played any more" in board_of(replace(SCENE, version=99), [], NAMES).lines[-1]
    assert SCENE.status is SceneStatus.LOBBY


def test_the_id_of_a_button_holds_neither_seat_nor_role() -> None:
    assert press_id("seat", SceneId(7)) == "scene:seat:7:0"


def test_a_talk_in_the_order_of_seats_says_who_follows() -> None:
    playing = of(CHAT, ChatOptions(), 3)
    assert ("Then", "{s2}") in playing.standing.state.view(0).facts
    playing.move(1, "say", text="Hello.")
    playing.move(2, "yield")
    assert ("Then", "{s1}") in playing.standing.state.view(0).facts


def test_a_line_that_told_an_event_is_known_by_all_of_it_and_not_by_a_word() -> None:
    texts = {5: "e", 6: "two\nlines"}
    vote = stretches("{s2}: yes. {t5}", 0, texts)
    assert fits("@mira: yes. e", vote)
    assert not any(fits(one, vote) for one in ("@mira: yes.", "e", "The vote is open.", "@mira: yes. e."))
    assert fits(
        "Wren moves motion 1: **two lines** e It needs a second.",
        stretches("{s1} moves motion 1: **{t6}** {t5} It needs a second.", 0, texts),
    )
    assert fits("Wren: e", stretches("{t5}", 1, texts))
    assert not fits("Somebody else", stretches("{t5}", 1, texts))
    assert fits("a b a c", stretches("a {s1} a {s2}", 0, texts))
    assert not fits("a ", stretches("a {s1} {t5} {s2} a", 0, texts))
    assert fits("e", stretches("{t5}", 0, texts))
