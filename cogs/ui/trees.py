"""Trees under one's fingers: the board of a tree, its nodes in a select, and buttons that use the commands."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Self

import discord

from bot.client import SelfroomClient
from bot.core.errors import NotFound, Rejected
from bot.core.records import AgentId, Json, Room, Snowflake
from bot.core.sentences import Sentence
from bot.core.timelines.growth import leaves, no_node
from bot.core.timelines.merging import MOST_AT_ONCE, Item
from bot.core.timelines.records import QUIET_TOLD, Edge, Node, Status, Timeline
from bot.core.timelines.showing import Shown, same_as
from bot.core.wording import counted, honest
from cogs.ui.again import Again, Lasting, UseButton
from cogs.ui.again import Item as Pressed
from cogs.ui.beats import for_managers
from cogs.ui.rights import may_read
from cogs.ui.texts import label
from cogs.ui.tree_buttons import ChangeButton

Interaction = discord.Interaction[SelfroomClient]
NOT_ALL_ROOMS = Sentence("Only managers, and who can read all rooms of a tree, may look into it.")
MOST_OPTIONS = 25
BOARD_CHARACTERS = 1_900
SHOWN_VALUE = 100
SIGNS: Mapping[Status, str] = {
    Status.QUEUED: "⚪",
    Status.RUNNING: "🔵",
    Status.DONE: "🟢",
    Status.FAILED: "🔴",
    Status.STOPPED: "🟠",
}
EDGES: Mapping[Edge, str] = {
    Edge.ROOT: "where it begins",
    Edge.ADVANCE: "went on",
    Edge.MULTI: "one of several",
    Edge.CHAIN: "a link of a chain",
    Edge.ASK: "was asked",
    Edge.BRANCH: "several changes",
    Edge.AGENT_CTX: "a changed mind",
    Edge.AGENT_PLAN: "a changed plan",
    Edge.AGENT_PROPS: "a changed agent",
    Edge.SCENE_STATE: "a changed scene",
    Edge.PUBLIC_EVENT: "an event",
    Edge.SETTINGS: "changed settings",
}


def thread_name(timeline: Timeline) -> str:
    """Give the name of a tree's thread."""
    return f"🌳 what if … ({timeline.id}) {timeline.title}".strip()[:100]


def titled(timeline: Timeline) -> str:
    """Give a tree's number and title as a heading."""
    return f"🌳 **What if {timeline.id}**" + (f": {label(timeline.title)}" if timeline.title else "")


def board_text(shown: Shown) -> str:
    """Give the board of a tree: what it is, and its nodes as they came from one another."""
    timeline, tree = shown.timeline, shown.tree
    head = [
        titled(timeline),
        f"It begins <t:{int(tree.at.timestamp())}:f>{f' at {shown.point}' if shown.point else ''}."
        " Nothing in it ever happened, and no agent hears this thread.",
        f"{counted(len(shown.nodes), 'node')}, {shown.usd:.4f} of {timeline.usd_cap:.2f} {shown.coin}, "
        f"until <t:{int(timeline.expires_at.timestamp())}:D>.",
        *tree.not_unwound,
    ]
    if tree.usable:
        head.append(f"⚠️ {tree.usable}")
    lines = branches(shown.nodes)
    room = BOARD_CHARACTERS - sum(len(one) + 1 for one in head)
    kept: list[str] = []
    for line in reversed(lines):  # the newest are at hand
        room -= len(line) + 1
        if room < 0:
            kept.insert(0, "-# older nodes: /timeline show")
            break
        kept.insert(0, line)
    return "\n".join([*head, *kept])


def branches(nodes: Sequence[Node]) -> list[str]:
    """Give nodes line by line, each below the one it came from."""
    children: dict[int | None, list[Node]] = {}
    for node in nodes:
        children.setdefault(node.parent, []).append(node)
    alike = same_as(nodes)
    lines: list[str] = []
    waiting = [(one, 0) for one in reversed(children.get(None, []))]
    while waiting:
        node, indent = waiting.pop()
        lines.append(_line(node, indent, alike.get(node.id, "")))
        below = children.get(node.id, [])
        step = indent + 1 if len(below) > 1 else indent  # a line of single children is not drawn ever deeper
        waiting += [(one, step) for one in reversed(below)]
    return lines


def _line(node: Node, indent: int, alike: str) -> str:
    edge = EDGES[node.edge]
    turns = f", {counted(node.turns, 'turn')}" if node.turns else ""
    outcome = QUIET_TOLD if node.is_quiet else label(node.outcome)[:80]
    came = ": " + "; ".join(filter(None, (outcome, alike))) if outcome or alike else ""
    note = f" — {label(node.note)[:60]}" if node.note else ""
    return f"{'  ' * min(indent, 12)}{SIGNS[node.status]} **Node {node.id}** {edge}{turns}{came}{note}"


def board_view(shown: Shown) -> discord.ui.View:
    """Give the select of nodes, and the buttons for the whole tree."""
    view = discord.ui.View(timeout=None)
    view.add_item(NodeSelect.drawn(shown.timeline.id, _options(shown.nodes, 0)))
    if len(shown.nodes) > MOST_OPTIONS:
        view.add_item(NodesButton(shown.timeline.id, 1))
    tree = f"tree={shown.timeline.id}"
    if leaves(shown.nodes):
        view.add_item(UseButton(Again("timeline frontier", (tree,)), label="Frontier"))
    view.add_item(UseButton(Again("timeline show", (tree,)), label="All nodes"))
    view.add_item(UseButton(Again("timeline budget", (tree,)), label="Budget"))
    view.stop()
    return view


def _options(nodes: Sequence[Node], page: int) -> list[discord.SelectOption]:
    """Give a page of nodes to choose from, the newest first."""
    some = list(reversed(nodes))[page * MOST_OPTIONS : (page + 1) * MOST_OPTIONS]
    return [
        discord.SelectOption(
            label=f"Node {one.id}", value=str(one.id), description=_about(one), emoji=SIGNS[one.status]
        )
        for one in some
    ]


def _about(node: Node) -> str:
    came = f": {node.outcome}" if node.outcome else ""
    parent = f" after {node.parent}" if node.parent is not None else ""
    return f"{EDGES[node.edge]}{parent}, {node.status}{came}"[:100]


async def may_look(interaction: Interaction, timeline: Timeline) -> bool:
    """Tell whether somebody manages, or can read now all rooms that a tree goes on from, where that is enough."""
    client, guild_id = interaction.client, Snowflake(interaction.guild_id or 0)
    if client.person(interaction.user).is_architect:
        return True
    rooms = await client.desk.timelines.rooms_to_read(timeline)
    places = [await client.desk.rooms.place(guild_id, id_) for id_ in rooms]
    return bool(places) and all(one is not None and may_read(interaction, one.channel_id) for one in places)


def node_view(tree_id: int, node: Node, siblings: Sequence[Node], *, manages: bool = True) -> discord.ui.View:
    """Give what can be done with one node; who does not manage reads it."""
    view = discord.ui.View(timeout=None)
    given = (f"tree={tree_id}", f"node={node.id}")

    def add(what: str, text: str, *more: str) -> None:
        view.add_item(UseButton(Again(f"timeline {what}", (*given, *more)), label=text))

    if not manages:
        add("read", "Read")
        return view
    if node.status is Status.DONE:
        if not node.is_quiet:
            add("advance", "Advance")
            add("multi", "×3")
            add("chain", "Chain of 3", "turns=3")
        view.add_item(ChangeButton(tree_id, node.id))
        for what, text, more in _looks(node, siblings):
            add(what, text, *more)
    if not node.status.is_over:
        add("stop", "Stop")
    if node.parent is not None:
        add("delete", "Delete")
    return view


def _looks(node: Node, siblings: Sequence[Node]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Give what may be looked at of a finished node, and taken over: the command, its button, and what is given."""
    yield "read", "Read", ()
    if node.turns:
        yield "read", Sentence("What agents saw"), ("beats=True",)
    if node.parent is not None:
        yield "rerun", "Run again", ()
    other = next((one for one in siblings if one.id != node.id and one.digest), None)
    if other is not None:
        yield "compare", f"Compare with {other.id}", (f"other={other.id}",)
    yield "compare", "Compare children", ()
    if node.parent is not None:
        yield "merge", "Merge", ()


def beat_told(told: Mapping[str, Json], names: Mapping[AgentId, str], rooms: Mapping[AgentId, Room]) -> str:
    """Word a beat of a node on one line, as an event tells it; rooms are the live ones, to which it links."""
    who = label(names.get(AgentId(int(str(told["agent"]))), f"agent {told['agent']}"))
    did = told["did"]
    done = " ".join(str(for_managers(str(one), rooms)) for one in did) if isinstance(did, list) else ""
    at = str(told["at"])[11:19]
    return f"`{told['id']}` {at} **{who}**: {_short(str(told['failed'] or done) or '–')}"


def merge_line(item: Item, names: Mapping[AgentId, str]) -> str:
    """Word what may be taken over: what it is in the node, live, and at the fork."""
    who = label(names.get(item.agent_id, "an agent"))
    if item.message is not None:
        return f"a quotation in {who}'s room: {_short(item.node)}"
    now = "" if item.live is None else f" in place of {_short(item.live)}"
    since = f", which changed since (it was {_short(item.fork)})" if item.is_changed else ""
    beside = "" if item.side == 0 else f", beside {label(names.get(AgentId(item.side), 'a private'))}'s room"
    name = "" if item.name == item.node else f" `{honest(item.name)[:80]}`:"
    return f"**{who}** {item.what}{name} {_short(item.node)}{now}{since}{beside}"


def _short(value: Json) -> str:
    text = " ".join(str(value).split())
    return honest(text if len(text) <= SHOWN_VALUE else f"{text[: SHOWN_VALUE - 1]}…")


def merge_view(tree_id: int, node_id: int, items: Sequence[Item], names: Mapping[AgentId, str]) -> discord.ui.View:
    """Give the select of what may be taken over."""
    view = discord.ui.View(timeout=None)
    options = [
        discord.SelectOption(
            label=f"{names.get(one.agent_id, 'an agent')}: {one.what} {one.name}"[:100],
            value=one.mark,
            description=f"{'changed since the fork; ' if one.is_changed else ''}{_short(one.node)}"[:100],
        )
        for one in {one.mark: one for one in items[: 2 * MOST_OPTIONS]}.values()
    ]
    view.add_item(MergeSelect.drawn(tree_id, node_id, options[:MOST_OPTIONS]))
    view.stop()
    return view


def _values(interaction: Interaction) -> list[str]:
    """Give what was chosen from a select."""
    data: Mapping[str, object] = {**interaction.data} if interaction.data else {}
    values = data.get("values")
    return [str(one) for one in values] if isinstance(values, list) else []


class MergeSelect(Lasting, template=r"merge:(?P<tree>\d+):(?P<node>\d+)"):
    """Chooses what is taken over from a node; the command asks whether it is meant."""

    def __init__(self, item: discord.ui.Item[discord.ui.View], tree_id: int, node_id: int) -> None:
        super().__init__(item)  # type: ignore[arg-type]  # a select is pressed as a button is
        self.tree_id = tree_id
        self.node_id = node_id

    @classmethod
    def drawn(cls, tree_id: int, node_id: int, options: list[discord.SelectOption]) -> Self:
        """Give the select as Discord shows it."""
        select: discord.ui.Select[discord.ui.View] = discord.ui.Select(
            custom_id=f"merge:{tree_id}:{node_id}",
            options=options,
            placeholder="Choose what comes into real life",
            max_values=min(MOST_AT_ONCE, len(options)),
        )
        return cls(select, tree_id, node_id)

    @classmethod
    async def from_custom_id(  # type: ignore[override]
        cls, interaction: Interaction, item: discord.ui.Item[discord.ui.View], match: re.Match[str], /
    ) -> Self:
        """Read the select again, whoever sent it and whenever."""
        return cls(item, int(match["tree"]), int(match["node"]))

    async def pressed(self, interaction: Interaction) -> None:
        """Use the command for what was chosen."""
        given = (f"node={self.node_id}", f"what={'+'.join(_values(interaction))}", f"tree={self.tree_id}")
        await Again("timeline merge", given).run(interaction)


class NodeSelect(Lasting, template=r"tree:(?P<tree>\d+)"):
    """Chooses a node of a tree: whoever does is shown alone what can be done with it."""

    def __init__(self, item: discord.ui.Item[discord.ui.View], tree_id: int) -> None:
        super().__init__(item)  # type: ignore[arg-type]  # a select is pressed as a button is
        self.tree_id = tree_id

    @classmethod
    def drawn(cls, tree_id: int, options: list[discord.SelectOption]) -> Self:
        """Give the select as Discord shows it."""
        select: discord.ui.Select[discord.ui.View] = discord.ui.Select(
            custom_id=f"tree:{tree_id}", options=options, placeholder="Choose a node"
        )
        return cls(select, tree_id)

    @classmethod
    async def from_custom_id(  # type: ignore[override]
        cls, interaction: Interaction, item: discord.ui.Item[discord.ui.View], match: re.Match[str], /
    ) -> Self:
        """Read the select again, whoever sent it and whenever."""
        return cls(item, int(match["tree"]))

    async def pressed(self, interaction: Interaction) -> None:
        """Show what can be done with the node."""
        shown = await _looked_into(interaction, self.tree_id)
        chosen = int((_values(interaction) or ["0"])[0])
        who = interaction.client.person(interaction.user)
        node = next((one for one in shown.nodes if one.id == chosen), None)
        if node is None:
            raise no_node(chosen)
        siblings = [one for one in shown.nodes if one.parent == node.parent]
        view = node_view(self.tree_id, node, siblings, manages=who.is_architect)
        await interaction.followup.send(
            _line(node, 0, same_as(shown.nodes).get(node.id, "")), view=view, ephemeral=True
        )


class NodesButton(Lasting, template=r"nodes:(?P<tree>\d+):(?P<page>\d+)"):
    """Shows whoever presses the nodes that a board has no place for, a page at a time."""

    def __init__(self, tree_id: int, page: int) -> None:
        super().__init__(discord.ui.Button(label=Sentence("Older nodes"), custom_id=f"nodes:{tree_id}:{page}"))
        self.place = (tree_id, page)

    @classmethod
    def read(cls, item: Pressed, match: re.Match[str]) -> "NodesButton":
        return cls(int(match["tree"]), int(match["page"]))

    async def pressed(self, interaction: Interaction) -> None:
        """Show a page, to who may look into the tree."""
        tree_id, page = self.place
        shown = await _looked_into(interaction, tree_id)
        options = _options(shown.nodes, page)
        if not options:
            raise NotFound(Sentence("There are no older nodes any more."))
        view = discord.ui.View(timeout=None)
        view.add_item(NodeSelect.drawn(tree_id, options))
        if len(shown.nodes) > (page + 1) * MOST_OPTIONS:
            view.add_item(NodesButton(tree_id, page + 1))
        view.stop()
        await interaction.followup.send(titled(shown.timeline), view=view, ephemeral=True)


async def _looked_into(interaction: Interaction, tree_id: int) -> Shown:
    """Give a tree to who may look into it, once the press is answered."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    client = interaction.client
    who, guild_id = client.person(interaction.user), Snowflake(interaction.guild_id or 0)
    timeline = await client.desk.timelines.find(guild_id, tree_id, None, who=who.id)
    if not await may_look(interaction, timeline):
        raise Rejected(NOT_ALL_ROOMS)
    return await client.desk.timelines.shown(timeline)
