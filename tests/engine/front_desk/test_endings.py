"""Who is told of trees that went by themselves, and how often."""

from dataclasses import replace
from pathlib import Path

from sqlalchemy import select

from bot.core.kinds import LetterKind
from bot.core.letters import NoticePayload
from bot.core.records import AgentId, Snowflake
from bot.core.timelines.records import UNREADABLE
from bot.engine.front_desk.endings import Endings
from storage.tables import LETTERS
from tests.engine.front_desk.test_timelines import GUILD, desk
from tests.engine.hearts import everyone_says
from tests.engine.timelines.garden import BOSS, garden


async def test_the_maker_of_a_tree_that_went_with_somebody_is_told_once_unless_it_was_they(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        there, community_id = desk(grown), grown.key.community_id
        for made_by in (BOSS.id, Snowflake(700)):
            tree = await there.fork(GUILD, BOSS, AgentId(1), title="", rooms=(AgentId(1),))
            async with grown.home.store.writing(community_id) as write:
                await write.timelines.keep(replace(tree, made_by=made_by, gone="Somebody asked to be forgotten."))
        await Endings(there.office, there.orchard).expire()
        await Endings(there.office, there.orchard).expire()
        async with grown.home.store.reading() as read:
            letters = [one for one in await read.letters.due(grown.home.clock.now(), limit=100)]
            assert await read.timelines.all(community_id) == []
        notices = [one.payload for one in letters if one.kind is LetterKind.NOTICE]
        assert [one["person_id"] for one in notices] == [BOSS.id]
        assert "Somebody asked to be forgotten." in str(notices[0]["text"])


async def test_managers_and_its_maker_are_told_of_a_tree_that_went_because_it_was_damaged(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Here.")) as grown:
        there, community_id = desk(grown), grown.key.community_id
        tree = await there.fork(GUILD, BOSS, AgentId(1), title="", rooms=(AgentId(1),))
        async with grown.home.store.writing(community_id) as write:
            await write.timelines.keep(replace(tree, gone=UNREADABLE))
        await Endings(there.office, there.orchard).expire()
        await Endings(there.office, there.orchard).expire()
        async with grown.home.store.database.reading() as connection:
            rows = (await connection.execute(select(LETTERS.c.payload).where(LETTERS.c.kind == "notice"))).scalars()
        notices = [NoticePayload.model_validate(one) for one in rows]
        assert [(one.to_managers, one.person_id) for one in notices] == [(True, None), (False, BOSS.id)]
        assert all(f"hat-if {tree.id} was deleted. {UNREADABLE}" in one.text for one in notices)
