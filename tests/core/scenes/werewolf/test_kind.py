"""What is dealt by the seed."""

from collections import Counter

from bot.core.scenes.werewolf.kind import WEREWOLF, WerewolfOptions
from bot.core.scenes.werewolf.state import Werewolf
from bot.core.scenes.werewolf.village import Role
from tests.core.scenes.plays import of


def test_roles_are_dealt_by_the_seed_and_everybody_may_be_anything() -> None:
    def roles(seed: int) -> dict[int, Role]:
        state = of(WEREWOLF, WerewolfOptions(), 8, str(seed)).standing.state
        assert isinstance(state, Werewolf)
        return dict(state.roles)

    assert roles(3) == roles(3)
    wolves = Counter(seat for seed in range(400) for seat, role in roles(seed).items() if role is Role.WOLF)
    assert set(wolves) == set(range(1, 9))
    assert min(wolves.values()) > 60  # 100 is what to expect
