"""Boards of scenes: each drawn as its scene stands when the letter is carried, in a thread of the host room."""

from dataclasses import replace

from bot.core.changes import Change
from bot.core.errors import ChannelGone, Limited
from bot.core.letters import BoardPayload, parse_payload
from bot.core.ports import Clock, Models, Publisher, Store
from bot.core.records import Agent, Letter, Room, SceneId
from bot.core.scenes.records import OPEN, Scene, SceneStatus
from bot.core.scenes.showing import board_of
from bot.core.view import Outline
from bot.engine.estimating import coin_of, estimate_of
from bot.engine.scene_posts import names_of
from bot.engine.stage import opened, sits_in

NO_CHANNEL_SECONDS = 2.0
THREAD_NAME = 100  # characters that Discord takes
THREAD_GONE = "its thread was deleted: it goes on in a new one"


class Boards:
    """Draws boards, and opens the threads in which they stand."""

    def __init__(self, store: Store, publisher: Publisher, clock: Clock, models: Models | None = None) -> None:
        self._models = models
        self._store = store
        self._publisher = publisher
        self._clock = clock

    async def draw(self, letter: Letter, view: Outline) -> list[Change]:
        """Draw a scene as it stands now, in its thread, which is opened where there is none."""
        payload = parse_payload(letter.kind, letter.payload)
        if isinstance(payload, BoardPayload):
            await self._draw(payload.scene_id, view.all_rooms[letter.room_id], view)
            for lobby in await self._lobbies_beside(payload.scene_id, view):
                await self._draw(lobby.id, view.all_rooms[lobby.room_id], view)
        return []

    async def _lobbies_beside(self, scene_id: SceneId, view: Outline) -> list[Scene]:
        """Give the lobbies that may offer the agents of a scene that is over; none while it goes on."""
        async with self._store.reading() as read:
            scene = await read.scenes.find(view.community.id, scene_id)
            if scene is None or scene.status.is_open:
                return []
            return list(await read.scenes.all(view.community.id, (SceneStatus.LOBBY,)))

    async def _draw(self, scene_id: SceneId, room: Room, view: Outline) -> None:
        of, guild_id = view.community.id, view.community.guild_id
        async with self._store.reading() as read:
            scene = await read.scenes.find(of, scene_id)
            if scene is None or (
                scene.thread_id is None and scene.status not in (SceneStatus.LOBBY, SceneStatus.RUNNING)
            ):
                return  # a scene that lost its thread opens another one when it goes on
            names, events = await names_of(read, scene), await read.scenes.events(of, scene_id)
            sit = await sits_in(read, of, OPEN)
            estimate = await estimate_of(read, view.community, scene, view.agents, self._models)
            coin = await coin_of(read, view.community, self._models)
        free = [(id_, one.name) for id_, one in sorted(view.agents.items()) if id_ not in sit and _may_sit(one)]
        board = board_of(scene, events, names, free, estimate=estimate, coin=coin)
        thread_id = scene.thread_id
        if thread_id is None:
            if room.channel_id is None:
                raise Limited("The room has no channel yet.", retry_after_seconds=NO_CHANNEL_SECONDS)
            thread_id = await self._publisher.open_thread(guild_id, room.channel_id, board.title[:THREAD_NAME])
            async with self._store.writing(of) as write:
                await write.scenes.settle(of, scene_id, thread_id, None)
        try:
            post_id = await self._publisher.show_board(guild_id, thread_id, scene.board_post_id, board)
        except ChannelGone:
            await self._lost_thread(scene, view)
            return
        if post_id != scene.board_post_id:
            async with self._store.writing(of) as write:
                await write.scenes.settle(of, scene_id, thread_id, post_id)

    async def _lost_thread(self, scene: Scene, view: Outline) -> None:
        """Its thread was deleted: it waits, and opens another one when it goes on."""
        async with self._store.writing(scene.community_id) as write:
            stage = await opened(write, scene.community_id, scene.id, config=view.config, now=self._clock.now())
            stage.scene = replace(stage.scene, thread_id=None, board_post_id=None)
            if stage.scene.status is SceneStatus.RUNNING:
                await stage.pause(THREAD_GONE)
            else:
                await write.scenes.keep(stage.scene)


def _may_sit(agent: Agent) -> bool:
    return agent.retired_at is None and agent.paused_reason is None
