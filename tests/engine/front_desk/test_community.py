"""What concerns everyone: pausing all, what managers read in the audit, and what somebody may see."""

import pytest

from bot.core.actions import SetBillboard, SetTopic
from bot.core.errors import Rejected
from tests.engine.test_moderation import front_desk
from tests.engine.town import ADA, ADAS, BOB, town
from tests.factories import GUILD_ID, later, person
from tests.fakes import START

BOSS, OTHER = person("boss", 900, is_architect=True), person("rita", 901, is_architect=True)
GUEST = person("mira", 501)


async def test_everyone_is_paused_once_and_goes_on_once() -> None:
    async with town() as here:
        desk = front_desk(here).community
        assert "nobody beats until you resume" in await desk.pause(GUILD_ID, BOSS, paused=True)
        assert (await desk.settings(GUILD_ID))[0].paused
        with pytest.raises(Rejected, match="paused already"):
            await desk.pause(GUILD_ID, BOSS, paused=True)
        assert await desk.pause(GUILD_ID, BOSS, paused=False) == "Everyone goes on."
        with pytest.raises(Rejected, match="may beat already"):
            await desk.pause(GUILD_ID, BOSS, paused=False)
        assert not (await desk.settings(GUILD_ID))[0].paused


async def test_only_managers_pause_everyone_and_read_who_did_what() -> None:
    async with town() as here:
        desk = front_desk(here).community
        with pytest.raises(Rejected):
            await desk.pause(GUILD_ID, GUEST, paused=True)
        with pytest.raises(Rejected):
            await desk.audit_log(GUILD_ID, GUEST)
        assert not (await desk.settings(GUILD_ID))[0].paused


async def test_the_audit_is_searched_by_who_by_agent_by_words_and_by_time() -> None:
    async with town() as here:
        desk = front_desk(here)
        await desk.actions.take(GUILD_ID, BOSS, SetTopic(topic="tea"), subject=ADA)
        await here.clock.advance(3_600)
        await desk.actions.take(GUILD_ID, OTHER, SetBillboard(message="Closed."), subject=BOB)

        async def found(**wanted: object) -> list[int | None]:
            return [one.agent_id for one in await desk.community.audit_log(GUILD_ID, BOSS, **wanted)]  # type: ignore[arg-type]

        assert await found() == [BOB, ADA]
        assert await found(by="RITA") == [BOB]
        assert await found(agent_id=ADA) == [ADA]
        assert await found(words="tea") == [ADA]
        assert await found(since=later(60, start=START)) == [BOB]


async def test_who_reads_not_every_channel_sees_neither_its_room_nor_who_is_only_there() -> None:
    async with town() as here:
        desk = front_desk(here).community
        everything = await desk.sight(GUILD_ID, lambda channel_id: True)
        assert everything.hidden_rooms == frozenset()
        some = await desk.sight(GUILD_ID, lambda channel_id: channel_id != ADAS)
        assert some.hidden_rooms == {ADA}
        assert BOB not in some.hidden_agents
