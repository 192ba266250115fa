"""Where what is sent differs from Discord's description, and why that is right.

The description is a preview: discord.py and Discord itself send more than it lists, and null where it names none.
"""

from jsonschema.exceptions import ValidationError

# Routes that people's clients use and that the description of the bots' API leaves out.
NOT_DESCRIBED = (
    "POST /interactions",
    "GET /channels/{channel_id}/application-command-index",
    "POST /channels/{channel_id}/messages/{message_id}/ack",
    "GET /users/@me/channels",
)


def is_known_difference(side: str, route: str, error: ValidationError) -> bool:
    """Whether a fault is one of those listed here."""
    path = [part for part in error.absolute_path if isinstance(part, str)]
    # The faults of a form have words as codes ("BASE_TYPE_REQUIRED"); the description asks for numbers.
    worded_codes = side == "response" and path[:1] == ["errors"]
    # Forwards have references of type 1; the description knows only replies (0).
    forwarded = path[-2:] == ["message_reference", "type"] and error.instance == 1
    return worded_codes or forwarded
