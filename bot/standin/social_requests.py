"""Requests that concern other rooms and agents: doors, keys, attention, look-ups, new agents."""

import re

from bot.core.hud.formats.document import Document
from bot.standin.lookups import LOOKING
from bot.standin.own_requests import act, clean, done
from bot.standin.turn import OpenLine, Rule, Turn, rule
from bot.standin.view import Hud, Seat

DOOR = "door"
ASKED = re.compile(r"\b(?:ask|request|knock)\b", re.IGNORECASE)


def knock(open_line: OpenLine, found: re.Match[str]) -> Turn | None:
    if not ASKED.search(open_line.said, 0, found.start()):
        return None
    room_id = open_line.hud.id_of(found["room"])
    if room_id is None:
        return unknown(found["room"])
    action = act("request_access", room_id=room_id, key=clean(found["key"], 64))
    return done(f"I've knocked at room {room_id}.", action)


def unknown(named: str) -> Turn:
    return Turn(says=f"I know of nothing called {clean(named, 60)}.", thought="Not in my directory.")


def join(open_line: OpenLine, found: re.Match[str]) -> Turn:
    room_id = open_line.hud.id_of(found["room"])
    if room_id is None:
        return unknown(found["room"])
    return done(f"On my way to room {room_id}.", act("join_room", room_id=room_id))


def leave(open_line: OpenLine, found: re.Match[str]) -> Turn:
    named = found["room"]
    room_id = open_line.hud.id_of(named) if named else open_line.room.id
    if room_id is None:
        return unknown(named)
    if room_id == open_line.seat.id:
        return Turn(says="This is my own room; I can't leave it.")
    return done("I'll leave, then. Goodbye.", act("leave_room", room_id=room_id))


def rooms(open_line: OpenLine, _: re.Match[str]) -> Turn:
    mine = ", ".join(f"{room.name or 'my room'} ({room.id})" for room in open_line.seat.rooms)
    others = [entry for entry in open_line.hud.directory if entry.id not in {room.id for room in open_line.seat.rooms}]
    more = ", ".join(f"{entry.name} ({entry.id})" for entry in others[:10])
    return Turn(says=f"I'm in {mine}." + (f" There is also {more}." if more else ""), thought="Asked about rooms.")


def who_is_here(open_line: OpenLine, _: re.Match[str]) -> Turn:
    names = [open_line.hud.name_of(member) for member in open_line.room.members if member != open_line.seat.id]
    people = list(dict.fromkeys(line.speaker for line in open_line.room.lines if line.by_person))
    shown = ", ".join([*names, *people[-8:]])
    return Turn(says=f"Here: {shown or 'nobody'}, and me.", thought="Asked who is here.")


def attend(open_line: OpenLine, found: re.Match[str]) -> Turn:
    room_id = open_line.hud.id_of(found["room"])
    if room_id is None:
        return unknown(found["room"])
    value = "%*" if found["value"] is None else f"{found['value']}%"
    return done(f"Attention on room {room_id}: {value}.", act("set_attention", room_id=room_id, value=value))


def wake(open_line: OpenLine, found: re.Match[str]) -> Turn:
    agent_id = open_line.hud.id_of(found["agent"])
    if agent_id is None:
        return unknown(found["agent"])
    return done("I've given a nudge.", act("wake_agent", agent_id=agent_id))


def make_key(_: OpenLine, found: re.Match[str]) -> Turn:
    given: Document = {name: clean(found[name], 64) for name in ("key", "label") if found[name]}
    return done("The key is made. I won't say it in a room.", act("create_key", **given))


def revoke_key(_: OpenLine, found: re.Match[str]) -> Turn:
    return done("That key opens nothing any more.", act("revoke_key", key=clean(found["label"], 64)))


def give_key(open_line: OpenLine, found: re.Match[str]) -> Turn:
    agent_id = open_line.hud.id_of(found["agent"])
    if agent_id is None:
        return unknown(found["agent"])
    return done("I've handed it over.", act("give_key", label=clean(found["label"], 64), agent_id=agent_id))


def decide(_: OpenLine, found: re.Match[str]) -> Turn:
    kind = "deny_access" if found["verb"].lower() in ("deny", "reject", "refuse") else "grant_access"
    return done("Decided.", act(kind, request_id=int(found["request"])))


def shut_door(_: OpenLine, __: re.Match[str]) -> Turn:
    return done("I'll let nobody in from now on.", act("set", path=DOOR, value="shut"))


def unlatch_door(_: OpenLine, __: re.Match[str]) -> Turn:
    return done("I'll let those in who have a key.", act("set", path=DOOR, value="open"))


def look_up(open_line: OpenLine, found: re.Match[str]) -> Turn:
    query = clean(found["query"], 100)
    return done(f"{LOOKING} '{query}'.", act("recall", query=query))


def compact(open_line: OpenLine, _: re.Match[str]) -> Turn:
    return done("I've asked for a summary.", act("compact", room_id=open_line.room.id))


def create_agent(open_line: OpenLine, found: re.Match[str]) -> Turn:
    if not open_line.seat.may_create:
        return Turn(says="I'm not allowed to make other agents. A manager could permit it.")
    name, seed = clean(found["name"], 50), clean(found["seed"] or "", 2_000)
    kind = "bot" if found["kind"].lower() == "bot" else "persona"
    prompt = f"You are {name}, {seed}." if seed else f"You are {name}, a new resident who is curious about everyone."
    action = act("create_agent", name=name, background_prompt=prompt, agent_type=kind, in_room_id=open_line.room.id)
    return done(f"{name} is on the way.", action)


def retire(open_line: OpenLine, found: re.Match[str]) -> Turn:
    agent_id = open_line.hud.id_of(found["agent"])
    if not open_line.seat.may_create or agent_id in (None, open_line.seat.id):
        return Turn(says="That is not mine to do.")
    return done("Done.", act("retire_agent", agent_id=agent_id))


def at_the_door(seat: Seat, hud: Hud) -> list[Document]:
    """The answers to those who wait for access to the agent's own room: let in, unless told otherwise."""
    waiting = [pending for room in seat.rooms if room.own for pending in room.knocks]
    if re.search(KEEP_OUT, seat.seed, re.IGNORECASE):
        return []
    kind = "deny_access" if seat.knowledge.get(DOOR) == "shut" else "grant_access"
    return [act(kind, request_id=pending.id) for pending in waiting]


KEEP_OUT = (
    r"\b(?:don't|do not|never) (?:grant|let (?:any|some)(?:one|body) in)|\blet (?:nobody|no one) in"
    r"|\bdeny (?:all|every)|\bkeep (?:every|any)(?:one|body) out"
)

SOCIAL_REQUESTS: tuple[Rule, ...] = (
    rule(r"(?<![\w-])(?P<room>[\w-]++) (?:with|using) (?:the )?(?:key|password) (?P<key>.+)", knock),
    rule(r"\b(?:join|enter|go to) (?:the )?(?:room )#?(?P<room>.+)", join),
    rule(r"\bleave (?:(?:this|the) (?:room|channel)$|(?:the )?room #?(?P<room>[\w -]+)|here$)", leave),
    rule(r"\b(?:what|which) (?:other )?rooms?\b", rooms),
    rule(r"\bwho(?:'s| is| are| else is)? (?:all )?(?:here|in this room|in here)\b", who_is_here),
    rule(r"\bpay (?P<value>\d{1,3}) ?(?:%|percent) (?:of )?(?:your )?attention to (?:room )?(?P<room>.+)", attend),
    rule(
        r"\bset (?:your )?attention (?:for|of|to|in|on) (?:room )?(?P<room>\S+)"
        r" to (?:(?P<value>\d{1,3}) ?%?|dynamic|%\*)",
        attend,
    ),
    rule(r"\bwake (?:up )?(?:agent )?(?P<agent>@?[\w-]+)", wake),
    rule(
        r"\b(?:create|make) (?:me )?an? (?:new )?key(?: (?!called|labell?ed|named)(?P<key>[\w-]{4,64}))?"
        r"(?: (?:called|labell?ed|named) (?P<label>[\w -]+))?",
        make_key,
    ),
    rule(r"\brevoke (?:the )?key (?P<label>.+)", revoke_key),
    rule(r"\bgive (?:the )?key (?P<label>[\w -]+?) to (?:agent )?(?P<agent>.+)", give_key),
    rule(r"\b(?P<verb>grant|accept|deny|reject|refuse) (?:access )?(?:request )?#?(?P<request>\d+)", decide),
    rule(KEEP_OUT, shut_door),
    rule(r"\blet (?:people|them|everyone|everybody) in\b|\bgrant (?:all|every)", unlatch_door),
    rule(r"\b(?:what did (?:we|I|they|anyone) say about|search for|look up|recall) (?P<query>.+)", look_up),
    rule(r"\b(?:summari[sz]e|compact) (?:this|the|our)\b", compact),
    rule(
        r"\b(?:create|make) (?:me )?an? (?:new )?(?P<kind>agent|persona|bot|character) (?:called|named) "
        r"(?P<name>[^,.;:\n]+?)(?:(?:,? (?:who|that)(?: is|'s)?|,| as|:) (?P<seed>.+))?$",
        create_agent,
    ),
    rule(r"\bretire (?:agent )?(?P<agent>@?[\w -]+)", retire),
)
