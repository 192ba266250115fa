"""Short keys and long ones are the same keys, whatever anybody calls their own."""

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.hud.formats.keys import ESCAPE, LONG, SHORT, lengthened, shortened
from bot.core.records import Json

NAMES = st.sampled_from([*SHORT, *LONG, *(f"{ESCAPE}{one}" for one in LONG), f"{ESCAPE}{ESCAPE}", ESCAPE]) | st.text()
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


def test_each_key_has_one_short_one() -> None:
    assert len(LONG) == len(SHORT)
    assert all(len(short) <= len(name) for name, short in SHORT.items())


def test_a_key_of_somebodys_own_that_looks_short_is_told_apart() -> None:
    assert shortened({"content": {"c": 1}}) == {"c": {"~c": 1}}
    assert lengthened({"c": {"~c": 1}}) == {"content": {"c": 1}}


@settings(deadline=None)
@given(VALUES)
def test_every_value_comes_back_as_it_was(value: Json) -> None:
    assert lengthened(shortened(value)) == value
