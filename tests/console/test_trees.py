"""What-if trees in the console are for who may look into all their rooms, and what is told of them is as described."""

from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import make_mocked_request
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from bot.console.reading import CLOSED
from bot.console.standing import Asker
from bot.console.trees import TreePages
from bot.core.config import CommunityConfig
from bot.core.errors import NotFound, Rejected
from bot.core.records import AgentId, Room, Snowflake
from bot.core.timelines.records import NOW, Timeline
from bot.engine.front_desk import FrontDesk, Office
from bot.engine.front_desk.timelines import Orchard
from bot.engine.performer import Performer
from bot.engine.timelines.house import Treasury
from tests.engine.theatre import BOSS, theatre
from tests.engine.timelines.garden import TOKENIZER
from tests.engine.timelines.test_scenes import forked
from tests.factories import GUILD_ID
from tests.fakes import START, PlainCipher, SeededRandom


async def nobody_reads(_: Room) -> bool:
    return False


async def test_a_tree_is_told_to_whom_its_rooms_are_open_and_to_nobody_else(tmp_path: Path) -> None:
    async with theatre(agents=2) as stage, forked(stage, tmp_path, NOW) as grown:
        house = stage.house
        performer = Performer(cipher=PlainCipher(), tokenizer=TOKENIZER)
        treasury = Treasury(house.store, house.model, grown.trees, house.clock, places=8)
        orchard = Orchard(trees=grown.trees, images=house.store, grower=grown.operations, treasury=treasury)
        desk = FrontDesk(
            Office(house.store, performer, house.clock, SeededRandom(), on_done=lambda: None), orchard=orchard
        )
        tree = Timeline(
            community_id=house.community_id,
            id=grown.key.id,
            room_id=AgentId(1),
            title="fog",
            made_by=Snowflake(BOSS.id),
            usd_cap=CommunityConfig().timeline_usd,
            created_at=START,
            expires_at=START,
        )
        async with house.store.writing(house.community_id) as write:
            await write.timelines.keep(tree)
        pages = TreePages(desk)
        boss = Asker(guild_id=Snowflake(GUILD_ID), person=BOSS, may_read=nobody_reads, sees=lambda _: True, server="")
        shut = Asker(guild_id=Snowflake(GUILD_ID), person=BOSS, may_read=nobody_reads, sees=lambda _: False, server="")
        asked = make_mocked_request("GET", "/?one=0&two=0", match_info={"tree": "1", "node": "0"})
        for route in pages.routes():
            shape: Any = route.gives
            Draft202012Validator(TypeAdapter(shape).json_schema()).validate(await route.told(boss, asked))
            if route.path == "/trees":
                assert await route.told(shut, asked) == {"trees": []}
            else:
                with pytest.raises(Rejected, match=CLOSED):
                    await route.told(shut, asked)
                with pytest.raises(NotFound):
                    await route.told(boss, make_mocked_request("GET", "/", match_info={"tree": "9", "node": "0"}))
