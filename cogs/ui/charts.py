"""What pictures show: rows of bars from the community's numbers."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from math import ceil

from bot.core.attention import shares
from bot.core.kinds import BECAUSE, State
from bot.core.models import Model
from bot.core.next_beat import NextBeat, Waiting, doing_words
from bot.core.records import Agent, AgentId, Usage
from bot.core.sentences import Sentence
from bot.core.view import Outline
from bot.core.wording import counted
from cogs.ui.cards import NOT_FOR_YOU, Looks, pace, shown_state
from cogs.ui.money import cost
from cogs.ui.pictures import Bar
from cogs.ui.texts import label

SLOW, QUICK, RESTING = 0, 1, 2
Used = tuple[int, Usage]


def attention_rows(view: Outline, agent_id: AgentId) -> list[Bar]:
    """Give a bar for each room of an agent, side by side of the barrier."""
    mine = [one for (agent, _), one in view.memberships.items() if agent == agent_id]
    rows: list[Bar] = []
    for number, side in enumerate(sorted({view.all_rooms[one.room_id].side for one in mine})):
        here = [one for one in mine if view.all_rooms[one.room_id].side == side]
        for room, share in shares(here).items():
            rows.append(Bar(label=view.agents[room].name, share=share / 100, note=f"{share:.0f} %", colour=number))
    return rows


def pace_rows(view: Outline, agents: Sequence[Agent], looks: Looks, now: datetime) -> list[Bar]:
    """Give a bar for each agent: the fuller, the faster its heart beats."""
    return [
        Bar(
            label=agent.name,
            share=0.0 if state in (State.PAUSED, State.RETIRED) else max(0.03, pace(agent.interval_seconds)),
            note=f"{agent.interval_seconds:.1f} s {state}",
            colour=RESTING if agent.asleep_until and agent.asleep_until > now else QUICK,
        )
        for agent in agents
        if (state := shown_state(view, agent, looks, now))
    ]


def pace_table(view: Outline, agents: Sequence[Agent], looks: Looks, hidden: Collection[AgentId]) -> list[str]:
    """Give the numbers under the picture: pace, last beat and why it came, the next one and what it waits for.

    Of the `hidden` agents, which are in rooms that whoever asked may not see, it tells none of that.
    """
    return [
        f"**{label(agent.name)}** " + (NOT_FOR_YOU if agent.id in hidden else _paced(view, agent, looks.get(agent.id)))
        for agent in agents
    ]


def _paced(view: Outline, agent: Agent, look: NextBeat | None) -> str:
    if look is not None and look.at is None and look.waiting is Waiting.SCENE:  # one that keeps secrets
        return Sentence("sits in a scene: how it beats is told once that is over")
    every = Sentence(
        "every {seconds:.1f} s (resting {resting:.1f} s)",
        seconds=agent.interval_seconds,
        resting=agent.resting_interval_seconds,
    )
    paced = Sentence.joined(every, " · ", _last_beat(agent), " · ", _next_beat(look))
    return Sentence.joined(at, " · ", paced) if look and (at := doing_words(view, look)) else paced


def _last_beat(agent: Agent) -> str:
    if agent.last_beat_at is None:
        return Sentence("has not beaten yet")
    at = int(agent.last_beat_at.timestamp())
    if agent.last_reason is None:
        return Sentence("last beat <t:{at}:R>", at=at)
    return Sentence("last beat <t:{at}:R>, because {because}", at=at, because=BECAUSE[agent.last_reason])


def _next_beat(look: NextBeat | None) -> str:
    if look is None:
        return Sentence("just moved in")
    if look.at is None:
        return Sentence("waits for {words}", words=look.words)
    return Sentence(
        "next <t:{at}:T> at the earliest, waits for {words}", at=ceil(look.at.timestamp()), words=look.words
    )


def usage_rows(used: Mapping[str, Used]) -> list[Bar]:
    """Give a bar for each name by its tokens, the largest first."""
    tokens = {name: usage.input_tokens + usage.output_tokens for name, (_, usage) in used.items()}
    most = max(tokens.values(), default=0) or 1
    order = sorted(tokens, key=lambda name: -tokens[name])
    return [Bar(label=name, share=tokens[name] / most, note=counted(tokens[name], "token")) for name in order]


def usage_table(used: Mapping[str, Used], model: Model, models: Mapping[str, Collection[str]]) -> list[str]:
    """Give the numbers under the picture; `models`: those that each name asks."""
    return [
        Sentence(
            "**{name}**: {beats}, {tokens:,} in ({cached:,} cached), {out:,} out, {cost}",
            name=name,
            beats=counted(beats, "beat"),
            tokens=usage.input_tokens,
            cached=usage.cached_tokens,
            out=usage.output_tokens,
            cost=cost(usage.cost_usd, model, models.get(name, ())),
        )
        for name, (beats, usage) in sorted(used.items(), key=lambda item: -item[1][1].input_tokens)
    ]
