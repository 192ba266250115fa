"""What-if trees in the console are for who may look into all their rooms, and what is told of them is as described."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import make_mocked_request
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from bot.console.reading import CLOSED
from bot.console.standing import Asker
from bot.console.trees import TreePages
from bot.core.errors import NotFound, Rejected
from bot.core.records import AgentId, Room, Snowflake
from bot.core.timelines.records import NOW
from bot.engine.front_desk import FrontDesk
from tests.engine.theatre import BOSS, theatre
from tests.engine.timelines.test_scenes import forked, office_of, told_of
from tests.factories import GUILD_ID

AT = {"tree": "1", "node": "0", "agent": "1", "beat": "1"}


async def nobody_reads(_: Room) -> bool:
    return False


async def test_a_tree_is_told_to_whom_its_rooms_are_open_and_to_nobody_else(tmp_path: Path) -> None:
    async with theatre(agents=2) as stage, forked(stage, tmp_path, NOW) as grown:
        office, orchard = office_of(stage, grown)
        await told_of(stage, grown)
        desk = FrontDesk(office, orchard=orchard)
        pages = TreePages(desk)
        boss = Asker(guild_id=Snowflake(GUILD_ID), person=BOSS, may_read=nobody_reads, sees=lambda _: True, server="")
        shut = Asker(guild_id=Snowflake(GUILD_ID), person=BOSS, may_read=nobody_reads, sees=lambda _: False, server="")
        asked = make_mocked_request("GET", "/?one=0&two=0", match_info=AT)
        for route in pages.routes():
            shape: Any = route.gives
            if route.path.endswith("/beats/{beat}"):
                with pytest.raises(Rejected, match="The root was never run"):
                    await route.told(boss, asked)
            else:
                Draft202012Validator(TypeAdapter(shape).json_schema()).validate(await route.told(boss, asked))
            if route.path == "/trees":
                assert await route.told(shut, asked) == {"trees": []}
            else:
                with pytest.raises(Rejected, match=CLOSED):
                    await route.told(shut, asked)
                with pytest.raises(NotFound):
                    await route.told(boss, make_mocked_request("GET", "/", match_info=AT | {"tree": "9"}))


async def test_a_tree_of_a_room_that_is_gone_is_open_to_nobody_here(tmp_path: Path) -> None:
    """It may have been closed to who asks: nobody can tell any more."""
    async with theatre(agents=2) as stage, forked(stage, tmp_path, NOW, rooms=(AgentId(1), AgentId(2))) as grown:
        office, orchard = office_of(stage, grown)
        timeline = await told_of(stage, grown)
        pages = TreePages(FrontDesk(office, orchard=orchard))
        boss = Asker(guild_id=Snowflake(GUILD_ID), person=BOSS, may_read=nobody_reads, sees=lambda _: True, server="")
        view = await pages.desk.community.view(boss.guild_id, messages=0)
        assert await pages._is_open(boss, timeline, view)
        left = {id_: room for id_, room in view.all_rooms.items() if id_ != 2}
        assert not await pages._is_open(boss, timeline, replace(view, all_rooms=left))
