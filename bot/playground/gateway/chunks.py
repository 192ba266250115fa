"""REQUEST_GUILD_MEMBERS: a server's members in chunks, by name or by id."""

import json

from bot.playground.gateway.wire import GatewayClosed
from bot.playground.rows import Json
from bot.playground.session import Session
from bot.playground.shapes.guild import show_member
from bot.playground.world import World

CHUNK = 1000


def send_members(world: World, session: Session, data: object) -> None:
    """Send the members asked for as GUILD_MEMBERS_CHUNK events; nothing for a server one is not in."""
    asked: Json = data if isinstance(data, dict) else {}
    guild_id = str(asked.get("guild_id"))
    if world.member(guild_id, session.user_id) is None:
        return
    found = _matching(world, guild_id, asked)
    members = [show_member(world, row) for row in found]
    chunks = [members[start : start + CHUNK] for start in range(0, len(members), CHUNK)] or [[]]
    for index, chunk in enumerate(chunks):
        chunked: Json = {
            "guild_id": guild_id,
            "members": chunk,
            "chunk_index": index,
            "chunk_count": len(chunks),
            "not_found": _missing(asked, found),
        }
        if asked.get("nonce") is not None:
            chunked["nonce"] = asked["nonce"]
        session.put("GUILD_MEMBERS_CHUNK", json.dumps(chunked))


def _matching(world: World, guild_id: str, asked: Json) -> list[Json]:
    rows = list(world.members.within(guild_id).values())
    ids = asked.get("user_ids")
    if ids:
        wanted = {str(i) for i in (ids if isinstance(ids, list) else [ids])}
        return [row for row in rows if row["user_id"] in wanted]
    query = str(asked.get("query") or "").lower()
    limit = _limit(asked) or len(rows)
    return [row for row in rows if _starts(world, row, query)][:limit]


def _limit(asked: Json) -> int:
    try:
        limit = int(asked.get("limit") or 0)
    except (ValueError, TypeError, OverflowError):
        limit = -1
    if limit < 0:
        raise GatewayClosed(4002, "Error while decoding payload.")
    return limit


def _starts(world: World, row: Json, query: str) -> bool:
    user = world.users.rows[row["user_id"]]
    names = (user["username"], user.get("global_name"), row.get("nick"))
    return any(name and name.lower().startswith(query) for name in names)


def _missing(asked: Json, found: list[Json]) -> list[str]:
    ids = asked.get("user_ids") or []
    there = {row["user_id"] for row in found}
    return [str(i) for i in (ids if isinstance(ids, list) else [ids]) if str(i) not in there]
