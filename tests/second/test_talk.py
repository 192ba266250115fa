"""Journeys in which people and agents talk."""

import asyncio
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from tests.e2e.visitor import Json
from tests.second.town import Town, eventually

pytestmark = pytest.mark.asyncio(loop_scope="session")

WORDS = ("after", "great", "house", "light", "night", "small", "there", "under", "water", "which")


async def test_a_greeting_is_answered_in_the_agents_own_voice(town: Town) -> None:
    wren = await town.agent("Wren")
    channel = wren.channel_id
    answer = await town.asked(town.guest.visitor, wren, "Hello Wren, who are you?")
    await town.guest.visitor.hear("TYPING_START", lambda data: data["channel_id"] == channel)
    assert answer["author"]["username"] == "Wren"
    assert "I am Wren" in answer["content"]


async def test_thumbs_quicken_and_slow_the_heartbeat_once_each(town: Town) -> None:
    thumb = await town.agent("Thumb")
    await town.manager.told("heartbeat interval", agent="Thumb", seconds=8, resting=8)
    answer = await town.asked(town.you, thumb, "Hello Thumb")
    await town.you.react(answer, "👍")
    await town.you.react(answer, "👍🏽")
    await town.sees("heartbeat status", "**Thumb** every 7.5 s", agent="Thumb")
    await town.guest.visitor.react(answer, "👎")
    await town.sees("heartbeat status", "**Thumb** every 8.0 s", agent="Thumb")


async def test_an_edited_line_is_what_agents_have_from_then_on(town: Town) -> None:
    edda = await town.agent("Edda")
    said = await town.guest.visitor.say(edda.channel_id, "Edda, the boat is crimson")
    await town.answered(said)
    path = f"/channels/{edda.channel_id}/messages/{said['id']}"
    await town.guest.visitor.ask("PATCH", path, {"content": "Edda, the boat is turquoise"})
    await town.sees("history", "turquoise", room="Edda")
    assert "is crimson" not in await town.seen("history", room="Edda")
    await town.asked(town.guest.visitor, edda, "Edda, which colour is it?")
    asked = [one["input"] for one in await town.world.calls() if "which colour is it" in one["input"]]
    assert "turquoise" in asked[-1]
    assert "is crimson" not in asked[-1]


async def test_a_deleted_line_is_gone_from_every_memory(town: Town) -> None:
    dale = await town.agent("Dale")
    said = await town.guest.visitor.say(dale.channel_id, "Dale, my code is marzipan")
    await town.sees("history", "marzipan", room="Dale")
    await town.guest.visitor.ask("DELETE", f"/channels/{dale.channel_id}/messages/{said['id']}")

    async def gone() -> bool:
        return "my code is marzipan" not in await town.seen("history", room="Dale")

    await eventually(gone, "history without it", every=3)
    await town.asked(town.guest.visitor, dale, "Dale, what is left?")
    asked = [one["input"] for one in await town.world.calls() if "what is left?" in one["input"]]
    assert "my code is marzipan" not in asked[-1]


async def test_lines_that_are_cleared_together_are_gone_from_the_channel_and_from_memory(town: Town) -> None:
    bulk = await town.agent("Bulk")
    await town.manager.told("agent pause", agent="Bulk")
    for words in ("one rutabaga", "two rutabagas", "three rutabagas"):
        await town.guest.visitor.say(bulk.channel_id, words)
    await town.sees("history", "three rutabagas", room="Bulk")
    assert "3 messages" in await town.confirmed("room clear", "Delete 3", messages=3, room="Bulk")

    async def gone() -> bool:
        there = str(await town.guest.visitor.messages(bulk.channel_id))
        return "rutabaga" not in there + await town.seen("history", room="Bulk")

    await eventually(gone, "channel and history without them", every=3)


async def test_what_is_said_in_a_thread_is_answered_there(town: Town) -> None:
    theo = await town.agent("Theo")
    you = town.guest.visitor
    said = await you.say(theo.channel_id, "let us talk aside")
    path = f"/channels/{theo.channel_id}/messages/{said['id']}/threads"
    thread = await you.ask("POST", path, {"name": "aside", "auto_archive_duration": 1440})
    asked = await you.say(thread["id"], "Theo, is it a long way?")
    assert (await town.answered(asked))["author"]["username"] == "Theo"
    reply = {"type": "reply", "room_id": theo.id, "message_id": await town.known_as(asked), "message": "Only a mile."}
    await town.does(theo, reply)
    post = await town.wait_for(thread["id"], "Only a mile.", you)
    assert post["author"]["username"] == "Theo"
    assert not await town.posts(theo.channel_id)


async def test_an_agents_reply_says_to_what(town: Town) -> None:
    rhea = await town.agent("Rhea")
    await town.prepare(rhea, "a bridge too far", says="Not too far.")
    said = await town.guest.visitor.say(rhea.channel_id, "Rhea, is it a bridge too far?")
    await town.wait_for(rhea.channel_id, "Not too far.")
    number = await town.known_as(said)
    reply = {"type": "reply", "room_id": rhea.id, "message_id": number, "message": "On second thoughts."}
    await town.does(rhea, reply)
    post = await town.wait_for(rhea.channel_id, "On second thoughts.")
    assert post["content"].startswith("-# ↪")
    assert said["id"] in post["content"]


async def test_a_persons_reply_to_a_post_is_for_its_author(town: Town) -> None:
    rolf = await town.agent("Rolf")
    await town.agent("Rita")
    assert "is in Rolf's room now" in await town.manager.told("room invite", agent="Rita", room="Rolf")
    await town.manager.told("agent say", agent="Rita", room="Rolf", message="I know the way.")
    post = await town.wait_for(rolf.channel_id, "I know the way.")
    assert post["author"]["username"] == "Rita"
    asked = await town.guest.visitor.say(rolf.channel_id, "do you really?", reply_to=post["id"])
    answer = await town.answered(asked)
    assert answer["author"]["username"] == "Rita"


async def test_two_who_are_spoken_to_answer_once_each_and_a_third_keeps_still(town: Town) -> None:
    ada, bea = await town.agent("Ada"), await town.agent("Bea")
    await town.agent("Cleo")
    for name in ("Bea", "Cleo"):
        await town.manager.told("room invite", agent=name, room="Ada")
    await town.guest.visitor.say(ada.channel_id, "Ada and Bea, who are you?")

    async def both() -> bool:
        return {"Ada", "Bea"} <= {one["author"]["username"] for one in await town.posts(ada.channel_id)}

    await eventually(both, "answers of both")
    assert bea.channel_id != ada.channel_id
    posts = [one["author"]["username"] for one in await town.posts(ada.channel_id)]
    assert sorted(posts) == ["Ada", "Bea"]


async def test_agents_among_themselves_come_to_an_end(town: Town) -> None:
    tick, tock = await town.agent("Tick"), await town.agent("Tock")
    await town.manager.told("room invite", agent="Tock", room="Tick")
    await town.manager.told("setup options", setting="banter", value="3")
    for one, other in ((tick, tock), (tock, tick)):
        await town.manager.told("heartbeat interval", agent=one.name, seconds=1, resting=1)
        said = [{"room_id": tick.id, "message": f"{other.name}, and what do you say?"}]
        answer = {"agents": [{"agent_id": one.id, "responses": said, "actions": []}]}
        await town.world.script({"match": rf"\nyou: {one.id}\n", "answer": answer, "times": 40})
    await town.guest.visitor.say(tick.channel_id, "Tick, begin")

    async def three() -> bool:
        return len(await town.posts(tick.channel_id)) >= 3

    await eventually(three, "three posts")
    await town.guest.told("heartbeat status")
    await quiet(town, tick.channel_id, 3)
    await town.manager.told("setup options", setting="banter", value="default")
    for one in (tick, tock):
        await town.manager.told("agent pause", agent=one.name)


async def quiet(town: Town, channel_id: str, posts: int) -> None:
    """Hold that there is no further post for some beats."""
    for _ in range(6):
        assert len(await town.posts(channel_id)) == posts
        await asyncio.sleep(0.5)


async def test_a_hushed_room_is_silent_until_it_may_speak(town: Town) -> None:
    hugo = await town.agent("Hugo")
    assert "silent here for 5 minutes" in await town.guest.told("room hush", minutes=5, room="Hugo")
    await town.guest.visitor.say(hugo.channel_id, "Hugo, say something")
    await quiet(town, hugo.channel_id, 0)
    assert "may speak here again" in await town.guest.told("room hush", minutes=0, room="Hugo")
    answer = await town.asked(town.guest.visitor, hugo, "Hugo, and now?")
    assert answer["author"]["username"] == "Hugo"


async def test_a_long_message_comes_in_parts_with_the_rest_as_a_file(town: Town) -> None:
    lorna = await town.agent("Lorna")
    chance = Random(1)  # noqa: S311 - what only says one word again and again is cut off
    tale = (f"{part}. {' '.join(chance.choices(WORDS, k=315))}" for part in range(5))
    await town.does(lorna, says="\n\n".join(tale))

    async def whole() -> list[Json] | None:
        posts = await town.posts(lorna.channel_id)
        return posts if posts and posts[-1]["attachments"] else None

    posts = await eventually(whole, "the last part with its file")
    assert len(posts) == 3
    assert all(len(one["content"]) <= 2000 for one in posts)
    rest = await town.guest.text_of(posts[-1])
    assert "4. " in rest


async def test_something_is_said_later_as_the_agent_planned(town: Town) -> None:
    tide = await town.agent("Tide")
    at = (datetime.now(UTC) + timedelta(seconds=3)).isoformat()
    await town.does(
        tide, {"type": "schedule_message", "room_id": tide.id, "message": "The tide turns.", "at": at}, says="Soon."
    )
    soon = await town.wait_for(tide.channel_id, "Soon.")
    later = await town.wait_for(tide.channel_id, "The tide turns.")
    assert int(later["id"]) > int(soon["id"])
