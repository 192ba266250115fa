"""Errors in Discord's JSON shape, with its codes."""

Tree = dict[str, object]  # faults by field, as nested as the form

WORDS = {
    0: "404: Not Found",
    10002: "Unknown Application",
    10003: "Unknown Channel",
    10004: "Unknown Guild",
    10007: "Unknown Member",
    10008: "Unknown Message",
    10009: "Unknown Permission Overwrite",
    10011: "Unknown Role",
    10013: "Unknown User",
    10014: "Unknown Emoji",
    10015: "Unknown Webhook",
    10026: "Unknown Ban",
    10062: "Unknown interaction",
    10063: "Unknown application command",
    10066: "Unknown application command permissions",
    20022: "This message cannot be edited due to announcement rate limits",
    30001: "Maximum number of guilds reached (100)",
    30005: "Maximum number of guild roles reached (250)",
    30007: "Maximum number of webhooks reached (15)",
    30010: "Maximum number of reactions reached (20)",
    30013: "Maximum number of guild channels reached (500)",
    30032: "Maximum number of application commands reached (100)",
    40005: "Request entity too large",
    40007: "The user is banned from this guild",
    40060: "Interaction has already been acknowledged.",
    50001: "Missing Access",
    50003: "Cannot execute action on a DM channel",
    50005: "Cannot edit a message authored by another user",
    50006: "Cannot send an empty message",
    50007: "Cannot send messages to this user",
    50008: "Cannot send messages in a non-text channel",
    50013: "Missing Permissions",
    50019: "A message can only be pinned in the channel it was sent in",
    50021: "Cannot execute action on a system message",
    50024: "Cannot execute action on this channel type",
    50027: "Invalid Webhook Token",
    50028: "Invalid Role",
    50034: "A message provided was too old to bulk delete",
    50035: "Invalid Form Body",
    50046: "Invalid file uploaded",
    50083: "Thread is archived",
    50109: "The request body contains invalid JSON.",
    50159: "Voice messages do not support additional content.",
    50160: "Voice messages must have a single audio attachment.",
    50161: "Voice messages must have supporting metadata.",
    90001: "Reaction was blocked",
    160004: "A thread has already been created for this message",
    220001: "Webhooks posted to forum channels must have a thread_name or thread_id",
    220002: "Webhooks posted to forum channels cannot have both a thread_name and thread_id",
    220003: "Webhooks can only create threads in forum channels",
}


class ApiError(Exception):
    """An answer that says no: `status` is HTTP's, `code` Discord's, `fields` the faulty parts of a form."""

    def __init__(self, status: int, code: int, message: str | None = None, *, fields: Tree | None = None) -> None:
        self.status = status
        self.code = code
        self.message = message or WORDS.get(code, "Bad Request")
        self.fields = fields
        self.headers: dict[str, str] = {}
        super().__init__(f"{status} {code}: {self.message}")

    def body(self) -> dict[str, object]:
        """Give the JSON that is sent."""
        body: dict[str, object] = {"message": self.message, "code": self.code}
        if self.fields:
            body["errors"] = self.fields
        return body


class Unknown(ApiError):
    """Something named in the request is not there."""

    def __init__(self, code: int) -> None:
        super().__init__(404, code)


class Refused(ApiError):
    """Whoever asks may not do this."""

    def __init__(self, code: int = 50013) -> None:
        super().__init__(403, code)


def unauthorized() -> ApiError:
    """Give the answer to a missing or wrong token."""
    return ApiError(401, 0, "401: Unauthorized")


def leaf(code: str, message: str) -> Tree:
    """Give one fault of one field of a form."""
    return {"_errors": [{"code": code, "message": message}]}


def invalid(path: str, code: str, message: str) -> ApiError:
    """Give the answer to a form with one faulty field; `path` has dots (`components.0.custom_id`)."""
    fields = leaf(code, message)
    for part in reversed(path.split(".")):
        fields = {part: fields}
    return ApiError(400, 50035, fields=fields)
