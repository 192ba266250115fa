"""What people who sit in a closed scene see of the community around it, as text: in one world, and in one like it.

A world is put into the store as if it had been played there. The other one looks the same to the person's seat: others
are what they are, hold what they hold, were asked and have beaten, and in the lines that the seat has not heard stands
something else. No surface may differ by a byte, pictures neither. Each is drawn in both worlds; what the store has for
both alike is read once (tests.engine.remembered), and some are drawn with nothing remembered, too. (What agents on any
seat are shown: tests.core.scenes.surfaces.)
"""

import json
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from aiohttp import web, web_fileresponse
from aiohttp.test_utils import make_mocked_request
from sqlalchemy import case, delete, update

from bot.adapters.metrics import Heart, hearts_page
from bot.adapters.web import scene_row
from bot.console.feed import Feed
from bot.console.glances import Glances
from bot.console.live import may_see
from bot.console.standing import Asker
from bot.console.window import routes_of
from bot.core.changes import PutReason
from bot.core.day_usage import Period
from bot.core.errors import NotFound, Rejected
from bot.core.keeping import Readable
from bot.core.kinds import ReasonKind, UsedBy
from bot.core.page_rows import agent_row
from bot.core.records import AgentId, Reason
from bot.core.scenes.kind import Chance, Event, Expect, SceneKind
from bot.core.scenes.play import Standing
from bot.core.scenes.records import SceneEvent
from bot.core.scenes.showing import TEXT, begun
from bot.core.scenes.windows import costs, is_hidden, unseen_lengths, window_seconds
from bot.engine.foresight import foreseen
from bot.engine.front_desk import FrontDesk
from bot.engine.front_desk.office import Office, by_nobody
from bot.engine.front_desk.timelines import Timelines
from bot.engine.masks import rooms_shut_to
from bot.engine.scene_posts import asides, calls, posts
from bot.runs.served import ServedRuns
from bot.standin.player import played
from cogs.ui.scene_pictures import board_picture, results_text, scene_picture
from cogs.ui.scenes import look_of
from cogs.ui.seats import asked_text
from storage.tables import ACTIONS, BEATS, EVENTS, MINDS
from storage.timelines.trees import SqlTrees
from tests.core.scenes.plays import Playing, dice, of, some_options, step_by_chance
from tests.core.scenes.surfaces import CANARY, hidden_of, masked
from tests.engine.front_desk.test_timelines import desk
from tests.engine.remembered import Remembered, remembering
from tests.engine.theatre import BOSS, MIRA, SCENE, Player, Theatre, theatre
from tests.engine.timelines.garden import Asked, Garden
from tests.factories import GUILD_ID
from tests.fakes import OpenBench, SeededRandom
from tests.storage.lines import written_down

SEATS = {"werewolf": 8, "landlord": 4, "village": 4}  # the last one is a person's, who manages the server
MANAGING_MIRA = replace(MIRA, is_architect=True)
OPEN_SECONDS = 60
FIRST_BEATS = 3
AFRESH = 50  # one pair of so many is also drawn with nothing remembered, and must be the same
WORDS = "/?words=wolf"
Texts = Mapping[str, str]


@dataclass
class Around:
    """A community in which a person sits in a closed scene, and all that they may ask of it."""

    stage: Theatre
    desk: FrontDesk
    trees: Timelines
    feed: Feed
    since: int
    kind: SceneKind
    remembered: Remembered
    shifted: int | None = None  # by so many agents the beats of the scene lie elsewhere now

    @property
    def agents(self) -> list[AgentId]:
        return [AgentId(id_) for id_ in range(1, SEATS[self.kind.kind])]

    async def put(self, playing: Playing, standing: Standing, events: Sequence[SceneEvent], *, shift: int) -> None:
        """Make it the world in which the scene stands so."""
        house, now = self.stage.house, self.stage.house.clock.now()
        scene = replace(
            await self.stage.scene(),
            options=playing.play.options.model_dump(mode="json"),
            seed=playing.play.seed,
            standing=standing.packed(),
            step=standing.step,
            window_step=standing.window,
            digest=standing.digest(),
            events=len(events),
            deadline_at=now + timedelta(seconds=OPEN_SECONDS),
        )
        turn = Reason(kind=ReasonKind.TURN, room_id=scene.room_id, since=now, due_at=now, scene_id=SCENE)
        asked = [AgentId(seat) for seat in standing.open_seats if seat in self.agents]
        async with house.store.database.writing() as connection:
            await connection.execute(delete(EVENTS))
            if shift != self.shifted:
                await connection.execute(update(MINDS).where(MINDS.c.side < 0).values(knowledge={"kept": shift}))
            for table in (BEATS, ACTIONS) if shift != self.shifted else ():
                count, by = len(self.agents), shift - (self.shifted or 0)
                to = {one: self.agents[(place + by) % count] for place, one in enumerate(self.agents)}
                moved = case(to, value=table.c.agent_id, else_=table.c.agent_id)
                await connection.execute(update(table).where(table.c.side < 0).values(agent_id=moved))
        self.shifted = shift
        async with house.store.writing(house.community_id) as write:
            await write.scenes.tell(house.community_id, SCENE, events)
            still = await write.scenes.ask_no_more(house.community_id, SCENE, but=asked)
            await write.scenes.keep(scene)
            new = [PutReason(agent_id=id_, reason=turn) for id_ in asked if id_ not in still]
            await write.apply(house.community_id, new)

    async def looks(self, told: Sequence[Event], whose: AgentId) -> Texts:
        """Give every surface by its name; `told`: what has just happened in the scene, `whose` head is looked into."""
        async with self.remembered.moment():
            return await self.looks_afresh(told, whose)

    async def looks_afresh(self, told: Sequence[Event], whose: AgentId) -> Texts:
        """Give the same, with nothing remembered."""
        return {
            **await self._agents(),
            **await self._console(whose),
            **await self._scene(told),
            **await self._seat(),
            **await self._kept(),
            **await self._refused(whose),
        }

    async def _agents(self) -> Texts:
        house, view = self.stage.house, await self.desk.community.view(GUILD_ID, *self.agents, messages=0)
        async with house.store.reading() as read:
            community = await read.communities.of_guild(GUILD_ID)
            assert community is not None
            seen, looks = await foreseen(
                read, community, models=self.desk.community.office.providers, clock=house.clock
            )
        hearts = [Heart(community=community.id, agent=seen.agents[id_], next_beat=looks[id_]) for id_ in self.agents]
        huds = []
        for id_ in self.agents:  # windows of rooms, recall, summaries and the mind it has elsewhere are in it
            side = await self.desk.minds.side(GUILD_ID, view.agents[id_], None, who=BOSS.id)
            huds.append(await self.desk.minds.hud(GUILD_ID, view.agents[id_], side))
        return {
            "heartbeat status": str(await self.desk.agents.next_beats(GUILD_ID)),
            "agent cards": str(view.agents),
            "metrics": hearts_page(hearts).decode(),
            "page": json.dumps([agent_row(seen, seen.agents[id_], looks[id_]) for id_ in self.agents]),
            "tally": str(await self.desk.agents.tally(GUILD_ID, self.agents)),
            "public HUDs": str(huds),
        }

    async def _console(self, whose: AgentId) -> Texts:
        """Give all that the console tells, refusals too, and what it tells as it happens."""
        asker = Asker(guild_id=GUILD_ID, person=MANAGING_MIRA, may_read=by_nobody, sees=lambda _: True, server="")
        request = _request(whose)
        routes = [
            one for one in routes_of(self.desk, self.feed, Glances(self.desk, seconds=0.0), {}) if one.method == "GET"
        ]
        with patch.object(web_fileresponse, "NOSENDFILE", True):  # nobody is there to send a file to
            found = {f"console {one.path}": await _answer(one.told(asker, request)) for one in routes}
        agents = frozenset(await self.desk.agents.names(GUILD_ID))
        hidden = await self.desk.agents.masked(GUILD_ID)
        told = self.feed.after(self.stage.house.community_id, self.since) or ()
        return found | {"live": str([one for one in told if may_see(one, agents, hidden)])}

    async def _scene(self, events: Sequence[Event]) -> Texts:
        scene, house = await self.stage.scene(), self.stage.house
        told = await self.desk.scenes.told(GUILD_ID, SCENE)
        play, standing = begun(scene) or (None, None)
        assert play is not None and standing is not None
        async with house.store.writing(house.community_id) as write:
            said = [(one.sender, one.content) for one in await posts(write, scene, events, now=house.clock.now())]
            beside = await asides(write, scene, events, now=house.clock.now())
        awaits, until = standing.awaits, window_seconds(scene, standing)
        is_unseen, soonest = is_hidden(standing), until
        if isinstance(awaits, Expect) and awaits.unseen:
            soonest = awaits.least_seconds * unseen_lengths(scene.seed, standing)
        timing = [soonest, is_unseen, is_unseen and costs(scene, standing, is_new=True)]
        return {
            "REST": json.dumps(scene_row(told)),
            "results": "\n".join([results_text(told), *told.lines]),
            "list": str([(one.id, one.status, one.title, one.usd) for one in await self.desk.scenes.all(GUILD_ID)]),
            "posts": str(said),
            "asides": str(beside),
            "calls": str(calls(scene, standing, house.clock.now())),
            "timing of edits": str(timing),
        }

    async def _seat(self) -> Texts:
        """Give what a press of *My seat* and of *Act* shows, and every picture as the bytes that are sent."""
        turn, told = await self.desk.scenes.seat(GUILD_ID, SCENE, MIRA), await self.desk.scenes.told(GUILD_ID, SCENE)
        look = look_of(turn)
        pictures = {
            "my picture": await scene_picture(turn.kind.kind, turn.picture, turn.names),
            "picture of the board": await board_picture(told.board),
        }
        return {
            "my seat": look.text,
            "my moves": f"{asked_text(turn)} {look.moves}",
            **{
                name: f"{file.filename} {file.description} {file.fp.read().hex()}"
                for name, file in pictures.items()
                if file
            },
        }

    async def _kept(self) -> Texts:
        money, house = self.desk.money, self.stage.house
        used = [await money.used(GUILD_ID, by, Period.TODAY) for by in (UsedBy.AGENT, UsedBy.MODEL, UsedBy.FORMAT)]
        spent = await money.spent_today(GUILD_ID)
        async with house.store.reading() as read:
            where = Readable(rooms=frozenset({AgentId(1)}))
            own = await written_down(read.personal, house.community_id, MIRA.id, where)
        found = await self.desk.messages.search(GUILD_ID, "wolf", room_ids=self.agents)
        return {
            "usage": str([used, spent.by_agent]),
            "privacy export": str(own),
            "search": str(found),
            "audit": str(await self.desk.community.audit_log(GUILD_ID, MANAGING_MIRA)),
            "trees": str(await self.trees.all(GUILD_ID)),
        }

    async def _refused(self, id_: AgentId) -> Texts:
        """Give what stands in place of all that is refused."""
        house, who, desk = self.stage.house, MIRA.id, self.desk
        async with house.store.reading() as read:
            shut = await rooms_shut_to(read, house.community_id, who)
        asked: dict[str, Awaitable[object]] = {
            "head": desk.minds.why_shut(GUILD_ID, id_, who=who),
            "HUD history": desk.beats.of(GUILD_ID, id_, who=who),
            "exported card": desk.cards.move_out(GUILD_ID, id_, who=who),
            "forked tree": self.trees.fork(GUILD_ID, MANAGING_MIRA, id_, title="", rooms=(id_,)),
            "replay": desk.scenes.replay(GUILD_ID, SCENE, who=who),
            "community export": desk.community.pack(GUILD_ID, MANAGING_MIRA, most_bytes=10**6),
        }
        trees = await self.trees.all(GUILD_ID)
        return {name: await _answer(one) for name, one in asked.items()} | {
            "tree": str([await _answer(self.trees.find(GUILD_ID, one.id, None, who=who)) for one in trees]),
            "rooms of trees": str(sorted(shut)),
        }


@cache
def _request(whose: AgentId) -> web.Request:
    """Give one that names all that any route asks for; to make it takes longer than to answer it."""
    parts = {"room": "1", "agent": str(whose), "message": "1", "beat": "1", "run": "1", "snapshot": "0"} | {
        "tree": "1",
        "node": "0",
    }
    return make_mocked_request("GET", WORDS, match_info=parts)


async def _answer(asked: Awaitable[object]) -> str:
    try:
        told = await asked
        return str(told.body if isinstance(told, web.Response) else told)
    except (Rejected, NotFound) as no:
        return str(no)


@asynccontextmanager
async def around(kind: SceneKind) -> AsyncIterator[Around]:
    """Begin a scene of a kind in which a person sits, with beats, things kept and a tree of it."""

    def minded(text: str, moves: dict[str, object]) -> str:
        kept = [{"type": "set", "path": "kept", "value": CANARY}]
        return json.dumps({"thoughts": CANARY, "move": (played(text) or {}).get("move"), "actions": kept})

    seats = SEATS[kind.kind]
    async with AsyncExitStack() as stack:
        stage = await stack.enter_async_context(theatre(Player(minded), agents=seats - 1))
        house = stage.house
        office = Office(
            house.store,
            stage.performer,
            house.clock,
            SeededRandom(1),
            on_done=house.delivery.wake,
            models=house.model,
            workshop=OpenBench(),
        )
        feed = Feed(house.clock)
        since, house.store.on_happened = feed.seq, feed.tell
        await stage.opened(kind.kind, seats - 1, MIRA)
        await stage.run(FIRST_BEATS)
        folder = Path(stack.enter_context(TemporaryDirectory()))
        trees = SqlTrees(folder)
        stack.push_async_callback(trees.close)
        there = desk(Garden(house, trees, Asked(house.model), None, None))  # type: ignore[arg-type]
        await there.fork(GUILD_ID, BOSS, AgentId(1), title="", rooms=(AgentId(1),))
        front = FrontDesk(office)
        front.runs.there = ServedRuns(folder=folder / "runs", is_shared=False)
        remembered = await stack.enter_async_context(remembering(house.store))
        yield Around(stage, front, there, feed, since, kind, remembered)


async def compared(here: Around, pairs: int, *, seed: int = 0) -> tuple[list[str], int]:
    """Play by chance until so many pairs were held against each other; give what differed, and how many surfaces."""
    kind, seats, done, wrong, surfaces = here.kind, SEATS[here.kind.kind], 0, list[str](), 0
    hides, others = hidden_of(kind.kind), 0
    while done < pairs:
        rng, seed = dice(seed), seed + 1
        options = some_options(kind, rng)
        if options.refusal(seats):
            continue
        playing = of(kind, options, seats, seed=str(seed))
        while not playing.is_over and done < pairs:
            before, chance = len(playing.events), Chance(f"{seed}", playing.standing.step)
            step_by_chance(playing, rng)
            if playing.is_over:
                break
            real = playing.standing
            sealed = {one: move for one, move in real.sealed.items() if one == seats}
            passed = tuple(one for one in real.passed if one == seats)
            other = real.but(state=hides(real.state, seats, chance), step=real.step + 7, sealed=sealed, passed=passed)
            found: dict[int, Texts] = {}
            # the one that is there already comes first: then beats lie where they lay
            for shift, standing in sorted(((0, real), (1, other)), key=lambda one: one[0] != here.shifted):
                lines = [masked(one, playing, seats) if shift else one for one in playing.events]
                await here.put(playing, standing, lines, shift=shift)
                told, whose = (
                    [_event(one) for one in lines[before:] if one.kind != TEXT],
                    here.agents[done % (seats - 1)],
                )
                found[shift] = await here.looks(told, whose)
                if done % AFRESH == 0:
                    afresh = await here.looks_afresh(told, whose)
                    wrong += [f"{name} as it is remembered" for name in afresh if afresh[name] != found[shift][name]]
            wrong += [f"{name} at step {real.step} of {seed}" for name in found[0] if found[0][name] != found[1][name]]
            done, surfaces, others = done + 1, len(found[0]), others + (other.state != real.state)
    assert others > pairs // 2, "the other world is the same one too often to prove anything"
    return wrong, surfaces


def _event(one: SceneEvent) -> Event:
    return Event(text=one.text or "", speaker=one.seat, audience=one.audience, kind=one.kind)
