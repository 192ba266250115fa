"""Where a room is to be silent, or nobody beats, its scenes rest as well (docs/scenes.md)."""

from datetime import datetime

import structlog

from bot.core.changes import Change
from bot.core.config import CommunityConfig
from bot.core.errors import Rejected
from bot.core.models import Ceilings
from bot.core.ports import Writing
from bot.core.records import AgentId, CommunityId, SceneId, Snowflake
from bot.core.scenes.records import SceneStatus
from bot.engine.stage import opened

HUSHED = "somebody asked for silence"
EVERYONE_PAUSED = "everyone is paused: it goes on once all do"
log = structlog.get_logger(__name__)


async def hushed_all(write: Writing, of: CommunityId, *, config: CommunityConfig, now: datetime) -> list[Change]:
    """Let all scenes rest that run, as nobody beats any more; gives what is still to be written."""
    changes: list[Change] = []
    for one in await write.scenes.all(of, (SceneStatus.RUNNING,)):
        changes += await _rested(write, of, one.id, EVERYONE_PAUSED, config=config, now=now)
    return changes


async def resumed_all(
    write: Writing, of: CommunityId, *, config: CommunityConfig, ceilings: Ceilings | None, now: datetime
) -> list[Change]:
    """Let the scenes go on that rest because everyone was paused, and no others; gives what is still to be written."""
    changes: list[Change] = []
    for one in await write.scenes.all(of, (SceneStatus.PAUSED,)):
        if one.why == EVERYONE_PAUSED:
            stage = await opened(write, of, one.id, config=config, ceilings=ceilings, now=now)
            try:
                await stage.resume()
            except Rejected as no:
                log.info("a scene does not go on with everyone", scene=one.id, why=no.sentence)
            else:
                changes += stage.changes
    return changes


async def hushed_room(
    write: Writing, of: CommunityId, room_id: AgentId, *, config: CommunityConfig, now: datetime
) -> list[Change]:
    """Let the scenes of a room rest that run; gives what is still to be written."""
    running = await write.scenes.all(of, (SceneStatus.RUNNING,))
    changes: list[Change] = []
    for one in running:
        if one.room_id == room_id:
            changes += await _rested(write, of, one.id, HUSHED, config=config, now=now)
    return changes


async def hushed_thread(
    write: Writing, of: CommunityId, thread_id: Snowflake, *, config: CommunityConfig, now: datetime
) -> list[Change]:
    """Let the scene rest that runs in a thread; gives what is still to be written."""
    scene = await write.scenes.of_thread(of, thread_id)
    if scene is None or scene.status is not SceneStatus.RUNNING:
        return []
    return await _rested(write, of, scene.id, HUSHED, config=config, now=now)


async def _rested(
    write: Writing, of: CommunityId, scene_id: SceneId, why: str, *, config: CommunityConfig, now: datetime
) -> list[Change]:
    stage = await opened(write, of, scene_id, config=config, now=now)
    await stage.pause(why)
    return stage.changes
