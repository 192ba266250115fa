"""Reactions move an interval once, within limits, and are undone once."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.changes import AddLetter, Change, React, Unreact, UpdateAgent, UpdateRoom
from bot.core.config import CommunityConfig
from bot.core.kinds import Emotion
from bot.core.records import Agent, AgentId, Json, Sender
from bot.core.tempo import changes_for, drifted
from bot.core.view import RoomView
from tests.factories import agent, by_agent, by_person, later, message, room, view
from tests.fakes import START


def reacted(
    author: Agent,
    emoji: str | Emotion,
    reactor: Sender | None = None,
    *,
    added: bool = True,
    effect: float | None = None,
    moves: int = 0,
    run: int = 0,
) -> list[Change]:
    own = RoomView(room=room(author.id, agent_run=run), members=(author.id,))
    said = message(7, room_id=author.id, sender=by_agent(author.id))
    seen = view([author], rooms=[own])
    who = reactor or by_person()
    return changes_for(seen, said, who, emoji, added=added, now=START, effect=effect, moves=moves)


def interval_after(author: Agent, changes: list[Change]) -> float:
    moves = [change for change in changes if isinstance(change, UpdateAgent) and change.agent_id == author.id]
    return float(moves[-1].fields["interval_seconds"]) if moves else author.interval_seconds


def moved_by(changes: list[Change]) -> float:
    return next(change.moved_seconds for change in changes if isinstance(change, React))


def signs(author: Agent, emoji: str, reactor: Sender | None = None) -> list[Json]:
    """Give the signs that follow a reaction where the community wants them."""
    own = RoomView(room=room(author.id), members=(author.id,))
    said = message(7, room_id=author.id, sender=by_agent(author.id))
    seen = view([author], rooms=[own], config=CommunityConfig(pace_signs=True))
    changes = changes_for(seen, said, reactor or by_person(), emoji, added=True, now=START)
    return [change.payload["emoji"] for change in changes if isinstance(change, AddLetter)]


def test_a_thumb_that_was_felt_is_shown_where_the_community_wants_it() -> None:
    assert signs(agent(), "👍") == ["⏩"]
    assert signs(agent(), "👎") == ["⏪"]
    assert signs(agent(), "🧠") == []
    assert signs(replace(agent(), interval_seconds=1.0), "👍") == []
    assert signs(agent(), "👍", by_agent(AgentId(2))) == []
    assert not any(isinstance(change, AddLetter) for change in reacted(agent(), "👍"))


def test_a_thumbs_up_speeds_the_author_up_by_half_a_second() -> None:
    assert interval_after(agent(), reacted(agent(), "👍🏽")) == 4.5


def test_a_thumbs_down_slows_the_author_down_by_half_a_second() -> None:
    assert interval_after(agent(), reacted(agent(), Emotion.THUMBS_DOWN)) == 5.5


def test_a_reaction_that_is_already_stored_counts_no_more() -> None:
    assert reacted(agent(), "👍", effect=-0.5) == []


def test_a_reaction_that_was_never_stored_cannot_be_taken_back() -> None:
    assert reacted(agent(), "👍", added=False) == []


def test_taking_a_reaction_back_undoes_only_what_it_did_at_the_limit() -> None:
    quick = agent(interval_seconds=1.2)
    put = reacted(quick, "👍")
    assert (interval_after(quick, put), moved_by(put)) == (1.0, -0.2)
    faster = replace(quick, interval_seconds=1.0)
    back = reacted(faster, "👍", added=False, effect=-0.2)
    assert interval_after(faster, back) == 1.2
    assert isinstance(back[0], Unreact)


def test_hearts_and_brains_are_signals_that_move_nothing() -> None:
    for emoji in ("❤️", "🧠", "🎉"):
        changes = reacted(agent(), emoji)
        assert [type(change) for change in changes] == [React]


def test_nobody_moves_their_own_interval() -> None:
    assert moved_by(reacted(agent(1), Emotion.THUMBS_UP, by_agent(1))) == 0


def test_one_agent_moves_another_at_most_four_times_an_hour() -> None:
    assert moved_by(reacted(agent(1), Emotion.THUMBS_UP, by_agent(2), moves=3)) == -0.5
    assert moved_by(reacted(agent(1), Emotion.THUMBS_UP, by_agent(2), moves=4)) == 0


def test_a_persons_reaction_lets_agents_talk_on() -> None:
    assert UpdateRoom(room_id=AgentId(1), fields={"agent_run": 0}) in reacted(agent(1), "🎉", run=6)
    assert not [change for change in reacted(agent(1), "🎉", by_agent(2), run=6) if isinstance(change, UpdateRoom)]


def test_a_stop_sign_silences_the_room_and_taking_it_back_ends_that() -> None:
    until = START + timedelta(minutes=10)
    assert UpdateRoom(room_id=AgentId(1), fields={"hushed_until": until}) in reacted(agent(1), "🛑")
    back = reacted(agent(1), "🛑", added=False, effect=0.0)
    assert UpdateRoom(room_id=AgentId(1), fields={"hushed_until": None}) in back


def hushed(author: Agent, seconds: float, *, added: bool) -> list[Change]:
    """Give what a stop sign changes where the room is silent already, for so long."""
    own = RoomView(room=room(author.id, hushed_until=later(seconds)), members=(author.id,))
    said = message(7, room_id=author.id, sender=by_agent(author.id))
    seen = view([author], rooms=[own])
    changes = changes_for(seen, said, by_person(), "🛑", added=added, now=START, effect=None if added else 0.0)
    return [change for change in changes if isinstance(change, UpdateRoom)]


@pytest.mark.parametrize("added", [True, False])
def test_a_sign_neither_shortens_nor_ends_a_longer_silence_that_a_manager_ordered(added: bool) -> None:
    as_long = 10 * 60
    assert hushed(agent(1), as_long + 1, added=added) == []
    assert len(hushed(agent(1), as_long, added=added)) == 1


def test_what_may_have_been_put_long_ago_moves_its_author_and_not_the_room() -> None:
    author = agent(1)
    own = RoomView(room=room(1, agent_run=6), members=(author.id,))
    seen, said = view([author], rooms=[own]), message(7, room_id=1, sender=by_agent(1))
    for emoji in ("👍", "🛑"):
        changes = changes_for(seen, said, by_person(), emoji, added=True, now=START, is_stale=True)
        assert not [change for change in changes if isinstance(change, UpdateRoom)]
        assert moved_by(changes) == (-0.5 if emoji == "👍" else 0)


def test_a_reaction_is_kept_with_what_it_means_and_its_sign_stands_on_the_message() -> None:
    author = agent(3)
    said = message(7, room_id=3, sender=by_agent(3))
    seen = view([author], config=CommunityConfig(pace_signs=True))
    put, _, sign = changes_for(seen, said, by_person(), "👍", added=True, now=later(5))
    assert isinstance(put, React) and isinstance(sign, AddLetter)
    assert (put.emotion, put.at) == (Emotion.THUMBS_UP, later(5))
    assert (sign.room_id, sign.payload["message_id"], sign.not_before) == (AgentId(3), 7, later(5))


@given(st.lists(st.sampled_from(["👍", "👎"]), max_size=40), st.floats(1, 10))
def test_the_interval_never_leaves_its_limits_and_undoing_all_leads_back(emojis: list[str], start: float) -> None:
    one = agent(interval_seconds=round(start, 2))
    effects: list[tuple[str, float]] = []
    for emoji in emojis:
        put = reacted(one, emoji)
        effects.append((emoji, moved_by(put)))
        one = replace(one, interval_seconds=interval_after(one, put))
        assert 1.0 <= one.interval_seconds <= 10.0
    for emoji, effect in reversed(effects):
        back = reacted(one, emoji, added=False, effect=effect)
        one = replace(one, interval_seconds=interval_after(one, back))
    assert abs(one.interval_seconds - round(start, 2)) < 0.001


def test_each_beat_drifts_a_tenth_of_a_second_to_rest() -> None:
    assert drifted(agent(interval_seconds=5.0, resting_interval_seconds=10.0)) == 5.1
    assert drifted(agent(interval_seconds=5.0, resting_interval_seconds=2.0)) == 4.9
    assert drifted(agent(interval_seconds=9.95, resting_interval_seconds=10.0)) == 10.0
