"""The bot's own HTTP face: health and metrics for all on this machine, the rest for people of a playground only."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any
from unittest.mock import AsyncMock

import aiohttp
import pytest

from bot.adapters.metrics import Heart, PrometheusMetrics
from bot.adapters.web import Face, Inside
from bot.core.changes import AddAgent, AddLetter, AgentColumns, EndBeat, UpdateAgent
from bot.core.errors import BadSetting
from bot.core.kinds import LetterKind, ReasonKind, Visibility
from bot.core.next_beat import NextBeat, Waiting
from bot.core.permissions import ONLY_MANAGERS
from bot.core.records import Agent, AgentId, Beat, BeatId, CommunityId, SceneId, Snowflake, Usage
from bot.core.scenes.chat import CHAT, ChatOptions
from bot.core.scenes.play import Play
from bot.core.scenes.records import Scene, SceneStatus, Seated
from bot.core.scenes.showing import Told, board_of, cast_of, turn_of
from bot.core.sight import Sight
from bot.engine.foresight import foreseen
from bot.engine.timelines.chance import VirtualClock
from storage.database import database_url, make_engine
from storage.store import SqlStore
from tests.adapters.no_trees import NoTrees
from tests.factories import agent, later, room
from tests.fakes import START, ScriptedModel
from tests.founding import founded
from tests.moment import moment

PAGE = "http://127.0.0.1:8808"


@pytest.fixture
async def store() -> AsyncIterator[SqlStore]:
    async with await SqlStore.open("sqlite:///:memory:") as opened:
        yield opened


YOU, BOSS = "a-member's-token", "a-manager's-token"
INNER = ("/agents", "/agents/1/beat", "/rooms/1/tally", "/scenes/77", "/trees", "/trees/1", "/trees/1/events")


class Lobby(NoTrees):
    """Two people, both of every server but number 13; one of them manages."""

    def may_enter(self, token: str, guild_id: Snowflake) -> bool:
        return token in (YOU, BOSS) and guild_id != 14

    async def why_not_inside(self, token: str, guild_id: Snowflake, agent_id: AgentId) -> str:
        return "" if token == BOSS and guild_id != 14 else ONLY_MANAGERS

    async def sight(self, token: str, guild_id: Snowflake) -> Sight:
        hidden = frozenset({AgentId(1)}) if guild_id == 15 and token != BOSS else frozenset()
        return Sight(hidden_rooms=hidden, hidden_agents=hidden)

    async def scene(self, token: str, guild_id: Snowflake, thread_id: Snowflake) -> Told | None:
        return watched() if thread_id == 77 else None


def watched() -> Told:
    """Give a chat of two, each with a brief, as somebody sees it who watches."""
    play = Play(kind=CHAT, options=ChatOptions(briefs={"1": "You hide a letter."}, topic="Rain"), seed="seed")
    scene = Scene(
        community_id=CommunityId(1),
        id=SceneId(1),
        kind="chat",
        version=CHAT.version,
        title="Rain",
        room_id=AgentId(1),
        status=SceneStatus.RUNNING,
        options=play.options.model_dump(mode="json"),
        seed="seed",
        standing=play.begin((1, 2)).standing.packed(),
        board_post_id=Snowflake(78),
        started_by=Snowflake(5),
        created_at=START,
        seats=(Seated(seat=1, agent_id=AgentId(1)), Seated(seat=2, person_id=Snowflake(5))),
    )
    names = {1: "Wren", 2: "@boss"}
    board, cast = board_of(scene, (), names), cast_of(scene, (), names)
    return Told(scene=scene, cast=cast, board=board, lines=(), watching=turn_of(scene, (), names, 0))


async def drawn_face(guild_id: Snowflake, one: Agent, channel_id: Snowflake | None) -> str | None:
    return f"https://cdn.example/{one.id}-{channel_id}.png"


@pytest.fixture
async def face(store: SqlStore) -> AsyncIterator[Face]:
    async with Face(store, VirtualClock(START), PrometheusMetrics()) as opened:
        opened.foresee = partial(foreseen, models=ScriptedModel(), clock=VirtualClock(START))
        opened.inside = Inside(visitors=Lobby(), models=ScriptedModel(), origins=frozenset({PAGE}), face_of=drawn_face)
        yield opened


async def inhabit(store: SqlStore, guild_id: int, name: str) -> CommunityId:
    return await founded(store, [(agent(name=name), room())], guild_id=guild_id)


def beat(**fields: Any) -> Beat:  # noqa: ANN401
    base: dict[str, Any] = {"id": BeatId(1), "agent_id": AgentId(1), "at": START, "reason": ReasonKind.ADDRESSED}
    return Beat(**(base | fields))


async def get(face: Face, path: str, token: str = YOU, **headers: str) -> tuple[int, Any, dict[str, str]]:
    headers |= {"Authorization": token} if token else {}
    async with aiohttp.ClientSession() as session, session.get(face.url + path, headers=headers) as response:
        body = await (response.json() if "json" in response.content_type else response.text())
        return response.status, body, dict(response.headers)


async def test_ready_is_503_and_names_what_lacks_while_alive_only_says_that_the_loop_turns(
    face: Face, store: SqlStore
) -> None:
    assert (await get(face, "/readyz"))[:2] == (503, {"ready": False, "lacks": ["start"]})
    assert (await get(face, "/healthz"))[:2] == (200, {"alive": True})
    face.is_ready = True
    assert (await get(face, "/readyz"))[:2] == (200, {"ready": True, "lacks": []})
    face.is_connected = lambda: False
    assert (await get(face, "/readyz"))[:2] == (503, {"ready": False, "lacks": ["discord"]})
    face.is_connected = lambda: True
    store.database.engine = make_engine(database_url("sqlite:////nowhere/at/all.db"))
    store.database.url = store.database.engine.url
    assert (await get(face, "/readyz"))[:2] == (503, {"ready": False, "lacks": ["database"]})
    assert (await get(face, "/healthz"))[0] == 200


async def test_what_waits_to_be_sent_is_shown_by_kind_with_how_long_it_waits(face: Face, store: SqlStore) -> None:
    community_id = await inhabit(store, 11, "Wren")
    letters = [
        AddLetter(kind=LetterKind.TOPIC, room_id=AgentId(1), payload={}, not_before=later(-40)),
        AddLetter(kind=LetterKind.TOPIC, room_id=AgentId(1), payload={}, not_before=later(-30)),
    ]
    async with store.writing(community_id) as write:
        await write.apply(community_id, letters)
    page = (await get(face, "/metrics"))[1]
    assert 'selfroom_letters{kind="topic",state="waiting"} 2.0' in page
    assert 'selfroom_letters_due_seconds{kind="topic",state="waiting"} 40.0' in page


async def test_a_scene_is_told_as_who_watches_sees_it_and_nothing_where_there_is_none(
    face: Face, store: SqlStore
) -> None:
    await inhabit(store, 11, "Wren")
    status, told, _ = await get(face, "/scenes/77?guild_id=11")
    assert (status, told["title"], told["phase"], told["status"]) == (200, "Chat 1: Rain", "talking", "running")
    assert told["seats"] == [
        {"seat": 1, "name": "Wren", "user_id": None, "awaited": True, "away": False, "dead": False},
        {"seat": 2, "name": "@boss", "user_id": "5", "awaited": False, "away": False, "dead": False},
    ]
    assert told["facts"] == [["Topic", "Rain"], ["Turns left", "40"], ["Then", "@boss"]]
    assert told["board_post_id"] == "78"
    assert "letter" not in str(told)
    assert (await get(face, "/scenes/78?guild_id=11"))[:2] == (200, None)
    assert (await get(face, f"/scenes/{'9' * 30}?guild_id=11"))[:2] == (200, None)
    assert (await get(face, "/scenes/77?guild_id=11", "somebody"))[0] == 401


async def test_a_server_is_known_by_an_id_of_nineteen_digits(face: Face, store: SqlStore) -> None:
    await inhabit(store, 11, "Wren")
    await inhabit(store, 1_574_127_904_734_838_785, "Moss")
    ((row,), _) = (await get(face, "/agents?guild_id=1574127904734838785"))[1:]
    assert row["name"] == "Moss"
    assert (await get(face, f"/scenes/{1_574_127_989_266_841_600}?guild_id=11"))[0] == 200


async def test_metrics_are_a_page_for_prometheus(store: SqlStore) -> None:
    metrics = PrometheusMetrics()
    metrics.count("beats", reason="addressed")
    async with Face(store, VirtualClock(START), metrics) as face:
        status, page, headers = await get(face, "/metrics")
    assert status == 200
    assert headers["Content-Type"].startswith("text/plain")
    assert 'selfroom_beats_total{reason="addressed"} 1.0' in page


@pytest.mark.slow
async def test_the_page_of_metrics_of_a_large_house_holds_nobody_up(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await inhabit(store, 11, "Wren")
    look = NextBeat(waiting=Waiting.NEWS, words="something new to happen", at=START)
    beaten = {"last_beat_at": START, "last_reason": ReasonKind.AMBIENT}
    many = [Heart(community=CommunityId(1), agent=agent(n, **beaten), next_beat=look) for n in range(1, 2_001)]
    monkeypatch.setattr(Face, "_hearts", AsyncMock(return_value=many))
    async with Face(store, VirtualClock(START), PrometheusMetrics()) as face:
        assert min([await held_up(face) for _ in range(3)]) < 15 * moment()


async def held_up(face: Face) -> float:
    """Give the longest that the page of metrics keeps the loop from all else, in seconds of its thread."""
    asked, longest, before = asyncio.create_task(get(face, "/metrics")), 0.0, time.thread_time()
    while not asked.done():
        await asyncio.sleep(0)
        now = time.thread_time()
        longest, before = max(longest, now - before), now
    assert 'agent="2000"' in (await asked)[1]
    return longest


async def test_metrics_tell_local_users_nothing_of_private_rooms(store: SqlStore) -> None:
    community_id = await inhabit(store, 11, "Wren")
    async with store.writing(community_id) as write:
        hidden = AgentId(write.ids.take("agent"))
        busy = agent(
            hidden, community_id=community_id, name="Vault", last_beat_at=START, last_reason=ReasonKind.AMBIENT
        )
        closed = room(hidden, community_id=community_id, visibility=Visibility.PRIVATE)
        await write.apply(community_id, [AddAgent(agent=busy, room=closed)])
    async with Face(store, VirtualClock(START), PrometheusMetrics()) as face:
        face.foresee = partial(foreseen, models=ScriptedModel(), clock=VirtualClock(START))
        _, page, _ = await get(face, "/metrics")
    of_vault = [line for line in page.splitlines() if f'agent="{hidden}"' in line]
    assert of_vault
    assert all('name=""' in line and 'room="' not in line for line in of_vault)
    assert "Vault" not in page
    assert not [line for line in of_vault if line.startswith("selfroom_agent_last_beat_at")]
    assert 'name="Wren"' in page


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
    assert (await get(face, "/agents/1/beat", BOSS))[:2] == (404, {"message": "This agent has not beaten yet."})
    assert (await get(face, "/rooms/7/tally"))[:2] == (404, {"message": "There is no room 7."})
    assert (await get(face, "/rooms/1/tally"))[1]["calls"] == 0


async def test_a_room_is_busy_until_what_is_being_typed_in_it_is_posted(face: Face, store: SqlStore) -> None:
    community_id = await inhabit(store, 11, "Wren")
    assert (await get(face, "/rooms/1/tally"))[1]["busy"] is False
    async with store.writing(community_id) as write:
        typed = AddLetter(kind=LetterKind.TOPIC, room_id=AgentId(1), payload={}, not_before=later(5))
        await write.apply(community_id, [typed])
    assert (await get(face, "/rooms/1/tally"))[1]["busy"] is True


@pytest.mark.parametrize("number", ["²", "9" * 30, "9" * 5_000, "-1", "x"])
async def test_a_number_that_is_none_is_no_fault_of_ours(face: Face, store: SqlStore, number: str) -> None:
    await inhabit(store, 11, "Wren")
    assert (await get(face, f"/agents?guild_id={number}"))[0] == 200
    assert (await get(face, f"/rooms/1/tally?since={number}"))[0] == 200
    assert (await get(face, f"/rooms/{number}/tally"))[0] in (404, 405)
    assert (await get(face, f"/agents/{number}/beat", BOSS))[0] in (404, 405)


async def test_outside_a_playground_a_local_user_reads_health_and_metrics_only(store: SqlStore) -> None:
    await inhabit(store, 11, "Wren")
    async with Face(store, VirtualClock(START), PrometheusMetrics()) as face:
        for path in INNER:
            for token in ("", YOU, BOSS):
                status, body, _ = await get(face, path, token)
                assert (status, body) == (404, "Outside the playground there are /healthz, /readyz and /metrics only.")
        assert [(await get(face, path))[0] for path in ("/healthz", "/readyz", "/metrics")] == [200, 503, 200]


@pytest.mark.parametrize("token", ["", "Bot bot-token", "no such token"])
async def test_in_a_playground_a_local_user_without_a_token_reads_no_more(
    face: Face, store: SqlStore, token: str
) -> None:
    await inhabit(store, 11, "Wren")
    for path in INNER:
        status, body, _ = await get(face, path, token)
        assert status in (401, 403)
        assert "Wren" not in str(body)


async def test_what_an_agent_saw_is_for_managers_and_nothing_is_for_strangers_of_the_server(
    face: Face, store: SqlStore
) -> None:
    community_id = await inhabit(store, 11, "Wren")
    await inhabit(store, 14, "Elsewhere")
    async with store.writing(community_id) as write:
        await write.apply(community_id, [EndBeat(beat=beat(hud="the safe code is 4711", side=1))])
    status, body, _ = await get(face, "/agents/1/beat")
    assert (status, body) == (403, {"message": "Only people who may manage the server can do that."})
    assert (await get(face, "/agents/1/beat", BOSS))[1]["hud"] == "the safe code is 4711"
    for path in INNER:
        assert (await get(face, f"{path}?guild_id=14", BOSS))[0] in (401, 403)


async def test_what_goes_on_in_a_room_is_told_only_to_who_sees_it(face: Face, store: SqlStore) -> None:
    community_id = await inhabit(store, 15, "Wren")
    fields = AgentColumns(last_beat_at=START, last_reason=ReasonKind.ADDRESSED)
    async with store.writing(community_id) as write:
        await write.apply(community_id, [UpdateAgent(agent_id=AgentId(1), fields=fields)])
    for token, is_shown in ((YOU, False), (BOSS, True)):
        ((row,), _) = (await get(face, "/agents?guild_id=15", token))[1:]
        assert (row["name"], bool(row["last_beat_at"]), bool(row["last_reason"])) == ("Wren", is_shown, is_shown)
        assert ("do not see" in row["waits_for"]) is not is_shown
        assert (await get(face, "/rooms/1/tally?guild_id=15", token))[0] == (200 if is_shown else 404)


async def test_sections_add_up_to_the_input_and_an_unknown_price_is_not_nothing(face: Face, store: SqlStore) -> None:
    community_id = await inhabit(store, 11, "Wren")
    used = Usage(input_tokens=5_489, output_tokens=20, cost_usd=Decimal("0.5"))
    async with store.writing(community_id) as write:
        seen = beat(usage=used, model="mystery", sections=(("os section", 1_900), ("identity", 96)))
        await write.apply(community_id, [EndBeat(beat=seen)])
    assert face.inside is not None
    model = ScriptedModel()
    face.inside = replace(face.inside, models=model)
    row = (await get(face, "/agents/1/beat", BOSS))[1]
    assert sum(one["tokens"] for one in row["sections"]) == row["tokens"]["input"] == 5_489
    assert row["cost_usd"] == 0.5
    model.unpriced.add("mystery")
    assert (await get(face, "/agents/1/beat", BOSS))[1]["cost_usd"] is None


async def test_the_page_may_send_its_token(face: Face) -> None:
    asked = {"Origin": PAGE, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization"}
    async with aiohttp.ClientSession() as session, session.options(f"{face.url}/agents", headers=asked) as response:
        assert response.status == 204
        assert response.headers["Access-Control-Allow-Headers"] == "Authorization"
    async with aiohttp.ClientSession() as session:
        foreign = asked | {"Origin": "https://evil.example"}
        async with session.options(f"{face.url}/agents", headers=foreign) as response:
            assert response.status == 403


async def test_only_the_playgrounds_page_may_read(face: Face) -> None:
    status, _, headers = await get(face, "/agents", Origin=PAGE)
    assert (status, headers["Access-Control-Allow-Origin"]) == (200, PAGE)
    for foreign in ("https://evil.example", "null", "http://127.0.0.1:9999"):
        assert (await get(face, "/agents", Origin=foreign))[0] == 403
    for site in ("same-site", "cross-site"):  # a script or a picture in a page, which says no origin
        for path in ("/agents", "/metrics", "/readyz"):
            assert (await get(face, path, **{"Sec-Fetch-Site": site}))[0] == 403
        assert (await get(face, "/agents", Origin=PAGE, **{"Sec-Fetch-Site": site}))[0] == 200


async def test_a_name_that_was_bent_to_this_machine_is_refused(face: Face) -> None:
    assert (await get(face, "/agents", Host="evil.example"))[0] == 403
    assert (await get(face, "/readyz", Host=face.url.replace("http://127.0.0.1", "localhost")))[0] == 503


async def test_a_port_that_is_taken_is_said_in_one_sentence(face: Face, store: SqlStore) -> None:
    port = int(face.url.rpartition(":")[2])
    with pytest.raises(BadSetting, match=f"Port {port} cannot be opened .* SELFROOM_FACE_PORT"):
        async with Face(store, VirtualClock(START), PrometheusMetrics(), port=port):
            pass
