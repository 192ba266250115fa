"""What a community can set for itself, with the defaults."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from bot.core.errors import BadSetting
from bot.core.hud.prompts import check_prompts
from bot.core.kinds import Detail, InputFormat, OutputFormat
from bot.core.records import MOST_SPARES, Agent, Json, Snowflake

MOST_STEPS = 4  # further calls of one beat: a lease holds for so many
WARMEST = 2.0
LONGEST_VOICE_SECONDS = 1_200  # of a voice message that any community lets be heard
SCENE_AGENT_SECONDS, SCENE_PERSON_SECONDS = 90, 120  # of a turn, where the kind of scene does not say it
LEAN_TEMPERATURE = 0.3  # small models recall and obey more surely so (docs/models.md)


class Manner(BaseModel):
    """How one model is asked, as a trial found it out; `temperature`: its agents are asked no warmer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    detail: Detail = Detail.AUTO
    temperature: float | None = Field(default=None, ge=0, le=2)

    def warmest(self, *, lean: bool) -> float:
        """Give the temperature above which a model is not asked, with a lean view or a full one."""
        if self.temperature is not None:
            return self.temperature
        return LEAN_TEMPERATURE if lean else WARMEST


class CommunityConfig(BaseModel):
    """Every setting of one community: the installation's values overlaid with the community's own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    # new agents
    model: str = "gpt-4o-mini"
    allowed_models: tuple[str, ...] = ()  # empty: any
    temperature: float = Field(default=0.7, ge=0, le=2)
    interval_seconds: float = Field(default=5.0, ge=1, le=10)
    resting_interval_seconds: float = Field(default=10.0, ge=1, le=10)
    token_budget: int = Field(default=10_000, ge=4_000, le=200_000)
    input_format: InputFormat = InputFormat.TEXT
    output_format: OutputFormat = OutputFormat.JSON
    detail: Detail = Detail.AUTO
    agents_per_parent_and_day: int = Field(default=5, ge=0, le=100)

    # rooms and access
    access: Literal["open", "knock", "closed"] = "knock"
    visibility: Literal["public", "private"] = "public"
    wpm: int = Field(default=80, ge=10, le=200)
    rpm: int = Field(default=200, ge=10, le=500)
    key_failures: int = Field(default=5, ge=1, le=100)
    key_failure_minutes: float = Field(default=10, gt=0, le=1_440)
    request_hours: float = Field(default=24, gt=0, le=8_760)

    # messages
    attachment_characters: int = Field(default=20_000, ge=0, le=200_000)
    voice_model: str = ""  # hears voice messages, such as gpt-4o-mini-transcribe; empty: none
    voice_seconds: int = Field(default=120, ge=1, le=LONGEST_VOICE_SECONDS)
    listened_bots: tuple[Snowflake, ...] = ()
    proxies: bool = False  # what PluralKit or a bot like it posts for a person is that person's
    pings: bool = False
    held_words: tuple[str, ...] = ()  # a message of an agent with one of these waits until a manager decides
    moderation_model: str = ""  # asked about every message of an agent, such as omni-moderation-latest; empty: none

    # tempo, gate, floor
    moves_per_agent_and_hour: int = Field(default=4, ge=0, le=1_000)
    greets: bool = True  # an agent that a person makes says hello in its room
    signposts: bool = True  # who names an agent where no agent hears is told where it lives
    pace_signs: bool = False  # a small sign on a message whose 👍 or 👎 changed its author's pace
    own_room_minutes: float = Field(default=5, ge=0, le=1_440)
    conversation_minutes: float = Field(default=2, ge=0, le=1_440)
    settle_seconds: float = Field(default=0.8, ge=0, le=60)
    settle_at_most_seconds: float = Field(default=3.0, ge=0, le=300)
    addressed_per_person: int = Field(default=20, ge=0, le=100_000)
    addressed_per_person_minutes: float = Field(default=10, gt=0, le=1_440)
    mention_wakes: bool = True
    patience_at_most_seconds: float = Field(default=128, ge=1, le=86_400)
    patience_in_slow_rooms_seconds: float = Field(default=4_096, ge=1, le=86_400)  # where looks bring few lines
    stale_minutes: float = Field(default=10, gt=0, le=10_080)
    floor: int = Field(default=2, ge=1, le=100)
    floor_seconds: float = Field(default=30, gt=0, le=600)
    answers_to_everyone: int = Field(default=2, ge=1, le=100)
    banter: int = Field(default=6, ge=0, le=10_000)
    self_caused_per_hour: int = Field(default=12, ge=0, le=10_000)
    hush_minutes: float = Field(default=10, gt=0, le=10_080)
    initiative: bool = False
    initiative_minutes: float = Field(default=30, gt=0, le=10_080)
    initiative_at_most_hours: float = Field(default=8, gt=0, le=168)

    # models and money
    usd_per_day: Decimal | None = Field(default=Decimal("1.00"), ge=0, le=10_000)
    tokens_per_day: int | None = Field(default=None, ge=0, le=10**12)
    isolation: Literal["shared", "solo"] = "shared"
    planner: Literal["auto", "shared", "solo"] = "auto"
    models: Mapping[str, Manner] = Field(default_factory=dict)
    lean_tokens: int = Field(default=1_200, ge=1_000, le=10_000)
    look_up_steps: int = Field(default=2, ge=0, le=MOST_STEPS)
    answer_tokens: int = Field(default=5_000, ge=500, le=64_000)
    answer_tokens_alone: int = Field(default=600, ge=100, le=64_000)
    answer_tokens_per_agent: int = Field(default=400, ge=100, le=64_000)
    unusable_told: int = Field(default=3, ge=1, le=100)
    spare_models: int = Field(default=3, ge=0, le=MOST_SPARES)
    agents_per_call: int = Field(
        default=32, ge=1, le=1_000
    )  # with 400 tokens each that is about as much as models write at once

    # scenes
    scenes_at_once: int = Field(default=5, ge=0, le=100)
    scenes_per_person: int = Field(default=3, ge=0, le=100)
    scene_usd: Decimal = Field(default=Decimal("0.25"), ge=0, le=100)
    scene_lobby_minutes: float = Field(default=30, gt=0, le=1_440)
    scene_agent_seconds: int = Field(default=SCENE_AGENT_SECONDS, ge=10, le=3_600)
    scene_person_seconds: int = Field(default=SCENE_PERSON_SECONDS, ge=10, le=86_400)
    scene_steps: int = Field(default=3, ge=1, le=5)
    scene_epilogue: bool = True
    scene_asides: bool = True
    scene_substitutes: bool = True
    scene_dead_write: bool = False
    scene_kept_steps: int = Field(default=50, ge=10, le=1_000)

    # timelines
    timelines: bool = True
    timelines_at_once: int = Field(default=3, ge=0, le=20)
    timeline_days: float = Field(default=14, gt=0, le=365)
    timeline_nodes: int = Field(default=200, ge=1, le=2_000)
    timeline_depth: int = Field(default=150, ge=1, le=1_000)
    timeline_siblings: int = Field(default=8, ge=2, le=32)
    timeline_turns: int = Field(default=20, ge=1, le=100)
    timeline_usd: Decimal = Field(default=Decimal("0.50"), ge=0, le=100)
    timeline_ask_usd: Decimal = Field(default=Decimal("0.10"), ge=0, le=100)
    timeline_megabytes: int = Field(default=64, ge=1, le=1_000)
    timeline_messages: int = Field(default=20_000, ge=100, le=200_000)
    timelines_for_managers: bool = False

    # pacing
    typing_at_most_seconds: float = Field(default=1.0, ge=0, le=60)  # at 80 words a minute
    sleep_at_most_days: float = Field(default=7, gt=0, le=365)
    scheduled_at_most: int = Field(default=10, ge=0, le=1_000)
    fate_seconds: float = Field(default=5.0, ge=0, le=300)

    # memory and privacy
    emotions: bool = False  # agents note what they feel, for themselves alone
    focus_stale_hours: float = Field(default=24, gt=0, le=8_760)
    present_hours: float = Field(default=24.0, gt=0, le=720)
    summary_tokens: int = Field(default=8_000, ge=500, le=200_000)
    message_days: int = Field(default=90, ge=1, le=3_650)
    hud_days: int = Field(default=7, ge=1, le=3_650)
    log_days: int = Field(default=90, ge=1, le=3_650)

    # the server
    architect_role_id: Snowflake | None = Field(default=None, gt=0, lt=2**63)
    category_id: Snowflake | None = Field(default=None, gt=0, lt=2**63)
    managers_channel_id: Snowflake | None = Field(default=None, gt=0, lt=2**63)
    language: str = Field(default="English", min_length=1, max_length=40)
    time_zone: str = "UTC"
    synced_commands: str = ""  # hash of the slash commands that the server has
    prompts: Mapping[str, str] = Field(default_factory=dict)
    focus_defaults: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)

    @field_validator("prompts")
    @classmethod
    def _are_usable(cls, prompts: Mapping[str, str]) -> Mapping[str, str]:
        try:
            check_prompts(prompts)
        except BadSetting as error:
            raise ValueError(error.sentence) from error
        return prompts

    @field_validator("time_zone")
    @classmethod
    def _is_known(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError("should be a time zone by its name, such as Europe/Berlin") from None
        return name

    def manner(self, model: str) -> Manner:
        """Give how a model is asked."""
        return self.models.get(model) or Manner()

    def is_lean(self, agent: Agent, *, known: bool) -> bool:
        """Tell whether an agent gets the lean view; `known`: its model is one of those whose price is known."""
        chosen = agent.detail if agent.detail is not Detail.AUTO else self.manner(agent.model).detail
        return not known if chosen is Detail.AUTO else chosen is Detail.LEAN

    def overlaid(self, overrides: Mapping[str, Json]) -> "CommunityConfig":
        """Give these settings with a community's own on top; what was kept and fits no more is left at its default."""
        try:
            return self.tried(overrides)
        except ValidationError as error:
            unfit = {str(one["loc"][0]) for one in error.errors() if one["loc"]}
            return self.tried({name: value for name, value in overrides.items() if name not in unfit})

    def tried(self, overrides: Mapping[str, Json]) -> "CommunityConfig":
        """Give these settings with others on top; raises pydantic's ValidationError on a value that does not fit."""
        if not overrides:
            return self
        values = self.model_dump() | dict(overrides)
        own = values["prompts"]
        if self.prompts and isinstance(own, Mapping) and all(isinstance(text, str) for text in own.values()):
            values["prompts"] = _laid_over(self.prompts, own)
        return CommunityConfig.model_validate(values)


def _laid_over(prompts: Mapping[str, str], own: Mapping[str, str]) -> Mapping[str, str]:
    """Give the installation's prompts with a community's own on top, part by part; only these if both are too long."""
    together = {**prompts, **own}
    try:
        check_prompts(together)
    except BadSetting:
        return own
    return together
