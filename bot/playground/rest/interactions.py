"""`POST /interactions`, as people's clients use it, and the callback through which bots answer."""

from typing import Any

from bot.playground.errors import ApiError, Refused, Unknown, invalid
from bot.playground.interacting import answering
from bot.playground.interacting.asking import AUTOCOMPLETE, COMMAND, COMPONENT, MODAL, ask
from bot.playground.interacting.filling import read_form
from bot.playground.interacting.invoking import read_invocation
from bot.playground.interacting.pressing import read_press
from bot.playground.rest.call import Call, Reply
from bot.playground.rest.commands import may_use
from bot.playground.rest.routes import Routes
from bot.playground.shapes.message import show_message
from bot.playground.writing.posting import LOADING

Json = dict[str, Any]

routes = Routes()


@routes.on("POST", "/interactions")
def interact(call: Call) -> Reply:
    """Invoke a command (2), press a component (3), type into an option (4) or send a form (5)."""
    if call.is_bot:
        raise Refused(20001)
    channel = _channel(call)
    data = call.form.get("data")
    if not isinstance(data, dict):
        raise invalid("data", "BASE_TYPE_REQUIRED", "This field is required")
    match call.form.get("type"):
        case 2 | 4:
            _invoke(call, channel, data)
        case 3:
            _press(call, channel, data)
        case 5:
            _send_form(call, channel, data)
        case _:
            raise invalid("type", "BASE_TYPE_CHOICES", "Value must be one of (2, 3, 4, 5).")
    return Reply(204)


def _channel(call: Call) -> Json:
    channel = call.world.channels.get(call.form.get("channel_id"))
    if channel is None:
        raise Unknown(10003)
    call.may(channel)
    return channel


def _application(call: Call, channel: Json) -> str:
    application_id = str(call.form.get("application_id"))
    if not call.world.applications.get(application_id):
        raise Unknown(10002)
    guild_id = channel.get("guild_id")
    if guild_id and call.world.member(guild_id, application_id) is None:
        raise Unknown(10002)
    return application_id


def _invoke(call: Call, channel: Json, data: Json) -> None:
    application_id = _application(call, channel)
    command = call.world.commands.get(data.get("id"))
    known = command is not None and command["application_id"] == application_id
    if command is None or not known or command.get("guild_id") not in (None, channel.get("guild_id")):
        raise Unknown(10063)
    if not may_use(call.world, command, channel, call.me):
        raise Refused(50013)
    complete = call.form["type"] == COMMAND
    said = read_invocation(call, command, channel, data, complete=complete)
    kind = COMMAND if complete else AUTOCOMPLETE
    _ask(call, application_id, channel, {"type": kind, "data": said, "name": _full_name(said)})


def _full_name(said: Json) -> str:
    """Give the name with its subcommands, as a message's header shows it."""
    names, part = [said["name"]], said
    while (inner := part.get("options")) and inner[0]["type"] in (1, 2):
        part = inner[0]
        names.append(part["name"])
    return " ".join(names)


def _ask(call: Call, application_id: str, channel: Json, asked: Json) -> None:
    ask(call.world, call.me, application_id, channel, asked | {"nonce": call.form.get("nonce")})


def _source(call: Call, channel: Json) -> Json:
    row = call.world.messages.get(call.form.get("message_id"))
    if row is None or row["channel_id"] != channel["id"] or row.get("only_for", call.me) != call.me:
        raise Unknown(10008)
    return row


def _press(call: Call, channel: Json, data: Json) -> None:
    row = _source(call, channel)
    application_id = row.get("application_id") or row["author_id"]
    if not call.world.applications.get(application_id):
        raise Unknown(10002)
    said = read_press(call, row, channel, data)
    _ask(call, application_id, channel, {"type": COMPONENT, "data": said, "message": row})


def _send_form(call: Call, channel: Json, data: Json) -> None:
    application_id = _application(call, channel)
    opened = _form_of(call, application_id, data)
    said = read_form(call, opened["modal"], channel, data)
    source = call.world.messages.get(opened["message_id"]) if opened["message_id"] else None
    asked = {"type": MODAL, "data": said, "message": source, "opener": opened["cause"]}
    _ask(call, application_id, channel, asked)


def _form_of(call: Call, application_id: str, data: Json) -> Json:
    """Give the interaction whose answer was this form; `data.id` names it, else the latest one counts."""
    found = [
        row
        for row in call.world.interactions.rows.values()
        if row["user_id"] == call.me
        and row["application_id"] == application_id
        and "modal" in row
        and row["modal"]["custom_id"] == data.get("custom_id")
        and str(data.get("id", row["id"])) == row["id"]
    ]
    if not found:
        raise Unknown(10062)
    return max(found, key=lambda row: int(row["id"]))


@routes.on("POST", "/interactions/{interaction_id}/{interaction_token}/callback", door="open")
def callback(call: Call) -> Reply | Json:
    """Answer an interaction; within 3 s, once, and only in a way that fits it."""
    row = answering.find_for_callback(call.world, call.params["interaction_id"], call.params["interaction_token"])
    kind = call.form.get("type")
    if not isinstance(kind, int) or kind not in (4, 5, 6, 7, 8, 9):
        raise ApiError(400, 50035)
    data = call.form.get("data") or {}
    if not isinstance(data, dict):
        raise ApiError(400, 50035)
    message = answering.answer(call.world, row, kind, data, call.files)
    if not call.flag("with_response"):
        return Reply(204)
    return _callback_shown(call, row, kind, message)


def _callback_shown(call: Call, row: Json, kind: int, message: Json | None) -> Json:
    shown: Json = {"id": row["id"], "type": row["type"], "channel_id": row["channel_id"]}
    if row["guild_id"]:
        shown["guild_id"] = row["guild_id"]
    if message is None:
        return {"interaction": shown}
    shown |= {
        "response_message_id": message["id"],
        "response_message_loading": bool(message.get("flags", 0) & LOADING),
        "response_message_ephemeral": "only_for" in message,
    }
    if kind not in (4, 7):
        return {"interaction": shown}
    resource = {"type": kind, "message": show_message(call.world, message, viewer=None)}
    return {"interaction": shown, "resource": resource}
