"""What agents carry, as rows become it."""

import asyncio
import json
from collections.abc import AsyncIterator, Collection, Mapping
from dataclasses import replace

from bot.core.records import ActionRecord, AgentId, CommunityId, Lookup, Mind, MindId
from bot.core.view import Belongings
from storage.convert import focus_of, gathered, plain
from storage.prepared import Answers
from storage.questions import minds_question, questions
from storage.session import Rows, Session, Values

CHARACTERS_AT_A_TIME = 500_000  # of minds that are read from JSON between two turns of the loop


async def minds_of(session: Session, community_id: CommunityId, minds: Collection[MindId]) -> Belongings:
    """Give some minds with what was done and looked up last."""
    of = {"community_id": community_id, "minds": pairs(minds)}
    found = await minds_in(await session.together(minds_question(is_sqlite=session.is_sqlite), of)) if minds else {}
    return Belongings(minds=found, looked_into=frozenset(minds))


async def knowledge_and_focus(
    session: Session, community_id: CommunityId, agents: Collection[AgentId], minds: Collection[MindId] | None
) -> Mapping[MindId, Mind]:
    """Give no more than this of some minds (None: of all that these agents have)."""
    asked = questions(is_sqlite=session.is_sqlite)
    if not (agents if minds is None else minds):
        return {}
    if minds is None:
        of = {"community_id": community_id, "agents": session.many(agents)}
        return await _carried(await session.rows(asked.minds, of))
    of = {"community_id": community_id, "minds": pairs(minds)}
    return await _carried(await session.rows(asked.minds_on_sides, of))


async def each_mind(session: Session, community_id: CommunityId, agents: Collection[AgentId]) -> AsyncIterator[Mind]:
    """Give what agents know and have in view on every side, one mind after the other."""
    of = {"community_id": community_id, "agents": session.many(agents)}
    there = [(row[0], row[1]) for row in await session.rows(questions(is_sqlite=session.is_sqlite).sides, of)]
    for one in sorted(there):
        for mind in (await knowledge_and_focus(session, community_id, (), [one])).values():
            yield mind


async def minds_in(found: Answers) -> dict[MindId, Mind]:
    """Give the minds that were asked for together with what was done and looked up last."""
    minds = await _carried(found.rows("minds"))
    done = sorted(found.mappings("actions"), key=_by_id)
    actions = gathered((_side(row), plain(ActionRecord, row)) for row in done)
    answers = sorted(found.mappings("lookups"), key=_by_id)
    lookups = gathered((_side(row), Lookup(question=row["question"], answer=row["answer"])) for row in answers)
    return {
        side: replace(
            minds.get(side) or Mind(agent_id=side[0], side=side[1]),
            recent_actions=actions.get(side, ()),
            lookups=lookups.get(side, ()),
        )
        for side in sorted(minds.keys() | actions.keys() | lookups.keys())
    }


async def _carried(rows: Rows) -> dict[MindId, Mind]:
    """Give what agents know and have in view, which is read from JSON here, in turns with others: it may be much."""
    found: dict[MindId, Mind] = {}
    read = 0
    for agent_id, side, knowledge, focus in sorted(rows, key=lambda row: (row[0], row[1])):
        found[agent_id, side] = Mind(
            agent_id=agent_id,
            side=side,
            knowledge=(json.loads(knowledge) if knowledge else None) or {},
            focus=focus_of(json.loads(focus) if focus else None),
        )
        read += len(knowledge or "") + len(focus or "")
        if read > CHARACTERS_AT_A_TIME:
            read = 0
            await asyncio.sleep(0)
    return found


def pairs(minds: Collection[MindId]) -> str:
    """Give minds as their statements take them."""
    return json.dumps(sorted(minds))


def _by_id(row: Values) -> int:
    return int(row["id"])


def _side(row: Values) -> MindId:
    return row["agent_id"], row["side"]
