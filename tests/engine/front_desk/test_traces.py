"""Managers look at places that may name a forgotten person, and change or empty each."""

import json
from typing import cast

import pytest

from bot.core.actions import CreateKey, Set, SetTopic
from bot.core.cards import BOOK_FIELD, kept_with
from bot.core.changes import AgentColumns, UpdateAgent
from bot.core.errors import NotFound, Rejected
from bot.core.name_redaction import Trace, TraceKind
from bot.core.records import Json, Lorebook, LoreEntry
from bot.engine.front_desk import FrontDesk
from tests.engine.test_moderation import front_desk
from tests.engine.town import ADA, BOB, Town, town
from tests.factories import COMMUNITY_ID, GUILD_ID, person

BOSS, GUEST = person("boss", 900, is_architect=True), person("mira", 501)


def trace(kind: TraceKind, id: int = ADA) -> Trace:
    return Trace(kind=kind, id=id)


async def labelled(here: Town) -> FrontDesk:
    desk = front_desk(here)
    for label, secret in (("for-zoe", "open-sesame"), ("friends", "let-me-in")):
        await desk.actions.take(GUILD_ID, BOSS, CreateKey(key=secret, label=label), subject=ADA)
    return desk


@pytest.mark.parametrize("kind", [TraceKind.PROMPT, TraceKind.TOPIC, TraceKind.BILLBOARD])
async def test_a_text_that_names_somebody_is_shown_and_put_otherwise(kind: TraceKind) -> None:
    async with town() as here:
        traces = front_desk(here).traces
        await traces.rewrite(GUILD_ID, BOSS, trace(kind), "Zoe's own")
        assert await traces.text(GUILD_ID, BOSS, trace(kind)) == "Zoe's own"
        await traces.rewrite(GUILD_ID, BOSS, trace(kind), "Somebody's own")
        assert await traces.text(GUILD_ID, BOSS, trace(kind)) == "Somebody's own"
        assert await traces.text(GUILD_ID, BOSS, trace(kind, BOB)) != "Somebody's own"


@pytest.mark.parametrize("kind", [TraceKind.TOPIC, TraceKind.BILLBOARD])
async def test_a_text_that_names_somebody_can_go_altogether(kind: TraceKind) -> None:
    async with town() as here:
        traces = front_desk(here).traces
        await traces.rewrite(GUILD_ID, BOSS, trace(kind), "Zoe's own")
        await traces.rewrite(GUILD_ID, BOSS, trace(kind), "")
        assert await traces.text(GUILD_ID, BOSS, trace(kind)) == ""


async def test_a_key_gets_another_label_and_opens_as_before() -> None:
    async with town() as here:
        desk = await labelled(here)
        (old, _), at = await desk.doors.key_labels(GUILD_ID, ADA), trace(TraceKind.LABEL, 1)
        assert await desk.traces.text(GUILD_ID, BOSS, at) == "for-zoe"
        assert await desk.traces.rewrite(GUILD_ID, BOSS, at, "for-one") == "The key has another label."
        (new, _) = await desk.doors.key_labels(GUILD_ID, ADA)
        assert (new.label, new.digest) == ("for-one", old.digest)
        [entry] = [one for one in await desk.community.audit_log(GUILD_ID, BOSS) if "another label" in one.what]
        assert "zoe" not in entry.what


@pytest.mark.parametrize("label", ["", "x" * 65, "two\nlines", "friends"])
async def test_a_label_that_cannot_be_one_changes_nothing(label: str) -> None:
    async with town() as here:
        desk = await labelled(here)
        with pytest.raises(Rejected):
            await desk.traces.rewrite(GUILD_ID, BOSS, trace(TraceKind.LABEL, 1), label)
        assert [one.label for one in await desk.doors.key_labels(GUILD_ID, ADA)] == ["for-zoe", "friends"]


async def test_what_an_agent_knows_of_somebody_goes_unseen_and_the_rest_stays() -> None:
    async with town() as here:
        desk = front_desk(here)
        for path, value in (("guests", "@zoe takes sugar"), ("tea", "black")):
            known = Set(path=path, value=value)
            await desk.actions.take(GUILD_ID, BOSS, known, subject=ADA)
        told = await desk.traces.empty(GUILD_ID, BOSS, trace(TraceKind.KNOWLEDGE), "zoe")
        assert "sugar" not in told
        knowledge = (await desk.minds.of(GUILD_ID, ADA)).knowledge
        assert knowledge["tea"] == "black"
        assert "zoe" not in str(knowledge)
        with pytest.raises(NotFound, match="Nothing there holds zoe"):
            await desk.traces.empty(GUILD_ID, BOSS, trace(TraceKind.KNOWLEDGE), "zoe")


async def test_a_place_that_is_gone_and_a_person_who_may_not_are_told_so() -> None:
    async with town() as here:
        traces = front_desk(here).traces
        for kind in (TraceKind.PROMPT, TraceKind.LABEL):
            with pytest.raises(NotFound, match="not there any more"):
                await traces.text(GUILD_ID, BOSS, trace(kind, 77))
        with pytest.raises(Rejected):
            await traces.text(GUILD_ID, GUEST, trace(TraceKind.PROMPT))
        with pytest.raises(Rejected):
            await traces.empty(GUILD_ID, GUEST, trace(TraceKind.KNOWLEDGE), "zoe")
        with pytest.raises(Rejected):
            await traces.rewrite(GUILD_ID, GUEST, trace(TraceKind.TOPIC), "mine")


async def test_a_topic_set_by_command_is_the_text_that_is_shown() -> None:
    async with town() as here:
        desk = front_desk(here)
        await desk.actions.take(GUILD_ID, BOSS, SetTopic(topic="of Zoe"), subject=ADA)
        assert await desk.traces.text(GUILD_ID, BOSS, trace(TraceKind.TOPIC)) == "of Zoe"


async def test_what_is_only_kept_of_a_card_is_looked_through_too_and_gives_way_where_it_names_somebody() -> None:
    async with town() as here:
        desk, zoe = front_desk(here), person("zoe", 502)
        extensions: dict[str, Json] = {"world": {"host": "Ask ZOE for sugar.", "tea": ["black", "for @zoe"]}}
        kept: dict[str, Json] = {"creator": "Ann", "creator_notes": "Drawn by zoe.", "extensions": extensions}
        async with here.store.writing(COMMUNITY_ID) as write:
            await write.notes.keep(COMMUNITY_ID, kept_with(ADA), kept)
            await write.notes.keep(COMMUNITY_ID, kept_with(BOB), {"creator": "Zoette"})
        told = await desk.privacy.forget(GUILD_ID, zoe)
        assert "1 place (prompts, topics, billboards, key labels, cards, what agents know)" in told
        [entry] = [one for one in await desk.community.audit_log(GUILD_ID, BOSS) if "left to managers" in one.what]
        assert "left to managers: what came with Ada's card." in entry.what
        assert await desk.traces.empty(GUILD_ID, BOSS, trace(TraceKind.CARD), "zoe")
        card = json.loads(await desk.cards.move_out(GUILD_ID, ADA, who=BOSS.id))["data"]
        assert (card["creator"], card["extensions"]["world"]) == ("Ann", {"tea": ["black"]})
        assert "zoe" not in str(card).casefold()
        with pytest.raises(NotFound, match="Nothing there holds zoe"):
            await desk.traces.empty(GUILD_ID, BOSS, trace(TraceKind.CARD), "zoe")


async def test_entries_of_a_lorebook_that_hold_somebody_go_and_the_others_stay() -> None:
    async with town() as here:
        desk = front_desk(here)
        kept = LoreEntry(name="tea", keys=("tea",), content="Tea is black here.")
        theirs = LoreEntry(name="guest", keys=("sugar",), content="@zoe takes sugar.")
        await here.apply(
            UpdateAgent(agent_id=ADA, fields=cast(AgentColumns, {"lore": Lorebook(entries=(theirs, kept))}))
        )
        async with here.store.writing(COMMUNITY_ID) as write:
            await write.notes.keep(COMMUNITY_ID, kept_with(ADA), {BOOK_FIELD: {"entries": ["@zoe"]}, "creator": "Ann"})
        told = await desk.traces.empty(GUILD_ID, BOSS, trace(TraceKind.LORE), "zoe")
        assert "sugar" not in told
        card = json.loads(await desk.cards.move_out(GUILD_ID, ADA, who=BOSS.id))["data"]
        assert ("zoe" in str(card), card["creator"], len(card[BOOK_FIELD]["entries"])) == (False, "Ann", 1)
        assert (await desk.agents.whole(GUILD_ID, ADA)).lore.entries == (kept,)
        with pytest.raises(NotFound, match="Nothing there holds zoe"):
            await desk.traces.empty(GUILD_ID, BOSS, trace(TraceKind.LORE), "zoe")
