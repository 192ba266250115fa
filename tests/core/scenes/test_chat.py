"""A chat: its ends, its briefs, and what is refused."""

import pytest

from bot.core.errors import Rejected
from bot.core.scenes.chat import CHAT, CHATS_BEFORE, ChatOptions
from bot.core.scenes.kind import RULES, Expect, SceneKind
from bot.core.scenes.play import MISSES_UNTIL_AWAY, Rule
from bot.core.scenes.silence import MOST_UNHEARD
from tests.core.scenes.plays import Playing, of


def chat(seats: int = 3, **options: object) -> Playing:
    return of(CHAT, ChatOptions.model_validate(options), seats)


def test_it_goes_round_and_ends_when_its_turns_are_used_up() -> None:
    talk = chat(turns=4)
    told: list[str] = []
    for seat in (1, 2, 3, 1):
        assert not talk.is_over
        told = talk.move(seat, "say", text="Hello there.")
    assert told == ["{t4}", "It is over: its turns are used up."]


def test_a_deadline_of_a_free_chat_uses_no_more_turns_than_are_left() -> None:
    talk = chat(seats=4, ordering="free", turns=6)
    for seat in (1, 2, 3, 4):
        talk.move(seat, "say", text="Hello there.")
    while not talk.is_over:
        talk.enter(RULES, Rule.DEADLINE)
    assert talk.standing.turns <= 6


def test_it_ends_after_a_round_in_which_nobody_says_anything() -> None:
    talk = chat()
    talk.move(1, "say", text="Hello.")
    for seat in (2, 3, 1):
        assert not talk.is_over
        talk.move(seat, "yield")
    assert talk.outcome == "It is over: nobody had more to say."


def abandoned(kind: SceneKind, seats: int) -> Playing:
    """A talk whose last two seats have gone away, one after the other, while the others went on speaking."""
    talk = of(kind, kind.options(), seats)
    for _ in range(MISSES_UNTIL_AWAY):
        for seat in range(1, seats - 1):
            talk.move(seat, "say", text="Where are you?")
        for _ in range(2):
            if not talk.is_over:
                talk.enter(RULES, Rule.DEADLINE)
    return talk


def test_who_went_away_ends_nothing_that_others_still_say() -> None:
    talk = abandoned(CHAT, 4)
    assert talk.standing.state.away == (3, 4)
    talk.move(1, "say", text="Then it is the two of us.")
    talk.move(2, "yield")
    assert not talk.is_over
    talk.move(1, "yield")
    assert talk.outcome == "It is over: nobody had more to say."


def test_one_alone_says_little_more_for_somebody_may_come_back() -> None:
    talk = abandoned(CHAT, 3)
    for _ in range(MOST_UNHEARD):
        assert not talk.is_over
        talk.move(1, "say", text="Are you still there?")
    assert talk.outcome == "It is over: nobody had more to say."


def test_a_talk_of_version_1_goes_on_by_its_own_rules() -> None:
    assert abandoned(CHATS_BEFORE[0], 4).outcome == "It is over: nobody had more to say."


def alone_with_the_moderator(kind: SceneKind) -> Playing:
    """Let one of two go away, and the other say what they want, as often as the moderator lets them."""
    talk = of(kind, kind.options.model_validate({"ordering": "moderated", "turns": 20}), 3)
    talk.enter(RULES, Rule.AWAY, {"seat": 3})
    talk.move(1, "schedule", seats=[2] * 12)
    while not talk.is_over:
        awaits = talk.standing.awaits
        assert isinstance(awaits, Expect)
        if awaits.seats == (1,):
            talk.move(1, "schedule", seats=[2] * 12)
        else:
            talk.move(2, "say", text="Is anybody there?")
    return talk


def test_who_is_left_alone_with_the_moderator_says_little_more() -> None:
    talk = alone_with_the_moderator(CHAT)
    assert talk.outcome == "It is over: nobody had more to say."
    assert sum(one.move == "say" for one in talk.log) == MOST_UNHEARD


def test_a_talk_of_version_2_goes_on_by_its_own_rules() -> None:
    assert alone_with_the_moderator(CHATS_BEFORE[1]).outcome == "It is over: its turns are used up."


def test_it_ends_when_more_than_half_propose_it() -> None:
    talk = chat()
    talk.move(1, "propose_end")
    with pytest.raises(Rejected, match="You are not asked now"):
        talk.move(1, "propose_end")
    talk.move(2, "propose_end")
    assert talk.outcome == "It is over: most of them proposed to end it."


def test_a_speech_that_is_too_long_is_refused_and_nothing_of_it_is_cut() -> None:
    talk = chat()
    with pytest.raises(Rejected, match="text has 151 words, of 150 words at most: say it shorter"):
        talk.move(1, "say", text="word " * 151)
    talk.move(1, "say", text="word " * 150)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "say needs its text: write it."),
        ({"text": "  "}, "say needs its text: write it."),
        ({"text": 5}, "text is a text: write it."),
        ({"text": "hi", "loud": True}, "say takes no loud: leave it out."),
    ],
)
def test_what_cannot_be_said_is_told_in_one_sentence(arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(Rejected) as no:
        chat().move(1, "say", **arguments)  # type: ignore[arg-type]  # what a model may give
    assert no.value.sentence == sentence


def test_a_brief_is_shown_to_its_seat_alone() -> None:
    talk = chat(briefs={"2": "You know a secret."})
    seen = [str(talk.standing.state.view(seat)) for seat in range(4)]
    assert ["{o.briefs.2}" in one for one in seen] == [False, False, True, False]
    assert "secret" not in str(talk.standing.packed())


def test_one_that_was_cut_off_is_shown_as_over_and_nobody_follows() -> None:
    playing = of(CHAT, ChatOptions(turns=2), 3)
    playing.move(1, "say", text="Good evening.")
    assert playing.standing.state.view(0).picture["middle"] == ["Talking", "1 turn left"]
    playing.move(2, "say", text="And to you.")
    assert playing.is_over
    seen = playing.standing.state.revealed().view(0)
    assert (seen.awaited, seen.picture["middle"]) == ((), ["Over", "0 turns left"])
    assert "next" not in str(seen.picture)
    assert "Then" not in dict(seen.facts)
