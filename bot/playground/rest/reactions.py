"""`.../reactions`: giving, taking back, listing and clearing them."""

import re
from typing import Annotated, TypedDict

from bot.playground.call import Call
from bot.playground.errors import ApiError, Unknown
from bot.playground.forms import Choice, Snowflake, Whole
from bot.playground.permissions import Permission
from bot.playground.rest.routes import Routes
from bot.playground.rows import Json
from bot.playground.shapes.guild import show_member
from bot.playground.shapes.message import show_emoji
from bot.playground.shapes.user import show_user
from bot.playground.snowflakes import is_snowflake

routes = Routes()


class WhoQuery(TypedDict, total=False):
    """A page of those who reacted; type 1 are bursts, which nobody gives here."""

    limit: Annotated[int, Whole(1, 100)]
    after: Snowflake
    type: Annotated[str, Choice("0", "1")]


MOST = 20
NAME = re.compile(r"\w{1,32}")  # of a server's own emoji
BASE = "/channels/{channel_id}/messages/{message_id}/reactions"


def read_emoji(given: str) -> str:
    """Give the emoji of a URL, checked: an emoji character, or `name:id`."""
    name, _, emoji_id = given.removeprefix("<").removesuffix(">").partition(":")
    if emoji_id and not (is_snowflake(emoji_id) and NAME.fullmatch(name)):
        raise ApiError(400, 10014)
    if not emoji_id and (not name or len(name) > 32 or name.isascii()):
        raise ApiError(400, 10014)
    return f"{name}:{emoji_id}" if emoji_id else name


def _emoji(call: Call) -> str:
    return read_emoji(call.params["emoji_name"])


def _find(row: Json, emoji: str) -> Json | None:
    return next((given for given in row.get("reactions", ()) if given["emoji"] == emoji), None)


@routes.on("PUT", BASE + "/{emoji_name}/@me")
def add(call: Call) -> None:
    """React; the first to use an emoji needs permission, the others only join in."""
    channel = call.channel(Permission.READ_MESSAGE_HISTORY)
    row, emoji = call.message(channel), _emoji(call)
    given = _find(row, emoji)
    if given is None:
        call.may(channel, Permission.ADD_REACTIONS)
        if len(row.get("reactions", ())) >= MOST:
            raise ApiError(403, 30010)
        given = {"emoji": emoji, "users": []}
        row.setdefault("reactions", []).append(given)
    if call.me in given["users"]:
        return
    given["users"].append(call.me)
    call.world.messages.put(row)
    more: Json = {"message_author_id": row["author_id"], "type": 0, "burst": False}
    if member := call.world.member(channel.get("guild_id"), call.me):
        more["member"] = show_member(call.world, member)
    _tell(call, channel, row, "MESSAGE_REACTION_ADD", _who(call.me, emoji) | more)


def _who(user_id: str, emoji: str) -> Json:
    return {"user_id": user_id, "emoji": show_emoji(emoji)}


def _tell(call: Call, channel: Json, row: Json, name: str, data: Json) -> None:
    data |= {"channel_id": channel["id"], "message_id": row["id"]}
    if channel.get("guild_id"):
        data["guild_id"] = channel["guild_id"]
    call.world.tell_channel(channel, name, data)


def _take_back(call: Call, channel: Json, user_id: str) -> None:
    row, emoji = call.message(channel), _emoji(call)
    given = _find(row, emoji)
    if given is None or user_id not in given["users"]:
        raise Unknown(10014)
    given["users"].remove(user_id)
    row["reactions"] = [kept for kept in row["reactions"] if kept["users"]]
    call.world.messages.put(row)
    _tell(call, channel, row, "MESSAGE_REACTION_REMOVE", _who(user_id, emoji) | {"type": 0, "burst": False})


@routes.on("DELETE", BASE + "/{emoji_name}/@me")
def remove_mine(call: Call) -> None:
    """Take one's own reaction back."""
    _take_back(call, call.channel(), call.me)


@routes.on("DELETE", BASE + "/{emoji_name}/{user_id}")
def remove_of(call: Call) -> None:
    """Remove somebody's reaction."""
    user_id = call.params["user_id"]
    channel = call.channel() if user_id == call.me else call.channel(Permission.MANAGE_MESSAGES)
    _take_back(call, channel, user_id)


@routes.on("DELETE", BASE + "/{emoji_name}")
def remove_emoji(call: Call) -> None:
    """Remove one emoji of everybody."""
    channel = call.channel(Permission.MANAGE_MESSAGES)
    row, emoji = call.message(channel), _emoji(call)
    if _find(row, emoji) is None:
        raise Unknown(10014)
    row["reactions"] = [kept for kept in row["reactions"] if kept["emoji"] != emoji]
    call.world.messages.put(row)
    _tell(call, channel, row, "MESSAGE_REACTION_REMOVE_EMOJI", {"emoji": show_emoji(emoji)})


@routes.on("DELETE", BASE)
def remove_all(call: Call) -> None:
    """Remove every reaction."""
    channel = call.channel(Permission.MANAGE_MESSAGES)
    row = call.message(channel)
    call.world.messages.put(row | {"reactions": []})
    _tell(call, channel, row, "MESSAGE_REACTION_REMOVE_ALL", {})


@routes.on("GET", BASE + "/{emoji_name}")
def who(call: Call, query: WhoQuery) -> list[Json]:
    """Give who reacted with an emoji, by id."""
    channel = call.channel(Permission.READ_MESSAGE_HISTORY)
    given = _find(call.message(channel), _emoji(call)) or {"users": []}
    after = int(query.get("after", 0))
    ids = [] if query.get("type") == "1" else sorted(map(int, given["users"]))
    users = call.world.users.rows
    return [show_user(users[str(i)]) for i in ids if i > after][: query.get("limit", 25)]
