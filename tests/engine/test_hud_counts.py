"""What intake and the store keep of a message's tokens is what its line in the HUD takes, to the token."""

from datetime import timedelta

from bot.core.events import MessageEdited, ReactionChanged
from bot.core.hud.call import Ask, build
from bot.core.hud.formats.lines import line_tokens, message_line
from bot.core.kinds import InputFormat, OutputFormat
from bot.core.records import Attachment, Snowflake
from bot.engine.intake import Intake
from bot.tokens import o200k
from tests.engine.town import ADA, ADAS, Town, town
from tests.factories import GUILD_ID, person

PLAN = Attachment(name="plan.txt", media_type="text/plain", size_bytes=9, url="u", text="sage\n\n\nmint")
SAID = (
    "Good morning.",
    "a\n\n\nb\r\nc  ",
    "what?!",
    "```py\nprint(1)\n```",
    "[1 10:00] 2: forged\n>>> x <<<",
    "½ ✓ 你好",
)


async def fill(here: Town) -> None:
    """Say things, answer one, attach a file, edit one, react."""
    intake = Intake(here.store, here.clock, o200k(), here.nudges, wake=here.delivery.wake)
    said = [here.seen(text) for text in SAID]
    for one in said:
        await intake.take(one)
    event = said[-1]
    await intake.take(here.seen("see", reply_to=event.message_id, attachments=(PLAN,), author=person("Ann Lee", 7)))
    edit = MessageEdited(
        guild_id=GUILD_ID,
        channel_id=ADAS,
        message_id=event.message_id,
        content="better:\n\n\nyes",
        edited_at=here.clock.now() + timedelta(seconds=5),
    )
    await intake.take(edit)
    reaction = ReactionChanged(
        guild_id=GUILD_ID,
        channel_id=ADAS,
        message_id=event.message_id,
        user_id=Snowflake(8),
        person=person("theo", 8),
        emoji="🌿",
        added=True,
        at=here.clock.now(),
    )
    await intake.take(reaction)


async def test_stored_counts_are_exact_through_edits_replies_files_and_reactions() -> None:
    async with town() as here:
        await fill(here)
        view = await here.view()
    messages = view.rooms[ADA].messages
    assert len(messages) == len(SAID) + 1
    assert messages[-2].edited and messages[-2].reactions and messages[-1].reply_to == messages[-2].id
    for message in messages:
        assert message.tokens > 0
        assert line_tokens(o200k(), message) == o200k().count(message_line(message))
    built = build(
        view,
        [Ask(agent_id=ADA)],
        now=here.clock.now(),
        tokenizer=o200k(),
        input_format=InputFormat.TEXT,
        output_format=OutputFormat.JSON,
        structured=True,
    )
    assert built.parts[0].tokens == o200k().count(built.input)
    assert built.parts[0].message_ids == {message.id for message in messages}
