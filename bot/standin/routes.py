"""Which address is answered by what."""

from aiohttp import web

from bot.standin.endpoint import Endpoints
from bot.standin.problems import Problem
from bot.standin.reading import LARGEST_SETUP, json_of
from bot.standin.script import Script, read_rule, read_steps

MODELS = ("gpt-4o-mini", "gpt-4o", "gpt-4.1-mini", "scripted")
BORN = 1_700_000_000


class SetUp:
    """`/playground/model/...`: prepared answers and faults, and the record of calls."""

    def __init__(self, script: Script) -> None:
        self.script = script

    async def add_steps(self, request: web.Request) -> web.Response:
        try:
            self.script.steps += read_steps(await json_of(request, LARGEST_SETUP))
        except Problem as problem:
            return problem.response("set-up")
        return web.json_response({"waiting": len(self.script.steps)})

    async def drop_steps(self, _: web.Request) -> web.Response:
        self.script.steps.clear()
        return web.Response(status=204)

    async def add_fault(self, request: web.Request) -> web.Response:
        try:
            self.script.rules.append(read_rule(await json_of(request, LARGEST_SETUP)))
        except Problem as problem:
            return problem.response("set-up")
        return web.json_response({"rules": len(self.script.rules)})

    async def drop_faults(self, _: web.Request) -> web.Response:
        self.script.rules.clear()
        return web.Response(status=204)

    async def show_calls(self, request: web.Request) -> web.Response:
        last = request.query.get("last", "")
        calls = list(self.script.calls)[-int(last) if last.isdecimal() and len(last) < 10 and int(last) else None :]
        return web.json_response([call.shown() for call in calls])

    async def drop_calls(self, _: web.Request) -> web.Response:
        self.script.calls.clear()
        return web.Response(status=204)


async def list_models(_: web.Request) -> web.Response:
    return web.json_response({"object": "list", "data": [model_card(name) for name in MODELS]})


async def show_model(request: web.Request) -> web.Response:
    name = request.match_info["name"]
    if name == "missing-model":
        message = f"The model '{name}' does not exist"
        return Problem(404, message, param="model", code="model_not_found").response("models")
    return web.json_response(model_card(name))


def model_card(name: str) -> dict[str, object]:
    return {"id": name, "object": "model", "created": BORN, "owned_by": "playground"}


async def unknown(request: web.Request) -> web.Response:
    message = f"Unknown request URL: {request.method} {request.path}."
    return Problem(404, message, code="unknown_url").response("unknown")


def add_routes(app: web.Application) -> None:
    script = Script()
    endpoints, set_up = Endpoints(script), SetUp(script)
    app.on_shutdown.append(endpoints.close)
    add, here = app.router.add_route, "/playground/model"
    add("GET", "/v1/models", list_models)
    add("GET", "/v1/models/{name:.+}", show_model)
    add("POST", "/v1/responses", endpoints.responses)
    add("POST", "/v1/chat/completions", endpoints.chat)
    add("*", "/v1/{rest:.*}", unknown)
    add("POST", f"{here}/script", set_up.add_steps)
    add("DELETE", f"{here}/script", set_up.drop_steps)
    add("POST", f"{here}/faults", set_up.add_fault)
    add("DELETE", f"{here}/faults", set_up.drop_faults)
    add("GET", f"{here}/calls", set_up.show_calls)
    add("DELETE", f"{here}/calls", set_up.drop_calls)
