"""The situations of a trial are whole: thirty of them, each said in every language, and none that cannot be judged."""

import re

from bot.core.actions import BY_NAME
from bot.engine.trial.phrases import LANGUAGES, PHRASES, said
from bot.engine.trial.situations import PROBES, SITUATIONS
from bot.engine.trial.stage import NAMES, PEOPLE

SPEAKERS = {*PEOPLE, *NAMES.values()}


def test_there_are_thirty_situations_and_one_for_models_that_see() -> None:
    names = [one.name for one in SITUATIONS]
    assert len(names) == len(set(names)) == 31
    assert [one.name for one in SITUATIONS if one.needs_eyes] == ["a picture"]
    assert set(PROBES) <= set(names)


def test_every_line_is_said_by_somebody_who_is_there_in_every_language() -> None:
    used = set()
    for situation in SITUATIONS:
        for line in (*situation.before, *(line for turn in situation.turns for line in turn.said)):
            assert line.who in SPEAKERS
            assert all(said(line.phrase, language).strip() for language in LANGUAGES)
            used.add(line.phrase)
    fillers = {f"filler {number}" for number in range(1, 6)}
    assert set(PHRASES) == used | fillers | {"topic"}


def test_every_turn_can_be_judged() -> None:
    for situation in SITUATIONS:
        assert any(turn.answers or turn.is_silent or turn.does for turn in situation.turns), situation.name
        for turn in situation.turns:
            assert not (turn.is_silent and turn.answers)
            assert all(BY_NAME[name].for_agents for name in turn.does)
            for pattern in (*turn.answers.values(), turn.never):
                re.compile(pattern)


def test_what_must_come_of_it_is_not_in_the_question() -> None:
    for situation in SITUATIONS:
        for turn in situation.turns:
            for room, wanted in turn.answers.items():
                if wanted and situation.name not in ("who it is", "its name"):
                    last = turn.said[-1]
                    asked = [said(last.phrase, one) for one in LANGUAGES if last.room == room]
                    assert not any(re.search(wanted, text, re.IGNORECASE) for text in asked), situation.name
