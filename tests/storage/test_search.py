"""Search finds words in any script, newest first, only in the rooms that were asked for."""

import random
import re
import time
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from bot.core.errors import Rejected
from bot.core.records import AgentId, CommunityId
from storage.store import SqlStore
from storage.words import UNFOLDED, excerpt_of, folded, words_of
from tests.moment import moment
from tests.storage.lines import hear, said
from tests.storage.town import settle_in

ROOM, OTHER = AgentId(1), AgentId(2)


async def found(store: SqlStore, community_id: CommunityId, query: str, *rooms: AgentId) -> list[str]:
    async with store.reading() as read:
        answers = await read.talk.search(community_id, query, room_ids=rooms or [ROOM])
        return [message.content for message, _ in answers]


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("The deployment failed", "deployment"),
        ("she deployed it", "deploy"),
        ("naïve café", "CAFE"),
        ("STRASSE", "straße"),
        ("今日は東京に行きます", "東京"),
        ("서울에서 만나요", "서울"),
        ("мы встретимся в Москве", "москве"),
        ("well done 🎉", "🎉"),
        ("100% sure", "100%"),
        ('she said "never"', '"never"'),
        ("it's O'Brien", "O'Brien"),
        ("a_b\\c", "a_b\\c"),
        ("AND OR NOT NEAR", "and OR near"),
        ("words : colon*", "words : colon*"),
        ("see https://example.org/a-b", "example.org"),
        ("e" + "\u0301" * 4000, "e"),
        ("x\u200by", "x\u200by"),
        ("\u202eolleh\u202c", "olleh"),
    ],
)
async def test_any_text_is_found_by_its_words(
    store: SqlStore, community_id: CommunityId, content: str, query: str
) -> None:
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said(content), said("quite another thing", 2)])
    assert await found(store, community_id, query) == [content]


@pytest.mark.parametrize("query", ["nothing", "NEAR(", "nothing %"])
async def test_a_query_that_matches_nothing_finds_nothing(
    store: SqlStore, community_id: CommunityId, query: str
) -> None:
    async with store.writing(community_id) as write:
        await hear(write.talk, community_id, said("plain words"))
    assert await found(store, community_id, query) == []


@pytest.mark.parametrize("query", ["", "   ", '"', "'", "\\", "%", "!?", "—" * 50, "*", "\0"])
async def test_a_query_without_a_word_or_an_emoji_is_refused_before_anything_is_read(
    store: SqlStore, community_id: CommunityId, query: str
) -> None:
    async with store.writing(community_id) as write:
        await hear(write.talk, community_id, said(f"plain words {query}"))
    with pytest.raises(Rejected, match="Search for a word with a letter or a digit in it, or for an emoji"):
        await found(store, community_id, query)


async def test_all_words_must_be_there_in_any_order(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said("blue boat"), said("blue house", 2), said("boat, so blue", 3)])
    assert await found(store, community_id, "boat blue") == ["boat, so blue", "blue boat"]


async def test_only_the_rooms_that_were_asked_for_are_searched(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        await write.talk.add(community_id, [said("boat here"), said("boat there", 2, room_id=OTHER)])
    assert await found(store, community_id, "boat", OTHER) == ["boat there"]
    assert await found(store, community_id, "boat", ROOM, OTHER) == ["boat there", "boat here"]
    async with store.reading() as read:
        assert await read.talk.search(community_id, "boat", room_ids=[]) == []


async def test_nothing_of_another_community_is_found(store: SqlStore, community_id: CommunityId) -> None:
    other = await settle_in(store, guild_id=10)
    async with store.writing(other) as write:
        await hear(write.talk, other, said("their boat"))
    assert await found(store, community_id, "boat") == []
    assert await found(store, other, "boat") == ["their boat"]


async def test_a_common_word_gives_the_newest_and_a_rare_one_is_found_however_old(
    store: SqlStore, community_id: CommunityId
) -> None:
    async with store.writing(community_id) as write:
        texts = ["the lighthouse", *(f"line {number} of the talk" for number in range(2_200))]
        await write.talk.add(community_id, [said(text, number) for number, text in enumerate(texts)])
    newest = await found(store, community_id, "talk")
    assert newest[0] == "line 2199 of the talk"
    assert len(newest) == 20
    assert await found(store, community_id, "lighthouse") == ["the lighthouse"]


def test_an_excerpt_shows_the_match_on_one_line() -> None:
    text = f"{'long before ' * 20}\nthe Lighthouse\n{'long after ' * 20}"
    excerpt = excerpt_of(text, "lighthouse")
    assert "the Lighthouse long after" in excerpt
    assert "\n" not in excerpt
    assert excerpt.startswith("…")
    assert excerpt.endswith("…")
    assert len(excerpt) < 200


@pytest.mark.parametrize(
    ("match", "query"),
    [
        ("CAFE\u0301", "café"),
        ("STRASSE", "straße"),
        ("he", "he"),  # and not the middle of another word
        ("deployed", "deployment"),
        ("ponies", "pony"),
        ("東京", "東京"),
        ("🎉", "🎉"),
        ("50%", "%"),
        ("İstanbul", "istanbul"),
        ("O'Brien", "o'brien"),
    ],
)
def test_an_excerpt_of_a_long_text_shows_what_was_found(match: str, query: str) -> None:
    before = "the Überlegung, İ and more of the same " * 40
    assert match in excerpt_of(f"{before} {match} {'other things that come after ' * 40}", query)


LETTERS = "aAbeéÉßİıøñσςΣжЖ東京は서울한กไ٣०1２_%'\"\\*:;()-+&|!@#~^$ \t\n\0\u0301\u200b\u200d\u202e\u2028\ufeff🎉👩🏽ﬁ"


async def test_whatever_is_written_is_found_shown_and_kept_to_its_room(
    store: SqlStore, community_id: CommunityId
) -> None:
    chance = random.Random(5)  # noqa: S311 - the same texts each time

    def text_of(most: int) -> str:
        return "".join(chance.choice(LETTERS) for _ in range(chance.randrange(1, most)))

    texts = [" ".join(text_of(9) for _ in range(chance.randrange(1, 30))) for _ in range(120)]
    async with store.writing(community_id) as write:
        lines = [said(text, n, room_id=ROOM if n % 2 else OTHER) for n, text in enumerate(texts)]
        stored = await write.talk.add(community_id, lines)
    async with store.reading() as read:
        for message in stored:
            assert message is not None
            word = chance.choice(message.content.split() or ["x"])
            if not words_of(word):
                continue
            found = await read.talk.search(community_id, word, room_ids=[message.room_id], limit=500)
            assert {one.room_id for one, _ in found} <= {message.room_id}
            excerpts = {one.id: excerpt for one, excerpt in found}
            assert set(words_of(word)) & set(words_of(excerpts[message.id])), (message.content, word)
        for _ in range(60):
            with suppress(Rejected):  # no other error
                await read.talk.search(community_id, text_of(40), room_ids=[ROOM])


def test_words_are_the_same_however_they_are_written() -> None:
    assert words_of("Café") == words_of("CAFE\u0301") == ["cafe"]
    assert words_of("ﬁne １２") == ["fine", "12"]
    assert words_of("東京 tower") == ["東", "京", "tower"]


def test_words_that_stand_otherwise_in_many_messages_are_shown_in_a_moment() -> None:
    """Anybody can say such lines, and look for twenty words in fifty of them."""
    query, lines = " ".join("áàâäãåāéèêëēíìîïóòôö"), [f"{number} {'b ' * 950}a e i o" for number in range(50)]

    def seconds() -> float:
        start = time.thread_time()
        assert all(excerpt_of(line, query).endswith("a e i o") for line in lines)
        return time.thread_time() - start

    assert min(seconds() for _ in range(3)) < 100 * moment()


def seconds_of(work: Callable[[], object]) -> float:
    start = time.thread_time()
    work()
    return time.thread_time() - start


@pytest.mark.parametrize("marks", ["\u0301\u0315", "\u0f73\u0344\u3099", "\uff9e\u0301"])
def test_twice_as_many_marks_on_one_letter_take_twice_as_long(marks: str) -> None:
    """A model can give twenty thousand of them as what an agent says."""
    few, many = (
        min(seconds_of(partial(words_of, f"e{marks * (size // len(marks))}r")) for _ in range(3))
        for size in (10_000, 40_000)
    )
    assert many < 8 * few


def test_marks_on_one_letter_are_the_same_words_as_ever() -> None:
    chance = random.Random(7)  # noqa: S311 - the same texts each time
    marks = [chr(code) for code in range(0x30000) if unicodedata.combining(chr(code))] + list("\uff9e\uff9f!🎉\u0344")
    for _ in range(300):
        run = "".join(chance.choices(marks, k=chance.choice([1, 31, 32, 90])))
        text = f"a{run}é{run[::-1]}ᄒ{run}ᅡ"
        plainly = re.sub("[\u0300-\u036f]+", "", unicodedata.normalize("NFKD", text))
        assert folded(text) == unicodedata.normalize("NFC", plainly)[: len(text) + UNFOLDED].casefold()


def test_a_long_query_that_nearly_stands_in_a_line_is_looked_for_in_a_moment() -> None:
    """The index takes no notice of signs, so a line can be found in which a query stands nearly, again and again."""
    line, query = "a." * 10_000, f"{'a.' * 999}-a"
    assert min(seconds_of(lambda: excerpt_of(line, query)) for _ in range(3)) < 0.05
    assert min(seconds_of(lambda: excerpt_of("a" * 20_000, "aa")) for _ in range(3)) < 0.05
