"""When nobody has more to say: counted by who is there, and, of before, by how often in a row."""

import pytest

from bot.core.scenes.chat import CHAT, CHATS_BEFORE
from bot.core.scenes.council.kind import COUNCIL, COUNCILS_BEFORE
from bot.core.scenes.kind import SceneKind
from bot.core.scenes.silence import MOST_UNHEARD, Spoken
from tests.core.scenes.plays import of


def begun(kind: SceneKind) -> Spoken:
    state = of(kind, kind.options(), 4).standing.state
    assert isinstance(state, Spoken)
    return state


@pytest.mark.parametrize("kind", [CHAT, COUNCIL], ids=["chat", "council"])
def test_it_is_quiet_when_all_who_are_there_have_yielded_since_something_was_said(kind: SceneKind) -> None:
    talk = begun(kind)
    for seat in (3, 4):
        talk = talk.yielded_by(seat)
    assert not talk.is_quiet((1, 2, 3, 4))
    assert not talk.is_quiet((1, 2))  # who yielded has gone away
    assert talk.is_quiet((3, 4))
    assert not talk.heard((1, 2, 3, 4)).is_quiet((3, 4))


@pytest.mark.parametrize("kind", [CHAT, COUNCIL], ids=["chat", "council"])
def test_one_alone_says_little_more(kind: SceneKind) -> None:
    talk = begun(kind).model_copy(update={"away": (2, 3, 4)})
    for _ in range(MOST_UNHEARD):
        assert not talk.is_quiet((1,))  # somebody may still come back, or take a seat over
        talk = talk.heard((1,))
    assert talk.is_quiet((1,))
    assert not talk.model_copy(update={"away": (2, 3)}).heard((1, 4)).is_quiet((1,))


@pytest.mark.parametrize("kind", [CHATS_BEFORE[0], COUNCILS_BEFORE[0]], ids=["chat", "council"])
def test_before_it_was_quiet_after_as_many_yields_in_a_row_as_there_are_seats(kind: SceneKind) -> None:
    talk = begun(kind)
    for seat in (3, 4):
        talk = talk.yielded_by(seat)
    assert talk.is_quiet((1, 2))
    assert not talk.is_quiet((1, 2, 3))
    assert not talk.heard((1,)).is_quiet((1,))
