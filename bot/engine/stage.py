"""Scenes in the community: one step is one transaction, with all that follows from it (docs/scenes.md)."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import structlog

from bot.core.after_beat import notice
from bot.core.changes import AddLetter, Change, PutReason, Say
from bot.core.config import CommunityConfig
from bot.core.errors import Rejected
from bot.core.gate import TURN
from bot.core.kinds import LetterKind, ReasonKind
from bot.core.letters import BoardPayload
from bot.core.models import Ceilings
from bot.core.ports import Writing
from bot.core.records import Agent, AgentId, BeatId, CommunityId, Json, MessageId, Reason, SceneId, Snowflake
from bot.core.scenes.commentary import EVERY_SECONDS, said, words_of
from bot.core.scenes.kind import RULES, Event, Expect, Over, Seat, Wait
from bot.core.scenes.moves import parameters, proposed
from bot.core.scenes.play import Entry, Play, Rule, Standing, Step
from bot.core.scenes.records import Scene, SceneEvent, SceneStatus, Source
from bot.core.scenes.showing import begun, closed_side, moved, play_of
from bot.core.scenes.windows import NOBODY, closes_at, costs, heartbeats, is_hidden, tells_nobody, window_seconds
from bot.core.sentences import Sentence
from bot.core.spending import day_of, held_to
from bot.engine.purse import spending_now
from bot.engine.scene_posts import asides, calls, comment, posts, texts_kept
from bot.engine.seating import failing, presence, who_can_play, who_may_sit

BOARD_SECONDS = 2.0
POSTED_WITHIN_SECONDS = 10.0  # the next turn waits for the last speech so long
FAULTS_UNTIL_PAUSED = 2
PASSED = "That moment has passed: press *My seat* again."
OUTDATED = "This kind of scene is not played any more since Selfroom was updated: what happened stays readable."
NOT_RUNNING = "The scene does not run now."
CAP_SPENT, DAY_SHORT = "all that it may cost is spent", "the day's money is nearly spent"
MODELS_FAIL = "the model provider fails: resume it once it answers again"
log = structlog.get_logger(__name__)


@dataclass(kw_only=True)
class Stage:
    """One scene in one transaction; `changes` is what is still to be written when all is done."""

    write: Writing
    scene: Scene
    config: CommunityConfig
    ceilings: Ceilings | None = None  # of what the installation pays
    now: datetime
    changes: list[Change] = field(default_factory=list)
    _quiet: bool = False  # whether the step that is being made shows nowhere
    _news: bool = True  # whether it tells anything
    _is_told: bool = False  # whether it tells everybody something

    async def begin(self) -> None:
        """Set it up, once everybody sits."""
        play, scene = self._play(), self.scene
        seats = tuple(range(1, len(scene.seats) + 1))  # who left the lobby leaves no gap
        seated = tuple(replace(one, seat=seat) for seat, one in zip(seats, scene.seats, strict=True))
        step = play.begin(seats)
        self.scene = replace(
            scene,
            seats=seated,
            status=SceneStatus.RUNNING,
            started_at=self.now,
            first_digest=step.standing.digest(),
            window_step=-1,
        )
        await self._stand(step, seat=RULES)

    async def move(
        self,
        seat: Seat,
        name: str,
        arguments: Mapping[str, Json],
        *,
        window: int | None,
        source: Source,
        beat_id: BeatId | None = None,
        post_id: Snowflake | None = None,
    ) -> None:
        """Make a seat's move; raises Rejected with the rule's sentence. `window` None: whichever is open now.

        Whoever was away is back by that, even where the move is refused.
        """
        play, standing = self._running()
        if window is not None and window != standing.window:
            raise Rejected(PASSED)
        if seat in standing.state.away and seat not in standing.open_seats and not is_hidden(standing):
            await self.rule(Rule.BACK, seat)  # unseen it would tell that it was asked
            play, standing = self._running()
        found = proposed(play.kind, standing.state, seat, name, arguments, texts=standing.texts)
        entry = Entry(step=standing.step + 1, seat=seat, move=name, arguments=found.move.model_dump(mode="json"))
        step = play.enter(standing, entry)
        await self._enter(step, entry, source, beat_id)
        await self._tell_texts(found.texts, seat, standing.texts, post_id)
        sits = next(one for one in self.scene.seats if one.seat == seat)
        looks = sits.steps + 1 if found.move.free and source is Source.BEAT else 0  # each is a call
        scene = self.scene.fared(seat, turns=int(not found.move.free), steps=looks, why="")
        self.scene = replace(scene, faults=0)
        await self._stand(step, seat=seat, post_id=post_id, is_last=looks >= self.config.scene_steps)

    async def comment(self, agent_id: AgentId, move: str, arguments: Mapping[str, Json]) -> None:
        """Let who watches say something of it, which nobody who plays is shown; raises Rejected."""
        if text := words_of(move, arguments):
            message_id = MessageId(self.write.ids.take("message"))
            self.changes.append(comment(self.scene, agent_id, text, message_id, self.now))
            await self._tell([said(self.scene, text, message_id, self.now)])
            await self.write.scenes.keep(self.scene)

    async def heard(self, person_id: Snowflake, text: str, *, post_id: Snowflake, sent_at: datetime) -> None:
        """Take a line in the thread for the move it is, if it is one now; else it stands there, and nobody sees it."""
        scene, found = self.scene, begun(self.scene)
        sits = scene.seat_of(person_id=person_id)
        if found is None or sits is None or scene.status is not SceneStatus.RUNNING:
            return
        (play, standing), seat = found, sits.seat
        speech = [one for one in play.kind.moves if one.name in play.kind.speech]
        said = next((one for one in speech if standing.state.offered(seat, one.name)), next(iter(speech), None))
        if said is None:
            return
        is_of_now = scene.window_at is None or sent_at >= scene.window_at
        if not is_of_now or await self.write.scenes.was_said(scene.community_id, scene.id, post_id):
            return
        text_of = next(one.name for one in parameters(said) if one.what == "text")
        with suppress(Rejected):
            move, person = {text_of: text}, Source.PERSON
            await self.move(seat, said.name, move, window=None, source=person, post_id=post_id)

    async def rule(self, rule: Rule, seat: Seat | None = None, *, source: Source = Source.RULES) -> None:
        """Enter what the rules say by themselves, such as that the time is up."""
        play, standing = self._running()
        arguments: dict[str, Json] = {} if seat is None else {"seat": seat}
        entry = Entry(step=standing.step + 1, seat=RULES, move=rule, arguments=arguments)
        step = play.enter(standing, entry)
        for one, count in step.standing.misses.items():
            if count > standing.misses.get(one, 0):
                self.scene = self.scene.fared(one, misses=1)
        await self._enter(step, entry, source, None)
        await self._stand(step, seat=RULES)

    async def fumbled(self, seat: Seat, why: str) -> None:
        """A turn came to no move: it is asked once more, and after some times its timeout move is made."""
        _, standing = self._running()
        if seat not in standing.open_seats:
            return
        sits = next(one for one in self.scene.seats if one.seat == seat)
        self.scene = self.scene.fared(seat, refused=1, steps=sits.steps + 1, why=why)
        if sits.steps + 1 >= self.config.scene_steps:
            await self.rule(Rule.SKIP, seat)
            return
        await self.write.scenes.keep(self.scene)
        if why := await self._short(standing, is_new=False):
            await self.pause(why)
        elif sits.agent_id is not None:
            self._ask(sits.agent_id, self.now)

    async def late(self) -> None:
        """The time is up: of a window, of a wait, or of a lobby."""
        scene = self.scene
        if scene.status is SceneStatus.LOBBY:
            await self.stop("nobody began it in time")
            return
        if (found := begun(scene)) is None:
            await self.stop(OUTDATED)
            return
        _, standing = found
        if isinstance(standing.awaits, Wait) and standing.awaits.pauses:
            await self.pause("nobody was named to be next", seconds=self._seconds(standing))
            return
        if not is_hidden(standing):  # that models of who is awaited fail would tell who is
            self.scene = replace(scene, faults=scene.faults + 1 if failing(scene, standing, await self.agents()) else 0)
        if self.scene.faults >= FAULTS_UNTIL_PAUSED:
            await self.pause(MODELS_FAIL)
            return
        await self.rule(Rule.CLOSE if standing.is_complete else Rule.DEADLINE, source=Source.DEADLINE)

    async def pause(self, why: str, *, seconds: int | None = None) -> None:
        """Let it rest: nobody is asked, and the time that was left is kept, or `seconds` are given anew."""
        if self.scene.status is not SceneStatus.RUNNING:
            raise Rejected(NOT_RUNNING)
        left = (self.scene.deadline_at - self.now).total_seconds() if self.scene.deadline_at is not None else 0.0
        seconds = max(int(left), 30) if seconds is None else seconds
        await self._rest(replace(self.scene, status=SceneStatus.PAUSED, why=why, seconds_left=seconds))

    async def resume(self) -> None:
        """Let it go on with the time that was left, an unseen window from its beginning: its length tells nothing."""
        scene = self.scene
        if scene.status is not SceneStatus.PAUSED:
            raise Rejected(Sentence("The scene is not paused."))
        if scene.thread_id is None:
            self._draw(at_once=True)  # which opens a new thread
        _, standing = self._begun()
        seconds, began = scene.seconds_left or 0, scene.window_at
        if is_hidden(standing):
            seconds, began = self._seconds(standing), self.now
        scene = replace(scene, status=SceneStatus.RUNNING, why="", faults=0, seconds_left=None)
        self.scene = replace(scene, window_at=began, deadline_at=self.now + timedelta(seconds=seconds))
        await self._follow(standing, seat=RULES)

    async def stop(self, why: str) -> None:
        """End it before its end."""
        if not self.scene.status.is_open:
            raise Rejected(Sentence("The scene is over."))
        outcome = f"It was stopped: {why.rstrip('.')}."
        scene = replace(self.scene, status=SceneStatus.STOPPED, outcome=outcome, ended_at=self.now, why="")
        await self._rest_for_good(scene)
        self.changes += await posts(self.write, self.scene, [Event(text=outcome, kind="outcome")], now=self.now)

    def is_away(self, seat: Seat) -> bool:
        """Tell whether nobody waits for a seat while it goes on."""
        found = begun(self.scene) if self.scene.status is SceneStatus.RUNNING else None
        return found is not None and seat in found[1].state.away

    async def back(self, seat: Seat) -> None:
        """Somebody sits on a seat again."""
        _, standing = self._running()
        if seat in standing.state.away:
            await self.rule(Rule.BACK, seat)
        else:
            await self._follow(standing, seat=RULES)

    async def leave(self, seat: Seat) -> None:
        """Whoever sat there is not waited for any more; what the seat saw is left to who takes it."""
        if not self.scene.status.is_open:
            raise Rejected(Sentence("The scene is over."))
        self.scene = self.scene.fared(seat, left_at=self.now)
        if (found := begun(self.scene)) is None:
            await self.stop(OUTDATED)
            return
        _, standing = found
        if self.scene.status is SceneStatus.RUNNING and seat not in standing.state.away:
            await self.rule(Rule.AWAY, seat)
        else:
            await self.redraw()

    async def extend(self, seconds: int) -> None:
        """Give more time."""
        if self.scene.status is not SceneStatus.RUNNING or self.scene.deadline_at is None:
            raise Rejected(NOT_RUNNING)
        self.scene = replace(self.scene, deadline_at=self.scene.deadline_at + timedelta(seconds=seconds))
        await self.redraw()

    async def redraw(self) -> None:
        """Keep it as it is now, and have its board drawn anew."""
        self._draw()
        await self.write.scenes.keep(self.scene)

    async def _rest(self, scene: Scene) -> None:
        self.scene = replace(scene, deadline_at=None)
        await self.write.scenes.ask_no_more(scene.community_id, scene.id)
        await self.redraw()

    def _play(self) -> Play:
        if (play := play_of(self.scene)) is None:
            raise Rejected(OUTDATED)
        return play

    def _running(self) -> tuple[Play, Standing]:
        if self.scene.status is not SceneStatus.RUNNING:
            raise Rejected(NOT_RUNNING)
        return self._begun()

    def _begun(self) -> tuple[Play, Standing]:
        if (found := begun(self.scene)) is None:
            raise Rejected(OUTDATED)
        return found

    async def _enter(self, step: Step, entry: Entry, source: Source, beat_id: BeatId | None) -> None:
        """Write a line of the log."""
        entry = replace(entry, digest=step.standing.digest())
        of = self.scene.community_id, self.scene.id
        sits = next((one for one in self.scene.seats if one.seat == entry.seat), None)
        person_id = sits.person_id if sits is not None and source is Source.PERSON else None
        is_kept = entry.step % self.config.scene_kept_steps == 0
        await self.write.scenes.enter(
            *of,
            entry,
            source=source,
            at=self.now,
            beat_id=beat_id,
            person_id=person_id,
            standing=step.standing.packed() if is_kept else None,
            told=None if sits is None else moved(self.scene, sits.agent_id, beat_id),
        )
        log.info("scene step", scene=self.scene.id, kind=self.scene.kind, step=entry.step, seat=entry.seat)

    async def _tell_texts(self, texts: Sequence[str], seat: Seat, before: int, post_id: Snowflake | None) -> None:
        await self._tell(texts_kept(self.scene, texts, seat, before, post_id, self.now))

    async def _tell(self, told: Sequence[SceneEvent]) -> None:
        await self.write.scenes.tell(self.scene.community_id, self.scene.id, told)
        self.scene = replace(self.scene, events=self.scene.events + len(told))

    async def _stand(self, step: Step, *, seat: Seat, post_id: Snowflake | None = None, is_last: bool = False) -> None:
        """Keep where it stands, tell what happened, and see to whoever is next, or to the seat for the last time."""
        standing = step.standing
        self._quiet = tells_nobody(self._play().kind, self.scene, step)
        self.scene = replace(self.scene, step=standing.step, standing=standing.packed(), digest=standing.digest())
        told = [
            SceneEvent(
                id=self.scene.events + place,
                step=standing.step,
                kind=event.kind,
                text=event.text,
                seat=event.speaker,
                audience=event.audience,
                at=self.now,
            )
            for place, event in enumerate(step.events, 1)
        ]
        await self._tell(told)
        self._news = bool(told)
        self._is_told = self._is_told or any(one.audience is None for one in told)
        own = post_id is not None  # what they said stands there already
        heard = [one for one in step.events if not (own and one.speaker)]
        at_most = self.config.typing_at_most_seconds
        self.changes += await posts(self.write, self.scene, heard, now=self.now, typing_at_most_seconds=at_most)
        if self.config.scene_asides:
            self.changes += await asides(self.write, self.scene, step.events, now=self.now)
        if is_last and standing.window == self.scene.window_step and seat in standing.open_seats:
            await self.rule(Rule.SKIP, seat)
        else:
            await self._follow(standing, seat=seat)

    async def _follow(self, standing: Standing, *, seat: Seat) -> None:
        """Open the window that comes next, or end it."""
        awaits = standing.awaits
        if isinstance(awaits, Over):
            await self._end(standing, awaits)
            return
        is_new, able = standing.window != self.scene.window_step, await self._able(standing)
        if is_new or self.scene.deadline_at is None or (isinstance(awaits, Expect) and awaits.anyone and seat):
            self.scene = replace(
                self.scene,
                window_step=standing.window,
                window_at=self.now if is_new else self.scene.window_at,
                deadline_at=self.now + timedelta(seconds=self._seconds(standing, able)),
                seats=tuple(replace(one, steps=0, why="") for one in self.scene.seats) if is_new else self.scene.seats,
            )
        if (change := presence(self.scene, standing, able)) is not None:
            await self.rule(*change)
            return
        if (closing := closes_at(self.scene, standing, self.now)) is not None:
            if closing <= self.now:
                await self.rule(Rule.CLOSE)
                return
            self.scene = replace(self.scene, deadline_at=min(closing, self.scene.deadline_at or closing))
        await self._ask_open(standing, is_new=is_new)
        self.changes += calls(self.scene, standing, self.now) if is_new else []
        if (why := await self._short(standing, is_new=is_new)) and self.scene.status is SceneStatus.RUNNING:
            await self.pause(why)
            return
        await (self.write.scenes.keep(self.scene) if self._quiet else self.redraw())

    def _seconds(self, standing: Standing, able: Mapping[AgentId, Agent] = NOBODY) -> int:
        agents, people = self.config.scene_agent_seconds, self.config.scene_person_seconds
        return window_seconds(self.scene, standing, agents=agents, people=people, looking=able)

    async def _able(self, standing: Standing) -> Mapping[AgentId, Agent]:
        """Give the agents that may sit in it and have something left to spend, as far as anybody asks for them."""
        asked = {*standing.open_seats, *standing.state.away}
        if not any(one.agent_id is not None and one.seat in asked for one in self.scene.seats):
            return {}
        return await who_can_play(self.write, self.scene, held_to(self.config, self.ceilings), self.now)

    async def agents(self) -> Mapping[AgentId, Agent]:
        """Give the agents that may sit in it: in a private room those that are in it now."""
        return await who_may_sit(self.write.views, self.scene)

    async def shut_out(self, agent_id: AgentId) -> None:
        """An agent is not in the private room any more in which it takes place: what is said there is not for it."""
        sits = self.scene.seat_of(agent_id=agent_id)
        if sits is None:
            return
        if self.scene.status is SceneStatus.LOBBY:
            self.scene = replace(self.scene, seats=tuple(one for one in self.scene.seats if one is not sits))
            await self.redraw()
        else:
            await self.leave(sits.seat)

    async def _ask_open(self, standing: Standing, *, is_new: bool) -> None:
        """Give the agents whose move is open a reason to beat; who has one for this window keeps it."""
        awaits = standing.awaits
        waited = set(standing.open_seats) - set(standing.state.away)
        agents = [one.agent_id for one in self.scene.seats if one.seat in waited and one.agent_id is not None]
        of = self.scene.community_id, self.scene.id
        freely = isinstance(awaits, Expect) and awaits.anyone
        anew, later = is_new or (freely and self._news), self._after_speech()
        kept = [*(() if anew else agents), self.scene.commentator_id or AgentId(0)]
        left = await self.write.scenes.ask_no_more(*of, but=kept)
        due = {agent_id: later for agent_id in agents if agent_id not in left}
        if freely:  # who has looked, and said nothing, looks again when there is something new
            again = agents if anew else [one for one in left if one in agents]
            due = heartbeats(await self.agents(), again, now=self.now, not_before=later)
        for agent_id, at in due.items():
            self._ask(agent_id, at)
        await self._ask_commentator(self.now + timedelta(seconds=EVERY_SECONDS), asked=left)

    async def _ask_commentator(self, at: datetime, *, asked: Collection[AgentId] = ()) -> None:
        """Let who watches look at what everybody was told, if there is money; who is asked already sees all of it."""
        agent_id = self.scene.commentator_id
        if agent_id is not None and agent_id not in asked and self._is_told and not await self._money_short():
            self._ask(agent_id, at)

    def _ask(self, agent_id: AgentId, due_at: datetime) -> None:
        turn = Reason(
            kind=ReasonKind.TURN,
            room_id=self.scene.room_id,
            person_id=self.scene.started_by,
            since=self.scene.deadline_at - TURN if self.scene.deadline_at is not None else self.now,
            due_at=due_at,
            scene_id=self.scene.id,
        )
        self.changes.append(PutReason(agent_id=agent_id, reason=turn))

    def _after_speech(self) -> datetime:
        """Give when the last thing said is on Discord, if nothing holds it up."""
        posted = [one.not_before for one in self.changes if isinstance(one, Say) and one.not_before is not None]
        return min(max([self.now, *posted]), self.now + timedelta(seconds=POSTED_WITHIN_SECONDS))

    async def _short(self, standing: Standing, *, is_new: bool) -> str:
        """Say why there is no money for further turns of agents; empty when there is."""
        return await self._money_short() if costs(self.scene, standing, is_new=is_new) else ""

    async def _money_short(self) -> str:
        if self.scene.usd >= self.scene.usd_cap:
            return CAP_SPENT
        of, today = self.scene.community_id, day_of(self.now)
        day = await spending_now(self.write.money, of, self.config, today, self.ceilings)
        return "" if day.allows_initiative else DAY_SHORT

    async def _end(self, standing: Standing, over: Over) -> None:
        status = SceneStatus.STUCK if standing.stuck else SceneStatus.OVER
        seats = tuple(
            replace(one, result=word, score=score)
            for one in self.scene.seats
            for word, score in [over.results.get(one.seat, ("", 0))]
        )
        scene = replace(self.scene, status=status, outcome=over.outcome, ended_at=self.now, seats=seats)
        await self._rest_for_good(replace(scene, window_step=standing.window))
        await self._look_back()
        await self._ask_commentator(self._after_speech())
        if status is SceneStatus.STUCK:
            told = (
                f"Scene {scene.id} ({scene.kind}) got stuck and was ended: its log is kept, `/scene replay` folds it."
            )
            self.changes.append(notice(scene.room_id, told, self.now, to_managers=True))

    async def _rest_for_good(self, scene: Scene) -> None:
        """Let it rest at its end: what a closed one cost stands under its agents' names from now on."""
        is_closed = closed_side(self.scene) is not None
        await self._rest(scene)
        if is_closed:
            await self.write.scenes.share_out(scene.community_id, scene.id)

    async def _look_back(self) -> None:
        """Let its agents look back once, and keep a little of it: the only thing that leaves a closed scene."""
        if self.scene.status is not SceneStatus.OVER or not self.config.scene_epilogue or await self._money_short():
            return
        for one in self.scene.seats:
            if one.agent_id is not None and one.left_at is None:
                self._ask(one.agent_id, self._after_speech())

    def _draw(self, *, at_once: bool = False) -> None:
        """Have the board drawn anew, once within two seconds; what is about to be drawn may miss what happens now."""
        asked = self.scene.board_at
        if asked is not None and asked - self.now > timedelta(seconds=BOARD_SECONDS / 2) and not at_once:
            return
        at = self.now if asked is None else max(self.now, asked + timedelta(seconds=BOARD_SECONDS))
        payload = BoardPayload(scene_id=self.scene.id).stored()
        self.changes.append(
            AddLetter(kind=LetterKind.BOARD, room_id=self.scene.room_id, payload=payload, not_before=at)
        )
        self.scene = replace(self.scene, board_at=at)


async def opened(
    write: Writing,
    community_id: CommunityId,
    scene_id: SceneId,
    *,
    config: CommunityConfig,
    now: datetime,
    ceilings: Ceilings | None = None,
) -> Stage:
    """Give a scene to work on; raises Rejected when there is none. `ceilings`: of what the installation pays."""
    scene = await write.scenes.find(community_id, scene_id)
    if scene is None:
        raise Rejected(Sentence("There is no scene {scene_id} here.", scene_id=scene_id))
    return Stage(write=write, scene=scene, config=config, ceilings=ceilings, now=now)
