"""A village in the community: free moves leave the turn open, and what is seen or heard is no message."""

from typing import Any

import pytest
from sqlalchemy import select

from bot.core.records import Json
from bot.core.scenes.records import SceneStatus
from bot.standin.player import played
from storage.tables import MESSAGES
from tests.engine.theatre import MIRA, Player, theatre

RESTED: dict[str, Json] = {"type": "rest"}


def talkative(text: str, moves: dict[str, Any]) -> dict[str, Json]:
    """Speak as long as that is free, then rest."""
    return {"type": "talk", "text": "Is anybody here?"} if "talk" in moves else RESTED


@pytest.mark.slow
async def test_who_speaks_freely_is_asked_again_at_once_and_misses_nothing() -> None:
    async with theatre(Player(talkative)) as stage:
        await stage.opened("village", 2, rounds=3)
        await stage.run(60)
        scene = await stage.scene()
        assert scene.status is SceneStatus.OVER
        assert [one.misses for one in scene.seats] == [0, 0]
        assert [one.turns for one in scene.seats] == [3, 3]
        assert len([one for one in await stage.events() if one.kind == "talk"]) == 12
        assert await stage.replays()


@pytest.mark.slow
async def test_what_is_seen_and_heard_in_a_village_is_nobodys_message() -> None:
    def chosen(text: str, moves: dict[str, Any]) -> dict[str, Json]:
        found = played(text)
        assert found is not None
        move = found["move"]
        assert isinstance(move, dict)
        return move

    async with theatre(Player(chosen)) as stage:
        await stage.opened("village", 2, MIRA, rounds=4)
        for _ in range(4):
            await stage.run(30)
            assert await stage.move(MIRA, "talk", text="I hide a letter.") == ""
            assert await stage.move(MIRA, "rest") == ""
        await stage.run(30)
        assert (await stage.scene()).status is SceneStatus.OVER
        async with stage.house.store.database.reading() as connection:
            kept = (await connection.execute(select(MESSAGES.c.content))).scalars().all()
        assert any("It is over" in one for one in kept)
        assert not [one for one in kept if "letter" in one or "walks to" in one]
        assert any("I hide a letter." in one for one in await stage.lines())
