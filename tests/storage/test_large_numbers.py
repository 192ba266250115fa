"""A number that nobody ever counted to finds nothing: PostgreSQL fails at what its columns cannot hold."""

import logging
import traceback

import pytest
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from bot.core.actions import Action, JoinRoom, React, ReadHistory, Set
from bot.core.actions.fields import LARGEST_ID, Id
from bot.core.actor import Actor
from bot.core.kinds import Emotion
from bot.core.records import AgentId, CommunityId
from bot.engine.performer import ActionContext, Performer
from storage.store import SqlStore
from storage.tables import SCENES
from tests.fakes import START, PlainCipher, SeededRandom, WordTokenizer

AGENT = AgentId(1)


def proposed(number: int) -> list[Action]:
    """Give what an agent may be talked into, as far as a number is one that actions take."""
    try:
        id_ = TypeAdapter(Id).validate_python(number)
    except ValidationError:
        return []
    return [
        React(message_id=id_, reaction=Emotion.THUMBS_UP),
        ReadHistory(room_id=1, before=id_),
        JoinRoom(room_id=id_),
    ]


@pytest.mark.parametrize("number", [2**31 - 1, 2**31, 9_999_999_999, LARGEST_ID, 2**53 - 1])
async def test_an_agent_that_names_a_number_out_of_all_bounds_loses_nothing_else(
    store: SqlStore, community_id: CommunityId, number: int
) -> None:
    performer = Performer(cipher=PlainCipher(), tokenizer=WordTokenizer())
    actions = [*proposed(number), Set(path="mood", value="calm")]
    async with store.writing(community_id) as write:
        context = ActionContext(now=START, random=SeededRandom(), rooms_shown=frozenset({AGENT}))
        outcomes = await performer.perform(write, community_id, Actor.agent(AGENT), actions, context)
    assert outcomes[-1].accepted, outcomes[-1].why


async def test_what_a_database_refuses_can_be_told_and_tells_no_value(
    store: SqlStore, community_id: CommunityId, caplog: pytest.LogCaptureFixture
) -> None:
    if store.database.is_sqlite:
        pytest.skip("SQLite takes any number")
    with pytest.raises(DBAPIError) as refused:
        async with store.reading() as read:
            await read.session.rows(select(SCENES.c.id).where(SCENES.c.id == 2**40))
    with caplog.at_level(logging.ERROR):
        logging.getLogger(__name__).error("it was refused", exc_info=refused.value)
    told = "".join(traceback.format_exception(refused.value)) + caplog.text
    assert "out of int32 range" in str(refused.value)
    assert "exception str() failed" not in told
