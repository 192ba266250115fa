"""Every action is done by an agent, end to end: the model's answer comes over HTTP, and its effect is there to see."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio

from bot.core.actions import CATALOGUE
from tests.e2e.sharing import shared_home
from tests.e2e.staging import Stage
from tests.e2e.visitor import Json, until

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]

LOOK_SECONDS = 0.3
Actions = Callable[[Stage], Awaitable[list[Json]]]
Seen = Callable[[Stage], Awaitable[bool]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    # What is looked up stands in the next view: a script has one answer for each beat.
    more = {"SELFROOM_COMMUNITY__ADDRESSED_PER_PERSON": "1000", "SELFROOM_COMMUNITY__LOOK_UP_STEPS": "0"}
    async with shared_home(tmp_path_factory.mktemp("agents"), **more) as cast:
        one = Stage(cast)
        for name in ("Rook", "Fern", "Moss", "Opal"):
            # of their own accord they would answer a knock before the test has them do it
            one.ids[name] = await cast.agent(name, seed="Never let anyone in.")
            one.halls[name] = await cast.you.channel(name.lower())
        await one.told("agent permit", agent="Rook", allowed=True)
        await one.told("room invite", agent="Rook", room="Fern")
        await one.told("room invite", agent="Fern", room="Rook")
        await one.told("room access", access="open", room="Opal")
        one.anchor = await cast.you.say(one.halls["Rook"], "the anchor lies here")
        await cast.you.answer_after(one.anchor)
        yield one


def an(type: str, **parameters: object) -> Json:
    return {"type": type, **parameters}


def just(type: str, **parameters: object) -> Actions:
    """Give an action that needs nothing to be looked up first."""

    async def actions(_: Stage) -> list[Json]:
        return [an(type, **parameters)]

    return actions


def shows(command: str, /, *parts: str, **options: object) -> Seen:
    """See words in the answer to a command."""

    async def seen(stage: Stage) -> bool:
        told = await stage.told(command, **options)
        return all(part in told for part in parts)

    return seen


def looks_up(text: str) -> Seen:
    """See it among the look-ups of the next beat."""

    async def seen(stage: Stage) -> bool:
        await stage.does("Rook", [])
        return await stage.looked_up(text)

    return seen


def later(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()


async def known(stage: Stage) -> None:
    await stage.told("knowledge set", agent="Rook", path="people.Ann", value="kind")


async def deleting(stage: Stage) -> list[Json]:
    await known(stage)
    return [an("delete", path="people.Ann")]


async def getting(stage: Stage) -> list[Json]:
    await known(stage)
    return [an("get", path="people.Ann")]


async def reacting(stage: Stage) -> list[Json]:
    return [an("react", message_id=await stage.message_id(), reaction="brain")]


async def reacted(stage: Stage) -> bool:
    hall = stage.anchor["channel_id"]
    found = await stage.cast.you.ask("GET", f"/channels/{hall}/messages/{stage.anchor['id']}")
    return any(one["emoji"]["name"] == "🧠" for one in found.get("reactions", ()))


async def waking(stage: Stage) -> list[Json]:
    await stage.told("agent sleep", agent="Fern", minutes=60)
    await until(lambda: fern_sleeps(stage), "Fern is asleep, with all that it had to say posted")
    return [an("wake_agent", agent_id=stage.fern)]


async def fern_sleeps(stage: Stage) -> bool:
    return "sleeping" in await stage.told("agent show", agent="Fern")


async def awake(stage: Stage) -> bool:
    return "sleeping" not in await stage.told("agent show", agent="Fern")


async def replying(stage: Stage) -> list[Json]:
    return [an("reply", room_id=stage.rook, message_id=await stage.message_id(), message="An anchor indeed.")]


async def replied(stage: Stage) -> bool:
    posts = await stage.posts("Rook")
    return "↪" in posts and "An anchor indeed." in posts


async def attached(stage: Stage) -> bool:
    posts = await stage.cast.you.messages(stage.halls["Fern"])
    return any(file["filename"] == "tides.csv" for one in posts for file in one["attachments"])


async def pinned(stage: Stage) -> bool:
    return "Boats leave at six" in await stage.pins()


async def clearing_billboard(stage: Stage) -> list[Json]:
    await stage.does("Rook", [an("set_billboard", message="Boats leave at six")])
    await until(lambda: calmly(pinned, stage), "billboard")
    return [an("clear_billboard")]


async def unpinned(stage: Stage) -> bool:
    return "Boats leave at six" not in await stage.pins()


async def topical(stage: Stage) -> bool:
    channel = await stage.cast.you.ask("GET", f"/channels/{stage.halls['Rook']}")
    return "Fog and tea" in (channel["topic"] or "")


async def revoking(stage: Stage) -> list[Json]:
    await stage.told("key create", room="Rook", label="old", key="old and rusty")
    return [an("revoke_key", key="old")]


async def revoked(stage: Stage) -> bool:
    return "old" not in await keys(stage)


async def keys(stage: Stage) -> str:
    return await stage.told("key list", room="Rook")


async def giving(stage: Stage) -> list[Json]:
    await stage.told("key create", room="Rook", label="brass", key="brass and bright")
    return [an("give_key", label="brass", agent_id=stage.ids["Moss"])]


async def held(stage: Stage) -> bool:
    """What Moss holds stands in its HUD."""
    await stage.does("Moss", [])
    mine = [call["input"] for call in await stage.cast.you.model_calls() if "Moss (ID" in call["input"]]
    return any("brass" in one for one in mine)


async def knocking(stage: Stage) -> list[Json]:
    await stage.told("key create", room="Moss", label="stone", key="stone and moss")
    return [an("request_access", room_id=stage.ids["Moss"], key="stone and moss")]


async def knock(stage: Stage, who: str) -> int:
    """Have an agent knock at Rook's and give the number of its request."""
    await stage.told("room access", access="knock", room="Rook")
    label = f"for {who}"
    await stage.told("key create", room="Rook", label=label, key=f"a key for {who}")
    await stage.does(who, [an("request_access", room_id=stage.rook, key=f"a key for {who}")])

    async def waits() -> int:
        found = re.search(rf"(\d+)\*\*: {who} \(ID", await stage.told("access pending"))
        return int(found[1]) if found else 0

    return await until(waits, f"knock of {who}")


async def granting(stage: Stage) -> list[Json]:
    return [an("grant_access", request_id=await knock(stage, "Moss"))]


async def denying(stage: Stage) -> list[Json]:
    return [an("deny_access", request_id=await knock(stage, "Opal"))]


async def turned_away(stage: Stage) -> bool:
    return "Opal" not in await stage.told("access pending") and "Opal" not in await members(stage, "Rook")


async def members(stage: Stage, room: str) -> str:
    return await stage.told("room members", room=room)


async def joining(stage: Stage) -> list[Json]:
    return [an("join_room", room_id=stage.ids["Opal"])]


async def leaving(stage: Stage) -> list[Json]:
    await stage.told("room invite", agent="Rook", room="Moss")
    assert "Rook" in await members(stage, "Moss")
    return [an("leave_room", room_id=stage.ids["Moss"])]


async def gone(stage: Stage) -> bool:
    return "Rook" not in await members(stage, "Moss")


async def attending(stage: Stage) -> list[Json]:
    return [an("set_attention", room_id=stage.rook, value="40%")]


async def sleeping(_: Stage) -> list[Json]:
    return [an("sleep", until=later(3_600))]


async def asleep(stage: Stage) -> bool:
    if "sleeping" not in await stage.told("agent show", agent="Rook"):
        return False
    await stage.told("agent wake", agent="Rook")
    return True


async def scheduling(stage: Stage) -> list[Json]:
    return [an("schedule_message", room_id=stage.rook, message="The tide turns.", at=later(5))]


async def said_in_time(stage: Stage) -> bool:
    return "The tide turns." in await stage.posts("Rook")


async def taking_back(stage: Stage) -> list[Json]:
    told = await stage.told("agent say", agent="Rook", message="Low tide.", minutes=60)
    return [an("cancel_scheduled", id=int(told.partition("scheduled as ")[2].partition(")")[0]))]


async def recalling(_: Stage) -> list[Json]:
    return [an("recall", query="anchor")]


async def paging(stage: Stage) -> list[Json]:
    return [an("read_history", room_id=stage.rook, before=await stage.message_id() + 1)]


async def reading(stage: Stage) -> list[Json]:
    return [an("read_message", id=await stage.message_id())]


async def summing_up(stage: Stage) -> list[Json]:
    summary = "Goal: to find the anchor\nOpen: who hoists it"
    await stage.cast.home.script({"match": "You keep the memory of a chat room", "answer": summary})
    return [an("compact", room_id=stage.rook)]


async def summed_up(stage: Stage) -> bool:
    written = "selfroom_summaries_written_total 1.0" in await stage.face("/metrics")
    return written and "to find the anchor" in await stage.told("room summaries", room="Rook")


async def listing(stage: Stage) -> list[Json]:
    return [an("checkpoints", room_id=stage.rook)]


async def creating(stage: Stage) -> list[Json]:
    return [an("create_agent", name="Newt", background_prompt="You are new.", in_room_id=stage.rook)]


async def created(stage: Stage) -> bool:
    return "newt" in await stage.cast.you.channels() and "Newt" in await members(stage, "Rook")


async def altering(stage: Stage) -> list[Json]:
    return [an("alter_agent", agent_id=stage.fern, background_prompt="You count boats.")]


async def retiring(stage: Stage) -> list[Json]:
    return [an("retire_agent", agent_id=stage.fern)]


async def divided(stage: Stage) -> bool:
    await stage.does("Rook", [])
    huds = [call["input"] for call in await stage.cast.you.model_calls()]
    shown = [one.split("MEMORY ALLOCATIONS")[1][:200] for one in huds if f"you: {stage.rook}\n" in one]
    return bool(re.search(r"rooms\D*70", shown[-1]))


def in_room(room: str, who: str) -> Seen:
    return shows("room members", who, room=room)


async def calmly(seen: Seen, stage: Stage) -> bool:
    """Look, and not again at once: Discord limits how often one may ask."""
    if await seen(stage):
        return True
    await asyncio.sleep(LOOK_SECONDS)
    return False


async def said(stage: Stage) -> bool:
    return "Fair winds." in await stage.posts("Fern")


async def has_key(stage: Stage) -> bool:
    return "harbour" in await keys(stage)


def keeps(*words: str) -> Seen:
    """See words in the agent's focus."""
    return shows("focus show", *words, agent="Rook")


async def feeling(stage: Stage) -> list[Json]:
    await stage.told("setup options", setting="emotions", value="true")
    return await just("feel", emotion="anticipation", why="the tide turns")(stage)


async def felt(stage: Stage) -> bool:
    manager = stage.cast.manager
    return "anticipation: the tide turns" in await manager.text_of(await manager.run("hud show", agent="Rook"))


async def focus_is_empty(stage: Stage) -> bool:
    return "paint the boat" not in await stage.told("focus show", agent="Rook")


# In this order: the later ones lean on nothing but the fixture, and a summary is asked for before it is read.
ROWS: Mapping[str, tuple[Actions, Seen]] = {
    "set": (just("set", path="boats.red", value=3, w=0.5), shows("knowledge show", "3", agent="Rook", path="boats")),
    "append": (just("append", path="log", value="gale"), shows("knowledge show", "gale", agent="Rook", path="log")),
    "delete": (deleting, shows("knowledge show", "nothing", agent="Rook", path="people.Ann")),
    "get": (getting, looks_up("get people.Ann")),
    "react": (reacting, reacted),
    "wake_agent": (waking, awake),
    "send_message": (just("set", path="spoken", value=True), said),
    "reply": (replying, replied),
    "attach": (just("attach", name="tides.csv", text="high,low\n6:10,12:20"), attached),
    "set_billboard": (just("set_billboard", message="Boats leave at six"), pinned),
    "clear_billboard": (clearing_billboard, unpinned),
    "set_topic": (just("set_topic", topic="Fog and tea"), topical),
    "clear_topic": (just("clear_topic"), shows("room info", "No topic yet.", room="Rook")),
    "set_wpm": (just("set_wpm", wpm=120), shows("room info", "120 words", room="Rook")),
    "set_access": (just("set_access", access="open"), shows("room info", "ny agent may join", room="Rook")),
    "create_key": (just("create_key", label="harbour", key="harbour light"), has_key),
    "revoke_key": (revoking, revoked),
    "give_key": (giving, held),
    "request_access": (knocking, shows("access pending", "Rook")),
    "grant_access": (granting, in_room("Rook", "Moss")),
    "deny_access": (denying, turned_away),
    "join_room": (joining, in_room("Opal", "Rook")),
    "leave_room": (leaving, gone),
    "set_attention": (attending, in_room("Rook", "attention: 40%")),
    "set_allocation": (just("set_allocation", knowledge=20, recent_actions=10, rooms=70), divided),
    "sleep": (sleeping, asleep),
    "schedule_message": (scheduling, said_in_time),
    "cancel_scheduled": (taking_back, shows("agent scheduled", "Nothing waits", agent="Rook")),
    "hud_update": (just("hud_update", section="currentTask", value="to paint the boat"), keeps("to paint the boat")),
    "hud_note": (just("hud_note", text="the paint is blue"), keeps("the paint is blue")),
    "hud_decision": (just("hud_decision", text="two coats"), keeps("two coats")),
    "hud_file": (just("hud_file", action="add", text="paint.txt"), keeps("paint.txt")),
    "hud_blocker": (just("hud_blocker", action="add", text="rain"), keeps("rain")),
    "hud_step": (just("hud_step", action="add", text="buy a brush"), keeps("buy a brush")),
    "hud": (just("hud"), looks_up("hud all")),
    "hud_clear": (just("hud_clear"), focus_is_empty),
    "plan_goal": (just("plan_goal", text="sail to the skerry"), shows("plan show", "1 current: sail", agent="Rook")),
    "plan_milestone": (just("plan_milestone", text="a mended sail"), shows("plan show", "a mended sail", agent="Rook")),
    "plan_strategy": (just("plan_strategy", text="wait for the tide"), shows("plan show", "the tide", agent="Rook")),
    "feel": (feeling, felt),
    "recall": (recalling, looks_up("recall anchor")),
    "read_history": (paging, looks_up("read_history")),
    "read_message": (reading, looks_up("read_message")),
    "compact": (summing_up, summed_up),
    "checkpoints": (listing, looks_up("checkpoints of room")),
    "create_agent": (creating, created),
    "alter_agent": (altering, shows("agent show", "You count boats.", agent="Fern")),
    "retire_agent": (retiring, shows("agent show", "retired", agent="Fern")),
    "set_name": (just("set_name", name="Rookie"), shows("agent list", "Rookie")),
}
SPOKEN: Mapping[str, str] = {"send_message": "Fair winds.", "attach": "The tides of today."}


async def test_nothing_is_tried_that_agents_cannot_do() -> None:
    assert ROWS.keys() <= {one.name for one in CATALOGUE if one.for_agents}


@pytest.mark.parametrize("name", ROWS)
async def test_an_agent_does_it_and_its_effect_is_seen(stage: Stage, name: str) -> None:
    actions, seen = ROWS[name]
    wanted = await actions(stage)
    responses = [{"room_id": stage.fern, "message": SPOKEN[name]}] if name in SPOKEN else []
    await stage.does("Rook", wanted, responses)
    await until(lambda: calmly(seen, stage), f"effect of {name}")
