"""SimCord behind Discord's REST API and gateway, so that `selfroom run` and people's clients can live on it."""

import asyncio
import contextlib
import hashlib
import io
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Self
from urllib.parse import unquote

import discord
from aiohttp import web
from simcord._clock import Clock
from simcord.backend import Backend, serializers
from simcord.backend.access import channel_accessible
from simcord.backend.cdn import CDN_BASE
from simcord.backend.errors import BackendError, SetupError
from simcord.http import routes as _routes  # noqa: F401 - importing them registers them
from simcord.http.router import RouteNotImplemented, UnsupportedField, dispatch

from cogs.ui.rights import NEEDED
from tests.second.gateway import Gateway
from tests.second.interacting import Interacting

Json = dict[str, Any]

BOT_TOKEN = "second-opinion"
EXECUTE = re.compile(r"/webhooks/(\d+)/([^/]+)")
CALLBACK = re.compile(r"/interactions/(\d+)/[^/]+/callback")
BY_TOKEN = re.compile(r"/(webhooks/\d+/[^/]+|interactions/\d+/[^/]+/callback)(/.*)?")
CHANNELS = re.compile(r"/guilds/\d+/channels")
COMMANDS = re.compile(r"/channels/(\d+)/application-command-index")


class Refused(Exception):
    """An answer of Discord's own that is an error."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status, self.body = status, {"code": code, "message": message}


class SimcordServer:
    """A Discord that others wrote, with one server, its owner and our bot, on a free port of this machine."""

    def __init__(self) -> None:
        clock = Clock()
        clock.now = lambda: datetime.now(UTC)  # the bot knows no other
        self.backend = Backend(clock=clock)
        self.gaps: list[str] = []  # what SimCord did not do, in its own words
        self.tokens: dict[str, int] = {BOT_TOKEN: self.backend.bot_user.id}
        self.bot_id: int = self.backend.bot_user.id
        self.pictures: dict[int, str] = {}  # of webhooks: their hashes
        self.gateway = Gateway(self)
        self.interacting = Interacting(self)
        owner = self.backend.make_user("robin")
        self.guild = self.backend.create_guild("A second opinion", owner_id=owner.id)
        (ours,) = (role for role in self.guild.roles.values() if role.managed)
        ours.permissions = discord.Permissions(**dict.fromkeys(NEEDED, True)).value  # no more than we ask for
        ours.name = "Selfroom"
        self.owner_token = self.came(owner.id)
        self.backend.create_channel(self.guild.id, "welcome")
        self._managers: int | None = None
        self._runner: web.AppRunner | None = None
        self.url = ""

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=30 * 1024 * 1024)
        app.router.add_get("/playground", self._about)
        app.router.add_post("/playground/people", self._make_person)
        app.router.add_get("/gateway", self.gateway.serve)
        app.router.add_get("/gateway/", self.gateway.serve)
        app.router.add_get("/cdn/{tail:.*}", self._cdn)
        app.router.add_route("*", "/api/v10/{tail:.*}", self._rest)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.gateway.close()
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def gateway_url(self) -> str:
        """Where clients connect."""
        return f"{self.url.replace('http', 'ws')}/gateway"

    # People

    def came(self, user_id: int) -> str:
        """Give somebody a token."""
        token = f"person-{user_id}"
        self.tokens[token] = user_id
        return token

    async def _about(self, _: web.Request) -> web.Response:
        owner = self.backend.users[self.guild.owner_id]
        about = {
            "guild_id": str(self.guild.id),
            "application_id": str(self.backend.application_id),
            "gateway_url": self.gateway_url,
            "person": {"user": serializers.user_payload(owner), "token": self.owner_token},
        }
        return web.json_response(about)

    async def _make_person(self, request: web.Request) -> web.Response:
        wanted = await request.json()
        user = self.backend.make_user(wanted["name"])
        roles = [self._managers_role()] if wanted.get("manager") else []
        self.backend.add_member(self.guild.id, user.id, roles=roles, announce=True)
        return web.json_response({"user": serializers.user_payload(user), "token": self.came(user.id)})

    def _managers_role(self) -> int:
        """Give the role of who may manage the server, and nothing else."""
        if self._managers is None:
            rights = discord.Permissions(manage_guild=True).value
            self._managers = int(self.backend.create_role(self.guild.id, "Managers", permissions=rights).id)
        return self._managers

    # REST

    async def _rest(self, request: web.Request) -> web.Response:
        path = request.rel_url.raw_path.removeprefix("/api/v10")
        try:
            answer = self._answer(request, path, *await read_body(request))
        except (RouteNotImplemented, UnsupportedField) as gap:
            self.gaps.append(str(gap))
            return said(501, json.dumps(gap.to_json()))
        except BackendError as refused:
            return said(refused.status, json.dumps(refused.to_json()))
        except SetupError as wrong:
            return said(400, json.dumps({"code": 50035, "message": str(wrong)}))
        except Refused as refused:
            return said(refused.status, json.dumps(refused.body))
        except Exception as fault:
            self.gaps.append(f"{request.method} {path}: {fault!r}")
            raise
        return web.Response(status=204) if answer is None else said(200, self.worded(answer))

    def _answer(self, request: web.Request, path: str, body: Any, files: list[Any]) -> Any:  # noqa: ANN401
        who = self.tokens.get(request.headers.get("Authorization", "").removeprefix("Bot "))
        if who is None and not BY_TOKEN.fullmatch(path):
            raise Refused(401, 0, "401: Unauthorized")
        who = who or self.bot_id
        match (request.method, path):
            case ("GET", "/gateway" | "/gateway/bot"):
                limit = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}
                return {"url": self.gateway_url, "shards": 1, "session_start_limit": limit}
            case ("POST", "/interactions"):
                return self.interacting.ask(who, body, files)
            case ("GET", _) if found := COMMANDS.fullmatch(path):
                return {"application_commands": self.interacting.offered(who, int(found[1]))}
        with self.acting(who), self.in_thread(path, request.query), self.dressed(request.method, path, body):
            reason = unquote(request.headers.get("X-Audit-Log-Reason", "")) or None
            answer = dispatch(
                self.backend, request.method, path, json=body, params=dict(request.query), files=files, reason=reason
            )
        if found := CALLBACK.fullmatch(path):
            self.interacting.answered(int(found[1]))
        if who != self.bot_id and CHANNELS.fullmatch(path) and request.method == "GET":
            return [one for one in answer if channel_accessible(self.backend, int(one["id"]), who)]
        return answer

    @contextlib.contextmanager
    def acting(self, user_id: int) -> Iterator[None]:
        """Have SimCord's routes, which know one caller, do what this one asks with this one's rights."""
        bot, self.backend.bot_user = self.backend.bot_user, self.backend.users[user_id]
        try:
            yield
        finally:
            self.backend.bot_user = bot

    # What SimCord lacks

    @contextlib.contextmanager
    def in_thread(self, path: str, query: Any) -> Iterator[None]:  # noqa: ANN401
        """Heed `thread_id`, which SimCord ignores: the post goes to a thread of the webhook's channel."""
        found = EXECUTE.match(path)
        hook = self.backend.webhooks.get(int(found[1])) if found and "thread_id" in query else None
        if hook is None:
            yield
            return
        thread = self.backend.get_thread(int(query["thread_id"]))
        if thread.parent_id != hook.channel_id:
            raise Refused(404, 10003, "Unknown Channel")
        if thread.thread_metadata.archived and thread.thread_metadata.locked:
            raise Refused(400, 50083, "Thread is archived")
        home, hook.channel_id = hook.channel_id, thread.id
        try:
            yield
        finally:
            hook.channel_id = home

    @contextlib.contextmanager
    def dressed(self, method: str, path: str, body: Any) -> Iterator[None]:  # noqa: ANN401
        """Take a webhook's picture, which SimCord refuses."""
        found = EXECUTE.fullmatch(path)
        picture = body.pop("avatar", None) if found and method == "PATCH" else None
        yield
        if found and picture:
            self.pictures[int(found[1])] = hashlib.sha256(picture.encode()).hexdigest()[:32]

    def complete(self, value: Any) -> Any:  # noqa: ANN401
        """Add what Discord tells of webhooks: whose they are, and their picture."""
        if isinstance(value, list):
            return [self.complete(one) for one in value]
        if not isinstance(value, dict):
            return value
        told = {name: self.complete(one) for name, one in value.items()}
        hook = self.backend.webhooks.get(int(told.get("webhook_id") or 0))
        if hook is None and told.get("type") == 1 and "application_id" in told:
            hook = self.backend.webhooks.get(int(told.get("id") or 0))
            told |= {"avatar": self.pictures.get(int(told["id"]))} if hook else {}
        if hook is not None and hook.creator_id == self.bot_id:
            told["application_id"] = str(self.backend.application_id)
        return told

    def worded(self, value: Any) -> str:  # noqa: ANN401
        """Give JSON in which files can be fetched from here."""
        return json.dumps(self.complete(value)).replace(CDN_BASE, f"{self.url}/cdn")

    async def _cdn(self, request: web.Request) -> web.Response:
        blob = self.backend.cdn.get(f"{CDN_BASE}/{request.match_info['tail']}")
        return web.Response(status=404) if blob is None else web.Response(body=blob)

    def transcript(self) -> list[str]:
        """Give what went over the wires, in order, a line each."""
        return [f"{kind} {what} {json.dumps(data, default=str)[:300]}" for kind, what, data in self.backend.transcript]

    def tell(self, user_id: int, event: str, data: Json) -> None:
        """Tell one person's clients something that is for them alone."""
        for session in self.gateway.sessions_of(user_id):
            session.put(event, self.worded(data))


class Upload:
    """One file of a form, as SimCord reads them."""

    def __init__(self, filename: str, data: bytes) -> None:
        self.filename, self.fp, self.description = filename, io.BytesIO(data), None


def said(status: int, text: str) -> web.Response:
    """Answer with JSON; discord.py takes it for JSON only under exactly this content type."""
    return web.Response(status=status, body=text.encode(), headers={"Content-Type": "application/json"})


async def read_body(request: web.Request) -> tuple[Any, list[Upload]]:
    """Read JSON, or a form with files."""
    if not request.content_type.startswith("multipart/"):
        text = await request.text()
        return json.loads(text) if text else None, []
    body, files = None, []
    for name, part in (await request.post()).items():
        if isinstance(part, web.FileField):
            files.append(Upload(part.filename, await asyncio.to_thread(part.file.read)))
        elif name == "payload_json":
            body = json.loads(part if isinstance(part, str) else part.decode())
    return body, files
