"""What waits is said to wait, and comes: words being typed, a full room, a hush, a pause."""

from collections.abc import AsyncIterator
from datetime import datetime

import pytest
import pytest_asyncio

from tests.e2e.commanding import words_of
from tests.e2e.sharing import shared_home
from tests.e2e.staging import Stage
from tests.e2e.visitor import Json, until

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]

TYPED = {"SELFROOM_COMMUNITY__TYPING_AT_MOST_SECONDS": "2"}  # as it comes


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    async with shared_home(tmp_path_factory.mktemp("waiting"), **TYPED) as cast:
        one = Stage(cast)
        for name in ("Rook", "Fern", "Moss"):
            one.ids[name] = await cast.agent(name)
            one.halls[name] = await cast.you.channel(name.lower())
        await one.told("room invite", agent="Fern", room="Rook")
        yield one


async def row(stage: Stage, name: str) -> Json:
    return (await stage.cast.home.agents())[name]


async def asked_of(stage: Stage, name: str, words: str) -> list[str]:
    """Give what the model was shown in calls for an agent that hold these words."""
    calls = await stage.cast.you.model_calls()
    return [one["input"] for one in calls if f"you: {stage.ids[name]}\n" in one["input"] and words in one["input"]]


async def test_who_is_asked_is_seen_to_think_in_the_room_where_it_was_asked(stage: Stage) -> None:
    await stage.cast.home.script({"match": "how many boats", "delay_seconds": 4})
    said = await stage.cast.you.say(stage.halls["Moss"], "Moss, how many boats are in?")
    await stage.cast.manager.comes_to_tell("heartbeat status", "thinking in Moss's room", agent="Moss")
    assert (await row(stage, "Moss"))["doing"] == {stage.halls["Moss"]: "thinking"}
    assert (await row(stage, "Rook"))["doing"] == {}
    await stage.cast.you.answer_after(said)


async def test_who_comes_after_two_others_is_seen_to_wait_for_the_floor_of_that_room(stage: Stage) -> None:
    for name in ("Rook", "Fern"):
        await stage.told("room invite", agent=name, room="Moss")
    await stage.cast.home.script({"match": "how are the tides", "delay_seconds": 4})
    await stage.cast.you.say(stage.halls["Moss"], "Moss, Rook, Fern: how are the tides?")
    told = await stage.cast.manager.comes_to_tell("heartbeat status", "waiting for the floor in Moss's room")
    assert told.count("thinking in Moss's room") == 2
    doing = [(await row(stage, name))["doing"].get(stage.halls["Moss"]) for name in ("Moss", "Rook", "Fern")]
    assert sorted(filter(None, doing)).count("waiting for the floor") == 1

    async def all_spoke() -> bool:
        posts = await stage.cast.you.messages(stage.halls["Moss"])
        return {"Moss", "Rook", "Fern"} <= {one["author"]["username"] for one in posts if "webhook_id" in one}

    await until(all_spoke, "word of all three")
    await stage.calm()


async def test_a_guest_is_seen_to_type_the_rooms_owner_is_not_and_nothing_is_said_twice(stage: Stage) -> None:
    await stage.told("room wpm", words=10, room="Rook")  # two words are typed for twelve seconds
    await stage.does("Fern", [], [{"room_id": stage.rook, "message": "Fair winds."}])
    told = await stage.told("heartbeat status", agent="Fern")
    assert "typing in Rook's room" in told
    assert "typing in Rook's room" in words_of(await stage.cast.guest.run("agent show", agent="Fern"))
    assert (await row(stage, "Fern"))["doing"] == {stage.halls["Rook"]: "typing"}
    assert (await row(stage, "Rook"))["doing"] == {}
    what = (
        f'selfroom_agent_doing{{agent="{stage.fern}",community="1",name="Fern",room="{stage.rook}",what="typing"}} 1.0'
    )
    assert what in await stage.face("/metrics")
    await stage.cast.you.say(stage.halls["Rook"], "Fern, are the winds good?")
    told = await stage.cast.manager.comes_to_tell("heartbeat status", "to be posted in Rook's room", agent="Fern")
    assert "waits for its own words" in told
    assert not await asked_of(stage, "Fern", "are the winds good?")

    async def looked() -> list[str]:
        return await asked_of(stage, "Fern", "are the winds good?")

    (shown,) = await until(looked, "beat of Fern once its words stand there")
    assert "being posted" not in shown
    assert (await stage.posts("Rook")).count("Fair winds.") == 1


async def test_who_is_asked_elsewhere_meanwhile_sees_what_it_says_as_being_posted(stage: Stage) -> None:
    await stage.told("room wpm", words=10, room="Rook")
    await stage.does("Fern", [], [{"room_id": stage.rook, "message": "The lamp is lit."}])
    before = await stage.posts("Rook")
    said = await stage.cast.you.say(stage.halls["Fern"], "Fern, how is the lamp?")
    await stage.cast.you.answer_after(said)
    (shown,) = await asked_of(stage, "Fern", "how is the lamp?")
    assert '"The lamp is lit." *(being posted)*' in shown
    assert "The lamp is lit." not in before

    async def stands() -> bool:
        return (await stage.posts("Rook")).count("The lamp is lit.") == 1

    await until(stands, "the lamp in Rook's room, once")


async def test_what_a_room_takes_no_more_of_waits_is_said_to_wait_and_comes(stage: Stage) -> None:
    await stage.cast.agent("Jay")
    stage.halls["Jay"] = await stage.cast.you.channel("jay")
    assert "10 messages a minute" in await stage.told("room rpm", messages=10, room="Jay")
    for number in range(10):
        assert "Jay says it in <#" in await stage.told("agent say", agent="Jay", message=f"boat {number}")
    told = await stage.told("agent say", agent="Jay", message="the last boat")
    assert "It is not there yet: 1 message waiting to be posted, and the room takes 10 messages a minute." in told
    assert "1 message waiting to be posted" in await stage.told("room info", room="Jay")
    await stage.cast.manager.comes_to_tell("heartbeat status", "waiting to post in Jay's room", agent="Jay")
    await stage.told("room rpm", messages=200, room="Jay")

    async def stands() -> bool:
        return (await stage.posts("Jay")).endswith("the last boat")

    await until(stands, "the message that waited")
    assert "waiting to be posted" not in await stage.told("room info", room="Jay")


async def test_what_was_asked_during_a_hush_is_answered_when_it_ends(stage: Stage) -> None:
    await stage.told("room hush", minutes=5, room="Moss")
    said = await stage.cast.you.say(stage.halls["Moss"], "Moss, what is 20 + 22?")
    await stage.cast.manager.comes_to_tell("heartbeat status", "the end of the hush", agent="Moss")
    await stage.told("room hush", minutes=0, room="Moss")
    assert "42" in (await stage.cast.you.answer_after(said))["content"]


async def test_what_two_people_asked_during_a_pause_is_answered_when_it_ends(stage: Stage) -> None:
    await stage.told("agent pause", agent="Moss")
    await stage.cast.you.say(stage.halls["Moss"], "Moss, what is 30 + 33?")
    said = await stage.cast.guest.visitor.say(stage.halls["Moss"], "Moss, what is 40 + 44?")
    await stage.cast.manager.known(said)
    assert "waits for someone to resume it" in await stage.told("heartbeat status", agent="Moss")
    assert not await asked_of(stage, "Moss", "30 + 33")
    await stage.told("agent resume", agent="Moss")
    await stage.cast.you.answer_after(said)
    (shown, *_) = await asked_of(stage, "Moss", "30 + 33")
    assert "40 + 44" in shown


async def test_the_pace_of_a_room_is_felt(stage: Stage) -> None:
    words, took = " ".join(f"boat{number}" for number in range(20)), dict[int, float]()
    for wpm in (10, 80, 200):
        await stage.told("room wpm", words=wpm, room="Moss")
        await stage.cast.home.script({"match": f"count boats at {wpm}", "answer": words})
        said = await stage.cast.you.say(stage.halls["Moss"], f"Moss, count boats at {wpm}.")
        answer = await stage.cast.you.answer_after(said)
        assert answer["content"] == words
        at, asked = (datetime.fromisoformat(one["timestamp"]) for one in (answer, said))
        took[wpm] = (at - asked).total_seconds()
    await stage.told("room wpm", words=80, room="Moss")
    assert took[10] >= 10  # of the twelve that it types at most
    assert 1 <= took[200] <= took[10] - 4
    assert 1 <= took[80] <= took[10] - 4


@pytest.mark.parametrize(
    "fault", [{"kind": "latency", "seconds": 3.0, "after": True}, {"kind": "drop_after"}], ids=["slow", "lost"]
)
async def test_what_is_said_in_a_new_room_before_discord_answered_its_making_is_answered(
    stage: Stage, fault: Json
) -> None:
    home, name = stage.cast.home, {"latency": "Nettle", "drop_after": "Sorrel"}[fault["kind"]]
    async with home.session.post(
        f"{home.url}/playground/faults", json=fault | {"route": "POST /guilds/*/channels"}
    ) as response:
        assert response.status == 200
    before = len(stage.cast.you.heard)
    await stage.cast.manager.start("agent create", name=name, prompt=f"You are {name}.")
    hall = await stage.cast.you.channel(name.lower())
    said = await stage.cast.you.say(hall, f"{name}, what is 50 + 55?")
    if fault["kind"] == "latency":  # what is lost is looked for at once, and may be known by now
        assert (await home.agents())[name]["channel_id"] is None
    assert f"{name} is created" in words_of(await stage.cast.manager.answer(before))
    assert "105" in (await stage.cast.you.answer_after(said))["content"]
