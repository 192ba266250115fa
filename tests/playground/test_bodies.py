"""How much of a body the playground takes: JSON, and forms by the sum of their parts, as they come."""

import gzip
import io
import json
from typing import Any

import aiohttp
import pytest

from bot.playground.forms import MOST_FAULTS
from bot.playground.rest.exchange import MOST_UNKNOWN
from bot.playground.rest.reading import LARGEST_JSON, MOST_PARTS
from bot.playground.server import Playground
from tests.playground.person import Person

BOUNDARY = "BB"
FORM = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
JSON = {"Content-Type": "application/json"}


def form(*parts: tuple[str, bytes]) -> bytes:
    """Give a form of parts, each with its headers' end and its data."""
    lines = [f"--{BOUNDARY}\r\nContent-Disposition: form-data; {head}\r\n\r\n".encode() + data for head, data in parts]
    return b"\r\n".join([*lines, f"--{BOUNDARY}--\r\n".encode()])


async def sent(ada: Person, playground: Playground, body: bytes, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
    """Post a message with this body; gives status and answer."""
    url = f"{playground.api_url}/channels/{ada.about['channel_id']}/messages"
    token = {"Authorization": str(ada.about["person"]["token"])}
    async with (
        aiohttp.ClientSession() as session,
        session.post(url, data=io.BytesIO(body), headers=headers | token) as answer,
    ):
        return answer.status, await answer.json()


@pytest.mark.parametrize("is_form", [False, True])
async def test_json_is_taken_up_to_its_limit(ada: Person, playground: Playground, is_form: bool) -> None:
    for blanks, status in ((LARGEST_JSON - 100, 200), (LARGEST_JSON, 413)):
        text = json.dumps({"content": "hello"}).encode() + b" " * blanks
        body = form(('name="payload_json"', text)) if is_form else text
        assert (await sent(ada, playground, body, FORM if is_form else JSON))[0] == status


async def test_a_form_is_bounded_by_its_parts(ada: Person, playground: Playground) -> None:
    many = form(*[(f'name="other{n}"', b"") for n in range(MOST_PARTS + 1)])
    assert (await sent(ada, playground, many, FORM))[0] == 400
    large = form(*[(f'name="other{n}"', b"x" * 9_000_000) for n in range(3)])
    assert (await sent(ada, playground, large, FORM))[0] == 413


async def test_a_packed_part_is_not_unpacked(ada: Person, playground: Playground) -> None:
    packed = gzip.compress(b"\0" * 20_000_000, 9)
    head = 'name="files[0]"; filename="a.txt"\r\nContent-Encoding: gzip'
    status, message = await sent(ada, playground, form((head, packed)), FORM)
    assert status == 200
    assert [kept["size"] for kept in message["attachments"]] == [len(packed)]


@pytest.mark.parametrize(
    "body",
    [
        form(('name="files[²]"; filename="a.txt"', b"x")),
        form((f'name="files[{"9" * 5000}]"; filename="a.txt"', b"x")),
        form(('name="payload_json"', b"[" * 100_000)),
        form(('name="payload_json"', b"9" * 100_000)),
        form(('name="payload_json"', b"{}"))[:-12],
        b"no form at all",
    ],
    ids=["odd digit", "huge number", "deep", "long number", "cut off", "no form"],
)
async def test_an_odd_form_is_answered(ada: Person, playground: Playground, body: bytes) -> None:
    assert (await sent(ada, playground, body, FORM))[0] in (200, 400)


async def test_what_does_not_fit_is_shown_by_its_beginning(ada: Person, playground: Playground) -> None:
    status, answer = await sent(ada, playground, json.dumps({"flags": "x" * 100_000}).encode(), JSON)
    assert status == 400
    assert len(json.dumps(answer)) < 1000


async def test_of_very_many_faults_the_first_twenty_are_told(ada: Person, playground: Playground) -> None:
    for wrong in (
        {f"odd{number}": 1 for number in range(5_000)},
        {"embeds": [{"fields": [{"odd": 1} for _ in range(25)]} for _ in range(10)]},
    ):
        status, answer = await sent(ada, playground, json.dumps(wrong).encode(), JSON)
        assert status == 400
        assert 15 <= json.dumps(answer["errors"]).count("_errors") <= MOST_FAULTS


async def test_the_name_of_a_field_that_there_is_not_is_shown_by_its_beginning(
    ada: Person, playground: Playground
) -> None:
    status, answer = await sent(ada, playground, json.dumps({"x" * 100_000: 1}).encode(), JSON)
    assert (status, len(json.dumps(answer)) < 1_000) == (400, True)


async def test_what_lies_deep_is_not_gone_through(ada: Person, playground: Playground) -> None:
    for depth, status in ((20, 200), (500, 400)):
        title: object = "deep"
        for _ in range(depth):
            title = [title]
        kept = {"id": "1", "title": title}
        body = json.dumps({"content": "hi", "attachments": [kept]}).encode()
        assert (await sent(ada, playground, body, JSON))[0] == status


async def test_of_many_paths_that_nothing_answers_only_some_are_counted_by_name(
    ada: Person, playground: Playground
) -> None:
    async with aiohttp.ClientSession() as session:
        for number in range(MOST_UNKNOWN + 20):
            await session.get(f"{playground.api_url}/nothing/{number}")
        async with session.get(f"{playground.url}/playground/stats") as answer:
            unknown = (await answer.json())["unknown_routes"]
    assert (len(unknown), unknown["others"]) == (MOST_UNKNOWN + 1, 20)
