"""What is said for somebody: quoted, and read back as they said it."""

from hypothesis import given
from hypothesis import strategies as st

from bot.core.passed_on import quoted, unquoted


@given(st.text())
def test_no_line_of_it_can_stand_as_one_of_ours_and_the_words_come_back(said: str) -> None:
    shown = quoted(said)
    assert all(line.startswith("> ") for line in shown.splitlines())
    assert unquoted(shown) == "\n".join(said.splitlines())
