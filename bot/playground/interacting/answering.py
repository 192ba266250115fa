"""How a bot answers an interaction: message, deferral, update, choices or form; then edits and follow-ups."""

from typing import Any

from bot.playground.errors import ApiError, Unknown, invalid
from bot.playground.interacting.asking import ANSWER_SECONDS, AUTOCOMPLETE, COMMAND, COMPONENT, MODAL, TOKEN_SECONDS
from bot.playground.rest.call import Upload
from bot.playground.rest.form import Form
from bot.playground.world import World
from bot.playground.writing import posting
from bot.playground.writing.components import read_modal
from bot.playground.writing.draft import EPHEMERAL
from bot.playground.writing.spec import Text

Json = dict[str, Any]

PONG, MESSAGE, DEFER, DEFER_UPDATE, UPDATE, CHOICES, FORM = 1, 4, 5, 6, 7, 8, 9
FITS = {
    COMMAND: (MESSAGE, DEFER, FORM),
    COMPONENT: (MESSAGE, DEFER, DEFER_UPDATE, UPDATE, FORM),
    AUTOCOMPLETE: (CHOICES,),
    MODAL: (MESSAGE, DEFER, DEFER_UPDATE, UPDATE),
}


def find_for_callback(world: World, interaction_id: str, token: str) -> Json:
    """Give an interaction that can still be answered; raises 10062 or 40060."""
    row = world.interactions.get(token)
    if row is None or row["id"] != interaction_id:
        raise Unknown(10062)
    if row["answered"]:
        raise ApiError(400, 40060)
    if world.clock.seconds - row["made_at"] > ANSWER_SECONDS:
        raise Unknown(10062)
    return row


def find_for_webhook(world: World, application_id: str, token: str) -> Json:
    """Give an interaction whose token is still good; raises 10015 or 50027."""
    row = world.interactions.get(token)
    if row is None or row["application_id"] != application_id or not row["answered"]:
        raise Unknown(10015)
    if world.clock.seconds - row["made_at"] > TOKEN_SECONDS:
        raise ApiError(401, 50027)
    return row


def answer(world: World, row: Json, kind: int, data: Json, files: tuple[Upload, ...]) -> Json | None:
    """Carry out an answer and give the message it made or changed."""
    if kind not in FITS[row["type"]] or (kind in (DEFER_UPDATE, UPDATE) and row["message_id"] is None):
        raise invalid("type", "INTERACTION_CALLBACK_TYPE", "This answer does not fit the interaction.")
    message: Json | None = None
    match kind:
        case 4:
            message = _post(world, row, data, files)
        case 5:
            message = _placeholder(world, row, data)
        case 6:
            message = world.messages.get(row["message_id"])
        case 7:
            message = _update(world, row, data, files)
        case 8:
            _give_choices(world, row, data)
        case 9:
            row = row | {"modal": _give_form(world, row, data), "cause": _cause(row)}
    _settle(world, row, kind, message)
    return message


def _settle(world: World, row: Json, kind: int, message: Json | None) -> None:
    settled = row | {"answered": True, "deferred": kind == DEFER, "failed": False}
    if message is not None:
        settled["original_id"] = message["id"]
    world.interactions.put(row["token"], settled)
    if kind != CHOICES:
        begun = {"id": row["id"], "nonce": row["nonce"]}
        world.tell_users([row["user_id"]], "INTERACTION_SUCCESS", begun)


def _channel(world: World, row: Json) -> Json:
    channel = world.channels.get(row["channel_id"])
    if channel is None:
        raise Unknown(10003)
    return channel


def _cause(row: Json) -> Json:
    """What a message keeps of the interaction it answers; of a form also what opened it."""
    keys = ("id", "type", "user_id", "guild_id", "name")
    cause: Json = {key: row[key] for key in keys}
    if row["type"] == COMPONENT:
        cause["more"] = {"interacted_message_id": row["message_id"]}
    if (opener := row.get("opener")) is not None:
        cause["opener"] = opener
    return cause


def _marks(row: Json, *, ephemeral: bool) -> Json:
    marks: Json = {
        "application_id": row["application_id"],
        "webhook_id": row["application_id"],
        "interaction": _cause(row),
        "interaction_id": row["id"],
    }
    if row["type"] == COMMAND:
        marks["type"] = 23 if row.get("target") else 20
    if ephemeral:
        marks |= {"only_for": row["user_id"], "flags": EPHEMERAL}
    return marks


def _wants_ephemeral(data: Json) -> bool:
    flags = data.get("flags") or 0
    return isinstance(flags, int) and bool(flags & EPHEMERAL)


def _post(world: World, row: Json, data: Json, files: tuple[Upload, ...]) -> Json:
    marks = _marks(row, ephemeral=_wants_ephemeral(data))
    if row["type"] != COMMAND:
        data = data | _reference(world, row, marks)
    return posting.post(world, _channel(world, row), row["application_id"], data, files, more=marks)


def _reference(world: World, row: Json, marks: Json) -> Json:
    """An answer to a button stands as a reply to the message that has it."""
    source = world.messages.get(row["message_id"]) if row["message_id"] else None
    if source is None:
        return {}
    return {"message_reference": {"message_id": source["id"], "fail_if_not_exists": False}}


def _placeholder(world: World, row: Json, data: Json) -> Json:
    """The bot is thinking: an empty message that its answer will fill."""
    marks = _marks(row, ephemeral=_wants_ephemeral(data))
    flags = marks.pop("flags", 0) | posting.LOADING
    return posting.say(world, _channel(world, row), row["application_id"], "", flags=flags, **marks)


def _update(world: World, row: Json, data: Json, files: tuple[Upload, ...]) -> Json:
    message = world.messages.get(row["message_id"])
    if message is None:
        raise Unknown(10008)
    return posting.edit(world, _channel(world, row), message, data, files)


def _give_choices(world: World, row: Json, data: Json) -> None:
    form = Form(data)
    choices = form.objects("choices", high=25) or []
    form.check()
    for index, choice in enumerate(choices):
        Text(1, 100).read(choice.get("name"), f"data.choices.{index}.name")
    given = {"choices": choices, "nonce": row["nonce"]}
    world.tell_users([row["user_id"]], "APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE", given)


def _give_form(world: World, row: Json, data: Json) -> Json:
    modal = read_modal(data)
    shown = modal | {
        "id": row["id"],
        "nonce": row["nonce"],
        "channel_id": row["channel_id"],
        "application": {"id": row["application_id"], "name": world.users.rows[row["application_id"]]["username"]},
    }
    world.tell_users([row["user_id"]], "INTERACTION_MODAL_CREATE", shown)
    return modal


def follow_up(world: World, row: Json, data: Json, files: tuple[Upload, ...]) -> Json:
    """Post one more message; the first after a deferral fills the placeholder."""
    if row.get("deferred") and (original := world.messages.get(row.get("original_id"))):
        return edit_answer(world, row, original, data, files)
    marks = _marks(row, ephemeral=_wants_ephemeral(data))
    if row.get("original_id"):
        marks["interaction"]["more"] = marks["interaction"].get("more", {}) | {
            "original_response_message_id": row["original_id"]
        }
    marks["type"] = 0
    body = data
    if row.get("original_id") and (original := world.messages.get(row["original_id"])):
        body = data | {"message_reference": {"message_id": original["id"], "fail_if_not_exists": False}}
    return posting.post(world, _channel(world, row), row["application_id"], body, files, more=marks)


def edit_answer(world: World, row: Json, message: Json, data: Json, files: tuple[Upload, ...]) -> Json:
    """Change a message that answers an interaction; a placeholder becomes the answer."""
    message = posting.edit(world, _channel(world, row), message, data, files)
    if row.get("deferred") and message["id"] == row.get("original_id"):
        world.interactions.put(row["token"], row | {"deferred": False})
    return message
