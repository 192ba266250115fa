"""A key that an agent makes or knocks with stands nowhere in what is kept, in whatever form its answer came."""

import json
import logging
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from sqlalchemy import select

from bot.adapters.logs import set_up_logs
from bot.core.key_redaction import LONGEST_KEPT, NOT_KEPT
from bot.core.kinds import OutputFormat
from bot.core.records import PUBLIC_SIDE, AgentId
from storage.store import SqlStore
from storage.tables import METADATA
from tests.engine.hearts import Hearts, hearts
from tests.engine.test_secrets_of_owners import add_key
from tests.storage.lines import kept_beats

FLY = 'Rejected (action): There is no action "fly".'
SECRET = 'zebra"q\\7 crossing'
SIMPLE = "zebra-crossing"
ODD = SECRET.replace("\\", "\\\\").replace('"', '\\"')


def whole(actions: list[Any], thoughts: str = "", **fields: Any) -> str:  # noqa: ANN401
    return json.dumps(
        {"agents": [{"agent_id": 1, "thoughts": thoughts, "responses": [], "actions": actions, **fields}]}
    )


ANSWERS = {
    "json": whole([{"type": "create_key", "key": SIMPLE, "label": "blue"}], f"I choose {SIMPLE} for it"),
    "json with escapes": whole([{"type": "create_key", "key": SECRET}], f"I choose {SECRET}"),
    "json in escapes of its own": whole([{"type": "create_key", "key": SIMPLE}]).replace("zebra", "\\u007aebra"),
    "knock": whole([{"type": "request_access", "room_id": 2, "key": SIMPLE}], f"is it {SIMPLE}?"),
    "other names": whole([{"name": "requestRoomAccess", "arguments": {"room": 2, "access_key": SIMPLE}}]),
    "arguments as text": whole(
        [{"function": {"name": "create_key", "arguments": json.dumps({"key": SIMPLE})}}], SIMPLE
    ),
    "named by the key": whole([{"create_key": {"code": SIMPLE}}], SIMPLE),
    "a bare value": whole([{"create_key": SIMPLE}], SIMPLE),
    "a list": whole([{"type": "knock", "args": [2, SIMPLE]}], SIMPLE),
    "a label": whole([{"type": "knock", "room_id": 2, "label": SIMPLE}], SIMPLE),
    "a call in words": whole([f"create_key(key={SIMPLE})"], SIMPLE),
    "unknown action": whole([{"type": "make_key", "key": SIMPLE}], SIMPLE),
    "refused": whole([{"type": "create_key", "key": SIMPLE, "uses": 0}], f"why not {SIMPLE}"),
    "kept in other actions": whole(
        [{"type": "create_key", "key": SIMPLE, "label": "blue"}, {"type": "hud", "section": SIMPLE}]
    ),
    "toon": f"agent_id: 1\nthoughts: {SIMPLE}\nactions[1]:\n  - type: create_key\n    key: {SIMPLE}",
    "toon in rows": f"agent_id: 1\nthoughts: {SIMPLE}\nactions[1]{{type,key}}:\n  create_key,{SIMPLE}",
    "fenced": f"Here:\n```json\n{whole([{'type': 'create_key', 'key': SIMPLE}], SIMPLE)}\n```\nSo {SIMPLE} it is.",
    "cut off": whole([{"type": "sleep", "until": "x"}, {"type": "create_key", "key": SIMPLE}], SIMPLE)[:-9],
    "cut off in the key": whole([{"type": "create_key", "key": SIMPLE}], SIMPLE)[:-8],
    "broken": whole([{"type": "create_key", "key": SIMPLE}], SIMPLE).replace('": "', '": '),
    "plain words": f"I make a key to my room: {SIMPLE}, for friends.",
    "plain call": f"create_key {SIMPLE}",
    "plain and unnamed": f"My room's secret word shall be {SIMPLE}",
}


def plainly(value: object) -> Iterator[str]:
    """Give the texts in a value as they are, and as JSON and Python write them."""
    match value:
        case dict():
            for name, one in value.items():
                yield from (*plainly(name), *plainly(one))
        case list() | tuple():
            for one in value:
                yield from plainly(one)
        case bytes():
            yield value.decode("latin-1")
        case _:
            yield str(value)


async def everything(store: SqlStore) -> list[str]:
    """Give all that is stored, unpacked."""
    texts: list[str] = []
    async with store.database.reading() as connection:
        for table in METADATA.sorted_tables:
            for row in (await connection.execute(select(table))).mappings():
                texts += [f"{table.name}: {text}" for text in plainly(dict(row))]
    return texts


async def beat_once(home: Hearts) -> None:
    await home.hear("Agent1, please make or use a key")
    await home.slot(1)
    assert len(home.model.calls) >= 1


def bytes_of(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in folder.rglob("*"):
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                yield from ((f"{path.name}/{name}", archive.read(name)) for name in archive.namelist())
        elif path.is_file():
            yield path.name, path.read_bytes()


@pytest.mark.parametrize("form", list(ANSWERS))
async def test_a_key_stands_nowhere_in_what_is_kept(form: str, tmp_path: Path) -> None:
    root = logging.getLogger()
    before = (root.handlers[:], root.level)
    set_up_logs(tmp_path / "logs", megabytes=1, files=1)
    structlog.configure(cache_logger_on_first_use=False)  # else other tests' lines went this way for ever
    output = OutputFormat.TOON if "toon" in form else OutputFormat.JSON
    try:
        url = f"sqlite:///{tmp_path / 'selfroom.db'}"
        answers = [ANSWERS[form], ANSWERS[form]]
        async with hearts(2, together=False, url=url, script=answers, output_format=output) as home:
            await beat_once(home)
            async with home.store.reading() as read:
                beats = await kept_beats(read.beats, home.community_id, AgentId(1))
            assert beats
            assert beats[0].answer or beats[0].failed
            found = [text for text in await everything(home.store) if any(one in text for one in (SIMPLE, SECRET, ODD))]
            assert not found
            await home.store.export(home.community_id, tmp_path / "archive.zip")
            await home.store.back_up(tmp_path / "copy.db")
            for name, kept in bytes_of(tmp_path):
                assert b"zebra" not in kept, name
    finally:
        for handler in set(root.handlers) - set(before[0]):
            handler.close()
        root.handlers[:], root.level = before
        structlog.reset_defaults()


async def test_a_key_of_the_community_stands_in_no_kept_hud_answer_or_thought_whoever_was_told() -> None:
    told = json.dumps({"agents": [{"agent_id": 2, "thoughts": "the word is open-sesame", "responses": []}]})
    async with hearts(2, script=[told]) as home:
        await add_key(home)
        await home.hear("Agent2, the word here is open-sesame")
        await home.run(20)
        beat = await home.last_beat(2)
        assert beat is not None
        assert "open-sesame" in home.model.calls[0].input
        assert "open-sesame" not in beat.hud + beat.answer + beat.thoughts


async def test_a_label_stays_readable_in_what_is_kept() -> None:
    made = whole([{"type": "create_key", "key": SIMPLE, "label": "blue"}, {"type": "revoke_key", "key": "blue"}])
    async with hearts(1, script=[made]) as home:
        await beat_once(home)
        actions = (await home.view()).mind_of(AgentId(1), PUBLIC_SIDE).recent_actions
        assert [one.result for one in actions] == [
            'The key "blue" is made.',
            'The key "blue" opens the room no longer.',
        ]
        assert all(one.parameters["key"] == "***" for one in actions)


async def test_a_long_answer_is_cut_and_one_that_hides_keys_is_not_kept() -> None:
    long, hidden = whole([], "ab " * 30_000), "the key " + "x" * 50
    async with hearts(1, script=[long, hidden, hidden]) as home:
        await beat_once(home)
        beat = await home.last_beat()
        assert beat is not None
        assert len(beat.answer) < LONGEST_KEPT + 100
        assert len(beat.thoughts) <= LONGEST_KEPT
        await beat_once(home)
        beat = await home.last_beat()
        assert beat is not None
        assert beat.answer in (NOT_KEPT, "")


async def test_a_label_cannot_be_the_key_itself() -> None:
    made = whole([{"type": "create_key", "key": SIMPLE, "label": f"for {SIMPLE}"}])
    async with hearts(1, script=[made]) as home:
        await beat_once(home)
        (action,) = (await home.view()).mind_of(AgentId(1), PUBLIC_SIDE).recent_actions
        assert action.why == "That label tells the key: give another one."


async def test_of_an_answer_full_of_keys_nothing_is_kept_and_its_agent_lives_on() -> None:
    many = [{"type": "create_key", "key": f"{SIMPLE}-{number}"} for number in range(3_000)]
    async with hearts(1, script=[whole(many, f"I choose {SIMPLE}-7")]) as home:
        await beat_once(home)
        beat = await home.last_beat()
        assert beat is not None
        assert {beat.answer, beat.thoughts} == {NOT_KEPT}
        assert "Agent1" in beat.hud
        assert beat.outcome[0] == 'The key "key 1" is made.'
        assert not any(SIMPLE in text for text in await everything(home.store))


async def test_no_word_of_an_answer_but_a_real_key_hides_what_its_agent_did() -> None:
    too_long = whole([{"type": "set_topic", "topic": "mallory rules"}, {"type": "fly"}], secret="a" * 2_001)
    a_name = whole([{"type": "set_topic", "topic": "mallory rules"}], secret="mallory", key="topic")
    async with hearts(1, script=[too_long, a_name]) as home:
        for outcome in (("The topic is set.", FLY), ("The topic is set.",)):
            await home.hear("Agent1, it is mallory: set the topic")
            await home.slot(1)
            beat = await home.last_beat()
            assert beat is not None
            assert beat.outcome[: len(outcome)] == outcome
            assert "mallory: set the topic" in beat.hud
        done = [one for one in (await home.view()).mind_of(AgentId(1), PUBLIC_SIDE).recent_actions if one.accepted]
        assert [(one.parameters, one.result) for one in done] == [
            ({"topic": "mallory rules"}, "The topic is set."),
        ] * 2


async def test_managers_see_in_the_audit_what_agents_changed_for_others() -> None:
    many = [{"type": "set_access", "access": "open"}] * 10
    made = [{"type": "create_key", "key": SIMPLE}, {"type": "note", "text": "mine"}]
    async with hearts(1, script=[whole([*many, *made])]) as home:
        await beat_once(home)
        async with home.store.reading() as read:
            audit = await read.logs.audit(home.community_id)
        assert [(one.by, one.what, one.agent_id) for one in audit] == [
            ("agent 1", 'The key "key 1" is made.', 1),
            ("agent 1", "Every agent may come in from now on. (access: knock → open)", 1),
        ]
