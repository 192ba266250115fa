"""Every request of a bot has an answer: what was asked, or the sentence that the playground does not do it."""

import inspect
import re
from pathlib import Path

import aiohttp
import discord
import pytest
from discord.webhook import async_ as webhooks

from bot.playground.forms import UNDONE
from bot.playground.rest import undone
from bot.playground.server import Playground, api_routes
from tests.playground.person import Person, Refusal

ASKED = re.compile(r"""Route\(\s*'(\w+)',\s*f?['"]([^'"]+)['"]""")
DOCS = Path(__file__).parents[2] / "docs" / "playground.md"


def bare(name: str) -> str:
    """Give a route's name without the names of its placeholders, the first answer being one of an interaction's."""
    return re.sub(r"\{[^}]*\}|@original", "{}", name)


def what_bots_can_ask() -> set[str]:
    """Give every route in the source of discord.py's HTTP clients."""
    found = [pair for module in (discord.http, webhooks) for pair in ASKED.findall(inspect.getsource(module))]
    return {" ".join(pair) for pair in found}


def test_every_request_of_discord_py_is_answered_or_refused_in_words() -> None:
    asked = what_bots_can_ask()
    assert len(asked) > 180
    known = {bare(route.name) for route in api_routes()}
    assert [name for name in sorted(asked) if bare(name) not in known] == []


def test_nothing_is_both_done_and_refused() -> None:
    done = {bare(route.name) for route in api_routes() if route not in undone.routes.all}
    assert done & {bare(route.name) for route in undone.routes} == set()


def test_what_is_refused_is_listed_in_the_docs() -> None:
    listed = re.findall(r"^\* `(\w+ /[^`]*)`$", DOCS.read_text(), re.MULTILINE)
    assert listed == [route.name for route in undone.routes]


async def test_what_the_playground_does_not_do_it_says(owner: Person) -> None:
    with pytest.raises(Refusal) as refused:
        await owner.call("POST", "/guilds/1/emojis", json={"name": "smile", "image": "data:"})
    assert (refused.value.status, refused.value.body["message"]) == (501, UNDONE)
    stats = await owner.setup("GET", "/stats")
    assert stats["routes"]["POST /guilds/{guild_id}/emojis"] == {"501": 1}
    assert stats["unknown_routes"] == {}


async def test_answers_are_counted_by_route_and_status(owner: Person) -> None:
    room = owner.about["channel_id"]
    await owner.say(room, "hello")
    for content in ("", "x" * 3000):
        with pytest.raises(Refusal):
            await owner.say(room, content)
    stats = await owner.setup("GET", "/stats")
    assert stats["routes"]["POST /channels/{channel_id}/messages"] == {"200": 1, "400": 2}


async def test_a_field_that_nobody_knows_is_refused_by_its_name(owner: Person) -> None:
    with pytest.raises(Refusal) as refused:
        await owner.say(owner.about["channel_id"], "x" * 3000, contant="hello", message_reference={"massage_id": "1"})
    body = refused.value.body
    assert (refused.value.status, body["code"]) == (400, 50035)
    assert body["errors"]["contant"]["_errors"][0]["code"] == "FIELD_UNKNOWN"
    assert body["errors"]["content"]["_errors"][0]["code"] == "BASE_TYPE_BAD_LENGTH"
    assert set(body["errors"]["message_reference"]) == {"massage_id", "message_id"}


async def test_a_query_that_nobody_knows_is_refused_by_its_name(owner: Person) -> None:
    room = f"/channels/{owner.about['channel_id']}"
    for path, query in ((f"{room}/messages", {"limmit": "5"}), (room, {"with_counts": "1"})):
        with pytest.raises(Refusal) as refused:
            await owner.call("GET", path, params=query)
        assert refused.value.status == 400
        assert set(refused.value.body["errors"]) == set(query)


async def test_a_part_of_a_message_that_the_playground_does_not_do_is_refused_when_it_is_asked_for(
    owner: Person,
) -> None:
    room = owner.about["channel_id"]
    await owner.say(room, "no sticker", sticker_ids=[])
    with pytest.raises(Refusal) as refused:
        await owner.say(room, "a sticker", sticker_ids=["1"])
    assert UNDONE in refused.value.body["errors"]["sticker_ids"]["_errors"][0]["message"]


async def test_a_body_where_none_belongs_is_refused(owner: Person) -> None:
    with pytest.raises(Refusal) as refused:
        await owner.call("POST", f"/channels/{owner.about['channel_id']}/typing", json={"seconds": 5})
    assert set(refused.value.body["errors"]) == {"seconds"}


async def test_another_version_of_the_api_is_refused(playground: Playground) -> None:
    async with aiohttp.ClientSession() as session, session.get(f"{playground.url}/api/v6/gateway") as answer:
        assert (answer.status, (await answer.json())["code"]) == (400, 50041)
