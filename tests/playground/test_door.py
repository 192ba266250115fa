"""The playground talks to this machine only, and says so."""

import aiohttp
import pytest

from bot import standin
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
    [
        {"Host": "evil.example"},
        {"Host": "playground.local:80"},
        {"Host": "127.0.0.1:9"},
        {"Host": "127.0.0.1:none"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:5173"},
        {"Origin": "http://localhost"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
    ],
    ids=str,
)
async def test_strangers_are_refused_everywhere(playground: Playground, path: str, headers: dict[str, str]) -> None:
    async with aiohttp.ClientSession() as session, session.get(playground.url + path, headers=headers) as answer:
        text = await answer.text()
    assert answer.status == 403
    assert "programs on this machine and to its own page" in text
    assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.parametrize("host", ["evil.example@127.0.0.1:{}", "2130706433:{}", "localhost.:{}", "127.0.0.1:0{}"])
async def test_this_machine_by_an_odd_name_is_refused(playground: Playground, host: str) -> None:
    async with aiohttp.ClientSession() as session:
        headers = {"Host": host.format(playground.port)}
        async with session.get(f"{playground.url}/playground", headers=headers) as answer:
            assert answer.status == 403


async def test_a_page_of_another_port_reads_no_token(playground: Playground) -> None:
    other = f"http://127.0.0.1:{playground.port + 1}"
    asked = {"Origin": other, "Access-Control-Request-Method": "GET"}
    secured = f"https://127.0.0.1:{playground.port}"
    under_another_name = f"http://localhost:{playground.port}"  # may be another program's, at ::1
    async with aiohttp.ClientSession() as session:
        for path in ("/playground", "/playground/people", "/gateway"):
            for origin in (other, secured, under_another_name):
                async with session.get(playground.url + path, headers={"Origin": origin}) as answer:
                    assert answer.status == 403
                    assert "token" not in await answer.text()
            async with session.options(playground.url + path, headers=asked) as answer:
                assert answer.status == 403
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await session.ws_connect(playground.gateway_url, headers={"Origin": other})


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
async def test_the_playgrounds_own_page_is_let_in(playground: Playground, name: str) -> None:
    here = f"{name}:{playground.port}"
    own = {"Host": here, "Origin": f"http://{here}", "Sec-Fetch-Site": "same-origin"}
    async with aiohttp.ClientSession() as session:
        async with session.get(f"{playground.url}/playground", headers=own) as answer:
            assert (answer.status, "Access-Control-Allow-Origin" in answer.headers) == (200, False)
        async with session.ws_connect(playground.gateway_url, headers=own) as socket:
            assert (await socket.receive_json())["op"] == 10


async def test_a_link_elsewhere_opens_the_page_and_nothing_else(playground: Playground) -> None:
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    async with aiohttp.ClientSession() as session:
        for path, status in (("/", 200), ("/playground", 403), ("/api/v10/gateway", 403)):
            async with session.get(playground.url + path, headers=link) as answer:
                assert answer.status == status


async def test_what_agents_were_shown_is_for_people_of_the_playground() -> None:
    options = PlaygroundOptions(port=0, pace="off")
    async with Playground(options, neighbours=[standin.add_to]) as there, aiohttp.ClientSession() as session:
        about = await (await session.get(f"{there.url}/playground")).json()
        for token, status in (("", 401), ("wrong", 401), (there.bot_token, 401), (about["person"]["token"], 200)):
            headers = {"Authorization": token}
            async with session.get(f"{there.url}/playground/model/calls", headers=headers) as answer:
                assert answer.status == status
            async with session.post(f"{there.url}/playground/model/script", headers=headers, json=[]) as answer:
                assert answer.status == status


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


EMBED = b'{"embeds": [{"title": "tea", "provider": %s}]}'  # which is passed on as it is


@pytest.mark.parametrize("data", [b"{oops", *(EMBED % one for one in (b"NaN", b"-Infinity", b"1e999", b"9" * 5_000))])
async def test_bad_json_is_named(playground: Playground, ada: Person, data: bytes) -> None:
    url = f"{playground.api_url}/channels/{ada.about['channel_id']}/messages"
    headers = {"Authorization": ada._token, "Content-Type": "application/json"}
    async with aiohttp.ClientSession() as session, session.post(url, data=data, headers=headers) as answer:
        assert (answer.status, (await answer.json())["code"]) == (400, 50109)


@pytest.mark.parametrize(
    ("name", "says", "served", "is_shown"),
    [
        ("page.html", "image/png", "application/octet-stream", False),
        ("page.xhtml", "text/plain", "application/octet-stream", False),
        ("drawing.svg", "image/png", "application/octet-stream", False),
        ("run.js", "text/plain", "application/octet-stream", False),
        ("nothing", "text/html", "application/octet-stream", False),
        ("picture.png", "text/html", "image/png", True),
        ("words.txt", "text/html", "text/plain", True),
    ],
)
async def test_a_file_a_browser_could_run_is_only_downloaded_whatever_its_sender_says(
    ada: Person, name: str, says: str, served: str, is_shown: bool
) -> None:
    form = aiohttp.FormData()
    form.add_field("files[0]", b"<script>alert(1)</script>", filename=name, content_type=says)
    said = await ada.call("POST", f"/channels/{ada.about['channel_id']}/messages", data=form)
    async with aiohttp.ClientSession() as session, session.get(said["attachments"][0]["url"]) as answer:
        assert answer.content_type == served
        assert answer.headers["Content-Disposition"].startswith("inline" if is_shown else "attachment")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Security-Policy"] == "sandbox"


async def test_the_page_is_served(playground: Playground) -> None:
    async with aiohttp.ClientSession() as session, session.get(playground.url) as answer:
        assert (answer.status, answer.content_type) == (200, "text/html")
    async with aiohttp.ClientSession() as session, session.get(f"{playground.url}/../server.py") as answer:
        assert answer.status == 404
