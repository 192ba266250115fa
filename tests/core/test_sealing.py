"""A sealed secret opens in its own row only."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adapters.cipher import AesCipher
from bot.core.errors import BadSetting
from bot.core.records import AgentId, CommunityId, KeyId
from bot.core.sealing import of_key, of_provider

IDS = st.integers(1, 10**6)


@settings(deadline=None)
@given(st.tuples(IDS, IDS, IDS), st.tuples(IDS, IDS, IDS))
def test_no_two_rows_have_one_name(one: tuple[int, int, int], other: tuple[int, int, int]) -> None:
    names = [of_key(CommunityId(a), AgentId(b), KeyId(c)) for a, b, c in (one, other)]
    assert (names[0] == names[1]) is (one == other)
    assert of_provider(CommunityId(one[0])) not in names


def test_a_secret_that_was_moved_to_another_row_does_not_open() -> None:
    cipher = AesCipher("a secret that is long enough")
    here, there = (of_key(CommunityId(1), AgentId(2), KeyId(id_)) for id_ in (3, 4))
    sealed = cipher.encrypt("sesame", here)
    assert cipher.decrypt(sealed, here) == "sesame"
    with pytest.raises(BadSetting, match="for another row"):
        cipher.decrypt(sealed, there)
