"""Every action can be done by people too, where that makes sense; a retired agent's channel is read-only."""

import re
from collections.abc import AsyncIterator, Mapping

import pytest
import pytest_asyncio

from bot.core.actions import CATALOGUE
from tests.e2e.proving import proves
from tests.e2e.sharing import Cast, shared_home
from tests.e2e.visitor import Json, Visitor, until

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]

SEND_MESSAGES = 1 << 11
COMMANDS: Mapping[str, str] = {
    "set": "knowledge set",
    "delete": "knowledge delete",
    "append": "knowledge set",
    "get": "knowledge show",
    "undo_knowledge": "knowledge undo",
    "react": "React as The Architect",
    "wake_agent": "agent wake",
    "send_message": "agent say",
    "reply": "agent say",
    "say": "agent say",
    "set_billboard": "room billboard",
    "clear_billboard": "room billboard",
    "set_topic": "room topic",
    "clear_topic": "room topic",
    "set_wpm": "room wpm",
    "set_rpm": "room rpm",
    "set_access": "room access",
    "set_visibility": "room visibility",
    "hush": "room hush",
    "invite": "room invite",
    "remove": "room remove",
    "join_room": "room invite",
    "leave_room": "room remove",
    "create_key": "key create",
    "revoke_key": "key revoke",
    "give_key": "key give",
    "hand_key": "key give",
    "request_access": "access request",
    "grant_access": "access grant",
    "deny_access": "access deny",
    "set_attention": "attention set",
    "set_allocation": "agent edit",
    "set_name": "agent edit",
    "sleep": "agent sleep",
    "schedule_message": "agent say",
    "cancel_scheduled": "agent scheduled",
    "checkpoints": "room summaries",
    "compact": "room summarise",
    "hud": "focus show",
    "hud_update": "focus set",
    "hud_note": "focus set",
    "hud_decision": "focus set",
    "hud_file": "focus set",
    "hud_blocker": "focus set",
    "hud_step": "focus set",
    "hud_clear": "focus clear",
    "plan_goal": "plan set",
    "plan_milestone": "plan set",
    "plan_strategy": "plan set",
    "set_plan": "plan set",
    "clear_plan": "plan clear",
    "undo_plan": "plan undo",
    "recall": "search",
    "read_history": "history",
    "read_message": "history",
    "create_agent": "agent create",
    "alter_agent": "agent edit",
    "retire_agent": "agent retire",
    "restore_agent": "agent restore",
    "clone_agent": "agent clone",
    "delete_agent": "agent delete",
    "permit_agent": "agent permit",
    "set_interval": "heartbeat interval",
    "pause": "agent pause",
    "resume": "agent resume",
    "set_ignored": "privacy ignore-me",
    "set_muted": "person mute",
    "set_setting": "setup",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    async with shared_home(tmp_path_factory.mktemp("people")) as one:
        yield one


async def offered(visitor: Visitor, channel_id: str) -> set[str]:
    """Give the paths of all commands that the client is shown."""
    found = (await visitor.ask("GET", f"/channels/{channel_id}/application-command-index"))["application_commands"]
    paths: set[str] = set()
    for command in found:
        subcommands = [one["name"] for one in command.get("options", ()) if one["type"] == 1]
        paths |= {command["name"], *(f"{command['name']} {name}" for name in subcommands)}
    return paths


async def everyones(visitor: Visitor, channel_id: str) -> int:
    """Give what the channel denies to everyone."""
    channel: Json = await visitor.ask("GET", f"/channels/{channel_id}")
    role = next((one for one in channel["permission_overwrites"] if one["id"] == channel["guild_id"]), None)
    return int(role["deny"]) if role else 0


async def test_what_agents_do_has_a_command_for_people(cast: Cast) -> None:
    paths = await offered(cast.you, cast.manager.channel_id)
    assert {name: path for name, path in COMMANDS.items() if path not in paths} == {}
    assert COMMANDS.keys() <= {one.name for one in CATALOGUE}


@proves(manager="agent say")
async def test_a_manager_has_an_agent_say_something_later(cast: Cast) -> None:
    assert "It will be said at " in await cast.manager.told("agent say", agent="Wren", message="Tea!", minutes=10)
    await cast.agent("Fern")
    await cast.you.channel("fern")
    elsewhere = {"agent": "Wren", "message": "Tea!", "room": "Fern", "minutes": 10}
    await cast.manager.comes_to_tell("agent say", "Wren is not in <#", **elsewhere)
    await cast.refused("agent say", agent="Wren", message="Tea!", minutes=10)


@proves(manager="room summarise | room summaries", member="room summaries")
async def test_a_room_is_summed_up_for_a_manager_and_the_summary_is_everyones_to_read(cast: Cast) -> None:
    await cast.home.script({"match": "You keep the memory of a chat room", "answer": "Goal: a garden by the sea"})
    wren = await cast.you.channel("wren")
    first = await cast.you.say(wren, "Wren, I plan a garden")
    last = await cast.you.answer_after(first)
    assert "There is no summary yet." in await cast.guest.told("room summaries")
    assert "will be summed up" in await cast.manager.told("room summarise")

    async def written() -> bool:
        assert cast.home.house.face is not None
        async with cast.home.session.get(f"{cast.home.house.face.url}/metrics") as response:
            return "selfroom_summaries_written_total 1.0" in await response.text()

    await until(written, "summary")
    for who in (cast.manager, cast.guest):
        told = await who.comes_to_tell("room summaries", "a garden by the sea")
        links = re.findall(rf"\[↗\]\(https://discord\.com/channels/\d+/{wren}/(\d+)\)", told)
        assert links == [first["id"], last["id"]]
        assert "messages 1" not in told
    await cast.refused("room summarise")


async def test_a_retired_agents_channel_can_only_be_read_until_it_is_back(cast: Cast) -> None:
    await cast.agent("Sage")
    hall = await cast.you.channel("sage")
    await cast.manager.told("agent retire", agent="Sage")

    async def read_only() -> bool:
        return bool(await everyones(cast.you, hall) & SEND_MESSAGES)

    await until(read_only, "read-only channel")
    assert not await may_speak(cast.guest.visitor, hall)
    await cast.manager.told("agent restore", agent="Sage")

    async def writable() -> bool:
        return not await everyones(cast.you, hall) & SEND_MESSAGES

    await until(writable, "channel that can be written in again")
    assert await may_speak(cast.guest.visitor, hall)


async def test_a_deleted_agents_channel_stays_read_only_with_a_note(cast: Cast) -> None:
    await cast.agent("Moss")
    hall = await cast.you.channel("moss")
    asked = await cast.manager.run("agent delete", agent="Moss")
    await cast.manager.press(asked, "Delete Moss")

    async def left() -> bool:
        noted = any("Moss is gone for good" in one["content"] for one in await cast.you.messages(hall))
        return noted and bool(await everyones(cast.you, hall) & SEND_MESSAGES)

    await until(left, "channel that is left with a note")
    assert not await may_speak(cast.guest.visitor, hall)


@proves(manager="agent delete")
async def test_a_deleted_agents_channel_goes_too_when_that_is_asked_for(cast: Cast) -> None:
    await cast.agent("Reed")
    await cast.you.channel("reed")
    asked = await cast.manager.run("agent delete", agent="Reed", channel="remove")
    assert "Its channel is deleted too." in asked["content"]
    await cast.manager.press(asked, "Delete Reed")

    async def gone() -> bool:
        return "reed" not in await cast.you.channels()

    await until(gone, "channel that is gone")
    assert "Reed" not in await cast.manager.told("agent list")


async def may_speak(visitor: Visitor, channel_id: str) -> bool:
    """Try to say something in a channel."""
    try:
        await visitor.say(channel_id, "hello?")
    except AssertionError as refused:
        assert "403" in str(refused)
        return False
    return True
