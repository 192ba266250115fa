"""IDENTIFY and RESUME: who connects, what it may hear, and the events it is greeted with."""

import json

from bot.playground.events import ALL_INTENTS, PRIVILEGED
from bot.playground.gateway.wire import GatewayClosed
from bot.playground.hub import new_session_id
from bot.playground.kinds import DIRECT
from bot.playground.rows import Json
from bot.playground.session import Session
from bot.playground.shapes.channel import show_direct
from bot.playground.shapes.guild import show_whole_guild
from bot.playground.shapes.user import show_me
from bot.playground.world import World


def identify(world: World, data: Json) -> Session | None:
    """Open a session; None when a bot does so too often; raises GatewayClosed when it can't be."""
    user = world.user_with(str(data.get("token", "")).removeprefix("Bot "))
    if user is None:
        raise GatewayClosed(4004, "Authentication failed.")
    is_bot = bool(user.get("bot"))
    intents = _intents(world, user, data.get("intents")) if is_bot else ALL_INTENTS
    shard = _shard(data.get("shard") or [0, 1])
    if is_bot and not world.limits.may_identify(user["id"]):
        return None
    if not world.hub.has_room_for(user["id"]):
        raise GatewayClosed(4008, "Too many sessions are open.")
    session = Session(
        id=new_session_id(),
        user_id=user["id"],
        token=user["token"],
        is_bot=is_bot,
        intents=intents,
        shard=shard,
    )
    return world.hub.open(session)


def _intents(world: World, user: Json, asked: object) -> int:
    if not isinstance(asked, int) or asked < 0 or asked & ~ALL_INTENTS:
        raise GatewayClosed(4013, "Invalid intent(s).")
    application = world.applications.get(user["id"]) or {"flags": 0}
    for intent, flag in PRIVILEGED.items():
        if asked & intent and not application["flags"] & flag:
            raise GatewayClosed(4014, "Disallowed intent(s).")
    return asked


def _shard(asked: object) -> tuple[int, int]:
    match asked:
        case [int(number), int(count)] if 0 <= number < count:
            return number, count
        case _:
            raise GatewayClosed(4010, "Invalid shard.")


def greet(world: World, session: Session, *, gateway_url: str) -> None:
    """Send READY and, one by one, the servers the user is in."""
    guilds = [guild for guild in world.guilds_of(session.user_id) if session.serves(guild["id"])]
    session.put("READY", json.dumps(_ready(world, session, guilds, gateway_url)))
    if session.hears_guilds:
        for guild in guilds:
            session.put("GUILD_CREATE", json.dumps(show_whole_guild(world, guild, session) | {"unavailable": False}))


def _ready(world: World, session: Session, guilds: list[Json], gateway_url: str) -> Json:
    user = world.users.rows[session.user_id]
    ready: Json = {
        "v": 10,
        "user": show_me(user),
        "guilds": [{"id": guild["id"], "unavailable": True} for guild in guilds],
        "session_id": session.id,
        "resume_gateway_url": gateway_url,
        "session_type": "normal",
        "user_settings": {},
        "presences": [],
        "relationships": [],
        "private_channels": [] if session.is_bot else _conversations(world, session.user_id),
        "shard": list(session.shard),
    }
    if (application := world.applications.get(user["id"])) is not None:
        ready["application"] = {"id": application["id"], "flags": application["flags"]}
    return ready


def _conversations(world: World, user_id: str) -> list[Json]:
    channels = world.channels.within(None).values()
    return [
        show_direct(world, channel, user_id)
        for channel in channels
        if channel["type"] in DIRECT and user_id in channel["recipients"]
    ]


def resume(world: World, data: Json) -> Session | None:
    """Give the session to go on with; None when it is unknown or too much has been missed."""
    session = world.hub.find(str(data.get("session_id")))
    token = str(data.get("token", "")).removeprefix("Bot ")
    if session is None or session.token != token:
        return None
    seq = data.get("seq")
    if not isinstance(seq, int) or seq > session.seq:
        raise GatewayClosed(4007, "Invalid seq.")
    if not session.can_replay_after(seq):
        world.hub.drop(session)
        return None
    session.sent = seq
    return session
