"""Letters become posts: in order, once, whole."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from bot.core.changes import AddMembership
from bot.core.events import MessagesDeleted
from bot.core.kinds import LetterState, ReasonKind
from bot.core.records import MessageId
from tests.engine.recording import LOST_AFTER, LOST_BEFORE
from tests.engine.town import ADA, ADAS, BOB, BOBS, Town, town, until
from tests.factories import GUILD_ID, membership


@pytest.fixture
async def here() -> AsyncIterator[Town]:
    async with town() as made:
        yield made


async def test_what_an_agent_says_is_posted_under_its_name_and_picture(here: Town) -> None:
    await here.say(ADA, "Hello!")
    await here.deliver()
    [(_, post)] = here.publisher.posts
    assert (post.channel_id, post.name, post.content) == (ADAS, "Ada", "Hello!")
    assert post.avatar_url == f"https://cdn.example/{GUILD_ID}/{ADAS}/1.png"
    assert not post.pings


async def test_a_message_is_shown_to_agents_once_it_is_posted(here: Town) -> None:
    await here.say(ADA, "Hello!")
    assert await here.contents() == []
    await here.deliver()
    assert await here.contents() == ["Hello!"]


async def test_a_post_has_its_place_among_what_people_say_by_discords_clock(here: Town) -> None:
    await here.say(ADA, "posted first")
    here.publisher.seconds_ahead = -2.0  # our clock is ahead of Discord's
    meanwhile = here.seen("said a second later", sent_at=here.clock.now() - timedelta(seconds=1))
    await here.intake.take(meanwhile)
    await here.deliver()
    assert await here.contents() == ["posted first", "said a second later"]


async def test_a_message_is_a_reason_to_other_members_once_it_is_posted(here: Town) -> None:
    await here.apply(AddMembership(membership=membership(BOB, ADA)))
    await here.say(ADA, "What do you think, Bob?")
    assert not (await here.view()).reasons.get(BOB)
    await here.deliver()
    [reason] = (await here.view()).reasons[BOB]
    assert (reason.kind, reason.by_agent_id) == (ReasonKind.ADDRESSED, ADA)


async def test_a_message_waits_for_its_typing_time(here: Town) -> None:
    await here.say(ADA, "Later.", not_before=here.clock.now().replace(second=3))
    await here.deliver(2)
    assert here.publisher.said() == []
    await here.deliver(1)
    assert here.publisher.said() == ["Later."]


async def test_a_room_keeps_its_order_and_does_not_hold_up_another(here: Town) -> None:
    await here.say(ADA, "one", not_before=here.clock.now().replace(second=5))
    await here.say(ADA, "two")
    await here.say(BOB, "elsewhere")
    await here.deliver()
    assert here.publisher.said() == ["elsewhere"]
    await here.deliver(5)
    assert here.publisher.said(ADAS) == ["one", "two"]


async def test_a_reply_begins_with_a_line_that_links_what_it_answers(here: Town) -> None:
    heard = await here.hear("Ada, what is a rose?")
    [asked] = await here.history()
    await here.say(ADA, "A flower.", reply_to=asked.id)
    await here.deliver()
    link = f"https://discord.com/channels/{heard.guild_id}/{ADAS}/{heard.message_id}"
    assert here.publisher.said() == [f"-# ↪ [@mira]({link})\nA flower."]


async def test_a_reply_to_something_in_a_thread_goes_to_that_thread(here: Town) -> None:
    await here.hear("in a thread", thread_id=here.publisher.id())
    [asked] = await here.history()
    await here.say(ADA, "Here too.", reply_to=asked.id)
    await here.say(ADA, "And in the channel.")
    await here.deliver()
    assert [post.thread_id for _, post in here.publisher.posts] == [asked.thread_id, None]


async def test_a_long_message_comes_in_parts_and_a_file_and_counts_once(here: Town) -> None:
    await here.say(ADA, "\n\n".join(f"Paragraph {number}. " + "word " * 150 for number in range(20)))
    await here.deliver()
    posts = [post for _, post in here.publisher.posts]
    assert len(posts) == 3
    assert [len(post.files) for post in posts] == [0, 0, 1]
    assert b"Paragraph 19." in posts[-1].files[0][1]
    assert len(await here.history()) == 1


async def test_a_post_lost_on_its_way_is_sent_again_after_five_seconds(here: Town) -> None:
    here.publisher.trouble.append(LOST_BEFORE)
    await here.say(ADA, "Hello!")
    await here.deliver()
    await here.deliver(4)
    assert here.publisher.said() == []
    await here.deliver(2)
    assert here.publisher.said() == ["Hello!"]


async def test_a_post_whose_answer_was_lost_is_found_and_not_repeated(here: Town) -> None:
    here.publisher.trouble.append(LOST_AFTER)
    await here.say(ADA, "Hello!")
    await here.deliver()
    await here.deliver(60)
    assert here.publisher.said() == ["Hello!"]
    assert await here.contents() == ["Hello!"]
    assert await here.waiting() == []


@pytest.mark.parametrize("lost_at", [0, 1, 2])
@pytest.mark.parametrize("trouble", [LOST_BEFORE, LOST_AFTER])
async def test_no_part_of_a_long_message_is_lost_or_repeated(here: Town, lost_at: int, trouble: object) -> None:
    here.publisher.trouble.extend([None] * lost_at)
    here.publisher.trouble.append(trouble)  # type: ignore[arg-type]
    await here.say(ADA, "\n\n".join(letter * 1_500 for letter in "abc"))
    await here.deliver()
    await here.deliver(6)
    assert here.publisher.said() == [letter * 1_500 for letter in "abc"]


async def test_after_a_crash_before_the_post_it_is_sent(here: Town) -> None:
    await here.say(ADA, "Hello!")
    await crash_while_sending(here)
    await here.deliver(6)
    assert here.publisher.said() == ["Hello!"]


async def test_after_a_crash_behind_the_post_it_is_found(here: Town) -> None:
    await here.say(ADA, "first")
    await here.deliver()
    await here.say(ADA, "second")
    await crash_while_sending(here)
    here.publisher.posts.append((here.publisher.id(), here.publisher.posts[0][1]))
    await here.deliver(6)
    assert len(here.publisher.posts) == 2
    assert await here.contents() == ["first", "second"]


async def test_while_discord_cannot_be_read_an_open_fate_stays_open(here: Town) -> None:
    here.publisher.trouble.append(LOST_AFTER)
    here.publisher.blind = 3
    await here.say(ADA, "Hello!")
    await here.deliver()
    for _ in range(20):
        await here.deliver(10)
    assert here.publisher.said() == ["Hello!"]
    assert await here.contents() == ["Hello!"]


async def crash_while_sending(here: Town) -> None:
    """Leave the next letter as a crash in the middle of a post does."""
    [letter] = await here.waiting()
    async with here.store.writing(here.community_id) as write:
        await write.letters.move(here.community_id, letter.id, LetterState.SENDING, attempts=1)


async def test_a_message_deleted_before_it_was_posted_never_is(here: Town) -> None:
    id = await here.say(ADA, "Secret!", not_before=here.clock.now().replace(second=5))
    async with here.store.writing(here.community_id) as write:
        await write.talk.delete_room(here.community_id, ADA, here.clock.now())
        assert await write.talk.by_id(here.community_id, [MessageId(id)]) == {}
    await here.deliver(10)
    assert here.publisher.said() == []
    assert await here.waiting() == []


async def test_posts_running_at_the_end_are_finished_and_the_rest_is_kept(here: Town) -> None:
    here.publisher.seconds_per_post = 2
    await here.say(ADA, "now")
    await here.say(ADA, "next time")
    carrying = asyncio.ensure_future(here.delivery.run_once(here.clock.now()))
    await until(lambda: here.clock.sleeping)
    closing = asyncio.ensure_future(here.delivery.close(3))
    await here.clock.advance(2)
    await asyncio.gather(closing, carrying)
    assert here.publisher.said() == ["now"]
    assert await here.delivery.run_once(here.clock.now()) == 0
    assert [letter.state for letter in await here.waiting()] == [LetterState.WAITING]


async def test_a_post_that_does_not_end_in_time_is_left_to_be_looked_for(here: Town) -> None:
    here.publisher.seconds_per_post = 60
    await here.say(ADA, "slow")
    carrying = asyncio.ensure_future(here.delivery.run_once(here.clock.now()))
    await until(lambda: here.clock.sleeping)
    closing = asyncio.ensure_future(here.delivery.close(3))
    await here.clock.advance(3)
    await asyncio.gather(closing, carrying)
    assert [letter.state for letter in await here.waiting()] == [LetterState.SENDING]


async def test_bobs_words_in_adas_room_wear_his_own_face(here: Town) -> None:
    await here.say(BOB, "Visiting.", room_id=ADA)
    await here.deliver()
    [(_, post)] = here.publisher.posts
    assert (post.channel_id, post.name, post.avatar_url) == (
        ADAS,
        "Bob",
        f"https://cdn.example/{GUILD_ID}/{BOBS}/2.png",
    )
    assert BOBS != ADAS


LONG = "\n\n".join(letter * 1_500 for letter in "abc")


@pytest.mark.parametrize("deleted", [0, 1, 2])
async def test_who_deletes_one_part_of_a_long_message_deletes_it_whole(here: Town, deleted: int) -> None:
    await here.say(ADA, LONG)
    await here.say(ADA, "And more.")
    await here.deliver()
    post_id = here.publisher.posts[deleted][0]
    here.publisher.posts.pop(deleted)
    await here.intake.take(MessagesDeleted(guild_id=GUILD_ID, channel_id=ADAS, message_ids=(post_id,)))
    assert await here.contents() == ["And more."]
    await here.deliver()
    assert here.publisher.said() == ["And more."]


async def test_what_is_deleted_while_it_is_being_posted_is_taken_back_whole(here: Town) -> None:
    here.publisher.seconds_per_post = 2
    await here.say(ADA, LONG)
    carrying = asyncio.ensure_future(here.delivery.run_once(here.clock.now()))
    await until(lambda: here.clock.sleeping)
    await here.clock.advance(2)
    await until(lambda: here.clock.sleeping)
    (first, _), *_ = here.publisher.posts
    await here.intake.take(MessagesDeleted(guild_id=GUILD_ID, channel_id=ADAS, message_ids=(first,)))
    await here.clock.advance(2)
    await carrying
    await here.deliver()
    assert here.publisher.said() == []
    assert await here.history() == []
