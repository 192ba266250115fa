"""What the page asks beside Discord's routes: to find what was said, and colours for code."""

import asyncio
import sys
import threading
import time
from typing import Any

import discord
import pytest

from bot.playground.rest.page import LONGEST_CODE
from bot.playground.server import Playground
from tests.moment import moment
from tests.playground.person import Person


async def found(person: Person, **query: Any) -> list[str]:  # noqa: ANN401 - whatever is searched by
    """Give the contents of what is found, the newest first."""
    return [message["content"] for message in (await page(person, **query))["messages"]]


async def page(person: Person, **query: Any) -> Any:  # noqa: ANN401 - as above
    """Give a page of what is found."""
    asked = "&".join(f"{name}={value}" for name, value in query.items())
    return await person.setup("GET", f"/guilds/{person.about['guild_id']}/search?{asked}")


async def test_messages_are_found_by_words_person_place_and_what_they_hold(
    channel: discord.TextChannel, owner: Person, ada: Person
) -> None:
    garden = await channel.guild.create_text_channel("garden")
    await owner.say(channel.id, "The Käse is in the cellar")
    await ada.say(channel.id, "and the cheese, see https://example.org")
    await ada.say(garden.id, "Cheese grows here\n```py\nprint(1)\n```")
    hook = await garden.create_webhook(name="hook")
    await hook.send("cheese, says the cat", username="Mouser")
    assert await found(ada, words="CHEESE") == [
        "cheese, says the cat",
        "Cheese grows here\n```py\nprint(1)\n```",
        "and the cheese, see https://example.org",
    ]
    assert await found(ada, words="käse the") == ["The Käse is in the cellar"]
    assert await found(ada, words="cheese", by="mouser") == ["cheese, says the cat"]
    assert await found(ada, by="Ada", channel_id=channel.id) == ["and the cheese, see https://example.org"]
    assert await found(ada, has="link") == ["and the cheese, see https://example.org"]
    assert await found(ada, has="code", channel_id=garden.id) == ["Cheese grows here\n```py\nprint(1)\n```"]
    assert await found(ada, words="%") == []


async def test_what_one_may_not_read_is_not_found(channel: discord.TextChannel, owner: Person, ada: Person) -> None:
    guild = channel.guild
    hidden = await guild.create_text_channel(
        "cellar", overwrites={guild.default_role: discord.PermissionOverwrite(view_channel=False)}
    )
    await owner.say(hidden.id, "the safe code is 4711")
    assert await found(owner, words="safe") == ["the safe code is 4711"]
    assert await found(ada, words="safe") == []
    assert await found(ada, words="safe", channel_id=hidden.id) == []


async def test_what_is_found_comes_page_by_page(owner: Person) -> None:
    said = [await owner.say(owner.about["channel_id"], f"apple {number}") for number in range(30)]
    first = await page(owner, words="apple")
    assert (len(first["messages"]), first["has_more"]) == (25, True)
    rest = await page(owner, words="apple", before=first["messages"][-1]["id"])
    assert [one["content"] for one in rest["messages"]] == [f"apple {n}" for n in (4, 3, 2, 1, 0)]
    assert not rest["has_more"]
    assert await found(owner, words="apple", after=said[27]["id"]) == ["apple 29", "apple 28"]


async def longest_hold(playground: Playground, until: asyncio.Event) -> int:
    """Give the most work for which nobody else had a turn: calls, each hundred steps of SQLite being one."""
    longest = calls = 0

    def called(*_: object) -> None:
        nonlocal calls
        calls += 1

    playground.world.journal._db.set_progress_handler(called, 100)
    sys.setprofile(called)
    try:
        while not until.is_set():
            calls = 0
            await asyncio.sleep(0)
            longest = max(longest, calls)
    finally:
        sys.setprofile(None)
    return longest


async def test_others_have_their_turn_while_a_long_history_is_searched(playground: Playground, owner: Person) -> None:
    first = await owner.say(owner.about["channel_id"], "pear")
    row = playground.world.messages.get(first["id"])
    assert row is not None
    for number in range(1, 5_001):
        playground.world.messages.put(row | {"id": str(int(row["id"]) + number), "content": f"äpple {number}"})
    last = playground.world.messages.put(row | {"id": str(int(row["id"]) + 5_001), "content": "quince"})
    for query in ({"by": "nobody"}, {"words": "nowhere"}, {"words": "ö"}, {"has": "code"}):
        done = asyncio.Event()
        watching = asyncio.create_task(longest_hold(playground, done))
        assert await found(owner, **query) == []
        done.set()
        assert 100 < await watching < 25_000, query
    assert await found(owner, words="PEAR") == ["pear"]
    assert await found(owner, words="quince", before=last["id"]) == []
    assert len(await found(owner, words="äpple")) == 25


async def test_code_comes_back_in_coloured_pieces_that_are_the_code(playground: Playground, owner: Person) -> None:
    code = 'def greet(name):\n    # politely\n    return f"Hello {name}" * 2\n'
    pieces = await owner.setup("POST", "/colours", json={"language": "Py", "code": code})
    assert "".join(text for _, text in pieces) == code
    kinds = {kind: text for kind, text in pieces}
    assert (kinds["comment"], kinds["name"]) == ("# politely", "greet")
    assert {"keyword", "string", "number"} <= kinds.keys()
    told = await owner.setup("POST", "/colours", json={"language": "no such", "code": code})
    assert told == [["", code]]


async def test_code_that_is_made_to_take_long_is_coloured_in_a_moment(owner: Person) -> None:
    spaces = f"x{' ' * 3_998}!"
    for language in ("py", "js", "html", "sql", "md", "c", "c++", "c-objdump", "rb", "perl", "bash", "java"):
        for hostile in ("(" * 4_000, "<a " * 1_333, '"\\' * 2_000, "/*" * 2_000, "a" * 4_000, "$((" * 1_333, spaces):
            began = time.process_time()  # the playground runs here
            pieces = await owner.setup("POST", "/colours", json={"language": language, "code": hostile})
            assert "".join(text for _, text in pieces) == hostile
            assert time.process_time() - began < 1_000 * moment(), (language, hostile[:4])


@pytest.mark.parametrize(("language", "word"), [("ini", "=a="), ("erl", "->a"), ("asn1", "a:b "), ("cfc", "/* ")])
async def test_languages_of_which_some_code_takes_seconds_have_no_colours(
    owner: Person, language: str, word: str
) -> None:
    code = word * (LONGEST_CODE // len(word))
    assert await owner.setup("POST", "/colours", json={"language": language, "code": code}) == [["", code]]


async def test_no_language_is_learnt_while_others_wait(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.playground.rest.page.coloured", lambda _, code: [(threading.current_thread().name, code)])
    [(thread, _)] = await owner.setup("POST", "/colours", json={"language": "kotlin", "code": "val a = 1"})
    assert thread.startswith("colours")
