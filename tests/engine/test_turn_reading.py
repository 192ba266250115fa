"""The answer of a turn is read, and what moderation would hold back is no move: nobody could wait for it there."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import ParamSpec, TypeVar, cast

from bot.core.actions import Play
from bot.core.answers import AgentAnswer, ParsedAnswer
from bot.core.config import CommunityConfig
from bot.core.errors import ModelUnreachable, TooMuch
from bot.core.kinds import OutputFormat
from bot.core.records import AgentId, CommunityId, SceneId
from bot.core.scenes.council.kind import COUNCIL
from bot.core.scenes.kind import Form
from bot.core.scenes.moves import parameters
from bot.core.scenes.showing import Turn, shown_move
from bot.engine.moderation import Objections
from bot.engine.timelines.chance import VirtualClock
from bot.engine.turn_reading import TurnReader
from tests.fakes import START, OpenBench, ScriptedModel

P = ParamSpec("P")
T = TypeVar("T")
HERE, ADA = CommunityId(1), AgentId(1)
MOTION = next(one for one in COUNCIL.moves if one.name == "move_motion")


class Moderator(ScriptedModel):
    """Objects to roses, and is away for everything while `is_away`."""

    is_away = False

    async def objection(self, model: str, text: str) -> str:
        if self.is_away:
            raise ModelUnreachable("away")
        return "no flowers" if "roses" in text.lower() else ""


def reader() -> TurnReader:
    return TurnReader(workshop=OpenBench(), objections=Objections(VirtualClock(START)))


def turn(outcome: str = "") -> Turn:
    offered = (shown_move(Form(MOTION)),)
    shown = {
        "kind": COUNCIL,
        "scene_id": SceneId(1),
        "window": 7,
        "outcome": outcome,
        "moves": offered,
        "watches": False,
    }
    return cast(Turn, SimpleNamespace(**shown))


def moved(words: str) -> ParsedAnswer:
    play = Play(scene_id=1, window=7, move=MOTION.name, arguments={one.name: words for one in parameters(MOTION)})
    return ParsedAnswer(replies={ADA: AgentAnswer(agent_id=ADA, actions=(play,))})


async def looked_at(words: str, *, model: Moderator, moderated: bool = True) -> AgentAnswer:
    config = CommunityConfig(held_words=("tulips",), moderation_model="watcher" if moderated else "")
    return (await reader().looked_at(HERE, moved(words), turn(), config, model)).replies[ADA]


async def test_words_that_nobody_objects_to_stay_a_move() -> None:
    reply = await looked_at("Tea at five.", model=Moderator())
    assert [type(one) for one in reply.actions] == [Play]
    assert reply.rejected == ()


async def test_a_held_word_is_no_move_and_the_agent_is_told_which() -> None:
    reply = await looked_at("I sell Tulips.", model=Moderator(), moderated=False)
    assert reply.actions == ()
    assert "'tulips'" in str(reply.rejected)


async def test_what_the_moderation_model_objects_to_is_no_move_and_without_one_nobody_is_asked() -> None:
    reply = await looked_at("Roses!", model=Moderator())
    assert reply.actions == ()
    assert "no flowers" in str(reply.rejected)
    assert (await looked_at("Roses!", model=Moderator(), moderated=False)).actions != ()


async def test_while_nobody_can_look_nothing_is_said() -> None:
    model = Moderator()
    model.is_away = True
    reply = await looked_at("Tea at five.", model=model)
    assert reply.actions == ()
    assert "nobody can look at it now" in str(reply.rejected)


async def test_an_answer_is_read_as_the_move_of_this_very_window() -> None:
    text = '{"move": {"name": "vote", "choice": "yes"}}'
    read = await reader().read(HERE, text, turn(), ADA, OutputFormat.JSON)
    assert read.replies[ADA].actions == (Play(scene_id=1, window=7, move="vote", arguments={"choice": "yes"}),)


async def test_what_is_no_answer_at_all_is_no_move_and_says_so() -> None:
    read = await reader().read(HERE, "", turn(), ADA, OutputFormat.JSON)
    assert read.replies[ADA].actions == ()
    assert [what for what, _ in read.replies[ADA].rejected] == ["move"]


async def test_what_cannot_be_read_in_time_is_as_good_as_no_answer() -> None:
    class Busy:
        async def done(self, whose: int, work: Callable[P, T], /, *given: P.args, **named: P.kwargs) -> T:
            raise TooMuch("It took too long.")

    slow = TurnReader(workshop=Busy(), objections=Objections(VirtualClock(START)))
    read = await slow.read(HERE, "{" * 5_000, turn(), ADA, OutputFormat.JSON)
    assert read.unusable == {ADA}
    assert read.rejected == ("It took too long.",)
