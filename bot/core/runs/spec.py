"""What a run is made of: its agents, the scene they play, what happens to them, and how long and for how much."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Final, Self

from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    FailFast,
    Field,
    JsonValue,
    StringConstraints,
    model_validator,
)

from bot.core.config import CommunityConfig
from bot.core.kinds import AgentType
from bot.core.models import Source
from bot.core.scenes.kind import Ordering, SceneKind
from bot.core.scenes.registry import KINDS
from bot.core.templates import TEMPLATES
from bot.core.wording import counted

STAND_IN: Final = "stand-in"  # the scripted mind, in place of a model's name
MOST_AGENTS: Final = 50
MOST_TURNS: Final = 5_000
MOST_EVENTS: Final = 100
LONGEST_EVENT: Final = 2_000
EARLIEST, LATEST = datetime(1970, 1, 2, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)  # what lies around can be counted
MONEY_AND_PLACES: Final = frozenset(
    {
        *("usd_per_day", "tokens_per_day", "scene_usd", "model", "allowed_models", "moderation_model"),
        *("architect_role_id", "category_id", "managers_channel_id", "synced_commands", "listened_bots"),
        "proxies",
    }
)
"""What a run has no use for, or says itself: nobody is there who could manage it, and its money is its budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Further:
    """How a kept run is to go on: from which snapshot, how long, and with what that is said first."""

    at: str = ""
    turns: int = 10
    seed: int | None = None
    budget: float | None = None  # USD in all, in place of the run's
    said: str = ""
    by: str = ""


Whole = Annotated[int, Field(strict=True)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
ModelName = Annotated[Text, Field(max_length=200)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RunAgent(_Part):
    """One agent: by hand (`name` and `prompt`), from a template, or from a character card."""

    name: Annotated[Text, Field(max_length=200)] | None = None
    prompt: Text | None = None
    template: str | None = Field(default=None, max_length=100)
    card: Text | None = None  # a file beside the run's own
    type: AgentType | None = None
    model: ModelName | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    token_budget: Whole | None = Field(default=None, ge=4_000, le=200_000)
    interval: float | None = Field(default=None, ge=1, le=10)
    knows: Mapping[str, JsonValue] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _is_somebody(self) -> Self:
        given = [name for name in ("prompt", "template", "card") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError("an agent needs one of `prompt` (with a `name`), `template` and `card`")
        if self.prompt is not None and self.name is None:
            raise ValueError("an agent with a `prompt` needs a `name`")
        if self.template is not None and self.template not in TEMPLATES:
            raise ValueError(f"there is no template {self.template!r}: choose one of {', '.join(TEMPLATES)}")
        return self


class RunScene(_Part):
    """The scene that is played: all agents sit in it, in the order of the file."""

    kind: str = Field(max_length=60)
    preset: str = Field(default="", max_length=100)
    title: str = Field(default="", max_length=100)
    ordering: Ordering | None = None
    options: Mapping[str, JsonValue] = Field(default_factory=dict)

    @property
    def played(self) -> SceneKind:
        """The kind, by its rules."""
        return KINDS[self.kind]

    @property
    def chosen(self) -> dict[str, JsonValue]:
        """The options as they are given: those of the preset, and what is said on top of them."""
        preset = next((one for one in self.played.presets if one.name == self.preset), None)
        given: dict[str, JsonValue] = dict(preset.options) if preset is not None else {}
        given |= self.options
        return given | ({"ordering": self.ordering.value} if self.ordering is not None else {})

    @model_validator(mode="after")
    def _is_played(self) -> Self:
        if self.kind not in KINDS:
            raise ValueError(f"there is no scene {self.kind!r}: choose one of {', '.join(KINDS)}")
        presets = [one.name for one in self.played.presets]
        if self.preset and self.preset not in presets:
            raise ValueError(f"there is no preset {self.preset!r} of {self.kind}: choose one of {', '.join(presets)}")
        ordering = self.chosen.get("ordering")
        fitting = [one.value for one in self.played.orderings if one is not Ordering.CONTROLLED]
        if ordering == Ordering.CONTROLLED:
            raise ValueError(
                f"in a run nobody is there to choose who is next: order {self.kind} by one of {', '.join(fitting)}"
            )
        if ordering is not None and ordering not in fitting:
            raise ValueError(f"{self.kind} is not ordered by {ordering}: choose one of {', '.join(fitting)}")
        return self


class RunEvent(_Part):
    """Something that is said in a room once so many turns were played, or sooner where nobody has anything to do.

    `by`: a visitor, by name; empty: System. `room`: whose; empty: that in which everybody is.
    """

    turn: Whole = Field(default=0, ge=0, le=MOST_TURNS)
    text: Annotated[Text, Field(max_length=LONGEST_EVENT)]
    by: Annotated[str, StringConstraints(pattern=r"^[\w .-]{0,32}$")] = ""
    room: str = Field(default="", max_length=200)


class RunSpec(_Part):
    """One run. `every`: after how many turns (or minutes) its world is kept, to go on from there."""

    title: Annotated[Text, Field(max_length=100)] = "A run"
    turns: Whole | None = Field(default=None, ge=1, le=MOST_TURNS)
    minutes: float | None = Field(default=None, gt=0, le=100_000)
    seed: Whole = Field(default=1, ge=0, lt=2**63)
    model: ModelName = STAND_IN
    budget: Decimal = Field(default=Decimal("1.00"), gt=0, le=1_000)
    every: Whole = Field(default=10, ge=1, le=1_000)
    starts: AwareDatetime = Field(default=datetime(2026, 1, 1, 9, tzinfo=UTC), ge=EARLIEST, lt=LATEST)
    agents: Annotated[tuple[RunAgent, ...], FailFast()] = Field(min_length=1, max_length=MOST_AGENTS)
    scene: RunScene | None = None
    events: Annotated[tuple[RunEvent, ...], FailFast()] = Field(default=(), max_length=MOST_EVENTS)
    settings: Mapping[str, JsonValue] = Field(default_factory=dict)

    @property
    def is_scripted(self) -> bool:
        """Whether the scripted mind answers, and no model is asked."""
        return self.model == STAND_IN

    def coin(self, of_models: str) -> str:
        """Name the money of a run; `of_models`: the one in which those are paid who are asked."""
        return Source(imaginary=True).coin if self.is_scripted else of_models

    @property
    def config(self) -> CommunityConfig:
        """What its community starts from: as any, but that agents may talk among themselves without end.

        Its money is not a day's: the run's budget is held by whoever asks the models.
        """
        return CommunityConfig(
            **({} if self.is_scripted else {"model": self.model}),
            usd_per_day=None,
            scene_usd=Decimal(100),
            banter=0,
            self_caused_per_hour=10_000,
            greets=False,
        )

    @property
    def models(self) -> tuple[str, ...]:
        """The models that its agents ask."""
        return tuple(dict.fromkeys([self.config.model, *(one.model for one in self.agents if one.model is not None)]))

    @model_validator(mode="after")
    def _can_be_played(self) -> Self:
        if self.turns is not None and self.minutes is not None:
            raise ValueError("give `turns` or `minutes`, not both")
        if self.is_scripted and any(one.model is not None for one in self.agents):
            raise ValueError("an agent has a `model`, and the run has none: name one at the top as well")
        if self.scene is None and not self.events:
            raise ValueError("nothing ever happens: add a [scene], or [[events]] with something that is said")
        if self.scene is not None:
            least, most = self.scene.played.seats
            if not least <= len(self.agents) <= most:
                there = counted(len(self.agents), "agent")
                raise ValueError(f"{self.scene.kind} is played by {least} to {most}, and the file has {there}")
        return self
