"""How a bot answers an interaction: message, deferral, update, choices or form; then edits and follow-ups."""

from typing import Annotated, TypedDict

from bot.playground.errors import ApiError, Unknown, invalid
from bot.playground.forms import ListOf, read
from bot.playground.interacting.asking import ANSWER_SECONDS, TOKEN_SECONDS
from bot.playground.kinds import Answer, Asked, Flag, MessageKind
from bot.playground.rows import Json
from bot.playground.world import World
from bot.playground.writing import posting
from bot.playground.writing.attachments import Upload
from bot.playground.writing.commands import ChoiceForm
from bot.playground.writing.components import read_modal
from bot.playground.writing.message import MessageForm

A = Answer
FITS = {
    Asked.COMMAND: (A.MESSAGE, A.DEFER, A.FORM),
    Asked.COMPONENT: (A.MESSAGE, A.DEFER, A.DEFER_UPDATE, A.UPDATE, A.FORM),
    Asked.AUTOCOMPLETE: (A.CHOICES,),
    Asked.FORM: (A.MESSAGE, A.DEFER, A.DEFER_UPDATE, A.UPDATE),
}


class DeferForm(TypedDict, total=False):
    """How the answer will be shown."""

    flags: int


class ChoicesForm(TypedDict):
    """What an option may be completed to."""

    choices: Annotated[list[ChoiceForm], ListOf(0, 25)]


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


def answer(world: World, row: Json, kind: Answer, data: Json, files: tuple[Upload, ...]) -> Json | None:
    """Carry out an answer and give the message it made or changed."""
    if kind not in FITS[row["type"]] or (kind in (A.DEFER_UPDATE, A.UPDATE) and row["message_id"] is None):
        raise invalid("type", "INTERACTION_CALLBACK_TYPE", "This answer does not fit the interaction.")
    message: Json | None = None
    match kind:
        case A.MESSAGE:
            message = _post(world, row, read(MessageForm, data, "data"), files)
        case A.DEFER:
            message = _placeholder(world, row, read(DeferForm, data, "data"))
        case A.DEFER_UPDATE:
            message = world.messages.get(row["message_id"])
        case A.UPDATE:
            message = _update(world, row, read(MessageForm, data, "data"), files)
        case A.CHOICES:
            _give_choices(world, row, read(ChoicesForm, data, "data"))
        case A.FORM:
            row = row | {"modal": _give_form(world, row, data), "cause": _cause(row)}
    _settle(world, row, kind, message)
    return message


def _settle(world: World, row: Json, kind: Answer, message: Json | None) -> None:
    settled = row | {"answered": True, "deferred": kind is A.DEFER, "failed": False}
    if message is not None:
        settled["original_id"] = message["id"]
    world.interactions.put(row["token"], settled)
    if kind is not A.CHOICES:
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
    if row["type"] == Asked.COMPONENT:
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
    if row["type"] == Asked.COMMAND:
        marks["type"] = MessageKind.MENU_COMMAND if row.get("target") else MessageKind.COMMAND
    if ephemeral:
        marks |= {"only_for": row["user_id"], "flags": int(Flag.EPHEMERAL)}
    return marks


def _post(world: World, row: Json, form: MessageForm, files: tuple[Upload, ...]) -> Json:
    marks = _marks(row, ephemeral=bool(form.get("flags", 0) & Flag.EPHEMERAL))
    if row["type"] != Asked.COMMAND:
        form = _answering(world, row["message_id"], form)
    return posting.post(world, _channel(world, row), row["application_id"], form, files, more=marks)


def _answering(world: World, message_id: object, form: MessageForm) -> MessageForm:
    """An answer to a button stands as a reply to the message that has it, a follow-up to the first answer."""
    source = world.messages.get(message_id)
    if source is None:
        return form
    return {**form, "message_reference": {"message_id": source["id"], "fail_if_not_exists": False}}


def _placeholder(world: World, row: Json, form: DeferForm) -> Json:
    """The bot is thinking: an empty message that its answer will fill."""
    marks = _marks(row, ephemeral=bool(form.get("flags", 0) & Flag.EPHEMERAL))
    flags = int(marks.pop("flags", 0) | Flag.LOADING)
    return posting.say(world, _channel(world, row), row["application_id"], "", flags=flags, **marks)


def _update(world: World, row: Json, form: MessageForm, files: tuple[Upload, ...]) -> Json:
    message = world.messages.get(row["message_id"])
    if message is None:
        raise Unknown(10008)
    return posting.edit(world, _channel(world, row), message, form, files)


def _give_choices(world: World, row: Json, form: ChoicesForm) -> None:
    given = {"choices": form["choices"], "nonce": row["nonce"]}
    _tell_asker(world, row, "APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE", given)


def _give_form(world: World, row: Json, data: Json) -> Json:
    modal = read_modal(data)
    shown = modal | {
        "id": row["id"],
        "nonce": row["nonce"],
        "channel_id": row["channel_id"],
        "application": {"id": row["application_id"], "name": world.users.rows[row["application_id"]]["username"]},
    }
    _tell_asker(world, row, "INTERACTION_MODAL_CREATE", shown)
    return modal


def _tell_asker(world: World, row: Json, name: str, data: Json) -> None:
    """Tell the client that asked, and no other one of the same person, unless it named no session that is there."""
    session = world.hub.find(row.get("session_id") or "")
    named = session.id if session is not None and session.user_id == row["user_id"] else None
    world.tell_users([row["user_id"]], name, data, session_id=named)


def follow_up(world: World, row: Json, form: MessageForm, files: tuple[Upload, ...]) -> Json:
    """Post one more message; the first after a deferral fills the placeholder."""
    if row.get("deferred") and (original := world.messages.get(row.get("original_id"))):
        return edit_answer(world, row, original, form, files)
    marks = _marks(row, ephemeral=bool(form.get("flags", 0) & Flag.EPHEMERAL))
    if row.get("original_id"):
        marks["interaction"]["more"] = marks["interaction"].get("more", {}) | {
            "original_response_message_id": row["original_id"]
        }
    marks["type"] = MessageKind.SAID
    form = _answering(world, row.get("original_id"), form)
    return posting.post(world, _channel(world, row), row["application_id"], form, files, more=marks)


def edit_answer(world: World, row: Json, message: Json, form: MessageForm, files: tuple[Upload, ...]) -> Json:
    """Change a message that answers an interaction; a placeholder becomes the answer."""
    message = posting.edit(world, _channel(world, row), message, form, files)
    if row.get("deferred") and message["id"] == row.get("original_id"):
        world.interactions.put(row["token"], row | {"deferred": False})
    return message
