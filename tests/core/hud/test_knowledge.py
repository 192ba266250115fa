"""Knowledge as it is shown: by paths that can be written to, the weightiest first."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.hud.knowledge import Known, leaves
from bot.core.records import Json
from bot.tokens import o200k


def test_knowledge_is_shown_by_paths_that_set_takes() -> None:
    knowledge: dict[str, Json] = {
        "people": {"Ann Lee": {"trust": 0.8}, "a.b": [1, "x"]},
        "mood": {"v": "calm", "w": 0.9},
        "empty": {},
    }
    lines = [leaf.line for leaf in leaves(knowledge)]
    assert lines == [
        'people."Ann Lee".trust: 0.8\n',
        'people."a.b": [1, "x"]\n',
        'mood: "calm" (w 0.9)\n',
        "empty: {}\n",
    ]


@pytest.mark.parametrize(
    "weight",
    [10**400, -(10**400), 1e308, math.inf, -math.inf, math.nan, True, "0.9"],
    ids=["long", "long below 0", "large", "endless", "endless below 0", "none", "true", "text"],
)
def test_a_weight_that_is_none_weighs_as_nothing_said_and_costs_nobody_a_beat(weight: Json) -> None:
    knowledge: dict[str, Json] = {"odd": {"v": "x", "w": weight}, "mood": {"v": "calm", "w": 0.9}, "plain": 1}
    assert all(abs(leaf.weight) <= 1 for leaf in leaves(knowledge))
    assert Known(o200k(), knowledge).weightiest(1_000_000)[0].keys() == knowledge.keys()


trees: st.SearchStrategy[dict[str, Json]] = st.dictionaries(
    st.text(min_size=1, max_size=5),
    st.recursive(
        st.integers() | st.text(max_size=9), lambda inner: st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_size=4,
)


@settings(deadline=None)  # the vocabulary may have to be read first
@given(trees, st.integers(0, 60))
def test_what_fits_is_shown_in_its_place_and_the_rest_is_named(knowledge: dict[str, Json], most: int) -> None:
    kept, hidden = Known(o200k(), knowledge).weightiest(most)
    assert Known(o200k(), kept).tokens <= most
    assert len(list(leaves(kept))) + len(hidden) == len(list(leaves(knowledge)))
    everything, nothing = Known(o200k(), knowledge).weightiest(10_000)
    assert (everything, nothing) == (knowledge, ())
