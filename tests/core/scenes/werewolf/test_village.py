"""Roles, ballots and ends of werewolf against a referee that was written beside them."""

from collections import Counter
from itertools import product

import pytest

from bot.core.scenes.werewolf.village import Role, hanged, most_voted, roles_for, winner

TABLE = {  # players: wolves, seer, witch, hunter where there may be one
    5: (1, 1, 0, 0), 6: (1, 1, 1, 0), 7: (2, 1, 1, 0), 8: (2, 1, 1, 0), 9: (3, 1, 1, 1), 10: (3, 1, 1, 1),
    11: (3, 1, 1, 1), 12: (4, 1, 1, 1), 13: (4, 1, 1, 1), 14: (4, 1, 1, 1), 15: (4, 1, 1, 1), 16: (4, 1, 1, 1),
}  # fmt: skip


@pytest.mark.parametrize("players", TABLE)
@pytest.mark.parametrize("hunter", [False, True])
def test_every_table_of_roles(players: int, hunter: bool) -> None:
    wolves, seer, witch, hunters = TABLE[players]
    found = Counter(roles_for(players, third_wolf=False, hunter=hunter))
    hunters = hunters if hunter else 0
    assert [found[role] for role in (Role.WOLF, Role.SEER, Role.WITCH, Role.HUNTER)] == [wolves, seer, witch, hunters]
    assert found.total() == players
    assert Counter(roles_for(players, third_wolf=True, hunter=False))[Role.WOLF] == (3 if players == 8 else wolves)


def referee_hangs(votes: dict[int, int]) -> int:
    """Count a ballot anew: more than half of the living, else the single highest, else nobody."""
    best, who, shared = 0, 0, False
    for candidate in sorted(votes):
        mine = sum(1 for one in votes.values() if one == candidate)
        if 2 * mine > len(votes):
            return candidate
        if mine > best:
            best, who, shared = mine, candidate, False
        elif mine == best and mine:
            shared = True
    return 0 if shared else who


@pytest.mark.parametrize("voters", range(1, 8))
def test_every_ballot_of_seven_and_less_is_counted_as_the_referee_counts_it(voters: int) -> None:
    """Each of n living votes for one of the others or abstains: n to the power of n ballots, up to symmetry for 7."""
    seats = range(1, voters + 1)
    choices = [[0, *(other for other in seats if other != seat)] for seat in seats]
    if voters == 7:
        choices[0] = [0, 2]  # whom seat 1 votes for is one of six alike: their numbers decide nothing (see below)
    for ballot in product(*choices):
        votes = dict(zip(seats, ballot, strict=True))
        assert hanged(votes) == referee_hangs(votes), votes


def test_which_numbers_the_seats_have_decides_nothing_in_a_ballot() -> None:
    for ballot in product([0, 2, 3, 4, 5], repeat=4):
        votes = {10 + place: seat for place, seat in enumerate(ballot)}
        turned = {voter: (7 - seat if seat else 0) for voter, seat in votes.items()}
        was, now = hanged(votes), hanged(turned)
        assert now == (7 - was if was else 0)


def test_every_vote_of_a_pack_up_to_four_finds_those_with_the_most() -> None:
    for size in range(5):
        for votes in product([0, 4, 5, 6, 7], repeat=size):
            tally = [(votes.count(seat), seat) for seat in set(votes)]
            most = max(tally, default=(0, 0))[0]
            assert most_voted(votes) == sorted(seat for count, seat in tally if count == most)


def test_every_end_of_seven_and_less() -> None:
    for left in range(8):
        for crew in product([Role.WOLF, Role.SEER, Role.VILLAGER], repeat=left):
            roles = dict(enumerate(crew, 1))
            wolves = sum(1 for role in crew if role == "wolf")
            expected = (
                "nobody" if not crew else "village" if wolves == 0 else "wolves" if wolves >= left - wolves else ""
            )
            assert winner(roles, [*roles], side=False) == expected
            plain, gifted = crew.count(Role.VILLAGER), crew.count(Role.SEER)
            by_side = "wolves" if wolves and (plain == 0 or gifted == 0) else expected if not wolves else ""
            assert winner(roles, [*roles], side=True) == by_side
