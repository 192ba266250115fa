"""Who watches is offered a comment or nothing, and is shown nothing but what everybody sees."""

from dataclasses import replace

import pytest

from bot.core.errors import Rejected
from bot.core.records import Json, MessageId
from bot.core.scenes.commentary import LONGEST, said, watching, words_of
from bot.core.scenes.kind import SceneKind
from bot.core.scenes.registry import KINDS
from bot.core.scenes.showing import cast_of, lines_for, turn_of
from tests.core.scenes.plays import dice, play_out
from tests.core.scenes.surfaces import scene_at
from tests.fakes import START

NAMES = {seat: f"Agent{seat}" for seat in range(1, 17)}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_who_watches_is_shown_what_the_seat_of_nobody_is_at_every_step(kind: SceneKind) -> None:
    for playing in play_out(kind, dice(6), illegal=False):
        scene = scene_at(playing, playing.standing)
        turn, nobodys = watching(scene, playing.events, NAMES), turn_of(scene, playing.events, NAMES, 0)
        assert turn is not None
        assert nobodys is not None
        assert replace(turn, moves=(), watches=False) == replace(nobodys, deadline_at=None)
        assert (turn.private, [one.name for one in turn.moves]) == ((), ["comment", "nothing"])


def test_a_comment_has_words_within_their_limit_and_nothing_is_none() -> None:
    assert words_of("comment", {"text": " A bold move. "}) == "A bold move."
    assert words_of("nothing", {}) == ""
    refused: tuple[tuple[str, dict[str, Json]], ...] = (
        ("comment", {"text": "word " * (LONGEST + 1)}),
        ("comment", {"text": ""}),
        ("comment", {"text": "Well.", "seat": 3}),
        ("nothing", {"text": "Well."}),
        ("kill", {"seat": 3}),
    )
    for move, given in refused:
        with pytest.raises(Rejected, match=r"\.$"):
            words_of(move, given)


def test_comments_are_for_who_watches_and_for_the_transcript_whatever_marks_are_written_in_them() -> None:
    playing = next(one for one in play_out(KINDS["werewolf"], dice(2), illegal=False) if len(one.log) > 20)
    scene = replace(scene_at(playing, playing.standing), events=len(playing.events))
    remark = said(scene, "{t1} and\n{s1}?", MessageId(7), START)
    events = [*playing.events, remark]
    cast = cast_of(scene, events, NAMES)
    for seat in (0, None):
        assert lines_for(events, cast, seat)[-1] == "(comment): {t1} and {s1}?"
    for seat in playing.seats:
        assert lines_for(events, cast, seat) == lines_for(playing.events, cast, seat)
    gone = [*playing.events, replace(remark, text=None)]
    assert lines_for(gone, cast_of(scene, gone, NAMES), 0)[-1] == "(comment): (removed)"
