"""Whatever is sent, the answer is an answer: good requests with one part replaced by rubbish."""

import copy
import random
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from bot.playground.call import Call
from bot.playground.errors import ApiError
from bot.playground.journal import Journal
from bot.playground.rest import playground as setup
from bot.playground.rest.routes import Route
from bot.playground.server import api_routes, seed
from bot.playground.world import World
from bot.playground.writing import posting
from bot.playground.writing.message import MessageForm
from tests.playground.routing import find

RUBBISH: tuple[Any, ...] = (None, True, 0, -1, 1.5, "", "x", "7", "x" * 5000, [], {}, [1], ["x"], [{}], [None])
RUBBISH += ({"id": "x"}, [{"id": 5}], [{"type": 1}], 2**70, {"a": {"b": 1}}, [[[]]], "\x00", "<@5>", 1 << 15)
TRIES = 120

BUTTON = {"type": 2, "style": 1, "label": "Go", "custom_id": "go"}
SELECT = {"type": 3, "custom_id": "pick", "options": [{"label": "a", "value": "a"}], "min_values": 1}
LAYOUT = [
    {"type": 17, "components": [{"type": 9, "components": [{"type": 10, "content": "x"}], "accessory": BUTTON}]},
    {"type": 12, "items": [{"media": {"url": "https://example.com/a.png"}}]},
]
EMBED = {
    "title": "t",
    "description": "d",
    "fields": [{"name": "a", "value": "b"}],
    "footer": {"text": "f"},
    "author": {"name": "n"},
    "image": {"url": "https://example.com/a.png"},
}
MESSAGE: dict[str, Any] = {
    "content": "hello",
    "embeds": [EMBED],
    "components": [{"type": 1, "components": [BUTTON]}, {"type": 1, "components": [SELECT]}],
    "allowed_mentions": {"parse": ["users"], "roles": ["1"], "replied_user": True},
    "nonce": "1",
    "enforce_nonce": True,
    "flags": 4,
    "attachments": [{"id": "0", "filename": "a.txt"}],
}
COMMAND = {
    "name": "room",
    "description": "d",
    "type": 1,
    "options": [
        {
            "type": 1,
            "name": "open",
            "description": "d",
            "options": [{"type": 3, "name": "text", "description": "d", "choices": [{"name": "a", "value": "a"}]}],
        }
    ],
}
FORM = {"type": 1, "components": [{"type": 4, "custom_id": "text", "label": "l", "style": 1, "min_length": 1}]}


class Scene:
    """A world with something in it, and calls that are in order."""

    def __init__(self) -> None:
        self.world = World(Journal(None), cdn_url="http://127.0.0.1/cdn", gateway_url="ws://127.0.0.1/gateway")
        ids = seed(self.world)
        self.guild, self.room, self.bot = ids["guild_id"], ids["channel_id"], ids["bot_id"]
        self.person = ids["user_id"]
        self.api = api_routes()
        self.message = self.call("POST", f"/channels/{self.room}/messages", MESSAGE, by=self.bot)
        self.hook = self.call("POST", f"/channels/{self.room}/webhooks", {"name": "h"}, by=self.bot)
        self.command = self.call("POST", f"/applications/{self.bot}/commands", COMMAND, by=self.bot)
        self.form_id = self.open_form()

    def call(self, method: str, path: str, body: object, *, by: str, routes: Iterable[Route] = ()) -> Any:  # noqa: ANN401
        """Make a call as the endpoint does; ApiErrors come through."""
        found = find(routes or self.api, method, path.split("?")[0])
        assert found is not None, path
        route, params = found
        query = dict(part.split("=") for part in path.partition("?")[2].split("&") if part)
        user = self.world.users.rows[by]
        answer = route.answer(Call(world=self.world, params=params, query=query, body=body, user=user))
        return getattr(answer, "body", answer)

    def open_form(self) -> str:
        """Make the bot answer a button with a form."""
        self.call("POST", "/interactions", self.press(), by=self.person)
        asked = max(self.world.interactions.rows.values(), key=lambda row: int(row["id"]))
        path = f"/interactions/{asked['id']}/{asked['token']}/callback"
        data = {"custom_id": "form", "title": "t", "components": [FORM]}
        self.call("POST", path, {"type": 9, "data": data}, by=self.bot)
        return str(asked["id"])

    def interaction(self, kind: int, data: dict[str, Any], **more: object) -> dict[str, Any]:
        about = {"type": kind, "application_id": self.bot, "channel_id": self.room, "guild_id": self.guild}
        return about | {"nonce": "1", "data": data} | more

    def press(self) -> dict[str, Any]:
        data = {"custom_id": "go", "component_type": 2}
        return self.interaction(3, data, message_id=self.new_message())

    def new_message(self) -> str:
        """Post a message with a button and a select, which nothing has spoilt yet."""
        body: MessageForm = {"content": "choose", "components": MESSAGE["components"]}
        row = posting.post(self.world, self.world.channels.rows[self.room], self.bot, body)
        return str(row["id"])

    def good_calls(self) -> Iterator[tuple[str, str, Any]]:
        """Give method, path and body of calls that succeed."""
        room, guild, hook = f"/channels/{self.room}", f"/guilds/{self.guild}", self.hook
        yield "POST", f"{room}/messages", MESSAGE
        yield "POST", f"{room}/messages", {"flags": 1 << 15, "components": LAYOUT}
        yield "PATCH", f"{room}/messages/{self.message['id']}", MESSAGE
        yield (
            "POST",
            f"/webhooks/{hook['id']}/{hook['token']}?wait=1",
            MESSAGE | {"username": "u", "avatar_url": "http://x"},
        )
        yield "PATCH", f"/webhooks/{hook['id']}", {"name": "n", "avatar": None, "channel_id": self.room}
        yield "PUT", f"/applications/{self.bot}/commands", [COMMAND]
        yield "POST", f"/applications/{self.bot}/commands", COMMAND
        yield "PATCH", room, {"name": "n", "topic": "t", "permission_overwrites": [self.rule()], "parent_id": None}
        yield "PUT", f"{room}/permissions/{self.guild}", self.rule()
        yield "POST", f"{guild}/channels", {"name": "n", "type": 15, "available_tags": [{"name": "t"}]}
        yield "PATCH", f"{guild}/channels", [{"id": self.room, "position": 1, "parent_id": None}]
        yield "POST", f"{guild}/roles", {"name": "r", "permissions": "0", "color": 1, "colors": {"primary_color": 1}}
        yield "PATCH", f"{guild}/roles", [{"id": self.guild, "position": 0}]
        yield "PATCH", f"{guild}/members/{self.person}", {"nick": "n", "roles": []}
        yield "PATCH", guild, {"name": "nn", "description": None, "system_channel_id": None}
        yield "POST", f"{room}/threads", {"name": "t", "type": 11, "auto_archive_duration": 60}
        yield "POST", f"{room}/messages/bulk-delete", {"messages": ["1", "2"]}
        yield "POST", "/users/@me/channels", {"recipient_id": self.person}

    def rule(self) -> dict[str, Any]:
        return {"id": self.guild, "type": 0, "allow": "0", "deny": "0"}

    def persons_calls(self) -> Iterator[tuple[str, str, Any]]:
        """Give the interactions of a person."""
        option = {"name": "open", "type": 1, "options": [{"name": "text", "type": 3, "value": "a"}]}
        data = {"id": self.command["id"], "name": "room", "type": 1, "options": [option]}
        yield "POST", "/interactions", self.interaction(2, data)
        yield "POST", "/interactions", self.interaction(4, data)
        yield "POST", "/interactions", self.press()
        chosen = {"custom_id": "pick", "component_type": 3, "values": ["a"]}
        yield "POST", "/interactions", self.interaction(3, chosen, message_id=self.new_message())
        filled = {"type": 1, "components": [{"type": 4, "custom_id": "text", "value": "v"}]}
        yield "POST", "/interactions", self.interaction(5, {"custom_id": "form", "components": [filled]})

    def callbacks(self) -> Iterator[tuple[str, str, Any]]:
        """Give answers to a fresh interaction each."""
        layout = {"flags": 1 << 15, "components": LAYOUT}
        form = {"custom_id": "form", "title": "t", "components": [FORM]}
        for kind, data in ((4, MESSAGE), (4, layout), (5, {"flags": 64}), (7, MESSAGE), (9, form)):
            self.call("POST", "/interactions", self.press(), by=self.person)
            asked = max(self.world.interactions.rows.values(), key=lambda row: int(row["id"]))
            path = f"/interactions/{asked['id']}/{asked['token']}/callback?with_response=1"
            yield "POST", path, {"type": kind, "data": data}

    def setup_calls(self) -> Iterator[tuple[str, str, Any]]:
        """Give the playground's own calls."""
        yield "POST", "/people", {"name": "n", "guild_id": self.guild, "manager": True}
        yield "POST", "/guilds", {"name": "n", "owner_id": self.person}
        yield "POST", "/bots", {"name": "n", "guild_id": self.guild, "permissions": "8", "flags": 1}
        yield "PUT", f"/guilds/{self.guild}/members/{self.person}", {"permissions": "8"}
        yield "POST", "/clock", {"advance": 1}
        fault = {"kind": "status", "status": 500, "count": 1, "probability": 0.1, "seed": 1, "route": "*"}
        yield "POST", "/faults", fault | {"retry_after": 1, "seconds": 1, "scope": "global", "event": "*"}
        yield "POST", "/faults", {"kind": "close", "code": 4000, "user_id": "1"}


def spoilt(good: Any, dice: random.Random) -> Any:  # noqa: ANN401
    """Replace one part of a body, anywhere in it, by rubbish; or leave it out."""
    body = copy.deepcopy({"body": good})
    places: list[tuple[Any, Any]] = []
    todo: list[Any] = [body]
    while todo:
        part = todo.pop()
        keys = list(part) if isinstance(part, dict) else range(len(part))
        places += [(part, key) for key in keys]
        todo += [part[key] for key in keys if isinstance(part[key], dict | list)]
    part, key = dice.choice(places)
    if isinstance(part, dict) and part is not body and dice.random() < 0.15:
        del part[key]
    else:
        part[key] = copy.deepcopy(dice.choice(RUBBISH))
    return body["body"]


@pytest.fixture
async def scene() -> Any:  # noqa: ANN401
    """Give a scene whose timers end with the test."""
    made = Scene()
    yield made
    await made.world.hub.close()


async def test_good_calls_are_good(scene: Scene) -> None:
    for method, path, body in scene.callbacks():
        scene.call(method, path, body, by=scene.bot)
    for method, path, body in [*scene.persons_calls()]:
        scene.call(method, path, body, by=scene.person)


@pytest.mark.parametrize("number_of_the_draw", range(4))
async def test_rubbish_gets_an_answer(scene: Scene, number_of_the_draw: int) -> None:
    dice = random.Random(number_of_the_draw)  # noqa: S311 - the same draw every time
    own = setup.routes.all
    groups = [(scene.good_calls, scene.bot, scene.api), (scene.persons_calls, scene.person, scene.api)]
    groups += [(scene.callbacks, scene.bot, scene.api), (scene.setup_calls, scene.person, own)]
    for number in range(TRIES):
        calls, by, routes = groups[number % len(groups)]
        method, path, good = dice.choice([*calls()])
        body = spoilt(good, dice)
        try:
            scene.call(method, path, body, by=by, routes=routes)
        except ApiError as error:
            assert error.status < 500, (path, body)
        scene.world.faults.clear()
