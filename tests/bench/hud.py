"""What a HUD costs: time to build it, tokens by format, what calls share, and what it never exceeds."""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import httpx2
from rich.console import Console

from bot.adapters.llm.claude import ClaudeLine
from bot.adapters.llm.ladder import Known
from bot.core.actions import hud_actions
from bot.core.hud.call import Ask, BuiltCall, build
from bot.core.hud.constant import constant_part
from bot.core.hud.formats import json, toon
from bot.core.hud.formats.document import Document, message_entry
from bot.core.hud.formats.lines import day_line, message_line
from bot.core.hud.formats.paragraphs import action_lists
from bot.core.hud.prompts import prompts_of
from bot.core.kinds import InputFormat, OutputFormat
from bot.core.models import ModelCall
from bot.core.records import AgentId, Json, Message, MessageId
from bot.core.view import RoomView, View
from bot.tokens import o200k
from tests import factories
from tests.adapters.vendors import Anthropic
from tests.bench import Figure, houses, traces
from tests.bench.overruns import overruns
from tests.bench.plot import bars
from tests.fakes import START

REPEATS = 60
SAY = Console().print
count = o200k().count


def run() -> list[Figure]:
    """Measure everything; without the traces only what needs none."""
    figures = [*never_exceeded(), os_section(), memory()]
    if not traces.there():
        SAY(f"No traces at {traces.FOLDER}: times and ratios are left out.")
        return figures
    SAY(growth())
    return [*times(), *figures, *messages_block(), *sharing(), common_prefix(), cached_by_claude()]


def call(view: View, *agent_ids: int, format: InputFormat = InputFormat.TEXT, seconds: float = 0) -> BuiltCall:
    return build(
        view,
        [Ask(agent_id=AgentId(id), alone=len(agent_ids) == 1) for id in agent_ids],
        now=START + timedelta(days=4_000, seconds=seconds),
        tokenizer=o200k(),
        input_format=format,
        output_format=OutputFormat.JSON,
        structured=False,
    )


def milliseconds(view: View, *agent_ids: int) -> float:
    """Time builds at different moments, in CPU time so that a busy machine does not count; gives the median."""
    taken = []
    for number in range(REPEATS):
        began = time.process_time()
        call(view, *agent_ids, seconds=number * 7)
        taken.append(time.process_time() - began)
    return statistics.median(taken) * 1_000


def times() -> list[Figure]:
    sizes = [(3, 50, 10_000, 0.8), (10, 200, 10_000, 2.0), (50, 500, 10_000, 8.0), (50, 500, 100_000, 25.0)]
    return [
        Figure(
            name=f"hud.build_{rooms}x{messages}" + (f"_{budget // 1_000}k" if rooms == 50 else ""),
            value=milliseconds(houses.house(rooms, messages, budget=budget), 1),
            unit="ms",
            target=target,
        )
        for rooms, messages, budget, target in sizes
    ]


def growth() -> str:
    """Show how the time to build grows with rooms, messages and agents."""
    rooms = [(f"{n} rooms", milliseconds(houses.house(n, 100), 1)) for n in (1, 5, 10, 25, 50)]
    talk = [(f"{n} messages", milliseconds(houses.house(3, n, budget=50_000), 1)) for n in (50, 100, 200, 400, 800)]
    agents = [(f"{n} agents", milliseconds(houses.neighbourhood(n), *range(1, n + 1))) for n in (1, 2, 5, 10, 20)]
    plots = (
        ("by rooms of 100 messages", rooms),
        ("by messages in each of 3 rooms", talk),
        ("by agents of a call", agents),
    )
    return "\n\n".join(bars(f"time to build, {title}", points, "ms") for title, points in plots) + "\n"


def never_exceeded() -> list[Figure]:
    found = overruns()
    return [
        Figure(name="hud.worlds", value=found.worlds, unit="worlds", target=20_000, better="higher"),
        Figure(name="hud.overruns", value=found.over, unit="HUDs", target=0),
        Figure(name="hud.inexact_counts", value=found.inexact, unit="HUDs", target=0),
        Figure(name="hud.shared_differs_from_solo", value=found.different, unit="agents", target=0),
    ]


def os_section() -> Figure:
    text = constant_part(prompts_of({}), InputFormat.TEXT, OutputFormat.JSON, structured=False)
    privileged = action_lists({name: list(lines) for name, lines in hud_actions(privileged=True).items()})
    return Figure(name="hud.os_section", value=count(text + privileged), unit="tokens", target=1_900)


def memory() -> Figure:
    """Measure a fresh process before it loads anything of ours, and after building."""
    script = Path(__file__).with_name("hud_memory.py")
    grown = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    return Figure(name="hud.memory", value=float(grown.stdout), unit="MB", target=150)


def later_talk() -> list[list[Message]]:
    """The later part of each trace, where replies are marked."""
    return [list(traces.messages(path, 400, skip=750)) for path in traces.there()]


def messages_block() -> list[Figure]:
    talks = later_talk()
    beyond = [count(message_line(one)) - count(one.content) for talk in talks for one in talk]
    as_text, as_json, as_toon = (sum(map(tokens, talks)) for tokens in (text_tokens, json_tokens, toon_tokens))
    return [
        Figure(name="hud.tokens_beyond_content", value=statistics.fmean(beyond), unit="tokens", target=18),
        Figure(name="hud.text_to_json", value=100 * as_text / as_json, unit="%", target=48),
        Figure(name="hud.toon_to_json", value=100 * as_toon / as_json, unit="%", target=64),
    ]


def text_tokens(talk: list[Message]) -> int:
    days = {day_line(message): None for message in talk}
    return count("".join([*days, *map(message_line, talk)]))


def json_tokens(talk: list[Message]) -> int:
    return _block(json.write, talk)


def toon_tokens(talk: list[Message]) -> int:
    return _block(toon.write, talk)


def _block(write: Callable[[Document], str], talk: list[Message]) -> int:
    """Count a room's messages as they stand in the document, without the document."""
    rows: list[Json] = [message_entry(one) for one in talk]
    full: Document = {"rooms": [{"messages": rows}]}
    return count(write(full)) - count(write({"rooms": [{"messages": []}]}))


def sharing() -> list[Figure]:
    five, twenty = shared_to_solo(5), shared_to_solo(20)
    view, ids = houses.neighbourhood(20), range(1, 21)
    shared = call(view, *ids)
    alone = sum(call(view, id, format=InputFormat.JSON).tokens for id in ids)
    segments = [segment_tokens(part.sections) for part in shared.parts]
    return [
        Figure(name="hud.shared_5_to_solo", value=five, unit="%", target=45),
        Figure(name="hud.shared_20_to_solo", value=twenty, unit="%", target=34),
        Figure(name="hud.shared_20_text_to_solo_json", value=100 * shared.tokens / alone, unit="%", target=22),
        Figure(name="hud.largest_segment", value=max(segments), unit="tokens", target=500),
    ]


def shared_to_solo(agents: int) -> float:
    view, ids = houses.neighbourhood(agents), range(1, agents + 1)
    return 100 * call(view, *ids).tokens / sum(call(view, id).tokens for id in ids)


def segment_tokens(sections: tuple[tuple[str, int], ...]) -> int:
    return sum(tokens for name, tokens in sections if name not in ("messages", "directory"))


def common_prefix() -> Figure:
    """Replay a trace, a beat every 5 messages, and see how much of each call the provider has just read."""
    talk = traces.messages(traces.there()[-1], 1_100, first_id=1_000)
    start, before, shared, total = MessageId(0), "", 0, 0
    for newest in range(400, len(talk), 5):
        built = call(in_one_room(talk[:newest], start), 1)
        start = built.parts[0].window_starts[AgentId(1)]
        text = built.instructions + built.input
        if before:
            shared += count(beginning(before, text))
            total += built.tokens
        before = text
    return Figure(name="hud.common_prefix", value=100 * shared / total, unit="%", target=80, better="higher")


def cached_by_claude() -> Figure:
    """Replay the traces, a beat every 5 messages, and see what Anthropic's double reads from what it kept, in words."""
    read, total = 0, 0
    for path in traces.there():
        talk = traces.messages(path, 1_100, first_id=1_000)
        line = ClaudeLine(base_url=None, api_key="k", seconds=1, http=httpx2.AsyncClient())
        there, start = Anthropic(), MessageId(0)
        for number, newest in enumerate(range(400, len(talk), 5)):
            built = call(in_one_room(talk[:newest], start), 1)
            start = built.parts[0].window_starts[AgentId(1)]
            used = there.used(line._request("claude", asked_of(built), Known()))
            if number:
                read += used["cache_read_input_tokens"]
                total += sum(used.values()) - used["output_tokens"]
    return Figure(name="hud.cached_by_claude", value=100 * read / total, unit="%", target=80, better="higher")


def asked_of(built: BuiltCall) -> ModelCall:
    return ModelCall(
        model="claude",
        instructions=built.instructions,
        input=built.input,
        temperature=None,
        answer_tokens=600,
        schema=None,
        cache_key="",
        whose="1",
    )


def beginning(one: str, other: str) -> str:
    """Give what both texts begin with."""
    return next(
        (one[:at] for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(one, other, key=len)
    )


def in_one_room(talk: tuple[Message, ...], start: MessageId) -> View:
    """One agent that fills its budget with one room; it says something now and then."""
    agent = houses.resident(1, 10_000)
    room = RoomView(room=factories.room(1), members=(AgentId(1),), messages=talk[-400:], older=len(talk[:-400]))
    mine = factories.membership(1, window_start=start, last_spoke_at=START + timedelta(seconds=len(talk)))
    return factories.view([agent], rooms=[room], memberships=[mine], minds=houses.minds([agent], deeds=len(talk) // 20))
