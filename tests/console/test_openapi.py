"""What is described to programs is what is served."""

import re

from bot.console.openapi import PROBLEM
from bot.console.window import PROOF
from tests.console.house import Open, opened

OWN = {"/api/v1/openapi.json"}  # the description itself


def served(there: Open) -> set[tuple[str, str]]:
    """Give all that the console's server takes below /api, by method and path."""
    app = there.console._runner.app
    found = {(route.method, route.resource.canonical) for route in app.router.routes() if route.resource}
    return {(method, re.sub(r":[^}]*}", "}", path)) for method, path in found if path.startswith("/api/")}


async def test_every_request_that_is_served_is_described_and_no_other() -> None:
    async with opened(entered=False) as there:
        status, told = await there.ask("/api/v1/openapi.json")
        assert (status, told["openapi"]) == (200, "3.1.0")
        described = {(method.upper(), path) for path, several in told["paths"].items() for method in several}
        assert described == {one for one in served(there) if one[0] != "HEAD" and one[1] not in OWN}
        names = [one["operationId"] for several in told["paths"].values() for one in several.values()]
        assert len(set(names)) == len(names)


async def test_what_is_told_has_what_is_described_and_refusals_are_problems() -> None:
    async with opened() as there:
        _, described = await there.ask("/api/v1/openapi.json")
        await there.here.hear("Ada, hello")
        for path in ("/overview", "/rooms/1", "/rooms/1/settings", "/messages/1", "/agents/1", "/agents/1/hud"):
            status, told = await there.ask(f"/api/v1{path}")
            at = re.sub(r"/(\w+)s/1", r"/\1s/{\1}", f"/api/v1{path}")
            shape = described["paths"][at]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
            assert (status, set(shape["required"]) - set(told)) == (200, set()), path
        address, headers = f"{there.console.url}/api/v1/rooms/99", {PROOF: there.proof}
        async with there.session.get(address, headers=headers) as one:
            assert (one.status, one.content_type) == (404, PROBLEM)
            assert set(await one.json()) == {"type", "title", "status", "detail"}
