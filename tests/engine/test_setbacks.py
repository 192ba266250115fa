"""Letters that Discord does not take: waited out, given up or told, and never tried without end."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from bot.core.changes import AddLetter, SetOverride, UpdateAgent, UpdateRoom
from bot.core.errors import Forbidden, Gone, Invalid, Limited
from bot.core.events import ChannelChanged, ChannelDeleted, ChannelFound, GuildSeen
from bot.core.kinds import LetterKind, LetterState, Visibility
from bot.core.letters import NoticePayload, PermissionPayload, ReactPayload, TopicPayload
from bot.core.records import Snowflake
from tests.engine.recording import LOST_BEFORE, Trouble
from tests.engine.town import ADA, ADAS, BOB, BOBS, Town, town
from tests.factories import GUILD_ID
from tests.fakes import START

MANAGERS = Snowflake(55)
RETIRED = "📪 Ada is retired, for its channel was deleted: `/agent restore` gives it a new one."
REFUSED = Trouble(Forbidden("Discord does not let me post: give Selfroom's role that permission there."))


@pytest.fixture
async def here() -> AsyncIterator[Town]:
    async with town() as made:
        await made.apply(SetOverride(name="managers_channel_id", value=MANAGERS))
        yield made


def told(here: Town) -> list[str]:
    """What the managers read."""
    return [str(note[2]) for note in here.publisher.done if note[0] == "notify"]


async def test_after_three_refusals_the_channel_rests_and_the_managers_are_told_once(here: Town) -> None:
    here.publisher.trouble.extend([REFUSED, REFUSED, REFUSED])
    await here.say(ADA, "Let me in.")
    for _ in range(3):
        await here.deliver(2)
    assert here.publisher.trouble == here.publisher.trouble.__class__()
    [letter] = await here.waiting()
    assert (letter.state, letter.attempts) == (LetterState.WAITING, 3)
    assert (letter.not_before - here.clock.now()).total_seconds() == pytest.approx(600, abs=5)
    agent = (await here.view()).agents[ADA]
    assert agent.paused_reason is not None
    assert "permission" in agent.paused_reason
    assert len(told(here)) == 1


async def test_a_channel_that_rested_is_tried_again_ever_more_rarely_until_a_day_is_over(here: Town) -> None:
    here.publisher.trouble.extend([REFUSED] * 500)
    await here.say(ADA, "Let me in.")
    for _ in range(60):
        await here.deliver(1_800)
    assert 500 - len(here.publisher.trouble) < 25
    assert [letter for letter in await here.waiting() if letter.kind is LetterKind.POST] == []


async def test_what_rested_is_posted_when_the_permission_is_back(here: Town) -> None:
    here.publisher.trouble.extend([REFUSED] * 3)
    await here.say(ADA, "Let me in.")
    await here.say(BOB, "No trouble here.")
    for _ in range(3):
        await here.deliver(2)
    await here.deliver(600)
    assert here.publisher.said(ADAS) == ["Let me in."]
    assert here.publisher.said(BOBS) == ["No trouble here."]


async def test_a_stumble_of_our_own_costs_no_message(here: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    async def stumble(*_: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as broken:
        broken.setattr(here.publisher, "post", stumble)
        await here.say(ADA, "In the end.")
        await here.deliver()
    for _ in range(3):
        await here.deliver(10)
    assert here.publisher.said() == ["In the end."]


async def test_new_rights_end_the_rest_at_once(here: Town) -> None:
    here.publisher.trouble.extend([REFUSED] * 3)
    await here.say(ADA, "Let me in.")
    for _ in range(3):
        await here.deliver(2)
    await here.intake.take(GuildSeen(guild_id=GUILD_ID, name="Testers"))
    await here.deliver()
    assert here.publisher.said() == ["Let me in."]
    assert (await here.view()).agents[ADA].paused_reason is None


async def test_a_persons_pause_is_not_ended_by_new_rights(here: Town) -> None:
    await here.apply(UpdateAgent(agent_id=ADA, fields={"paused_reason": "a rest"}))
    await here.intake.take(GuildSeen(guild_id=GUILD_ID, name="Testers"))
    assert (await here.view()).agents[ADA].paused_reason == "a rest"


async def test_what_discord_never_takes_is_given_up_and_the_next_goes_out(here: Town) -> None:
    here.publisher.trouble.append(Trouble(Invalid("Discord does not take it when I post (Invalid Form Body).")))
    await here.say(ADA, "bad")
    await here.say(ADA, "good")
    await here.deliver()
    await here.deliver(1)
    channel = (await here.view()).all_rooms[ADA].channel_id
    assert here.publisher.said() == ["good"]
    assert told(here) == [f"⚠️ <#{channel}>: Discord does not take it when I post (Invalid Form Body)."]


async def test_a_deleted_channel_is_noticed_by_its_letters_too(here: Town) -> None:
    here.publisher.gone.add(ADAS)
    await here.say(ADA, "Anybody there?")
    await here.say(ADA, "Hello?")
    await here.deliver()
    await here.deliver(60)
    view = await here.view()
    assert view.agents[ADA].retired_at is not None
    assert view.all_rooms[ADA].channel_id is None
    assert await here.waiting() == []
    assert told(here) == [RETIRED]


async def test_the_managers_hear_once_of_an_agent_whose_channel_people_deleted(here: Town) -> None:
    gone = ChannelDeleted(guild_id=GUILD_ID, channel_id=ADAS)
    await here.intake.take(gone)
    await here.intake.take(gone)
    await here.deliver()
    assert told(here) == [RETIRED]


async def test_an_outage_is_waited_out_longer_and_longer(here: Town) -> None:
    here.publisher.trouble.extend([LOST_BEFORE] * 30)
    await here.say(ADA, "Finally.")
    for _ in range(200):
        await here.deliver(60)
        if here.publisher.said():
            break
    assert here.publisher.said() == ["Finally."]
    assert (here.clock.now() - START).total_seconds() > 3_600  # thirty tries in more than an hour, not in a minute


async def test_a_limit_that_lasts_does_not_hold_other_lanes_up(here: Town) -> None:
    here.publisher.trouble.append(Trouble(Limited("Later.", retry_after_seconds=300)))
    await here.apply(AddLetter(kind=LetterKind.TOPIC, room_id=ADA, payload={}, not_before=here.clock.now()))
    await here.deliver()
    await here.say(ADA, "Meanwhile.")
    await here.deliver()
    assert here.publisher.said() == ["Meanwhile."]
    assert here.publisher.done == []
    await here.deliver(300)
    assert here.publisher.done == [("channel", None, "")]


async def test_a_refused_topic_is_told_and_waits_for_the_right_without_pausing_anyone(here: Town) -> None:
    here.publisher.trouble.extend([REFUSED] * 3)
    await here.apply(AddLetter(kind=LetterKind.TOPIC, room_id=ADA, payload={}, not_before=here.clock.now()))
    for _ in range(4):
        await here.deliver(2)
    assert (await here.view()).agents[ADA].paused_reason is None
    assert len(told(here)) == 1
    await here.intake.take(GuildSeen(guild_id=GUILD_ID, name="Testers"))
    await here.deliver()
    assert ("channel", None, "") in here.publisher.done
    assert await here.waiting() == []


@pytest.mark.parametrize("kind", [LetterKind.TOPIC, LetterKind.POST])
async def test_a_last_refusal_that_is_on_its_way_while_the_right_comes_back_makes_nothing_rest(
    here: Town, monkeypatch: pytest.MonkeyPatch, kind: LetterKind
) -> None:
    here.publisher.trouble.extend([REFUSED] * 2)
    if kind is LetterKind.POST:
        await here.say(ADA, "Let me in.")
    else:
        await here.apply(AddLetter(kind=kind, room_id=ADA, payload={}, not_before=here.clock.now()))
    for _ in range(2):
        await here.deliver(2)

    async def refused_too_late(*_: object, **__: object) -> None:
        await here.intake.take(GuildSeen(guild_id=GUILD_ID, name="Testers"))
        raise Forbidden("Discord does not let me.")

    with monkeypatch.context() as slow:
        slow.setattr(here.publisher, "post", refused_too_late)
        slow.setattr(here.publisher, "edit_channel", refused_too_late)
        await here.deliver(2)
    assert await here.waiting() != []
    await here.deliver(2)
    assert await here.waiting() == []
    assert told(here) == []


async def test_a_letter_refused_but_once_is_tried_as_soon_as_the_right_is_back(here: Town) -> None:
    here.publisher.trouble.append(REFUSED)
    await here.apply(AddLetter(kind=LetterKind.TOPIC, room_id=ADA, payload={}, not_before=here.clock.now()))
    await here.deliver()
    await here.intake.take(GuildSeen(guild_id=GUILD_ID, name="Testers"))
    await here.deliver()
    assert await here.waiting() == []


async def test_a_refused_reaction_is_given_up(here: Town) -> None:
    await here.hear("Ada?")
    [heard] = await here.history()
    here.publisher.trouble.extend([REFUSED] * 3)
    react = ReactPayload(message_id=heard.id, emoji="👍").stored()
    await here.apply(AddLetter(kind=LetterKind.REACT, room_id=ADA, payload=react, not_before=here.clock.now()))
    for _ in range(4):
        await here.deliver(2)
    assert await here.waiting() == []


async def test_a_letter_that_closes_a_room_is_never_given_up_and_the_room_counts_as_public_till_then(
    here: Town,
) -> None:
    here.publisher.trouble.extend([REFUSED] * 3)
    closing = PermissionPayload(allowed=False).stored()
    await here.apply(AddLetter(kind=LetterKind.PERMISSION, room_id=ADA, payload=closing, not_before=here.clock.now()))
    for _ in range(4):
        await here.deliver(2)
    assert "Until Discord shows it closed, the room counts as public." in told(here)[0]
    here.publisher.trouble.extend([REFUSED] * 500)
    for _ in range(60):
        await here.deliver(86_400)
    assert [letter.kind for letter in await here.waiting()] == [LetterKind.PERMISSION]
    assert (await here.view()).all_rooms[ADA].visibility is Visibility.PUBLIC
    here.publisher.trouble.clear()
    await here.intake.take(GuildSeen(guild_id=GUILD_ID, name="Testers"))
    await here.deliver()
    assert ("allow", None, False) in here.publisher.done


async def test_what_discord_finds_wrong_with_a_letter_on_who_may_enter_does_not_end_it(here: Town) -> None:
    here.publisher.trouble.extend([Trouble(Invalid("Discord does not take it."))] * 3)
    revoked = PermissionPayload(person_id=Snowflake(501), allowed=False).stored()
    await here.apply(AddLetter(kind=LetterKind.PERMISSION, room_id=ADA, payload=revoked, not_before=here.clock.now()))
    for _ in range(4):
        await here.deliver(2)
    assert len(await here.waiting()) == 1
    await here.deliver(700)
    assert ("allow", 501, False) in here.publisher.done


async def test_what_discord_shows_decides_who_sees_a_room_whatever_letters_are_still_to_change(here: Town) -> None:
    closing = PermissionPayload(allowed=False).stored()
    later = here.clock.now() + timedelta(hours=1)
    await here.apply(
        UpdateRoom(room_id=ADA, fields={"visibility": Visibility.PRIVATE}),
        AddLetter(kind=LetterKind.PERMISSION, room_id=ADA, payload=closing, not_before=later),
    )
    await here.intake.take(ChannelFound(guild_id=GUILD_ID, channel_id=ADAS, topic="", is_private=False))
    assert (await here.view()).all_rooms[ADA].visibility is Visibility.PUBLIC


async def test_a_late_echo_of_the_topic_before_does_not_undo_what_a_letter_is_to_set(here: Town) -> None:
    here.publisher.trouble.append(Trouble(Forbidden("Discord does not let me.")))
    wanted = TopicPayload(topic="Roses").stored()
    await here.apply(
        UpdateRoom(room_id=ADA, fields={"topic": "Roses"}),
        AddLetter(kind=LetterKind.TOPIC, room_id=ADA, payload=wanted, not_before=here.clock.now()),
    )
    await here.deliver()
    await here.intake.take(ChannelChanged(guild_id=GUILD_ID, channel_id=ADAS, topic="", is_private=False))
    await here.deliver(5)
    assert ("channel", None, "Roses") in here.publisher.done
    assert (await here.view()).all_rooms[ADA].topic == "Roses"


async def test_trouble_with_a_notice_makes_no_further_notice(here: Town) -> None:
    here.publisher.trouble.append(Trouble(Invalid("no")))
    notice = NoticePayload(text="Look!").stored()
    await here.apply(AddLetter(kind=LetterKind.NOTICE, room_id=ADA, payload=notice, not_before=here.clock.now()))
    await here.deliver()
    await here.deliver(60)
    assert told(here) == []
    assert await here.waiting() == []


async def test_a_reaction_to_a_message_that_is_gone_is_let_go(here: Town) -> None:
    event = await here.hear("Ada?")
    [heard] = await here.history()
    here.publisher.trouble.append(Trouble(Gone("It is gone.")))
    react = ReactPayload(message_id=heard.id, emoji="👍").stored()
    await here.apply(AddLetter(kind=LetterKind.REACT, room_id=ADA, payload=react, not_before=here.clock.now()))
    await here.deliver()
    assert event.message_id == heard.discord_id
    assert await here.waiting() == []
    assert told(here) == []
