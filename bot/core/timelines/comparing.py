"""Two worlds side by side: what was said, known and done in each since the last one that both went on from."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from bot.core.records import AgentId, Json, Side
from bot.core.timelines.records import Node, NodeId
from bot.core.wording import counted

SHOWN_VALUE = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What is compared of a world: `said` since the common ancestor, by room, as (who, what); minds whole.

    `more_was_said`: maybe more was than `said` holds, which has the newest.
    """

    node: Node
    said: Mapping[str, Sequence[tuple[str, str]]]
    minds: Mapping[tuple[AgentId, Side], Mapping[str, Json]]
    names: Mapping[AgentId, str]
    more_was_said: bool = False
    members: frozenset[tuple[str, str]] = frozenset()  # (agent, room), by name
    scenes: Mapping[str, str] = field(default_factory=dict)  # outcome by title
    won_by: Mapping[str, str] = field(default_factory=dict)  # who won those that are over, by title
    moves: Mapping[str, Mapping[int, str]] = field(default_factory=dict)  # by title and step, since that ancestor
    votes: Sequence[str] = ()  # among the moves, what each was for
    reactions: Mapping[tuple[str, str], str] = field(default_factory=dict)  # by room and what they are to


def common(path: Sequence[NodeId], other: Sequence[NodeId]) -> NodeId:
    """Give the last node on both ways from the root."""
    shared = [one for one, two in zip(path, other, strict=False) if one == two]
    return shared[-1]


def flat(value: Json, path: str = "") -> dict[str, Json]:
    """Give the leaves of nested objects by their dot paths."""
    found: dict[str, Json] = {}
    _gather(value, path, found)
    return found


def _gather(value: Json, path: str, found: dict[str, Json]) -> None:
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            _gather(inner, f"{path}.{name}" if path else str(name), found)
    elif path and value != {}:
        found[path] = value


def compared(one: Sighting, two: Sighting, coin: str) -> tuple[str, list[str]]:
    """Give a header that counts the differences, and all of them line by line; `coin` names what they cost in."""
    a, b = one.node, two.node
    if a.digest and a.digest == b.digest:
        return "These worlds are the same.", []
    first, said, number = _said(one, two)
    minds = _minds(one, two)
    joined = [f"only in {a.id}: {who} in {room}" for who, room in sorted(one.members - two.members)]
    joined += [f"only in {b.id}: {who} in {room}" for who, room in sorted(two.members - one.members)]
    scenes = [
        f"{title}: {one.scenes.get(title, 'none')} → {two.scenes.get(title, 'none')}"
        for title in sorted({*one.scenes, *two.scenes})
        if one.scenes.get(title) != two.scenes.get(title)
    ]
    costs = [f"{node.usd:.4f} {coin} and {counted(node.tokens, 'token')}" for node in (a, b)]
    moves = [line for title in sorted({*one.moves, *two.moves}) for line in _moves(one, two, title)]
    reactions = [
        f"{room}, {said}: {one.reactions.get(at, 'none')} → {two.reactions.get(at, 'none')}"
        for at in sorted({*one.reactions, *two.reactions})
        for room, said in [at]
        if one.reactions.get(at) != two.reactions.get(at)
    ]
    counts = [
        (number, "line"),
        (len(minds), "path"),
        (len(joined), "membership"),
        (len(scenes), "scene"),
        (len(moves), "move"),
        (len(reactions), "reaction"),
    ]
    told = ", ".join(counted(many, word) for many, word in counts if many) or "nothing that is kept apart"
    header = f"Node {a.id} and node {b.id} differ in {told}. {' beside '.join(costs)}."
    parts = (
        ("Said", [*first, *said]),
        ("Known, planned, looked at", minds),
        ("Members", joined),
        ("Scenes", scenes),
        ("Moves and votes", moves),
        ("Reactions", reactions),
    )
    return header, [line for title, lines in parts if lines for line in ("", f"## {title}", *lines)]


def _said(one: Sighting, two: Sighting) -> tuple[list[str], list[str], int]:
    lines: list[str] = []
    first: list[str] = []
    differing = 0
    for room in sorted({*one.said, *two.said}):
        pairs = list(zip_longest(one.said.get(room, ()), two.said.get(room, ())))
        for number, (left, right) in enumerate(pairs, 1):
            if left == right:
                continue
            differing += 1
            first = first or [f"The first line that differs is line {number} in {room}."]
            lines.append(f"{room}, line {number}:")
            lines += [f"  {node.id}: {': '.join(said)}" for node, said in ((one.node, left), (two.node, right)) if said]
    return first, lines, differing


def _moves(one: Sighting, two: Sighting, title: str) -> list[str]:
    left, right = one.moves.get(title, {}), two.moves.get(title, {})
    return [
        f"{title}, step {step}: {left.get(step, 'none')} → {right.get(step, 'none')}"
        for step in sorted({*left, *right})
        if left.get(step) != right.get(step)
    ]


def _minds(one: Sighting, two: Sighting) -> list[str]:
    lines: list[str] = []
    for agent_id, side in sorted({*one.minds, *two.minds}):
        left, right = flat(dict(one.minds.get((agent_id, side), {}))), flat(dict(two.minds.get((agent_id, side), {})))
        name = one.names.get(agent_id) or two.names.get(agent_id, str(agent_id))
        for path in sorted({*left, *right}):
            if path not in right:
                lines.append(f"{name} `{path}`: only in {one.node.id}: {_shown(left[path])}")
            elif path not in left:
                lines.append(f"{name} `{path}`: only in {two.node.id}: {_shown(right[path])}")
            elif left[path] != right[path]:
                lines.append(f"{name} `{path}`: {_shown(left[path])} → {_shown(right[path])}")
    return lines


def _shown(value: Json) -> str:
    text = str(value)
    return text if len(text) <= SHOWN_VALUE else f"{text[:SHOWN_VALUE]}…"


def tabled(seen: Sequence[Sighting], coin: str) -> list[str]:
    """Give a table of worlds, one line each, and how often each outcome came."""
    lines = []
    outcomes: Counter[str] = Counter()
    for one in seen:
        ends = [(title, outcome) for title, outcome in sorted(one.scenes.items()) if outcome]
        went = one.node.outcome or "went on"
        came = "; ".join(f"{title}: {outcome}" for title, outcome in ends) or went
        outcomes["; ".join(f"{title}: {one.won_by.get(title) or outcome}" for title, outcome in ends) or went] += 1
        votes = "; ".join(f"{what} ×{many}" for what, many in Counter(one.votes).most_common())
        lines.append(
            f"**Node {one.node.id}**: {came}, {f'votes: {votes}, ' if votes else ''}"
            f"{'at least ' if one.more_was_said else ''}{counted(sum(map(len, one.said.values())), 'line')},"
            f" {counted(one.node.turns, 'turn')}, {one.node.usd:.4f} {coin}"
        )
    of = len(seen)
    return [*lines, *(f"{count} of {of}: {outcome}" for outcome, count in outcomes.most_common())]
