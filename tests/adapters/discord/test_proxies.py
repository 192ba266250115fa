"""Proxy bots' services are asked once, within a time, and only their own word about the very message counts."""

import asyncio
import json
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.adapters.discord.proxies import LARGEST_ANSWER, Behind, Proxies
from bot.core.records import Snowflake

APP = 5
TRUE = {"id": "30", "channel": "20", "guild": "10", "sender": "7", "original": "29"}


def posted(**fields: object) -> Any:  # noqa: ANN401
    there = {"id": 30, "webhook_id": 1, "application_id": APP} | fields
    return SimpleNamespace(guild=SimpleNamespace(id=10), channel=SimpleNamespace(id=20), **there)


class Service:
    """What answers, and how often it was asked."""

    def __init__(self) -> None:
        self.answer: object = TRUE
        self.status = 200
        self.asked = 0
        self.in_pieces = False
        self.slow = asyncio.Event()  # until it is set, nothing is told about messages below 1,000
        self.slow.set()
        self.begun = asyncio.Event()

    async def tell(self, request: web.Request) -> web.StreamResponse:
        self.asked += 1
        self.begun.set()
        if int(request.match_info["id"]) < 1_000:
            await self.slow.wait()
        if self.in_pieces:
            response = web.StreamResponse()
            await response.prepare(request)
            for at in range(0, len(text := json.dumps(self.answer).encode()), 7):
                await response.write(text[at : at + 7])
                await asyncio.sleep(0.001)  # each is sent by itself
            return response
        if isinstance(self.answer, str):
            return web.Response(text=self.answer, status=self.status)
        return web.json_response(self.answer, status=self.status)


@pytest.fixture
async def service() -> AsyncIterator[tuple[Service, Proxies]]:
    one, app = Service(), web.Application()
    app.router.add_get("/{id}", one.tell)

    async def wanted(_: Snowflake) -> bool:
        return True

    async with TestServer(app) as server:
        proxies = Proxies({APP: f"{server.make_url('/')}{{}}"}, wanted)
        yield one, proxies
        await proxies.close()


async def test_who_is_behind_a_message_is_asked_once(service: tuple[Service, Proxies]) -> None:
    one, proxies = service
    message = posted()
    proxies.begin(message)
    proxies.begin(message)
    assert await proxies.behind(message) == Behind(Snowflake(7), Snowflake(29))
    assert await proxies.behind(message) == Behind(Snowflake(7), Snowflake(29))
    assert one.asked == 1


@pytest.mark.parametrize(
    "told",
    [
        TRUE | {"id": "31"},
        TRUE | {"channel": "21"},
        TRUE | {"guild": "11"},
        TRUE | {"sender": None},
        TRUE | {"sender": "7; DROP"},
        TRUE | {"sender": "9" * 21},
        TRUE | {"sender": str(2**63)},
        {},
        [],
        None,
    ],
)
async def test_what_is_not_about_this_very_message_names_nobody(service: tuple[Service, Proxies], told: object) -> None:
    one, proxies = service
    one.answer = told
    assert await proxies.behind(posted()) is None


async def test_an_answer_that_comes_in_pieces_is_read_whole(service: tuple[Service, Proxies]) -> None:
    one, proxies = service
    one.in_pieces = True
    assert await proxies.behind(posted()) == Behind(Snowflake(7), Snowflake(29))


async def test_other_webhooks_are_not_asked_about(service: tuple[Service, Proxies]) -> None:
    one, proxies = service
    assert await proxies.behind(posted(application_id=6)) is None
    assert await proxies.behind(posted(application_id=None)) is None
    assert await proxies.behind(posted(webhook_id=None)) is None
    assert one.asked == 0


@pytest.mark.parametrize("answer", ["no JSON", "[" * 60_000, f'{{"member": "{"x" * LARGEST_ANSWER}"}}'])
async def test_what_one_person_has_a_service_answer_keeps_nobody_elses_from_being_asked(
    service: tuple[Service, Proxies], answer: str
) -> None:
    """Who names a thousand tags of a member there would otherwise make nobodies of all others, in every server."""
    one, proxies = service
    one.answer = answer
    assert await proxies.behind(posted()) is None
    one.answer = TRUE | {"id": "31", "guild": "11"}
    assert await proxies.behind(elsewhere(id=31)) == Behind(Snowflake(7), Snowflake(29))
    assert await proxies.behind(posted()) is None
    assert one.asked == 2, "of each message once"


async def test_a_service_that_fails_is_left_alone_for_a_while_and_nobody_waits_for_it(
    service: tuple[Service, Proxies],
) -> None:
    one, proxies = service
    one.answer, one.status = "", 500
    assert await proxies.behind(posted()) is None
    one.answer, one.status = TRUE, 200
    assert await proxies.behind(posted(id=31)) is None
    assert one.asked == 1


def elsewhere(**fields: object) -> Any:  # noqa: ANN401
    return SimpleNamespace(**(vars(posted(**fields)) | {"guild": SimpleNamespace(id=11)}))


async def test_where_very_much_is_posted_no_other_server_waits_or_is_asked_about_twice(
    service: tuple[Service, Proxies],
) -> None:
    one, proxies = service
    one.answer = TRUE | {"id": "1000", "guild": "11"}
    other = elsewhere(id=1_000)
    one.slow.clear()
    for number in range(100, 110):
        proxies.begin(posted(id=number))
    await asyncio.wait_for(one.begun.wait(), 5)
    assert await asyncio.wait_for(proxies.behind(other), 2) == Behind(Snowflake(7), Snowflake(29))
    assert one.asked == 2, "one of the many, and the other"
    for number in range(1_100, 3_100):
        proxies.begin(posted(id=number))
    assert await proxies.behind(other) == Behind(Snowflake(7), Snowflake(29))
    assert one.asked == 2
    one.slow.set()


async def test_one_service_that_fails_leaves_the_others_asked(service: tuple[Service, Proxies]) -> None:
    _, proxies = service

    async def wanted(_: Snowflake) -> bool:
        return True

    both = Proxies({APP: proxies._addresses[APP], 6: "http://127.0.0.1:9/{}"}, wanted)
    assert await both.behind(posted(id=31, application_id=6)) is None
    assert await both.behind(posted()) == Behind(Snowflake(7), Snowflake(29))
    await both.close()
