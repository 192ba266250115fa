"""Chance of a world apart follows from its tree, node and beat, and from nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from bot.engine.timelines.chance import NodeRandom, OpenCipher

SEEDS = st.tuples(st.text(max_size=9), st.text(max_size=9), st.integers(0, 99))


@given(SEEDS)
def test_the_same_seeds_give_the_same_chance_and_tokens(seeds: tuple[str, str, int]) -> None:
    one, two = NodeRandom(*seeds), NodeRandom(*seeds)
    assert [one.uniform(0, 1) for _ in range(5)] == [two.uniform(0, 1) for _ in range(5)]
    assert one.token(12) == two.token(12)


def test_another_node_has_another_chance() -> None:
    assert NodeRandom("tree", "a", 1).token(12) != NodeRandom("tree", "b", 1).token(12)


def test_keys_of_a_world_apart_open_there_and_those_left_out_of_it_open_nothing() -> None:
    cipher = OpenCipher()
    assert cipher.decrypt(cipher.encrypt("k-1", "row"), "row") == "k-1"
    assert cipher.digest("k-1") in cipher.digests("k-1")
    assert cipher.decrypt(b"", "row") == ""
