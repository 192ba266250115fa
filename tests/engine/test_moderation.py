"""What is held back is not posted until a manager says so, and holds up nobody else."""

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import cast

import pytest

from bot.core.actions import Action, CreateAgent, Play, SetBillboard, SetName, SetTopic
from bot.core.actor import Actor
from bot.core.answers import AgentAnswer, ParsedAnswer
from bot.core.changes import Change, Say, SetOverride, UpdateAgent
from bot.core.config import CommunityConfig
from bot.core.errors import ModelUnreachable, NotFound, Rejected
from bot.core.kinds import LetterKind, LetterState
from bot.core.records import AgentId, Letter, LetterId, MessageId, Snowflake
from bot.core.scenes.council.kind import COUNCIL
from bot.core.scenes.moves import parameters
from bot.core.scenes.records import SceneEvent
from bot.core.scenes.showing import TEXT, Turn
from bot.engine import delivery
from bot.engine.delivery import Delivery
from bot.engine.front_desk import FrontDesk, Office
from bot.engine.moderation import ASKED_AT_ONCE, Objections
from bot.engine.performer import ActionContext, Outcome, Performer
from bot.engine.turn_reading import TurnReader
from tests.engine.town import ADA, ADAS, Town, town, until
from tests.factories import GUILD_ID, agent, by_agent, person, room
from tests.fakes import (
    START,
    CountedMetrics,
    DrippingModel,
    OpenBench,
    PlainCipher,
    ScriptedModel,
    SeededRandom,
    WordTokenizer,
)
from tests.founding import founded
from tests.storage.scenes import a_council

CONFIG = CommunityConfig(held_words=("tulips",), managers_channel_id=Snowflake(7_000_000_000_000_009))


@pytest.fixture
async def here() -> AsyncIterator[Town]:
    async with town(CONFIG) as made:
        yield made


def front_desk(here: Town) -> FrontDesk:
    performer = Performer(cipher=PlainCipher(), tokenizer=WordTokenizer())
    wake = here.delivery.wake
    return FrontDesk(Office(here.store, performer, here.clock, SeededRandom(1), on_done=wake, workshop=OpenBench()))


async def held(here: Town) -> list[Letter]:
    async with here.store.reading() as read:
        return list(await read.letters.held(here.community_id))


async def test_a_held_message_waits_while_others_go_on_and_managers_are_told_once(here: Town) -> None:
    await here.say(ADA, "I sell tulips.")
    await here.say(ADA, "Roses too.")
    await here.deliver()
    [letter] = await held(here)
    assert here.publisher.said(ADAS) == ["Roses too."]
    assert here.publisher.to_decide == [letter.id]
    told = [what for what in here.publisher.done if what[0] == "notify"]
    assert len(told) == 1
    assert "> I sell tulips." in str(told[0][2])
    assert "I sell tulips." not in await here.contents()


async def test_an_approved_message_is_posted_once_and_is_not_held_again(here: Town) -> None:
    await here.say(ADA, "I sell tulips.")
    await here.deliver()
    [letter] = await held(here)
    desk, boss = front_desk(here), person(is_architect=True)
    assert "posted" in (await desk.held.decide(GUILD_ID, boss, letter.id, post=True)).result
    await here.deliver()
    assert here.publisher.said(ADAS) == ["I sell tulips."]
    assert await here.contents() == ["I sell tulips."]
    assert await held(here) == []
    with pytest.raises(NotFound):
        await desk.held.decide(GUILD_ID, boss, letter.id, post=True)


async def test_what_was_said_in_a_scene_stays_there_when_it_is_approved(here: Town) -> None:
    async with here.store.writing(here.community_id) as write:
        scene = await a_council(write, here.community_id)
    said = await here.say(ADA, "I sell tulips.", scene_id=scene.id, thread_id=scene.thread_id)
    async with here.store.writing(here.community_id) as write:
        told = SceneEvent(id=9, step=1, kind=TEXT, text="I sell tulips.", number=9, message_id=said, at=START)
        await write.scenes.tell(here.community_id, scene.id, [told])
    await here.deliver()
    [letter] = await held(here)
    await front_desk(here).held.decide(GUILD_ID, person(is_architect=True), letter.id, post=True)
    await here.deliver()
    assert here.publisher.said() == ["I sell tulips."]
    assert await here.contents() == []
    async with here.store.reading() as read:
        (message,) = (await read.talk.by_id(here.community_id, [MessageId(said + 1)])).values()
        events = await read.scenes.events(here.community_id, scene.id)
    assert message.scene_id == scene.id
    assert [one.message_id for one in events if one.number == 9] == [message.id]


async def test_a_discarded_message_is_never_seen(here: Town) -> None:
    await here.say(ADA, "I sell tulips.")
    await here.deliver()
    [(letter, words)] = await front_desk(here).held.waiting(GUILD_ID)
    assert words == "I sell tulips."
    assert (
        "discarded"
        in (await front_desk(here).held.decide(GUILD_ID, person(is_architect=True), letter.id, post=False)).result
    )
    await here.deliver()
    assert here.publisher.said() == []
    assert await held(here) == []


async def test_only_managers_decide(here: Town) -> None:
    with pytest.raises(Rejected):
        await front_desk(here).held.decide(GUILD_ID, person(), LetterId(1), post=True)
    with pytest.raises(Rejected):  # who decided about a knock that waits no longer is not for everybody
        await front_desk(here).doors.decide(GUILD_ID, person(), 1, grant=True)


class Judge(ScriptedModel):
    """A provider that objects to spades, and is away at first."""

    def __init__(self) -> None:
        super().__init__()
        self.away = True
        self.asked: list[tuple[str, str]] = []

    async def objection(self, model: str, text: str) -> str:
        if self.away:
            raise ModelUnreachable("Nothing answers.", retry_after_seconds=20)
        self.asked.append((model, text))
        return "violence" if "spade" in text else ""


async def test_what_nobody_can_judge_waits_and_is_not_posted_unread() -> None:
    config = CommunityConfig(moderation_model="omni-moderation-latest")
    async with town(config) as here:
        judge = Judge()
        here.delivery = Delivery(
            here.store, here.publisher, here.clock, CountedMetrics(), cipher=PlainCipher(), models=judge
        )
        await here.say(ADA, "Good morning.")
        await here.say(ADA, "I call a spade a spade.")
        await here.deliver()
        assert here.publisher.said() == []
        judge.away = False
        await here.deliver(21)
        assert here.publisher.said() == ["Good morning."]
        assert judge.asked[0] == ("omni-moderation-latest", "Good morning.")
        [letter] = await held(here)
        assert (letter.kind, letter.state) == (LetterKind.POST, LetterState.HELD)


async def test_a_moderator_that_never_ends_its_answer_holds_the_message_up_and_nothing_else() -> None:
    config = CommunityConfig(moderation_model="omni-moderation-latest")
    async with town(config) as here:
        here.delivery = Delivery(
            here.store, here.publisher, here.clock, CountedMetrics(), cipher=PlainCipher(), models=DrippingModel()
        )
        await here.say(ADA, "Good morning.")
        delivering = asyncio.ensure_future(here.delivery.run_once(here.clock.now()))
        await until(lambda: here.clock.sleeping)
        await here.clock.advance(61)
        await asyncio.wait_for(delivering, 5)
        assert here.publisher.said() == []
        [letter] = await here.waiting()
        assert letter.not_before > here.clock.now()


async def test_letters_that_wait_for_one_communitys_moderator_hide_nobody_elses(
    here: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "AT_ONCE", 12)
    residents = [(agent(id), room(id, channel_id=Snowflake(9_000 + id))) for id in range(1, 13)]
    other = await founded(here.store, residents, guild_id=GUILD_ID + 1)
    asked: list[str] = []

    class Stuck(ScriptedModel):
        async def objection(self, model: str, text: str) -> str:
            asked.append(text)
            await asyncio.Event().wait()
            raise AssertionError

    async with here.store.writing(other) as write:
        changes: list[Change] = [SetOverride(name="moderation_model", value="omni-moderation-latest")]
        for id in range(1, 13):
            number, sender = MessageId(write.ids.take("message")), by_agent(id)
            at = here.clock.now()
            changes.append(Say(message_id=number, room_id=AgentId(id), sender=sender, content="Hm.", sent_at=at))
        await write.apply(other, changes)
    await here.clock.advance(1)
    await here.say(ADA, "Good morning.")
    here.delivery = Delivery(
        here.store, here.publisher, here.clock, CountedMetrics(), cipher=PlainCipher(), models=Stuck()
    )
    delivering = asyncio.ensure_future(here.delivery.run_once(here.clock.now()))
    await until(lambda: here.publisher.said() == ["Good morning."])
    await until(lambda: len(asked) >= ASKED_AT_ONCE)
    for _ in range(100):
        await asyncio.sleep(0.001)
    assert len(asked) == ASKED_AT_ONCE
    await here.delivery.close(0)
    await delivering


async def test_turns_wait_for_the_same_moderator_as_letters_do(here: Town) -> None:
    """An answer in a scene is looked at beside them: so many at once are asked about in all."""
    asked: list[str] = []

    class Stuck(ScriptedModel):
        async def objection(self, model: str, text: str) -> str:
            asked.append(text)
            await asyncio.Event().wait()
            raise AssertionError

    objections, model = Objections(here.clock), Stuck()
    reader = TurnReader(workshop=OpenBench(), objections=objections)
    config = CommunityConfig(moderation_model="omni-moderation-latest")
    move = next(one for one in COUNCIL.moves if one.name == "move_motion")
    words = Play(scene_id=1, window=1, move=move.name, arguments={one.name: "Roses" for one in parameters(move)})
    answers = ParsedAnswer(replies={ADA: AgentAnswer(agent_id=ADA, actions=(words,))})
    turn = cast(Turn, SimpleNamespace(kind=COUNCIL))
    looking = [reader.looked_at(here.community_id, answers, turn, config, model) for _ in range(ASKED_AT_ONCE)]
    letters = [objections.to(here.community_id, "Hm.", model, config.moderation_model) for _ in range(ASKED_AT_ONCE)]
    tasks = [asyncio.ensure_future(one) for one in (*looking, *letters)]
    await until(lambda: len(asked) >= ASKED_AT_ONCE)
    for _ in range(100):
        await asyncio.sleep(0)
    assert len(asked) == ASKED_AT_ONCE
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


WANTED: dict[str, tuple[Action, Action]] = {
    "billboard": (SetBillboard(message="Tulips for all"), SetBillboard(message="Roses for all")),
    "topic": (SetTopic(topic="Tulips only"), SetTopic(topic="Roses only")),
    "rename": (SetName(name="Tulips"), SetName(name="Rosa")),
}


async def act(here: Town, *actions: Action, agent_id: AgentId = ADA) -> list[Outcome]:
    performer = Performer(cipher=PlainCipher(), tokenizer=WordTokenizer())
    async with here.store.writing(here.community_id) as write:
        return await performer.perform(
            write,
            here.community_id,
            Actor.agent(agent_id),
            actions,
            ActionContext(now=here.clock.now(), random=SeededRandom(1)),
        )


async def shown_of(here: Town, agent_id: AgentId = ADA) -> dict[str, str]:
    async with here.store.reading() as read:
        view = await read.views.whole(here.community_id, agent_ids=[agent_id])
    room = view.all_rooms[agent_id]
    return {"billboard": room.billboard, "topic": room.topic, "rename": view.agents[agent_id].name}


@pytest.mark.parametrize("what", list(WANTED))
async def test_what_an_agent_wants_to_be_seen_is_seen_nowhere_until_a_manager_approves(here: Town, what: str) -> None:
    before = await shown_of(here)
    bad, good = WANTED[what]
    await act(here, good)
    await here.deliver()
    assert (await shown_of(here))[what].startswith("Ros")
    await act(here, bad)
    await here.deliver()
    assert (await shown_of(here))[what].startswith("Ros")
    assert not any("ulips" in str(done) for done in here.publisher.done if done[0] != "notify")
    [(letter, words)] = await front_desk(here).held.waiting(GUILD_ID)
    assert (letter.kind.value, words.startswith("Tulips")) == (what, True)
    assert (
        "stands now"
        in (await front_desk(here).held.decide(GUILD_ID, person(is_architect=True), letter.id, post=True)).result
    )
    await here.deliver()
    assert (await shown_of(here))[what].startswith("Tulips")
    assert any("ulips" in str(done) for done in here.publisher.done if done[0] != "notify")
    assert (await shown_of(here)) == before | {what: (await shown_of(here))[what]}
    assert await held(here) == []


async def test_a_discarded_topic_never_stands_and_people_are_not_moderated(here: Town) -> None:
    await act(here, SetTopic(topic="Tulips only"))
    await here.deliver()
    [letter] = await held(here)
    assert (
        "discarded"
        in (await front_desk(here).held.decide(GUILD_ID, person(is_architect=True), letter.id, post=False)).result
    )
    await here.deliver()
    assert (await shown_of(here))["topic"] == ""
    await front_desk(here).actions.take(GUILD_ID, person(is_architect=True), SetTopic(topic="Tulips only"), subject=ADA)
    assert (await shown_of(here))["topic"] == "Tulips only"


async def test_a_new_agent_bears_no_name_that_was_not_looked_at(here: Town) -> None:
    async with here.store.writing(here.community_id) as write:
        await write.apply(here.community_id, [UpdateAgent(agent_id=ADA, fields={"can_create_agents": True})])
    made = await act(here, CreateAgent(name="Tulips", background_prompt="You sell."))
    assert [one.accepted for one in made] == [True], made[0].why
    await here.deliver()
    new = AgentId(3)
    assert (await shown_of(here, new))["rename"] == "Bot-3"
    assert [words for _, words in await front_desk(here).held.waiting(GUILD_ID)] == ["Tulips"]


async def test_an_approved_name_that_was_taken_meanwhile_is_refused_in_a_sentence(here: Town) -> None:
    await act(here, SetName(name="Tulips"))
    await here.deliver()
    [letter] = await held(here)
    async with here.store.writing(here.community_id) as write:
        await write.apply(here.community_id, [UpdateAgent(agent_id=AgentId(2), fields={"name": "Tulips"})])
    with pytest.raises(Rejected, match="another agent has that name by now"):
        await front_desk(here).held.decide(GUILD_ID, person(is_architect=True), letter.id, post=True)
