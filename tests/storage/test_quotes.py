"""Deleted words go, at once, from recent actions, active files and notices too."""

import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from bot.core.changes import AddLetter, AddMembership, Change, RecordAction, Say, SetFocus
from bot.core.focus import files_of
from bot.core.kinds import LetterKind, LetterState
from bot.core.letters import NoticePayload
from bot.core.records import (
    PUBLIC_SIDE,
    ActionRecord,
    AgentId,
    Attachment,
    CommunityId,
    Focus,
    Json,
    MessageId,
    Snowflake,
)
from storage.quotes import Quotes
from storage.store import SqlStore
from storage.tables import LETTERS
from tests.factories import by_agent, membership, person
from tests.fakes import START
from tests.moment import moment
from tests.storage.lines import forget, said
from tests.storage.test_erasing import contents_of
from tests.storage.town import settle_in

ROOM, GUEST, STRANGER = AgentId(1), AgentId(2), AgentId(3)
SECRET = "the lighthouse is at https://light.example/house"
LONG = "a very long story of the lighthouse " * 20


def did(agent_id: AgentId, type: str = "send_message", side: int = PUBLIC_SIDE, **parameters: Json) -> RecordAction:
    record = ActionRecord(type=type, at=START, parameters=parameters, accepted=True, result="Done.")
    return RecordAction(agent_id=agent_id, side=side, record=record)  # type: ignore[arg-type]


async def remember(store: SqlStore, community_id: CommunityId) -> None:
    """Let guests have in view what is about to be deleted."""
    plan = Attachment(name="plan.txt", media_type="text/plain", size_bytes=3, url="https://cdn.example/plan.txt")
    async with store.writing(community_id) as write:
        await write.apply(community_id, [AddMembership(membership=membership(2, 1))])
        stored = await write.talk.add(
            community_id, [said(SECRET, 1, attachments=(plan,)), said("hi", 2), said("else https://kept.example", 3)]
        )
        files = tuple(item for message in stored if message for item in files_of(message))
        focus = Focus(active_files=files, notes=("tea at four",))
        notice = NoticePayload(text=f"✋ Ada wants to say:\n> {SECRET}").stored()
        await write.apply(
            community_id,
            [
                did(GUEST, message=SECRET, room_id=1),
                did(GUEST, "hud_note", text=f"she said: {SECRET}"),
                did(GUEST, "set", path="hi", value="hi"),
                did(GUEST, message="hi", room_id=1),
                did(STRANGER, message=SECRET, room_id=3),
                SetFocus(agent_id=GUEST, side=PUBLIC_SIDE, focus=focus),
                AddLetter(kind=LetterKind.NOTICE, room_id=ROOM, payload=notice, not_before=START),
            ],
        )


@pytest.mark.parametrize("how", ["one", "bulk", "room"])
async def test_deleted_words_leave_all_that_repeats_them(store: SqlStore, community_id: CommunityId, how: str) -> None:
    await remember(store, community_id)
    async with store.writing(community_id) as write:
        if how == "room":
            await write.talk.delete_room(community_id, ROOM, START)
        else:
            numbers = [1001, 1002] if how == "bulk" else [1001]
            await write.talk.delete(community_id, [Snowflake(number) for number in numbers], START)
    async with store.reading() as read:
        view = await read.views.whole(community_id, agent_ids=[GUEST, STRANGER], minds=None)
        letters = await read.letters.due(START, limit=5)
    guest = view.mind_of(GUEST, PUBLIC_SIDE)
    short = "hi" if how == "one" else "(deleted)"
    assert [dict(one.parameters) for one in guest.recent_actions] == [
        {"message": "(deleted)", "room_id": 1},
        {"text": "(deleted)"},
        {"path": "hi", "value": "hi"},  # said by chance
        {"message": short, "room_id": 1},
    ]
    kept = () if how == "room" else ("https://kept.example",)
    assert (guest.focus.active_files, guest.focus.notes) == (kept, ("tea at four",))
    assert [one.kind for one in letters] == []
    stranger = view.mind_of(STRANGER, PUBLIC_SIDE)
    assert stranger.recent_actions[0].parameters["message"] == SECRET  # of a room in which it never was


async def test_a_notice_that_was_sent_keeps_no_words(store: SqlStore, community_id: CommunityId) -> None:
    await remember(store, community_id)
    async with store.writing(community_id) as write:
        (letter,) = await write.letters.due(START, limit=5)
        await write.letters.move(community_id, letter.id, LetterState.SENT, at=START)
        await write.talk.delete(community_id, [Snowflake(1001)], START)
    await store.gone_for_good()
    async with store.database.reading() as connection:
        payloads = (await connection.execute(select(LETTERS.c.payload))).scalars().all()
    assert [payload["text"] for payload in payloads] == ["(deleted)"]


async def test_the_notice_about_a_held_message_goes_with_it(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        say = Say(
            message_id=MessageId(write.ids.take("message")),
            room_id=ROOM,
            sender=by_agent(1),
            content="oh",
            sent_at=START,
        )
        await write.apply(community_id, [say])
        (post,) = await write.letters.due(START, limit=5)
        payload: Any = NoticePayload(text="✋ Ada wants to say: oh", held=post.id).stored()
        held: list[Change] = [AddLetter(kind=LetterKind.NOTICE, room_id=ROOM, payload=payload, not_before=START)]
        await write.apply(community_id, held)
        await write.talk.delete_room(community_id, ROOM, START)
        assert await write.letters.due(START, limit=5) == []


def test_long_words_are_found_where_they_were_shortened() -> None:
    quotes = Quotes([LONG])
    assert quotes.without({"message": f"{LONG[:119]}…"}) == {"message": "(deleted)"}
    assert quotes.without(["quite another story of the lighthouse"]) == ["quite another story of the lighthouse"]


async def test_what_was_deleted_has_left_the_files_when_that_is_said(tmp_path: Path) -> None:
    async with await SqlStore.open(f"sqlite:///{tmp_path}/selfroom.db") as store:
        community_id = await settle_in(store)
        async with store.writing(community_id) as write:
            await write.people.put(community_id, person("mira"))
            await write.talk.add(community_id, [said(f"xylophonequartz {number}", number) for number in range(50)])
        async with store.reading() as read:
            await read.communities.all()  # somebody who read before
        async with store.writing(community_id) as write:
            await forget(write.personal, community_id, Snowflake(501), START)
        assert await store.gone_for_good()
        assert b"xylophonequartz" not in b"".join(contents_of(tmp_path))


def test_very_many_lines_that_begin_alike_are_looked_for_at_once() -> None:
    quotes, text = Quotes(f"{'a' * 20}{number} was said" for number in range(10_000)), "a" * 2_000

    def seconds() -> float:
        start = time.thread_time()
        assert not quotes.found_in(text)
        return time.thread_time() - start

    assert min(seconds() for _ in range(3)) < 20 * moment()
    assert quotes.found_in(f"{text}777 was said, they say")


def test_lines_of_all_lengths_that_begin_alike_are_looked_for_at_once() -> None:
    """Who has a hundred such lines deleted together had all agents' files looked through for seconds."""
    quotes, text = Quotes(f"{'a' * (12 + more)}b" for more in range(107)), "a" * 20_000

    def seconds() -> float:
        start = time.thread_time()
        assert not quotes.found_in(text)
        return time.thread_time() - start

    assert min(seconds() for _ in range(3)) < 0.1
    assert quotes.found_in(f"{text}b")


@given(
    lines=st.lists(st.text("ab", min_size=12, max_size=20), min_size=1, max_size=6),
    text=st.text("ab", max_size=60),
)
def test_a_line_is_found_wherever_it_stands(lines: list[str], text: str) -> None:
    assert Quotes(lines).found_in(text) == any(line in text for line in lines)
