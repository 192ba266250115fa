"""A spectator's commentary: an agent that is shown what everybody sees, and whose words nobody who plays is shown."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pytest
import pytest_asyncio

from bot.core.actions import DirectScene, LeaveSeat, StartScene, TakeSeat
from bot.core.config import CommunityConfig
from bot.core.events import MessagesDeleted
from bot.core.records import AgentId, Json, Snowflake
from bot.core.scenes.commentary import LONGEST
from bot.core.scenes.records import SceneStatus
from bot.core.scenes.showing import is_comment
from tests.engine.test_closed_scenes import SECRET, knowing
from tests.engine.theatre import BOSS, MIRA, SCENE, Player, Theatre, theatre
from tests.factories import GUILD_ID
from tests.storage.lines import kept_beats

WATCHER = 9  # beside eight who play
REMARK = "Feldspat, if you ask me."


@dataclass
class Mind(Player):
    """Plays as `knowing` does, and says the same of all it watches."""

    remark: str = REMARK
    watched: list[str] = field(default_factory=list)
    seated: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(self._choose)

    def _choose(self, text: str, moves: dict[str, object]) -> dict[str, Json]:
        if "comment" in moves:
            self.watched.append(text)
            return {"type": "comment", "text": self.remark}
        self.seated.append(text)
        return knowing(text, moves)


async def lobby(stage: Theatre, kind: str = "werewolf", players: int = 8, **options: Json) -> None:
    await stage.done(StartScene(room_id=1, kind=kind, title="Tea", options=options))
    await stage.house.deliver()
    for agent_id in range(1, players + 1):
        await stage.done(TakeSeat(scene_id=SCENE, agent_id=agent_id))


async def watched(stage: Theatre, kind: str = "werewolf", players: int = 8, *, seconds: int = 600) -> None:
    """Let a scene be played to its end with somebody who comments."""
    await lobby(stage, kind, players)
    await stage.done(TakeSeat(scene_id=SCENE, agent_id=WATCHER, comments=True))
    await stage.done(DirectScene(scene_id=SCENE, what="begin"))
    for _ in range(seconds):
        if not (await stage.scene()).status.is_open:
            break
        await stage.run(1)
    await stage.run(30)


@dataclass(frozen=True)
class Game:
    """A game of werewolf that was watched to its end: nobody changes anything of it."""

    mind: Mind
    stage: Theatre
    minutes: float


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def game() -> AsyncIterator[Game]:
    mind = Mind()
    async with theatre(mind, agents=WATCHER) as stage:
        began = stage.house.clock.now()
        await watched(stage)
        yield Game(mind, stage, (stage.house.clock.now() - began).total_seconds() / 60)


async def comments(stage: Theatre) -> list[str | None]:
    return [one.text for one in await stage.events() if is_comment(one)]


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="module")
async def test_who_comments_is_shown_no_secret_and_is_heard_by_nobody_who_plays(
    game: Game,
) -> None:
    mind, stage = game.mind, game.stage
    scene = await stage.scene()
    assert scene.status is SceneStatus.OVER
    during = mind.watched[:-1]  # at the end all is told
    assert during
    for hidden in (SECRET, "\nYou are: ", "\nThe other wolves: ", "\nYou saw: "):
        assert not any(hidden in text for text in during)
    assert any(SECRET in text and "\nYou are: " in text for text in mind.seated)
    assert not any("Feldspat" in text for text in mind.seated)
    assert scene.taken == tuple(range(1, 9))
    assert await stage.replays()


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="module")
async def test_comments_are_posted_in_the_thread_as_that_agent_at_most_twice_a_minute_and_told_in_the_transcript(
    game: Game,
) -> None:
    mind, stage = game.mind, game.stage
    posted = [post for _, post in stage.house.publisher.posts if post.content == REMARK]
    assert len(posted) == len(mind.watched) == len(await comments(stage))
    assert 2 <= len(posted) <= 2 * game.minutes + 2
    assert f"(comment): {REMARK}" in await stage.lines()
    assert any(f"(comment): {REMARK}" in text for text in mind.watched[1:])


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="module")
async def test_what_comments_cost_counts_among_what_the_scene_may_cost(
    game: Game,
) -> None:
    mind, stage = game.mind, game.stage
    scene = await stage.scene()
    assert scene.commentator is not None
    async with stage.house.store.reading() as read:
        beats = await kept_beats(read.beats, stage.house.community_id, AgentId(WATCHER), limit=100)
    assert len(beats) == len(mind.watched)
    assert scene.commentator.usd == sum(beat.usage.cost_usd for beat in beats) > 0
    assert scene.usd == sum((one.usd for one in scene.seats), scene.commentator.usd)


@pytest.mark.slow
async def test_nobody_comments_unless_somebody_was_asked_to() -> None:
    mind = Mind()
    async with theatre(mind, agents=WATCHER) as stage:
        await lobby(stage)
        await stage.done(DirectScene(scene_id=SCENE, what="begin"))
        await stage.run(200)
        assert mind.watched == []
        assert (await stage.scene()).commentator is None


async def test_who_comments_sits_nowhere_and_is_chosen_before_there_are_secrets() -> None:
    async with theatre(Mind(), agents=WATCHER + 1) as stage:
        await lobby(stage)
        assert "sits here already" in await stage.refused(TakeSeat(scene_id=SCENE, agent_id=1, comments=True))
        assert await stage.refused(TakeSeat(scene_id=SCENE, agent_id=WATCHER, comments=True), MIRA)
        await stage.done(TakeSeat(scene_id=SCENE, agent_id=WATCHER, comments=True))
        assert "here already" in await stage.refused(TakeSeat(scene_id=SCENE, agent_id=WATCHER))
        await stage.done(LeaveSeat(scene_id=SCENE, agent_id=WATCHER))
        assert (await stage.scene()).commentator is None
        await stage.done(TakeSeat(scene_id=SCENE, agent_id=WATCHER, comments=True))
        await stage.done(DirectScene(scene_id=SCENE, what="begin"))
        late = TakeSeat(scene_id=SCENE, agent_id=WATCHER + 1, comments=True)
        assert "chosen in the lobby" in await stage.refused(late)


@pytest.mark.slow
async def test_who_is_to_comment_no_more_is_asked_no_more() -> None:
    mind = Mind()
    async with theatre(mind, agents=WATCHER) as stage:
        await lobby(stage)
        await stage.done(TakeSeat(scene_id=SCENE, agent_id=WATCHER, comments=True))
        await stage.done(DirectScene(scene_id=SCENE, what="begin"))
        await stage.done(LeaveSeat(scene_id=SCENE, agent_id=WATCHER))
        await stage.run(200)
        assert mind.watched == []


@pytest.mark.slow
async def test_a_comment_that_is_too_long_or_no_comment_at_all_is_said_to_nobody_and_asked_for_once() -> None:
    mind = Mind(remark="word " * (LONGEST + 1))
    async with theatre(mind, agents=WATCHER) as stage:
        await watched(stage)
        assert mind.watched
        assert await comments(stage) == []
        assert (await stage.scene()).status is SceneStatus.OVER
        async with stage.house.store.reading() as read:
            beats = await kept_beats(read.beats, stage.house.community_id, AgentId(WATCHER), limit=100)
        assert len(beats) == len(mind.watched)


@pytest.mark.slow
async def test_what_is_written_like_a_mark_in_a_comment_stands_for_nothing() -> None:
    mind = Mind(remark="What is {t1}, and who is {s1}?")
    async with theatre(mind, agents=WATCHER) as stage:
        await watched(stage)
        assert mind.remark in {post.content for _, post in stage.house.publisher.posts}
        assert f"(comment): {mind.remark}" in await stage.lines()


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="module")
async def test_who_comments_keeps_nothing_of_what_it_sees(
    game: Game,
) -> None:
    stage = game.stage
    view = await stage.house.view(WATCHER)
    assert view.mind_of(AgentId(WATCHER)).knowledge == {}


@pytest.mark.slow
async def test_a_comment_goes_with_its_message() -> None:
    async with theatre(Mind(), agents=WATCHER) as stage:
        await watched(stage)
        ids = tuple(id_ for id_, post in stage.house.publisher.posts if post.content == REMARK)
        place: dict[str, Any] = {"guild_id": Snowflake(GUILD_ID), "channel_id": Snowflake(7_000_000_000_000_001)}
        await stage.house.intake.take(MessagesDeleted(**place, message_ids=ids))
        assert set(await comments(stage)) == {None}


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "players"), [("chat", 3), ("council", 4), ("village", 2), ("landlord", 3)])
async def test_every_kind_can_be_commented_on(kind: str, players: int) -> None:
    mind = Mind()
    async with theatre(mind, agents=WATCHER) as stage:
        await watched(stage, kind, players, seconds=120)
        assert REMARK in await comments(stage)


async def test_without_money_nobody_comments() -> None:
    mind = Mind()
    async with theatre(mind, agents=WATCHER, config=CommunityConfig(scene_usd=Decimal(0))) as stage:
        await lobby(stage)
        await stage.done(TakeSeat(scene_id=SCENE, agent_id=WATCHER, comments=True))
        await stage.done(DirectScene(scene_id=SCENE, what="begin"), BOSS)
        await stage.run(100)
        assert mind.watched == []
