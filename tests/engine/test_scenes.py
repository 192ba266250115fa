"""Scenes in a community that beats: from the lobby to the outcome, with agents and people, and through trouble."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from bot.core.actions import Action, DirectScene, LeaveSeat, Play, StartScene, TakeSeat
from bot.core.actor import Actor
from bot.core.changes import UpdateAgent
from bot.core.config import CommunityConfig
from bot.core.errors import ModelUnreachable
from bot.core.hud.turn import read_moves
from bot.core.ports import ModelAnswer, ModelCall
from bot.core.records import AgentId, Json, SceneId
from bot.core.scenes.play import replayed
from bot.core.scenes.records import Scene, SceneEvent, SceneStatus
from bot.core.scenes.showing import cast_of, lines_for, play_of
from bot.engine.deadlines import Deadlines
from bot.engine.performer import ActionContext, Outcome, Performer
from bot.engine.stage import names_of
from tests.engine.hearts import Hearts, hearts
from tests.factories import person
from tests.fakes import PlainCipher, ScriptedModel, SeededRandom, WordTokenizer

BOSS = person("boss", 502, is_architect=True)
MIRA = person("mira", 501)
SCENE = SceneId(1)
Choice = Callable[[str, dict[str, Any]], dict[str, Json] | str | Exception]


def simply(text: str, moves: dict[str, Any]) -> dict[str, Json]:
    """What an agent does that has no plans: it moves a motion, seconds, says something, votes."""
    if "vote" in moves:
        return {"type": "vote", "choice": "yes"}
    if "second" in moves:
        return {"type": "second"}
    if "say" in moves:
        return {"type": "say", "text": "Quite so."}
    return {"type": "speak", "text": "Quite so."}


class Player(ScriptedModel):
    """Answers turns as it is told to, and is silent elsewhere."""

    def __init__(self, choose: Choice = simply) -> None:
        super().__init__()
        self.choose = choose

    async def answer(self, call: ModelCall) -> ModelAnswer:
        moves = read_moves(call.input)
        if moves is None:
            self.script.append('{"agents": []}')
        else:
            chosen = self.choose(call.input, moves)
            if isinstance(chosen, Exception):
                self.script.append(chosen)  # type: ignore[arg-type]  # an error of the model
            else:
                self.script.append(chosen if isinstance(chosen, str) else json.dumps({"thoughts": "", "move": chosen}))
        return await super().answer(call)


@dataclass
class Theatre:
    """A community, and those who direct scenes there."""

    house: Hearts
    performer: Performer
    deadlines: Deadlines

    async def do(self, action: Action, who: Any = BOSS) -> Outcome:  # noqa: ANN401
        async with self.house.store.writing(self.house.community_id) as write:
            await write.people.put(self.house.community_id, who)
            context = ActionContext(now=self.house.clock.now(), random=SeededRandom())
            (outcome,) = await self.performer.perform(
                write, self.house.community_id, Actor.person(who), [action], context
            )
        return outcome

    async def done(self, action: Action, who: Any = BOSS) -> str:  # noqa: ANN401
        outcome = await self.do(action, who)
        assert outcome.accepted, outcome.why
        return outcome.result

    async def refused(self, action: Action, who: Any = BOSS) -> str:  # noqa: ANN401
        outcome = await self.do(action, who)
        assert not outcome.accepted
        return outcome.why

    async def scene(self) -> Scene:
        async with self.house.store.reading() as read:
            scene = await read.scenes.find(self.house.community_id, SCENE)
        assert scene is not None
        return scene

    async def events(self) -> list[SceneEvent]:
        async with self.house.store.reading() as read:
            return list(await read.scenes.events(self.house.community_id, SCENE))

    async def lines(self) -> list[str]:
        """All that happened, as it is told at the end."""
        scene = await self.scene()
        async with self.house.store.reading() as read:
            names = await names_of(read, scene)
        events = await self.events()
        return lines_for(events, cast_of(scene, events, names), None)

    async def opened(self, kind: str = "chat", agents: int = 2, *people: Any, **options: Json) -> None:  # noqa: ANN401
        """Open a lobby, let everybody sit, and begin."""
        await self.done(StartScene(room_id=1, kind=kind, title="Tea", options=options))
        await self.house.deliver()
        for agent_id in range(1, agents + 1):
            await self.done(TakeSeat(scene_id=SCENE, agent_id=agent_id))
        for one in people:
            await self.done(TakeSeat(scene_id=SCENE), one)
        await self.done(DirectScene(scene_id=SCENE, what="begin"))
        await self.house.deliver()

    async def move(self, who: Any, move: str, **arguments: Json) -> str:  # noqa: ANN401
        window = (await self.scene()).window_step
        outcome = await self.do(Play(scene_id=SCENE, window=window, move=move, arguments=arguments), who)
        await self.house.deliver()
        return outcome.why

    async def run(self, seconds: float) -> None:
        """Let time pass, with beats, letters and deadlines."""
        for _ in range(int(seconds)):
            await self.house.slot(1.0)
            await self.deadlines.run()
            await self.house.deliver()

    async def replays(self) -> bool:
        scene = await self.scene()
        play = play_of(scene)
        assert play is not None
        async with self.house.store.reading() as read:
            log = await read.scenes.log(self.house.community_id, SCENE)
        standing, differs = replayed(play, scene.taken, log, scene.first_digest)
        return differs is None and standing.digest() == scene.digest


@asynccontextmanager
async def theatre(model: ScriptedModel | None = None, **fields: Any) -> AsyncIterator[Theatre]:  # noqa: ANN401
    async with hearts(fields.pop("agents", 3), model=model or Player(), **fields) as house:
        performer = Performer(cipher=PlainCipher(), tokenizer=WordTokenizer())
        config = fields.get("config") or CommunityConfig()
        yield Theatre(house, performer, Deadlines(house.store, house.clock, config=config))


async def test_agents_chat_by_turns_to_the_end_and_the_room_hears_nothing_of_it() -> None:
    async with theatre() as stage:
        await stage.opened(agents=3, turns=7)
        await stage.run(60)
        scene = await stage.scene()
        assert (scene.status, scene.outcome) == (SceneStatus.OVER, "It is over: its turns are used up.")
        said = [line for line in await stage.lines() if line.endswith("Quite so.")]
        assert said == [f"Agent{number}: Quite so." for number in (1, 2, 3, 1, 2, 3, 1)]
        posts = [(post.name, post.thread_id) for _, post in stage.house.publisher.posts]
        assert [name for name, _ in posts] == [*(f"Agent{number}" for number in (1, 2, 3, 1, 2, 3, 1)), "System"]
        assert {thread for _, thread in posts} == {scene.thread_id}
        assert await stage.house.lines() == []
        assert (await stage.house.view(1)).all_rooms[AgentId(1)].agent_run == 0
        assert await stage.replays()
        assert len(stage.house.model.calls) == 7
        assert [one.turns for one in scene.seats] == [3, 2, 2]


async def test_a_turn_is_a_closed_world_with_its_own_schema_and_what_is_constant_first() -> None:
    async with theatre() as stage:
        await stage.opened("council", 3)
        await stage.run(4)
        call = stage.house.model.calls[0]
        for word in ("Selfroom", "Discord", "prompt", "room", "heartbeat"):
            assert word.casefold() not in f"{call.instructions} {call.input}".replace("resident", "").casefold(), word
        assert call.schema is not None
        text = json.dumps(call.schema)
        assert '"move_motion"' in text
        assert '"vote"' not in text
        assert call.cache_key == stage.house.model.calls[1].cache_key
        assert call.instructions == stage.house.model.calls[1].instructions
        assert len(call.instructions.split()) < 700


async def test_a_council_of_two_agents_and_a_person_passes_an_amended_motion() -> None:
    async with theatre() as stage:
        await stage.opened("council", 2, BOSS, host=False)
        await stage.run(6)  # the agents speak, one after the other
        assert await stage.move(BOSS, "move_motion", title="Tea", text="Tea at five.") == ""
        await stage.run(6)  # one of them seconds, and both speak
        assert await stage.move(BOSS, "amend", clause=1, text="Tea at four.") == ""
        await stage.run(8)
        assert await stage.move(BOSS, "call_vote") == ""
        await stage.run(6)
        scene = await stage.scene()
        assert await stage.move(BOSS, "vote", choice="yes", comment="At last.") == "", (scene.standing, scene.outcome)
        await stage.run(4)
        assert await stage.move(BOSS, "vote", choice="yes") == ""
        lines = await stage.lines()
        assert "Motion 1 passed: 3 yes, 0 no, 0 abstained, 0 absent. **Tea** (1) Tea at four." in lines
        assert "@boss: yes. At last." in lines
        assert await stage.replays()


async def test_what_is_sealed_stands_in_no_log_post_or_record_before_the_window_closes() -> None:
    async with theatre() as stage:
        await stage.opened("council", 2, BOSS, MIRA, host=False)
        await stage.run(6)
        assert await stage.move(BOSS, "move_motion", title="Tea", text="Tea at five.") == ""
        assert await stage.move(MIRA, "second") == ""
        assert await stage.move(MIRA, "yield") == ""
        await stage.run(8)
        assert await stage.move(BOSS, "call_vote") == ""
        assert await stage.move(MIRA, "second") == ""
        await stage.run(4)
        board = stage.house.publisher.boards[-1]
        assert await stage.move(MIRA, "vote", choice="no") == ""
        await stage.run(8)  # the agents vote; boss is still awaited
        assert stage.house.publisher.boards[-1].lines == board.lines
        assert stage.house.publisher.boards[-1].window == board.window
        assert not [line for line in await stage.lines() if "no." in line or "yes." in line]
        view = await stage.house.view(1, 2)
        assert all("vote" not in str(mind.recent_actions) for mind in view.minds.values())
        async with stage.house.store.reading() as read:
            audit = await read.logs.audit(stage.house.community_id, limit=50)
        assert all("no" not in entry.what.split() for entry in audit)
        await stage.move(BOSS, "vote", choice="yes")
        assert "@mira: no." in await stage.lines()


async def test_who_is_not_asked_not_seated_or_late_is_told_so() -> None:
    async with theatre() as stage:
        await stage.opened("chat", 1, BOSS, MIRA)
        before = (await stage.scene()).window_step
        await stage.run(4)
        assert await stage.move(MIRA, "say", text="Hello?") == "You are not asked now."
        stale = Play(scene_id=SCENE, window=before, move="say", arguments={"text": "Hello?"})
        assert (await stage.refused(stale)).startswith("That moment has passed")
        assert await stage.move(person("rob", 503), "say", text="Hi.") == "You do not sit in that scene."
        assert "of 150 words at most" in await stage.move(BOSS, "say", text="word " * 151)
        assert await stage.move(BOSS, "say", text="Hello.") == ""


async def test_an_agent_without_a_usable_move_is_asked_again_with_the_reason_and_then_passed_over() -> None:
    answers: list[dict[str, Json] | str | Exception] = [{"type": "vote", "choice": "yes"}, "not json", {"type": "say"}]
    model = Player(lambda text, moves: answers.pop(0) if answers else simply(text, moves))
    async with theatre(model) as stage:
        await stage.opened(agents=2, turns=4)
        await stage.run(10)
        inputs = [call.input for call in stage.house.model.calls[:4]]
        assert "vote cannot be done now" in inputs[1] or "vote is no move here" in inputs[1]
        assert "There was no move in the answer" in inputs[2]
        assert "seat: 2" in inputs[3]
        scene = await stage.scene()
        assert scene.seats[0].refused == 2
        assert await stage.replays()


async def test_a_persons_time_runs_out_and_after_three_misses_nobody_waits_for_them() -> None:
    async with theatre() as stage:
        await stage.done(StartScene(room_id=1, kind="chat", options={"turns": 40}))
        await stage.house.deliver()
        await stage.done(TakeSeat(scene_id=SCENE), MIRA)
        for agent_id in (1, 2):
            await stage.done(TakeSeat(scene_id=SCENE, agent_id=agent_id))
        await stage.done(DirectScene(scene_id=SCENE, what="begin"))
        await stage.house.deliver()
        await stage.run(125)
        assert (await stage.scene()).seats[0].misses == 1
        await stage.run(260)
        assert "@mira is away." in await stage.lines()
        await stage.run(30)
        scene = await stage.scene()
        assert scene.seats[0].misses == 3
        assert scene.status is SceneStatus.OVER or scene.step > 15
        assert await stage.replays()


async def test_an_agent_that_is_taken_from_its_seat_is_not_waited_for_and_another_may_sit_there() -> None:
    async with theatre() as stage:
        await stage.opened(agents=2, turns=40)
        await stage.done(LeaveSeat(scene_id=SCENE, agent_id=2))
        assert "Agent2 is away." in await stage.lines()
        await stage.done(TakeSeat(scene_id=SCENE, agent_id=3, seat=2))
        scene = await stage.scene()
        assert scene.seats[1].agent_id == 3
        assert await stage.replays()


async def test_a_scene_is_paused_and_goes_on_with_the_time_that_was_left() -> None:
    async with theatre() as stage:
        await stage.opened("chat", 1, BOSS)
        await stage.run(4)
        await stage.run(30)
        await stage.done(DirectScene(scene_id=SCENE, what="pause"))
        paused = await stage.scene()
        assert (paused.status, paused.deadline_at) == (SceneStatus.PAUSED, None)
        assert paused.seconds_left is not None
        assert 80 <= paused.seconds_left <= 95
        await stage.run(500)
        assert await stage.move(BOSS, "say", text="Hello.") == "The scene does not run now."
        await stage.done(DirectScene(scene_id=SCENE, what="resume"))
        assert await stage.move(BOSS, "say", text="Hello.") == ""
        assert await stage.replays()


async def test_the_time_in_which_nobody_ran_selfroom_is_nobodys_miss() -> None:
    async with theatre() as stage:
        await stage.opened("chat", 1, BOSS)
        await stage.run(10)
        await stage.house.clock.advance(3_600)
        after = Deadlines(stage.house.store, stage.house.clock, config=CommunityConfig())
        await after.run()
        scene = await stage.scene()
        assert scene.deadline_at is not None
        assert scene.deadline_at > stage.house.clock.now() + timedelta(seconds=60)
        assert scene.seats[1].misses == 0


async def test_a_scene_whose_models_fail_twice_in_a_row_pauses_and_says_why() -> None:
    model = Player(lambda text, moves: ModelUnreachable("The line is down."))
    async with theatre(model) as stage:
        await stage.opened(agents=2)
        await stage.run(200)
        scene = await stage.scene()
        assert scene.status is SceneStatus.PAUSED
        assert scene.why.startswith("the model provider fails")
        assert "Paused" in str(stage.house.publisher.boards[-1].lines)


async def test_a_scene_pauses_at_its_cap_and_managers_may_add_to_it() -> None:
    async with theatre(config=CommunityConfig(scene_usd=0)) as stage:
        await stage.opened(agents=2)
        scene = await stage.scene()
        assert (scene.status, scene.why) == (SceneStatus.PAUSED, "its 0.00 USD are spent")
        assert "manage the server" in await stage.refused(DirectScene(scene_id=SCENE, what="add"), MIRA)
        await stage.done(DirectScene(scene_id=SCENE, what="add"))
        assert (await stage.scene()).status is SceneStatus.RUNNING


async def test_a_paused_or_retired_agent_is_away_and_somebody_else_may_take_its_seat() -> None:
    async with theatre() as stage:
        await stage.opened(agents=2, turns=40)
        await stage.house.apply(UpdateAgent(agent_id=AgentId(2), fields={"paused_reason": "tired"}))
        await stage.run(6)
        assert "Agent2 is away." in await stage.lines()


async def test_an_agent_that_sits_in_a_scene_still_answers_people_elsewhere() -> None:
    async with theatre() as stage:
        await stage.opened("chat", 1, BOSS)
        await stage.run(4)
        calls = len(stage.house.model.calls)
        await stage.house.hear("@Agent1 what about tea?")
        await stage.run(3)
        since = [call for call in stage.house.model.calls[calls:] if "what about tea" in call.input]
        assert since
        assert all("Quite so" not in call.input for call in since)


async def test_a_line_in_the_thread_is_the_move_of_who_is_asked_and_nobodys_reason() -> None:
    async with theatre() as stage:
        await stage.opened("chat", 1, BOSS, turns=6)
        await stage.run(4)
        thread_id = (await stage.scene()).thread_id
        calls = len(stage.house.model.calls)
        await stage.house.hear("Agent1, I am only watching", thread_id=thread_id)
        await stage.run(3)
        assert len(stage.house.model.calls) == calls
        await stage.house.hear("Good evening all", thread_id=thread_id, who="boss", id=502)
        assert "@boss: Good evening all" in await stage.lines()
        assert await stage.house.lines() == []
        await stage.run(4)
        assert "Good evening all" in stage.house.model.calls[-1].input
        assert "only watching" not in stage.house.model.calls[-1].input
        assert not [post for _, post in stage.house.publisher.posts if "Good evening" in post.content]


async def test_a_line_that_is_read_again_after_a_restart_is_not_said_twice() -> None:
    async with theatre() as stage:
        await stage.opened("chat", 1, BOSS, turns=9)
        await stage.run(4)
        thread_id = (await stage.scene()).thread_id
        at = stage.house.clock.now()
        message_id = stage.house.publisher.id()
        fields: dict[str, Any] = {"thread_id": thread_id, "who": "boss", "id": 502, "message_id": message_id}
        await stage.house.hear("Good evening", **fields, sent_at=at)
        await stage.run(8)
        await stage.house.hear("Good evening", **fields, sent_at=at)
        assert (await stage.lines()).count("@boss: Good evening") == 1


async def test_the_lobby_says_what_is_missing_and_refuses_what_cannot_be() -> None:
    async with theatre() as stage:
        assert "chat or council" in await stage.refused(StartScene(room_id=1, kind="chess"))
        wrong = StartScene(room_id=1, kind="chat", options={"turns": 0})
        assert (await stage.refused(wrong)).startswith("turns: ")
        assert "manage the server" in await stage.refused(StartScene(room_id=1, kind="chat"), MIRA)
        await stage.done(StartScene(room_id=1, kind="council"))
        begin = DirectScene(scene_id=SCENE, what="begin")
        assert await stage.refused(begin) == "It needs 2 seats taken: 2 more."
        await stage.done(TakeSeat(scene_id=SCENE, agent_id=1))
        assert "sits already" in await stage.refused(TakeSeat(scene_id=SCENE, agent_id=1))
        await stage.done(TakeSeat(scene_id=SCENE), MIRA)
        assert "have a seat here" in await stage.refused(TakeSeat(scene_id=SCENE), MIRA)
        assert "two members beside the host" in await stage.refused(begin)
        assert "Only who started" in await stage.refused(DirectScene(scene_id=SCENE, what="stop"), MIRA)
        await stage.done(LeaveSeat(scene_id=SCENE), MIRA)
        assert (await stage.scene()).taken == (1,)
        await stage.house.clock.advance(31 * 60)
        await stage.deadlines.run()
        scene = await stage.scene()
        assert (scene.status, scene.outcome) == (SceneStatus.STOPPED, "It was stopped: nobody began it in time.")


async def test_a_thread_that_is_deleted_pauses_the_scene_and_another_one_is_opened() -> None:
    async with theatre() as stage:
        await stage.opened("chat", 1, BOSS)
        thread_id = (await stage.scene()).thread_id
        assert thread_id is not None
        stage.house.publisher.gone.add(int(thread_id))
        stage.house.publisher.threads.clear()
        await stage.run(8)
        scene = await stage.scene()
        assert (scene.status, scene.thread_id) == (SceneStatus.PAUSED, None)
        await stage.done(DirectScene(scene_id=SCENE, what="resume"))
        await stage.house.deliver()
        scene = await stage.scene()
        assert scene.thread_id not in (None, thread_id)
        assert isinstance(scene.board_post_id, int)


async def test_prompts_do_not_grow_with_the_length_of_a_scene() -> None:
    async with theatre(config=CommunityConfig(scene_usd=100)) as stage:
        await stage.opened(agents=3, turns=205)
        sizes: list[int] = []
        for _ in range(600):
            await stage.run(1)
            sizes = [len(call.input.split()) for call in stage.house.model.calls]
            if len(sizes) >= 201:
                break
        assert sizes[200] <= 1.2 * sizes[20]


@pytest.mark.parametrize("kind", ["chat", "council"])
async def test_the_board_is_drawn_at_most_once_in_two_seconds(kind: str) -> None:
    async with theatre() as stage:
        await stage.opened(kind, 3, turns=12)
        before = len(stage.house.publisher.boards)
        began = stage.house.clock.now()
        await stage.run(30)
        seconds = (stage.house.clock.now() - began).total_seconds()
        assert len(stage.house.publisher.boards) - before <= seconds / 2 + 1
