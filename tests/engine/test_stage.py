"""Scenes in a community that beats: from the lobby to the outcome, with agents and people, and through trouble."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from bot.core.actions import DirectScene, Play
from bot.core.config import CommunityConfig
from bot.core.errors import ModelUnreachable
from bot.core.events import MessageEdited, MessagesDeleted
from bot.core.hud.turn import read_outcome
from bot.core.people import why_unheard
from bot.core.records import PUBLIC_SIDE, AgentId, Json, Person, Snowflake
from bot.core.scenes.records import SceneStatus
from bot.engine.performer import Performer
from tests.engine.theatre import BOSS, MIRA, SCENE, Player, theatre
from tests.factories import GUILD_ID, person
from tests.fakes import PlainCipher, WordTokenizer
from tests.founding import statements


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
        assert len(stage.house.model.calls) == 7 + 3  # and each looks back once
        assert [one.turns for one in scene.seats] == [3, 2, 2]


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


@pytest.mark.slow
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


async def test_a_scene_pauses_at_its_cap_and_managers_may_add_to_it() -> None:
    async with theatre(config=CommunityConfig(scene_usd=0)) as stage:
        await stage.opened(agents=2)
        scene = await stage.scene()
        assert (scene.status, scene.why) == (SceneStatus.PAUSED, "all that it may cost is spent")
        assert "manage the server" in await stage.refused(DirectScene(scene_id=SCENE, what="add"), MIRA)
        assert await stage.done(DirectScene(scene_id=SCENE, what="add")) == "It may cost 0.10 USD more."
        assert (await stage.scene()).status is SceneStatus.RUNNING
        stage.house.model.imaginary = True
        stage.performer = Performer(cipher=PlainCipher(), tokenizer=WordTokenizer(), models=stage.house.model)
        assert await stage.done(DirectScene(scene_id=SCENE, what="add")) == "It may cost 0.10 imaginary USD more."


async def test_money_that_is_added_lets_nothing_go_on_that_somebody_paused() -> None:
    async with theatre() as stage:
        await stage.opened(agents=2)
        await stage.done(DirectScene(scene_id=SCENE, what="pause"))
        cap = (await stage.scene()).usd_cap
        assert await stage.done(DirectScene(scene_id=SCENE, what="add")) == "It may cost 0.10 USD more."
        scene = await stage.scene()
        assert (scene.status, scene.usd_cap - cap) == (SceneStatus.PAUSED, Decimal("0.10"))


async def test_a_turn_that_comes_to_no_move_is_not_asked_on_above_the_cap() -> None:
    async with theatre(
        Player(lambda *_: "no move at all"), config=CommunityConfig(scene_usd=Decimal("0.000001"))
    ) as stage:
        await stage.opened(agents=2)
        await stage.run(20)
        assert (await stage.scene()).status is SceneStatus.PAUSED
        assert len(stage.house.model.calls) == 2


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


@pytest.mark.parametrize("who", [person(muted=True), person(ignored=True)])
async def test_whom_agents_do_not_hear_makes_no_move_by_a_line_or_an_action(who: Person) -> None:
    async with theatre() as stage:
        await stage.opened("chat", 1, MIRA, turns=6)
        await stage.run(4)
        async with stage.house.store.writing(stage.house.community_id) as write:
            await write.people.decide_about(stage.house.community_id, who)
        thread_id = (await stage.scene()).thread_id
        await stage.house.hear("Good evening all", thread_id=thread_id, who=MIRA.username, id=MIRA.id)
        assert await stage.move(MIRA, "say", text="Good evening all") == why_unheard(who)
        assert not [line for line in await stage.lines() if "Good evening" in line]


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


@pytest.mark.parametrize("what", ["deleted", "edited"])
async def test_a_line_that_was_deleted_or_changed_before_it_came_in_is_not_said(what: str) -> None:
    async with theatre() as stage:
        await stage.opened("chat", 1, BOSS, turns=9)
        await stage.run(4)
        thread_id = (await stage.scene()).thread_id
        message_id, at = stage.house.publisher.id(), stage.house.clock.now()
        place: dict[str, Any] = {"guild_id": GUILD_ID, "channel_id": Snowflake(7_000_000_000_000_001)}
        if what == "deleted":
            await stage.house.intake.take(MessagesDeleted(**place, message_ids=(message_id,)))
        else:
            late = at + timedelta(seconds=1)
            await stage.house.intake.take(
                MessageEdited(**place, message_id=message_id, content="Good night", edited_at=late)
            )
        await stage.house.hear(
            "My address is 7 Elm Road", thread_id=thread_id, who="boss", id=502, message_id=message_id
        )
        assert not [event for event in await stage.events() if "Elm Road" in (event.text or "")]


def plot(view: str, moves: dict[str, Any]) -> dict[str, Json]:
    """Say what moderation holds back, in whatever words a move has."""
    if "move_motion" in moves:
        return {"type": "move_motion", "title": "Plot", "text": "We sell tulips."}
    return {"type": "speak", "text": "Tulips!"} if "speak" in moves else {"type": "vote", "choice": "yes"}


async def test_what_moderation_holds_back_is_no_move_in_a_scene() -> None:
    config = CommunityConfig(held_words=("tulips",))
    async with theatre(Player(plot), config=config) as stage:
        await stage.opened("council", 3, host=False)
        await stage.run(20)
        posted = [post.content for _, post in stage.house.publisher.posts]
        shown = [line for board in stage.house.publisher.boards for line in board.lines]
        assert not [one for one in (*posted, *shown, *await stage.lines()) if "tulips" in one.lower()]
        assert any("not said here" in call.input for call in stage.house.model.calls)


class Strict(Player):
    """Minds whatever is said."""

    async def objection(self, model: str, text: str) -> str:
        return "violence"


class Unjudged(Player):
    """Has nobody who looks at what is said."""

    async def objection(self, model: str, text: str) -> str:
        raise ModelUnreachable("It is away.")


async def test_what_a_moderation_model_minds_or_cannot_judge_is_no_move_either() -> None:
    config = CommunityConfig(moderation_model="omni")
    for model, why in ((Strict(), "violence"), (Unjudged(), "nobody can look at it now")):
        async with theatre(model, config=config) as stage:
            await stage.opened("chat", 2)
            await stage.run(20)
            assert "Quite so." not in str(await stage.lines())
            assert any(why in call.input for call in stage.house.model.calls)


async def test_a_persons_move_asks_the_store_few_things_and_reads_nothing_of_what_was_said_before() -> None:
    async with theatre(agents=1) as stage:
        await stage.opened("chat", 0, BOSS, MIRA)
        move = Play(scene_id=SCENE, window=(await stage.scene()).window_step, move="say", arguments={"text": "Hello."})
        with statements(stage.house.store) as asked:
            await stage.done(move)
        assert len(asked) <= 26
        assert not [one for one in asked if one.startswith("SELECT scene_events.community_id")]


KEPT: list[dict[str, Any]] = [{"type": "append", "path": "tea", "value": f"thing {n}"} for n in range(4)]


async def test_each_agent_looks_back_once_when_it_is_over_and_keeps_three_things_at_most() -> None:
    model = Player()
    model.keeps = [{"type": "reply", "room_id": 1, "message_id": 1, "message": "Hello."}, *KEPT]
    async with theatre(model) as stage:
        await stage.opened("chat", 2, turns=3, briefs={"2": "You know a secret."})
        await stage.run(30)
        over = [call for call in model.calls if read_outcome(call.input)]
        assert len(over) == 2
        assert all("It is over: its turns are used up." in call.input for call in over)
        assert all("YOUR MOVES" not in call.input and '"move"' not in str(call.schema) for call in over)
        view = await stage.house.view(1, 2)
        for agent_id in (1, 2):
            mind = view.mind_of(AgentId(agent_id), PUBLIC_SIDE)
            assert dict(mind.knowledge) == {"tea": ["thing 0", "thing 1", "thing 2"]}
        beat = await stage.house.last_beat(1)
        assert beat is not None
        assert "Rejected (append): 3 things are kept of a scene at most." in str(beat.outcome)
        assert len(await stage.house.lines()) == 0
        await stage.run(30)
        assert len([call for call in model.calls if read_outcome(call.input)]) == 2
        assert await stage.replays()


@pytest.mark.parametrize("ends", ["switched off", "stopped"])
async def test_nobody_looks_back_where_that_is_off_or_the_scene_did_not_come_to_its_end(ends: str) -> None:
    model = Player()
    async with theatre(model, config=CommunityConfig(scene_epilogue=ends != "switched off")) as stage:
        await stage.opened("chat", 2, turns=3 if ends == "switched off" else 40)
        await stage.run(6)
        if ends == "stopped":
            await stage.done(DirectScene(scene_id=SCENE, what="stop"))
        await stage.run(20)
        assert not (await stage.scene()).status.is_open
        assert not [call for call in model.calls if read_outcome(call.input)]
