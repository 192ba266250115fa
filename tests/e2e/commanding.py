"""A person at the commands: options of every type, buttons, forms, menus and suggestions."""

import asyncio
import json
import re
from collections.abc import Awaitable, Iterable, Iterator, Sequence
from typing import Any

import aiohttp

from tests.e2e.plain import ANSWERS
from tests.e2e.proving import USED, Use
from tests.e2e.visitor import EPHEMERAL, Json, Visitor, until

LOADING = 128
TEXT = 10
SEAT = re.compile(r"^\*\*[A-Z][a-z]+ \d+\*\*, seat \d+ · ", re.MULTILINE)
TOO_SOON = re.compile(r"^That was quick: try again in (\d+) s\.$")


class Commander:
    """Uses commands as a visitor; every answer is the message, or the form, that this person then sees."""

    def __init__(self, visitor: Visitor, channel_id: str) -> None:
        self.visitor = visitor
        self.channel_id = channel_id
        self._commands: dict[tuple[str, int], Json] = {}
        self._of_seats: set[str] = set()  # forms that were opened from one's seat

    def _kept(self, message: Json, answer: Json) -> Json:
        """Remember a form that a seat opened: its answer is the seat as it is then."""
        if is_seat(message) and "custom_id" in answer:
            self._of_seats.add(answer["id"])
        return answer

    async def run(self, path: str, /, *, file: tuple[str, bytes] | None = None, **options: Any) -> Json:  # noqa: ANN401
        """Use a slash command (`"agent create"`) and give its answer; a file goes into the option that `into` names."""
        before = len(self.visitor.heard)
        self._note(path)
        await self._invoke(2, path, options, file=file)
        return await self._next(before)

    def _note(self, path: str) -> None:
        USED.add(Use("manager" if self.visitor.manages else "member", path))

    async def start(self, path: str, /, **options: Any) -> None:  # noqa: ANN401
        """Use a slash command without waiting for what it gives."""
        self._note(path)
        await self._invoke(2, path, options)

    async def answer(self, before: int) -> Json:
        """Wait for the answer that comes after so many events."""
        return await self._next(before)

    async def type_into(self, path: str, focused: str, typed: str, /, **options: Any) -> None:  # noqa: ANN401
        """Type into an option."""
        await self._invoke(4, path, options | {focused: typed}, focused=focused)

    async def told(self, path: str, /, **options: Any) -> str:  # noqa: ANN401
        """Use a slash command and give the words of its answer; who was too quick for it tries again."""
        told = words_of(await self.run(path, **options))
        if too_soon := TOO_SOON.search(told):
            await asyncio.sleep(int(too_soon[1]))
            return await self.told(path, **options)
        return told

    async def comes_to_tell(self, path: str, /, *parts: str, **options: Any) -> str:  # noqa: ANN401
        """Use a slash command until its answer has these words, and give that answer."""

        async def fitting() -> str | None:
            told = await self.told(path, **options)
            return told if all(part in told for part in parts) else None

        return await until(fitting, f"/{path} with {parts}")

    async def known(self, message: Json) -> str:
        """Wait until Selfroom knows a message, and give what it says of who sent it."""

        async def sender() -> str | None:
            told = words_of(await self.menu("Who said this?", message))
            return told if "said it" in told else None

        return await until(sender, "sender of the message")

    async def id_of(self, name: str) -> int:
        """Give an agent's id, as its card tells it."""
        before = len(self.visitor.heard)
        await self._invoke(2, "agent show", {"agent": name})
        told = words_of(await self._next(before))
        found = re.search(r"ID (\d+)", told)
        assert found is not None, told
        return int(found[1])

    async def close_room(self, room: str) -> str:
        """Make a room private, staying in it where that is asked, and give what was said of it."""
        asked = await self.run("room visibility", room=room, visibility="private")
        kept = "keep me in" in str(asked.get("components"))
        return words_of(await self.press(asked, "Close it and keep me in") if kept else asked)

    async def suggested(self, path: str, focused: str, typed: str, /, **options: Any) -> list[str]:  # noqa: ANN401
        """Type into an option and give the names that are suggested."""
        before = len(self.visitor.heard)
        await self.type_into(path, focused, typed, **options)
        shown = await self.visitor.hear("APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE", lambda _: True, after=before)
        return [choice["name"] for choice in shown["choices"]]

    async def menu(self, name: str, message: Json, *, known: bool = True) -> Json:
        """Choose an entry of a message's menu and give the answer, once Selfroom knows the message (if it shall)."""
        self._note(name)
        command = await self._command(name, 3)
        data = {"id": command["id"], "name": name, "type": 3, "target_id": message["id"]}

        async def answered() -> Json | None:
            before = len(self.visitor.heard)
            await self._send(2, {"data": data, "channel_id": message["channel_id"]})
            answer = await self._next(before)
            return None if known and "Selfroom does not know this message" in words_of(answer) else answer

        return await until(answered, "answer about a message that is known")

    async def press(self, message: Json, label: str) -> Json:
        """Press a button and give the new answer that comes of it; of one that ends in …, its form."""
        before, in_place = len(self.visitor.heard), is_seat(message)
        await self.click(message, label)
        return self._kept(message, await self._next(before, seat=in_place and not label.endswith("…")))

    async def choose(self, message: Json, placeholder: str, *values: str) -> Json:
        """Choose from a select and give the new answer that comes of it."""
        before = len(self.visitor.heard)
        await self._pick(message, placeholder, values)
        return await self._next(before, seat=is_seat(message))

    async def _pick(self, message: Json, placeholder: str, values: Sequence[str]) -> None:
        parts = list(inside(message["components"]))
        select = next(part for part in parts if part.get("placeholder") == placeholder)
        data = {"custom_id": select["custom_id"], "component_type": select["type"], "values": values}
        body = {"data": data, "message_id": message["id"], "message_flags": message.get("flags", 0)}
        await self._send(3, body | {"channel_id": message["channel_id"]})

    async def choose_in_place(self, message: Json, placeholder: str, *values: str) -> Json:
        """Choose from a select and give the message as it is then."""
        before = len(self.visitor.heard)
        await self._pick(message, placeholder, values)
        return await self._next(before, message["id"])

    async def press_in_place(self, message: Json, label: str) -> Json:
        """Press a button and give the message as it is then."""
        before = len(self.visitor.heard)
        await self.click(message, label)
        return await self._next(before, message["id"])

    async def changed_to(self, answer: Json, words: str) -> str:
        """Wait until an answer says this, which may come later, and give what it says."""

        async def look() -> str | None:
            newest = [words_of(data) for _, data in self.visitor.heard if data.get("id") == answer["id"]][-1]
            return newest if words in newest else None

        told = await until(look, f"answer with {words!r}")
        ANSWERS.append(told)
        return told

    async def click(self, message: Json, label: str) -> None:
        """Press a button without waiting for what it gives."""
        parts = list(inside(message["components"]))
        button = next(part for part in parts if label in (part.get("label"), (part.get("emoji") or {}).get("name")))
        data = {"custom_id": button["custom_id"], "component_type": 2}
        body = {"data": data, "message_id": message["id"], "message_flags": message.get("flags", 0)}
        await self._send(3, body | {"channel_id": message["channel_id"]})

    async def fill(self, form: Json, **values: str) -> Json:
        """Send a form with these values, by the beginnings of the labels; the rest as it is."""
        before = len(self.visitor.heard)
        rows: list[Json] = []
        for row in form["components"]:
            part, label = row["component"], row["label"].lower()
            if part["type"] != 4:  # a select or an upload: chosen by its label, or as it is
                chosen = values.get(row["label"])
                preset = [one["value"] for one in part.get("options", ()) if one.get("default")]
                given = {"values": [chosen] if chosen else preset}
                rows.append({"type": 18, "component": {"type": part["type"], "custom_id": part["custom_id"], **given}})
                continue
            named = next((value for name, value in values.items() if label.startswith(name.lower())), None)
            filled = part.get("value", "") if named is None else named
            rows.append({"type": 18, "component": {"type": 4, "custom_id": part["custom_id"], "value": filled}})
        data = {"id": form["id"], "custom_id": form["custom_id"], "components": rows}
        await self._send(5, {"data": data, "channel_id": form["channel_id"]})
        return await self._next(before, seat=form["id"] in self._of_seats)

    async def stands(self, seat: Json, made: Awaitable[Json]) -> None:
        """Make a move, and wait until the seat says that it stands; it may tell of others' moves before that."""
        before = len(self.visitor.heard)
        await made
        shown = ("MESSAGE_CREATE", "MESSAGE_UPDATE")

        async def look() -> bool:
            heard = self.visitor.heard[before:]
            return any(kind in shown and is_seat(one) and "stands" in words_of(one) for kind, one in heard)

        try:
            await until(look, "word that the move stands")
        except AssertionError as late:
            told = [words_of(one)[:90] + words_of(one)[-90:] for _, one in self.visitor.heard[before:] if is_seat(one)]
            raise AssertionError(f"{late}: {told[:5]}") from None

    def seat_now(self) -> Json | None:
        """Give one's seat in a scene as it was shown last; None before it was asked for."""
        return next((data for _, data in reversed(self.visitor.heard) if is_seat(data)), None)

    async def text_of(self, answer: Json, number: int = 0) -> str:
        """Read a file of an answer."""
        return (await self.bytes_of(answer, number)).decode()

    async def bytes_of(self, answer: Json, number: int = 0) -> bytes:
        """Fetch a file of an answer."""
        async with aiohttp.ClientSession() as session, session.get(answer["attachments"][number]["url"]) as response:
            return await response.read()

    async def _invoke(
        self, kind: int, path: str, options: Json, *, focused: str = "", file: tuple[str, bytes] | None = None
    ) -> None:
        into = options.pop("into", "")
        top, *rest = path.split()
        command = await self._command(top, 1)
        defined = command
        for name in rest:
            defined = next(one for one in defined["options"] if one["name"] == name)
        kinds = {one["name"]: one["type"] for one in defined.get("options", ())}
        given: list[Json] = [
            {"type": kinds[name], "name": name, "value": value} | ({"focused": True} if name == focused else {})
            for name, value in options.items()
        ]
        if file is not None:
            name = into or next(name for name, type in kinds.items() if type == 11)
            given.append({"type": 11, "name": name, "value": "0"})
        for name in reversed(rest):
            given = [{"type": 1, "name": name, "options": given}]
        data = {"id": command["id"], "name": top, "type": 1, "version": command["version"], "options": given}
        await self._send(kind, {"data": data, "channel_id": self.channel_id}, file)

    async def _command(self, name: str, kind: int) -> Json:
        if (name, kind) not in self._commands:

            async def look() -> Json | None:
                path = f"/channels/{self.channel_id}/application-command-index"
                found = (await self.visitor.ask("GET", path))["application_commands"]
                return next((one for one in found if (one["name"], one["type"]) == (name, kind)), None)

            self._commands[name, kind] = await until(look, f"command {name}")
        return self._commands[name, kind]

    async def _send(self, kind: int, body: Json, file: tuple[str, bytes] | None = None) -> None:
        about = self.visitor.about
        whole = body | {"type": kind, "application_id": about["application_id"], "guild_id": about["guild_id"]}
        whole |= {"session_id": "commands", "nonce": str(len(self.visitor.heard) + 1)}
        if file is None:
            await self.visitor.ask("POST", "/interactions", whole)
            return
        whole["data"]["attachments"] = [{"id": "0", "filename": file[0]}]
        form = aiohttp.FormData()
        form.add_field("payload_json", json.dumps(whole))
        form.add_field("files[0]", file[1], filename=file[0], content_type="application/octet-stream")
        await self.visitor.post_form("/interactions", form)

    async def _next(self, before: int, id: str | None = None, *, seat: bool = False) -> Json:
        """Wait for this message to be changed, or for one that was not there before so many events.

        `seat`: one's seat in a scene will do, too, which is changed where it stands.
        """
        known = {data.get("id") for _, data in self.visitor.heard[:before]}

        async def look() -> Json | None:
            for kind, data in self.visitor.heard[before:]:
                if kind == "INTERACTION_MODAL_CREATE":
                    return data
                if kind == "INTERACTION_FAILURE":
                    raise AssertionError("the bot did not answer")
                shown = data.get("content") or data.get("embeds") or data.get("attachments")
                flags = data.get("flags", 0)
                told = kind in ("MESSAGE_CREATE", "MESSAGE_UPDATE") and flags & EPHEMERAL and not flags & LOADING
                if told and shown and (data["id"] == id if id else data["id"] not in known or (seat and is_seat(data))):
                    return data
            return None

        answer = await until(look, "answer to the command")
        return heard(answer)


def heard(message: Json) -> Json:
    """Hold what somebody is shown to plain words, as every answer is; gives it."""
    ANSWERS.append("\n".join([words_of(message), *signs_of(message)]))
    return message


def is_seat(message: Json) -> bool:
    """Tell whether an answer shows one's seat in a scene."""
    return bool(message.get("flags", 0) & EPHEMERAL and SEAT.search(message.get("content", "")))


def inside(components: Iterable[Json]) -> Iterator[Json]:
    """Give every component with those in it."""
    for one in components:
        yield one
        yield from inside(one.get("components", ()))
        yield from inside([one["accessory"]] if "accessory" in one else [])


def signs_of(answer: Json) -> Iterator[str]:
    """Give what stands small in an answer: footers, buttons, fields, what pictures show."""
    yield from (one.get("description") or "" for one in answer.get("attachments", ()))
    for card in answer.get("embeds", ()):
        yield card.get("footer", {}).get("text", "")
    for part in inside(answer.get("components", ())):
        yield from (part.get(name) or "" for name in ("label", "placeholder", "description"))
        yield from (one.get("description") or "" for one in part.get("items", ()))
        yield from (f"{one.get('label')}: {one.get('description') or ''}" for one in part.get("options", ()))


def words_of(answer: Json) -> str:
    """Give everything that can be read in an answer."""
    parts = [answer.get("content", ""), answer.get("title", "")]
    parts += [part["content"] for part in inside(answer.get("components", ())) if part["type"] == TEXT]
    for card in answer.get("embeds", ()):
        parts += [card.get("title", ""), card.get("description", "")]
        parts += [f"{field['name']}: {field['value']}" for field in card.get("fields", ())]
    return "\n".join(part for part in parts if part)
