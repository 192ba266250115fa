"""The ring of a chat and the horseshoe of a council: who speaks, what is decided, and nothing of an open ballot."""

import threading
from collections.abc import Mapping
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from bot.core.records import Json, SceneId
from bot.core.scenes.chat import CHAT, ChatOptions
from bot.core.scenes.council.kind import COUNCIL
from bot.core.scenes.council.state import CouncilOptions
from bot.core.scenes.kind import RULES
from bot.core.scenes.play import Rule
from bot.core.scenes.records import SceneStatus
from bot.core.scenes.showing import Board, Cast, Told, board_of, cast_of, pictured
from bot.picture_text import width
from cogs.ui import scene_pictures
from cogs.ui.pictures import WIDTH
from cogs.ui.rings import SIDE
from cogs.ui.round_table import ROW, round_table, round_table_words
from cogs.ui.scene_pictures import board_picture, results_text
from tests.core.scenes.plays import Playing, of
from tests.core.scenes.surfaces import scene_at

NAMES = {1: "Wren", 2: "Somebody whose name is longer than any picture has room for", 3: "@你好", 4: "Bo"}
TEXTS = {1: "A rule", 2: "Nobody shouts.", 3: "Nobody shouts at night."}


def board(playing: Playing) -> Mapping[str, Json]:
    """Give what the board's picture is drawn from."""
    cast = Cast(names=NAMES, texts=TEXTS, options={"topic": "the garden"})
    return pictured(playing.standing.state.view(0), cast)


def size(shown: Mapping[str, Json], names: Mapping[int, str] = NAMES) -> tuple[int, int]:
    return Image.open(BytesIO(round_table(shown, names))).size


def meeting(seats: int = 4, **options: object) -> Playing:
    """Hold a council whose seat 1 presides, in which a motion is on the table and was amended."""
    council = of(COUNCIL, CouncilOptions.model_validate(options), seats)
    council.move(1, "move_motion", title="A rule", text="Nobody shouts.")
    council.move(2, "amend", clause=1, text="Nobody shouts at night.")
    council.move(3, "yield")
    council.move(4, "yield")
    return council


def test_a_council_shows_its_motion_its_quorum_and_who_speaks() -> None:
    council = meeting()
    told = round_table_words(board(council), NAMES)
    assert told == (
        "Debate; About: the garden; Motion 1: **A rule** (1) Nobody shouts.; "
        f"Amendment of {NAMES[2]}, clause 1: Nobody shouts at night.; Presiding: Wren; Quorum: 2 of 3 members"
    )
    shown = board(council)
    assert shown["middle"] == ["Debate", "motion 1, 1 clause", "1 amendment"]
    assert shown["about"] == "A rule"
    assert [one["seat"] for one in shown["seats"] if one["speaks"]] == [1]  # type: ignore[union-attr,index,call-overload]
    before = round_table(shown, NAMES)
    council.move(1, "speak", text="Well.")
    assert round_table(board(council), NAMES) != before
    assert size(board(council)) == (WIDTH, WIDTH)


@pytest.mark.parametrize("secret", [False, True])
def test_a_ballot_that_goes_on_is_not_in_the_picture_and_a_secret_one_never_by_seat(*, secret: bool) -> None:
    council = meeting(secret=secret)
    council.move(1, "call_vote")
    opened = board(council)
    council.move(2, "vote", choice="yes")
    council.move(3, "vote", choice="no")
    assert board(council) == opened
    assert round_table(board(council), NAMES) == round_table(opened, NAMES)
    council.move(4, "vote", choice="yes")  # the amendment passes, and the motion is voted on at once
    assert "voted" not in str(board(council))
    assert "passed: 2 yes, 1 no" in round_table_words(board(council), NAMES)
    for seat, choice in ((2, "yes"), (3, "abstain"), (4, "yes")):
        council.move(seat, "vote", choice=choice)
    told = round_table_words(board(council), NAMES)
    assert told.endswith(f"Last ballot: {NAMES[2]} yes, @你好 abstained, Bo yes") is not secret
    notes = [one["note"] for one in board(council)["seats"]]  # type: ignore[union-attr,index,call-overload]
    assert notes == (["presides", "", "", ""] if secret else ["presides", "voted yes", "abstained", "voted yes"])
    assert size(board(council)) == (WIDTH, WIDTH + 2 * ROW + 22)


def test_of_two_secret_ballots_that_came_out_alike_the_pictures_are_the_same_bytes() -> None:
    drawn = []
    for choices in (("yes", "no", "yes"), ("no", "yes", "yes")):
        council = meeting(secret=True)
        council.move(1, "call_vote")
        for seat, choice in zip((2, 3, 4), choices, strict=True):
            council.move(seat, "vote", choice=choice)
        drawn.append(round_table(board(council), NAMES))
    assert drawn[0] == drawn[1]


def test_what_was_taken_back_is_not_in_the_picture() -> None:
    cast = Cast(names=NAMES, texts={**TEXTS, 1: None}, options={})
    shown = pictured(meeting().standing.state.view(0), cast)
    assert shown["about"] == "(removed)"
    assert "A rule" not in round_table_words(shown, NAMES)


def test_a_chat_shows_who_speaks_who_follows_and_how_much_each_has_said() -> None:
    talk = of(CHAT, ChatOptions(turns=9), 3)
    talk.move(1, "say", text="Good evening.")
    talk.move(2, "yield")
    talk.move(3, "say", text="To you, too.")
    talk.move(1, "say", text="So.")
    told = round_table_words(board(talk), NAMES)
    assert told == "Talking; Topic: the garden; Turns left: 5; Then: @你好; Spoke: Wren 2, @你好 1"
    shown = board(talk)
    assert [(one["said"], one["note"]) for one in shown["seats"]] == [(2, "spoke 2×"), (0, ""), (1, "spoke 1×, next")]  # type: ignore[union-attr,index,call-overload]
    before = round_table(shown, NAMES)
    talk.enter(RULES, Rule.AWAY, {"seat": 2})
    assert round_table(board(talk), NAMES) != before
    assert "'note': 'away'" in str(board(talk))


def test_a_seat_that_looks_at_its_own_is_shown_no_picture_that_the_board_has_already() -> None:
    assert meeting().standing.state.view(2).picture == {}


def test_as_many_as_there_may_be_find_their_place_and_no_topic_is_no_word() -> None:
    names = {seat: f"Somebody with a very long name {seat}" for seat in range(1, 17)}
    crowd = of(COUNCIL, CouncilOptions(), 16)
    assert size(crowd.standing.state.view(0).picture, names) == (WIDTH, WIDTH)
    cast = Cast(names=NAMES, options={"topic": ""})
    assert "Topic" not in round_table_words(pictured(of(CHAT, ChatOptions(), 2).standing.state.view(0), cast), NAMES)


async def test_a_board_is_drawn_off_the_loop_with_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = []

    def draw(shown: Mapping[str, Json], names: Mapping[int, str]) -> bytes:
        threads.append(threading.current_thread())
        return round_table(shown, names)

    monkeypatch.setitem(scene_pictures.PICTURES, "council", (draw, round_table_words))
    shown = Board(
        scene_id=SceneId(1),
        window=0,
        title="Council 1",
        status=SceneStatus.RUNNING,
        lines=(),
        kind="council",
        names=NAMES,
        picture=board(meeting()),
    )
    file = await board_picture(shown)
    assert file is not None and (file.description or "").startswith("Debate; About: the garden; Motion 1: **A rule**")
    assert threads != [threading.main_thread()]


def test_a_title_of_marks_that_take_no_room_is_not_measured_word_by_word(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[int] = []

    def counted(text: str, size: int) -> float:
        measured.append(len(text))
        return width(text, size)

    monkeypatch.setattr("cogs.ui.round_table.width", counted)
    shown = {**board(meeting()), "about": "\u0301 " * 10_000}
    assert size(shown) == (SIDE, SIDE)
    assert sum(measured) < 250_000


def test_results_of_a_council_that_was_stopped_tell_what_was_decided_before() -> None:
    council = of(COUNCIL, CouncilOptions(), 3)
    council.move(1, "move_motion", title="A rule", text="Nobody shouts.")
    council.move(2, "yield")
    council.move(3, "yield")
    council.move(1, "call_vote")
    for seat in (2, 3):
        council.move(seat, "vote", choice="yes")
    stopped = replace(
        scene_at(council, council.standing), status=SceneStatus.STOPPED, outcome="It was stopped: enough."
    )
    shown = board_of(stopped, council.events, NAMES)
    told = Told(scene=stopped, cast=cast_of(stopped, council.events, NAMES), board=shown, lines=(), watching=None)
    assert "It was stopped: enough." in results_text(told)
    assert "**Motion 1**: passed: 2 yes, 0 no, 0 abstained, 0 absent. **A rule**" in results_text(told)
