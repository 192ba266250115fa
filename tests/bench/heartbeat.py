"""Figures of the heartbeat: what idle costs, what a real chat costs, how fast and how quiet agents are."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from itertools import groupby, islice

from bot.core.changes import AgentColumns, UpdateAgent
from bot.core.hud.call import Ask, build
from bot.core.kinds import InputFormat, OutputFormat
from bot.core.ports import ModelCall
from bot.core.records import AgentId
from tests.bench import Figure
from tests.bench.calling import calling_figures
from tests.bench.crowds import crowd_figures
from tests.bench.listening import CountingModel, Line, trace
from tests.bench.pace import pace_figures
from tests.bench.restraint import restraint_figures
from tests.bench.whom import whom_figures
from tests.engine.hearts import Hearts, answer, asked, hearts

POLLED_EVERY_SECONDS = 5.0
FEW = 400  # lines that are enough to tell
DENSITIES = ((0.25, 5), (1, 5), (4, 5), (8, 5), (16, 5), (64, 5))  # how much thinner than it was, and the goal
SAMPLED = 20  # every so many lines the HUD of a poller is built; the lines between cost it the same


def run() -> list[Figure]:
    """Measure all."""
    parts: list[Callable[[], Awaitable[list[Figure]]]] = [
        idle_day,
        chat_trace,
        slow_and_busy_days,
        shared_trace,
        eager_room,
        chatty_room,
        restraint_figures,
    ]
    figures = [figure for part in parts for figure in asyncio.run(_awaited(part))]
    return [*figures, *whom_figures(), *pace_figures(), *calling_figures(), *crowd_figures()]


async def _awaited(part: Callable[[], Awaitable[list[Figure]]]) -> list[Figure]:
    return await part()


async def idle_day() -> list[Figure]:
    """50 agents, a day of the virtual clock in which nobody speaks."""
    async with hearts(50) as home:
        await home.run(24 * 3_600)
        return [Figure(name="heartbeat.idle_day_calls", value=len(home.model.calls), unit="calls", target=0)]


async def chat_trace() -> list[Figure]:
    """Five agents of different pace listen to 3.8 hours of chat; the same chat for pollers."""
    model = CountingModel()
    async with hearts(5, model=model) as home:
        for id, seconds in enumerate((2.0, 3.0, 5.0, 7.0, 10.0), start=1):
            pace = AgentColumns(interval_seconds=seconds, resting_interval_seconds=seconds)
            await home.apply(UpdateAgent(agent_id=AgentId(id), fields=pace))
        polled, per_line, lines = await _listen(home, trace())
    return [
        Figure(name="heartbeat.trace_of_poller", value=100 * model.input_tokens / polled, unit="%", target=2),
        Figure(name="heartbeat.trace_of_call_per_line", value=100 * model.input_tokens / per_line, unit="%", target=5),
        Figure(name="heartbeat.trace_calls", value=len(model.agents), unit="calls"),
        Figure(name="heartbeat.trace_tokens_per_line", value=model.input_tokens / lines, unit="tokens"),
    ]


async def slow_and_busy_days() -> list[Figure]:
    """The same chat thinner and denser; the room's owner is paused, so that nobody is addressed for being alone."""
    figures = []
    for factor, target in DENSITIES:
        model = CountingModel()
        async with hearts(6, model=model) as home:
            await home.apply(UpdateAgent(agent_id=AgentId(1), fields={"paused_reason": "away"}))
            for id, seconds in enumerate((2.0, 3.0, 5.0, 7.0, 10.0), start=2):
                pace = AgentColumns(interval_seconds=seconds, resting_interval_seconds=seconds)
                await home.apply(UpdateAgent(agent_id=AgentId(id), fields=pace))
            lines = [replace(line, seconds=line.seconds * factor) for line in islice(trace(), FEW)]
            _, per_line, count = await _listen(home, lines)
        apart = lines[-1].seconds / count
        name = f"heartbeat.a_line_every_{apart:.0f}_s_of_call_per_line"
        figures.append(Figure(name=name, value=100 * model.input_tokens / per_line, unit="%", target=target))
    return figures


async def _listen(home: Hearts, lines: Iterable[Line]) -> tuple[float, float, int]:
    """Let the chat be said; gives the input tokens of five pollers, of five calls per line, and the lines."""
    at, polled, per_line, count = 0.0, 0.0, 0.0, 0
    tokens = 0.0
    for line in lines:
        await home.run(line.seconds - at)
        polled += 5 * tokens * (line.seconds - at) / POLLED_EVERY_SECONDS
        at, count = line.seconds, count + 1
        await home.hear(line.text, who=line.who, id=line.id)
        if count % SAMPLED == 1:
            tokens = await _poller_tokens(home)
        per_line += 5 * tokens
    await home.run(300)
    return polled, per_line, count


async def _poller_tokens(home: Hearts) -> int:
    """Count what one agent's own call would hold now, in the reference format."""
    built = build(
        await home.view(2),
        [Ask(agent_id=AgentId(2))],
        now=home.clock.now(),
        tokenizer=home.model.tokenizer("gpt-4o-mini"),
        input_format=InputFormat.JSON,
        output_format=OutputFormat.JSON,
        structured=True,
    )
    return built.tokens


async def shared_trace() -> list[Figure]:
    """20 agents in one room at the pace of the chat: how many share a call."""
    model = CountingModel()
    async with hearts(20, model=model) as home:
        at = 0.0
        for line in list(trace())[:400]:
            await home.run(line.seconds - at)
            at = line.seconds
            await home.hear(line.text, who=line.who, id=line.id)
    mean = sum(model.agents) / len(model.agents)
    return [Figure(name="heartbeat.agents_per_call", value=mean, unit="agents", target=8, better="higher")]


async def eager_room() -> list[Figure]:
    """Ten agents that always answer; a person says something to nobody in particular."""

    def eager(call: ModelCall) -> str:
        return answer({id: [(1, "Oh!")] for id in asked(call)})

    async with hearts(10) as home:
        await home.crowd()
        home.model.script.extend([eager] * 999)
        await home.hear("what a day, everyone")
        await home.run(900)
        answers = [line for line in await home.lines() if line[1] == "Oh!"]
    return [Figure(name="heartbeat.answers_to_everyone", value=len(answers), unit="answers", target=2)]


async def chatty_room() -> list[Figure]:
    """Five agents that always answer and always name the next; an hour, in which a person speaks every ten minutes."""

    def chat(call: ModelCall) -> str:
        return answer({id: [(1, f"Agent{id % 5 + 1}, and you?")] for id in asked(call)})

    async with hearts(5) as home:
        home.model.script.extend([chat] * 9_999)
        for _ in range(6):
            await home.hear("Agent3, go on!")
            await home.run(600)
        runs = groupby(await home.lines(), lambda line: line[0].isdigit())
        longest = max(len(list(run)) for is_agent, run in runs if is_agent)
    return [Figure(name="heartbeat.longest_banter", value=longest, unit="messages", target=6)]
