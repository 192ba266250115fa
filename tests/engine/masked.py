"""Every place where a closed scene might show while it goes on, and what it does (tests.engine.test_masks)."""

from dataclasses import dataclass
from enum import StrEnum


class Mask(StrEnum):
    """What a surface does."""

    REFUSED = "refused"  # to people who sit there, managers included
    SHUT = "shut"  # to everybody
    SAME = "same"  # every seat looks the same there
    PUBLIC = "public"  # it has what everybody sees, and nothing else
    ABSENT = "absent"  # nothing of it ever gets there


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """A place where something might show; `until`: whether it opens once the scene is over."""

    name: str
    mask: Mask
    what: str
    until: bool = True


SURFACES = (
    Surface(name="hud", mask=Mask.REFUSED, what="/hud show: what an agent would see now"),
    Surface(name="knowledge", mask=Mask.REFUSED, what="/knowledge, and its history"),
    Surface(name="focus", mask=Mask.REFUSED, what="/focus"),
    Surface(name="plan", mask=Mask.REFUSED, what="/plan"),
    Surface(name="card", mask=Mask.REFUSED, what="/agent export: a card with what it knows"),
    Surface(name="drawer", mask=Mask.REFUSED, what="the head beside the playground's chat"),
    Surface(name="timeline", mask=Mask.REFUSED, what="/timeline: how it might go on, and who was what"),
    Surface(name="replay", mask=Mask.REFUSED, what="/scene replay: how many moves were made"),
    Surface(name="archive", mask=Mask.REFUSED, what="the whole community as a file"),
    Surface(name="console", mask=Mask.REFUSED, what="the console's pages of an agent, its beats, and all at a glance"),
    Surface(name="live", mask=Mask.ABSENT, what="what the console tells as it happens"),
    Surface(name="hud history", mask=Mask.SHUT, what="/hud history: beats, with HUD, thoughts and answer"),
    Surface(name="hud behind a message", mask=Mask.SHUT, what="Show the HUD behind this"),
    Surface(name="heartbeat status", mask=Mask.SAME, what="/heartbeat status: what everyone waits for"),
    Surface(name="agent card", mask=Mask.SAME, what="/agent show and list: pace, last and next beat"),
    Surface(name="metrics", mask=Mask.SAME, what="/metrics: what is told of each agent"),
    Surface(name="page", mask=Mask.SAME, what="the playground's list of agents, over REST"),
    Surface(name="usage", mask=Mask.SAME, what="/usage by: the scene's cost stands under its number"),
    Surface(name="tally", mask=Mask.SAME, what="beats of the last day, added up"),
    Surface(name="typing", mask=Mask.ABSENT, what="who types: nobody does because of a turn", until=False),
    Surface(name="board", mask=Mask.PUBLIC, what="the board, its picture, and the ids of its buttons", until=False),
    Surface(name="thread", mask=Mask.PUBLIC, what="what is posted in the thread, and the letters it comes in"),
    Surface(name="commentary", mask=Mask.PUBLIC, what="what an agent is shown that watches and comments"),
    Surface(name="asides", mask=Mask.ABSENT, what="what is told at once to who watches: nothing where a person sits"),
    Surface(name="history", mask=Mask.PUBLIC, what="/scene show, results, and the transcript"),
    Surface(name="messages", mask=Mask.PUBLIC, what="what is kept as said"),
    Surface(name="search", mask=Mask.ABSENT, what="/search", until=False),
    Surface(name="rooms", mask=Mask.ABSENT, what="windows of rooms, recall, read_history, summaries", until=False),
    Surface(name="public mind", mask=Mask.ABSENT, what="what an agent knows elsewhere"),
    Surface(name="audit", mask=Mask.ABSENT, what="/audit, and the log of actions", until=False),
    Surface(name="logs", mask=Mask.ABSENT, what="the program's logs: kind, step and seat", until=False),
    Surface(name="counters", mask=Mask.ABSENT, what="/metrics: what is counted of moves", until=False),
    Surface(name="model metrics", mask=Mask.SAME, what="/metrics: calls, tokens, USD and seconds of each model"),
    Surface(name="runs", mask=Mask.ABSENT, what="the console's pages of runs, and what `selfroom sim` plays"),
    Surface(name="export", mask=Mask.PUBLIC, what="what a person gets of their own, beside what their own seat said"),
)
