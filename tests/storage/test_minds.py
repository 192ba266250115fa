"""What agents carry is read side by side, and what was not read is not taken for nothing."""

from datetime import timedelta

import pytest

from bot.core.changes import AddLookup, RecordAction, SetKnowledge
from bot.core.records import PUBLIC_SIDE, ActionRecord, AgentId, CommunityId, Lookup, Mind, MindId, Side
from storage.store import SqlStore
from tests.fakes import START

FIRST, SECOND = AgentId(1), AgentId(2)
CLOSED = Side(-7)
EVERYTHING: list[MindId] = [(agent, side) for agent in (FIRST, SECOND) for side in (PUBLIC_SIDE, Side(3), CLOSED)]


@pytest.fixture
async def filled(store: SqlStore, community_id: CommunityId) -> CommunityId:
    """Let two agents carry something everywhere: what is known, what was done, what was looked up."""
    async with store.writing(community_id) as write:
        for agent, side in EVERYTHING:
            named = f"{agent} on {side}"
            known = {"knowledge": {named: "x" * 100}, "path": named, "before": None, "after": "x", "by": named}
            done = ActionRecord(at=START, type="sleep", parameters={}, accepted=True, result=named)
            await write.apply(
                community_id,
                [
                    SetKnowledge(agent_id=agent, side=side, at=START, **known),  # type: ignore[arg-type]
                    RecordAction(agent_id=agent, side=side, record=done),
                    AddLookup(agent_id=agent, side=side, lookup=Lookup(question=named, answer="y" * 1_000)),
                ],
            )
    return community_id


def held_in(mind: Mind) -> set[str]:
    """Give whose and where all is that a mind holds."""
    return {*mind.knowledge, *(one.result for one in mind.recent_actions), *(one.question for one in mind.lookups)}


async def test_only_the_minds_that_are_asked_for_are_read(store: SqlStore, filled: CommunityId) -> None:
    asked = [(FIRST, PUBLIC_SIDE), (FIRST, CLOSED), (SECOND, Side(3))]
    async with store.reading() as read:
        view = await read.views.whole(filled, agent_ids=[FIRST, SECOND], messages=0, minds=asked)
        desk = await read.views.action_view(filled, agent_ids=[FIRST], room_ids=(), doors=False, minds=asked)
        carried = await read.views.minds(filled, asked)
    for belongings in (view, carried):
        assert {at: held_in(mind) for at, mind in belongings.minds.items()} == {
            (agent, side): {f"{agent} on {side}"} for agent, side in asked
        }
    assert {at: {*mind.knowledge} for at, mind in desk.minds.items()} == {
        (agent, side): {f"{agent} on {side}"} for agent, side in asked
    }


async def test_a_mind_that_was_not_read_cannot_be_taken_for_an_empty_one(store: SqlStore, filled: CommunityId) -> None:
    async with store.reading() as read:
        view = await read.views.whole(filled, agent_ids=[FIRST], messages=0, minds=[(FIRST, PUBLIC_SIDE)])
        desk = await read.views.action_view(filled, agent_ids=[FIRST], room_ids=(), doors=False, minds=())
        nothing = await read.views.minds(filled, [(AgentId(3), PUBLIC_SIDE)])
    for belongings, agent, side in ((view, FIRST, CLOSED), (view, SECOND, PUBLIC_SIDE), (desk, FIRST, PUBLIC_SIDE)):
        with pytest.raises(LookupError, match="was not read"):
            belongings.mind_of(agent, side)
    assert nothing.mind_of(AgentId(3)) == Mind(agent_id=AgentId(3))


async def test_how_much_there_is_to_a_mind_is_told_without_reading_it(store: SqlStore, filled: CommunityId) -> None:
    async with store.reading() as read:
        sizes = await read.views.mind_sizes(filled, [(FIRST, PUBLIC_SIDE), (SECOND, CLOSED), (AgentId(3), PUBLIC_SIDE)])
    assert sizes.keys() == {(FIRST, PUBLIC_SIDE), (SECOND, CLOSED)}
    assert all(1_100 < size < 1_200 for size in sizes.values())


async def test_the_last_deeds_on_a_side_are_shown(store: SqlStore, filled: CommunityId) -> None:
    async with store.writing(filled) as write:
        for number in range(30):
            record = ActionRecord(
                at=START + timedelta(seconds=number), type="sleep", parameters={"n": number}, accepted=True, result=""
            )
            await write.apply(filled, [RecordAction(agent_id=FIRST, side=CLOSED, record=record)])
        mind = (await write.views.minds(filled, [(FIRST, CLOSED)])).mind_of(FIRST, CLOSED)
    assert [one.parameters["n"] for one in mind.recent_actions] == list(range(10, 30))
