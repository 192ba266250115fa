"""What is told of what was written: only once it is, and of scenes nothing."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.core.changes import AddLetter, EndBeat, PutReason, Say, SetOverride, UpdateAgent, UpdateRoom
from bot.core.happenings import Happened, Happening
from bot.core.kinds import LetterKind, ReasonKind
from bot.core.records import AgentId, Beat, BeatId, CommunityId, MessageId, Reason, SceneId, Side
from storage.happenings import happened
from storage.store import SqlStore
from tests.factories import by_agent
from tests.fakes import START
from tests.storage.lines import hear, said

ADA = AgentId(1)
BEAT = Beat(id=BeatId(1), agent_id=ADA, at=START, reason=ReasonKind.ADDRESSED, room_id=ADA, silent=False)
SAID = Say(message_id=MessageId(1), room_id=ADA, sender=by_agent(1), content="a secret", sent_at=START)
OF_SCENES = (
    EndBeat(beat=replace(BEAT, scene_id=SceneId(1))),
    EndBeat(beat=replace(BEAT, side=Side(-1))),
    replace(SAID, scene_id=SceneId(1)),
    AddLetter(kind=LetterKind.BOARD, room_id=ADA, payload={}, not_before=START),
)


@pytest.mark.parametrize("change", OF_SCENES, ids=lambda change: type(change).__name__)
def test_nothing_is_told_of_scenes(change: EndBeat | Say | AddLetter) -> None:
    assert list(happened(CommunityId(1), [change])) == []


def test_changes_are_told_by_whom_and_where_and_never_what_was_said() -> None:
    told = list(
        happened(
            CommunityId(1),
            [
                EndBeat(beat=BEAT),
                SAID,
                UpdateAgent(agent_id=ADA, fields={"paused_reason": "a secret"}),
                UpdateRoom(room_id=ADA, fields={"topic": "a secret"}),
                SetOverride(name="floor", value=3),
            ],
        )
    )
    found = [(one.kind, one.agent_id, one.room_id, one.what) for one in told]
    assert found == [
        ("applied", 1, 1, ""),
        ("said", 1, 1, ""),
        ("changed", 1, None, "paused_reason"),
        ("changed", None, 1, "topic"),
        ("changed", None, None, "floor"),
    ]
    assert "secret" not in str(told)


async def test_claims_and_messages_are_told_once_they_are_written(store: SqlStore, community_id: CommunityId) -> None:
    told: list[Happening] = []
    store.on_happened = told.extend
    since = START + timedelta(seconds=1)
    turn = Reason(kind=ReasonKind.TURN, room_id=ADA, since=START, due_at=START, scene_id=SceneId(1))
    called = Reason(kind=ReasonKind.ADDRESSED, room_id=AgentId(2), since=START, due_at=START)
    async with store.writing(community_id) as write:
        await hear(write.talk, community_id, said("hello"))
        reasons = [PutReason(agent_id=ADA, reason=turn), PutReason(agent_id=AgentId(2), reason=called)]
        await write.apply(community_id, reasons)
        both = [ADA, AgentId(2)]
        claims = await write.claims.take(community_id, both, now=since, lease_until=since + timedelta(minutes=1))
        await write.claims.release_all(community_id, [(one, None, None) for one in claims])
        assert told == []
    assert len(claims) == 2
    found = [(one.kind, one.agent_id, one.room_id) for one in told]
    assert found == [(Happened.HEARD, None, 1), (Happened.BEGUN, 2, 2), (Happened.LET_GO, 2, 2)]
