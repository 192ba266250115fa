"""What of a world that never was may be taken over into life: paths, plans, notes and quotations, one by one.

Memberships, keys, settings, votes and where scenes stand are no part of it, and neither is what is gone in the world.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from bot.core import knowledge, plan
from bot.core.actions import Action, Append, HudDecision, HudNote, PlanGoal, PlanMilestone, PlanStrategy, Set
from bot.core.actions.fields import LONGEST_PATH
from bot.core.errors import NotFound, Rejected
from bot.core.hud.knowledge import leaves, segment
from bot.core.plan import PlanList
from bot.core.records import AgentId, Json, Message, MessageId, Mind, Plan, PlanItem, Side, Snowflake
from bot.core.sentences import Sentence
from bot.core.timelines.records import NodeId, TreeId

MARK_CHARACTERS = 6
MOST_AT_ONCE = 5
MOST_TAKEN = 500  # things: nobody else writes meanwhile
ALL = "all"
OTHERWISE = Sentence("That is not there any more, or was changed meanwhile: look again with /timeline merge.")


class What(StrEnum):
    """What of a world is taken over."""

    KNOWLEDGE = "knowledge"
    GOAL = "goal"
    MILESTONE = "milestone"
    STRATEGY = "strategy"
    NOTE = "note"
    DECISION = "decision"
    MESSAGE = "message"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing that may be taken over: as it was at the fork, is live, and is in the node; None is not there.

    `name`: a path, or the text itself. Of a message `agent_id` is its room's, and it is quoted.
    """

    what: What
    agent_id: AgentId
    side: Side
    name: str
    node: Json
    fork: Json = None
    live: Json = None
    actions: tuple[Action, ...] = ()
    message: Message | None = None

    @property
    def is_changed(self) -> bool:
        """Whether live changed since the fork: then it stays unless this is chosen."""
        return self.live != self.fork

    @property
    def mark(self) -> str:
        """By what it is chosen: another once anything of it is otherwise."""
        told = [self.what, self.agent_id, self.side, self.name, self.live, self.node]
        if self.message is not None:
            told.append(self.message.id)
        return sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:MARK_CHARACTERS]

    @property
    def words(self) -> str:
        """All text in it."""
        return json.dumps([self.name, self.node], ensure_ascii=False)


def origin_of(tree_id: TreeId, node_id: NodeId) -> str:
    """Give the name under which a world stands in logs of life."""
    return f"what-if {tree_id}/{node_id}"


Minds = Mapping[tuple[AgentId, Side], Mind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What the agents of a node carry, and carried at the fork; what was said since, and which people had a part in it.

    `people`: by id, as they were called there.
    """

    fork: Minds
    node: Minds
    said: Sequence[Message]
    people: Mapping[Snowflake, str]


def offered(fork: Minds, live: Minds, node: Minds) -> list[Item]:
    """Give what is in the minds of a world, neither as at the fork nor as it is live, of agents that are in both."""
    found: list[Item] = []
    for at, mind in sorted(node.items(), key=lambda one: one[0]):
        if mind.side < 0:  # of a closed scene
            continue
        nothing = Mind(agent_id=mind.agent_id, side=mind.side)
        was, now = fork.get(at, nothing), live.get(at, nothing)
        found += _known(was, now, mind)
        found += _planned(was, now, mind)
        for what, kind, section in ((What.NOTE, HudNote, "notes"), (What.DECISION, HudDecision, "key_decisions")):
            before = {*getattr(was.focus, section), *getattr(now.focus, section)}
            found += [
                _item(what, mind, text, text, actions=(kind(text=text),))
                for text in getattr(mind.focus, section)
                if text not in before
            ]
    return found


def quotable(said: Sequence[Message]) -> list[Item]:
    """Give what was said in a world and may be quoted, the newest first."""
    return [
        Item(
            what=What.MESSAGE,
            agent_id=one.room_id,
            side=Side(0),
            name=one.content,
            node=one.content,
            message=one,
        )
        for one in reversed(said)
        if one.content.strip() and one.scene_id is None
    ]


def quoted_already(origin: str, message_id: MessageId) -> str:
    """Give what stands in the audit of a message that was quoted."""
    return f"Message {message_id} of {origin} was quoted."


def chosen(items: Sequence[Item], what: str) -> list[Item]:
    """Give the items that somebody means: by marks with + between, a name, or all that live did not change.

    Raises NotFound, or Rejected where several are meant by one name.
    """
    if what == ALL:
        found = [one for one in items if one.message is None and not one.is_changed]
        if not found:
            raise NotFound(Sentence("There is nothing that can be taken over without being chosen."))
        if len(found) > MOST_TAKEN:
            raise Rejected(
                Sentence(
                    "That is {found:,} things, of {most_taken} at most: name an agent, or choose some.",
                    found=len(found),
                    most_taken=MOST_TAKEN,
                )
            )
        return found
    marks = what.split("+")
    by_mark = [one for one in items if one.mark in marks]
    if len(by_mark) == len(marks):
        return by_mark
    named = [one for one in items if one.name.casefold() == what.strip().casefold()]
    if len(named) > 1:
        raise Rejected(Sentence("Several are called that: choose from the list of /timeline merge."))
    if not named:
        raise NotFound(OTHERWISE)
    return named


def _item(what: What, mind: Mind, name: str, node: Json, **more: object) -> Item:
    return Item(what=what, agent_id=mind.agent_id, side=mind.side, name=name, node=node, **more)  # type: ignore[arg-type]


def _known(fork: Mind, live: Mind, node: Mind) -> Iterator[Item]:
    seen = set[tuple[str, ...]]()
    for leaf in leaves(node.knowledge):
        keys = _highest_new(live, leaf.keys)
        if keys in seen:
            continue
        seen.add(keys)
        was, now, there = (_at(one.knowledge, keys) for one in (fork, live, node))
        if there not in (was, now) and (path := _path(keys)) and (actions := _writing(path, was, now, there)):
            yield _item(What.KNOWLEDGE, node, path, there, fork=was, live=now, actions=actions)


def _highest_new(live: Mind, keys: tuple[str, ...]) -> tuple[str, ...]:
    """Give the keys of a leaf, or of the highest object above it that is not there live: it comes, and goes, whole."""
    found: object = live.knowledge
    for depth, key in enumerate(keys, 1):
        if not isinstance(found, Mapping) or key not in found:
            return keys[:depth]
        found = found[key]
    return keys


def _at(whole: Mapping[str, Json], keys: Sequence[str]) -> Json:
    found: Json = whole.get(keys[0])
    for key in keys[1:]:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _path(keys: tuple[str, ...]) -> str:
    """Give keys as a path; empty where none leads there, for its length or what nobody sees in it."""
    path = ".".join(map(segment, keys))
    try:
        return path if len(path) <= LONGEST_PATH and knowledge.parse_path(path) == keys else ""
    except Rejected:
        return ""


def _writing(path: str, was: Json, now: Json, there: Json) -> tuple[Action, ...]:
    """Give the action that writes a value: what only grew at its end grows here, too."""
    if isinstance(was, list) and isinstance(now, list) and isinstance(there, list) and there[: len(was)] == was:
        known = {_same(one) for one in now}
        new = [one for one in there[len(was) :] if _same(one) not in known]
        if len(new) > 1:  # one line of history, however many there are
            return (Set(path=path, value=[*now, *new]),)
        return tuple(Append(path=path, value=one) for one in new)
    return (Set(path=path, value=there),)


def _same(value: Json) -> str:
    return json.dumps(value, sort_keys=True)


def _planned(fork: Mind, live: Mind, node: Mind) -> Iterator[Item]:
    plans = fork.focus.plan, live.focus.plan, node.focus.plan
    parts: tuple[tuple[What, PlanList, type[PlanGoal] | type[PlanMilestone]], ...] = (
        (What.GOAL, "goals", PlanGoal),
        (What.MILESTONE, "milestones", PlanMilestone),
    )
    for what, part, kind in parts:
        for item in plan.items_of(node.focus.plan, part):
            was, now, there = (_state(one, part, item) for one in plans)
            if there in (was, now):
                continue
            steps = [kind(text=item.text)] if now is None else []
            steps += [kind(text=item.text, action="done")] if item.done else []
            yield _item(what, node, item.text, there, fork=was, live=now, actions=tuple(steps))
    was, now, there = (one.strategy or None for one in plans)
    if there is not None and there not in (was, now):
        yield _item(What.STRATEGY, node, there, there, fork=was, live=now, actions=(PlanStrategy(text=there),))


def _state(held: Plan, part: PlanList, item: PlanItem) -> str | None:
    found = next((one for one in plan.items_of(held, part) if one.text == item.text), None)
    return None if found is None else "done" if found.done else "open"
