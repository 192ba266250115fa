"""Scenes as people look at them: where they stand, what happened, and whether their logs fold into what is kept."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from bot.core.errors import NotFound, Rejected
from bot.core.ports.scenes import Scenes as StoredScenes
from bot.core.records import AgentId, CommunityId, Person, SceneId, Snowflake
from bot.core.scenes.records import Fared, Scene
from bot.core.scenes.showing import Told, Turn, board_of, cast_of, closed_side, lines_for, refolded, turn_of
from bot.core.sentences import Sentence
from bot.core.wording import counted
from bot.engine.estimating import COIN, estimate_inputs
from bot.engine.front_desk.office import Office
from bot.engine.scene_posts import names_of
from bot.engine.stage import OUTDATED

STEPS_SHUT = "You sit in that scene, and its steps would tell you who moved: fold its log once it is over."


@dataclass(frozen=True, slots=True)
class Scenes:
    """The scenes of a community."""

    office: Office

    async def all(self, guild_id: Snowflake) -> Sequence[Scene]:
        """Give all scenes, the newest first."""
        async with self.office.looking(guild_id) as (community, read):
            return await read.scenes.all(community.id)

    async def at(self, guild_id: Snowflake, thread_id: int | None) -> Scene | None:
        """Give the scene that takes place in a thread, if one does."""
        async with self.office.looking(guild_id) as (community, read):
            return await read.scenes.of_thread(community.id, Snowflake(thread_id)) if thread_id else None

    async def find(self, guild_id: Snowflake, scene_id: int) -> Scene:
        """Give a scene; raises NotFound."""
        async with self.office.looking(guild_id) as (community, read):
            return await _found(read.scenes, community.id, scene_id)

    async def told(self, guild_id: Snowflake, scene_id: int) -> Told:
        """Give a scene as everybody may see it: while it runs what is public, afterwards all that happened."""
        async with self.office.looking(guild_id) as (community, read):
            scene = await _found(read.scenes, community.id, scene_id)
            events, names = await read.scenes.events(community.id, scene.id), await names_of(read, scene)
            inputs = await estimate_inputs(self.office.estimator, read, community, scene)
        estimate, coin = await inputs.estimate() if inputs is not None else ("", COIN)
        cast = cast_of(scene, events, names)
        return Told(
            scene=scene,
            cast=cast,
            board=board_of(scene, events, names, estimate=estimate, coin=coin),
            lines=lines_for(events, cast, 0 if scene.status.is_open else None),
            watching=turn_of(scene, events, names, 0),
        )

    async def in_thread(self, guild_id: Snowflake, thread_id: int) -> Told | None:
        """Give the scene of a thread as everybody may see it; of a room itself, only while it goes on there."""
        scene = await self.at(guild_id, thread_id)
        is_past = scene is not None and scene.is_in_room and not scene.status.is_open
        return None if scene is None or is_past else await self.told(guild_id, scene.id)

    async def seat(self, guild_id: Snowflake, scene_id: int, person: Person) -> Turn:
        """Give what a person's seat sees, and what it may do now; raises Rejected for who has none."""
        async with self.office.looking(guild_id) as (community, read):
            scene = await _found(read.scenes, community.id, scene_id)
            sits = scene.seat_of(person_id=person.id)
            if sits is None:
                raise Rejected(Sentence("You do not sit in that scene."))
            events, names = await read.scenes.events(community.id, scene.id), await names_of(read, scene)
        turn = turn_of(scene, events, names, sits.seat, mentions=True)
        if turn is None:
            raise Rejected(OUTDATED if scene.standing else Sentence("It has not begun yet."))
        return turn

    async def replay(self, guild_id: Snowflake, scene_id: int, *, who: Snowflake) -> str:
        """Fold a scene's log again, and tell whether each digest is as it was; Rejected for who plays in secret."""
        async with self.office.looking(guild_id) as (community, read):
            scene = await _found(read.scenes, community.id, scene_id)  # with its log, as both stand at one moment
            if closed_side(scene) is not None and scene.sat(who):
                raise Rejected(STEPS_SHUT)
            log = await read.scenes.log(community.id, scene.id)
        if scene.step and not log:
            return Sentence(
                "The log of scene {scene} is kept no longer (`log_days`): nothing is left to be folded.", scene=scene.id
            )
        digest, differs = await self.office.bench.done(community.id, refolded, scene, log)
        if differs is not None:
            return Sentence(
                "Step {step} of scene {scene} comes out differently: its log was changed, or its rules were.",
                step=differs,
                scene=scene.id,
            )
        if digest != scene.digest:
            return Sentence(
                "The log of scene {scene} ends elsewhere than what is kept of it: tell whoever runs Selfroom.",
                scene=scene.id,
            )
        return Sentence(
            "Scene {scene}: {steps} folded again, every digest is as it was.",
            scene=scene.id,
            steps=counted(len(log), "step"),
        )

    async def fared(
        self, guild_id: Snowflake, room_ids: Collection[AgentId]
    ) -> tuple[Sequence[Fared], Mapping[AgentId, str]]:
        """Give how everybody fared in scenes of some rooms that came to their end, and the names of agents."""
        async with self.office.looking(guild_id) as (community, read):
            return await read.scenes.fared(community.id, room_ids), await read.agents.names(community.id)


async def _found(scenes: StoredScenes, community_id: CommunityId, scene_id: int) -> Scene:
    scene = await scenes.find(community_id, SceneId(scene_id))
    if scene is None:
        raise NotFound(
            Sentence("There is no scene {scene_id} here: /scene list shows those that are.", scene_id=scene_id)
        )
    return scene
