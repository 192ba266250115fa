"""What people do by command goes through the door that agents use, and a refusal is a sentence."""

import pytest

from bot.core.actions import SetBillboard, SetTopic
from bot.core.errors import NotFound, Rejected
from bot.core.records import Snowflake
from tests.engine.test_moderation import front_desk
from tests.engine.town import ADA, BOB, town
from tests.factories import GUILD_ID, person

BOSS, GUEST = person("boss", 900, is_architect=True), person("mira", 501)


async def test_what_a_manager_does_is_done_at_once_and_stands_in_the_audit_under_their_name() -> None:
    async with town() as here:
        desk = front_desk(here)
        outcome = await desk.actions.take(GUILD_ID, BOSS, SetTopic(topic="tea"), subject=ADA)
        assert outcome.accepted
        rooms = (await here.view()).all_rooms
        assert (rooms[ADA].topic, rooms[BOB].topic) == ("tea", "")
        [entry] = await desk.community.audit_log(GUILD_ID, BOSS, by="boss", agent_id=ADA)
        assert "tea" in entry.what


async def test_what_the_rules_forbid_is_refused_in_words_and_leaves_nothing() -> None:
    async with town() as here:
        desk = front_desk(here)
        with pytest.raises(Rejected) as refused:
            await desk.actions.take(GUILD_ID, GUEST, SetBillboard(message="mine"), subject=ADA)
        assert refused.value.sentence.endswith(".")
        assert (await here.view()).all_rooms[ADA].billboard == ""
        assert await desk.community.audit_log(GUILD_ID, BOSS) == []


async def test_where_no_community_is_nothing_can_be_done() -> None:
    async with town() as here:
        with pytest.raises(NotFound, match="not moved into this server"):
            await front_desk(here).actions.take(Snowflake(4_711), BOSS, SetTopic(topic="tea"), subject=ADA)
