"""Webhooks: making them, and posting, changing and deleting through them."""

import secrets
from typing import Any

from bot.playground import places
from bot.playground.errors import ApiError, Unknown, invalid
from bot.playground.faces import keep_face, keep_link
from bot.playground.permissions import Permission
from bot.playground.rest.answers import edit_through_token, message_through_token, post_through_interaction
from bot.playground.rest.call import Call, Reply
from bot.playground.rest.form import Form
from bot.playground.rest.routes import Routes
from bot.playground.rest.threads import open_post
from bot.playground.shapes.message import show_message
from bot.playground.shapes.webhook import show_webhook
from bot.playground.world import THREADS
from bot.playground.writing import posting

Json = dict[str, Any]

routes = Routes()

MOST = 15
FORUMS = (15, 16)
FORBIDDEN = ("clyde", "discord")


def check_name(form: Form, name: str, *, required: bool = False) -> str | None:
    """Read a webhook's name: 1 to 80 characters, without what Discord forbids."""
    given = form.text(name, low=1, high=80, required=required)
    for word in FORBIDDEN:
        if given and word in given.lower():
            message = f'Username cannot contain "{word}"'
            form.fault(name, "USERNAME_INVALID_CONTAINS", message)
    return given.strip() if given else given


@routes.on("POST", "/channels/{channel_id}/webhooks")
def create(call: Call) -> Json:
    """Make a webhook."""
    channel = call.channel(Permission.MANAGE_WEBHOOKS)
    form = Form(call.form)
    name = check_name(form, "name", required=True)
    form.check()
    if channel.get("guild_id") is None or channel["type"] in THREADS:
        raise ApiError(400, 50024)
    if len(_in_channel(call, channel)) >= MOST:
        raise ApiError(400, 30007)
    row: Json = {
        "id": call.world.ids.next(),
        "token": secrets.token_urlsafe(51),
        "name": name,
        "avatar": keep_face(call.world, call.form.get("avatar")),
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
    if not secrets.compare_digest(row["token"], call.params["webhook_token"]):
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
def edit(call: Call) -> Json:
    """Change a webhook's name, face or channel."""
    row = _managed(call)
    form = Form(call.form)
    channel_id = form.snowflake("channel_id")
    changed = _changed(call, form)
    if channel_id is not None:
        target = call.world.channels.get(channel_id)
        if target is None or target.get("guild_id") != row["guild_id"]:
            raise Unknown(10003)
        call.may(target, Permission.MANAGE_WEBHOOKS)
        changed["channel_id"] = channel_id
    row = call.world.webhooks.put(row["id"], row | changed)
    _tell(call, row)
    return show_webhook(call.world, row)


@routes.on("PATCH", "/webhooks/{webhook_id}/{webhook_token}", door="open")
def edit_by_token(call: Call) -> Json:
    """Change a webhook's name or face with its token."""
    row = _by_token(call)
    row = call.world.webhooks.put(row["id"], row | _changed(call, Form(call.form)))
    _tell(call, row)
    return show_webhook(call.world, row, with_user=False)


def _changed(call: Call, form: Form) -> Json:
    name = check_name(form, "name")
    form.check()
    changed: Json = {} if name is None else {"name": name}
    if form.has("avatar"):
        changed["avatar"] = keep_face(call.world, form.body["avatar"])
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
def execute(call: Call) -> Reply | Json:
    """Post through a webhook; an application's id with an interaction's token posts a follow-up."""
    if call.world.applications.get(call.params["webhook_id"]):
        return post_through_interaction(call)
    hook = _by_token(call)
    form = Form(call.form)
    name = check_name(form, "username")
    form.check()
    target = _target(call, hook)
    call.world.limits.take_webhook(hook["channel_id"])
    author = {"name": name or hook["name"], "avatar": hook["avatar"]}
    if call.form.get("avatar_url"):
        author["avatar"] = keep_link(call.world, str(call.form["avatar_url"]))
    row = posting.post(call.world, target, hook["id"], call.form, call.files, more=_marks(call, hook, author))
    return show_message(call.world, row, viewer=None) if call.flag("wait") else Reply(204)


def _marks(call: Call, hook: Json, author: Json) -> Json:
    if call.form.get("message_reference"):
        raise invalid("message_reference", "WEBHOOK_REFERENCE", "Webhooks cannot reply.")
    marks: Json = {"webhook_id": hook["id"], "webhook": author}
    return marks | ({"application_id": hook["application_id"]} if hook["application_id"] else {})


def _target(call: Call, hook: Json) -> Json:
    """Give the channel, the thread of it that was asked for, or a new post of a forum."""
    channel = call.world.channels.rows[hook["channel_id"]]
    thread_id, thread_name = call.query.get("thread_id"), call.form.get("thread_name")
    if thread_id and thread_name:
        raise ApiError(400, 220002)
    if thread_name:
        if channel["type"] not in FORUMS:
            raise ApiError(400, 220003)
        return open_post(call, channel, str(thread_name), owner_id=hook["id"])
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
def message(call: Call) -> Json:
    """Give a message that this webhook posted."""
    return show_message(call.world, _message(call)[0], viewer=None)


@routes.on("PATCH", MESSAGE, door="open")
def edit_message(call: Call) -> Json:
    """Change a message that this webhook posted."""
    if call.world.applications.get(call.params["webhook_id"]):
        return edit_through_token(call)
    row, channel = _message(call)
    row = posting.edit(call.world, channel, row, call.form, call.files)
    return show_message(call.world, row, viewer=None)


@routes.on("DELETE", MESSAGE, door="open")
def delete_message(call: Call) -> None:
    """Delete a message that this webhook posted."""
    row, channel = _message(call)
    posting.remove(call.world, channel, [row])
