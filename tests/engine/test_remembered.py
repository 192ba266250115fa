"""What is remembered of a store is what is there: it is forgotten once any table that it came from is written."""

import pytest

from bot.core.records import AgentId
from bot.core.scenes.registry import KINDS
from storage.parts import SqlReading
from tests.engine.hearts import hearts
from tests.engine.remembered import EVERYTHING, Remembered, read_in, remembering, written_in
from tests.engine.theatre import MIRA
from tests.engine.worlds_alike import around, compared
from tests.factories import GUILD_ID
from tests.fakes import ScriptedModel


async def test_what_was_asked_is_asked_again_once_something_that_it_came_from_is_written() -> None:
    async with hearts(1, model=ScriptedModel()) as house, remembering(house.store) as remembered:

        async def known() -> object:
            async with remembered.moment(), house.store.reading() as read:
                return await read.people.find(house.community_id, MIRA.id)

        async def named() -> object:
            async with remembered.moment(), house.store.reading() as read:
                return await read.agents.names(house.community_id)

        names, nobody = await named(), await known()
        assert nobody is None
        async with house.store.writing(house.community_id) as write:
            await write.people.put(house.community_id, MIRA)
        somebody = await known()
        assert somebody == MIRA
        assert await known() is somebody
        assert await named() == names


async def test_parts_that_are_asked_within_one_moment_see_what_is_written_in_it() -> None:
    async with (
        hearts(1, model=ScriptedModel()) as house,
        remembering(house.store) as remembered,
        remembered.moment(),
    ):
        async with house.store.reading() as read:
            assert not isinstance(read, SqlReading)
            assert await read.people.find(house.community_id, MIRA.id) is None
        async with house.store.writing(house.community_id) as write:
            await write.people.put(house.community_id, MIRA)
        async with house.store.reading() as read:
            assert await read.people.find(house.community_id, MIRA.id) == MIRA
            assert [*await read.agents.names(house.community_id)] == [AgentId(1)]
            assert await read.communities.of_guild(GUILD_ID) is not None


@pytest.mark.parametrize(
    ("statement", "read", "written"),
    [
        ("SELECT agents.id, usage.beats AS beats FROM agents, usage", {"agents", "usage"}, set()),
        ("SELECT id FROM people WHERE name = 'messages'", {"people"}, set()),
        ("UPDATE beats SET agent_id = 1 WHERE side < 0", None, {"beats"}),
        ("INSERT INTO people (community_id, agents) VALUES (1, 2)", None, {"people"}),
        ("DELETE FROM scene_events", None, {"scene_events"}),
        ("DELETE FROM communities", None, EVERYTHING),
        ("WITH gone AS (SELECT 1) DELETE FROM people", None, EVERYTHING),
        ("REPLACE INTO people VALUES (1)", None, EVERYTHING),
        ("ALTER TABLE people ADD COLUMN more", None, EVERYTHING),
        ("SAVEPOINT one", None, set()),
    ],
)
def test_a_statement_tells_what_it_reads_and_writes(statement: str, read: set[str] | None, written: set[str]) -> None:
    assert written_in(statement) == written
    assert read is None or read_in(statement) == read


@pytest.mark.long
async def test_what_is_remembered_though_it_is_so_no_more_is_found_among_the_worlds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with around(KINDS["landlord"]) as here:
        await compared(here, 1)
        monkeypatch.setattr(Remembered, "note", lambda self, statement: None)
        await here.stage.house.store.database.plainly(lambda connection: connection.set_trace_callback(None))
        wrong, _ = await compared(here, 1, seed=5)
    assert any(one.endswith("as it is remembered") for one in wrong)
