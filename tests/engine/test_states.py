"""What an agent is at is told of it in the room where it is at it, everywhere alike."""

from datetime import timedelta
from typing import Any

from bot.core.changes import UpdateAgent
from bot.core.kinds import Doing, State
from bot.core.letters import RESTS
from bot.core.next_beat import doing_words
from bot.core.page_rows import agent_row
from bot.core.ports import ModelAnswer, ModelCall
from bot.core.records import AgentId
from cogs.room.company import member_lines
from cogs.ui.cards import agent_list
from cogs.ui.charts import pace_table
from tests.engine.hearts import Hearts, answer, hearts
from tests.engine.test_foresight import told
from tests.fakes import ScriptedModel

HALL, GUEST = AgentId(1), AgentId(2)
HALLS = "7000000000000001"


async def row_of(home: Hearts, id: AgentId) -> dict[str, Any]:
    view = await home.view(1, 2)
    return agent_row(view, view.agents[id], (await told(home))[id])


async def test_a_guest_types_and_the_rooms_owner_does_not() -> None:
    async with hearts(2, script=[answer({2: [(1, "Here I am, and I have much to tell.")]})] * 3) as home:
        await home.hear("Agent2, are you here?")
        await home.slot(1)
        looks, view, now = await told(home), await home.view(1, 2), home.clock.now()
        assert (looks[GUEST].state, looks[HALL].state) == (State.TYPING, State.IDLE)
        assert doing_words(view, looks[GUEST]) == "typing in Agent1's room"
        assert [line[0] for line in agent_list(view, looks, now)] == ["🟢", "✍"]
        assert member_lines(view, HALL, looks, now)[1].endswith(", typing")
        assert "typing in Agent1's room · every" in pace_table(view, [view.agents[GUEST]], looks, ())[0]
        row = await row_of(home, GUEST)
        assert (row["state"], row["doing"]) == ("typing", {HALLS: "typing"})
        assert (await row_of(home, HALL))["doing"] == {HALLS: "waiting for the floor"}
        await home.run(20)
        assert (await told(home))[GUEST].state is State.IDLE


async def test_who_comes_after_others_waits_for_the_floor_of_that_room() -> None:
    async with hearts(4) as home:
        await home.hear("Agent1, Agent2, Agent3: your opinions?")
        await home.heartbeat.slot(home.clock.now())
        await home.clock.advance(1)
        await home.heartbeat.slot(home.clock.now())
        waiting = [id for id, look in (await told(home)).items() if look.doing.get(HALL) is Doing.WAITING]
        assert waiting


class Watched(ScriptedModel):
    """Tells what is told of agents while it thinks."""

    def __init__(self) -> None:
        super().__init__()
        self.home: Hearts | None = None
        self.seen: list[tuple[State, dict[AgentId, Doing]]] = []

    async def answer(self, call: ModelCall) -> ModelAnswer:
        if self.home is not None:
            look = (await told(self.home))[GUEST]
            self.seen.append((look.state, dict(look.doing)))
        return await super().answer(call)


async def test_who_is_asked_thinks_in_the_room_where_it_was_asked() -> None:
    model = Watched()
    async with hearts(2, model=model) as home:
        model.home = home
        await home.hear("Agent2, are you here?")
        await home.slot(1)
        assert model.seen == [(State.THINKING, {HALL: Doing.THINKING})]


async def test_nobody_is_said_to_have_paused_an_agent_that_rests() -> None:
    async with hearts(1) as home:
        await home.apply(UpdateAgent(agent_id=HALL, fields={"paused_reason": f"{RESTS}Selfroom may not post there."}))
        row = await row_of(home, HALL)
        assert (row["state"], row["waits_for"]) == (
            "paused",
            "its channel, which rests until Discord lets Selfroom in (Selfroom may not post there.)",
        )
        await home.apply(UpdateAgent(agent_id=HALL, fields={"paused_reason": "paused by @mira"}))
        assert (await row_of(home, HALL))["waits_for"] == "someone to resume it (paused by @mira)"


async def test_who_sleeps_waits_for_no_floor() -> None:
    async with hearts(2, script=[answer({2: [(1, "Here I am, and I have much to tell.")]})] * 3) as home:
        await home.hear("Agent2, are you here?")
        await home.slot(1)
        assert (await told(home))[HALL].doing == {HALL: Doing.WAITING}
        await home.apply(UpdateAgent(agent_id=HALL, fields={"asleep_until": home.clock.now() + timedelta(hours=1)}))
        look = (await told(home))[HALL]
        assert (look.state, dict(look.doing)) == (State.SLEEPING, {})
