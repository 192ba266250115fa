"""Beats as managers see them: why, what was seen and said, what came of it and what it cost."""

import re
from collections.abc import Iterable, Mapping

import discord

from bot.core.kinds import BECAUSE, ReasonKind
from bot.core.models import Model
from bot.core.records import Agent, AgentId, Beat, Room
from bot.core.sentences import Sentence, stacked
from bot.core.wording import honest
from cogs.ui.files import text_file
from cogs.ui.money import cost
from cogs.ui.texts import label

SUMMARY_CHARACTERS, SUMMARY_DEEDS = 1_300, 30
THOUGHT_CHARACTERS = 300
ROOM = re.compile(r"\b[Rr]oom (\d+)\b")
SAID_IN = re.compile(r"Said in room (\d+)\.\Z")
TO_IT = re.compile(r"\b([Yy])ou(r| are| were)?\b")
LINE_CHARACTERS, LINE_DEEDS = 300, 10  # of a beat on one line
ENDS = {None: "t", "r": "ts", " are": "t is", " were": "t was"}


def section_lines(sections: Iterable[tuple[str, int]]) -> str:
    """Give the tokens of each section."""
    return "\n".join(f"`{tokens:>6,}` {name.replace('_', ' ')}" for name, tokens in sections)


def beat_summary(beat: Beat, model: Model, rooms: Mapping[AgentId, Room]) -> Sentence:
    """Give why an agent beat, what came of it, and the numbers beside its HUD: tokens per section and cost."""
    used = beat.usage
    told = Sentence(
        "Beat {beat}: {beat_reason}. It asked {model} ({agents_in_call} in the call, "
        "{latency_seconds:.1f} s)\n{input_tokens:,} tokens in ({cached_tokens:,} cached), "
        "{output_tokens:,} out, {cost}",
        beat=beat.id,
        beat_reason=beat_reason(beat),
        model=beat.model,
        agents_in_call=beat.agents_in_call,
        latency_seconds=used.latency_seconds,
        input_tokens=used.input_tokens,
        cached_tokens=used.cached_tokens,
        output_tokens=used.output_tokens,
        cost=cost(used.cost_usd, model, [beat.model], digits=5),
    )
    return stacked(told, section_lines(beat.sections), why(beat, rooms))


def beat_reason(beat: Beat) -> str:
    """Word what made the agent look."""
    who = f"<@{beat.person_id}>"
    by_somebody = {
        ReasonKind.ADDRESSED: Sentence("{who} spoke to it", who=who),
        ReasonKind.ACCESS: Sentence("{who} knocked at its door", who=who),
        ReasonKind.WOKEN: Sentence("{who} woke it", who=who),
    }
    because = BECAUSE[beat.reason]
    return because if beat.person_id is None else by_somebody.get(beat.reason, because)


def for_managers(line: str, rooms: Mapping[AgentId, Room]) -> str:
    """Word for managers what an agent was told of its action, with a link for each room that it names by number."""

    def link(found: re.Match[str]) -> str:
        room = rooms.get(AgentId(int(found[1])))
        return f"<#{room.channel_id}>" if room is not None and room.channel_id else found[0]

    def of_it(found: re.Match[str]) -> str:
        return ("I" if found[1] == "Y" else "i") + ENDS[found[2]]

    said = SAID_IN.match(line)
    if said is not None and AgentId(int(said[1])) not in rooms:
        return Sentence("Said in a private thread, or in a room that is gone.")
    return ROOM.sub(link, TO_IT.sub(of_it, honest(line)))


def why(beat: Beat, rooms: Mapping[AgentId, Room]) -> Sentence:
    """Word what came of a beat, with what the agent thought."""
    deeds = [line[:SUMMARY_CHARACTERS] for line in beat.outcome[:SUMMARY_DEEDS]]
    outcome: list[str] = [Sentence.joined("- ", for_managers(line, rooms)) for line in deeds]
    nothing = honest(beat.failed) if beat.failed else Sentence("nothing: it passed and stayed silent")
    thoughts = honest(" ".join(beat.thoughts.split()))[:THOUGHT_CHARACTERS]
    return stacked(*(outcome or [Sentence.joined("- ", nothing)]), *([f"> {thoughts}"] if thoughts else []))


def passed_line(agent: Agent, beat: Beat | None, otherwise: str, rooms: Mapping[AgentId, Room]) -> str:
    """Word what an agent made of a message: its first beat since then, or why there was none."""
    if beat is None:
        return Sentence("**{agent}** has not looked since: {otherwise}.", agent=label(agent.name), otherwise=otherwise)
    return Sentence(
        "**{agent}** looked in beat {beat} ({beat_reason}):\n{why}",
        agent=label(agent.name),
        beat=beat.id,
        beat_reason=beat_reason(beat),
        why=why(beat, rooms),
    )


def beat_file(beat: Beat) -> discord.File:
    """Give the very HUD and answer of a beat."""
    hud = beat.hud or "(this HUD is not kept any more)"
    thoughts = f"\n==== THOUGHTS ====\n{beat.thoughts}\n" if beat.thoughts else ""
    text = f"{hud}\n\n==== ANSWER ====\n{beat.answer or beat.failed or '(nothing)'}\n{thoughts}"
    return text_file(f"hud-{beat.agent_id}-beat-{beat.id}.txt", text)


def beat_line(beat: Beat, model: Model, rooms: Mapping[AgentId, Room]) -> str:
    """Word a beat on one line."""
    done = " ".join(for_managers(line[:LINE_CHARACTERS], rooms) for line in beat.outcome[:LINE_DEEDS])[:LINE_CHARACTERS]
    what = honest(beat.failed or "") or done or Sentence("It stayed silent.")
    used = beat.usage
    tokens = Sentence(
        "{input_tokens:,} tokens in, {output_tokens:,} out",
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
    )
    price = cost(used.cost_usd, model, [beat.model], digits=5)
    head = f"`{beat.id}` {beat.at:%m-%d %H:%M:%S} "
    return Sentence.joined(head, beat_reason(beat), "; ", tokens, ", ", price, ": ", what)
