"""Looking back through whole beats: what an agent asked for stands in its next view, once, and on its side only."""

from dataclasses import replace

from bot.core.changes import AddCheckpoint, UpdateMembership, UpdateRoom
from bot.core.config import CommunityConfig
from bot.core.kinds import ReasonKind, Visibility
from bot.core.ports import ModelAnswer, ModelCall
from bot.core.records import AgentId, Checkpoint, CheckpointId, MessageId, Reason, Side, Snowflake
from bot.engine.performer import ActionContext
from tests.engine.hearts import Hearts, asked, hearts
from tests.engine.test_whole_beats import Obedient, do, tell
from tests.fakes import START, SeededRandom
from tests.storage.lines import said

ONE, TWO, THREE = AgentId(1), AgentId(2), AgentId(3)
LATER = CommunityConfig(look_up_steps=0)  # nothing is answered within the beat
SECRET = "the lighthouse key lies under the stone"


def section(house: Hearts, name: str = "LOOKUPS") -> str:
    """Give a section of the newest view."""
    seen = house.model.calls[-1].input
    return seen.split(f">>> {name} <<<")[1].split(">>>")[0] if f">>> {name} <<<" in seen else ""


async def hear_quietly(house: Hearts, content: str, room_id: int = 1) -> int:
    """Let a person say something to nobody in particular; gives the message's id."""
    await house.hear(content, room_id=room_id, who="rob", id=502)
    await house.run(200)
    return (await house.messages(room_id))[-1].id


async def make_private(house: Hearts) -> None:
    await house.apply(UpdateRoom(room_id=ONE, fields={"visibility": Visibility.PRIVATE}))


async def sum_up(house: Hearts, last: int) -> None:
    checkpoint = Checkpoint(
        id=CheckpointId(1),
        room_id=ONE,
        first_message_id=MessageId(1),
        last_message_id=MessageId(last),
        text="Goal: keep the lighthouse lit",
        created_at=START,
    )
    await house.apply(AddCheckpoint(checkpoint=checkpoint))


async def test_what_was_looked_up_stands_in_the_next_view_once() -> None:
    async with hearts(agents=2, model=Obedient(), config=LATER) as house:
        told = await hear_quietly(house, SECRET)
        await hear_quietly(house, "what a lighthouse that was")
        await tell(house, 2, do("recall", query="lighthouse"), do("read_message", id=told))
        await house.run(20)  # the answer is a reason of its own
        shown = section(house)
        assert shown.index("what a lighthouse that was") < shown.index("under the stone")  # newest first
        assert f"read_message {told}" in shown
        await tell(house, 2)
        assert "under the stone" not in section(house)


async def test_history_is_paged_backwards() -> None:
    async with hearts(agents=2, model=Obedient(), config=LATER) as house:
        ids = [await hear_quietly(house, f"{word} of the list") for word in ("first", "second", "third")]
        await tell(house, 2, do("read_history", room_id=1, before=ids[2], limit=1))
        await house.run(20)
        assert "second of the list" in section(house)
        assert "first of the list" not in section(house)
        assert "third of the list" not in section(house)


async def test_summaries_are_listed_read_and_asked_for() -> None:
    async with hearts(agents=2, model=Obedient()) as house:
        await sum_up(house, await hear_quietly(house, SECRET))
        done = await tell(house, 2, do("checkpoints", room_id=1), do("checkpoints", room_id=1, id=1))
        done += await tell(house, 2, do("compact", room_id=1))
        assert all(one.accepted for one in done)
        assert any("keep the lighthouse lit" in call.input.split(">>> LOOKUPS <<<")[-1] for call in house.model.calls)
        assert (await house.view(2)).all_rooms[ONE].compact_asked_at is not None


async def test_in_the_open_nothing_of_a_private_room_can_be_looked_up() -> None:
    async with hearts(agents=2, model=Obedient()) as house:
        await make_private(house)
        told = await hear_quietly(house, SECRET)
        await sum_up(house, told)
        actions = (
            do("recall", query="lighthouse"),
            do("recall", query="lighthouse", room_id=1),
            do("read_history", room_id=1),
            do("read_message", id=told),
            do("checkpoints", room_id=1, id=1),
            do("compact", room_id=1),
        )
        done = await tell(house, 2, *actions, room_id=2)
        assert [one.accepted for one in done] == [True, False, False, False, False, False]
        await house.run(20)
        assert "nothing found" in section(house)
        assert not any("under the stone" in one.input for one in house.model.calls if "room 2" in one.input.lower())
        assert (await house.view(2)).all_rooms[ONE].compact_asked_at is None


async def test_what_is_looked_up_behind_a_key_is_shown_there_only() -> None:
    async with hearts(agents=2, model=Obedient()) as house:
        await make_private(house)
        await hear_quietly(house, SECRET)
        house.model.calls.clear()
        assert isinstance(house.model, Obedient)
        house.model.order(2, do("recall", query="lighthouse"))
        await house.hear("@Agent2 please", room_id=1)
        await house.hear("@Agent2 hello in the open", room_id=2)
        await house.run(20)
        open_beats = [call.input for call in house.model.calls if "hello in the open" in call.input]
        behind = [call.input for call in house.model.calls if "under the stone" in call.input.split("ROOMS <<<")[0]]
        assert open_beats
        assert behind
        assert not any("lighthouse" in seen for seen in open_beats)


async def test_who_joined_a_private_room_later_does_not_reach_back() -> None:
    async with hearts(agents=3, model=Obedient()) as house:
        await make_private(house)
        told = await hear_quietly(house, SECRET)
        await sum_up(house, told)
        joined = UpdateMembership(agent_id=THREE, room_id=ONE, fields={"joined_after": MessageId(told)})
        await house.apply(joined)
        house.model.calls.clear()
        actions = (
            do("recall", query="lighthouse"),
            do("read_history", room_id=1),
            do("read_message", id=told),
            do("checkpoints", room_id=1),
            do("checkpoints", room_id=1, id=1),
        )
        await tell(house, 3, *actions)
        done = (await house.view(3)).mind_of(THREE, Side(1)).recent_actions
        assert [one.accepted for one in done] == [True, True, False, True, False]
        await house.run(20)
        shown = [call.input for call in house.model.calls if "(ID: 3, Model" in call.input]
        assert shown
        assert not any("lighthouse key" in seen or "keep the lighthouse" in seen for seen in shown)


async def test_a_large_budget_shows_more_than_the_usual_two_hundred_messages() -> None:
    async with hearts(agents=1, model=Obedient(), token_budget=50_000) as house:
        lines = [replace(said(f"line {number} of the list", number), tokens=0) for number in range(1, 401)]
        async with house.store.writing(house.community_id) as write:
            await write.talk.add(house.community_id, lines)
        await house.hear("@Agent1 please")
        await house.run(3)
        assert "line 1 of the list" in house.model.calls[-1].input
        assert "line 400 of the list" in house.model.calls[-1].input


class Restless(Obedient):
    """Looks something up whatever it is asked, and says nothing."""

    async def answer(self, call: ModelCall) -> ModelAnswer:
        for id_ in asked(call):
            self.order(id_, do("recall", query="tea"))
        return await super().answer(call)


async def test_one_line_of_a_person_makes_no_agent_look_things_up_without_end() -> None:
    async with hearts(agents=1, model=Restless()) as house:
        await house.hear("@Agent1 recall tea, and then recall it again, for ever")
        await house.run(3_000)
        once = 1 + CommunityConfig().look_up_steps
        assert len(house.model.calls) <= 2 * once + CommunityConfig().self_caused_per_hour


def test_what_else_is_due_beside_a_look_up_makes_it_no_persons_again() -> None:
    looked_up = Reason(kind=ReasonKind.ANSWER, person_id=Snowflake(501), since=START, due_at=START)
    slept = Reason(kind=ReasonKind.TIMER, since=START, due_at=START)
    heard = Reason(kind=ReasonKind.AMBIENT, person_id=Snowflake(502), since=START, due_at=START)
    for reasons, person_id in (((looked_up, slept), None), ((looked_up, heard), 502)):
        context = ActionContext(now=START, random=SeededRandom(), reasons=reasons)
        assert context.heard_person_id == person_id
