"""What a person sends: the options of a command against its definition, the inputs of a form against the form."""

from collections.abc import Iterator

from bot.playground.call import Call
from bot.playground.errors import ApiError, invalid
from bot.playground.forms import Anything, Fields, ListOf, Text, Thing, Truth, Whole, fitted
from bot.playground.interacting.pressing import VALUES, chosen
from bot.playground.interacting.resolving import Resolved
from bot.playground.kinds import CommandKind, OptionKind, Part
from bot.playground.rows import Json
from bot.playground.writing.attachments import keep_file

LONGEST = 6000
OPTION: Fields = {"name": Text(1, 32), "type": Whole(), "value": Anything(), "focused": Truth(), "options": Anything()}
OPTIONS = ListOf(item=Thing(OPTION, ("name",)))
# What people's clients say of a command, a component or a form that they use.
DATA = "id name type version guild_id options target_id attachments application_command custom_id component_type"
ANY_DATA: Fields = dict.fromkeys((*DATA.split(), "values", "components"), Anything())


def read_invocation(call: Call, command: Json, channel: Json, data: Json, *, complete: bool) -> Json:
    """Give the data the bot gets for a command; `complete` is false while options are being typed."""
    resolved = Resolved(call.world, channel, call.me)
    said: Json = {"id": command["id"], "name": command["name"], "type": command["type"]}
    if "guild_id" in command:
        said["guild_id"] = command["guild_id"]
    if command["type"] == CommandKind.SLASH:
        reader = _Options(call, channel, resolved, complete=complete)
        options = reader.read(command.get("options") or [], data.get("options"))
        if options:
            said["options"] = options
    else:
        said["target_id"] = _target(call, command, channel, resolved, str(data.get("target_id")))
    return said | ({"resolved": resolved.found} if resolved.found else {})


def _target(call: Call, command: Json, channel: Json, resolved: Resolved, target_id: str) -> str:
    if command["type"] == CommandKind.USER_MENU:
        if not resolved.user(target_id):
            raise ApiError(404, 10013)
        return target_id
    row = call.world.messages.get(target_id)
    if row is None or row["channel_id"] != channel["id"] or row.get("only_for", call.me) != call.me:
        raise ApiError(404, 10008)
    resolved.message(row)
    return target_id


class _Options:
    """Checks the options of one command, subcommands and groups included."""

    def __init__(self, call: Call, channel: Json, resolved: Resolved, *, complete: bool) -> None:
        self._call = call
        self._channel = channel
        self._resolved = resolved
        self._complete = complete

    def read(self, defined: list[Json], sent: object) -> list[Json]:
        """Give the options as the bot gets them."""
        given = fitted(OPTIONS, sent if sent is not None else [], "options")
        by_name = {option["name"]: option for option in defined}
        names = [option.get("name") for option in given]
        for name in names:
            if name not in by_name:
                raise invalid(str(name), "APPLICATION_COMMAND_OPTION_UNKNOWN", "There is no such option.")
        wants_one = any(option["type"] in (OptionKind.SUBCOMMAND, OptionKind.GROUP) for option in defined)
        if wants_one and len(given) != 1:
            raise invalid("options", "APPLICATION_COMMAND_SUBCOMMAND_REQUIRED", "Choose a subcommand.")
        for option in defined:
            if self._complete and option.get("required") and option["name"] not in names:
                raise invalid(option["name"], "BASE_TYPE_REQUIRED", "This option is required.")
        return [self._one(by_name[option["name"]], option) for option in given]

    def _one(self, defined: Json, given: Json) -> Json:
        said: Json = {"name": defined["name"], "type": defined["type"]}
        if defined["type"] in (OptionKind.SUBCOMMAND, OptionKind.GROUP):
            inner = self.read(defined.get("options") or [], given.get("options"))
            return said | {"options": inner}
        if given.get("focused"):
            return said | {"value": str(given.get("value", "")), "focused": True}
        return said | {"value": self._value(defined, given.get("value"))}

    def _value(self, defined: Json, value: object) -> object:
        value = self._typed(defined, value)
        choices = [choice["value"] for choice in defined.get("choices") or ()]
        if choices and value not in choices:
            raise invalid(defined["name"], "APPLICATION_COMMAND_OPTION_CHOICE", "Not one of the choices.")
        return value

    def _typed(self, defined: Json, value: object) -> object:
        match defined["type"]:
            case OptionKind.STRING if isinstance(value, str):
                return _within(defined, value, len(value), "length", most=LONGEST)
            case OptionKind.INTEGER if isinstance(value, int) and not isinstance(value, bool):
                return _within(defined, value, value, "value", most=2**53)
            case OptionKind.NUMBER if isinstance(value, int | float) and not isinstance(value, bool):
                return _within(defined, value, value, "value", most=2**53)
            case OptionKind.BOOLEAN if isinstance(value, bool):
                return value
            case OptionKind.ATTACHMENT:
                return self._file(defined, value)
            case _ if self._resolve(defined, str(value)):
                return str(value)
        raise invalid(defined["name"], "APPLICATION_COMMAND_OPTION_TYPE", "Not a value of this option's type.")

    def _resolve(self, defined: Json, value: str) -> bool:
        match defined["type"]:
            case OptionKind.USER:
                return self._resolved.user(value)
            case OptionKind.CHANNEL:
                return self._resolved.channel(value, defined.get("channel_types"))
            case OptionKind.ROLE:
                return self._resolved.role(value)
            case OptionKind.MENTIONABLE:
                return self._resolved.user(value) or self._resolved.role(value)
        return False

    def _file(self, defined: Json, value: object) -> str:
        found = [file for file in self._call.files if str(file.slot) == str(value)]
        if not found:
            raise invalid(defined["name"], "APPLICATION_COMMAND_OPTION_TYPE", "Send the file along.")
        attachment = keep_file(self._call.world, self._channel["id"], found[0])
        self._resolved.attachment(attachment)
        return str(attachment["id"])


def _within(defined: Json, value: object, size: float, what: str, *, most: float) -> object:
    low, high = defined.get(f"min_{what}", -most), defined.get(f"max_{what}", most)
    if not low <= size <= high:
        raise invalid(defined["name"], "APPLICATION_COMMAND_OPTION_RANGE", f"The {what} must be in its limits.")
    return value


def read_form(call: Call, modal: Json, channel: Json, data: Json) -> Json:
    """Give the data the bot gets for a form: every input of it, filled in or not."""
    given = {part["custom_id"]: part for part in _sent(data.get("components"))}
    filling = _Filling(call, channel, given)
    said: Json = {"custom_id": modal["custom_id"], "components": [filling.part(p) for p in modal["components"]]}
    return said | ({"resolved": filling.resolved.found} if filling.resolved.found else {})


def _sent(part: object) -> Iterator[Json]:
    """Give every input that was filled in, wherever it lies."""
    if isinstance(part, list):
        for inner in part:
            yield from _sent(inner)
    elif isinstance(part, dict):
        if isinstance(part.get("custom_id"), str):
            yield part
        yield from _sent([part.get("components"), part.get("component")])


class _Filling:
    """Puts a person's answers into the parts of a form."""

    def __init__(self, call: Call, channel: Json, given: dict[str, Json]) -> None:
        self._call = call
        self._channel = channel
        self._given = given
        self.resolved = Resolved(call.world, channel, call.me)

    def part(self, part: Json) -> Json:
        """Give one part as the bot gets it."""
        said: Json = {"type": part["type"], "id": part["id"]}
        if "components" in part:
            return said | {"components": [self.part(inner) for inner in part["components"]]}
        if "component" in part:
            return said | {"component": self.part(part["component"])}
        if "custom_id" not in part:
            return said
        return said | {"custom_id": part["custom_id"]} | self._answer(part)

    def _answer(self, part: Json) -> Json:
        given = self._given.get(part["custom_id"], {})
        match part["type"]:
            case Part.TEXT_INPUT:
                return {"value": _text(part, given.get("value"))}
            case Part.RADIO:
                return {"value": _one(part, given.get("value"))}
            case Part.CHECK:
                return {"value": bool(given.get("value"))}
        values = fitted(VALUES, given.get("values") or [], part["custom_id"])
        if not values and not part.get("required", True):
            return {"values": []}
        if part["type"] == Part.UPLOAD:
            return {"values": self._files(part, values)}
        return {"values": chosen(part, values, self.resolved)}

    def _files(self, part: Json, slots: list[str]) -> list[str]:
        files = [file for file in self._call.files if str(file.slot) in slots]
        if not part.get("min_values", 1) <= len(files) <= part.get("max_values", 1):
            raise ApiError(400, 50035)
        kept = [keep_file(self._call.world, self._channel["id"], file) for file in files]
        for attachment in kept:
            self.resolved.attachment(attachment)
        return [attachment["id"] for attachment in kept]


def _text(part: Json, value: object) -> str:
    low, high = part.get("min_length", 0), part.get("max_length", 4000)
    text = "" if value is None else str(value)
    if not text and part.get("required", True):
        raise invalid(part["custom_id"], "BASE_TYPE_REQUIRED", "This field is required")
    if text and not low <= len(text) <= high:
        raise invalid(part["custom_id"], "BASE_TYPE_BAD_LENGTH", f"Must be between {low} and {high} in length.")
    return text


def _one(part: Json, value: object) -> str | None:
    if value is None and not part.get("required", True):
        return None
    if value not in [option["value"] for option in part["options"]]:
        raise invalid(part["custom_id"], "COMPONENT_VALIDATION_FAILED", "Component validation failed")
    return str(value)
