"""Scenes: where they stand, who sits in them, and their logs."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from bot.core.happenings import Happening
from bot.core.records import AgentId, BeatId, CommunityId, Json, MessageId, SceneId, Snowflake
from bot.core.scenes.play import Entry
from bot.core.scenes.records import Fared, Scene, SceneEvent, SceneStatus, Source


class Scenes(Protocol):
    """What is kept of scenes."""

    async def find(self, community_id: CommunityId, scene_id: SceneId) -> Scene | None:
        """Give a scene with its seats."""

    async def of_thread(self, community_id: CommunityId, thread_id: Snowflake) -> Scene | None:
        """Give the open scene that takes place in a thread, else the newest one that did."""

    async def all(self, community_id: CommunityId, statuses: Collection[SceneStatus] = ()) -> Sequence[Scene]:
        """Give the newest scenes of these statuses (none: of any), the newest first, without where they stand."""

    async def log(self, community_id: CommunityId, scene_id: SceneId) -> Sequence[Entry]:
        """Give the log, oldest first."""

    async def stood(self, community_id: CommunityId, scene_id: SceneId, step: int) -> Mapping[str, Json] | None:
        """Give where a scene stood, packed, the last time that was kept with its log up to a step."""

    async def events(self, community_id: CommunityId, scene_id: SceneId) -> Sequence[SceneEvent]:
        """Give what happened, and the texts that were given, oldest first."""

    async def texts(
        self, community_id: CommunityId, scene_id: SceneId, numbers: Collection[int]
    ) -> Mapping[int, str | None]:
        """Give texts by their numbers; None is one that is erased."""

    async def was_said(self, community_id: CommunityId, scene_id: SceneId, post_id: Snowflake) -> bool:
        """Tell whether a person's line is a text of the scene already."""

    async def was_told(self, community_id: CommunityId, scene_id: SceneId, kind: str) -> bool:
        """Tell whether something of a kind happened there."""

    async def fared(self, community_id: CommunityId, room_ids: Collection[AgentId]) -> Sequence[Fared]:
        """Give how everybody fared in the scenes of some rooms that came to an end, by kind."""

    async def due(self, now: datetime, *, limit: int) -> Sequence[tuple[CommunityId, SceneId]]:
        """Give scenes of all communities whose time is up, the longest overdue first: windows, and lobbies."""

    async def next_due_at(self) -> datetime | None:
        """Give when the time of the next scene is up."""


class WritableScenes(Scenes, Protocol):
    """Scenes, and their steps."""

    async def keep(self, scene: Scene) -> None:
        """Keep a scene and its seats as they are now."""

    async def enter(
        self,
        community_id: CommunityId,
        scene_id: SceneId,
        entry: Entry,
        *,
        source: Source,
        at: datetime,
        beat_id: BeatId | None = None,
        person_id: Snowflake | None = None,
        standing: Mapping[str, Json] | None = None,
        told: Happening | None = None,
    ) -> None:
        """Add a line to the log; `person_id`: whose move it is, `standing`: kept with it, for a fold to begin at.

        `told`: what is told of it live, once it is written for good.
        """

    async def tell(self, community_id: CommunityId, scene_id: SceneId, events: Sequence[SceneEvent]) -> None:
        """Add to what happened."""

    async def posted_as(
        self, community_id: CommunityId, scene_id: SceneId, numbers: Sequence[int], message_id: MessageId
    ) -> None:
        """Keep in which message texts stand: when that is deleted, so are they."""

    async def posted_again(self, community_id: CommunityId, before: MessageId, message_id: MessageId) -> None:
        """Keep that texts of a message stand in another now."""

    async def ask_no_more(
        self, community_id: CommunityId, scene_id: SceneId, *, but: Collection[AgentId] = ()
    ) -> Mapping[AgentId, datetime]:
        """Take the turns away that agents have there, but those of some; gives whose are left, and since when."""

    async def settle(
        self,
        community_id: CommunityId,
        scene_id: SceneId,
        thread_id: Snowflake | None,
        board_post_id: Snowflake | None,
    ) -> None:
        """Keep where a scene takes place on Discord."""

    async def share_out(self, community_id: CommunityId, scene_id: SceneId) -> None:
        """Put what the turns of a closed scene used under the names of its agents, now that it is over."""

    async def put_back(self, community_id: CommunityId, scene_id: SceneId, until: datetime) -> None:
        """Let a scene be due again only then."""

    async def put_off(self, seconds: float) -> Sequence[tuple[CommunityId, SceneId]]:
        """Move all deadlines of lobbies and running scenes on, as nobody could move for so long; gives whose."""
