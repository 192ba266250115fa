"""A double of llama.cpp's server: its slots and properties, and chat answers that keep to a form as far as it does."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.adapters.llm.ladder import Rung
from bot.engine.timelines.chance import settle
from tests.adapters.test_wire import completion, problem, response

Json = dict[str, Any]


@dataclass
class Llama:
    """What it is, how far it is held to a form, and what it was asked; `says` answers what is no trial."""

    slots: int = 1
    context: int = 12_288
    model: str = "/models/qwen.gguf"
    rung: Rung = "schema"
    only_in_chat: bool = False  # ignores a schema in Responses, as llama.cpp does
    refuses: bool = False  # says no to a form instead of ignoring it
    tells: bool = True  # has /props, as llama.cpp does
    down: bool = False
    has_chat: bool = True
    cool: bool = True  # takes a temperature
    counts: bool = True  # tells what a call used; of a trial it always does
    fails: str = ""  # a model that has a fault
    holds: dict[str, int] = field(default_factory=dict)  # what models hold, where it has no /props
    slow: asyncio.Event | None = None  # until it is set, the model "slow" says nothing
    drips: str = ""  # the path where it tells of itself for ever
    thoughts: int = 0  # tokens of what it thinks before it writes
    says: Callable[[Json], str] = lambda _: '{"thoughts": null, "responses": [], "actions": []}'
    asked: list[Json] = field(default_factory=list)
    looks: int = 0
    running: int = 0
    most: int = 0
    url: str = ""

    @property
    def trials(self) -> list[str]:
        """The forms in which it was tried."""
        return [form for one in self.asked if is_trial(one) and (form := form_of(one)) != "none"]

    @property
    def calls(self) -> list[Json]:
        """What it was asked beside trials."""
        return [one for one in self.asked if not is_trial(one)]

    async def props(self, request: web.Request) -> web.StreamResponse:
        self.looks += 1
        if request.path == self.drips:
            return await _dripping(request)
        if not self.tells:
            return web.json_response({"error": "no such page"}, status=404)
        settings = {"n_ctx": self.context}
        told: Json = {"total_slots": self.slots, "model_path": self.model, "build_info": "b1"}
        return web.json_response(told | {"default_generation_settings": settings, "chat_template": "x"})

    async def models(self, request: web.Request) -> web.StreamResponse:
        if request.path == self.drips:
            return await _dripping(request)
        tiny: Json = {"id": "tiny", "owned_by": self.model, "created": self.looks}
        held = [{"id": name, "max_model_len": most} for name, most in self.holds.items()]
        return web.json_response({"data": held or [tiny]})

    async def take(self, request: web.Request) -> web.StreamResponse:
        if self.down:
            return problem(500, "down")
        body = await request.json()
        if body["model"] == self.fails:
            return problem(500, "down")
        chat = request.path.endswith("completions")
        if chat and not self.has_chat:
            return problem(404, "no such page")
        self.asked.append(body)
        if body["model"] == "slow" and self.slow is not None:
            await self.slow.wait()
        if not self.cool and "temperature" in body:
            return problem(400, "Unsupported value: 'temperature' does not support 0.7.", param="temperature")
        form = form_of(body)
        held = form == "json_object" and self.rung != "words"
        held = held or (form == "json_schema" and self.rung == "schema" and (chat or not self.only_in_chat))
        if form != "none" and self.refuses and not held:
            return problem(400, f"response_format {form} is not supported")
        self.running += 1
        self.most = max(self.most, self.running)
        await settle(500)  # so that others come meanwhile
        self.running -= 1
        greeting = '{"greeting": "Hello Ann", "words": 2}' if held else "Hello Ann, good day!"
        text = greeting if is_trial(body) else self.says(body)
        if self.thoughts:
            most = body.get("max_tokens") or body["max_output_tokens"]
            text = f"<think>Hm, {{so}}.</think>\n{text}" if most > self.thoughts else "<think>Hm"
        used = {"prompt_tokens": 50, "completion_tokens": 10, "total_tokens": 60}
        whole = completion(text, used) if chat else response(text, {"input_tokens": 50, "output_tokens": 10})
        if text == "<think>Hm" and chat:
            whole["choices"][0]["finish_reason"] = "length"
        elif text == "<think>Hm":
            whole["status"] = "incomplete"
        return web.json_response(whole if self.counts or is_trial(body) else whole | {"usage": None})


@asynccontextmanager
async def llama(**fields: Any) -> AsyncIterator[Llama]:  # noqa: ANN401
    """Run one on a free port."""
    there = Llama(**fields)
    app = web.Application()
    app.router.add_get("/props", there.props)
    app.router.add_get("/v1/models", there.models)
    app.router.add_post("/v1/{rest:.*}", there.take)
    server = TestServer(app)
    async with server:
        there.url = str(server.make_url("/v1"))
        yield there


async def _dripping(request: web.Request) -> web.StreamResponse:
    answer = web.StreamResponse(headers={"Content-Type": "application/json"})
    await answer.prepare(request)
    while True:
        await answer.write(b" ")
        await asyncio.sleep(0.05)


def is_trial(body: Json) -> bool:
    return "polite neighbour" in json.dumps(body)


def form_of(body: Json) -> str:
    form = body.get("response_format") or body.get("text", {}).get("format") or {}
    return str(form.get("type", "none"))
