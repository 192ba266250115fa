"""What nobody is told while a closed scene goes on: who is at what in it, and what its agents see and think."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from bot.core.errors import Rejected
from bot.core.next_beat import NextBeat, Waiting
from bot.core.ports import Reading
from bot.core.ports.scenes import Scenes
from bot.core.records import Agent, AgentId, CommunityId, Side, Snowflake
from bot.core.scenes.records import Scene, SceneStatus
from bot.core.scenes.showing import closed_side, title_of
from bot.core.sentences import Sentence
from bot.core.sight import at_rest

IN_A_SCENE = "the scene that it sits in"
SITS_WITH = "{} sits in a scene with you: its head is shut to you until that is over."


async def closed_scenes(scenes: Scenes, community_id: CommunityId) -> list[Scene]:
    """Give the closed scenes that have begun and go on."""
    going = await scenes.all(community_id, (SceneStatus.RUNNING, SceneStatus.PAUSED))
    return [one for one in going if closed_side(one) is not None]


async def shut_sides(scenes: Scenes, community_id: CommunityId) -> frozenset[Side]:
    """Give the sides of which nobody sees any beat yet."""
    return frozenset(
        side for one in await closed_scenes(scenes, community_id) if (side := closed_side(one)) is not None
    )


def seated_in(scenes: Iterable[Scene]) -> frozenset[AgentId]:
    """Give the agents that sit in one of some scenes."""
    return frozenset(one.agent_id for scene in scenes for one in scene.seats if one.agent_id is not None)


async def check_may_look(read: Reading, community_id: CommunityId, who: Snowflake, agent_id: AgentId) -> None:
    """Raise Rejected where a person sits, or sat, in a closed scene with the agent into whose head they look."""
    for scene in await closed_scenes(read.scenes, community_id):
        if scene.sat(who) and agent_id in seated_in([scene]):
            names = await read.agents.names(community_id)
            raise Rejected(SITS_WITH.format(names.get(agent_id, "It")))


async def heads_open_to(
    scenes: Scenes, community_id: CommunityId, who: Snowflake, agents: Collection[AgentId]
) -> frozenset[AgentId]:
    """Give those of the agents into whose heads a person may look."""
    theirs = [one for one in await closed_scenes(scenes, community_id) if one.sat(who)]
    return frozenset(agents) - seated_in(theirs)


async def check_sits_nowhere(read: Reading, community_id: CommunityId, agents: Sequence[AgentId]) -> None:
    """Raise Rejected for an agent that sits in a closed scene, of whatever room: its head would be in a tree."""
    for scene in await closed_scenes(read.scenes, community_id) if agents else ():
        for agent_id in seated_in([scene]) & set(agents):
            name = (await read.agents.names(community_id)).get(agent_id, str(agent_id))
            title = title_of(scene)
            raise Rejected(
                Sentence("{agent} sits in {scene}: an agent sits in one scene at a time.", agent=name, scene=title)
            )


async def rooms_shut_to(read: Reading, community_id: CommunityId, who: Snowflake | None) -> frozenset[AgentId]:
    """Give the rooms in which a person sits in a closed scene that goes on, and those that its agents are in.

    What comes of these rooms tells what is in the heads that are shut to them. None: whoever sits there.
    """
    theirs = [one for one in await closed_scenes(read.scenes, community_id) if who is None or one.sat(who)]
    if not theirs:
        return frozenset()
    seated = seated_in(theirs)
    view = await read.views.action_view(community_id, agent_ids=sorted(seated), room_ids=(), doors=False)
    beside = (room_id for agent_id, room_id in view.memberships if agent_id in seated)
    return frozenset([*(one.room_id for one in theirs), *beside])


def masked_agents(agents: Mapping[AgentId, Agent], seated: frozenset[AgentId]) -> dict[AgentId, Agent]:
    """Give agents, those who sit in a closed scene at rest: their pace and their beats would tell when they move."""
    return {id_: at_rest(agent) if id_ in seated else agent for id_, agent in agents.items()}


def masked_looks(looks: Mapping[AgentId, NextBeat], seated: frozenset[AgentId]) -> dict[AgentId, NextBeat]:
    """Give what everyone waits for; of each that sits in a closed scene the same is told."""
    return {id_: _in_a_scene(look) if id_ in seated else look for id_, look in looks.items()}


def _in_a_scene(look: NextBeat) -> NextBeat:
    if look.waiting in (Waiting.RETIRED, Waiting.PAUSED):
        return look
    return NextBeat(waiting=Waiting.SCENE, words=IN_A_SCENE)
