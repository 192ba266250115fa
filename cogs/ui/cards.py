"""Agents as people see them: a card, a list, and the numbers of a beat."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import discord

from bot.core.emoji import SHOWN
from bot.core.keeping import Used
from bot.core.kinds import Emotion, State
from bot.core.models import Model
from bot.core.next_beat import NextBeat, doing_words
from bot.core.records import ARCHITECT_ID, ARCHITECT_NAME, Agent, AgentId, Beat, Room, Usage
from bot.core.status import state_of
from bot.core.view import WHO_THEY_ARE, Outline, View
from bot.core.wording import counted, honest
from cogs.ui.again import Again, UseButton
from cogs.ui.beats import beat_reason, for_managers
from cogs.ui.money import cost
from cogs.ui.texts import JOINING, SEEING, label

PEOPLE = "👥"
SIGNS = {"idle": "🟢", "thinking": "💭", "typing": "✍️", "sleeping": "💤", "paused": "⏸️", "retired": "📦"}
COLOURS = {
    State.IDLE: 0x7FC97F,
    State.THINKING: 0x5AA9E6,
    State.TYPING: 0x5AA9E6,
    State.SLEEPING: 0xC792EA,
    State.PAUSED: 0xF4A259,
    State.RETIRED: 0x8A91A0,
}
SLOWEST_SECONDS = 10.0
PROMPT_CHARACTERS = 400
TEXT_CHARACTERS = 1_500
NOT_FOR_YOU = "shown only to who sees all of its rooms"

Card = discord.ui.LayoutView


Looks = Mapping[AgentId, NextBeat]  # of those of whom it may be told


def shown_state(view: Outline, agent: Agent, looks: Looks, now: datetime) -> State:
    """Give the state that whoever asked may know of."""
    return looks[agent.id].state if agent.id in looks else state_of(agent, now, all_paused=view.community.paused)


def architect_line() -> str:
    """Tell who bears the id that is no agent's."""
    return f"{PEOPLE} **{ARCHITECT_NAME}** (ID {ARCHITECT_ID}): {WHO_THEY_ARE}"


def agent_list(view: Outline, looks: Looks, now: datetime) -> list[str]:
    """List everyone, one line each."""
    return [
        f"{SIGNS[shown_state(view, agent, looks, now)]} **{label(agent.name)}** "
        f"(ID {agent.id}, {agent.type}){where(view, agent.id)}"
        for agent in sorted(view.agents.values(), key=lambda agent: agent.id)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a card tells beside the view: today's (beats, usage), feedback, and the last beat, for managers only.

    With nothing of it, the agent is in a room which whoever asked may not see: what it does is not for them.
    """

    model: Model | None  # whose prices are shown
    today: tuple[int, Usage] | None = None
    ever: Used | None = None  # in all its life
    feedback: Mapping[str, int] | None = None
    last: Beat | None = None
    is_manager: bool = False
    face: str | None = None  # the address of its avatar
    look: NextBeat | None = None  # what it is at and waits for


def agent_card(view: View, agent_id: AgentId, now: datetime, shown: Shown, attention: discord.File) -> Card:
    """Show one agent on a card, with how it divides its view as a picture, and buttons for managers."""
    agent = view.agents[agent_id]
    state = shown_state(view, agent, {agent_id: shown.look} if shown.look else {}, now)
    card = discord.ui.Container[Card](accent_colour=COLOURS[state])
    told = discord.ui.TextDisplay[Card](_head(view, agent, state, shown.look))
    card.add_item(discord.ui.Section(told, accessory=_face(agent, shown.face)) if shown.face else told)
    if shown.is_manager and (prompt := view.whole_agent(agent_id).prompt):
        card.add_item(discord.ui.TextDisplay(f"> {honest(' '.join(prompt.split()))[:PROMPT_CHARACTERS]}"))
    card.add_item(discord.ui.Separator())
    card.add_item(discord.ui.TextDisplay(_numbers(view, agent, shown)))
    picture = discord.MediaGalleryItem(attention, description=(attention.description or "")[:256])
    card.add_item(discord.ui.MediaGallery(picture))
    if shown.last is not None:
        card.add_item(discord.ui.TextDisplay(f"**Last beat** {_last(shown.last, view.all_rooms)}"))
    if shown.is_manager:
        card.add_item(discord.ui.ActionRow(*_buttons(agent, state)))
    layout = Card(timeout=None)
    layout.add_item(card)
    return layout


def _head(view: Outline, agent: Agent, state: State, look: NextBeat | None) -> str:
    told = honest(f"{doing_words(view, look) or state}; waits for {look.words}") if look else state
    spare = f", else {label(agent.spare_model)}" if agent.spare_model else ""
    return (
        f"## {label(agent.name)}\n"
        f"{SIGNS[state]} {told}\n"
        f"-# ID {agent.id} · {agent.type} · {label(agent.model)}{spare} · {agent.token_budget:,} tokens · "
        f"input {agent.input_format}, output {agent.output_format}, detail {agent.detail}"
    )


def _face(agent: Agent, address: str) -> discord.ui.Thumbnail[Card]:
    return discord.ui.Thumbnail(address, description=honest(f"Avatar of {agent.name}")[:256])


def _numbers(view: View, agent: Agent, shown: Shown) -> str:
    """Word pace, use, feedback and rooms."""
    room = view.all_rooms[agent.id]
    keys = len([key for key in view.keys.get(agent.id, ()) if key.revoked_at is None])
    rooms = [label(view.agents[id_].name) for (one, id_) in view.memberships if one == agent.id and id_ != agent.id]
    given = shown.feedback or {}
    feedback = "  ".join(f"{SHOWN[Emotion(name)]} {count}" for name, count in given.items() if count)
    lines = [
        *(
            [f"**Activity** {NOT_FOR_YOU}"]
            if shown.feedback is None
            else [
                f"**Heartbeat** {heartbeat(agent.interval_seconds, agent.resting_interval_seconds)}",
                f"**Today** {_today(shown, agent)}",
                *([f"**Ever** {_ever(shown.ever, shown.model, agent)}"] if shown.ever and shown.model else []),
                f"**Feedback this week** {feedback or 'none'}",
                f"**Summaries of its rooms** {sum(one.checkpoints for one in view.rooms_of(agent.id))}",
            ]
        ),
        f"**Room**{where(view, agent.id)}: {JOINING[room.access]}, {SEEING[room.visibility]}, {counted(keys, 'key')}",
        f"**Also in** {', '.join(rooms) or 'no other room'}",
        f"**Joined** <t:{int(agent.created_at.timestamp())}:D>",
    ]
    return "\n".join(lines)[:TEXT_CHARACTERS]


def _buttons(agent: Agent, state: State) -> list[UseButton]:
    """Give what managers do most, as buttons."""
    named = {"HUD": "hud show", "Knowledge": "knowledge show", "Beats": "hud history"}
    match state:
        case State.RETIRED:
            named["Restore"] = "agent restore"
        case State.PAUSED if agent.paused_reason is not None:
            named["Resume"] = "agent resume"
        case State.PAUSED:
            pass
        case _:
            named |= {"Wake": "agent wake", "Pause": "agent pause"}
    buttons = [UseButton(Again(path, (f"agent={agent.id}",)), label=label) for label, path in named.items()]
    everyone = state is State.PAUSED and agent.paused_reason is None
    return [*buttons, UseButton(Again("heartbeat resume"), label="Resume everyone")] if everyone else buttons


def heartbeat(interval_seconds: float, resting_seconds: float) -> str:
    """Draw the pace as a small bar: the fuller, the faster."""
    full = round(pace(interval_seconds) * 10)
    return f"`{'▰' * full}{'▱' * (10 - full)}` {interval_seconds:.1f} s, resting {resting_seconds:.1f} s"


def pace(interval_seconds: float) -> float:
    """Give how fast a heart beats, between 0 (slowest) and 1."""
    return (SLOWEST_SECONDS - interval_seconds) / (SLOWEST_SECONDS - 1)


def where(view: Outline, agent_id: AgentId) -> str:
    """Link its channel, when it has one."""
    channel_id = view.all_rooms[agent_id].channel_id
    return f" in <#{channel_id}>" if channel_id else ""


def _today(shown: Shown, agent: Agent) -> str:
    if shown.today is None or shown.model is None:
        return "no beat yet"
    beats, used = shown.today
    price = cost(used.cost_usd, shown.model, [agent.model])
    return f"{counted(beats, 'beat')}, {used.input_tokens + used.output_tokens:,} tokens, {price}"


def _ever(ever: Used, model: Model, agent: Agent) -> str:
    tokens = ever.usage.input_tokens + ever.usage.output_tokens
    price = cost(ever.usage.cost_usd, model, [agent.model])
    return f"{counted(ever.beats, 'beat')}, {tokens:,} tokens, {price} since {ever.day:%Y-%m-%d}"


def _last(beat: Beat, rooms: Mapping[AgentId, Room]) -> str:
    what = honest(beat.failed or "") or (for_managers(beat.outcome[-1], rooms) if beat.outcome else "it stayed silent")
    return f"<t:{int(beat.at.timestamp())}:R>, {beat_reason(beat)}: {what}"[:1_000]
