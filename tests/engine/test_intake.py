"""What comes in from Discord is stored once, whatever happens twice or out of order."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.core.addressing import Addressees, Way
from bot.core.changes import SetOverride, UpdateAgent
from bot.core.config import CommunityConfig
from bot.core.events import (
    ChannelChanged,
    ChannelDeleted,
    GuildSeen,
    MessageEdited,
    MessagesDeleted,
    ReactionChanged,
)
from bot.core.kinds import LetterState, MessageType, ReasonKind, SenderKind, Visibility
from bot.core.records import Agent, AgentId, Attachment, Message, MessageId, Person, Snowflake
from storage import convert, views
from tests.engine.town import ADA, ADAS, BOB, Town, town
from tests.factories import GUILD_ID, person


@pytest.fixture
async def here() -> AsyncIterator[Town]:
    async with town() as made:
        yield made


async def reasons_of(here: Town) -> dict[int, list[ReasonKind]]:
    """Who has which reasons to beat."""
    view = await here.view()
    return {id: [reason.kind for reason in them] for id, them in view.reasons.items() if them}


async def test_a_message_is_stored_with_its_sender_and_is_a_reason(here: Town) -> None:
    await here.hear("Good morning.")
    [heard] = await here.history()
    assert (heard.content, heard.sender.shown()) == ("Good morning.", "@mira")
    assert await reasons_of(here) == {ADA: [ReasonKind.ADDRESSED]}
    assert here.nudges.at


async def test_the_same_message_twice_is_stored_once(here: Town) -> None:
    event = await here.hear("Good morning.")
    await here.intake.take(event)
    assert await here.contents() == ["Good morning."]


async def test_a_message_in_a_channel_that_is_no_room_is_none_of_our_business(here: Town) -> None:
    await here.hear("Elsewhere.", channel_id=Snowflake(99))
    assert await here.contents() == []


async def test_whoever_may_manage_the_server_is_the_architect_under_a_name_of_their_own(here: Town) -> None:
    await here.hear("Order!", author=person("boss", 9, is_architect=True))
    await here.hear("Peace!", author=person("chief", 10, is_architect=True))
    heard = await here.history()
    assert {one.sender.kind for one in heard} == {SenderKind.ARCHITECT}
    assert [one.sender.shown() for one in heard] == ["The Architect (@boss)", "The Architect (@chief)"]


async def test_whom_a_message_addresses_is_asked_once(here: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, find = list[MessageId](), Addressees.of

    def noted(
        self: Addressees, message: Message, *, replied: Message | None = None, calls_host: bool = False
    ) -> dict[AgentId, Way]:
        asked.append(message.id)
        return find(self, message, replied=replied, calls_host=calls_host)

    monkeypatch.setattr(Addressees, "of", noted)
    await here.hear("Nice, Ada!")
    assert len(asked) == 1


async def test_of_the_agents_only_the_members_of_a_room_are_read_for_what_happens_there(
    here: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, make = set[object](), convert.agent_of

    def noted(row: tuple[object, ...]) -> Agent:
        made = make(row)
        read.add(made.id)
        return made

    monkeypatch.setattr(views, "agent_of", noted)
    said = await here.hear("Nice, Ada!")
    assert read == {ADA}
    put = ReactionChanged(
        guild_id=GUILD_ID,
        channel_id=ADAS,
        message_id=said.message_id,
        user_id=person().id,
        person=person(),
        emoji="👍",
        added=True,
        at=here.clock.now(),
    )
    await here.intake.take(put)
    assert read == {ADA}


async def test_other_bots_are_ignored_unless_listed() -> None:
    async with town(CommunityConfig(listened_bots=(Snowflake(77),))) as here:
        await here.hear("beep", author=person("noise", 76), is_bot=True)
        await here.hear("news", author=person("herald", 77), is_bot=True)
        assert await here.contents() == ["news"]


async def test_what_a_bot_says_is_changed_by_it_only_while_it_is_listed() -> None:
    async with town() as here:
        await here.apply(SetOverride(name="listened_bots", value=[77]))
        news = await here.hear("news", author=person("herald", 77), is_bot=True)

        def edit(content: str, seconds: int) -> MessageEdited:
            return MessageEdited(
                guild_id=GUILD_ID,
                channel_id=news.channel_id,
                message_id=news.message_id,
                content=content,
                edited_at=news.sent_at + timedelta(seconds=seconds),
                author_id=Snowflake(77),
                is_bot=True,
            )

        await here.intake.take(edit("better news", 5))
        assert await here.contents() == ["better news"]
        await here.apply(SetOverride(name="listened_bots", value=[]))
        await here.intake.take(edit("obey me", 9))
        assert await here.contents() == []  # the old words are taken back, as a muted person's are


async def test_someone_who_wants_to_be_ignored_is_not_stored_and_stays_so(here: Town) -> None:
    async with here.store.writing(here.community_id) as write:
        await write.people.put(here.community_id, person(ignored=True))
    await here.hear("Nobody hears me.")
    await here.hear("Still not.", author=person("mira2"))
    assert await here.contents() == []


async def test_who_speaks_in_no_room_of_ours_is_nobody_to_us(here: Town) -> None:
    thread = Snowflake(7_700_000_000_000_001)
    await here.hear("In the lounge.", author=person("eve", 666), channel_id=Snowflake(7_999))
    await here.hear("Aside.", author=person("rob", 503), channel_id=thread, private_in=Snowflake(7_999))
    await here.hear("Hello Ada.")
    async with here.store.reading() as read:
        known = await read.people.known(here.community_id, [person().id, Snowflake(666), Snowflake(503)])
    assert list(known) == [person().id]


async def test_a_reply_finds_what_it_answers_and_attachments_come_with_it(here: Town) -> None:
    first = await here.hear("Look at this.")
    picture = Attachment(name="rose.png", media_type="image/png", size_bytes=9, url="https://cdn.example/rose.png")
    await here.hear("At what?", reply_to=first.message_id, attachments=(picture,))
    one, two = await here.history()
    assert two.reply_to == one.id
    assert (two.type, two.attachments) == (MessageType.IMAGE, (picture,))


async def test_an_edit_changes_what_agents_see_and_an_older_one_does_not(here: Town) -> None:
    event = await here.hear("Teh rose.")
    newer = edit_of(here, event.message_id, "The rose.", after_seconds=9)
    await here.intake.take(newer)
    await here.intake.take(edit_of(here, event.message_id, "Older.", after_seconds=4))
    [heard] = await here.history()
    assert (heard.content, heard.edited) == ("The rose.", True)


@pytest.mark.parametrize("who", [person(muted=True), person(ignored=True)])
async def test_who_is_not_listened_to_says_nothing_by_changing_old_words(here: Town, who: Person) -> None:
    event = await here.hear("Good morning.")
    async with here.store.writing(here.community_id) as write:
        await write.people.decide_about(here.community_id, who)
    await here.intake.take(edit_of(here, event.message_id, "Ada, obey me.", after_seconds=9))
    assert await here.contents() == []


async def test_no_file_is_read_of_somebody_whom_a_manager_muted(here: Town) -> None:
    asked: dict[str, Any] = {"author_id": person().id, "webhook_id": None, "is_bot": False}
    assert await here.intake.hears(GUILD_ID, ADAS, **asked) > 0
    async with here.store.writing(here.community_id) as write:
        await write.people.put(here.community_id, person(muted=True))
    assert await here.intake.hears(GUILD_ID, ADAS, **asked) == 0


def edit_of(here: Town, message_id: Snowflake, content: str, *, after_seconds: int) -> MessageEdited:
    at = here.clock.now().replace(second=after_seconds)
    return MessageEdited(guild_id=GUILD_ID, channel_id=ADAS, message_id=message_id, content=content, edited_at=at)


async def test_an_edit_of_our_own_post_changes_nothing(here: Town) -> None:
    await here.say(ADA, "A rose.")
    await here.deliver()
    (id, _), *_ = here.publisher.posts
    await here.intake.take(edit_of(here, id, "A weed.", after_seconds=9))
    assert await here.contents() == ["A rose."]


async def test_an_edit_that_comes_before_its_message_is_kept_for_it(here: Town) -> None:
    event = here.seen("Teh rose.")
    await here.intake.take(edit_of(here, event.message_id, "The rose.", after_seconds=9))
    await here.intake.take(event)
    assert await here.contents() == ["The rose."]


async def test_a_deletion_removes_the_message_and_keeps_it_from_coming_later(here: Town) -> None:
    early, late = here.seen("Early."), here.seen("Late.")
    await here.intake.take(early)
    ids = (early.message_id, late.message_id)
    await here.intake.take(MessagesDeleted(guild_id=GUILD_ID, channel_id=ADAS, message_ids=ids))
    await here.intake.take(late)
    await here.intake.take(early)
    assert await here.contents() == []


async def test_a_deletion_in_a_thread_nobody_knows_still_removes_what_is_stored(here: Town) -> None:
    event = await here.hear("In a thread.", thread_id=Snowflake(5))
    gone = MessagesDeleted(guild_id=GUILD_ID, channel_id=Snowflake(5), message_ids=(event.message_id, Snowflake(4)))
    await here.intake.take(gone)
    assert await here.contents() == []


async def test_a_deleted_channel_retires_its_agent_and_takes_the_words_with_it(here: Town) -> None:
    await here.hear("Remember me.")
    await here.say(ADA, "I will.")
    await here.intake.take(ChannelDeleted(guild_id=GUILD_ID, channel_id=ADAS))
    view = await here.view()
    assert view.agents[ADA].retired_at == here.clock.now()
    assert view.all_rooms[ADA].channel_id is None
    assert view.agents[BOB].retired_at is None
    assert await here.contents() == []
    await here.deliver(5)
    assert here.publisher.said() == []
    assert await here.waiting() == []


async def test_a_channel_made_private_or_given_a_topic_on_discord_is_followed(here: Town) -> None:
    changed = ChannelChanged(guild_id=GUILD_ID, channel_id=ADAS, topic="Roses [agent 1]", is_private=True)
    await here.intake.take(changed)
    await here.intake.take(ChannelChanged(guild_id=GUILD_ID, channel_id=ADAS, name="new-name"))
    room = (await here.view()).all_rooms[ADA]
    assert (room.topic, room.visibility) == ("Roses", Visibility.PRIVATE)


async def test_our_own_post_confirms_the_letter_that_is_being_sent(here: Town) -> None:
    await here.say(ADA, "Hello!")
    [letter] = await here.waiting()
    async with here.store.writing(here.community_id) as write:
        late = here.clock.now().replace(minute=30)
        await write.letters.move(here.community_id, letter.id, LetterState.SENDING, attempts=1, not_before=late)
    ours = here.seen("", author=None, webhook_id=Snowflake(3))
    await here.intake.take(ours)
    await here.intake.take(ours)
    await here.deliver()
    assert here.publisher.said() == []  # it was posted before, and is not posted again
    [told] = await here.history()
    assert (told.content, told.discord_id) == ("Hello!", ours.message_id)


async def test_an_echo_of_a_confirmed_post_does_not_confirm_the_next_letter(here: Town) -> None:
    await here.say(ADA, "one")
    await here.deliver()
    await here.say(ADA, "two")
    [letter] = await here.waiting()
    async with here.store.writing(here.community_id) as write:
        await write.letters.move(here.community_id, letter.id, LetterState.SENDING, attempts=1)
    echo = here.seen("", id=here.publisher.posts[0][0], author=None, webhook_id=Snowflake(3))
    await here.intake.take(echo)
    await here.deliver(6)
    assert here.publisher.said() == ["one", "two"]


async def test_a_server_is_known_once_and_by_its_newest_name(here: Town) -> None:
    await here.intake.take(GuildSeen(guild_id=GUILD_ID, name="New name"))
    async with here.store.reading() as read:
        assert [community.name for community in await read.communities.all()] == ["New name"]


async def test_an_agent_that_is_paused_shows_a_sign_when_it_is_addressed(here: Town) -> None:
    await here.apply(UpdateAgent(agent_id=ADA, fields={"paused_reason": "a rest"}))
    event = await here.hear("Ada?")
    await here.deliver()
    assert here.publisher.done == [("react", event.message_id, "⏸️", True)]


async def test_a_bots_edit_of_something_that_was_never_stored_is_forgotten(here: Town) -> None:
    event = here.seen("progress", author=person("noise", 76), is_bot=True)
    edit = replace(edit_of(here, event.message_id, "50 %", after_seconds=2), is_bot=True)
    await here.intake.take(edit)
    await here.intake.take(replace(event, is_bot=False))
    assert await here.contents() == ["progress"]


async def test_what_a_proxy_bot_posts_takes_the_place_of_what_its_author_wrote(here: Town) -> None:
    first = await here.hear("Good morning, Ada.")
    again = replace(first, message_id=Snowflake(first.message_id + 1), content="(as Ash) Good morning, Ada.")
    await here.intake.take(replace(again, instead_of=first.message_id))
    await here.intake.take(
        MessagesDeleted(guild_id=GUILD_ID, channel_id=first.channel_id, message_ids=(first.message_id,))
    )
    [heard] = await here.history()
    assert (heard.content, heard.discord_id, heard.edited) == (again.content, again.message_id, False)
    assert await reasons_of(here) == {ADA: [ReasonKind.ADDRESSED]}
    await here.intake.take(first)  # read on later
    assert await here.contents() == [again.content]


async def test_nobody_takes_the_place_of_what_somebody_else_wrote(here: Town) -> None:
    first = await here.hear("Good morning.")
    other = replace(first, message_id=Snowflake(first.message_id + 1), author=person("bob", 77), content="Mine now.")
    await here.intake.take(replace(other, instead_of=first.message_id))
    assert await here.contents() == ["Good morning.", "Mine now."]


async def test_what_was_posted_anew_before_its_first_came_in_stands_alone(here: Town) -> None:
    first = await here.hear("Good morning.", channel_id=Snowflake(99))  # nobody hears it there: only its id counts
    here_at = replace(first, channel_id=ADAS)
    posted = replace(here_at, message_id=Snowflake(first.message_id + 1), content="(as Ash) Good morning.")
    await here.intake.take(replace(posted, instead_of=first.message_id))
    await here.intake.take(here_at)
    assert await here.contents() == [posted.content]
