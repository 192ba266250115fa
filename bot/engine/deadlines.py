"""The time of scenes: what becomes of windows, waits and lobbies once it is up (docs/scenes.md)."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from bot.core.config import CommunityConfig
from bot.core.errors import StoreError
from bot.core.models import Models
from bot.core.ports import Clock, Store
from bot.core.ports.scenes import WritableScenes
from bot.core.records import CommunityId, SceneId
from bot.core.scenes.showing import begun
from bot.core.scenes.windows import is_hidden
from bot.engine.purse import ceilings_of
from bot.engine.stage import opened

ALIVE = "scenes_seen_at"
ALIVE_SECONDS = 5.0  # how often it is kept that we are here; who is not for so long was away
DUE_AT_ONCE = 200
TRIED_AGAIN = timedelta(hours=1)  # where something is wrong with the scene itself
log = structlog.get_logger(__name__)


def _nobody() -> None:
    """Nobody waits for letters."""


async def _put_off_unseen(scenes: WritableScenes, of: CommunityId, scene_id: SceneId, seconds: float) -> None:
    """Move the beginning of an unseen window on as well: else it would show by when it closes whether anybody acts.

    That of a window that all see stays: what was said in it while nobody was here is of its time.
    """
    scene = await scenes.find(of, scene_id)
    found = begun(scene) if scene is not None else None
    if scene is not None and scene.window_at is not None and found is not None and is_hidden(found[1]):
        await scenes.keep(replace(scene, window_at=scene.window_at + timedelta(seconds=seconds)))


class Deadlines:
    """Ends windows, waits and lobbies whose time is up; `run` is called every second."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        config: CommunityConfig,
        models: Models | None = None,
        on_done: Callable[[], None] = _nobody,
    ) -> None:
        self._store = store
        self._clock = clock
        self._config = config
        self._models = models
        self._on_done = on_done
        self._seen_at: datetime | None = None
        self._kept_at: datetime | None = None

    async def run(self) -> None:
        """Do all that is due now; a fault of one scene leaves the others alone."""
        await self._note_that_we_are_here(self._clock.now())
        await self.end_due()

    async def end_due(self) -> None:
        """End what is due, whether or not anybody was here before."""
        now = self._clock.now()
        async with self._store.reading() as read:
            due = await read.scenes.due(now, limit=DUE_AT_ONCE)
            found = [await read.communities.of_id(id_) for id_ in {community_id for community_id, _ in due}]
            communities = {one.id: one for one in found if one is not None}
        for community_id, scene_id in due:
            try:
                community = communities[community_id]
                config = self._config.overlaid(community.overrides)
                async with self._store.writing(community_id) as write:
                    most = await ceilings_of(self._models, write.providers, community)
                    stage = await opened(write, community_id, scene_id, config=config, ceilings=most, now=now)
                    if stage.scene.deadline_at is not None and stage.scene.deadline_at <= now:
                        await stage.late()
                        await write.apply(community_id, stage.changes)
            except StoreError as error:
                log.error("a scene's time is up, and the store takes nothing", scene=scene_id, error=error.sentence)
            except Exception:
                log.exception("a scene's time is up, and that could not be entered", scene=scene_id)
                async with self._store.writing(community_id) as write:  # else it would be due again at once, for ever
                    await write.scenes.put_back(community_id, scene_id, now + TRIED_AGAIN)
        if due:
            self._on_done()

    async def _note_that_we_are_here(self, now: datetime) -> None:
        """Keep when scenes were last seen to; while nobody did, as its host slept, nobody missed anything."""
        away = (now - self._seen_at).total_seconds() if self._seen_at is not None else 0.0
        if self._kept_at is None or (now - self._kept_at).total_seconds() >= ALIVE_SECONDS:
            async with self._store.writing() as write:
                if self._seen_at is None:
                    seen = await write.notes.find(None, ALIVE)
                    away = (now - datetime.fromisoformat(seen)).total_seconds() if isinstance(seen, str) else 0.0
                if away >= (ALIVE_SECONDS if self._seen_at is not None else 1.0):
                    for of, scene_id in await write.scenes.put_off(away):
                        await _put_off_unseen(write.scenes, of, scene_id, away)
                    log.info("deadlines of scenes were put off", seconds=round(away))
                await write.notes.keep(None, ALIVE, now.isoformat())
            self._kept_at = now
        self._seen_at = now
