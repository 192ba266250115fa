"""Actions on what an agent carries: knowledge, focus, and looking back."""

from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, Field

from bot.core.actions.definition import Action, Category, Need, People, define
from bot.core.actions.fields import (
    LONGEST_LINE,
    Anything,
    ChangeRef,
    Count,
    Line,
    MessageRef,
    Number,
    Path,
    Point,
    RoomRef,
    SummaryRef,
    as_text,
)
from bot.core.feelings import Felt
from bot.core.plan import PlanPart

FocusSection = Literal[
    "currentTask", "keyDecisions", "activeFiles", "notes", "blockers", "nextSteps", "compactedContext"
]
Named = Annotated[Line, BeforeValidator(as_text)]  # a number or a text
Feels = Annotated[Felt, BeforeValidator(lambda value: str(value).strip().lower())]


@define(
    Category.KNOWLEDGE,
    "Keep a value at a dot path.",
    hint='dot path, e.g. people."Ann Lee".trust; w: weight 0-1',
    also=("knowledge_set", "set_knowledge", "remember", "memory_set", "update_self_concept"),
)
class Set(Action):
    type: Literal["set"] = "set"
    path: Path
    value: Anything
    w: Annotated[Number, Field(ge=0, le=1)] | None = None


@define(
    Category.KNOWLEDGE,
    "Add a value to the list at a dot path.",
    hint="to a list",
    also=("knowledge_append", "append_knowledge"),
)
class Append(Action):
    type: Literal["append"] = "append"
    path: Path
    value: Anything


@define(
    Category.KNOWLEDGE,
    "Forget what is at a dot path.",
    also=("knowledge_delete", "delete_knowledge", "forget", "remove"),
)
class Delete(Action):
    type: Literal["delete"] = "delete"
    path: Path


@define(
    Category.KNOWLEDGE,
    "Read what is at a dot path in full, in the next HUD's lookups.",
    hint="shown in lookups",
    also=("knowledge_get", "get_knowledge"),
    people=People.NOBODY,
)
class Get(Action):
    type: Literal["get"] = "get"
    path: Path


@define(Category.KNOWLEDGE, "Undo a change of knowledge: the newest, or one of its history.", for_agents=False)
class UndoKnowledge(Action):
    type: Literal["undo_knowledge"] = "undo_knowledge"
    entry_id: ChangeRef | None = None


@define(Category.FOCUS, "Show the whole focus, or one section, in lookups.", hint="shown in lookups")
class Hud(Action):
    type: Literal["hud"] = "hud"
    section: Literal[FocusSection, PlanPart] | None = None


@define(Category.FOCUS, "Replace a section of the focus.", hint="replaces; a list where the section is one")
class HudUpdate(Action):
    type: Literal["hud_update"] = "hud_update"
    section: FocusSection
    value: Anything


@define(Category.FOCUS, "Add a note to the focus.", also=("note",))
class HudNote(Action):
    type: Literal["hud_note"] = "hud_note"
    text: Line


@define(Category.FOCUS, "Add a decision to the focus.", also=("decision",))
class HudDecision(Action):
    type: Literal["hud_decision"] = "hud_decision"
    text: Line


@define(Category.FOCUS, "Add a file, link or message to the focus, or remove it.", hint="action: add|remove")
class HudFile(Action):
    type: Literal["hud_file"] = "hud_file"
    text: Line
    action: Literal["add", "remove"] = "add"


@define(Category.FOCUS, "Add a blocker to the focus, or remove it.", hint="add|remove")
class HudBlocker(Action):
    type: Literal["hud_blocker"] = "hud_blocker"
    text: Line
    action: Literal["add", "remove"] = "add"


@define(Category.FOCUS, "Add a next step to the focus, or tick it off.", hint="add|done")
class HudStep(Action):
    type: Literal["hud_step"] = "hud_step"
    text: Line
    action: Literal["add", "done"] = "add"


@define(Category.FOCUS, "Clear the focus, or one section of it.")
class HudClear(Action):
    type: Literal["hud_clear"] = "hud_clear"
    section: FocusSection | None = None


@define(
    Category.FOCUS,
    "Add a goal to the plan, make one the current one, tick it off or drop it.",
    hint="add|current|done|drop; what you are after for longer, named by its number",
    also=("set_goal", "add_goal"),
)
class PlanGoal(Action):
    type: Literal["plan_goal"] = "plan_goal"
    text: Named
    action: Literal["add", "current", "done", "drop"] = "add"


@define(
    Category.FOCUS,
    "Add a milestone to the plan, tick it off or drop it.",
    hint="add|done|drop",
    also=("set_milestone", "add_milestone"),
)
class PlanMilestone(Action):
    type: Literal["plan_milestone"] = "plan_milestone"
    text: Named
    action: Literal["add", "done", "drop"] = "add"


@define(Category.FOCUS, "Say how the goals are to be reached; an empty text takes that back.", also=("set_strategy",))
class PlanStrategy(Action):
    type: Literal["plan_strategy"] = "plan_strategy"
    text: Annotated[str, Field(max_length=LONGEST_LINE)]


@define(Category.FOCUS, "Write a part of the plan anew, line by line.", for_agents=False)
class SetPlan(Action):
    type: Literal["set_plan"] = "set_plan"
    part: PlanPart
    lines: tuple[Line, ...]


@define(Category.FOCUS, "Clear the plan, or a part of it.", for_agents=False)
class ClearPlan(Action):
    type: Literal["clear_plan"] = "clear_plan"
    part: PlanPart | None = None


@define(Category.FOCUS, "Undo a change of the plan: the newest, or one of those shown.", for_agents=False)
class UndoPlan(Action):
    type: Literal["undo_plan"] = "undo_plan"
    entry_id: ChangeRef | None = None


@define(
    Category.FOCUS,
    "Note what one feels, for oneself alone, where the setting `emotions` allows it.",
    hint=f"for yourself alone: {'|'.join(get_args(Felt))}",
    felt=True,
    people=People.NOBODY,
)
class Feel(Action):
    type: Literal["feel"] = "feel"
    emotion: Feels
    why: Annotated[str, Field(max_length=LONGEST_LINE)] = ""


@define(
    Category.MEMORY,
    "Search the rooms one is in; the findings stand in the next HUD's lookups.",
    Need.MEMBER,
    hint="search your rooms; answers of this group come in lookups",
    also=("search", "search_history"),
    people=People.NOBODY,
)
class Recall(Action):
    type: Literal["recall"] = "recall"
    query: Line
    room_id: RoomRef | None = None
    limit: Count | None = None


@define(
    Category.MEMORY,
    "Read a room's messages before a message.",
    Need.MEMBER,
    hint="before: a message id",
    also=("history",),
    people=People.NOBODY,
)
class ReadHistory(Action):
    type: Literal["read_history"] = "read_history"
    room_id: RoomRef
    before: Point | None = None
    limit: Count | None = None


@define(
    Category.MEMORY,
    "Show the actions of a category in the next HUD, to an agent that is not shown all.",
    hint="shows other actions: timing (sleep, schedule), room, access, identity, focus, messaging …",
    listed=False,
    people=People.NOBODY,
)
class More(Action):
    type: Literal["more"] = "more"
    category: Category


@define(Category.MEMORY, "Read one message in full.", Need.MESSAGE, people=People.NOBODY)
class ReadMessage(Action):
    type: Literal["read_message"] = "read_message"
    id: MessageRef


@define(
    Category.MEMORY,
    "List a room's summaries, or read one.",
    Need.MEMBER,
    hint="a room's summaries",
    people=People.NOBODY,
)
class Checkpoints(Action):
    type: Literal["checkpoints"] = "checkpoints"
    room_id: RoomRef
    id: SummaryRef | None = None


@define(
    Category.MEMORY, "Have a room summarised now.", Need.MEMBER, hint="have it summarised; first keep what must stay"
)
class Compact(Action):
    type: Literal["compact"] = "compact"
    room_id: RoomRef
