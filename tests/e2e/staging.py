"""An agent whose answers a test writes: they come from the playground's model, over HTTP, to a line that you say."""

import json
import re
from dataclasses import dataclass, field
from itertools import count

from tests.e2e.sharing import Cast
from tests.e2e.visitor import Json, until

NUMBERS = count(1)


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
        mark = f"please do number {next(NUMBERS)}."
        answer = {"agent_id": self.ids[name], "thoughts": mark, "responses": responses or [], "actions": actions}
        await self.cast.home.script(
            {"match": rf"{re.escape(mark)}[\s\S]*\nyou: {self.ids[name]}\n", "answer": {"agents": [answer]}}
        )
        await self.cast.you.say(self.halls[name], f"{name}, {mark}")

        async def applied() -> Json | None:
            beat: Json = json.loads(await self.face(f"/agents/{self.ids[name]}/beat"))
            return beat if beat.get("thoughts") == mark else None

        beat = await until(applied, f"beat with {actions}")
        assert not [what for what in beat["outcome"] if "rejected" in what]

    async def face(self, path: str) -> str:
        """Read the bot's own face."""
        face = self.cast.home.house.face
        assert face is not None
        async with self.cast.home.session.get(f"{face.url}{path}") as response:
            return await response.text()

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
