"""The playground talks to this machine only, and says so."""

import aiohttp
import pytest

from bot.playground.door import is_loopback
from bot.playground.server import Playground, PlaygroundError, PlaygroundOptions
from tests.playground.person import Person

PATHS = ("/", "/playground", "/api/v10/gateway", "/gateway", "/cdn/embed/avatars/0.png", "/v1/models")


@pytest.fixture
def observers() -> list[object]:
    """Watch nothing: these requests are not a bot's."""
    return []


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "headers",
    [{"Host": "evil.example"}, {"Host": "playground.local:80"}, {"Origin": "https://evil.example"}, {"Origin": "null"}],
)
async def test_strangers_are_refused_everywhere(playground: Playground, path: str, headers: dict[str, str]) -> None:
    async with aiohttp.ClientSession() as session, session.get(playground.url + path, headers=headers) as answer:
        text = await answer.text()
    assert answer.status == 403
    assert text == "The playground only talks to programs and pages on this machine: open it as http://127.0.0.1."
    assert "Access-Control-Allow-Origin" not in answer.headers


async def test_a_page_of_this_machine_may_read_the_answers(playground: Playground) -> None:
    origin = "http://localhost:5173"
    ask = {
        "Origin": origin,
        "Access-Control-Request-Method": "PATCH",
        "Access-Control-Request-Headers": "authorization",
    }
    async with aiohttp.ClientSession() as session:
        async with session.options(f"{playground.api_url}/users/@me", headers=ask) as first:
            assert (first.status, first.headers["Access-Control-Allow-Origin"]) == (204, origin)
            assert "PATCH" in first.headers["Access-Control-Allow-Methods"]
        async with session.get(f"{playground.api_url}/gateway", headers={"Origin": origin}) as second:
            assert second.headers["Access-Control-Allow-Origin"] == origin


@pytest.mark.parametrize(
    ("host", "inside"),
    [("127.0.0.1", True), ("127.8.9.1", True), ("localhost", True), ("::1", True), ("10.0.0.1", False), ("", False)],
)
def test_what_counts_as_this_machine(host: str, inside: bool) -> None:
    assert is_loopback(host) is inside


async def test_it_does_not_listen_for_others() -> None:
    with pytest.raises(PlaygroundError, match="only listens on this machine"):
        async with Playground(PlaygroundOptions(host="0.0.0.0", port=0)):  # noqa: S104 - refused is the point
            pass


async def test_a_port_in_use_is_named(playground: Playground) -> None:
    expected = f"Port {playground.port} is in use: stop the program that has it, or choose another port."
    with pytest.raises(PlaygroundError) as refused:
        async with Playground(PlaygroundOptions(port=playground.port)):
            pass
    assert str(refused.value) == expected


async def test_before_it_is_entered_there_is_no_world() -> None:
    with pytest.raises(PlaygroundError, match="not running"):
        _ = Playground(PlaygroundOptions(port=0)).world


async def test_answers_are_json_without_a_charset(playground: Playground) -> None:
    async with aiohttp.ClientSession() as session, session.get(f"{playground.api_url}/gateway") as answer:
        assert answer.headers["Content-Type"] == "application/json"
        assert await answer.json() == {"url": playground.gateway_url}


@pytest.mark.parametrize("token", ["", "Bot wrong", "Bearer x", "wrong"])
async def test_without_a_good_token_nothing_opens(playground: Playground, token: str) -> None:
    headers = {"Authorization": token}
    url = f"{playground.api_url}/users/@me"
    async with aiohttp.ClientSession() as session, session.get(url, headers=headers) as answer:
        assert (answer.status, await answer.json()) == (401, {"message": "401: Unauthorized", "code": 0})


async def test_a_persons_token_is_no_bots_token_and_the_other_way_round(playground: Playground, ada: Person) -> None:
    url = f"{playground.api_url}/users/@me"
    async with aiohttp.ClientSession() as session:
        for token in (f"Bot {ada._token}", playground.bot_token):
            async with session.get(url, headers={"Authorization": token}) as answer:
                assert answer.status == 401


async def test_bad_json_is_named(playground: Playground, ada: Person) -> None:
    url = f"{playground.api_url}/channels/{ada.about['channel_id']}/messages"
    headers = {"Authorization": ada._token, "Content-Type": "application/json"}
    async with aiohttp.ClientSession() as session, session.post(url, data=b"{oops", headers=headers) as answer:
        assert (answer.status, (await answer.json())["code"]) == (400, 50109)


async def test_a_file_a_browser_could_run_is_only_downloaded(ada: Person) -> None:
    form = aiohttp.FormData()
    form.add_field("files[0]", b"<script>alert(1)</script>", filename="page.html", content_type="text/html")
    said = await ada.call("POST", f"/channels/{ada.about['channel_id']}/messages", data=form)
    async with aiohttp.ClientSession() as session, session.get(said["attachments"][0]["url"]) as answer:
        assert answer.headers["Content-Disposition"].startswith("attachment")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


async def test_the_page_is_served(playground: Playground) -> None:
    async with aiohttp.ClientSession() as session, session.get(playground.url) as answer:
        assert (answer.status, answer.content_type) == (200, "text/html")
    async with aiohttp.ClientSession() as session, session.get(f"{playground.url}/../server.py") as answer:
        assert answer.status == 404
