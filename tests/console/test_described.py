"""Whatever programs say to the console, well or badly, is answered as its description says."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation

from bot.console import window
from bot.console.door import Guest
from bot.console.openapi import PROBLEM
from bot.console.routes import Scope
from bot.console.window import COOKIE, PROOF
from bot.core.changes import AddMembership
from bot.core.records import Side, Snowflake
from bot.core.runs.spec import Further, RunSpec
from bot.engine.front_desk.runs import RunHouse
from bot.passes import PassFile
from bot.runs.served import ServedRuns
from tests.console.house import BOSS, Open, opened
from tests.console.test_reading import beat
from tests.console.test_runs import TEA, over
from tests.engine.town import ADA, BOB
from tests.factories import GUILD_ID, membership, person

load_all_checks()
PATIENCE_SECONDS: Final = 60.0  # a busy machine's
TRIES: Final = 4  # of each request, well and badly
Headers = Mapping[str, str]
Operation = APIOperation[Any, Any, Any, Any]
STREAM: Final = ("GET", "/api/v1/events")  # it never ends: asked on its own
LEAVE: Final = ("DELETE", "/api/v1/session")  # ends what the others ask with
NUMBERS: Final = {
    "room": 1,
    "agent": 1,
    "beat": 1,
    "message": 1,
    "run": 1,
    "snapshot": 0,
    "tree": 1,
    "node": 0,
}  # of what is there
SAID: Final[Mapping[str, object]] = {
    "/api/v1/rooms/{room}/do": {"type": "set_topic", "topic": "fog"},
    "/api/v1/agents/{agent}/knowledge": {"type": "set", "path": "likes", "value": ["tea", {"hot": True}]},
    "/api/v1/runs": TEA | {"turns": 1},
    "/api/v1/runs/file": TEA,
    "/api/v1/runs/agents": {"number": 2},
    "/api/v1/runs/card": b'{"name": "Wren", "description": "a bird"}',
    "/api/v1/runs/{run}/advance": {"turns": 1},
    "/api/v1/runs/{run}/snapshots/{snapshot}/name": {"name": "the beginning"},
    "/api/v1/trees/{tree}/grow": {"what": "advance", "nodes": [0]},
    "/api/v1/trees/{tree}/nodes/{node}/note": {"text": "dark"},
    "/api/v1/trees/{tree}/nodes/{node}/merge": {"what": "all"},
}
OF_TREES: Final = "/api/v1/trees/{tree}"  # there is none here
REFUSED: Final = {
    "POST /api/v1/session": 401,  # no link
    "POST /api/v1/runs/end": 403,  # nothing is played
}
GARBAGE: Final = (b"", b"{", b"\xff\xfe", b"[" * 5_000, b"null", b'{"type": "x"}', b"NaN", b"1" * 5_000)


class Idle(ServedRuns):
    """Runs that are read as ever, of which only the first is played: each takes a process and its seconds."""

    async def begin(self, server: Snowflake, spec: RunSpec, house: RunHouse) -> int:
        if not await self.count(server):
            return await super().begin(server, spec, house)
        await house.close()
        return NUMBERS["run"]

    async def advance(self, server: Snowflake, number: int, further: Further, house: RunHouse) -> None:
        await house.close()


async def lived_in(there: Open) -> None:
    """Let there be something of everything that is told."""
    here = there.here
    async with here.store.writing(here.community_id) as write:
        await write.people.put(here.community_id, person())
    await here.hear("Ada, hello")
    await beat(there, 1, says="Hello!")
    await beat(there, 2)
    await beat(there, 3, side=Side(BOB))
    await here.say(BOB, "not posted yet")
    await here.apply(AddMembership(membership=membership(ADA, BOB, attention=40)))
    for path, said in (
        ("/api/v1/rooms/1/do", {"type": "create_key", "label": "den"}),
        ("/api/v1/agents/1/knowledge", SAID["/api/v1/agents/{agent}/knowledge"]),
        ("/api/v1/runs", SAID["/api/v1/runs"]),
    ):
        assert (await there.ask(path, "POST", json=said))[0] == 200, path
    await over(there, NUMBERS["run"])


def callers(there: Open, passes: PassFile) -> dict[str, Headers]:
    """Give what each who may ask shows: a session, a token of each scope, and one who shows nothing."""
    guest = Guest(GUILD_ID, BOSS.id)
    tokens = {one.value: passes.create(one, guest, frozenset({one}), days=None) for one in Scope}
    cookie = next(one.value for one in there.session.cookie_jar if one.key == COOKIE)
    return {
        "session": {"Cookie": f"{COOKIE}={cookie}", PROOF: there.proof},
        **{scope: {"Authorization": f"Bearer {token}"} for scope, token in tokens.items()},
        "nobody": {},
    }


def asked(operation: Operation, address: str, who: Mapping[str, Headers]) -> set[int]:
    """Ask one thing as everybody, plainly, then well and badly by chance; raises at what is not described.

    Gives how it was answered.
    """
    # whether a text that fits its description also keeps to the rules (a snapshot's name has letters) is told by 400
    beyond = [CHECKS.get_one("positive_data_acceptance")]
    answers = set()

    def answer(case: Any, by: str) -> None:  # noqa: ANN401 - schemathesis' own
        case.headers, case.cookies = {}, {}
        told = case.call_and_validate(
            base_url=address, timeout=PATIENCE_SECONDS, headers=dict(who[by]), excluded_checks=beyond
        )
        answers.add(told.status_code)

    said = SAID.get(operation.path) if operation.method.upper() == "POST" else None
    more = {} if said is None else {"body": said, "media_type": next(iter(operation.body)).media_type}
    place = {one.name: NUMBERS[one.name] for one in operation.path_parameters}
    for by in who:
        answer(operation.Case(path_parameters=place, **more), by)
    for mode in GenerationMode if operation.body or list(operation.iter_parameters()) else ():

        @settings(
            max_examples=TRIES, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
        )
        @given(case=operation.as_strategy(generation_mode=mode), by=st.sampled_from(list(who)), is_there=st.booleans())
        def ask(case: Any, by: str, is_there: bool) -> None:  # noqa: ANN401 - schemathesis' own
            if is_there and case.path_parameters and mode is GenerationMode.POSITIVE:  # noqa: B023 - asked at once
                case.path_parameters = dict(place)
            answer(case, by)

        ask()
    return answers


@pytest.mark.long
async def test_every_request_is_answered_as_it_is_described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for pace in ("ASKED_MOST", "TRIED_MOST"):
        monkeypatch.setattr(window, pace, 10**9)
    passes = PassFile(tmp_path / "tokens.json")
    runs = Idle(folder=tmp_path / "runs", is_shared=False)
    async with opened(passes=passes, runs=runs) as there:
        try:
            await lived_in(there)
            _, described = await there.ask("/api/v1/openapi.json")
            who = callers(there, passes)
            several = schemathesis.openapi.from_dict(described).get_all_operations()
            found = [one.ok() for one in several if isinstance(one, Ok)]
            assert len(found) == sum(map(len, described["paths"].values()))
            for one in sorted(found, key=lambda one: one.method.upper() == "DELETE"):
                named = one.method.upper(), one.path
                if named not in (STREAM, LEAVE):
                    answers = await asyncio.to_thread(asked, one, there.console.url, who)
                    expected = 404 if one.path.startswith(OF_TREES) else REFUSED.get(" ".join(named), 200)
                    assert expected in answers, (named, answers)
        finally:
            await runs.close()


async def test_what_is_no_answer_to_read_is_described_as_well(tmp_path: Path) -> None:
    async with opened() as there:
        _, described = await there.ask("/api/v1/openapi.json")

        async def answered(method: str, path: str, **more: Any) -> tuple[int, str]:  # noqa: ANN401
            async with there.session.request(method, there.console.url + path, **more) as one:
                return one.status, one.content_type

        proof = {PROOF: there.proof}
        several: Sequence[tuple[tuple[str, str], dict[str, str], tuple[int, str]]] = (
            (STREAM, proof, (200, "text/event-stream")),
            (STREAM, {}, (401, PROBLEM)),
            (STREAM, proof | {"Origin": "https://evil.example"}, (403, PROBLEM)),
            (("PUT", STREAM[1]), proof, (405, PROBLEM)),
            (("GET", "/api/v1/nothing"), proof, (404, PROBLEM)),
            (LEAVE, {}, (401, PROBLEM)),
            (LEAVE, proof, (204, "application/octet-stream")),
        )
        for (method, path), headers, expected in several:
            assert await answered(method, path, headers=headers) == expected, (method, path, headers)
            known = described["paths"].get(path, {}).get(method.lower(), {}).get("responses", {str(expected[0]): {}})
            assert str(expected[0]) in known


async def test_garbage_is_told_so_and_breaks_nothing() -> None:
    async with opened() as there:
        _, described = await there.ask("/api/v1/openapi.json")
        for path, several in described["paths"].items():
            if "requestBody" not in several.get("post", {}):
                continue
            for said in GARBAGE:
                await there.here.clock.advance(10)  # its pace is another matter
                at = path.format(**NUMBERS)
                status, told = await there.ask(at, "POST", data=said)
                assert status in (400, 401, 403, 404, 413), (path, said, told)
                assert told["status"] == status
