"""What an agent would see if it beat now, without letting it."""

from datetime import datetime

from bot.core.hud.call import Ask, build, messages_to_load, section_tokens
from bot.core.kinds import InputFormat
from bot.core.ports import Tokenizer
from bot.core.ports.residents import Views
from bot.core.records import PUBLIC_SIDE, Agent, CommunityId, Side
from bot.core.view import carried_by
from bot.engine.aside import aside

Seen = tuple[str, list[tuple[str, int]]]


async def hud_now(
    views: Views,
    community_id: CommunityId,
    agent: Agent,
    *,
    now: datetime,
    tokenizer: Tokenizer,
    structured: bool,
    lean: bool,
    side: Side = PUBLIC_SIDE,
    input_format: InputFormat | None = None,
) -> Seen:
    """Give an agent's HUD as it is now, built as for a beat, and the tokens of each section; keys by their labels."""
    messages, minds = messages_to_load([agent]), carried_by(agent.id, side)
    view = await views.whole(community_id, agent_ids=[agent.id], messages=messages, minds=minds)
    built = await aside(
        build,
        view,
        [Ask(agent_id=agent.id, side=side)],
        now=now,
        tokenizer=tokenizer,
        input_format=input_format or agent.input_format,
        output_format=agent.output_format,
        structured=structured,
        lean=lean,
    )
    return f"{built.instructions}\n{built.input}\n", section_tokens(built, tokenizer, structured=structured)
