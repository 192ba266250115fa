"""Whatever text anybody sends: what is done with it here and now takes a moment, however it was made to take long.

Times are of the processor, and the bounds far above what is needed and far below what the square of the size takes.
"""

import json
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from bot.adapters.discord.wording import Names, readable
from bot.core import focus, knowledge, moderation, name_redaction, names
from bot.core.addressing import named_in, ways_of
from bot.core.answer_text import LONGEST_PLAIN, LONGEST_WORDS, is_plain
from bot.core.answers import parse_answer
from bot.core.cards import read_card
from bot.core.emoji import reaction_name
from bot.core.errors import BadSetting, Rejected
from bot.core.hud.counting import break_tokens, clipped
from bot.core.hud.escape import one_line, paragraph
from bot.core.hud.formats.lines import said_tokens
from bot.core.hud.summary import summary_text
from bot.core.kinds import OutputFormat
from bot.core.plain_words import Speaker
from bot.core.records import AgentId, Attachment
from bot.core.splitting import split
from bot.core.view import RoomView
from bot.tokens import o200k
from storage.words import excerpt_of, phrases_of, words_of
from tests.core.cards import V2
from tests.factories import agent, by_person, message, room, view
from tests.moment import moment
from tests.monsters import ANSWERS, ENDINGS, OPENINGS, PIECES, TEXTS, Shape, bombs

SIZE = 40_000
MOST_SECONDS = 0.5
MOST_SECONDS_HERE = 0.1
SHAPES = some.builds(Shape, some.sampled_from(OPENINGS), some.sampled_from(PIECES), some.sampled_from(ENDINGS))
NAMED = tuple(agent(id, name=f"aa{id}", aliases=("a", "@a b", "é")) for id in range(1, 30))
SOLE = Speaker(
    agent_id=AgentId(5), name="Wren", room_id=AgentId(5), is_asked=True, rules="a b " * 5_000, others="b a " * 5_000
)
FORGOTTEN = name_redaction.NameRedactor(["a", "aa b", "_"])


def answered(text: str) -> None:
    """What the loop does with an answer; the rest goes to a workshop."""
    if is_plain(text):
        for output_format in OutputFormat:
            parse_answer(text, asked=[AgentId(5), AgentId(6)], output_format=output_format)
            parse_answer(text, asked=[AgentId(5)], output_format=output_format, speakers=[SOLE])


def at_a_path(text: str) -> None:
    with suppress(Rejected):
        knowledge.parse_path(text)


def said(text: str) -> None:
    file = Attachment(name="a.txt", media_type="text/plain", size_bytes=1, url="https://a", text=text[:20_000])
    said_tokens(o200k(), by_person(), text[:10_000], [file])


def in_a_full_room(text: str) -> None:
    """What is done with a line after sixty like it, none of which was looked at before."""
    lines = [message(n, f"{n} {text}"[:500], sender=by_person(f"p{n % 2}", 500 + n % 2)) for n in range(1, 61)]
    place = RoomView(room=room(1), members=tuple(one.id for one in NAMED), messages=tuple(lines))
    ways_of(view(NAMED, rooms=[place]), place, message(61, text[:10_000], sender=by_person("p0", 500)))


PARSERS: dict[str, Callable[[str], object]] = {
    "a full room": in_a_full_room,
    "answers": answered,
    "addressing": lambda text: named_in(text[:10_000], NAMED),
    "counting": o200k().count,
    "cutting": lambda text: clipped(o200k(), text, 500),
    "line breaks": lambda text: break_tokens(o200k(), text),
    "excerpts": lambda text: excerpt_of(text, f"{text[:500]} a zz"),
    "focus": lambda text: focus.files_of(message(1, text)),
    "forgetting": FORGOTTEN.replaced,
    "lines": one_line,
    "markup": lambda text: readable(text, Names()),
    "moderation": lambda text: moderation.held_word(text, ["a", "b b", "_", "("]),
    "names": names.name_problem,
    "paragraphs": paragraph,
    "paths": at_a_path,
    "reactions": reaction_name,
    "said": said,
    "search": phrases_of,
    "splitting": split,
    "summaries": summary_text,
    "words": words_of,
}


def seconds(parser: Callable[[str], object], text: str) -> float:
    start = time.thread_time()
    parser(text)
    return time.thread_time() - start


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("monster", [*ANSWERS, *TEXTS])
def test_known_monsters_are_read_in_a_moment(parser: str, monster: str) -> None:
    made = {**ANSWERS, **TEXTS}[monster]
    assert seconds(PARSERS[parser], made(SIZE)) < MOST_SECONDS


@pytest.mark.parametrize("monster", ANSWERS)
@pytest.mark.parametrize("size", [LONGEST_WORDS, LONGEST_PLAIN])
def test_the_longest_answers_that_no_workshop_reads_are_read_in_a_moment(size: int, monster: str) -> None:
    text = ANSWERS[monster](size - 50)
    taken = min(seconds(lambda text: parse_answer(text, asked=[AgentId(5)], speakers=[SOLE]), text) for _ in range(3))
    assert not is_plain(text) or taken < MOST_SECONDS_HERE


@pytest.mark.parametrize("parser", PARSERS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(shape=SHAPES)
def test_any_monster_is_read_in_a_moment(parser: str, shape: Shape) -> None:
    assert seconds(PARSERS[parser], shape.of(SIZE)) < MOST_SECONDS


@pytest.mark.parametrize("number", [200, 30_000])
def test_of_a_picture_full_of_bombs_at_most_one_is_unpacked(number: int) -> None:
    data = bombs(number, megabytes=1 if number > 1_000 else 4)
    start = time.thread_time()
    with pytest.raises(BadSetting):
        read_card(data)
    assert time.thread_time() - start < 2_000 * moment()


@pytest.mark.parametrize(
    ("known", "why"),
    [
        ({f"k{n}": n for n in range(60_000)}, "more than any agent needs"),
        ({f"k{n}": n for n in range(600)}, "knows too much"),
        ({"a": list(range(20_000))}, "knows too much"),
        ({"a": "x" * 300_000}, "knows too much"),
        ({"x" * 101: 1}, "1 to 100 characters"),
        ({"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": 1}}}}}}}}}}}}}, "deep"),
    ],
)
def test_a_card_knows_no_more_than_an_agent_may(known: dict[str, object], why: str) -> None:
    data = V2["data"] | {"extensions": {"selfroom": {"knowledge": known}}}
    with pytest.raises(BadSetting, match=why):
        read_card(json.dumps({"data": data}).encode())
