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
from bot.core.sentences import Sentence, stacked
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
ROOMS_CHARACTERS = 800
LAST_CHARACTERS = 900
EVERYONE_PAUSED = Sentence(" (everyone is paused)")
NOT_FOR_YOU = Sentence("shown only to who sees all of its rooms")

Card = discord.ui.LayoutView


Looks = Mapping[AgentId, NextBeat]  # of those of whom it may be told


def shown_state(view: Outline, agent: Agent, looks: Looks, now: datetime) -> State:
    """Give the state that whoever asked may know of."""
    return looks[agent.id].state if agent.id in looks else state_of(agent, now, all_paused=view.community.paused)


def architect_line() -> str:
    """Tell who bears the id that is no agent's."""
    return Sentence.joined(f"{PEOPLE} **{ARCHITECT_NAME}** (ID {ARCHITECT_ID}): ", WHO_THEY_ARE)


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
        card.add_item(discord.ui.TextDisplay(Sentence("**Last beat** {told}", told=_last(shown.last, view.all_rooms))))
    if shown.is_manager:
        card.add_item(discord.ui.ActionRow(*_buttons(agent, state)))
    layout = Card(timeout=None)
    layout.add_item(card)
    return layout


def _head(view: Outline, agent: Agent, state: State, look: NextBeat | None) -> Sentence:
    told: str = Sentence(state.value)
    if look:
        told = Sentence(
            "{doing}; waits for {what}", doing=honest(doing_words(view, look)) or told, what=honest(look.words)
        )
    model = label(agent.model)
    for spare in agent.spare_models:
        model = Sentence("{model}, else {spare}", model=model, spare=label(spare))
    kind = Sentence(
        "ID {id} · {type} · {model} · {tokens} · input {input}, output {output}, detail {detail}",
        id=agent.id,
        type=agent.type.value,
        model=model,
        tokens=counted(agent.token_budget, "token"),
        input=agent.input_format.value,
        output=agent.output_format.value,
        detail=agent.detail.value,
    )
    return stacked(
        f"## {label(agent.name)}", f"{SIGNS[state]} " + told if isinstance(told, Sentence) else told, "-# " + kind
    )


def _face(agent: Agent, address: str) -> discord.ui.Thumbnail[Card]:
    return discord.ui.Thumbnail(address, description=honest(f"Avatar of {agent.name}")[:256])


def _numbers(view: View, agent: Agent, shown: Shown) -> Sentence:
    """Word pace, use, feedback and rooms."""
    room = view.all_rooms[agent.id]
    keys = len([key for key in view.keys.get(agent.id, ()) if key.revoked_at is None])
    rooms = [label(view.agents[id_].name) for (one, id_) in view.memberships if one == agent.id and id_ != agent.id]
    given = shown.feedback or {}
    feedback = "  ".join(f"{SHOWN[Emotion(name)]} {count}" for name, count in given.items() if count)
    summaries = sum(one.checkpoints for one in view.rooms_of(agent.id))
    pace = heartbeat(agent.interval_seconds, agent.resting_interval_seconds)
    doings = [
        Sentence("**Heartbeat** {pace}", pace=pace),
        Sentence("**Today** {used}", used=_today(shown, agent)),
        *(
            [Sentence("**Ever** {used}", used=_ever(shown.ever, shown.model, agent))]
            if shown.ever and shown.model
            else []
        ),
        Sentence("**Feedback this week** {signs}", signs=feedback or Sentence("none")),
        Sentence("**Summaries of its rooms** {number}", number=summaries),
    ]
    return stacked(
        *([Sentence("**Activity** {why}", why=NOT_FOR_YOU)] if shown.feedback is None else doings),
        Sentence(
            "**Room**{where}: {joining}, {seeing}, {keys}",
            where=where(view, agent.id),
            joining=JOINING[room.access],
            seeing=SEEING[room.visibility],
            keys=counted(keys, "key"),
        ),
        Sentence("**Also in** {rooms}", rooms=", ".join(rooms)[:ROOMS_CHARACTERS] or Sentence("no other room")),
        Sentence("**Joined** {when}", when=f"<t:{int(agent.created_at.timestamp())}:D>"),
    )


def _buttons(agent: Agent, state: State) -> list[UseButton]:
    """Give what managers do most, as buttons."""
    named = {Sentence("HUD"): "hud show", Sentence("Knowledge"): "knowledge show", Sentence("Beats"): "hud history"}
    match state:
        case State.RETIRED:
            named[Sentence("Restore")] = "agent restore"
        case State.PAUSED if agent.paused_reason is not None:
            named[Sentence("Resume")] = "agent resume"
        case State.PAUSED:
            pass
        case _:
            named |= {Sentence("Wake"): "agent wake", Sentence("Pause"): "agent pause"}
    buttons = [UseButton(Again(path, (f"agent={agent.id}",)), label=label) for label, path in named.items()]
    everyone = state is State.PAUSED and agent.paused_reason is None
    return [*buttons, UseButton(Again("heartbeat resume"), label=Sentence("Resume everyone"))] if everyone else buttons


def heartbeat(interval_seconds: float, resting_seconds: float) -> str:
    """Draw the pace as a small bar: the fuller, the faster."""
    full = round(pace(interval_seconds) * 10)
    return Sentence(
        "`{value}{value_2}` {interval_seconds:.1f} s, resting {resting_seconds:.1f} s",
        value="▰" * full,
        value_2="▱" * (10 - full),
        interval_seconds=interval_seconds,
        resting_seconds=resting_seconds,
    )


def pace(interval_seconds: float) -> float:
    """Give how fast a heart beats, between 0 (slowest) and 1."""
    return (SLOWEST_SECONDS - interval_seconds) / (SLOWEST_SECONDS - 1)


def where(view: Outline, agent_id: AgentId) -> str:
    """Link its channel, when it has one."""
    channel_id = view.all_rooms[agent_id].channel_id
    return f" in <#{channel_id}>" if channel_id else ""


def _today(shown: Shown, agent: Agent) -> str:
    if shown.today is None or shown.model is None:
        return Sentence("no beat yet")
    beats, used = shown.today
    price = cost(used.cost_usd, shown.model, [agent.model])
    tokens = counted(used.input_tokens + used.output_tokens, "token")
    return Sentence("{beats}, {tokens}, {price}", beats=counted(beats, "beat"), tokens=tokens, price=price)


def _ever(ever: Used, model: Model, agent: Agent) -> str:
    tokens = ever.usage.input_tokens + ever.usage.output_tokens
    price = cost(ever.usage.cost_usd, model, [agent.model])
    return Sentence(
        "{beats}, {tokens}, {price} since {day:%Y-%m-%d}",
        beats=counted(ever.beats, "beat"),
        tokens=counted(tokens, "token"),
        price=price,
        day=ever.day,
    )


def _last(beat: Beat, rooms: Mapping[AgentId, Room]) -> str:
    what = honest(beat.failed or "") or (
        for_managers(beat.outcome[-1], rooms)[:LAST_CHARACTERS] if beat.outcome else Sentence("it stayed silent")
    )
    return Sentence.joined(f"<t:{int(beat.at.timestamp())}:R>, ", beat_reason(beat), ": ", what)
