"""`POST /interactions`, as people's clients use it, and the callback through which bots answer."""

from typing import Annotated, Required, TypedDict

from bot.playground.call import Call, Reply
from bot.playground.errors import Refused, Unknown
from bot.playground.forms import Anything, Choice, Snowflake, Text, Thing
from bot.playground.interacting import answering
from bot.playground.interacting.asking import ask
from bot.playground.interacting.invoking import ANY_DATA, read_form, read_invocation
from bot.playground.interacting.pressing import read_press
from bot.playground.kinds import Answer, Asked, Flag
from bot.playground.rest.commands import may_use
from bot.playground.rest.routes import Routes
from bot.playground.rows import Json
from bot.playground.shapes.message import show_message
from bot.playground.writing.message import Nonce

routes = Routes()


class InteractionForm(TypedDict, total=False):
    """What a person's client sends; `data` is looked at by what is asked."""

    type: Required[Annotated[int, Choice(*Asked)]]
    data: Required[Annotated[Json, Thing(ANY_DATA)]]
    channel_id: Required[Snowflake]
    application_id: Snowflake
    guild_id: Snowflake
    message_id: Snowflake
    message_flags: int
    session_id: Annotated[str, Text(0, 100)]
    nonce: Annotated[int | str, Nonce()]


class CallbackForm(TypedDict, total=False):
    """A bot's answer; `data` is looked at by its type."""

    type: Required[Annotated[int, Choice(*Answer)]]
    data: Annotated[Json, Anything()]


class CallbackQuery(TypedDict, total=False):
    """Whether the message is wanted back."""

    with_response: bool


@routes.on("POST", "/interactions")
def interact(call: Call, form: InteractionForm) -> Reply:
    """Invoke a command (2), press a component (3), type into an option (4) or send a form (5)."""
    if call.is_bot:
        raise Refused(20001)
    channel = call.world.channels.get(form["channel_id"])
    if channel is None:
        raise Unknown(10003)
    call.may(channel)
    match form["type"]:
        case Asked.COMMAND | Asked.AUTOCOMPLETE:
            _invoke(call, form, channel)
        case Asked.COMPONENT:
            _press(call, form, channel)
        case _:
            _send_form(call, form, channel)
    return Reply(204)


def _application(call: Call, form: InteractionForm, channel: Json) -> str:
    application_id = form.get("application_id", "")
    if not call.world.applications.get(application_id):
        raise Unknown(10002)
    guild_id = channel.get("guild_id")
    if guild_id and call.world.member(guild_id, application_id) is None:
        raise Unknown(10002)
    return application_id


def _invoke(call: Call, form: InteractionForm, channel: Json) -> None:
    application_id, data = _application(call, form, channel), form["data"]
    command = call.world.commands.get(data.get("id"))
    known = command is not None and command["application_id"] == application_id
    if command is None or not known or command.get("guild_id") not in (None, channel.get("guild_id")):
        raise Unknown(10063)
    if not may_use(call.world, command, channel, call.me):
        raise Refused(50013)
    complete = form["type"] == Asked.COMMAND
    said = read_invocation(call, command, channel, data, complete=complete)
    _ask(call, form, application_id, channel, {"data": said, "name": _full_name(said)})


def _full_name(said: Json) -> str:
    """Give the name with its subcommands, as a message's header shows it."""
    names, part = [said["name"]], said
    while (inner := part.get("options")) and inner[0]["type"] in (1, 2):
        part = inner[0]
        names.append(part["name"])
    return " ".join(names)


def _ask(call: Call, form: InteractionForm, application_id: str, channel: Json, asked: Json) -> None:
    marks: Json = {"type": form["type"], "nonce": form.get("nonce"), "session_id": form.get("session_id")}
    ask(call.world, call.me, application_id, channel, asked | marks)


def _source(call: Call, form: InteractionForm, channel: Json) -> Json:
    row = call.world.messages.get(form.get("message_id"))
    if row is None or row["channel_id"] != channel["id"] or row.get("only_for", call.me) != call.me:
        raise Unknown(10008)
    return row


def _press(call: Call, form: InteractionForm, channel: Json) -> None:
    row = _source(call, form, channel)
    application_id = row.get("application_id") or row["author_id"]
    if not call.world.applications.get(application_id):
        raise Unknown(10002)
    said = read_press(call, row, channel, form["data"])
    _ask(call, form, application_id, channel, {"data": said, "message": row})


def _send_form(call: Call, form: InteractionForm, channel: Json) -> None:
    application_id, data = _application(call, form, channel), form["data"]
    opened = _form_of(call, application_id, data)
    said = read_form(call, opened["modal"], channel, data)
    source = call.world.messages.get(opened["message_id"]) if opened["message_id"] else None
    _ask(call, form, application_id, channel, {"data": said, "message": source, "opener": opened["cause"]})


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
def callback(call: Call, form: CallbackForm, query: CallbackQuery) -> Reply | Json:
    """Answer an interaction; within 3 s, once, and only in a way that fits it."""
    row = answering.find_for_callback(call.world, call.params["interaction_id"], call.params["interaction_token"])
    message = answering.answer(call.world, row, Answer(form["type"]), form.get("data", {}), call.files)
    if not query.get("with_response"):
        return Reply(204)
    return _callback_shown(call, row, form["type"], message)


def _callback_shown(call: Call, row: Json, kind: int, message: Json | None) -> Json:
    shown: Json = {"id": row["id"], "type": row["type"], "channel_id": row["channel_id"]}
    if row["guild_id"]:
        shown["guild_id"] = row["guild_id"]
    if message is None:
        return {"interaction": shown}
    shown |= {
        "response_message_id": message["id"],
        "response_message_loading": bool(message.get("flags", 0) & Flag.LOADING),
        "response_message_ephemeral": "only_for" in message,
    }
    if kind not in (Answer.MESSAGE, Answer.UPDATE):
        return {"interaction": shown}
    resource = {"type": kind, "message": show_message(call.world, message, viewer=None)}
    return {"interaction": shown, "resource": resource}
