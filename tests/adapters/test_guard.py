"""Servers that communities name are asked over TLS, at the public address that was looked at, and not for too much."""

import asyncio
import gc
import json
import socket
import ssl
import threading
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bot.adapters.llm import guard
from bot.adapters.llm.guard import (
    LARGEST_ANSWER_BYTES,
    AddressRefused,
    GuardedTransport,
    checked_address,
    examined,
    is_public,
    trusted,
)
from bot.adapters.llm.provider import Provider, ProviderOptions
from bot.core.errors import Rejected
from bot.engine.timelines.chance import settle

PUBLIC, OTHER = "93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"


class Names:
    """Tells addresses of names, another one each time if it is to."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)

    async def __call__(self, host: str, port: int) -> list[str]:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class Wire(httpx2.AsyncBaseTransport):
    """Sees what would be sent; `down` addresses take no connection."""

    def __init__(self, answer: httpx2.Response | None = None, *, down: tuple[str, ...] = ()) -> None:
        self.answer = answer
        self.down = down
        self.seen: list[httpx2.Request] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.seen.append(request)
        if request.url.host in self.down:
            raise httpx2.ConnectError("refused")
        return self.answer or httpx2.Response(200, json={"ok": True})


def client(wire: Wire, names: Names) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=GuardedTransport(wire, names), follow_redirects=True)


@pytest.mark.parametrize("address", [PUBLIC, OTHER, "1.1.1.1", "2606:4700:4700::1111"])
def test_public_addresses(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *(
            "127.0.0.1",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",  # noqa: S104
            "224.0.0.1",
        ),
        *("255.255.255.255", "192.0.2.1", "198.18.0.1", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fec0::1"),
        *("::ffff:127.0.0.1", "::ffff:a00:1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2001:db8::1"),
        *("2001:0:4136:e378:8000:63bf:3fff:fdd2", "ff02::1"),
        *("192.0.0.1", "192.0.0.170", "192.88.99.1", "100.127.255.255", "64:ff9b:1::7f00:1", "64:ff9b:1::808:808"),
        *("64:ff9b::808:808", "2002:808:808::1", "::ffff:8.8.8.8", "::8.8.8.8", "2001:20::1", "3fff::1", "5f00::1"),
        *("::ffff:0:808:808", "4000::1", "e000::1"),
    ],
)
def test_addresses_of_this_machines_own_network(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("host", ["a..b", f"{'x' * 64}.example", "２.example", ".example"])
async def test_a_name_that_nobody_can_have_is_refused_in_a_sentence_and_found_nowhere(host: str) -> None:
    for private in (False, True):
        with pytest.raises(Rejected, match="base URL"):
            checked_address(f"https://{host}/v1", private=private)
    if host.isascii():
        async with httpx2.AsyncClient(transport=GuardedTransport(Wire())) as http:
            with pytest.raises(httpx2.ConnectError, match="could not be looked up"):
                await http.get(f"https://{host}/v1")


def test_an_own_server_may_be_anywhere_where_that_is_allowed() -> None:
    assert checked_address(" http://127.0.0.1:11434/v1/ ", private=True) == "http://127.0.0.1:11434/v1"


async def test_the_address_that_was_looked_at_is_the_one_that_is_asked() -> None:
    wire, names = Wire(), Names([PUBLIC], ["127.0.0.1"])  # a name that means this machine a moment later
    async with client(wire, names) as http:
        await http.post("https://models.example:8443/v1/chat", json={}, headers={"Authorization": "Bearer k"})
    (sent,) = wire.seen
    assert (sent.url.host, sent.url.port, sent.url.path) == (PUBLIC, 8443, "/v1/chat")
    assert sent.extensions["sni_hostname"] == "models.example"
    assert sent.headers["Host"] == "models.example:8443"
    assert sent.headers["Authorization"] == "Bearer k"


@pytest.mark.parametrize("found", [["127.0.0.1"], [PUBLIC, "10.0.0.7"], ["::1"]])
async def test_a_name_with_any_private_address_is_not_asked(found: list[str]) -> None:
    wire = Wire()
    async with client(wire, Names(found)) as http:
        with pytest.raises(AddressRefused, match="not on the public Internet"):
            await http.get("https://models.example/v1")
    assert wire.seen == []


@pytest.mark.parametrize("to", ["https://inner.example/", "http://models.example/"])
async def test_redirects_are_looked_at_as_well(to: str) -> None:
    wire = Wire(httpx2.Response(307, headers={"Location": to}))
    async with client(wire, Names([PUBLIC], ["192.168.0.2"])) as http:
        with pytest.raises(AddressRefused):
            await http.get("https://models.example/v1")
    assert len(wire.seen) == 1


async def test_the_next_address_is_asked_when_one_takes_no_connection() -> None:
    wire = Wire(down=(OTHER,))
    async with client(wire, Names([OTHER, PUBLIC])) as http:
        assert (await http.post("https://models.example/v1", content=b"all of it")).status_code == 200
    assert [one.url.host for one in wire.seen] == [f"{OTHER}", PUBLIC]
    wire = Wire(down=(OTHER, PUBLIC))
    async with client(wire, Names([OTHER, PUBLIC])) as http:
        with pytest.raises(httpx2.ConnectError):
            await http.get("https://models.example/v1")


async def test_an_answer_without_end_is_cut_off() -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"x" * 1_000_000

    read: list[int] = []
    async with client(Wire(httpx2.Response(200, content=endless())), Names([PUBLIC])) as http:
        with pytest.raises(AddressRefused, match="longer than any"):
            async with http.stream("GET", "https://models.example/v1") as response:
                async for piece in response.aiter_bytes():
                    read.append(len(piece))
    assert sum(read) <= LARGEST_ANSWER_BYTES


async def test_a_packed_answer_is_not_unpacked() -> None:
    wire = Wire(httpx2.Response(200, content=_one(b"\x1f\x8b"), headers={"Content-Encoding": "gzip"}))
    async with client(wire, Names([PUBLIC])) as http:
        with pytest.raises(AddressRefused, match="packed"):
            await http.get("https://models.example/v1")
    assert wire.seen[0].headers["Accept-Encoding"] == "identity"


async def _one(piece: bytes) -> AsyncIterator[bytes]:
    yield piece


def certificate_for(host: str, folder: Path) -> ssl.SSLContext:
    """Make a certificate in a folder and give what a server shows it with."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
    pem, secret = folder / "cert.pem", folder / "key.pem"
    pem.write_bytes(made.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM))
    secret.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    shown = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    shown.load_cert_chain(pem, secret)
    return shown


async def test_the_certificate_is_held_to_the_name_and_not_to_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.adapters.llm.guard.is_public", lambda address: True)  # as if this machine were elsewhere

    async def hello(request: web.Request) -> web.Response:
        return web.Response(text=request.host)

    app = web.Application()
    app.router.add_get("/v1", hello)
    server = TestServer(app, scheme="https")
    await server.start_server(ssl=certificate_for("models.example", tmp_path))
    trusted = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    guarded = GuardedTransport(httpx2.AsyncHTTPTransport(verify=trusted), Names(["127.0.0.1"]))
    async with httpx2.AsyncClient(transport=guarded) as http:
        answer = await http.get(f"https://models.example:{server.port}/v1")
    assert answer.text == f"models.example:{server.port}"
    await server.close()
    await settle()


@pytest.mark.parametrize(
    "body",
    [
        b"[" + b"[]," * 20_000 + b"0]",
        b"[" + b'{"a":0},' * 20_000 + b"0]",
        b'{"a":"b"' + b',"a":0' * 20_000 + b"}",
        b"[" + b'"",' * 20_000 + b"0]",
        '{"a": 1}'.encode("utf-16"),
        '{"a": 1}'.encode("utf-32-le"),
    ],
)
async def test_an_answer_of_too_many_values_is_refused_before_anything_is_made_of_it(
    body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[bytes] = []
    monkeypatch.setattr(json, "loads", made.append)
    with pytest.raises(AddressRefused, match="longer than any"):
        await examined(httpx2.Response(200, content=_one(body)))
    assert made == []


@pytest.mark.parametrize(
    "body", [b'{"a": "' + b'[1, {2}, \\"3\\"], ' * 20_000 + b'"}', b'\xef\xbb\xbf{"a": 1}', b"no JSON"]
)
async def test_words_of_any_length_and_marks_are_read(body: bytes) -> None:
    response = httpx2.Response(200, content=_one(body))
    await examined(response)
    assert response.content == body


async def heard(body: bytes) -> tuple[bytes, int]:
    """Read a stream that comes in one piece; gives what goes on, and how many turns others had meanwhile."""
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    others = asyncio.create_task(other())
    response = httpx2.Response(200, headers={"Content-Type": "text/event-stream"}, content=_one(body))
    await examined(response)
    passed = b"".join([piece async for piece in response.aiter_bytes()])
    others.cancel()
    return passed, turns


async def test_a_piece_with_thousands_of_events_lets_others_come_first_in_between() -> None:
    said = b"data: 1\n\n" * 2_000
    nothing, turns = await heard(b"\n" * 20_000)
    assert (nothing, turns > 150) == (b"", True)
    passed, turns = await heard(said)
    assert (passed, turns >= 2_000) == (said, True)  # to make something of each takes its time


async def test_an_event_of_more_lines_than_any_has_is_refused() -> None:
    with pytest.raises(AddressRefused, match="longer than any"):
        await heard(b"data: 1\n" * 20_000)
    with pytest.raises(AddressRefused, match="longer than any"):  # a reader that joins lines takes the square of them
        await heard(b": x\n" * 3_000 + b"data: 1\n\n")


async def test_a_name_that_never_resolves_is_looked_up_once_and_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "LOOKUP_SECONDS", 0.01)
    asked: list[str] = []

    async def never(host: str, port: int) -> list[str]:
        asked.append(host)
        await asyncio.Event().wait()
        return []

    async with httpx2.AsyncClient(transport=GuardedTransport(Wire(), never)) as http:
        calls = (http.get(f"https://tarpit{n}.example/v1") for n in range(8))
        found = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(one) for one in found] == [httpx2.ConnectError] * 8
    assert len(asked) == 1


async def test_a_name_that_never_resolves_takes_no_thread_that_others_need(monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []

    def found(*_: object, **__: object) -> list[object]:
        names.append(threading.current_thread().name)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", found)
    assert await guard.resolved("models.example", 443) == []
    assert names[0].startswith("lookups")


@pytest.mark.slow
async def test_whom_this_machine_trusts_is_read_once_for_all_clients() -> None:
    trusted()
    before = contexts()
    providers = [Provider(ProviderOptions(name="", base_url=None, api_key="x")) for _ in range(3)]
    assert contexts() == before, "to read it takes longer than the rest of a start's providers"
    for one in providers:
        await one.close()


def contexts() -> int:
    return sum(isinstance(one, ssl.SSLContext) for one in gc.get_objects())
