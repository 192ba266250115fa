"""What agents are shown and may say: why they look, what they put off, what they need to live here, old spellings."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.e2e.commanding import words_of
from tests.e2e.sharing import shared_home
from tests.e2e.staging import Stage
from tests.e2e.visitor import Json, until

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]

MOST_OS_TOKENS = 1_900


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    async with shared_home(tmp_path_factory.mktemp("told")) as cast:
        one = Stage(cast)
        for name in ("Rook", "Fern"):
            one.ids[name] = await cast.agent(name)
            one.halls[name] = await cast.you.channel(name.lower())
        await one.told("room invite", agent="Rook", room="Fern")
        yield one


async def shown(stage: Stage, name: str, *words: str) -> str:
    """Wait for a call for an agent alone that holds these words, and give what it was shown."""

    async def look() -> str | None:
        inputs = [call["input"] for call in reversed(await stage.cast.you.model_calls())]
        mine = (one for one in inputs if f"you: {stage.ids[name]}\n" in one and all(word in one for word in words))
        return next(mine, None)

    return await until(look, f"call for {name} with {words}")


async def view_of(stage: Stage, name: str) -> str:
    """Have an agent look, and give what it was shown."""
    await stage.does(name, [])
    return await shown(stage, name)


def no_two_alike(number: int) -> str:
    """Give a long line: an answer that goes round in circles is cut off."""
    return " ".join(str((60 * number + place) * 7919 % 9973) for place in range(55))[:225]


async def test_the_last_line_says_why_an_agent_looks_and_what_is_expected(stage: Stage) -> None:
    you = stage.cast.you
    said = await you.say(stage.halls["Rook"], "Rook, what is my boat called?")
    await you.answer_after(said)
    last = (await shown(stage, "Rook", "what is my boat called?")).rstrip().splitlines()[-1]
    assert last.startswith(f"why: The Architect (@{you.user['username']}) spoke to you in message ")
    assert last.endswith(f"in room {stage.rook} (Rook): answer it there, as Rook.")
    await stage.calm()
    await stage.told("agent wake", agent="Rook")
    await shown(stage, "Rook", f"\nwhy: The Architect (@{you.user['username']}) woke you: look what you are needed for")


async def test_agents_are_told_what_they_need_within_what_it_may_take(stage: Stage) -> None:
    told = await view_of(stage, "Fern")
    for words in (
        "In your own room stay in character wholly: never speak as an AI, a model or an assistant",
        "only to a person who sincerely asks whether you are an AI, do not deny it",
        "A topic says what a room is for",
        "Grow: think over what you lived through, and when it changed you, set that in character",
        "memory_used tells how full it is: prune and merge before it is full",
        "people.Ann, facts.harbour, goals.now, notes.today",
        "empty: while something takes longer, keep its task, steps and decisions here",
    ):
        assert words in told
    beat = json.loads(await stage.face(f"/agents/{stage.fern}/beat"))
    sizes = {one["name"]: one["tokens"] for one in beat["sections"]}
    assert sizes["os section"] <= MOST_OS_TOKENS


async def test_an_agent_sees_what_it_will_say_later_and_a_manager_takes_it_back_by_a_button(stage: Stage) -> None:
    await stage.told("agent say", agent="Fern", message="High tide at nine.", minutes=60)
    assert "High tide at nine." in (await view_of(stage, "Fern")).rpartition("--- Room: Fern")[2]
    listed = await stage.cast.manager.run("agent scheduled", agent="Fern")
    (button,) = [one for row in listed["components"] for one in row["components"]]
    told = await stage.cast.manager.press(listed, button["label"])
    assert button["label"].startswith("Cancel ")
    assert "will not be said" in told["content"]
    assert "High tide at nine." not in await view_of(stage, "Fern")


async def test_names_that_earlier_programs_gave_to_actions_are_understood(stage: Stage) -> None:
    spelt: list[Json] = [
        {"type": "update_self_concept", "content": "slow and kind"},
        {"type": "update_attention", "room": stage.fern, "attention": "40%"},
        {"type": "create_room_key", "key": "a blue door"},
        {"hud_step": {"step": "ask Moss"}},
    ]
    await stage.does("Rook", spelt)
    assert "slow and kind" in await stage.told("knowledge show", agent="Rook", path="character.self_concept")
    assert "attention: 40%" in await stage.told("room members", room="Fern")
    assert "a blue door" in await stage.told("key list", room="Rook")
    assert "- ask Moss" in await stage.told("focus show", agent="Rook")


async def test_next_steps_that_a_summary_covers_leave_the_focus(stage: Stage) -> None:
    steps = [{"type": "hud_step", "action": "add", "text": text} for text in ("count the boats", "paint the door")]
    summary = "Goal: a full harbour\nOpen: count the boats"
    await stage.does("Fern", steps)
    await stage.cast.home.script({"match": "You keep the memory of a chat room", "answer": summary})
    await stage.told("room summarise", room="Fern")

    async def dropped() -> bool:
        return "count the boats" not in (await stage.told("focus show", agent="Fern")).partition("a full harbour")[0]

    await until(dropped, "focus without what the summary covers")
    told = await stage.told("focus show", agent="Fern")
    assert "- paint the door" in told
    assert "that it covers left your focus" in await view_of(stage, "Fern")


async def test_blockers_and_the_latest_summary_stay_in_the_smallest_budget(stage: Stage) -> None:
    await stage.told("agent edit", agent="Fern", token_budget=4_000)
    kept = {"blockers": "rain", "notes": "wood", "keyDecisions": "paint"}
    lines = {what: [f"{word} {number}: {no_two_alike(number)}" for number in range(8)] for what, word in kept.items()}
    for section, items in lines.items():
        form = await stage.cast.manager.run("focus set", agent="Fern", section=section)
        told = words_of(await stage.cast.manager.fill(form, **{section: "\n".join(items)}))
        assert "is updated" in told
    view = await view_of(stage, "Fern")
    assert all(f"rain {number}: " in view for number in range(8))
    assert "a full harbour" in view
    assert lines["blockers"][0] not in view
    assert lines["notes"][0] not in view


async def test_whose_answer_was_cut_is_told_so_and_keeps_what_was_whole(stage: Stage) -> None:
    many = [{"type": "set", "path": f"plans.plan{n}", "value": no_two_alike(n)} for n in range(8)]
    outcome = await stage.obeys("Rook", "", many)
    assert any("broke off before its end" in told for told in outcome)
    view = await view_of(stage, "Rook")
    assert "plans.plan0: " in view or "plan0" in view
    assert "plan7" not in view
    (told,) = [line for line in view.splitlines() if "answer -> rejected: Your answer broke off before its end" in line]
    assert told.endswith("Do what is missing, in shorter answers.")


async def test_rooms_keep_to_their_allocation_and_get_what_the_others_leave(stage: Stage) -> None:
    budget = 8_000
    stage.ids["Moor"] = await stage.cast.agent("Moor")
    hall = stage.halls["Moor"] = await stage.cast.you.channel("moor")
    await stage.told("agent edit", agent="Moor", token_budget=budget)
    await stage.told("agent pause", agent="Moor")
    for number in range(90):
        await stage.cast.you.say(hall, f"Log {number}: {no_two_alike(number)}")
    await stage.cast.manager.known(await stage.cast.you.say(hall, "That is all."))
    await stage.told("agent resume", agent="Moor")
    await stage.does("Moor", [{"type": "set_allocation", "knowledge": 40, "recent_actions": 10, "rooms": 50}])

    async def used() -> dict[str, int]:
        await stage.does("Moor", [])
        beat = json.loads(await stage.face(f"/agents/{stage.ids['Moor']}/beat"))
        return {one["name"]: one["tokens"] for one in beat["sections"]}

    light = await used()
    assert light["messages"] > 0.7 * budget
    for number in range(24):
        await stage.told("knowledge set", agent="Moor", path=f"facts.log{number}", value=no_two_alike(number))
    heavy = await used()
    assert heavy["knowledge"] > 0.3 * budget
    left = 0.5 * budget - heavy["knowledge"] - heavy["recent_actions"]
    least = 0.75 * 0.5 * budget - 200  # the window moves on by a quarter of what rooms may take, in whole messages
    assert least <= heavy["messages"] <= 0.5 * budget + left


async def test_who_was_asked_answers_without_a_name_though_others_spoke_in_between(stage: Stage) -> None:
    cast, hall = stage.cast, stage.halls["Rook"]
    await stage.told("room invite", agent="Fern", room="Rook")
    await cast.answered("Wren, good morning")  # so that it is known who you are
    asks = [{"room_id": stage.rook, "message": f"What is your boat called, @{cast.you.user['username']}?"}]
    await stage.does("Fern", [], asks)

    async def asked() -> bool:
        return "What is your boat called" in await stage.posts("Rook")

    await until(asked, "question of Fern")
    await cast.guest.visitor.say(hall, "The fog is thick this morning.")
    await cast.you.say(hall, "Kestrel, since the spring.")
    spoken = f"The Architect (@{cast.you.user['username']}) spoke to you in message "
    # Not the newest look, which may be for what others said since.
    assert spoken in (await shown(stage, "Fern", "Kestrel, since the spring.", spoken)).rstrip().splitlines()[-1]
