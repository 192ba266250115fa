"""What is described to programs is what is served."""

import re

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
