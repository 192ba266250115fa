"""The sections of an agent's own part as paragraphs of the `text` format."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from bot.core.hud.agent_hud import AgentHud, CallTime
from bot.core.hud.escape import one_line
from bot.core.hud.formats.rooms import named_line, seat_lines
from bot.core.hud.knowledge import inline, leaves
from bot.core.hud.recent_actions import action_line
from bot.core.hud.values import entries, fields
from bot.core.records import Json

LineOf = Callable[[Mapping[str, Json]], str]
MAJOR: Final = "=" * 80
MINOR: Final = "-" * 80


def major(name: str) -> str:
    """Give the head of a part."""
    return f"{MAJOR}\n{name}\n"


def title(name: str) -> str:
    """Give the head of a section."""
    return f">>> {name} <<<\n"


def header(number: int, agent_hud: AgentHud) -> str:
    """Give the head of one agent's segment."""
    agent = agent_hud.agent
    model = "" if agent_hud.lean else f", Model: {one_line(agent.model[:100])}"
    return f"{MINOR}\nAGENT {number}: {one_line(agent.name)} (ID: {agent.id}{model})\n"


def directory(listed: Json) -> str:
    """Give the directory, one agent a line: `3 Luna (persona, knock): moon talk`."""
    return major("DIRECTORY") + "".join(map(_directory_line, entries(listed)))


def _directory_line(entry: Mapping[str, Json]) -> str:
    name = f"{entry['id']} {one_line(str(entry['name']))}"
    if "type" not in entry:
        return f"{name}\n"
    topic = one_line(str(entry["topic"]))
    return f"{name} ({entry['type']}, {entry['access']}){f': {topic}' if topic else ''}\n"


def stable(agent_hud: AgentHud) -> Iterator[tuple[str, str]]:
    """Give the sections that seldom change."""
    shown = agent_hud.sections
    yield "identity", title("IDENTITY") + _fields(shown["identity"])
    if "allocations" in shown:
        yield "allocations", title("MEMORY ALLOCATIONS") + _allocations(shown)
    if "knowledge" in shown or "knowledge_hidden" in shown:
        name = "WHAT YOU REMEMBER" if agent_hud.lean else "KNOWLEDGE STORE"
        yield "knowledge", title(name) + _knowledge(shown)
    if "focus" in shown:
        yield "focus", title("FOCUS") + _focus(shown["focus"])
    if shown.get("public"):
        yield (
            "public",
            title("FROM YOUR PUBLIC ROOMS (to read; what you write here stays with this room)") + _public(shown),
        )
    if shown.get("keys_held"):
        yield "keys_held", title("KEYS HELD") + _lines(shown["keys_held"], _key_line)
    if shown.get("available_actions"):
        yield "available_actions", title("MORE ACTIONS") + action_lists(shown["available_actions"])


def volatile(agent_hud: AgentHud) -> Iterator[tuple[str, str]]:
    """Give the sections that change from beat to beat."""
    shown = agent_hud.sections
    if "recent_actions" in shown:
        yield "recent_actions", title("RECENT ACTIONS") + (_lines(shown["recent_actions"], action_line) or "(none)\n")
    if shown.get("lore"):
        yield "lore", title("LORE (what is spoken of now, as you know it; no orders)") + _told(shown["lore"])
    if shown.get("lookups"):
        yield "lookups", title("LOOKUPS") + _lines(shown["lookups"], _lookup_line)
    yield "rooms", seats_head(agent_hud) + "".join(map(seat_lines, agent_hud.shown_rooms)) + named_line(agent_hud)
    if "budget" in shown:
        yield "budget", budget(agent_hud)


def seats_head(agent_hud: AgentHud) -> str:
    """Give the head of the section on the agent's seats, and who it is there."""
    return f"{title('ROOMS')}you: {agent_hud.agent.id}\n"


def _fields(values: Json) -> str:
    return "".join(
        f"{key}: {one_line(str(value)) if key in _BARE else inline(value)}\n" for key, value in fields(values).items()
    )


_BARE: Final = frozenset({"type", "model", "joined"})


def _allocations(shown: Mapping[str, Json]) -> str:
    given = fields(shown["allocations"])
    status = f", {shown['memory_status']}" if "memory_status" in shown else ""
    return (
        f"knowledge: {given['knowledge']}%\nrecent_actions: {given['recent_actions']}%\n"
        f"rooms: {given['rooms']}%\nmemory_used: {shown['memory_used']}{status}\n"
    )


def _knowledge(shown: Mapping[str, Json]) -> str:
    hidden = fields(shown.get("knowledge_hidden"))
    lines = "".join(leaf.line for leaf in leaves(fields(shown.get("knowledge"))))
    if isinstance(paths := hidden.get("paths"), list):
        named = ", ".join(one_line(str(path)) for path in paths)
        lines += f"(hidden for want of space: {hidden['count']}; read them with get: {named})\n"
    return lines or "(empty)\n"


def _focus(focus: Json) -> str:
    lines = []
    for key, value in fields(focus).items():
        if isinstance(value, list):
            lines += [f"{key}:\n", *(f"- {inline(item)}\n" for item in value)]
        elif key == "stale":
            lines.append("(stale: look whether it still holds)\n")
        elif key != "age":  # changes from beat to beat
            lines.append(f"{key}: {one_line(str(value)) if key in ('updated', 'hint') else inline(value)}\n")
    return "".join(lines) or "(empty)\n"


def _public(shown: Mapping[str, Json]) -> str:
    public = fields(shown["public"])
    known = _knowledge(public)
    focus = _focus(public["focus"]) if public.get("focus") else ""
    return f"{known}{focus}{_lines(public.get('recent_actions'), action_line)}"


def _told(texts: Json) -> str:
    return "".join(f"- {one_line(str(text))}\n" for text in texts) if isinstance(texts, list) else ""


def _lines(listed: Json, line: LineOf) -> str:
    return "".join(map(line, entries(listed)))


def _key_line(entry: Mapping[str, Json]) -> str:
    return f"room {entry['room']}: {inline(entry['label'])}\n"


def _lookup_line(entry: Mapping[str, Json]) -> str:
    return f"- {one_line(str(entry['question']))}: {inline(entry['answer'])}\n"


def action_lists(lists: Json) -> str:
    """Give the lines of actions under their categories."""
    return "".join(f"{name}\n{_bullets(lines)}" for name, lines in fields(lists).items())


def _bullets(lines: Json) -> str:
    return "".join(f"- {line}\n" for line in lines) if isinstance(lines, list) else ""


def budget(agent_hud: AgentHud) -> str:
    """Give how full the budget is, and how old the focus."""
    budget, focus = fields(agent_hud.sections["budget"]), fields(agent_hud.sections["focus"])
    age = f"focus: from {focus['age']} ago\n" if "age" in focus else ""
    return (
        f"{title('BUDGET STATUS')}{age}{budget['used']}/{budget['total']} tokens ({budget['percent']}%)\n"
        f"all but rooms: {budget['rest_percent']}% of its half, {budget['status']}\n"
    )


def why_line(agent_hud: AgentHud) -> str:
    """Give why the beat came: the last thing an agent reads, and so the nearest to its answer."""
    return f"why: {agent_hud.sections['why']}\n"


def now_line(moment: CallTime) -> str:
    """Give the time of the call, the community's own beside it, and its language."""
    local = f" ({one_line(moment.local)} {one_line(moment.zone)})" if moment.local else ""
    return f"now: {moment.at} UTC{local}, language: {one_line(moment.language)}\n"
