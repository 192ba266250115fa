"""What actions make worth asking is asked once for all of them, and nothing that none of them needs."""

from datetime import timedelta

from bot.core.actions import Action, JoinRoom, React, ReadHistory, Recall, SendMessage
from bot.core.actor import Actor
from bot.core.circumstances import Inquiry, Sought
from bot.core.config import CommunityConfig
from bot.core.kinds import Emotion
from bot.core.records import AgentId, MessageId
from bot.engine.performer.inquiry import FOUND_AT_MOST, PAGE, inquired, sought_by
from tests.factories import person
from tests.fakes import START

ADA, BO = AgentId(1), AgentId(2)


def asked(*actions: Action, actor: Actor | None = None) -> Inquiry:
    who = actor or Actor.agent(ADA)
    config = CommunityConfig(key_failure_minutes=10)
    return inquired(who, actions, ADA, [ADA, BO], START, config, messages=[], rooms_in=[ADA, BO])


def test_what_needs_nothing_asks_nothing() -> None:
    plain = asked(SendMessage(room_id=1, message="hi"))
    for name in ("reacted_to", "doors", "crossed", "newest_of", "messages", "sought", "summaries_of"):
        assert getattr(plain, name) == frozenset(), name
    assert (plain.schedules_of, plain.moves_since) == (None, None)
    assert plain.failures_since == START - timedelta(minutes=10)


def test_reactions_ask_of_their_messages_and_only_of_agents_how_often_they_moved_somebody() -> None:
    up, heart = React(message_id=4, reaction=Emotion.THUMBS_UP), React(message_id=5, reaction=Emotion.HEART)
    assert asked(up, heart).reacted_to == {4, 5}
    assert asked(up).moves_since == START - timedelta(hours=1)
    assert asked(up, actor=Actor.person(person())).moves_since is None


def test_who_comes_and_goes_is_counted_of_agents_alone() -> None:
    assert asked(JoinRoom(room_id=2)).crossed == {BO}
    assert asked(JoinRoom(room_id=2), actor=Actor.person(person())).crossed == frozenset()


def test_a_look_up_names_its_rooms_and_never_more_than_a_page() -> None:
    assert sought_by(Recall(query="tea"), [ADA, BO]) == Sought(rooms=(ADA, BO), words="tea", limit=FOUND_AT_MOST)
    assert sought_by(Recall(query="tea", room_id=2, limit=3), [ADA]) == Sought(rooms=(BO,), words="tea", limit=3)
    before = ReadHistory(room_id=2, before=9)
    assert sought_by(before, [ADA]) == Sought(rooms=(BO,), before=MessageId(9), limit=PAGE)
    assert asked(Recall(query="tea"), Recall(query="tea")).sought == {sought_by(Recall(query="tea"), [ADA, BO])}
