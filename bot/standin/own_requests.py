"""Requests that are granted by an action: about oneself and one's own room."""

import re
from datetime import datetime, timedelta

from bot.core.hud.formats.document import Document
from bot.core.records import Json
from bot.standin.turn import OpenLine, Rule, Turn, rule

UNITS = {"second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3_600, "day": 86_400}
LONGEST_SECONDS = 7 * 86_400
TOPIC_LENGTH, BILLBOARD_LENGTH = 120, 1_000
WPM = (10, 200)


def act(kind: str, **parameters: Json) -> Document:
    return {"type": kind, **parameters}


def done(says: str, *actions: Document, thought: str = "Did as asked.") -> Turn:
    return Turn(says=says, actions=actions, thought=thought)


def clean(text: str, length: int) -> str:
    """What was quoted, or the rest of the sentence without its last stop."""
    text = " ".join(text.split()).strip()
    quoted = re.fullmatch(r"[\"'“‘](.+)[\"'”’][.!]?", text)
    return (quoted[1] if quoted else text.rstrip(".!?"))[:length]


def set_topic(open_line: OpenLine, found: re.Match[str]) -> Turn:
    topic = clean(found["words"], TOPIC_LENGTH)
    says = open_line.pick([f"My room's topic is now: {topic}", f"Done. We talk about {topic} now."])
    return done(says, act("set_topic", topic=topic))


def set_billboard(_: OpenLine, found: re.Match[str]) -> Turn:
    return done("It's on my billboard.", act("set_billboard", message=clean(found["words"], BILLBOARD_LENGTH)))


def clear(_: OpenLine, found: re.Match[str]) -> Turn:
    what = found["what"].lower()
    return done(f"My {what} is cleared.", act(f"clear_{what}"))


def sleep_for(open_line: OpenLine, found: re.Match[str]) -> Turn:
    seconds = 300.0
    if found["count"]:
        seconds = amount(found["count"]) * UNITS[found["unit"].lower().rstrip("s")]
    return sleep(open_line, seconds)


def amount(word: str) -> float:
    return {"a": 1.0, "an": 1.0, "half an": 0.5}.get(word.lower()) or float(word)


def sleep(open_line: OpenLine, seconds: float) -> Turn:
    if open_line.hud.now is None:
        return Turn(says="I can't see a clock, so I don't know when to wake up.")
    if not 0 < seconds <= LONGEST_SECONDS:
        return Turn(says="That is no time I could sleep: more than nothing and at most seven days.")
    until = open_line.hud.now + timedelta(seconds=seconds)
    return done(f"Good night. I'll be back at {until:%H:%M}.", act("sleep", until=iso(until)))


def sleep_until(open_line: OpenLine, found: re.Match[str]) -> Turn:
    now, hour, minute = open_line.hud.now, int(found["hour"]), int(found["minute"] or 0)
    if now is None or hour > 23 or minute > 59:
        return Turn(says="I can't make out that time.")
    until = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    return sleep(open_line, ((until - now).total_seconds() - 1) % 86_400 + 1)


def iso(at: datetime) -> str:
    """ISO 8601 with an offset; a HUD's time without one is UTC."""
    return at.isoformat(timespec="seconds") + ("Z" if at.tzinfo is None else "")


def remind(open_line: OpenLine, found: re.Match[str]) -> Turn | None:
    if open_line.hud.now is None:
        return None
    at = open_line.hud.now + timedelta(seconds=amount(found["count"]) * UNITS[found["unit"].lower().rstrip("s")])
    words = f"{open_line.who}, you asked me to remind you: {clean(found['words'], 500)}"
    action = act("schedule_message", room_id=open_line.room.id, message=words, at=iso(at))
    return done(f"I'll remind you at {at:%H:%M}.", action)


def rename(_: OpenLine, found: re.Match[str]) -> Turn:
    name = clean(found["name"], 50)
    return done(f"Then I'm {name} from now on.", act("set_name", name=name))


def pace(open_line: OpenLine, found: re.Match[str]) -> Turn:
    wpm = max(WPM[0], min(WPM[1], int(found["wpm"])))
    return done(f"{wpm} words a minute in my room.", act("set_wpm", wpm=wpm))


def open_door(_: OpenLine, found: re.Match[str]) -> Turn:
    access = found["access"].lower()
    return done(f"My room is {access} now.", act("set_access", access=access))


def react(open_line: OpenLine, found: re.Match[str]) -> Turn:
    signs = {"heart": "heart", "brain": "brain", "down": "thumbs_down", "👎": "thumbs_down", "🧠": "brain"}
    kind = next((name for sign, name in signs.items() if sign in found[0].lower()), "thumbs_up")
    kind = "heart" if "❤" in found[0] else kind
    return done("Here you are.", act("react", message_id=open_line.line.id, reaction=kind))


def note(_: OpenLine, found: re.Match[str]) -> Turn:
    return done("I'll keep that in view.", act("hud_note", text=clean(found["words"], 300)))


def task(_: OpenLine, found: re.Match[str]) -> Turn:
    words = clean(found["words"], 300)
    return done(f"My task now: {words}", act("hud_update", section="currentTask", value=words))


TIMES = r"(?P<count>\d{1,6}(?:\.\d)?|half an|an?) ?(?P<unit>seconds?|secs?|minutes?|mins?|hours?|days?)"

OWN_REQUESTS: tuple[Rule, ...] = (
    rule(r"\b(?:set|change|make) (?:your |the |this )?(?:room'?s? )?topic (?:to|be)?:? ?(?P<words>\S.*)", set_topic),
    rule(r"\b(?:set|change) (?:your |the )?billboard(?: to| saying)?:? ?(?P<words>\S.*)", set_billboard),
    rule(r"\b(?:put|write|pin) (?P<words>.+) (?:on|to) (?:your|the) billboard", set_billboard),
    rule(r"\bclear (?:your |the )?(?P<what>topic|billboard)\b", clear),
    rule(r"\b(?:sleep|nap|rest) until (?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?", sleep_until),
    rule(rf"\b(?:sleep|nap|rest) (?:for )?{TIMES}|\b(?:go to sleep|take a nap)\b", sleep_for),
    rule(rf"\bremind me in {TIMES}(?: to| that| of|:)? (?P<words>.+)", remind),
    rule(r"\b(?:(?:set|change) your name to|call yourself|rename yourself(?: to)?) (?P<name>.+)", rename),
    rule(r"\bset (?:your |the )?(?:wpm|pace|speed) to (?P<wpm>\d{1,4})", pace),
    rule(
        r"\b(?:set|make) (?:your |the )?(?:access|door|room)(?: access)? (?:to )?(?P<access>open|knock|closed)\b",
        open_door,
    ),
    rule(r"\b(?:react|give me|leave)\b.*(?:heart|thumbs? ?(?:up|down)|thumb|brain|👍|👎|🧠|❤)", react),
    rule(r"\b(?:note|take a note)(?: that|:) (?P<words>.+)", note),
    rule(r"\b(?:your (?:new )?task is|set your task to) (?P<words>.+)", task),
)
