"""The bot's own HTTP face: health, metrics, the drawer; for this machine and the playground's page only."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from bot.adapters.metrics import PrometheusMetrics
from bot.adapters.web import Face
from bot.core.changes import AddAgent
from bot.core.errors import BadSetting
from bot.core.records import CommunityId, Snowflake
from storage.store import SqlStore
from tests.factories import agent, room
from tests.fakes import VirtualClock

PAGE = "http://127.0.0.1:8808"


@pytest.fixture
async def store() -> AsyncIterator[SqlStore]:
    async with await SqlStore.open("sqlite:///:memory:") as opened:
        yield opened


@pytest.fixture
async def face(store: SqlStore) -> AsyncIterator[Face]:
    async with Face(store, VirtualClock(), PrometheusMetrics()) as opened:
        opened.origins = frozenset({PAGE})
        yield opened


async def inhabit(store: SqlStore, guild_id: int, name: str) -> CommunityId:
    async with store.writing() as write:
        community = await write.add_community(Snowflake(guild_id), "Testers")
    async with store.writing(community.id) as write:
        one = agent(write.ids.take("agent"), community_id=community.id, name=name)
        await write.apply(community.id, [AddAgent(agent=one, room=room(one.id, community_id=community.id))])
    return community.id


async def get(face: Face, path: str, **headers: str) -> tuple[int, Any, dict[str, str]]:
    async with aiohttp.ClientSession() as session, session.get(face.url + path, headers=headers) as response:
        body = await (response.json() if "json" in response.content_type else response.text())
        return response.status, body, dict(response.headers)


async def test_health_is_503_until_the_house_is_ready(face: Face) -> None:
    assert (await get(face, "/health"))[:2] == (503, {"ready": False})
    face.is_ready = True
    assert (await get(face, "/health"))[:2] == (200, {"ready": True})


async def test_metrics_are_a_page_for_prometheus(store: SqlStore) -> None:
    metrics = PrometheusMetrics()
    metrics.count("beats", reason="addressed")
    async with Face(store, VirtualClock(), metrics) as face:
        status, page, headers = await get(face, "/metrics")
    assert status == 200
    assert headers["Content-Type"].startswith("text/plain")
    assert 'selfroom_beats_total{reason="addressed"} 1.0' in page


async def test_agents_are_told_of_the_server_that_is_asked_for(face: Face, store: SqlStore) -> None:
    assert (await get(face, "/agents"))[1] == []
    await inhabit(store, 11, "Wren")
    await inhabit(store, 12, "Moss")
    assert [row["name"] for row in (await get(face, "/agents"))[1]] == ["Wren"]
    ((row,), _) = (await get(face, "/agents?guild_id=12"))[1:]
    assert (row["name"], row["state"], row["waits_for"]) == ("Moss", "idle", "something new to happen")
    assert (await get(face, "/agents?guild_id=13"))[1] == []


async def test_an_agent_without_a_beat_and_a_room_that_is_not_there_are_404_in_a_sentence(
    face: Face, store: SqlStore
) -> None:
    await inhabit(store, 11, "Wren")
    assert (await get(face, "/agents/1/beat"))[:2] == (404, {"message": "This agent has not beaten yet."})
    assert (await get(face, "/rooms/7/tally"))[:2] == (404, {"message": "There is no room 7."})
    assert (await get(face, "/rooms/1/tally"))[1]["calls"] == 0


async def test_only_the_playgrounds_page_may_read(face: Face) -> None:
    status, _, headers = await get(face, "/agents", Origin=PAGE)
    assert (status, headers["Access-Control-Allow-Origin"]) == (200, PAGE)
    for foreign in ("https://evil.example", "null", "http://127.0.0.1:9999"):
        assert (await get(face, "/agents", Origin=foreign))[0] == 403


async def test_a_name_that_was_bent_to_this_machine_is_refused(face: Face) -> None:
    assert (await get(face, "/agents", Host="evil.example"))[0] == 403
    assert (await get(face, "/health", Host=face.url.replace("http://127.0.0.1", "localhost")))[0] == 503


async def test_a_port_that_is_taken_is_said_in_one_sentence(face: Face, store: SqlStore) -> None:
    port = int(face.url.rpartition(":")[2])
    with pytest.raises(BadSetting, match=f"Port {port} cannot be opened .* SELFROOM_FACE_PORT"):
        async with Face(store, VirtualClock(), PrometheusMetrics(), port=port):
            pass
