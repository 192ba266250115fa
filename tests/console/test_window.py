"""Who is let through the console's door, by whose page, and what everybody else is told."""

import pytest

from bot.console.door import LINK_MINUTES
from bot.console.guard import REFUSAL
from bot.console.reading import CLOSED, ELSEWHERE
from bot.console.window import ASKED_MOST, ASKED_SECONDS, COOKIE, NO_SESSION, TOO_OFTEN, TRIED_MOST, USED_UP, Console
from bot.core.errors import BadSetting, Rejected
from bot.core.permissions import ONLY_MANAGERS
from bot.playground.cdn import PAGE
from tests.console.house import BOSS, opened
from tests.engine.town import BOB, BOBS
from tests.factories import GUILD_ID, person

OVERVIEW = "/api/v1/overview"
FOREIGN = "https://evil.example"
REFUSED = 403, {"type": "about:blank", "title": "Forbidden", "status": 403, "detail": REFUSAL}


async def test_a_manager_comes_in_by_a_link_and_reads() -> None:
    async with opened(entered=False) as there:
        assert (await there.ask(OVERVIEW))[0] == 401
        assert (await there.enter(there.link()))[0] == 200
        status, told = await there.ask(OVERVIEW)
        assert (status, told["server"]) == (200, "Testers")
        assert [one["name"] for one in told["agents"]] == ["Ada", "Bob"]


async def test_the_link_of_yesterday_gives_a_stranger_nothing() -> None:
    async with opened(entered=False) as there:
        used = there.link()
        await there.enter(used)
        there.session.cookie_jar.clear()
        there.proof, old = "", there.link()
        await there.here.clock.advance(60 * LINK_MINUTES)
        for token in (used, old, "", "x" * 43):
            status, told = await there.enter(token)
            assert (status, told["detail"], told["status"]) == (401, USED_UP, 401)
        assert not list(there.session.cookie_jar)
        status, told = await there.ask(OVERVIEW)
        assert (status, told["detail"]) == (401, NO_SESSION)


async def test_only_managers_are_given_a_link() -> None:
    async with opened(entered=False) as there:
        with pytest.raises(Rejected, match=ONLY_MANAGERS):
            there.console.link(GUILD_ID, person())


async def test_who_loses_the_right_amid_a_session_reads_nothing_more_and_goes_on_when_it_is_back() -> None:
    async with opened() as there:
        there.server.managers.clear()
        status, told = await there.ask(OVERVIEW)
        assert (status, told["detail"]) == (403, ONLY_MANAGERS)
        assert (await there.ask("/api/v1/rooms/1"))[0] == 403
        there.server.managers[BOSS.id] = BOSS
        assert (await there.ask(OVERVIEW))[0] == 200


async def test_the_cookie_is_for_this_page_alone_and_opens_nothing_without_its_proof() -> None:
    async with opened() as there:
        (cookie,) = there.session.cookie_jar
        assert cookie.key == COOKIE
        assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Strict", "/")
        assert cookie["max-age"] == str(12 * 3_600)
        there.proof = ""
        assert (await there.ask(OVERVIEW))[0] == 401


async def test_over_a_proxy_the_cookie_is_the_hosts_own_and_needs_tls() -> None:
    async with opened(entered=False, url="https://console.example.org") as there:
        assert there.console.link(GUILD_ID, BOSS).startswith("https://console.example.org/#enter=")
        address = f"http://127.0.0.1:{there.console.port}/api/v1/session"
        headers = {"Host": "console.example.org", "Origin": "https://console.example.org"}
        async with there.session.post(address, json={"token": there.link()}, headers=headers) as response:
            assert response.status == 200
            kept = response.headers["Set-Cookie"]
        assert kept.startswith("__Host-selfroom_console=")
        assert "Secure" in kept
        async with there.session.get(f"http://127.0.0.1:{there.console.port}/") as response:
            assert (response.status, (await response.json(content_type=None))["detail"]) == (403, REFUSAL)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": FOREIGN},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},
        {"Host": ""},
    ],
)
async def test_other_pages_and_bent_names_get_nothing_whatever_cookie_they_bring(headers: dict[str, str]) -> None:
    async with opened() as there:
        for path in (OVERVIEW, "/js/main.js"):
            assert await there.ask(path, headers=headers) == REFUSED
        assert await there.ask("/api/v1/session", "DELETE", headers=headers) == REFUSED
        assert (await there.ask(OVERVIEW))[0] == 200


async def test_a_link_on_another_page_may_open_the_page_and_nothing_can_frame_it() -> None:
    async with opened(entered=False) as there:
        clicked = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        async with there.session.get(there.console.url + "/", headers=clicked) as response:
            policy, shown = response.headers["Content-Security-Policy"], await response.text()
        assert "unsafe" not in policy
        assert {"default-src 'none'", "frame-ancestors 'none'"} <= set(policy.split("; "))
        assert "<script>" not in shown
        assert "style=" not in shown
        framed = clicked | {"Sec-Fetch-Dest": "iframe"}
        assert await there.ask("/", headers=framed) == REFUSED


async def test_whoever_asks_too_often_waits_and_nobody_else() -> None:
    async with opened() as there:
        found = [(await there.ask("/api/v1/rooms/99"))[0] for _ in range(ASKED_MOST + 1)]
        assert (found[0], found[-1]) == (404, 429)
        await there.here.clock.advance(ASKED_SECONDS)
        assert (await there.ask(OVERVIEW))[0] == 200


async def test_who_guesses_is_slowed_down_and_keeps_nobody_out_who_has_a_link() -> None:
    async with opened(entered=False) as there:
        told = [await there.enter(f"guess {number}") for number in range(TRIED_MOST + 1)]
        assert [told[0][0], told[-1][0], told[-1][1]["detail"]] == [401, 429, TOO_OFTEN]
        assert (await there.enter(there.link()))[0] == 200
        assert (await there.ask(OVERVIEW))[0] == 200


@pytest.mark.parametrize("body", [b"", b"[", b"[" * 4_000, b'{"token": 5}', b'"\\ud800"', b"\xff\xfe", b"{}", b"null"])
async def test_what_is_no_link_is_refused_in_a_sentence(body: bytes) -> None:
    async with opened(entered=False) as there:
        status, told = await there.ask("/api/v1/session", "POST", data=body)
        assert (status, told["detail"]) == (401, USED_UP)


async def test_a_body_that_is_too_large_is_not_read() -> None:
    async with opened(entered=False) as there:
        assert (await there.ask("/api/v1/session", "POST", data=b"x" * 5_000))[0] == 413


async def test_leaving_and_revoking_end_sessions() -> None:
    async with opened() as there:
        assert (await there.ask("/api/v1/session", "DELETE"))[0] == 204
        assert (await there.ask(OVERVIEW))[0] == 401
        await there.enter(there.link())
        assert there.console.revoke(GUILD_ID, BOSS) == 1
        assert (await there.ask(OVERVIEW))[0] == 401


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/nothing",
        "/api/v1/rooms/99",
        "/api/v1/rooms/999999999",
        "/api/v1/messages/99",
        "/api/v1/messages/99999999999999999999",
        "/api/v1/messages/3000000000",
        "/api/v1/agents/99",
        "/api/v1/agents/1/beats/99",
        "/api/v1/agents/99/beats/1",
        "/api/v1/rooms/1?at=99",
        "/js/../window.py",
        "/js/%2e%2e/%2e%2e/window.py",
        "/shared/js/../../cdn.py",
    ],
)
async def test_what_is_not_there_is_told_as_a_problem(path: str) -> None:
    async with opened() as there:
        status, told = await there.ask(path)
        assert (status, told["status"], bool(told["detail"])) == (404, 404, True)


async def test_a_port_that_is_taken_is_told_with_what_to_do() -> None:
    async with opened(entered=False) as there:
        port = there.console.port
        again = Console(there.desk, there.server, there.here.clock, port=port, shared=PAGE, feed=there.feed)
        with pytest.raises(BadSetting, match=f"Port {port} cannot be opened .* SELFROOM_CONSOLE_PORT"):
            await again.__aenter__()


async def test_a_room_that_is_closed_to_a_manager_on_discord_is_there_without_its_content() -> None:
    async with opened() as there:
        said = "a secret that only Bob's room heard"
        await there.here.hear(said, channel_id=BOBS)
        there.server.closed = {BOBS}
        status, told = await there.ask(OVERVIEW)
        assert [(one["name"], one["closed"], one["lately"]) for one in told["rooms"] if one["id"] == BOB] == [
            ("Bob", True, 0)
        ]
        (room,) = [one for one in told["rooms"] if one["id"] == BOB]
        (bob,) = [one for one in told["agents"] if one["id"] == BOB]
        assert (room["last_message_at"], room["unposted"], room["members"]) == (None, 0, [])
        assert (bob["waits_for"], bob["next_beat_at"], bob["last_beat_at"]) == (ELSEWHERE, None, None)
        for path in (f"/api/v1/rooms/{BOB}", "/api/v1/messages/1"):
            status, told = await there.ask(path)
            assert (status, told["detail"]) == (403, CLOSED)
        status, told = await there.ask(f"/api/v1/agents/{BOB}")
        assert (status, told["minds"]) == (200, [])
        assert (await there.ask(f"/api/v1/agents/{BOB}/beats"))[1]["beats"] == []
        there.server.closed = set()
        assert said in str((await there.ask(f"/api/v1/rooms/{BOB}"))[1])
