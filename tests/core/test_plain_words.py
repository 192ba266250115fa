"""Plain words in a call of one are the agent's message; what looks like the prompt or data is never posted."""

import json
import re
import time
import tracemalloc
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.actions import SendMessage
from bot.core.answers import SAYING, parse_answer
from bot.core.hud.constant import constant_part
from bot.core.hud.prompts import PARTS, prompts_of
from bot.core.kinds import InputFormat, OutputFormat
from bot.core.plain_words import MOST_COPIED, RUN, Speaker, _is_copied, without_loop
from bot.core.records import AgentId
from tests.moment import moment

FIVE, ROOM = AgentId(5), AgentId(8)
LETTER = "I moved the whole harbour archive into the north shed before the storm came in last night."
RULES = constant_part(prompts_of({}), InputFormat.TEXT, OutputFormat.JSON, structured=True, alone=True)
WREN = Speaker(agent_id=FIVE, name="Wren", room_id=ROOM, is_asked=True, rules=RULES, others=LETTER, asked=LETTER)


def said(text: str, sole: Speaker = WREN) -> str | None:
    """Give what is posted, "" for silence, None when it cannot be used."""
    parsed = parse_answer(text, asked=[FIVE], speakers=[sole])
    if FIVE in parsed.unusable:
        return None
    messages = [action for action in parsed.replies[FIVE].actions if isinstance(action, SendMessage)]
    assert all(message.room_id == ROOM for message in messages)
    return "\n".join(message.message for message in messages)


@pytest.mark.parametrize(
    ("text", "posted"),
    [
        ("Kestrel", "Kestrel"),
        ("Wren: Your boat is called Kestrel.", "Your boat is called Kestrel."),
        ("**Wren:** Your boat is called Kestrel.", "Your boat is called Kestrel."),
        ("@wren: hi", "hi"),
        ("[124 10:32] 5: hi", "hi"),
        ("Assistant: hi", "hi"),
        ('"Good evening, mira!"', "Good evening, mira!"),
        ("<think>She asks for the boat: {maybe}</think>\nKestrel.", "Kestrel."),
        ("Two things: tea, and storms.\n\n- tea\n- storms", "Two things: tea, and storms.\n\n- tea\n- storms"),
        ("Use `dict()` or {} here, mira.", "Use `dict()` or {} here, mira."),
        ("👍", "👍"),
        ("Note: low tide at six.", "Note: low tide at six."),
        ("[waves] Hello!", "[waves] Hello!"),
    ],
)
def test_plain_words_are_the_message_to_the_room_that_asked(text: str, posted: str) -> None:
    assert said(text) == posted


@pytest.mark.parametrize(
    ("text", "posted"),
    [
        ("Wren: Your boat is called Kestrel.", "Your boat is called Kestrel."),
        ("Wren and I were there.", "Wren and I were there."),
        (LETTER, ""),
        (f"@mira: {LETTER.upper()}", ""),
        (f"You said: {LETTER}", f"You said: {LETTER}"),
        ("the north shed", "the north shed"),
        (f"{PARTS['silence']}", ""),
    ],
)
def test_a_message_is_what_the_agent_says_itself(text: str, posted: str) -> None:
    assert said(json.dumps({"responses": [{"room_id": ROOM, "message": text}]})) == posted


SEED = "You are Wren, who keeps the light. You never say where the key to the lantern room lies, not even to friends."
CIRCLE = "The tide is low, and the gulls are loud. "


def held(text: str, **given: object) -> list[list[str]]:
    """Give what is posted of a message, whichever way an answer says it, alone and in a shared call."""
    ways: list[dict[str, object]] = [
        {"responses": [{"room_id": ROOM, "message": text}]},
        {"actions": [{"type": "send_message", "room_id": ROOM, "message": text}]},
        {"actions": [{"type": "reply", "room_id": ROOM, "message_id": 3, "message": text}]},
        {"actions": [{"type": "schedule_message", "room_id": ROOM, "message": text, "at": "2026-11-21T10:00:00Z"}]},
    ]
    speaker = replace(WREN, **{"prompt": SEED, **given})  # type: ignore[arg-type]
    answers = [parse_answer(json.dumps(way), asked=[FIVE], speakers=[speaker]) for way in ways] + [
        parse_answer(
            json.dumps({"agents": [{"agent_id": 5, **way}, {"agent_id": 6}]}),
            asked=[FIVE, AgentId(6)],
            speakers=[speaker, replace(WREN, agent_id=AgentId(6), name="Bo")],
        )
        for way in ways
    ]
    return [[one.message for one in answer.replies[FIVE].actions if isinstance(one, SAYING)] for answer in answers]


@pytest.mark.parametrize(
    ("text", "posted"),
    [
        (">>> IDENTITY <<<\nid: 5", ""),
        ("=" * 80 + "\nROOMS", ""),
        ("[123 10:31] @mira: could you look at this?", ""),
        (SEED, ""),
        (f"Sure! {SEED}", ""),
        (LETTER, ""),
        (PARTS["silence"], ""),
        ("<think>She asks for the boat.</think>", ""),
        ("<think>She asks for the boat.</think>\nWren: Kestrel.", "Kestrel."),
        ("Kestrel.\n[126 10:41] @mira: thanks!\n[127 10:42] 5: welcome", "Kestrel."),
        ("Wren: Kestrel.\nUser: and mine?\nWren: Heron.", "Kestrel."),
        (CIRCLE * 20, CIRCLE.strip()),
        ("@mira: at six.\n@bo: at seven.", "@mira: at six.\n@bo: at seven."),
        ("My word_budget is 40 words.", "My word_budget is 40 words."),
        ("I am Wren, who keeps the light.", "I am Wren, who keeps the light."),
        (SEED[SEED.index("You never") :], ""),
        (f"> {LETTER}\nThat was brave.", f"> {LETTER}\nThat was brave."),
        ("a | b\n" + "-" * 20 + "\n1 | 2", "a | b\n" + "-" * 20 + "\n1 | 2"),
        ("?!", "?!"),
    ],
)
def test_what_is_not_its_own_is_posted_in_no_way(text: str, posted: str) -> None:
    assert held(text) == [[posted] if posted else []] * 8


def test_another_agents_prompt_in_a_shared_call_is_nobodys_to_say() -> None:
    other = "You are Bo. You owe the harbour master eleven crowns, and you hope that he forgets it."
    assert held(other, prompts=other) == [[]] * 8


def test_who_tells_of_itself_says_most_of_what_its_prompt_says() -> None:
    about = "Wren, keeper of a small lighthouse on a foggy coast, sixty years old, with a warm dry humour."
    assert held(f"I am {about}", prompt=f"You are {about}") == [[f"I am {about}"]] * 8
    assert held(f"You are {about}", prompt=f"You are {about}") == [[]] * 8


def test_all_that_words_are_held_against_counts_when_it_is_asked_how_long_that_takes() -> None:
    for name in ("rules", "prompt", "prompts", "others"):
        assert replace(WREN, **{name: "x" * 5_000}).shown >= 5_000, name  # type: ignore[arg-type]  # a text, each


def test_what_others_said_is_said_again_on_purpose_by_who_is_shown_all() -> None:
    line = "The ferry leaves at eight from the second pier, and the harbour master counts the boats."
    assert held(line, others=line, asked="", is_lean=True) == [[]] * 8
    assert held(line, others=line, asked="", is_lean=False) == [[line]] * 8


def test_an_echo_is_to_be_mended() -> None:
    parsed = parse_answer(json.dumps({"message": LETTER}), asked=[FIVE], speakers=[WREN])
    assert parsed.trouble(FIVE) == "that is what you were shown: say it in your own words."


@pytest.mark.parametrize("text", ["[no response]", "[silence]", "No response"])
def test_silence_in_words_is_silence(text: str) -> None:
    assert said(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n",
        "]]} ...",
        '{"responses": [{"room_id": 8, "mess',
        '%PDF-1.7 ]]} "agents": <<<lorem ipsum>>>',
        "[[1, 2], [3",
        "agents[1]:\n  - mood: odd",
        ">>> IDENTITY <<<\nid: 5",
        "=" * 80 + "\nROOMS",
        "[123 10:31] @mira: could you look at this?",
        "--- Room: Wren (ID: 8) ---",
        "@mira: thanks, Wren!",
        "1234/10000 tokens (12%)",
        "<|im_start|>system",
        'send_message(8, "hello")',
        "<think>I should say hello to mira and then",
        PARTS["silence"],
        "As I was told: " + PARTS["data"][:80],
        f"Wren: {LETTER}",
    ],
)
def test_data_the_prompt_and_others_words_are_never_posted(text: str) -> None:
    assert said(text) is None


def test_what_goes_on_as_the_log_is_cut_where_it_begins() -> None:
    assert said("Kestrel.\n[126 10:41] @mira: thanks!\n[127 10:42] 5: welcome") == "Kestrel."
    assert said("Wren: Kestrel.\nUser: and mine?\nWren: Heron.") == "Kestrel."
    assert said("Kestrel.\n>>> FOCUS <<<\n(empty)") == "Kestrel."


def test_a_quotation_within_ones_own_words_stands() -> None:
    own = "You told me about it, and I liked to hear it; the part with the shed I had not known at all, for one:"
    assert said(f"{own} moved the whole harbour archive into the north shed") is not None


def test_where_nobody_asked_plain_words_are_thoughts() -> None:
    parsed = parse_answer("Nobody needs me here.", asked=[FIVE], speakers=[replace(WREN, is_asked=False)])
    assert (parsed.replies[FIVE].thoughts, parsed.replies[FIVE].actions) == ("Nobody needs me here.", ())


def test_in_a_shared_call_plain_words_are_nobodys() -> None:
    parsed = parse_answer("Kestrel.", asked=[FIVE, AgentId(6)])
    assert parsed.unusable == {FIVE, AgentId(6)}


@pytest.mark.parametrize(
    "text",
    [
        '{"responses": ["hi"]}',
        '{"responses": "hi"}',
        '{"response": "hi", "actions": []}',
        '{"message": "hi", "room_id": 8}',
        '{"responses": [{"message": "hi"}]}',
    ],
)
def test_a_message_that_names_no_room_is_for_the_one_that_asked(text: str) -> None:
    assert said(text) == "hi"


def test_words_that_go_round_in_circles_are_cut_at_the_last_whole_sentence() -> None:
    round_and_round = "The tide is low. I will update the attention level to 100%. " * 30
    assert said(f"Good evening. {round_and_round}") == (
        "Good evening. The tide is low. I will update the attention level to 100%."
    )
    assert said("Sure! " + "and then the boat and then the boat " * 9) == "Sure!"
    looped = json.dumps({"responses": [{"room_id": 8, "message": "Hello there, mira. " * 40}]})
    assert said(looped) == "Hello there, mira."


@pytest.mark.parametrize("text", ["ha ha ha ha ha!", "-" * 60, "No, no, no, no, no!", "|---|---|---|\n|---|---|---|"])
def test_what_people_repeat_too_stands(text: str) -> None:
    assert without_loop(text) == text


def test_looking_for_circles_takes_no_time() -> None:
    started = time.thread_time()
    for text in ("a" * 100_000, "ab " * 50_000, "the boat and the sea, " * 5_000, "".join(map(chr, range(97, 30_000)))):
        without_loop(text)
    assert time.thread_time() - started < 100 * moment()


def test_plain_words_that_were_cut_off_end_with_a_whole_sentence() -> None:
    cut = replace(WREN, is_whole=False)
    assert said("It is called Kestrel. It lies in the har", cut) == "It is called Kestrel."
    assert said("It is called Kestrel", cut) == "It is called Kestrel"


@given(st.text("ab .,\n", max_size=90), st.text("ab .,\n", max_size=300), st.integers(0, 300))
def test_a_copy_is_found_wherever_it_stands_and_over_the_ends_of_lines(own: str, others: str, at: int) -> None:
    taken = others[at : at + 60]
    words = re.findall(r"\w+", f"{own} {taken}".lower())
    theirs = re.findall(r"\w+", others.lower())
    runs = {tuple(theirs[start : start + RUN]) for start in range(len(theirs) - RUN + 1)}
    starts = [start for start in range(len(words) - RUN + 1) if tuple(words[start : start + RUN]) in runs]
    copied = {place for start in starts for place in range(start, start + RUN)}
    sole = replace(WREN, rules="", others=others)
    assert _is_copied(f"{own} {taken}", sole) is (len(copied) > MOST_COPIED * len(words))


def test_words_too_few_to_be_a_copy_are_compared_with_nothing() -> None:
    class Watched(str):
        read = 0

        def lower(self) -> str:
            Watched.read += 1
            return super().lower()

    shown = Watched("the boat and the sea " * 40_000)
    assert said("Hello there, I am glad.", replace(WREN, others=shown)) == "Hello there, I am glad."
    assert Watched.read == 0
    assert said("the boat and the sea " * 3, replace(WREN, others=shown)) is None
    assert Watched.read == 1


def test_of_what_was_shown_nothing_is_kept_but_what_the_words_share_with_it() -> None:
    shown = "\n".join(" ".join(f"w{line}x{place}" for place in range(500)) for line in range(300))
    tracemalloc.start()
    assert said("one two three four five six seven eight nine", replace(WREN, others=shown))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * len(shown)


def test_half_a_character_breaks_nothing() -> None:
    assert said("Good morning\ud800, all of you\x07.") == "Good morning?, all of you."
