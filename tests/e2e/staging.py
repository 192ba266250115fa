"""An agent whose answers a test writes: they come from the playground's model, over HTTP, to a line that you say."""

import asyncio
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count

from bot.core.records import AgentId, Beat, BeatId, Snowflake
from tests.e2e.sharing import Cast
from tests.e2e.visitor import Json, Visitor, until

NUMBERS = count(1)
STILL_LOOKS = 10  # so often in a row, for a post that just went out stirs others a moment later
BETWEEN_LOOKS_SECONDS = 0.05
SOON = timedelta(seconds=3)


@dataclass
class Stage:
    """Rook, who may manage agents, is in Fern's room; Fern is in Rook's."""

    cast: Cast
    ids: dict[str, int] = field(default_factory=dict)
    halls: dict[str, str] = field(default_factory=dict)
    anchor: Json = field(default_factory=dict)

    @property
    def rook(self) -> int:
        return self.ids["Rook"]

    @property
    def fern(self) -> int:
        return self.ids["Fern"]

    async def does(self, name: str, actions: list[Json], responses: list[Json] | None = None) -> None:
        """Have the model give this answer to what you say to the agent now, and wait until it was applied."""
        outcome = await self.obeys(name, "", actions, responses)
        assert not [what for what in outcome if what.startswith("Rejected")]

    async def obeys(
        self,
        name: str,
        words: str,
        actions: list[Json],
        responses: list[Json] | None = None,
        *,
        by: Visitor | None = None,
    ) -> list[str]:
        """Have somebody say something to an agent that then does this, whatever it is; gives what came of each."""
        mark = f"please do number {next(NUMBERS)}."
        answer = {"agent_id": self.ids[name], "thoughts": mark, "responses": responses or [], "actions": actions}
        await self.cast.home.script(
            {"match": rf"{re.escape(mark)}[\s\S]*\nyou: {self.ids[name]}\n", "answer": {"agents": [answer]}}
        )
        await (by or self.cast.you).say(self.halls[name], f"{name}, {words} {mark}")

        [guild] = self.cast.home.house.client.guilds

        others: set[BeatId] = set()

        async def applied() -> Beat | None:
            desk, guild_id, id_ = self.cast.home.house.desk.beats, Snowflake(guild.id), AgentId(self.ids[name])
            for listed in await desk.of(guild_id, id_, who=Snowflake(0), limit=9):  # others may have come since
                if listed.id not in others:
                    beat = await desk.one(guild_id, id_, listed.id, who=Snowflake(0))
                    if beat.thoughts == mark:
                        return beat
                    others.update({listed.id} if beat.thoughts else ())
            return None

        return list((await until(applied, f"beat with {actions}")).outcome)

    async def face(self, path: str) -> str:
        """Read the bot's own face."""
        return await self.cast.home.face(path)

    async def calm(self) -> None:
        """Wait until no agent is at work or soon to be."""

        async def still() -> bool:
            for _ in range(STILL_LOOKS):
                if any(is_busy(one) for one in (await self.cast.home.agents()).values()):
                    return False
                await asyncio.sleep(BETWEEN_LOOKS_SECONDS)
            return True

        await until(still, "calm")

    async def told(self, path: str, /, **options: object) -> str:
        return await self.cast.manager.told(path, **options)

    async def message_id(self) -> int:
        """Give the number under which agents know the anchor."""
        for call in reversed(await self.cast.you.model_calls()):
            if found := re.search(r"\[(\d+) [^\]]*\] [^\n]*the anchor lies here", call["input"]):
                return int(found[1])
        raise AssertionError("no HUD has the anchor")

    async def looked_up(self, text: str) -> bool:
        """Tell whether a HUD of Rook's had this among its look-ups."""
        inputs = [call["input"] for call in await self.cast.you.model_calls()]
        return any(text in part.split(">>>")[0] for one in inputs for part in one.split(">>> LOOKUPS <<<")[1:])

    async def posts(self, room: str) -> str:
        messages = await self.cast.you.messages(self.halls[room])
        return "\n".join(one["content"] for one in messages if "webhook_id" in one)

    async def pins(self) -> str:
        return str(await self.cast.you.ask("GET", f"/channels/{self.halls['Rook']}/pins"))


def is_busy(agent: Json) -> bool:
    """Tell whether the face's row of an agent says that it is at work, or will be in a moment."""
    at = agent["next_beat_at"] and datetime.fromisoformat(agent["next_beat_at"])
    return agent["state"] in ("thinking", "typing") or bool(at and at < datetime.now(UTC) + SOON)
