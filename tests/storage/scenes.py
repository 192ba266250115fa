"""A scene in a store."""

from dataclasses import replace

from bot.core.ports import Writing
from bot.core.records import AgentId, CommunityId, MessageId, SceneId, Snowflake
from bot.core.scenes.council.kind import COUNCIL
from bot.core.scenes.council.state import CouncilOptions
from bot.core.scenes.play import Entry, Play
from bot.core.scenes.records import Scene, SceneEvent, SceneStatus, Seated, Source
from tests.factories import person
from tests.fakes import START

THREAD, BOARD, LINE = Snowflake(6_001), Snowflake(6_002), Snowflake(6_003)
MIRA = person("mira").id


async def a_council(write: Writing, community_id: CommunityId, **fields: object) -> Scene:
    """Keep a council of two agents and Mira that runs; agent 1 has moved a motion."""
    options = CouncilOptions()
    play = Play(kind=COUNCIL, options=options, seed="seed")
    begun = play.begin((1, 2, 3)).standing
    entry = Entry(step=1, seat=1, move="move_motion", arguments={"title": 1, "text": 2})
    standing = play.enter(begun, entry).standing
    scene = Scene(
        community_id=community_id,
        id=SceneId(write.ids.take("scene")),
        kind="council",
        version=COUNCIL.version,
        title="Tea",
        room_id=AgentId(1),
        thread_id=THREAD,
        board_post_id=BOARD,
        status=SceneStatus.RUNNING,
        options=options.model_dump(mode="json") | {"topic": "Mira wants tea"},
        seed="seed",
        step=1,
        window_step=1,
        events=3,
        standing=standing.packed(),
        digest=standing.digest(),
        first_digest=begun.digest(),
        deadline_at=START,
        started_by=MIRA,
        created_at=START,
        seats=(
            Seated(seat=1, agent_id=AgentId(1)),
            Seated(seat=2, agent_id=AgentId(2)),
            Seated(seat=3, person_id=MIRA, turns=2),
        ),
    )
    scene = replace(scene, **fields)  # type: ignore[arg-type]  # what a test names
    await write.scenes.keep(scene)
    entry = replace(entry, digest=standing.digest())
    await write.scenes.enter(community_id, scene.id, entry, source=Source.BEAT, at=START)
    events = [
        SceneEvent(id=1, step=1, kind="text", text="Tea", seat=1, number=1, message_id=MessageId(900), at=START),
        SceneEvent(id=2, step=2, kind="text", text="Mira brews it.", seat=3, number=2, post_id=LINE, at=START),
        SceneEvent(id=3, step=1, kind="motion", text="{s1} moves: {t1} {t2}", audience=(1, 3), at=START),
    ]
    await write.scenes.tell(community_id, scene.id, events)
    return scene
