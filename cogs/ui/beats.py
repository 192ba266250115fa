"""Beats as managers see them: why, what was seen and said, what came of it and what it cost."""

from collections.abc import Iterable

import discord

from bot.core.records import Agent, Beat
from cogs.ui.files import text_file

SUMMARY_CHARACTERS = 1_300
THOUGHT_CHARACTERS = 300


def section_lines(sections: Iterable[tuple[str, int]]) -> str:
    """Give the tokens of each section."""
    return "\n".join(f"`{tokens:>6,}` {name.replace('_', ' ')}" for name, tokens in sections)


def beat_summary(beat: Beat) -> str:
    """Give why an agent beat, what came of it, and the numbers beside its HUD: tokens per section and cost."""
    used = beat.usage
    return (
        f"Beat {beat.id}, because of {beat_reason(beat)}, with {beat.model} "
        f"({beat.agents_in_call} in the call, {used.latency_seconds:.1f} s)\n"
        f"{used.input_tokens:,} tokens in ({used.cached_tokens:,} cached), {used.output_tokens:,} out, "
        f"{used.cost_usd:.5f} USD\n{section_lines(beat.sections)}\n{why(beat)}"
    )[:SUMMARY_CHARACTERS]


def beat_reason(beat: Beat) -> str:
    """Word what made the agent look."""
    return f"*{beat.reason}* by <@{beat.person_id}>" if beat.person_id else f"*{beat.reason}*"


def why(beat: Beat) -> str:
    """Word what came of a beat, with what the agent thought."""
    outcome = [f"- {line}" for line in beat.outcome] or [f"- {beat.failed or 'nothing: it passed and stayed silent'}"]
    thoughts = " ".join(beat.thoughts.split())[:THOUGHT_CHARACTERS]
    return "\n".join([*outcome, *([f"> {thoughts}"] if thoughts else [])])


def passed_line(agent: Agent, beat: Beat | None, otherwise: str) -> str:
    """Word what an agent made of a message: its first beat since then, or why there was none."""
    if beat is None:
        return f"**{agent.name}** has not looked since: {otherwise}."
    return f"**{agent.name}** looked in beat {beat.id} ({beat_reason(beat)}):\n{why(beat)}"


def beat_file(beat: Beat) -> discord.File:
    """Give the very HUD and answer of a beat."""
    hud = beat.hud or "(this HUD is not kept any more)"
    thoughts = f"\n==== THOUGHTS ====\n{beat.thoughts}\n" if beat.thoughts else ""
    text = f"{hud}\n\n==== ANSWER ====\n{beat.answer or beat.failed or '(nothing)'}\n{thoughts}"
    return text_file(f"hud-{beat.agent_id}-beat-{beat.id}.txt", text)


def beat_line(beat: Beat) -> str:
    """Word a beat on one line."""
    what = beat.failed or "; ".join(beat.outcome) or "silent"
    used = beat.usage
    tokens = f"{used.input_tokens:,} in, {used.output_tokens:,} out"
    return f"`{beat.id}` {beat.at:%m-%d %H:%M:%S} *{beat.reason}* {tokens}, {used.cost_usd:.5f} USD: {what}"[:300]
