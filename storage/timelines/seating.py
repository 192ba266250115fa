"""Agents play in a tree the seats that people have in life: nobody is imitated, and nobody is waited for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from bot.core.changes import PutReason
from bot.core.errors import Rejected
from bot.core.kinds import ReasonKind, Visibility
from bot.core.records import AgentId, CommunityId, Reason
from bot.core.scenes.editing import GOING_ON, played_by, seats_of_people
from bot.core.scenes.records import OPEN, Scene, SceneStatus
from bot.core.scenes.showing import begun
from bot.core.sentences import Sentence
from bot.core.timelines.records import AtStep, Point
from storage.changes.applying import apply
from storage.scenes import SqlScenes
from storage.session import Session, owned
from storage.tables import AGENTS, MEMBERSHIPS, ROOMS

PLAYED = "Agents play seats of people: {}."


@dataclass(frozen=True, slots=True)
class Seating:
    """A copy of a community in which agents take seats at a time."""

    session: Session
    community_id: CommunityId
    at: datetime

    async def seat(self, agents: Sequence[AgentId], point: Point) -> str:
        """Let agents play the seats of people, in the order of scenes and of seats; gives who plays which, in words.

        Of a tree that begins at a step it is that scene. Raises Rejected for an agent that cannot, and one too many.
        """
        scenes = SqlScenes(self.session)
        names = {id_: await self._name_of(scenes, id_) for id_ in dict.fromkeys(agents)}
        left, told = iter(names), list[str]()
        for light in await scenes.all(self.community_id, GOING_ON):
            scene = await scenes.find(self.community_id, light.id)
            if scene is None or (isinstance(point, AtStep) and point.scene_id != scene.id):
                continue
            taken = dict(zip(seats_of_people(scene), left, strict=False))
            await self._sit(scenes, played_by(scene, taken), taken, names)
            told += [f"{names[id_]} (seat {seat} of scene {scene.id})" for seat, id_ in taken.items()]
        if (one := next(left, None)) is not None:
            raise Rejected(Sentence("There is no seat of a person for {agent} to play.", agent=names[one]))
        return PLAYED.format(", ".join(told))

    async def _name_of(self, scenes: SqlScenes, agent_id: AgentId) -> str:
        """Give an agent's name; raises Rejected where it cannot sit down."""
        asked = select(AGENTS.c.name, AGENTS.c.retired_at, AGENTS.c.paused_reason)
        row = await self.session.first(asked.where(owned(AGENTS, self.community_id), AGENTS.c.id == agent_id))
        if row is None or row["retired_at"] is not None:
            raise Rejected(Sentence("There is no agent {agent_id} here that could sit down.", agent_id=agent_id))
        name = str(row["name"])
        if row["paused_reason"] is not None:
            raise Rejected(Sentence("{agent} is paused: resume it first.", agent=name))
        for scene in await scenes.all(self.community_id, OPEN):
            if scene.seat_of(agent_id=agent_id) is not None or scene.commentator_id == agent_id:
                title = scene.title or scene.kind
                raise Rejected(
                    Sentence("{agent} sits in {scene}: an agent sits in one scene at a time.", agent=name, scene=title)
                )
        return name

    async def _sit(
        self, scenes: SqlScenes, scene: Scene, taken: Mapping[int, AgentId], names: Mapping[AgentId, str]
    ) -> None:
        """Keep a scene in which agents sit now, and ask those for their move who are waited for."""
        rooms = select(ROOMS.c.visibility).where(owned(ROOMS, self.community_id), ROOMS.c.id == scene.room_id)
        is_private = taken and await self.session.value(rooms) == Visibility.PRIVATE
        inside = select(MEMBERSHIPS.c.agent_id).where(
            owned(MEMBERSHIPS, self.community_id), MEMBERSHIPS.c.room_id == scene.room_id
        )
        there = {row[0] for row in await self.session.rows(inside)} if is_private else set(taken.values())
        for agent_id in taken.values():
            if agent_id not in there:
                raise Rejected(
                    Sentence("{agent} is not in that room, which is private: let it in first.", agent=names[agent_id])
                )
        found = begun(scene)
        if not taken or found is None:
            return
        await scenes.keep(scene)
        waited = [taken[seat] for seat in found[1].waited_for if seat in taken]
        if scene.status is SceneStatus.RUNNING:
            await ask_for_moves(self.session, scene, waited, self.at)


async def ask_for_moves(session: Session, scene: Scene, agents: Sequence[AgentId], at: datetime) -> None:
    """Give agents the reason to look for which a scene waits: their move."""
    turn = Reason(
        kind=ReasonKind.TURN,
        room_id=scene.room_id,
        person_id=scene.started_by,
        since=at,
        due_at=at,
        scene_id=scene.id,
    )
    await apply(session, scene.community_id, [PutReason(agent_id=id_, reason=turn) for id_ in agents])
