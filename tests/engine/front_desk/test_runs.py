"""A run of a server asks its models through the house, within its day's money."""

import asyncio
from pathlib import Path

import pytest

from bot.core.config import CommunityConfig
from bot.core.errors import BadSetting, Rejected
from bot.core.events import GuildSeen
from bot.core.records import Snowflake
from bot.core.runs.reading import read_given
from bot.core.spending import day_of
from bot.engine.channel_events import ChannelEvents
from bot.engine.front_desk.actions import Actions
from bot.engine.front_desk.community import CommunityDesk
from bot.engine.front_desk.office import Office
from bot.engine.front_desk.runs import ONE_PLAYS, Runs
from bot.engine.performer import Performer
from bot.engine.timelines.house import Treasury
from bot.runs.home import RunHome
from bot.runs.served import ServedRuns
from tests.e2e.visitor import until
from tests.engine.hearts import everyone_says
from tests.engine.test_moderation import front_desk
from tests.engine.timelines.garden import BOSS, TOKENIZER, garden
from tests.engine.town import town
from tests.factories import GUILD_ID
from tests.fakes import PlainCipher, SeededRandom

pytestmark = pytest.mark.long
GUILD = Snowflake(GUILD_ID)


async def test_the_runs_of_a_server_go_two_weeks_after_it_was_left_and_stay_where_we_came_back(tmp_path: Path) -> None:
    async with town() as here:
        desk, kept = front_desk(here), ServedRuns(folder=tmp_path, is_shared=False)
        desk.runs.there = kept
        who = [{"name": name, "prompt": f"You are {name}."} for name in ("Ada", "Bo")]
        spec = read_given({"agents": who, "scene": {"kind": "chat"}, "turns": 1})
        RunHome(tmp_path / "servers" / str(GUILD)).take(spec)
        RunHome(tmp_path / "servers" / "7").take(spec)
        community, _ = await desk.community.settings(GUILD)
        events = ChannelEvents(here.store, here.clock)

        async def after(days: float) -> int:
            await here.clock.advance(days * 86_400)
            await desk.runs.expire()
            return await kept.count(GUILD)

        await events.left(community)
        assert await after(13) == 1
        await events.seen(GuildSeen(guild_id=GUILD, name="Town"))
        assert await after(13) == 1
        await events.left(community)
        assert await after(13) == 1
        await events.left(community)  # so each start notices it anew
        assert (await after(2), await kept.count(Snowflake(7))) == (0, 1)


async def test_a_run_on_a_model_spends_of_the_days_money_and_no_more_than_there_is(tmp_path: Path) -> None:
    async with garden(tmp_path, everyone_says("Tea.")) as grown:
        home = grown.home
        treasury = Treasury(home.store, home.model, grown.trees, home.clock, places=8)
        performer = Performer(cipher=PlainCipher(), tokenizer=TOKENIZER)
        office = Office(home.store, performer, home.clock, SeededRandom(), lambda: None, models=home.model)
        kept = ServedRuns(folder=tmp_path / "runs", is_shared=False)
        runs = Runs(office, kept, treasury)
        await CommunityDesk(office, Actions(office), CommunityConfig()).configure(GUILD, BOSS, usd_per_day=0.5)
        agents = [{"name": name, "prompt": f"You are {name}."} for name in ("Ada", "Bo")]
        given = {"agents": agents, "scene": {"kind": "chat"}, "turns": 2, "model": "gpt-4o-mini", "budget": "0.20"}
        with pytest.raises(Rejected, match="The day's money does not hold this"):
            await runs.begin(GUILD, BOSS, read_given(given | {"budget": 5}))
        asked = len(home.model.calls)
        both = [runs.begin(GUILD, BOSS, read_given(given)) for _ in range(2)]
        begun = await asyncio.gather(*both, return_exceptions=True)
        (number,) = [one for one in begun if isinstance(one, int)]
        assert [one.sentence for one in begun if isinstance(one, Rejected)] == [ONE_PLAYS]

        async def is_over() -> bool:
            return kept.under_way(GUILD) is None

        await until(is_over, "the run's end")
        assert kept.ended(GUILD, number) == "as long as it was to be"
        assert len(home.model.calls) > asked
        with pytest.raises(BadSetting, match="at least every 100"):  # else it grew as long without being looked at
            await runs.begin(GUILD, BOSS, read_given(given | {"every": 101}))
        _, spent = await kept.spent(GUILD, number)
        assert spent > 0
        async with home.store.reading() as read:
            usd, _ = await read.money.spent(grown.key.community_id, day_of(home.clock.now()))
        assert (usd, treasury.runs(grown.key)) == (spent, False)
