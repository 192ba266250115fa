"""Every place where a closed scene might show while it goes on, and what each tells instead, one by one."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import structlog
from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from sqlalchemy import select

from bot.adapters.discord import boards
from bot.adapters.metrics import Heart, hearts_page
from bot.console.feed import Feed
from bot.console.glances import Glances
from bot.console.live import may_see
from bot.console.reading import Readings
from bot.console.runs import RunPages
from bot.console.standing import Asker
from bot.core.actions import DirectScene
from bot.core.changes import SetOverride
from bot.core.day_usage import Period
from bot.core.errors import NotFound, Rejected
from bot.core.happenings import Happened
from bot.core.keeping import Readable
from bot.core.kinds import UsedBy
from bot.core.next_beat import doing_words
from bot.core.page_rows import agent_row
from bot.core.records import AgentId, Message, Snowflake
from bot.core.runs.spec import RunSpec
from bot.core.scenes.commentary import watching
from bot.engine.foresight import foreseen
from bot.engine.front_desk import FrontDesk
from bot.engine.front_desk.office import Office, by_nobody
from bot.engine.performer import Performer
from bot.engine.purse import CLOSED_SCENES
from bot.runs.served import ServedRuns
from storage.tables import ACTIONS, LETTERS, MESSAGES
from storage.timelines.trees import SqlTrees
from tests.core.scenes.surfaces import prompt
from tests.engine.front_desk.test_timelines import desk
from tests.engine.masked import SURFACES, Mask
from tests.engine.test_closed_scenes import SECRET, knowing, village
from tests.engine.theatre import BOSS, MIRA, SCENE, Player, Theatre, theatre
from tests.engine.timelines.garden import Asked, Garden
from tests.factories import GUILD_ID
from tests.fakes import OpenBench, PlainCipher, SeededRandom, WordTokenizer
from tests.storage.lines import kept_beats, written_down

THOUGHT, KEPT = "Quarzporphyr", "Serpentinit"
AGENTS = 7
TEA = {
    "turns": 1,
    "agents": [{"name": name, "prompt": f"You are {name}."} for name in ("Ada", "Bo")],
    "scene": {"kind": "chat"},
}
MANAGING_MIRA = replace(MIRA, is_architect=True)


@dataclass(frozen=True)
class Night:
    """A night in which a person sits who manages the server, with agents that whisper, think and keep secrets."""

    stage: Theatre
    desk: FrontDesk
    logs: Sequence[Mapping[str, object]]
    feed: Feed
    since: int  # the number of what happened before

    def clean(self, *texts: object) -> None:
        """Hold that nothing of the night is in some texts."""
        for text in map(str, texts):
            for canary in (SECRET, THOUGHT, KEPT):
                assert canary not in text

    async def alike(self, texts: Mapping[int, str]) -> None:
        """Hold that each agent's text is the same but for its name and number."""
        told = {text.replace(f"Agent{id_}", "X") for id_, text in texts.items()}
        assert len(texts) == AGENTS
        assert len(told) == 1, told

    async def rows(self, *columns: object) -> str:
        async with self.stage.house.store.database.reading() as connection:
            return str((await connection.execute(select(*columns))).all())  # type: ignore[call-overload]


@asynccontextmanager
async def night() -> AsyncIterator[Night]:
    def minded(text: str, moves: dict[str, object]) -> str:
        kept = [{"type": "set", "path": "secret", "value": KEPT}]
        return json.dumps({"thoughts": THOUGHT, "move": knowing(text, moves), "actions": kept})

    with structlog.testing.capture_logs() as logs:
        async with theatre(Player(minded), agents=AGENTS) as stage:
            house, performer = stage.house, Performer(cipher=PlainCipher(), tokenizer=WordTokenizer())
            office = Office(
                house.store,
                performer,
                house.clock,
                SeededRandom(1),
                on_done=house.delivery.wake,
                models=house.model,
                workshop=OpenBench(),
            )
            feed = Feed(house.clock)
            since = feed.seq
            house.store.on_happened = feed.tell
            await stage.opened("werewolf", AGENTS, MIRA, first_night_kill=True)
            yield Night(stage, FrontDesk(office), logs, feed, since)


async def every_agent(night: Night, look: Callable[[AgentId], Awaitable[object]]) -> list[object]:
    return [await look(AgentId(id_)) for id_ in range(1, AGENTS + 1)]


async def refused_inside(night: Night) -> None:
    view = await night.desk.community.view(GUILD_ID, *(AgentId(id_) for id_ in range(1, AGENTS + 1)))
    for agent in [view.agents[AgentId(id_)] for id_ in range(1, AGENTS + 1)]:
        with pytest.raises(Rejected, match="sits in a scene with you"):
            await night.desk.minds.side(GUILD_ID, agent, None, who=MIRA.id)
        side = await night.desk.minds.side(GUILD_ID, agent, None, who=BOSS.id)
        seen, _ = await night.desk.minds.hud(GUILD_ID, agent, side)
        mind = await night.desk.minds.of(GUILD_ID, agent.id, side)
        night.clean(seen, mind, await night.desk.minds.journal(GUILD_ID, agent.id))
        assert "turn in a scene" not in seen


async def refused_card(night: Night) -> None:
    with pytest.raises(Rejected, match="sits in a scene with you"):
        await night.desk.cards.move_out(GUILD_ID, AgentId(1), who=MIRA.id)
    night.clean(await night.desk.cards.move_out(GUILD_ID, AgentId(1), who=BOSS.id))


async def refused_drawer(night: Night) -> None:
    for why in await every_agent(night, lambda id_: night.desk.minds.why_shut(GUILD_ID, id_, who=MIRA.id)):
        assert "sits in a scene with you" in str(why)
    assert set(await every_agent(night, lambda id_: night.desk.minds.why_shut(GUILD_ID, id_, who=BOSS.id))) == {""}


async def refused_console(night: Night) -> None:
    readings = Readings(night.desk, night.feed, Glances(night.desk, seconds=0.0))

    def asked(path: str, **parts: str) -> web.Request:
        return make_mocked_request("GET", path, match_info=parts)

    mira = Asker(guild_id=GUILD_ID, person=MANAGING_MIRA, may_read=by_nobody, sees=lambda _: True, server="")
    boss = Asker(guild_id=GUILD_ID, person=BOSS, may_read=by_nobody, sees=lambda _: True, server="")
    for read in (readings.agent, readings.beats):
        with pytest.raises(Rejected, match="sits in a scene with you"):
            await read(mira, asked("/", agent="1"))
        night.clean(await read(boss, asked("/", agent="1")))
    night.clean(await readings.room(mira, asked("/", room="1")))
    answer = (await readings.overview(mira, asked("/"))).body
    assert isinstance(answer, bytes)
    seen = json.loads(answer)
    busy = (
        *("state", "at_work_in", "last_beat_at", "last_reason", "next_beat_at"),
        *("beats_today", "usd_today", "failures"),
    )
    await night.alike({one["id"]: str([one[name] for name in busy]) for one in seen["agents"] if one["id"] <= AGENTS})


async def absent_live(night: Night) -> None:
    agents = frozenset(await night.desk.agents.names(GUILD_ID))
    masked = await night.desk.agents.masked(GUILD_ID)
    assert masked == {*range(1, AGENTS + 1)}
    async with night.stage.house.store.writing(night.stage.house.community_id) as write:
        await write.apply(night.stage.house.community_id, [SetOverride(name="floor", value=2)])  # the feed does tell
    told = night.feed.after(night.stage.house.community_id, night.since) or ()
    assert told
    assert not [one for one in told if may_see(one, agents, masked) and one.happening.agent_id is not None]
    moves = (Happened.BEGUN, Happened.APPLIED, Happened.SAID, Happened.KNOWLEDGE)
    assert not [one for one in told if one.happening.kind in moves and one.happening.agent_id in masked]


async def refused_replay(night: Night) -> None:
    with pytest.raises(Rejected, match="fold its log once it is over"):
        await night.desk.scenes.replay(GUILD_ID, SCENE, who=MIRA.id)
    assert "every digest is as it was" in await night.desk.scenes.replay(GUILD_ID, SCENE, who=BOSS.id)


async def refused_archive(night: Night) -> None:
    with pytest.raises(Rejected, match="once that is over"):
        await night.desk.community.pack(GUILD_ID, MANAGING_MIRA, most_bytes=10**6)


async def refused_timeline(night: Night) -> None:
    with TemporaryDirectory() as folder:
        trees = SqlTrees(Path(folder))
        house = night.stage.house
        grown = Garden(house, trees, Asked(house.model), None, None)  # type: ignore[arg-type]
        there = desk(grown)
        for room in (AgentId(1), AgentId(2)):  # that of the scene, and that of an agent which sits in it
            with pytest.raises(Rejected, match="once that is over"):
                await there.fork(GUILD_ID, MANAGING_MIRA, room, title="", rooms=(room,))
            made = await there.fork(GUILD_ID, BOSS, room, title="", rooms=(room,))
            with pytest.raises(Rejected, match="once that is over"):
                await there.find(GUILD_ID, made.id, None, who=MIRA.id)
            assert await there.find(GUILD_ID, made.id, None, who=BOSS.id) == made
            assert await there.rooms_to_read(made) == ()  # who plays may have a friend, or a second account
            await there.remove(made, BOSS)
        await trees.close()


async def shut_history(night: Night) -> None:
    with pytest.raises(Rejected, match="sits in a scene with you"):
        await night.desk.beats.of(GUILD_ID, AgentId(1), who=MIRA.id)
    found = await every_agent(night, lambda id_: night.desk.beats.of(GUILD_ID, id_, who=BOSS.id))
    night.clean(found)
    assert not [beat for beats in found if isinstance(beats, list) for beat in beats if beat.side < 0]


async def shut_behind(night: Night) -> None:
    async with night.stage.house.store.reading() as read:
        beats = [
            beat
            for id_ in range(1, AGENTS + 1)
            for beat in await kept_beats(read.beats, night.stage.house.community_id, AgentId(id_), limit=9)
            if beat.side < 0
        ]
    assert beats
    for beat in beats:
        said = Message.__new__(Message)
        object.__setattr__(said, "beat_id", beat.id)
        for who in (MIRA, BOSS):
            with pytest.raises((Rejected, NotFound)):
                await night.desk.beats.behind(GUILD_ID, said, who=who.id)


async def same_status(night: Night) -> None:
    looks = await night.desk.agents.next_beats(GUILD_ID)
    view = await night.desk.community.view(GUILD_ID)
    told = {id_: f"{look.words} {look.at} {look.state} {doing_words(view, look)}" for id_, look in looks.items()}
    await night.alike({int(id_): text for id_, text in told.items()})
    assert "the scene that it sits in" in told[AgentId(1)]
    assert "turn" not in told[AgentId(1)]


async def same_card(night: Night) -> None:
    view = await night.desk.community.view(GUILD_ID)
    shown = ("interval_seconds", "next_beat_at", "last_beat_at", "last_reason", "beat_id", "asleep_until")
    await night.alike(
        {int(id_): str([getattr(one, name) for name in shown]) for id_, one in view.agents.items() if id_ <= AGENTS}
    )


async def seen_by_all(night: Night) -> tuple[object, Mapping[AgentId, object]]:
    house = night.stage.house
    async with house.store.reading() as read:
        community = await read.communities.of_guild(GUILD_ID)
        assert community is not None
        return await foreseen(read, community, models=night.desk.community.office.providers, clock=house.clock)


async def same_metrics(night: Night) -> None:
    view, looks = await seen_by_all(night)
    told = {}
    for id_, agent in view.agents.items():  # type: ignore[attr-defined]
        page = hearts_page([Heart(community=view.community.id, agent=agent, next_beat=looks[id_])]).decode()  # type: ignore[attr-defined, arg-type]
        assert "turn" not in page
        told[int(id_)] = page.replace(f'agent="{id_}"', "").replace(f'id="{id_}"', "")
    await night.alike(told)


async def same_page(night: Night) -> None:
    view, looks = await seen_by_all(night)
    told = {}
    for id_, agent in view.agents.items():  # type: ignore[attr-defined]
        row = agent_row(view, agent, looks[id_])  # type: ignore[arg-type]
        told[int(id_)] = str({name: row[name] for name in ("state", "doing", "last_reason", "next_beat_at")})
    await night.alike(told)


async def same_usage(night: Night) -> None:
    for by in (UsedBy.AGENT, UsedBy.MODEL, UsedBy.FORMAT):
        used, _ = await night.desk.money.used(GUILD_ID, by, Period.TODAY)
        assert {one.key for one in used} == {f"scene {SCENE}"}
    spent = (await night.desk.money.spent_today(GUILD_ID)).by_agent
    assert all(id_ < 0 for id_ in spent)


async def same_tally(night: Night) -> None:
    tally = await night.desk.agents.tally(GUILD_ID, [AgentId(id_) for id_ in range(1, AGENTS + 1)])
    assert sum(tally.beats.values()) == 0


async def absent_typing(night: Night) -> None:
    assert night.stage.house.typing == []


async def public_board(night: Night) -> None:
    roles = {role.value for role in village(await night.stage.scene()).roles.values()}
    for board in night.stage.house.publisher.boards:
        text = boards.written(board)
        night.clean(text, board.picture)
        lines = [line for line in text.splitlines() if not line.startswith("**Roles at first**")]
        assert not [role for role in roles if role in " ".join(lines[1:]).casefold()]
        drawn = boards.pressed(board)
        ids = str([getattr(item, "custom_id", "") for item in drawn.children])
        assert not [role for role in roles if role in ids]
        assert not any(f":{seat}'" in ids for seat in range(3, AGENTS + 2))


async def public_thread(night: Night) -> None:
    night.clean([post.content for _, post in night.stage.house.publisher.posts])
    night.clean(await night.rows(LETTERS.c.payload))


async def absent_asides(night: Night) -> None:
    assert not [what for what in night.stage.house.publisher.done if what[0] == "notify"]


async def public_history(night: Night) -> None:
    told = await night.desk.scenes.told(GUILD_ID, SCENE)
    night.clean(told.board.lines, told.lines, told.watching)
    assert not [line for line in told.lines if "is a wolf" in line or "Dealt" in line]


async def public_messages(night: Night) -> None:
    night.clean(await night.rows(MESSAGES.c.content))


async def absent_elsewhere(night: Night) -> None:
    """Search, rooms' windows, recall and summaries read messages that a room shows; none of a scene's is one."""
    async with night.stage.house.store.reading() as read:
        everyone = [AgentId(id_) for id_ in range(1, AGENTS + 1)]
        view = await read.views.whole(night.stage.house.community_id, agent_ids=everyone, messages=99)
    night.clean([room.messages for room in view.rooms.values()])
    assert "Night 1 falls" not in str([room.messages for room in view.rooms.values()])


async def absent_mind(night: Night) -> None:
    async with night.stage.house.store.reading() as read:
        everyone = [AgentId(id_) for id_ in range(1, AGENTS + 1)]
        view = await read.views.whole(night.stage.house.community_id, agent_ids=everyone, messages=1, minds=None)
    public = [mind for (_, side), mind in view.minds.items() if side >= 0]
    night.clean(public)
    assert any(side < 0 for _, side in view.minds)


async def absent_audit(night: Night) -> None:
    night.clean(await night.desk.community.audit_log(GUILD_ID, BOSS))
    async with night.stage.house.store.database.reading() as connection:
        kept = (await connection.execute(select(ACTIONS).where(ACTIONS.c.side >= 0))).all()
    night.clean(kept)


async def absent_logs(night: Night) -> None:
    night.clean(night.logs)
    steps = [one for one in night.logs if one["event"] == "scene step"]
    assert steps
    assert all(set(one) == {"event", "log_level", "scene", "kind", "step", "seat"} for one in steps)


async def absent_counters(night: Night) -> None:
    assert night.stage.house.metrics.counts["beats"] == 0
    night.clean(night.stage.house.metrics.counts, night.stage.house.metrics.observed)


async def same_model_metrics(night: Night) -> None:
    metrics = night.stage.house.metrics
    assert {value for _, label, value in metrics.labels if label == "model"} == {CLOSED_SCENES}
    assert metrics.counts["tokens"] > 0
    assert not {"model_calls", "answers_mended", "look_ups_answered"} & {*metrics.counts}
    assert not {"agents_per_call", "answer_seconds"} & {*metrics.observed}


async def absent_runs(night: Night) -> None:
    """A run is a community of its own: beside its own file nothing comes in, whoever plays meanwhile."""
    asker = Asker(guild_id=GUILD_ID, person=MANAGING_MIRA, may_read=by_nobody, sees=lambda _: True, server="")
    with TemporaryDirectory() as folder:
        runs = ServedRuns(folder=Path(folder), is_shared=False)
        night.desk.runs.there = runs
        spec = RunSpec.model_validate(TEA)
        parts = {"run": str(await night.desk.runs.begin(GUILD_ID, BOSS, spec)), "snapshot": "0"}
        request = make_mocked_request("GET", "/", match_info=parts)
        pages = [one for one in RunPages(night.desk, {}).routes() if one.method == "GET" and not one.is_large]
        told = []
        try:
            for page in pages:
                with suppress(NotFound):  # what has not been played yet
                    answer = await page.told(asker, request)
                    told.append(answer.text if isinstance(answer, web.Response) else answer)
        finally:
            await runs.close()
    assert "Ada" in str(told)
    names = [f"Agent{id_}" for id_ in range(1, AGENTS + 1)]
    assert not [name for name in names if name in str(told)]
    night.clean(told)


async def public_export(night: Night) -> None:
    async with night.stage.house.store.reading() as read:
        where = Readable(rooms=frozenset({AgentId(1)}), threads=frozenset[Snowflake]())
        night.clean(await written_down(read.personal, night.stage.house.community_id, MIRA.id, where))


async def public_commentary(night: Night) -> None:
    scene, events = await night.stage.scene(), await night.stage.events()
    turn = watching(scene, events, {one.seat: f"Agent{one.seat}" for one in scene.seats})
    assert turn is not None
    asked = prompt(turn)
    night.clean(asked.instructions, asked.input, asked.turn_schema)
    assert "You are: " not in asked.input
    assert "falls" in asked.input


PROBES: Mapping[str, Callable[[Night], Awaitable[None]]] = {
    **dict.fromkeys(("hud", "knowledge", "focus", "plan"), refused_inside),
    "card": refused_card,
    "drawer": refused_drawer,
    "timeline": refused_timeline,
    "archive": refused_archive,
    "console": refused_console,
    "live": absent_live,
    "replay": refused_replay,
    "hud history": shut_history,
    "hud behind a message": shut_behind,
    "heartbeat status": same_status,
    "agent card": same_card,
    "metrics": same_metrics,
    "page": same_page,
    "usage": same_usage,
    "tally": same_tally,
    "typing": absent_typing,
    "board": public_board,
    "thread": public_thread,
    "commentary": public_commentary,
    "asides": absent_asides,
    "history": public_history,
    "messages": public_messages,
    **dict.fromkeys(("search", "rooms"), absent_elsewhere),
    "public mind": absent_mind,
    "audit": absent_audit,
    "logs": absent_logs,
    "counters": absent_counters,
    "model metrics": same_model_metrics,
    "runs": absent_runs,
    "export": public_export,
}


def test_every_place_is_named_once_and_what_is_refused_or_shut_opens_at_the_end() -> None:
    assert len({one.name for one in SURFACES}) == len(SURFACES)
    assert all(one.until for one in SURFACES if one.mask in (Mask.REFUSED, Mask.SHUT))
    assert {one.mask for one in SURFACES} == {*Mask}


@pytest.mark.slow
async def test_every_surface_keeps_the_secrets_of_a_night() -> None:
    assert {one.name for one in SURFACES} == {*PROBES}
    async with night() as here:
        for _ in range(8):  # while some have moved, and others not yet
            await here.stage.run(1)
            for name in ("heartbeat status", "agent card", "metrics", "page", "console"):
                await PROBES[name](here)
        await here.stage.run(25)
        for surface in SURFACES:
            await PROBES[surface.name](here)
        events = str(await here.stage.events())
        assert SECRET in events or "wolf" in str(village(await here.stage.scene()).roles)


async def test_once_it_is_over_heads_are_open_again_and_its_cost_stands_under_their_names() -> None:
    async with night() as here:
        await here.stage.run(10)
        used, _ = await here.desk.money.used(GUILD_ID, UsedBy.AGENT, Period.TODAY)
        before = sum(one.beats for one in used)
        await here.stage.done(DirectScene(scene_id=SCENE, what="stop"))
        used, _ = await here.desk.money.used(GUILD_ID, UsedBy.AGENT, Period.TODAY)
        assert {one.key for one in used} <= {f"Agent{id_}" for id_ in range(1, AGENTS + 1)}
        assert sum(one.beats for one in used) == before > 0
        for why in await every_agent(here, lambda id_: here.desk.minds.why_shut(GUILD_ID, id_, who=MIRA.id)):
            assert why == ""
        beats = await every_agent(here, lambda id_: here.desk.beats.last(GUILD_ID, id_, who=MIRA.id))
        assert THOUGHT in str(beats)
        listed = await every_agent(here, lambda id_: here.desk.beats.of(GUILD_ID, id_, who=MIRA.id))
        assert THOUGHT not in str(listed)  # a list has nothing of any size
        looks = await here.desk.agents.next_beats(GUILD_ID)
        assert not [look for look in looks.values() if look.words == "the scene that it sits in"]
        opened = {one.name for one in SURFACES if one.until and one.mask in (Mask.REFUSED, Mask.SHUT)}
        assert opened >= {"hud", "drawer", "hud history", "hud behind a message", "archive"}
