"""A store that stands still: one view, and what would have been written; fast enough for many thousand answers."""

from collections.abc import Collection, Sequence
from typing import Any, cast

from bot.core.changes import Change
from bot.core.circumstances import Circumstances, Inquiry
from bot.core.kinds import Access, Visibility
from bot.core.ports import Writing
from bot.core.records import (
    AccessKey,
    AccessRequest,
    AgentId,
    Checkpoint,
    CheckpointId,
    CommunityId,
    KeyId,
    Membership,
    MessageId,
    RequestId,
    Room,
    SceneId,
    Schedule,
    ScheduleId,
)
from bot.core.scenes.records import Scene, SceneStatus
from bot.core.view import Doors, RoomView, Subject
from tests.factories import agent, by_agent, membership, message, room, view
from tests.fakes import START, CountingIds, PlainCipher

ADA, BO, CY, DI, EL = (AgentId(id) for id in range(1, 6))
SECRETS = {ADA: "open sesame", EL: "open sesame"}


class StillStore:
    """Answers every question from one view and remembers what it was told to write."""

    def __init__(self) -> None:
        self.ids = CountingIds()
        self.agents = self.inquiries = self.views = self.scenes = self.people = self.talk = self
        self.providers = self
        self.written: list[Change] = []
        for _ in range(50):
            for kind in ("message", "agent", "key", "request"):
                self.ids.take(kind)

    def as_writing(self) -> Writing:
        return cast(Writing, self)

    async def action_view(self, community_id: CommunityId, *, doors: bool, **asked: Any) -> Subject:  # noqa: ANN401
        return Subject(
            community=STILL.community,
            config=STILL.config,
            agents=STILL.agents,
            all_rooms=STILL.all_rooms,
            rooms=STILL.rooms,
            memberships=STILL.memberships,
            minds=STILL.minds,
            doors=Doors(keys=STILL.keys, held_keys=STILL.held_keys, requests=STILL.requests) if doors else None,
        )

    async def apply(self, community_id: CommunityId, changes: Sequence[Change]) -> None:
        self.written += changes

    async def find(self, community_id: CommunityId, scene_id: SceneId) -> Scene | None:
        return None

    async def all(self, community_id: CommunityId, statuses: Collection[SceneStatus] = ()) -> Sequence[Scene]:
        return ()

    async def schedules(self, community_id: CommunityId, agent_id: AgentId) -> Sequence[Schedule]:
        return [one for one in SCHEDULES if one.agent_id == agent_id]

    async def answer(self, community_id: CommunityId, inquiry: Inquiry) -> Circumstances:
        seen = {"first_message_id": MessageId(1), "last_message_id": MessageId(2), "created_at": START}
        return Circumstances(
            messages={id: MESSAGES[id] for id in inquiry.messages if id in MESSAGES},
            found={
                one: [(each, "") for each in MESSAGES.values() if each.room_id in one.rooms] for one in inquiry.sought
            },
            summaries=[
                Checkpoint(id=CheckpointId(1), room_id=id, text="so far", **seen)  # type: ignore[arg-type]
                for id in sorted(inquiry.summaries_of)
            ],
        )


def _schedule(id: int, agent_id: AgentId, room_id: AgentId) -> Schedule:
    return Schedule(id=ScheduleId(id), agent_id=agent_id, room_id=room_id, content="soon", at=START)


def _key(room_id: AgentId) -> AccessKey:
    cipher, secret = PlainCipher(), SECRETS[room_id]
    return AccessKey(
        id=KeyId(room_id),
        room_id=room_id,
        label="blue",
        ciphertext=cipher.encrypt(secret),
        digest=cipher.digest(secret),
        created_at=START,
    )


def _request(id: int, room_id: AgentId, by: AgentId) -> AccessRequest:
    return AccessRequest(
        id=RequestId(id),
        room_id=room_id,
        requester_agent_id=by,
        requester_name=f"Agent{by}",
        key_id=KeyId(room_id),
        key_label="blue",
        created_at=START,
    )


def _memberships() -> list[Membership]:
    return [membership(2, 1), membership(4, 1), membership(2, 5)]


def _room(id: AgentId, *members: AgentId) -> RoomView:
    place: Room = room(
        id,
        visibility=Visibility.PRIVATE if id == EL else Visibility.PUBLIC,
        access=Access.OPEN if id == DI else Access.KNOCK,
    )
    shown = tuple(one for one in MESSAGES.values() if one.room_id == id)
    return RoomView(room=place, members=(id, *members), messages=shown)


MESSAGES = {
    one.id: one
    for one in (
        message(1, "tea?", room_id=1),
        message(2, "tea!", room_id=1, sender=by_agent(1)),
        message(3, "alone", room_id=3),
        message(4, "the lamp is hidden", room_id=5),
    )
}
SCHEDULES = (_schedule(1, ADA, ADA), _schedule(2, BO, ADA), _schedule(3, BO, EL), _schedule(4, DI, DI))
STILL = view(
    [agent(id, can_create_agents=id == DI) for id in (ADA, BO, CY, DI, EL)],
    rooms=[_room(ADA, BO, DI), _room(BO), _room(CY), _room(DI), _room(EL, BO)],
    memberships=_memberships(),
    keys={ADA: (_key(ADA),), EL: (_key(EL),)},
    requests={
        ADA: (_request(1, ADA, CY), _request(3, ADA, EL), _request(4, ADA, CY)),
        EL: (_request(2, EL, CY), _request(5, EL, DI)),
    },
)
