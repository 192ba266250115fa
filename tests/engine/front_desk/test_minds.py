"""What managers see in agents' heads: their HUD, their journal, and the beats that are kept."""

from typing import Any

import pytest

from bot.core.actions import Set, UndoKnowledge
from bot.core.changes import EndBeat
from bot.core.errors import NotFound
from bot.core.kinds import ReasonKind
from bot.core.records import PUBLIC_SIDE, AgentId, Beat, BeatId
from tests.engine.test_moderation import front_desk
from tests.engine.town import ADA, BOB, Town, town
from tests.factories import GUILD_ID, later, message, person
from tests.storage.scenes import MIRA

BOSS = person("boss", 900, is_architect=True)


async def beat(here: Town, id: int, agent_id: AgentId = ADA, **fields: Any) -> None:  # noqa: ANN401 - a factory
    made = Beat(id=BeatId(id), agent_id=agent_id, at=later(id), reason=ReasonKind.INITIATIVE, hud=f"hud {id}", **fields)
    await here.apply(EndBeat(beat=made))


async def test_beats_are_listed_newest_first_and_one_is_shown_whole() -> None:
    async with town() as here:
        for id, agent_id in ((1, ADA), (2, BOB), (3, ADA)):
            await beat(here, id, agent_id)
        beats = front_desk(here).beats
        assert [one.id for one in await beats.of(GUILD_ID, ADA, who=BOSS.id)] == [3, 1]
        assert [one.id for one in await beats.of(GUILD_ID, ADA, who=BOSS.id, limit=1)] == [3]
        assert (await beats.one(GUILD_ID, ADA, 1, who=BOSS.id)).hud == "hud 1"
        last = await beats.last(GUILD_ID, ADA, who=BOSS.id)
        assert last is not None
        assert last.hud == "hud 3"


async def test_a_beat_is_shown_as_its_own_agents_only() -> None:
    async with town() as here:
        await beat(here, 1, BOB)
        beats = front_desk(here).beats
        with pytest.raises(NotFound, match="/hud history lists"):
            await beats.one(GUILD_ID, ADA, 1, who=BOSS.id)
        assert await beats.last(GUILD_ID, ADA, who=BOSS.id) is None


async def test_the_beat_behind_a_message_is_found_and_what_came_after_it() -> None:
    async with town() as here:
        await beat(here, 1)
        await beat(here, 90, BOB)
        beats = front_desk(here).beats
        said = message(1, "Tea.", room_id=BOB, beat_id=BeatId(1), sent_at=later(30))
        assert (await beats.behind(GUILD_ID, said, who=BOSS.id)).hud == "hud 1"
        after = await beats.after(GUILD_ID, said, who=BOSS.id)
        assert {id_: one and one.hud for id_, one in after.items()} == {BOB: "hud 90"}
        with pytest.raises(NotFound, match="choose one that an agent said lately"):
            await beats.behind(GUILD_ID, message(2, "Hello."), who=BOSS.id)


async def test_the_side_of_a_mind_is_the_open_one_unless_a_private_room_is_named() -> None:
    async with town() as here:
        desk = front_desk(here)
        ada, bob = (await here.view()).agents[ADA], (await here.view()).agents[BOB]
        assert await desk.minds.side(GUILD_ID, ada, None, who=MIRA) == PUBLIC_SIDE
        assert await desk.minds.side(GUILD_ID, ada, ada, who=MIRA) == PUBLIC_SIDE
        with pytest.raises(NotFound, match="Ada is not in that room"):
            await desk.minds.side(GUILD_ID, ada, bob, who=MIRA)
        assert await desk.minds.why_shut(GUILD_ID, ADA, who=MIRA) == ""


async def test_the_journal_tells_who_changed_what_and_what_was_undone() -> None:
    async with town() as here:
        desk = front_desk(here)
        for value in ("black", "green"):
            await desk.actions.take(GUILD_ID, BOSS, Set(path="tea", value=value), subject=ADA)
        entries = await desk.minds.journal(GUILD_ID, ADA)
        assert [(one.path, one.before, one.after) for one in entries] == [
            ("tea", "black", "green"),
            ("tea", None, "black"),
        ]
        assert "boss" in entries[0].by
        await desk.actions.take(GUILD_ID, BOSS, UndoKnowledge(), subject=ADA)
        assert (await desk.minds.of(GUILD_ID, ADA)).knowledge == {"tea": "black"}
        assert await desk.minds.journal(GUILD_ID, BOB) == []
