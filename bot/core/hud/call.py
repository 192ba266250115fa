"""One model call: the constant part, and what one agent or several of them see."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, lru_cache
from typing import Final, cast

from bot.core.actions import LEAN, Category, actions_of
from bot.core.hud.agent_hud import AgentHud, CallTime, Format, ShownRoom
from bot.core.hud.constant import constant_part
from bot.core.hud.counting import count
from bot.core.hud.fitting import Fitted, fit
from bot.core.hud.formats import FORMATS
from bot.core.hud.knowledge import Known
from bot.core.hud.layout import BacklogCache
from bot.core.hud.prompts import prompts_of
from bot.core.hud.sections import Scope, asked_for, lines_of, shown_lookups
from bot.core.hud.values import entries
from bot.core.hud.why import found
from bot.core.hud.wording import local_time, timestamp
from bot.core.kinds import InputFormat, OutputFormat
from bot.core.lore import triggered
from bot.core.ports import Tokenizer
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, Json, Lookup, LoreEntry, Message, MessageId, Reason, Side
from bot.core.schema import LeanForm, answer_schema
from bot.core.view import View

LEAST_LOADED: Final = 200
LINE_TOKENS: Final = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One agent of a call; `alone`: nobody else is in it, so secrets of its own room may be shown.

    `reasons` of the beat, the most urgent first; none: it is only looked what the agent would see.
    """

    agent_id: AgentId
    side: Side = PUBLIC_SIDE
    alone: bool = True
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPart:
    """What one agent sees in a call; `tokens` is its own part as it would be alone, never above its budget.

    `room_ids`: where it may act; `shown_ids`: the rooms that it looks at.
    """

    agent_id: AgentId
    side: Side
    sections: tuple[tuple[str, int], ...]
    room_ids: tuple[AgentId, ...]
    window_starts: Mapping[AgentId, MessageId]
    seen_until: Mapping[AgentId, MessageId]
    message_ids: frozenset[MessageId]
    tokens: int
    shown_ids: tuple[AgentId, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltCall:
    """The texts of a call: `instructions` are the same for everyone, `input` is the rest; `tokens` counts both."""

    instructions: str
    input: str
    tokens: int
    parts: tuple[AgentPart, ...]
    cache_key: str
    lean: LeanForm | None = None
    emotions: bool = False  # the community lets agents feel
    turn_schema: Mapping[str, Json] | None = None  # of a turn, whose answer is another

    @property
    def schema(self) -> Mapping[str, Json]:
        """What holds a model to the answer's form."""
        if self.turn_schema is not None:
            return self.turn_schema
        return answer_schema(alone=len(self.parts) == 1, lean=self.lean, emotions=self.emotions)


def build(
    view: View,
    asks: Sequence[Ask],
    *,
    now: datetime,
    tokenizer: Tokenizer,
    input_format: InputFormat,
    output_format: OutputFormat,
    structured: bool,
    lean: bool = False,
) -> BuiltCall:
    """Build a call for one agent or several; each sees the same messages as it would alone.

    `structured` tells that the model is held to the answer's schema, so that the format needs fewer words; `lean`: the
    one agent is shown only what a weak mind can bear.
    """
    config = view.config
    at = CallTime(
        at=timestamp(now), local=local_time(now, config.time_zone), zone=config.time_zone, language=config.language
    )
    form_of = FORMATS[input_format]
    hud_format = ((form_of.write_lean if lean else None) or form_of.write)(tokenizer)
    alone = len(asks) == 1
    prompts = prompts_of(config.prompts)
    scopes = [_scope(view, ask, now, tokenizer, alone=alone, lean=lean) for ask in asks]
    backlogs_known: BacklogCache = {}
    fitted = [fit(scope, hud_format, at, backlogs_known) for scope in scopes]
    form = _lean_form(scopes[0], fitted[0]) if lean else None
    instructions = constant_part(
        prompts, input_format, output_format, structured=structured, alone=alone, lean=form, emotions=config.emotions
    )
    if len(fitted) == 1:
        text, tokens = fitted[0].text or hud_format.solo(fitted[0].agent_hud, at), fitted[0].tokens
    else:
        text = _shared_text([one.agent_hud for one in fitted], hud_format, at, prompts["isolation"])
        tokens = tokenizer.count(text)
    room_ids = sorted({place.id for one in fitted for place in one.agent_hud.shown_rooms})
    return BuiltCall(
        instructions=instructions,
        input=text,
        tokens=count(tokenizer, instructions) + tokens,
        parts=tuple(_part(one) for one in fitted),
        cache_key=_cache_key(view.community.id, instructions, room_ids),
        lean=form,
        emotions=config.emotions,
    )


def _lean_form(scope: Scope, fitted: Fitted) -> LeanForm:
    """Give what the answer can hold: the actions that stand in the view."""
    form = LeanForm(LEAN, in_one_room=len(fitted.agent_hud.shown_rooms) == 1)
    return _with_more(form, scope.more, scope.agent, emotions=scope.view.config.emotions)


def _with_more(form: LeanForm, categories: Sequence[Category], agent: Agent, *, emotions: bool) -> LeanForm:
    privileged = agent.can_create_agents
    more = [action.name for one in categories for action in actions_of(one, privileged=privileged, emotions=emotions)]
    return replace(form, actions=tuple(dict.fromkeys((*form.actions, *more))))


def with_lookups(
    built: BuiltCall, agent: Agent, lookups: Sequence[Lookup], tokenizer: Tokenizer, most: int
) -> BuiltCall:
    """Give a call of one agent with what it looked up, in at most so many tokens, below its view, which stays."""
    more = asked_for(lookups) if built.lean else ()
    shown = shown_lookups(tokenizer, lookups, most)
    tail = found(shown, lines_of(more, agent, emotions=built.emotions), built.parts[0].why)
    form = _with_more(built.lean, more, agent, emotions=built.emotions) if built.lean else None
    return replace(built, input=built.input + tail, tokens=built.tokens + tokenizer.count(tail), lean=form)


def messages_to_load(agents: Iterable[Agent]) -> int:
    """Give how many messages of a room are to be loaded, so that the largest of these agents' budgets can be filled."""
    return max(LEAST_LOADED, max((agent.token_budget for agent in agents), default=0) // LINE_TOKENS)


def constant_tokens(built: BuiltCall, tokenizer: Tokenizer, *, structured: bool) -> list[tuple[str, int]]:
    """Give what is the same in every call: the OS section, and the schema that models are held to."""
    sections = [("os section", count(tokenizer, built.instructions))]
    return [*sections, ("answer schema", schema_tokens(built, tokenizer))] if structured else sections


def schema_tokens(built: BuiltCall, tokenizer: Tokenizer) -> int:
    """Give what the schema of a call's answer takes."""
    if built.turn_schema is not None:
        return count(tokenizer, json.dumps(built.turn_schema))
    return count(tokenizer, _schema_text(alone=len(built.parts) == 1, lean=built.lean, emotions=built.emotions))


@cache
def _schema_text(*, alone: bool, lean: LeanForm | None, emotions: bool) -> str:
    return json.dumps(answer_schema(alone=alone, lean=lean, emotions=emotions))


def section_tokens(built: BuiltCall, tokenizer: Tokenizer, *, structured: bool) -> list[tuple[str, int]]:
    """Give what each section of a call takes: what is constant, then each agent's own, then the whole call."""
    sections = constant_tokens(built, tokenizer, structured=structured)
    schema = sum(tokens for _, tokens in sections[1:])
    for part in built.parts:
        of = f" of agent {part.agent_id}" if len(built.parts) > 1 else ""
        sections += [(f"{name.replace('_', ' ')}{of}", tokens) for name, tokens in part.sections]
    return [*sections, ("whole call", built.tokens + schema)]


def _scope(view: View, ask: Ask, now: datetime, tokenizer: Tokenizer, *, alone: bool, lean: bool) -> Scope:
    minds = (view.mind_of(ask.agent_id, side) for side in {ask.side, PUBLIC_SIDE})
    return Scope(
        view=view,
        agent=view.whole_agent(ask.agent_id),
        side=ask.side,
        alone=alone and ask.alone,
        now=now,
        tokenizer=tokenizer,
        reasons=ask.reasons,
        known={mind.side: Known(tokenizer, mind.knowledge) for mind in minds},
        lore=_lore_of(view, ask),
        lean=lean,
    )


def _lore_of(view: View, ask: Ask) -> tuple[LoreEntry, ...]:
    """Give what is spoken of now in the rooms that an agent is shown, as far as it has lore on it."""
    book = view.whole_agent(ask.agent_id).lore
    if not book.entries:
        return ()
    rooms = view.rooms_of(ask.agent_id, ask.side)
    said = [message for room in rooms for message in view.visible(ask.agent_id, room)[-book.depth :]]
    said.sort(key=lambda message: (message.sent_at, message.id))
    return triggered(book, [message.content for message in said])


def _shared_text(agent_huds: list[AgentHud], hud_format: Format, at: CallTime, notice: str) -> str:
    return hud_format.shared(joined_directory(agent_huds), agent_huds, seen_once(agent_huds), at, notice)


def _part(fitted: Fitted) -> AgentPart:
    agent_hud = fitted.agent_hud
    starts = {place.id: place.messages[0].id for place in agent_hud.shown_rooms if place.messages}
    newest = {
        place.id: max(message.id for message in place.messages) for place in agent_hud.shown_rooms if place.messages
    }
    return AgentPart(
        agent_id=agent_hud.agent.id,
        side=agent_hud.side,
        sections=fitted.sections,
        room_ids=fitted.room_ids,
        shown_ids=tuple(place.id for place in agent_hud.shown_rooms),
        why=str(agent_hud.sections["why"]),
        window_starts=starts,
        seen_until=newest,
        message_ids=frozenset(message.id for place in agent_hud.shown_rooms for message in place.messages),
        tokens=fitted.tokens,
    )


def _cache_key(community_id: int, instructions: str, room_ids: Sequence[AgentId]) -> str:
    """Give a key per OS section and room set, so that calls with the same beginning meet the same cache."""
    named = f"{community_id}|{_digest(instructions)}|{room_ids}"
    return f"selfroom-{hashlib.sha256(named.encode()).hexdigest()[:24]}"


@lru_cache(maxsize=64)
def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def seen_once(agent_huds: Sequence[AgentHud]) -> list[ShownRoom]:
    """Give each room that one of the agents sees, with all that any of them sees of it."""
    seen: dict[int, list[ShownRoom]] = {}
    for agent_hud in agent_huds:
        for place in agent_hud.shown_rooms:
            seen.setdefault(place.id, []).append(place)
    return [_together(seen[id_]) for id_ in sorted(seen)]


def _together(shown_rooms: Sequence[ShownRoom]) -> ShownRoom:
    """Windows all end with the newest message, so the longest holds the others; long messages are least cut."""
    longest = max(shown_rooms, key=lambda place: len(place.messages))
    fullest: dict[MessageId, Message] = {}
    for place in shown_rooms:
        for message in place.messages:
            if message.id not in fullest or len(message.content) > len(fullest[message.id].content):
                fullest[message.id] = message
    shown = tuple(fullest[message.id] for message in longest.messages)
    view = longest.view
    if any(place.view.checkpoint is None for place in shown_rooms):  # it covers what one of them may not know
        view = replace(view, checkpoint=None)
    return replace(longest, view=view, messages=shown, detail=min(place.detail for place in shown_rooms))


def joined_directory(agent_huds: Sequence[AgentHud]) -> list[Json]:
    """Give every entry that one of the agents sees, by id, as fully as any sees it."""
    joined: dict[int, dict[str, Json]] = {}
    for agent_hud in agent_huds:
        for entry in entries(agent_hud.sections["directory"]):
            id_ = cast(int, entry["id"])
            if len(entry) >= len(joined.get(id_, {})):
                joined[id_] = entry
    return [joined[id_] for id_ in sorted(joined)]
