"""Every setting that a community's managers may change, in words, and how what they type becomes its value."""

import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Final, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import ValidationError

from bot.core.config import CommunityConfig
from bot.core.errors import Rejected, one_of
from bot.core.kinds import Detail, InputFormat, OutputFormat
from bot.core.records import Json
from bot.core.sentences import Sentence

DEFAULT: Final = "default"
EXAMPLE: Final = '{"silence": "Say nothing when there is nothing to say."}'
MATTERS: Final[Mapping[str, str]] = {  # by the setting with which each begins
    "model": "New agents",
    "access": "Rooms and access",
    "attachment_characters": "Messages",
    "moves_per_agent_and_hour": "Tempo, gate and floor",
    "usd_per_day": "Models and money",
    "scenes_at_once": "Scenes",
    "timelines": "Timelines",
    "typing_at_most_seconds": "Pacing",
    "emotions": "Memory and privacy",
    "architect_role_id": "The server",
}


def _choice(names: Iterable[str]) -> str:
    return one_of([f"`{name}`" if "_" in name else str(name) for name in names])


OPTIONS: Final[Mapping[str, str]] = {
    "model": "the model of new agents (/setup model tries it first)",
    "allowed_models": "the models that agents may use, with commas; none: any",
    "temperature": "the temperature of new agents, 0.0 to 2.0",
    "interval_seconds": "seconds between a new agent's beats, 1 to 10",
    "resting_interval_seconds": "the interval that beats drift back to, 1 to 10 seconds",
    "token_budget": "tokens of a new agent's own part of its HUD",
    "input_format": f"the format of a new agent's HUD: {_choice(InputFormat)}",
    "output_format": f"the format of a new agent's answers: {_choice(OutputFormat)}",
    "detail": f"how much a new agent is shown: {_choice(Detail)}; auto goes by its model",
    "agents_per_parent_and_day": "how many agents an agent may create in a day",
    "access": "who may join a new room: open, knock or closed",
    "visibility": "who sees a new room: public or private",
    "wpm": "words a minute in a new room, 10 to 200",
    "rpm": "agents' messages a minute in a new room, 10 to 500",
    "key_failures": "wrong keys after which a requester is locked out of a room for a while",
    "key_failure_minutes": "for how many minutes wrong keys count, and lock out",
    "request_hours": "hours after which a request for access expires",
    "attachment_characters": "how much of a message's text files is read, in characters",
    "voice_model": "the model that hears voice messages, such as gpt-4o-mini-transcribe; none: no model",
    "voice_seconds": "seconds above which a voice message is not heard",
    "listened_bots": "ids of other bots and webhooks, with commas, that agents hear like each other; none: no other",
    "proxies": "whether what PluralKit posts for a person is heard as that person's: true or false",
    "pings": "whether mentions in agents' messages notify people: true or false",
    "held_words": "words, with commas, that hold a message until a manager decides; none: no word",
    "moderation_model": "the model asked about every message of an agent; none: no model",
    "moves_per_agent_and_hour": "how often an hour one agent may move another's interval",
    "greets": "whether an agent that a person makes says hello in its room: true or false",
    "signposts": "whether who names an agent where no agent hears is told where it lives: true or false",
    "pace_signs": "whether a thumb that changes an agent's pace is followed by a small ⏩ or ⏪: true or false",
    "own_room_minutes": "minutes for which whoever alone spoke in an agent's room addresses it",
    "conversation_minutes": "minutes within which a talk with an agent goes on without its name",
    "settle_seconds": "seconds of quiet before an agent answers whoever addressed it",
    "settle_at_most_seconds": "the most seconds it waits for further lines",
    "addressed_per_person": "answers that a person can ask for in a while; more are ambient",
    "addressed_per_person_minutes": "how long that while is, in minutes",
    "mention_wakes": "whether a mention wakes an agent that sleeps: true or false",
    "patience_at_most_seconds": "the longest wait between beats that end in silence",
    "patience_in_slow_rooms_seconds": "the longest such wait where so little is said that a look brings few lines",
    "stale_minutes": "minutes after which what was missed is only ambient",
    "floor": "how many agents may hold the floor of a room at once",
    "floor_seconds": "seconds after which an agent loses the floor",
    "answers_to_everyone": "answers to a message that addresses nobody",
    "banter": "agents' messages in a row before they fall silent; 0: no limit",
    "self_caused_per_hour": "beats an hour that no person caused, for each agent",
    "hush_minutes": "minutes of silence after a stop sign or /room hush",
    "initiative": "whether agents may begin to talk by themselves: true or false",
    "initiative_minutes": "minutes of nothing after which they may",
    "initiative_at_most_hours": "the most hours between two such beginnings",
    "usd_per_day": "what a UTC day may cost, in USD",
    "tokens_per_day": "what a UTC day may take, in tokens; default: no limit",
    "isolation": "whether agents may share a model call: shared or solo",
    "planner": "how calls are divided: auto, shared or solo",
    "models": 'how models are asked, as JSON by name: {"llama3": {"detail": "lean"}} (/setup try finds it out)',
    "lean_tokens": "tokens of the own part of an agent that is shown little (detail lean)",
    "look_up_steps": "further calls in which an agent's look-ups are answered at once where somebody waits",
    "answer_tokens": "tokens kept free for the answer of a model that thinks before it writes",
    "answer_tokens_alone": "tokens an answer of one agent has at most",
    "unusable_told": "answers in a row that cannot be used before the managers are told",
    "spare_models": "spare models that an agent may have at most (`/agent edit`), which answer while its own fails",
    "answer_tokens_per_agent": "tokens of each agent's answer when several are asked together",
    "agents_per_call": "agents that share a model call at most: models write only so much at once",
    "scenes_at_once": "how many scenes may be open at once",
    "scenes_per_person": "how many open scenes a person may sit in at once",
    "scene_usd": "what the turns of agents in one scene may cost, in USD",
    "scene_lobby_minutes": "minutes after which a scene that nobody began is closed",
    "scene_epilogue": "whether agents look back once when a scene is over, and keep up to three things of it",
    "scene_asides": "whether who watches agents play among themselves is told at once what only some of them hear",
    "scene_substitutes": "whether an agent may take a seat that was left: true or false; false: it stays away",
    "scene_dead_write": "whether what those write who are out of a game stays in its thread: true or false",
    "scene_kept_steps": "after how many steps of a scene it is kept anew where it stands, beside its log",
    "scene_agent_seconds": "seconds that an agent has for a turn in a scene, where its kind does not say it",
    "scene_person_seconds": "seconds that a person has for a turn in a scene, where its kind does not say it",
    "scene_steps": "how often an agent is asked on one turn that comes to no move",
    "timelines": "whether what-ifs may be made here: true or false",
    "timelines_at_once": "how many what-ifs there may be at once",
    "timeline_days": "days after which a what-if that nobody touched is deleted",
    "timeline_nodes": "worlds that one what-if may have",
    "timeline_depth": "steps by which a world may lie apart from where its what-if begins",
    "timeline_siblings": "worlds that may be begun from one at once",
    "timeline_turns": "turns that one step may take",
    "timeline_usd": "what one what-if may cost in all, in USD",
    "timeline_ask_usd": "the estimated price of a step above which it is asked for first, in USD",
    "timeline_megabytes": "how large the file of one what-if may be, in MB",
    "timeline_messages": "how many of the newest messages come into a what-if",
    "timelines_for_managers": "whether only managers may look at what-ifs: true or false",
    "typing_at_most_seconds": "the longest typing of a short message at 80 wpm; slower rooms and agents take longer",
    "sleep_at_most_days": "how far ahead agents may sleep or schedule, in days",
    "scheduled_at_most": "scheduled messages that an agent may have waiting",
    "fate_seconds": "seconds to look for a message whose fate is unknown before it is sent again",
    "emotions": "whether agents note what they feel, for themselves alone: true or false",
    "focus_stale_hours": "hours after which an agent's focus counts as stale",
    "present_hours": "hours for which agents are told that a person who spoke in a room is there",
    "summary_tokens": "tokens of talk after which a room is summed up",
    "message_days": "days for which messages outside of agents' windows are kept",
    "hud_days": "days for which HUDs are kept",
    "log_days": "days for which logs are kept: actions, changes of minds, the audit, answered requests, deletions",
    "architect_role_id": "the id of the role that may manage Selfroom (/setup places)",
    "category_id": "the id of the category of agents' channels (/setup places)",
    "managers_channel_id": "the id of the channel where managers are told things (/setup places)",
    "language": "the language agents speak by default",
    "time_zone": "the time zone agents are shown",
    "prompts": "parts of what every agent is told, as JSON by part",
    "focus_defaults": "what new agents' focus starts with, as JSON (/focus defaults)",
}


def read_option(config: CommunityConfig, name: str, typed: str) -> Json:
    """Read what was typed for a setting, None for `default`; raises Rejected with what is wrong."""
    _check(name)
    text = typed.strip()
    if text.casefold() == DEFAULT:
        return None
    try:
        read = config.tried({name: _raw(name, text)})
    except ValidationError as error:
        raise Rejected(unfit(name, error)) from error
    value: Json = read.model_dump(mode="json")[name]
    return value


def unfit(name: str, error: ValidationError) -> str:
    """Word what a setting has to be, when a value is something else."""
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "value_error":  # in our own words
        return f"`{name}`: {first['msg'].removeprefix('Value error, ')}"[:500]
    return f"`{name}` must be {rule_of(name)}; `{DEFAULT}` puts it back."


def rule_of(name: str) -> str:
    """Word what fits a setting, from its definition."""
    field = CommunityConfig.model_fields[name]
    kinds = set(get_args(field.annotation)) or {field.annotation}
    if {Decimal, float, int} & kinds and not name.endswith("_id"):
        low, high = bounds_of(name)
        above = any(isinstance(one, Gt) for one in field.metadata)
        return f"a {'whole ' if int in kinds else ''}number {'above' if above else 'from'} {low:,} up to {high:,}"
    if bool in kinds:
        return "true or false"
    if get_origin(field.annotation) is Literal:
        return _choice(get_args(field.annotation))
    if isinstance(field.annotation, type) and issubclass(field.annotation, StrEnum):
        return _choice(field.annotation)
    if name.endswith("_id") or name == "listened_bots":
        return "what Discord gives with *Copy ID*"
    if get_origin(field.annotation) is Mapping:
        return "JSON such as its line in this list shows, or none"
    return "one line of text" if field.annotation is str else "words with commas between them, or none"


def bounds_of(name: str) -> tuple[int, int]:
    """Give the least and the largest that a setting in numbers can be: one definition for every command."""
    metadata = CommunityConfig.model_fields[name].metadata
    low = next((one.ge if isinstance(one, Ge) else one.gt for one in metadata if isinstance(one, Ge | Gt)), 0)
    high = next((one.le if isinstance(one, Le) else one.lt for one in metadata if isinstance(one, Le | Lt)), 2**53)
    return int(str(low)), int(str(high))


def shown_option(config: CommunityConfig, name: str) -> str:
    """Give a setting's value as it could be typed; raises Rejected when there is none of that name."""
    _check(name)
    value = config.model_dump(mode="json")[name]
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False) if value else "none"
    return str(value).lower() if isinstance(value, bool) else str("none" if value in (None, "") else value)


def _check(name: str) -> None:
    if name not in OPTIONS:
        raise Rejected(
            Sentence("There is no setting `{name}`: choose one from the list that comes up while you type.", name=name)
        )


def _raw(name: str, text: str) -> Json:
    """Give lists, objects and texts their shape; the rest is for the definition to read."""
    default = CommunityConfig.model_fields[name].get_default(call_default_factory=True)
    nothing = text.casefold() == "none"
    if isinstance(default, tuple):
        return [] if nothing else [word.strip() for word in text.split(",") if word.strip()]
    if isinstance(default, Mapping):
        return {} if nothing else _json(text)
    return "" if nothing and default == "" else text


def _json(text: str) -> Json:
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Rejected(Sentence("Give it as JSON, such as {example}.", example=EXAMPLE)) from error
    return value
