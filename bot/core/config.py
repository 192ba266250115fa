"""What a community can set for itself, with the defaults of SPEC's ⚙ values."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field, field_validator

from bot.core.errors import BadSetting
from bot.core.hud.prompts import check_prompts
from bot.core.records import Json, Snowflake


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
    input_format: Literal["text", "json", "compact_json", "toon"] = "text"
    output_format: Literal["json", "toon"] = "json"
    agents_per_parent_and_day: int = Field(default=5, ge=0)

    # rooms and access
    access: Literal["open", "knock", "closed"] = "knock"
    visibility: Literal["public", "private"] = "public"
    wpm: int = Field(default=80, ge=10, le=200)
    rpm: int = Field(default=200, ge=10, le=500)
    key_failures: int = Field(default=5, ge=1)
    key_failure_minutes: float = Field(default=10, gt=0)
    request_hours: float = Field(default=24, gt=0)

    # messages
    attachment_characters: int = Field(default=20_000, ge=0)
    listened_bots: tuple[Snowflake, ...] = ()
    pings: bool = False
    held_words: tuple[str, ...] = ()  # a message of an agent with one of these waits until a manager decides
    moderation_model: str = ""  # asked about every message of an agent, such as omni-moderation-latest; empty: none

    # tempo, gate, floor
    moves_per_agent_and_hour: int = Field(default=4, ge=0)
    pace_signs: bool = False  # a small sign on a message whose 👍 or 👎 changed its author's pace
    own_room_minutes: float = Field(default=5, ge=0)
    conversation_minutes: float = Field(default=2, ge=0)
    settle_seconds: float = Field(default=0.8, ge=0)
    settle_at_most_seconds: float = Field(default=3.0, ge=0)
    addressed_per_person: int = Field(default=20, ge=0)
    addressed_per_person_minutes: float = Field(default=10, gt=0)
    mention_wakes: bool = True
    patience_at_most_seconds: float = Field(default=128, ge=1)
    stale_minutes: float = Field(default=10, gt=0)
    floor: int = Field(default=2, ge=1)
    floor_seconds: float = Field(default=30, gt=0)
    answers_to_everyone: int = Field(default=2, ge=1)
    banter: int = Field(default=6, ge=0)
    self_caused_per_hour: int = Field(default=12, ge=0)
    hush_minutes: float = Field(default=10, gt=0)
    initiative: bool = False
    initiative_minutes: float = Field(default=30, gt=0)
    initiative_at_most_hours: float = Field(default=8, gt=0)

    # models and money
    usd_per_day: Decimal | None = Decimal("1.00")
    tokens_per_day: int | None = None
    isolation: Literal["shared", "solo"] = "shared"
    planner: Literal["auto", "shared", "solo"] = "auto"
    answer_tokens: int = Field(default=5_000, ge=500)
    answer_tokens_per_agent: int = Field(default=400, ge=100)
    agents_per_call: int = Field(default=32, ge=1)  # with 400 tokens each that is about as much as models write at once

    # pacing
    typing_at_most_seconds: float = Field(default=6.0, ge=0)
    sleep_at_most_days: float = Field(default=7, gt=0)
    scheduled_at_most: int = Field(default=10, ge=0)
    fate_seconds: float = Field(default=5.0, ge=0)

    # memory and privacy
    focus_stale_hours: float = Field(default=24, gt=0)
    summary_tokens: int = Field(default=8_000, ge=500)
    message_days: int = Field(default=90, ge=1)
    hud_days: int = Field(default=7, ge=1)
    log_days: int = Field(default=90, ge=1)

    # the server
    architect_role_id: Snowflake | None = None
    category_id: Snowflake | None = None
    managers_channel_id: Snowflake | None = None
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

    def overlaid(self, overrides: Mapping[str, Json]) -> "CommunityConfig":
        """Give these settings with a community's own on top; raises pydantic's ValidationError on a bad value."""
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
