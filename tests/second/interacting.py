"""What a person's client does with an application: commands, buttons, forms, and answers for one pair of eyes."""

import asyncio
from typing import TYPE_CHECKING, Any

from simcord._modal import _modal_submit_nodes  # its own rules of what a form may be filled with
from simcord.backend import serializers
from simcord.backend.command_access import command_access
from simcord.backend.errors import SetupError
from simcord.backend.models import Interaction, Message
from simcord.components import validate_modal, walk_components
from simcord.interactions import base_payload, store_interaction_attachment, validate_option_value, walk_to_subcommand

if TYPE_CHECKING:
    from tests.second.server import SimcordServer

Json = dict[str, Any]

ANSWER_SECONDS = 3.0
COMMAND, COMPONENT, TYPED, FORM = 2, 3, 4, 5
FAILED = "INTERACTION_FAILURE"


class Interacting:
    """Words a person's interactions for the bot, and shows the person what comes back."""

    def __init__(self, server: "SimcordServer") -> None:
        self._server = server
        self._backend = server.backend
        self._commit, self._edit = server.backend.commit_message, server.backend.edit_message
        server.backend.commit_message = self._committed
        server.backend.edit_message = self._edited

    # What SimCord keeps to itself: messages that one person sees

    def _committed(self, message: Message, **options: bool) -> Message:
        return self._show("MESSAGE_CREATE", self._commit(message, **options))

    def _edited(self, channel_id: int, message_id: int, fields: Json) -> Message:
        return self._show("MESSAGE_UPDATE", self._edit(channel_id, message_id, fields))

    def _show(self, event: str, message: Message) -> Message:
        if message.is_ephemeral:
            shown = dict(serializers.message_payload(self._backend, message))
            self._server.tell(int(message.interaction_metadata["user"]["id"]), event, shown)
        return message

    def answered(self, interaction_id: int) -> None:
        """Show a form or suggestions, if that is the bot's answer."""
        record = self._backend.interactions[interaction_id]
        if record.modal is not None:
            about = {"id": str(record.id), "channel_id": str(record.channel_id)}
            self._server.tell(record.user_id, "INTERACTION_MODAL_CREATE", dict(record.modal) | about)
        elif record.autocomplete_choices is not None:
            choices = {"choices": record.autocomplete_choices}
            self._server.tell(record.user_id, "APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE", choices)

    # What the person does

    def offered(self, who: int, channel_id: int) -> list[Json]:
        """Give the commands that a client lists."""
        kinds = [
            one
            for kind in (1, 2, 3)
            for one in self._backend.visible_commands(user_id=who, channel_id=channel_id, type=kind)
        ]
        return [one | {"version": one["id"]} for one in kinds]

    def ask(self, who: int, body: Json, files: list[Any]) -> None:
        """Give the bot an interaction; silence for three seconds is told as a failure."""
        channel_id = int(body["channel_id"])
        self._backend.require_permissions(self._server.guild.id, who, channel_id, "view_channel")
        more: Json = {}
        match body["type"]:
            case 2 | 4:
                data = self._command(who, channel_id, body, files)
            case 3:
                data, more = self._press(who, channel_id, body)
            case _:
                data, more = self._form(who, body["data"])
        record, payload = base_payload(
            self._backend,
            type=body["type"],
            channel_id=channel_id,
            guild_id=self._server.guild.id,
            user_id=who,
            data=data,
        )
        if "message" in more:
            record.source_message_id = int(more["message"]["id"])
        self._backend.emit("INTERACTION_CREATE", payload | more)
        asyncio.get_running_loop().call_later(ANSWER_SECONDS, self._give_up, record)

    def _give_up(self, record: Interaction) -> None:
        if not record.responded and record.type != TYPED:
            self._server.tell(record.user_id, FAILED, {"id": str(record.id)})

    def _command(self, who: int, channel_id: int, body: Json, files: list[Any]) -> Json:
        sent = body["data"]
        known = [one for scope in self._backend.commands.values() for one in scope.values() if one["id"] == sent["id"]]
        if not known:
            raise SetupError("There is no such command.")
        access = command_access(self._backend, known[0], user_id=who, channel_id=channel_id)
        if not access.allowed:
            raise SetupError(f"This command is not shown to them: {access.reason}.")
        resolved: Json = {}
        data: Json = {"id": known[0]["id"], "name": known[0]["name"], "type": known[0]["type"]}
        if sent.get("target_id"):
            target = self._backend.get_message(channel_id, int(sent["target_id"]))
            resolved["messages"] = {str(target.id): dict(serializers.message_payload(self._backend, target))}
            data["target_id"] = str(target.id)
        else:
            reader = Options(self._server, channel_id, files, resolved, whole=body["type"] == COMMAND)
            data["options"] = reader.read(known[0], [], sent.get("options") or [])
        return data | ({"resolved": resolved} if resolved else {})

    def _press(self, who: int, channel_id: int, body: Json) -> tuple[Json, Json]:
        message = self._backend.get_message(channel_id, int(body["message_id"]))
        sent = body["data"]
        parts = [one for one in walk_components(message.components) if one.get("custom_id") == sent["custom_id"]]
        if not message.visible_to(who) or not parts or parts[0].get("disabled"):
            raise SetupError("There is nothing of the kind to press.")
        values: Json = {"values": list(sent["values"])} if "values" in sent else {}
        if values and parts[0]["type"] == 8:
            values["resolved"] = {"channels": {id: self._channel(int(id)) for id in values["values"]}}
        data = {"custom_id": sent["custom_id"], "component_type": parts[0]["type"]} | values
        return data, {"message": dict(serializers.message_payload(self._backend, message))}

    def _channel(self, channel_id: int) -> Json:
        shown = dict(serializers.channel_payload(self._backend, self._backend.get_channel(channel_id)))
        return shown | {"permissions": "0"}

    def _form(self, who: int, sent: Json) -> tuple[Json, Json]:
        opened = self._backend.interactions[int(sent["id"])]
        if opened.user_id != who or opened.modal_consumed or opened.modal["custom_id"] != sent["custom_id"]:
            raise SetupError("There is no such form to send.")
        fields = validate_modal(opened.modal)["components"]
        filled = {
            one["custom_id"]: one.get("value", one.get("values"))
            for one in walk_components(sent["components"])
            if "custom_id" in one
        }
        if unknown := filled.keys() - {one.get("custom_id") for one in walk_components(fields)}:
            raise SetupError(f"Fields that the form does not have: {unknown}.")
        data = {
            "custom_id": sent["custom_id"],
            "components": _modal_submit_nodes(fields, None, filled, {}, opened.channel_id, []),
        }
        opened.modal_consumed = True
        if opened.source_message_id is None:
            return data, {}
        source = self._backend.get_message(opened.channel_id, opened.source_message_id)
        return data, {"message": dict(serializers.message_payload(self._backend, source))}


class Options:
    """Checks and words the options of one command, with SimCord's own rules."""

    def __init__(
        self, server: "SimcordServer", channel_id: int, files: list[Any], resolved: Json, *, whole: bool
    ) -> None:
        self._server = server
        self._channel_id = channel_id
        self._files = files
        self._resolved = resolved
        self._whole = whole

    def read(self, command: Json, names: list[str], sent: list[Json]) -> list[Json]:
        """Give the options as the bot gets them."""
        if len(sent) == 1 and sent[0]["type"] in (1, 2):
            inner = self.read(command, [*names, sent[0]["name"]], sent[0].get("options") or [])
            return [{"type": sent[0]["type"], "name": sent[0]["name"], "options": inner}]
        leaf, _ = walk_to_subcommand(command, names)
        defined = {one["name"]: one for one in leaf.get("options") or ()}
        given = {one["name"] for one in sent}
        missing = {name for name, one in defined.items() if one.get("required")} - given
        if given - defined.keys() or (self._whole and missing):
            raise SetupError(f"Options that are not there: {given - defined.keys()}; that are missing: {missing}.")
        return [self._one(command["name"], defined[one["name"]], one) for one in sent]

    def _one(self, command: str, defined: Json, sent: Json) -> Json:
        worded = {"name": defined["name"], "type": defined["type"]}
        if sent.get("focused"):
            return worded | {"value": sent["value"], "focused": True}
        return worded | {"value": self._value(command, defined, sent["value"])}

    def _value(self, command: str, defined: Json, value: Any) -> Any:  # noqa: ANN401
        backend, guild = self._server.backend, self._server.guild
        match defined["type"]:
            case 11:
                file = self._files[int(value)]
                _, data = validate_option_value(command, defined, (file.filename, file.fp.read()))
                return store_interaction_attachment(backend, self._channel_id, file.filename, data, self._resolved)
            case 6:
                user = serializers.user_payload(backend.get_user(int(value)))
                member = backend.get_member(guild.id, int(value))
                self._resolved.setdefault("users", {})[value] = user
                shown = serializers.member_payload(backend, guild, member, with_user=False)
                self._resolved.setdefault("members", {})[value] = dict(shown)
                return value
            case 7:
                channel = dict(serializers.channel_payload(backend, backend.get_channel(int(value))))
                self._resolved.setdefault("channels", {})[value] = channel | {"permissions": "0"}
                return value
        return validate_option_value(command, defined, value)
