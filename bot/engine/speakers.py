"""What the words of a call's agents are held against before anything of them is posted."""

from collections.abc import Sequence

from bot.core.gate import Ready
from bot.core.hud.call import AgentPart
from bot.core.kinds import ReasonKind
from bot.core.plain_words import Speaker
from bot.core.ports import ModelAnswer
from bot.engine.gatekeeper import Batch
from bot.engine.planner import PlannedCall

ASKING = (ReasonKind.ADDRESSED, ReasonKind.ANSWER, ReasonKind.WOKEN)  # somebody waits for words


def speakers_of(batch: Batch, call: PlannedCall, answer: ModelAnswer) -> list[Speaker]:
    """Give what the words of a call's agents are held against; what the others of it are is not theirs to say."""
    parts = {part.agent_id: part for part in call.built.parts}
    prompts = {id_: batch.view.whole_agent(id_).prompt for id_ in parts}
    return [
        _speaker(
            batch, call, ready, answer, parts[ready.agent_id], [prompts[id_] for id_ in parts if id_ != ready.agent_id]
        )
        for ready in call.ready
    ]


def _speaker(
    batch: Batch, call: PlannedCall, ready: Ready, answer: ModelAnswer, part: AgentPart, prompts: Sequence[str]
) -> Speaker:
    agent = batch.view.whole_agent(ready.agent_id)
    rooms = [room for id_ in part.room_ids if (room := batch.view.rooms.get(id_)) is not None]
    others = [one for room in rooms for one in room.messages if one.sender.agent_id != agent.id]
    return Speaker(
        agent_id=agent.id,
        name=agent.name,
        room_id=part.shown_ids[0] if call.built.lean and call.built.lean.in_one_room else ready.first.room_id,
        is_asked=ready.first.kind in ASKING,
        is_whole=answer.complete,
        is_lean=call.built.lean is not None,
        rules=call.built.instructions,
        prompt=agent.prompt,
        prompts="\n".join(prompts),
        others="\n".join(one.content for one in others if one.id in part.message_ids),
        asked=next((one.content for one in others if one.id == ready.first.message_id), ""),
    )
