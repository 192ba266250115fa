"""What a post says, where it goes, and how long it waits; how it is carried is tried in test_delivery.py."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.config import CommunityConfig
from bot.core.kinds import LetterKind, SenderKind
from bot.core.letters import PostPayload, TopicPayload
from bot.core.records import AgentId, BeatId, Letter, LetterId, Message, Room, Sender, Snowflake
from bot.core.view import RoomView
from bot.engine.posting import CLOCKS_APART, LOOK_SECONDS, PostContext, before, fate_seconds, files_of, worded
from tests.factories import COMMUNITY_ID, GUILD_ID, agent, by_agent, by_person, later, message, room, view
from tests.fakes import START

HALL = AgentId(1)
CHANNEL = room(1).channel_id
THREAD = Snowflake(4_000)
SYSTEM = Sender(kind=SenderKind.SYSTEM)


def post(
    said: Message | None = None,
    answered: Message | None = None,
    *,
    place: Room | None = None,
    config: CommunityConfig | None = None,
    members: tuple[int, ...] = (1, 2),
    not_before: datetime | None = None,
) -> PostContext:
    """A post of agent 1 in its own room, or in another place of it."""
    here = place or room(1)
    them = tuple(map(AgentId, members))
    shown = [RoomView(room=room(1), members=them), RoomView(room=here, members=them)]
    seen = view([agent(1), agent(2)], rooms=shown, config=config)
    words = said or message(5, "Yes.", sender=by_agent(1))
    return PostContext(seen, here, words, answered, None, (), not_before)


def asked(**fields: Any) -> Message:  # noqa: ANN401
    return message(4, "Tea?", **fields)


def link(name: str, channel: int | None, post_id: int | None) -> str:
    return f"[{name}](https://discord.com/channels/{GUILD_ID}/{channel}/{post_id})"


def test_a_post_says_what_its_message_says_and_links_what_it_answers() -> None:
    assert worded(post()) == "Yes."
    there = asked()
    assert worded(post(answered=there)) == f"-# ↪ {link('@mira', CHANNEL, there.discord_id)}\nYes."
    by_other = asked(sender=by_agent(2))
    assert worded(post(answered=by_other)) == f"-# ↪ {link('Agent2', CHANNEL, there.discord_id)}\nYes."
    gone = asked(sender=by_agent(9))
    assert worded(post(answered=gone)).startswith("-# ↪ [9](")
    own = asked(sender=by_agent(1))
    assert worded(post(answered=own)) == f"-# ↻ once more, after {link('Agent1', CHANNEL, there.discord_id)}\nYes."


def test_what_was_said_in_a_thread_is_linked_there_and_what_is_not_posted_is_only_named() -> None:
    there = asked(thread_id=THREAD)
    assert worded(post(answered=there)).startswith(f"-# ↪ {link('@mira', THREAD, there.discord_id)}\n")
    assert worded(post(answered=asked(discord_id=None))) == "-# ↪ @mira\nYes."
    assert worded(post(answered=asked(sender=SYSTEM))).startswith("-# ↪ [System](")


def test_no_name_can_end_its_link() -> None:
    odd = asked(sender=by_person("a](https://x) *b*"), discord_id=None)
    assert worded(post(answered=odd)) == "-# ↪ @a\\]\\(https://x\\) \\*b\\*\nYes."


def test_a_post_goes_to_the_thread_it_is_said_in_else_to_that_of_what_it_answers() -> None:
    private = room(7, thread_of=HALL, channel_id=THREAD)
    assert (post().thread_id, post().channel_id) == (None, CHANNEL)
    assert post(answered=asked(thread_id=THREAD)).thread_id == THREAD
    in_thread = message(5, sender=by_agent(1), thread_id=Snowflake(4_001))
    assert post(in_thread, asked(thread_id=THREAD)).thread_id == 4_001
    aside = post(in_thread, asked(thread_id=Snowflake(4_002)), place=private)
    assert (aside.thread_id, aside.channel_id) == (THREAD, CHANNEL)
    assert post(place=room(1, channel_id=None)).channel_id is None


def test_a_post_waits_for_its_rooms_pace_but_looks_now_and_then() -> None:
    assert post().waits_seconds(START) == 0
    assert post(not_before=later(-1)).waits_seconds(START) == 0
    assert post(not_before=later(4)).waits_seconds(START) == 4
    assert post(not_before=later(400)).waits_seconds(START) == LOOK_SECONDS


def test_only_what_a_beat_had_system_tell_waits_for_the_end_of_a_hush() -> None:
    hushed = room(1, hushed_until=later(6))
    told = message(5, sender=SYSTEM, beat_id=BeatId(3))
    assert post(told, place=hushed).waits_seconds(START) == 6
    assert post(told, place=hushed, not_before=later(8)).waits_seconds(START) == 8
    assert post(replace(told, beat_id=None), place=hushed).waits_seconds(START) == 0
    assert post(place=hushed).waits_seconds(START) == 0


def test_a_trace_is_waited_for_twice_as_long_each_time_up_to_five_minutes() -> None:
    context = post(config=CommunityConfig(fate_seconds=5))
    assert [fate_seconds(context, attempts) for attempts in (0, 1, 2, 3, 6, 7, 8)] == [5, 5, 10, 20, 160, 300, 300]


def letter(kind: LetterKind, payload: Any) -> Letter:  # noqa: ANN401
    return Letter(
        id=LetterId(1),
        community_id=COMMUNITY_ID,
        room_id=HALL,
        kind=kind,
        payload=payload.stored(),
        not_before=START,
        created_at=START,
    )


def test_files_are_those_that_the_letter_of_a_post_keeps() -> None:
    assert files_of(letter(LetterKind.POST, PostPayload(files=(("a.txt", "A"),)))) == (("a.txt", "A"),)
    assert files_of(letter(LetterKind.POST, PostPayload())) == ()
    assert files_of(letter(LetterKind.TOPIC, TopicPayload(topic="tea"))) == ()


def made_at(id_: int) -> datetime:
    """Give when Discord made something, as Discord documents its ids."""
    return datetime(2015, 1, 1, tzinfo=UTC) + timedelta(milliseconds=id_ >> 22)


@given(st.datetimes(datetime(2016, 1, 1), datetime(2080, 1, 1)))  # noqa: DTZ001
def test_nothing_that_is_made_from_a_moment_on_lies_before_it(moment: datetime) -> None:
    at = moment.replace(tzinfo=UTC)
    assert timedelta(0) <= (at - CLOCKS_APART) - made_at(before(at)) < timedelta(milliseconds=2)


@pytest.mark.parametrize("moment", [datetime(2015, 1, 1, tzinfo=UTC), datetime(1990, 1, 1, tzinfo=UTC)])
def test_before_discord_there_was_nothing(moment: datetime) -> None:
    assert before(moment) == 0
