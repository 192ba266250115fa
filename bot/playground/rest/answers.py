"""What an application does with an interaction's token through the webhook routes."""

from bot.playground.call import Call
from bot.playground.errors import Unknown
from bot.playground.interacting import answering
from bot.playground.rows import Json
from bot.playground.shapes.message import show_message
from bot.playground.writing.message import MessageForm


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
