"""Webhooks: making them, and posting, changing and deleting through them."""

import secrets
from dataclasses import dataclass
from typing import Annotated, Required, TypedDict

from bot.playground import places
from bot.playground.call import Call, Reply
from bot.playground.errors import ApiError, Unknown, invalid
from bot.playground.faces import keep_face, keep_link
from bot.playground.forms import Anything, ListOf, Snowflake, Text, Url, wrong
from bot.playground.interacting import answering
from bot.playground.kinds import FORUMS, THREADS
from bot.playground.permissions import Permission
from bot.playground.rest.routes import Routes
from bot.playground.rest.threads import open_post
from bot.playground.rows import Json
from bot.playground.shapes.message import show_message
from bot.playground.shapes.user import show_user
from bot.playground.world import World
from bot.playground.writing import posting
from bot.playground.writing.message import MessageForm

routes = Routes()

MOST = 15
FORBIDDEN = ("clyde", "discord")


@dataclass(frozen=True, slots=True)
class Name:
    """A webhook's name: 1 to 80 characters, without what Discord forbids."""

    def read(self, value: object) -> str:
        """Give the name."""
        name = Text(1, 80).read(value)
        if found := [word for word in FORBIDDEN if word in name.lower()]:
            raise wrong("USERNAME_INVALID_CONTAINS", f'Username cannot contain "{found[0]}"')
        return name.strip()


class NewWebhookForm(TypedDict, total=False):
    """What is said of a new webhook."""

    name: Required[Annotated[str, Name()]]
    avatar: Annotated[str | None, Anything()]


class WebhookForm(TypedDict, total=False):
    """What can be changed of a webhook; the channel only by who manages it."""

    name: Annotated[str, Name()]
    avatar: Annotated[str | None, Anything()]
    channel_id: Snowflake


class PostForm(MessageForm, total=False):
    """A message in a name of its own; with `thread_name` it is a post of a forum."""

    username: Annotated[str, Name()]
    avatar_url: Annotated[str, Url(("http://", "https://", ""))]
    thread_name: Annotated[str, Text(1, 100)]
    applied_tags: Annotated[list[Snowflake], ListOf(0, 5)]


class PostQuery(TypedDict, total=False):
    """Where a message goes, and whether it is wanted back."""

    wait: bool
    thread_id: Snowflake
    with_components: bool


@routes.on("POST", "/channels/{channel_id}/webhooks")
def create(call: Call, form: NewWebhookForm) -> Json:
    """Make a webhook."""
    channel = call.channel(Permission.MANAGE_WEBHOOKS)
    if channel.get("guild_id") is None or channel["type"] in THREADS:
        raise ApiError(400, 50024)
    if len(_in_channel(call, channel)) >= MOST:
        raise ApiError(400, 30007)
    row: Json = {
        "id": call.world.ids.next(),
        "token": secrets.token_urlsafe(51),
        "name": form["name"],
        "avatar": keep_face(call.world, form.get("avatar")),
        "channel_id": channel["id"],
        "guild_id": channel["guild_id"],
        "user_id": call.me,
        "application_id": call.me if call.is_bot else None,
    }
    call.world.webhooks.put(row["id"], row)
    _tell(call, row)
    return show_webhook(call.world, row)


def _in_channel(call: Call, channel: Json) -> list[Json]:
    rows = call.world.webhooks.within(channel.get("guild_id")).values()
    return [row for row in rows if row["channel_id"] == channel["id"]]


def _tell(call: Call, row: Json) -> None:
    if (channel := call.world.channels.get(row["channel_id"])) is not None:
        data = {"guild_id": row["guild_id"], "channel_id": row["channel_id"]}
        call.world.tell_channel(channel, "WEBHOOKS_UPDATE", data)


@routes.on("GET", "/channels/{channel_id}/webhooks")
def in_channel(call: Call) -> list[Json]:
    """Give a channel's webhooks."""
    channel = call.channel(Permission.MANAGE_WEBHOOKS)
    return [_shown(call, row) for row in _in_channel(call, channel)]


@routes.on("GET", "/guilds/{guild_id}/webhooks")
def in_guild(call: Call) -> list[Json]:
    """Give a server's webhooks."""
    guild = call.guild()
    call.may_in_guild(guild, Permission.MANAGE_WEBHOOKS)
    return [_shown(call, row) for row in call.world.webhooks.within(guild["id"]).values()]


def _shown(call: Call, row: Json) -> Json:
    """Show a webhook; the token only to the application that made it."""
    shown = show_webhook(call.world, row)
    if row["application_id"] not in (None, call.me):
        del shown["token"], shown["url"]
    return shown


def _managed(call: Call) -> Json:
    row = call.world.webhooks.get(call.params["webhook_id"])
    channel = call.world.channels.get(row["channel_id"]) if row else None
    if row is None or channel is None:
        raise Unknown(10015)
    call.may(channel, Permission.MANAGE_WEBHOOKS)
    return row


def _by_token(call: Call) -> Json:
    row = call.world.webhooks.get(call.params["webhook_id"])
    if row is None:
        raise Unknown(10015)
    if not secrets.compare_digest(row["token"].encode(), call.params["webhook_token"].encode("utf-8", "replace")):
        raise ApiError(401, 50027)
    return row


@routes.on("GET", "/webhooks/{webhook_id}")
def webhook(call: Call) -> Json:
    """Give a webhook."""
    return _shown(call, _managed(call))


@routes.on("GET", "/webhooks/{webhook_id}/{webhook_token}", door="open")
def webhook_by_token(call: Call) -> Json:
    """Give a webhook to who has its token."""
    return show_webhook(call.world, _by_token(call), with_user=False)


@routes.on("PATCH", "/webhooks/{webhook_id}")
def edit(call: Call, form: WebhookForm) -> Json:
    """Change a webhook's name, face or channel."""
    row = _managed(call)
    changed = _changed(call, form)
    if (channel_id := form.get("channel_id")) is not None:
        target = call.world.channels.get(channel_id)
        if target is None or target.get("guild_id") != row["guild_id"]:
            raise Unknown(10003)
        call.may(target, Permission.MANAGE_WEBHOOKS)
        changed["channel_id"] = channel_id
    row = call.world.webhooks.put(row["id"], row | changed)
    _tell(call, row)
    return _shown(call, row)


@routes.on("PATCH", "/webhooks/{webhook_id}/{webhook_token}", door="open")
def edit_by_token(call: Call, form: WebhookForm) -> Json:
    """Change a webhook's name or face with its token."""
    row = _by_token(call)
    row = call.world.webhooks.put(row["id"], row | _changed(call, form))
    _tell(call, row)
    return show_webhook(call.world, row, with_user=False)


def _changed(call: Call, form: WebhookForm) -> Json:
    changed: Json = {"name": form["name"]} if "name" in form else {}
    if "avatar" in form:
        changed["avatar"] = keep_face(call.world, form["avatar"])
    return changed


@routes.on("DELETE", "/webhooks/{webhook_id}")
def delete(call: Call) -> None:
    """Remove a webhook; what it posted stays."""
    row = _managed(call)
    call.world.webhooks.drop(row["id"])
    _tell(call, row)


@routes.on("DELETE", "/webhooks/{webhook_id}/{webhook_token}", door="open")
def delete_by_token(call: Call) -> None:
    """Remove a webhook with its token."""
    row = _by_token(call)
    call.world.webhooks.drop(row["id"])
    _tell(call, row)


@routes.on("POST", "/webhooks/{webhook_id}/{webhook_token}", door="open")
def execute(call: Call, form: PostForm, query: PostQuery) -> Reply | Json:
    """Post through a webhook; an application's id with an interaction's token posts a follow-up."""
    if call.world.applications.get(call.params["webhook_id"]):
        return post_through_interaction(call, form)
    hook = _by_token(call)
    target = _target(call, form, query, hook)
    call.world.limits.take_webhook(hook["channel_id"])
    author = {"name": form.get("username", hook["name"]), "avatar": hook["avatar"]}
    if form.get("avatar_url"):
        author["avatar"] = keep_link(call.world, form["avatar_url"])
    row = posting.post(call.world, target, hook["id"], form, call.files, more=_marks(form, hook, author))
    return show_message(call.world, row, viewer=None) if query.get("wait") else Reply(204)


def _marks(form: PostForm, hook: Json, author: Json) -> Json:
    if "message_reference" in form:
        raise invalid("message_reference", "WEBHOOK_REFERENCE", "Webhooks cannot reply.")
    marks: Json = {"webhook_id": hook["id"], "webhook": author}
    return marks | ({"application_id": hook["application_id"]} if hook["application_id"] else {})


def _target(call: Call, form: PostForm, query: PostQuery, hook: Json) -> Json:
    """Give the channel, the thread of it that was asked for, or a new post of a forum."""
    channel = call.world.channels.rows[hook["channel_id"]]
    thread_id, thread_name = query.get("thread_id"), form.get("thread_name")
    if thread_id and thread_name:
        raise ApiError(400, 220002)
    if thread_name:
        if channel["type"] not in FORUMS:
            raise ApiError(400, 220003)
        return open_post(call, channel, thread_name, form.get("applied_tags", []), owner_id=hook["id"])
    if thread_id:
        thread = call.world.channels.get(thread_id)
        if thread is None or thread.get("parent_id") != channel["id"]:
            raise Unknown(10003)
        if thread["archived"]:
            thread = places.change_channel(call.world, thread, {"archived": False})
        return thread
    if channel["type"] in FORUMS:
        raise ApiError(400, 220001)
    return channel


MESSAGE = "/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}"


def _message(call: Call) -> tuple[Json, Json]:
    """Give one of the webhook's own messages and its channel."""
    if call.world.applications.get(call.params["webhook_id"]):
        return message_through_token(call)
    hook = _by_token(call)
    row = call.world.messages.get(call.params["message_id"])
    if row is None or row.get("webhook_id") != hook["id"]:
        raise Unknown(10008)
    return row, call.world.channels.rows[row["channel_id"]]


@routes.on("GET", MESSAGE, door="open")
def message(call: Call, query: PostQuery) -> Json:
    """Give a message that this webhook posted."""
    return show_message(call.world, _message(call)[0], viewer=None)


@routes.on("PATCH", MESSAGE, door="open")
def edit_message(call: Call, form: MessageForm, query: PostQuery) -> Json:
    """Change a message that this webhook posted."""
    if call.world.applications.get(call.params["webhook_id"]):
        return edit_through_token(call, form)
    row, channel = _message(call)
    row = posting.edit(call.world, channel, row, form, call.files)
    return show_message(call.world, row, viewer=None)


@routes.on("DELETE", MESSAGE, door="open")
def delete_message(call: Call, query: PostQuery) -> None:
    """Delete a message that this webhook posted."""
    row, channel = _message(call)
    posting.remove(call.world, channel, [row])


def show_webhook(world: World, row: Json, *, with_user: bool = True) -> Json:
    """Show a webhook with its token; without the user when it is asked for by that token."""
    shown: Json = {
        "id": row["id"],
        "type": 1,
        "name": row["name"],
        "avatar": row.get("avatar"),
        "channel_id": row["channel_id"],
        "guild_id": row["guild_id"],
        "application_id": row.get("application_id"),
        "token": row["token"],
        "url": f"https://discord.com/api/webhooks/{row['id']}/{row['token']}",
    }
    if with_user:
        shown["user"] = show_user(world.users.rows[row["user_id"]])
    return shown


def _interaction(call: Call) -> Json:
    return answering.find_for_webhook(call.world, call.params["webhook_id"], call.params["webhook_token"])


def post_through_interaction(call: Call, form: MessageForm) -> Json:
    """Post a follow-up."""
    row = answering.follow_up(call.world, _interaction(call), form, call.files)
    return show_message(call.world, row, viewer=None)


def message_through_token(call: Call) -> tuple[Json, Json]:
    """Give a message that answers the interaction (`@original` is the first one) and its channel."""
    interaction = _interaction(call)
    wanted = call.params.get("message_id", "@original")
    message_id = interaction.get("original_id") if wanted == "@original" else wanted
    row = call.world.messages.get(message_id)
    is_ours = row and (row.get("interaction_id") == interaction["id"] or message_id == interaction.get("original_id"))
    if row is None or not is_ours:
        raise Unknown(10008)
    return row, call.world.channels.rows[row["channel_id"]]


def edit_through_token(call: Call, form: MessageForm) -> Json:
    """Change a message that answers the interaction."""
    row, _ = message_through_token(call)
    row = answering.edit_answer(call.world, _interaction(call), row, form, call.files)
    return show_message(call.world, row, viewer=None)
