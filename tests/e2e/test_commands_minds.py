"""`/knowledge`, `/focus`, `/heartbeat`, `/usage`, `/person`, `/privacy`, `/setup` and what looks back."""

import csv
import json
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio

from tests.e2e.commanding import Commander, inside
from tests.e2e.proving import proves
from tests.e2e.sharing import Cast, shared_home, words_of
from tests.e2e.visitor import Json, until, visiting

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    async with shared_home(tmp_path_factory.mktemp("minds")) as one:
        yield one


@proves(manager="knowledge set | knowledge show | knowledge history | knowledge undo | knowledge delete")
async def test_knowledge_is_set_shown_undone_and_deleted(cast: Cast) -> None:
    assert "nothing yet" in await cast.manager.told("knowledge show", agent="Wren")
    for value in ("green", '["green", "black"]'):
        assert "tea.kind is set." in await cast.manager.told(
            "knowledge set", agent="Wren", path="tea.kind", value=value
        )
    assert "black" in await cast.manager.told("knowledge show", agent="Wren", path="tea.kind")
    history = await cast.manager.told("knowledge history", agent="Wren")
    assert "The Architect (@" in history
    assert '"green" → ["green", "black"]' in history
    assert "tea.kind is as it was" in await cast.manager.told("knowledge undo", agent="Wren")
    assert "black" not in await cast.manager.told("knowledge show", agent="Wren")
    assert "tea is deleted." in await cast.manager.told("knowledge delete", agent="Wren", path="tea")
    assert "A path begins with a key" in await cast.manager.told("knowledge set", agent="Wren", path="[0]", value="x")


async def test_long_knowledge_comes_as_a_file(cast: Cast) -> None:
    await cast.manager.told("knowledge set", agent="Ledger", path="poem", value="sea and fog " * 200)
    shown = await cast.manager.run("knowledge show", agent="Ledger")
    assert "sea and fog" in await cast.manager.text_of(shown)


@proves(manager="focus set | focus show | focus clear")
async def test_focus_is_written_line_by_line(cast: Cast) -> None:
    form = await cast.manager.run("focus set", agent="Wren", section="notes")
    assert "updated" in words_of(await cast.manager.fill(form, notes="Fog on Mondays\nTea at five"))
    shown = await cast.manager.told("focus show", agent="Wren")
    assert "- Fog on Mondays" in shown
    assert "- Tea at five" in shown
    assert "updated" in await cast.manager.told("focus clear", agent="Wren")
    assert "empty" in await cast.manager.told("focus show", agent="Wren")


@proves(manager="plan show | plan set | plan clear | plan undo")
async def test_a_plan_is_written_line_by_line_and_a_change_is_taken_back(cast: Cast) -> None:
    id = str(await cast.agent("Planner"))
    assert "Planner has no plan." in await cast.manager.told("plan show", agent=id)
    form = await cast.manager.run("plan set", agent=id, part="goals")
    assert "Planner's plan is updated." in words_of(await cast.manager.fill(form, goals="sell fish\n[>] row out"))
    assert "- 2 current: row out" in (shown := await cast.manager.told("plan show", agent=id))
    assert "The Architect (@" in shown
    assert "Planner's plan is updated." in await cast.manager.told("plan clear", agent=id, part="goals")
    assert "is as it was before" in await cast.manager.told("plan undo", agent=id)
    shown = await cast.manager.text_of(await cast.manager.run("hud show", agent=id))
    assert '- "2 current: row out"\n- "1: sell fish"\n' in shown
    assert "There is no such change" in await cast.manager.told("plan undo", agent=id, change=999_999)


@proves(manager="focus defaults")
async def test_new_agents_start_with_the_houses_defaults(cast: Cast) -> None:
    form = await cast.manager.run("focus defaults", heading="conventions")
    told = words_of(await cast.manager.fill(form, conventions="Be kind"))
    assert "new agents start with it" in told
    await cast.agent("Newcomer")
    assert "- Be kind" in await cast.manager.told("focus show", agent="Newcomer")


@proves(manager="heartbeat status | heartbeat interval", member="heartbeat status")
async def test_heartbeats_are_a_picture_with_numbers(cast: Cast) -> None:
    shown = await cast.guest.run("heartbeat status")
    assert "**Wren** every 5.0 s" in words_of(shown)
    assert shown["attachments"][0]["filename"] == "heartbeats.dark.png"
    assert "beats every 2.5 s" in await cast.manager.told("heartbeat interval", agent="Wren", seconds=2.5)
    assert "In 24 hours" in await cast.manager.told("heartbeat status", agent="Wren")


@proves(manager="heartbeat pause | heartbeat resume")
async def test_one_command_pauses_everyone(cast: Cast) -> None:
    asked = await cast.manager.run("heartbeat pause")
    assert "Pause everyone here? " in words_of(asked) and "would do nothing" in words_of(asked)
    assert "(everyone is paused)" not in await cast.guest.told("heartbeat status")
    assert "Everyone is paused:" in words_of(await cast.manager.press(asked, "Pause everyone"))
    assert "Everyone is paused already." in await cast.manager.told("heartbeat pause")
    hall = await cast.you.channel("wren")
    calls = len(await cast.home.calls())
    said = await cast.you.say(hall, "Hello Wren, are you there?")
    assert "(everyone is paused)" in await cast.guest.told("heartbeat status")
    listed = await cast.guest.told("agent list")
    assert "⏸️ **Wren**" in listed and "🟢" not in listed
    assert "⏸️ paused; waits for someone to resume everyone" in await cast.manager.told("agent show", agent="Wren")
    assert "⏸️ **Wren**" in await cast.guest.told("room members")
    assert {one["state"] for one in (await cast.home.agents()).values()} == {"paused"}
    assert len(await cast.home.calls()) == calls
    assert "Everyone goes on." in await cast.manager.told("heartbeat resume")
    again = await cast.you.say(hall, "And now, Wren?")
    assert int((await cast.you.answer_after(again))["id"]) > int(said["id"])


async def test_one_agent_is_paused_from_there_too(cast: Cast) -> None:
    assert "Ledger is paused." in await cast.manager.told("heartbeat pause", agent="Ledger")
    assert "Ledger goes on." in await cast.manager.told("heartbeat resume", agent="Ledger")


@proves(manager="usage today | usage by | usage budget")
async def test_usage_is_a_picture_with_numbers(cast: Cast) -> None:
    hall = await cast.you.channel("wren")
    await cast.you.answer_after(await cast.you.say(hall, "Hello Wren, who are you?"))
    today = await cast.manager.run("usage today")
    assert "of 1.00 imaginary USD" in words_of(today)
    names = {"agent": "Wren", "room": "Wren's room", "model": "gpt-4o-mini", "format": "text"}
    for what, name in names.items():
        for period in ("today", "week", "month", "ever"):
            shown = await cast.manager.run("usage by", what=what, period=period)
            picture, table = [await cast.manager.bytes_of(shown, number) for number in range(2)]
            assert picture.startswith(b"\x89PNG")
            rows = list(csv.DictReader(table.decode().splitlines()))
            (row,) = [row for row in rows if row[what] == name]
            assert int(row["input_tokens"]) > 1_000
            assert name in words_of(shown)
    assert "**Ever** " in await cast.manager.told("agent show", agent="Wren")
    assert "2.5 imaginary USD, with 1,000,000 tokens" in await cast.manager.told(
        "usage budget", usd_per_day=2.5, tokens_per_day=1_000_000
    )


async def test_what_a_model_without_a_price_has_cost_ever_is_unknown_and_not_nothing(cast: Cast) -> None:
    made = await cast.manager.told("agent create", name="Odd", prompt="You are Odd.", model="gpt-99-unheard-of")
    assert "gpt-99-unheard-of is none of the models that its server lists: check the name, or choose one of" in made
    assert "gpt-4o-mini" in made
    assert "Odd is created" in made
    hall = await cast.you.channel("odd")
    await cast.you.answer_after(await cast.you.say(hall, "Hello Odd, who are you?"))
    assert re.search(r"\*\*Ever\*\* .* cost unknown since", await cast.manager.told("agent show", agent="Odd"))


@proves(manager="person mute | person unmute")
async def test_a_person_is_muted_and_heard_again(cast: Cast) -> None:
    id = cast.guest.visitor.user["id"]
    assert "Agents ignore @guest." in await cast.manager.told("person mute", person=id)
    assert "Agents listen to @guest." in await cast.manager.told("person unmute", person=id)


@proves(manager="privacy ignore-me | privacy export | privacy forget-me")
async def test_managers_are_people_too(cast: Cast) -> None:
    async with visiting(cast.home.url, "max", manager=True) as max:
        caller = Commander(max, cast.manager.channel_id)
        asked = await caller.run("privacy ignore-me")
        assert "Agents hear you now." in words_of(asked)
        assert "Agents ignore @max." in words_of(await caller.press(asked, "Ignore me"))
        asked = await caller.run("privacy ignore-me")
        assert "Agents ignore you now" in words_of(asked)
        assert "Agents listen to @max." in words_of(await caller.press(asked, "Have them listen to me again"))
        said = await max.say(caller.channel_id, "Wren, I keep bees")
        await cast.you.answer_after(said)  # or the answer comes when all is forgotten, and may speak of it
        data = json.loads(await caller.text_of(await caller.run("privacy export")))
        assert "I keep bees" in str(data["messages"])
        asked = await caller.run("privacy forget-me")
        assert "are gone here" in words_of(await caller.press(asked, "Forget me"))
        assert "Nothing was found." in await caller.told("search", words="bees")


@proves(member="privacy ignore-me | privacy export | privacy forget-me")
async def test_everyone_may_be_ignored_exported_and_forgotten(cast: Cast) -> None:
    hall = cast.manager.channel_id
    async with visiting(cast.home.url, "dora") as dora:
        caller = Commander(dora, hall)
        said = await dora.say(hall, "Wren, my parrot is called Rupert")
        await cast.you.answer_after(said)  # or the answer comes when all is forgotten, and may speak of it
        assert "@dora said it" in await caller.known(said)
        assert "Agents ignore @dora." in await caller.told("privacy ignore-me", ignore=True)
        data = json.loads(await caller.text_of(await caller.run("privacy export")))
        assert "Rupert" in json.dumps(data["messages"])
        await cast.manager.told("knowledge set", agent="Wren", path="people.@dora.parrot", value="Rupert")
        asked = await caller.run("privacy forget-me")
        assert "Nothing is deleted on Discord itself" in asked["content"]
        told = words_of(await caller.press(asked, "Forget me"))
        assert "It is done" in told
        assert "1 message and 0 reactions of yours are gone here" in told
        assert "of others and from what 1 agent knew" in told
        assert f"expire by {datetime.now(UTC) + timedelta(days=30):%Y-%m-%d}" in told
        assert "Agents ignore you already" in await caller.told("privacy ignore-me", ignore=True)
        assert "Nothing was found." in await cast.manager.told("search", words="Rupert")
        assert "There is nothing at people" in await cast.manager.told("knowledge show", agent="Wren", path="people")
        assert "dora" not in await cast.manager.told("knowledge history", agent="Wren")


@proves(manager="search | history", member="search | history")
async def test_what_was_said_is_found_where_one_may_read(cast: Cast) -> None:
    id = str(await cast.agent("Closet"))
    said = await cast.you.say(await cast.you.channel("closet"), "the umbrella is behind the door")
    await cast.manager.known(said)
    assert "umbrella" in await cast.manager.told("search", words="umbrella", room=id)
    for who in (cast.manager, cast.guest):
        assert "in Closet:" in await who.told("history", room=id)
    await cast.manager.close_room(id)

    async def hidden() -> bool:
        return "closet" not in await cast.guest.visitor.channels()

    await until(hidden, "a hidden channel")
    for _ in range(7):  # one looks for a thing more than five times in a row
        assert "Nothing was found." in await cast.guest.told("search", words="umbrella")
    assert "You cannot read that room" in await cast.guest.told("history", room=id)


@proves(manager="audit")
async def test_what_managers_changed_stands_in_the_audit(cast: Cast) -> None:
    await cast.manager.told("room wpm", words=111)
    id_ = await cast.agent("Auden", seed="Likes rhymes.")
    await cast.manager.told("agent edit", agent=str(id_), temperature=0.3, token_budget=9_000)
    told = await cast.manager.told("audit")
    assert re.search(r"Wren: The room talks at 111 words a minute\. \(words a minute: \d+ → 111\)", told)
    first = await cast.manager.told("audit", words="Wren is created")
    assert re.search(r"Selfroom: Wren is created\.$", first, re.MULTILINE)
    assert re.search(r"\(@you\): Auden is created\.$", told, re.MULTILINE)
    told = await cast.manager.told("audit", agent=str(id_), words="temperature")
    assert re.search(r"\(@you\): Auden is changed\. \(temperature: [\d.]+ → 0\.3; token budget: \d+ → 9000\)", told)
    assert "111" not in told
    told = await cast.manager.told("audit", by="you", days=1, words="111 words")
    assert "(@you)" in told and told.count("\n") == 1
    assert await cast.manager.told("audit", by="nobody") == "Nothing that was changed fits that."


@proves(manager="help", member="help")
async def test_help_knows_what_one_may_do(cast: Cast) -> None:
    shown = {one: await one.run("help") for one in (cast.guest, cast.manager)}
    told = {one: words_of(answer) for one, answer in shown.items()}
    assert "`/privacy export`" in told[cast.guest]
    assert "`/agent create`" not in told[cast.guest]
    assert "`/agent create`" in told[cast.manager]
    options = {one: [*inside(answer["components"])][1]["options"] for one, answer in shown.items()}
    values = {one: [option["value"] for option in there] for one, there in options.items()}
    assert "key" in values[cast.manager] and "key" not in values[cast.guest]
    for matter in values[cast.manager]:
        card = await chosen(cast.manager, shown[cast.manager], matter)
        assert "`/agent list`" in card if matter == "agent" else "`/agent list`" not in card
    card = await chosen(cast.guest, shown[cast.guest], "agent")
    assert "`/agent list`" in card and "`/agent create`" not in card


async def chosen(one: Commander, shown: Json, matter: str) -> str:
    """Choose what help shall be about, and give what stands there then."""
    return words_of(await one.choose_in_place(shown, "All commands about …", matter))


async def test_setup_is_not_even_shown_to_a_plain_member(cast: Cast) -> None:
    index = f"/channels/{cast.guest.channel_id}/application-command-index"
    shown = (await cast.guest.visitor.ask("GET", index))["application_commands"]
    assert "setup" not in {one["name"] for one in shown}
    assert "setup" in {one["name"] for one in (await cast.you.ask("GET", index))["application_commands"]}


@proves(manager="setup start | setup words | setup model | setup places")
async def test_setup_says_what_is_there_and_what_is_missing(cast: Cast) -> None:
    told = await cast.manager.told("setup start")
    assert "Model **gpt-4o-mini**" in told
    assert "Agents are AI" in told
    assert "Set: language, time zone." in await cast.manager.told(
        "setup words", language="Deutsch", time_zone="Europe/Berlin"
    )
    assert "Give a time zone by its name" in await cast.manager.told("setup words", time_zone="Mars/Olympus")
    assert "Deutsch, Europe/Berlin" in await cast.manager.told("setup start")
    assert re.search(r"answers in [\d.]+ s", await cast.manager.told("setup model", model="gpt-4o-mini"))
    welcome = await cast.you.channel("welcome")
    steps = await cast.manager.run("setup start")
    assert "answers in" in words_of(await cast.manager.press(steps, "Try the model"))
    chosen = await cast.manager.choose(steps, "Where managers are told things", welcome)
    assert "Set: managers channel." in words_of(chosen)
    assert "Set: managers channel." in await cast.manager.told("setup places", managers_channel=welcome)
    assert f"<#{welcome}>" in await cast.manager.told("setup start")
    places = await cast.manager.told("setup places")
    assert f"- `managers_channel`: <#{welcome}> (Where managers read about faults" in places
    assert "- `architect_role`: none (A role that may do here what Manage Server may)" in places
    assert "Give `/setup places` what is to change" in places
    assert "- `time_zone`: Europe/Berlin (" in await cast.manager.told("setup words")
    assert "- `words`: none (" in await cast.manager.told("setup moderation")
