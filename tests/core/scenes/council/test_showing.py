"""What everybody sees of a council."""

from dataclasses import replace

import discord
import pytest

from bot.core.records import Snowflake
from bot.core.scenes.council.kind import COUNCIL
from bot.core.scenes.council.showing import seen
from bot.core.scenes.council.state import Council, CouncilOptions
from bot.core.scenes.showing import Turn, board_of, shown_at, shown_move
from cogs.ui.scenes import seat_view
from cogs.ui.seats import SHOWN_CHARACTERS, asked_text, seat_text
from tests.core.scenes.plays import Playing, of
from tests.core.scenes.surfaces import scene_at

NAMES = {1: "Ada", 2: "Bo"}


def test_a_kind_without_a_picture_shows_its_last_ballot_as_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Council, "view", lambda council, seat: replace(seen(council, seat), picture={}))
    playing = of(COUNCIL, CouncilOptions(host=False), 3)
    playing.move(1, "move_motion", title="Tea", text="Tea at five.")
    playing.move(2, "second")
    playing.move(2, "call_vote")
    playing.move(3, "second")
    for seat, choice in ((1, "yes"), (2, "yes"), (3, "no")):
        playing.move(seat, "vote", choice=choice)
    board = board_of(scene_at(playing, playing.standing), [], NAMES)
    assert board.lines[-1] == "yes ▰▰2 · no ▰1 · abstained 0"


def on_a_ballot() -> Playing:
    """A council that votes on an amendment to its motion."""
    playing = of(COUNCIL, CouncilOptions(host=False), 3)
    playing.move(1, "move_motion", title="Tea", text="Tea at five.")
    assert labels(playing, 2) == ["speak", "yield", "second motion 1", "adjourn"]
    playing.move(2, "second")
    playing.move(2, "amend", clause=1, text="Tea at four.")
    playing.move(3, "call_vote")
    assert "second the call to vote on motion 1" in labels(playing, 1)
    playing.move(1, "second")
    return playing


def labels(playing: Playing, seat: int) -> list[str]:
    return [shown_move(form).words for form in playing.standing.state.offers(seat)]


def shown(playing: Playing, seat: int) -> Turn:
    scene, names = scene_at(playing, playing.standing), {**NAMES, 3: "Cy"}
    scene = replace(scene, deadline_at=None)
    return shown_at(scene, playing.play, playing.standing, playing.events, names, seat)


def test_a_ballot_names_what_is_voted_on_first_of_all_and_on_its_buttons() -> None:
    playing = on_a_ballot()
    assert labels(playing, 1) == ["vote on clause 1 of motion 1"]
    turn = shown(playing, 1)
    assert turn.question == ("Vote on clause 1 of motion 1", "Bo would have it say: Tea at four.")
    assert turn.facts[:2] == (turn.question, ("Motion 1", "**Tea** (1) Tea at five."))
    for seat in (1, 2, 3):
        playing.move(seat, "vote", choice="yes")
    assert labels(playing, 1) == ["vote on motion 1"]
    turn = shown(playing, 1)
    assert turn.question == turn.facts[0] == ("Vote on motion 1", "**Tea** (1) Tea at four.")
    assert [name for name, _ in turn.facts if "otion" in name] == ["Vote on motion 1", "Amendment to motion 1"]
    for seat in (1, 2, 3):
        playing.move(seat, "vote", choice="yes")
    assert shown(playing, 2).question is None


def test_a_seat_reads_on_what_it_votes_right_above_its_buttons() -> None:
    playing = on_a_ballot()
    turn = shown(playing, 1)
    asked = "**Vote on clause 1 of motion 1**: Bo would have it say: Tea at four.\nIt is your turn."
    assert asked_text(turn) == f"**Council 1**, seat 1 · amending\n{asked}"
    assert seat_text(turn).endswith(asked)
    assert seat_text(turn).count("Vote on clause 1") == 1
    offered = seat_view(turn)
    assert offered is not None
    buttons = [str(one.item.label) for one in offered.children if isinstance(one, discord.ui.DynamicItem)]
    asked = "vote on clause 1 of motion 1"
    assert buttons == [*(f"{asked}: {choice}" for choice in ("yes", "no", "abstain")), f"{asked} + comment…"]
    playing.move(1, "vote", choice="no")
    assert "Vote on clause 1 of motion 1" in seat_text(shown(playing, 1))


def test_a_motion_of_any_length_leaves_its_buttons_a_message_that_can_be_sent() -> None:
    playing = of(COUNCIL, CouncilOptions(host=False), 2)
    playing.move(1, "move_motion", title="Tea", text="x" * 3_000)
    playing.move(2, "second")
    playing.move(2, "call_vote")
    playing.move(1, "second")
    turn = shown(playing, 1)
    assert len(asked_text(turn)) < 900
    assert len(seat_text(turn)) <= SHOWN_CHARACTERS
    assert seat_text(turn).endswith("…\nIt is your turn.")


def test_a_person_reads_in_their_seat_of_people_by_the_names_they_have_on_discord() -> None:
    playing = on_a_ballot()
    scene = scene_at(playing, playing.standing)
    seats = tuple(
        replace(one, agent_id=None, person_id=Snowflake(502)) if one.seat == 2 else one for one in scene.seats
    )
    names = {1: "Ada", 2: "@bo", 3: "Cy"}
    given = (replace(scene, seats=seats), playing.play, playing.standing, playing.events, names, 1)
    told = shown_at(*given, mentions=True)
    assert "<@502> would have it say: Tea at four." in str(told.facts) and "<@502> seconds." in str(told.lines)
    assert "@bo" not in seat_text(told)
    assert told.names == names  # which stand on buttons and in pictures, where no mention is read
    assert "<@502>" not in str(shown_at(*given))
