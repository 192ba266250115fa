"""What a what-if may change in a scene: what its kind offers, and nothing that could not be."""

from collections.abc import Mapping

import pytest

from bot.core.errors import Rejected
from bot.core.records import Json
from bot.core.scenes.chat import CHAT
from bot.core.scenes.editing import edited
from bot.core.scenes.kind import RULES, State
from bot.core.scenes.landlord.cards import pack, words_of
from bot.core.scenes.play import Rule
from bot.core.scenes.showing import play_of
from bot.core.scenes.village.kind import VILLAGE
from bot.core.scenes.village.state import Village
from tests.core.scenes.landlord.tables import all_cards, leading, table
from tests.core.scenes.plays import Playing, of
from tests.core.scenes.surfaces import scene_at
from tests.core.scenes.werewolf.test_state import dealt, night, state_of


def changed(playing: Playing, **given: Json) -> State:
    """Give the state after a change, read back from what would be stored."""
    scene = edited(scene_at(playing, playing.standing), given)
    play = play_of(scene)
    assert play is not None
    standing = play.unpacked(scene.standing)
    assert scene.digest == standing.digest()
    return standing.state


def village() -> tuple[Playing, Village]:
    playing = of(VILLAGE, VILLAGE.options(), 3)
    state = playing.standing.state
    assert isinstance(state, Village)
    return playing, state


def place(tile: int) -> dict[str, Json]:
    return {"x": tile % 20 + 1, "y": tile // 20 + 1}


def test_somebody_in_a_village_is_elsewhere_and_hungrier_and_nothing_else_is() -> None:
    playing, before = village()
    market = before.ground.place("market").tile
    after = changed(playing, seat=2, hunger=70, **place(market))
    assert isinstance(after, Village)
    assert (after.bodies[2].tile, after.bodies[2].hunger, after.bodies[2].energy) == (market, 70, 100)
    assert after.trails[2] == (*before.trails[2], market)
    put_back = {"bodies": before.bodies, "trails": before.trails}
    assert after.model_copy(update=put_back) == before


def test_without_energy_one_sleeps_unless_one_is_asked() -> None:
    playing, _ = village()
    after = changed(playing, seat=2, energy=0)
    assert isinstance(after, Village)
    assert after.bodies[2].asleep
    with pytest.raises(Rejected, match="asked now, and cannot sleep"):
        changed(playing, seat=1, energy=0)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"seat": 9}, "Nobody lives on that seat"),
        ({"seat": 1, "x": 21}, "x: input should be less than or equal to 20"),
        ({"seat": 1, "roof": 1}, "roof: extra inputs are not permitted"),
    ],
)
def test_what_no_village_has_is_refused(given: Mapping[str, Json], why: str) -> None:
    playing, state = village()
    with pytest.raises(Rejected, match=why):
        changed(playing, **given)
    water = next(tile for tile in range(400) if not state.ground.costs[tile])
    with pytest.raises(Rejected, match="Nobody can stand on water"):
        changed(playing, seat=1, **place(water))


def test_two_swap_their_roles_by_day_and_not_where_that_changes_whose_turn_it_is() -> None:
    playing = dealt("wsvvv")
    with pytest.raises(Rejected, match="whose turn it is"):
        changed(playing, seat=1, other=3)
    night(playing, kills={1: 0})
    was = state_of(playing).roles
    after = changed(playing, seat=1, other=3)
    assert after.model_dump()["roles"] == {**was, 1: was[3], 3: was[1]}
    with pytest.raises(Rejected, match="Nobody plays on that seat"):
        changed(playing, seat=1, other=8)


def test_no_swap_ends_a_game_of_werewolf() -> None:
    playing = dealt("wsvvv", first_night_kill=True)
    night(playing, kills={1: 3})
    with pytest.raises(Rejected, match="the end of it"):
        changed(playing, seat=1, other=3)


def test_two_at_a_table_change_cards_and_none_is_lost() -> None:
    playing = leading("3 4 4", "5 9", "SJ BJ")
    after = changed(playing, seat=1, other=3, gives="3 4", takes=["SJ", "BJ"])
    hands = [words_of(hand) for hand in table(playing).model_validate(after.model_dump()).hands]
    assert hands == ["4 SJ BJ", "5 9", "3 4"]
    assert all_cards(table(playing).model_validate(after.model_dump())) == pack(1)
    with pytest.raises(Rejected, match="as many cards"):
        changed(playing, seat=1, other=3, gives="3", takes=[])
    with pytest.raises(Rejected, match="do not have these cards"):
        changed(playing, seat=1, other=3, gives="3", takes="5")


def test_only_a_scene_that_goes_on_and_whose_kind_offers_it_is_changed() -> None:
    with pytest.raises(Rejected, match="Nothing in Chat can be changed"):
        changed(of(CHAT, CHAT.options(), 2))
    playing, _ = village()
    for seat in playing.seats:
        playing.enter(RULES, Rule.AWAY, {"seat": seat})
    with pytest.raises(Rejected, match="whose turn it is"):
        changed(playing, seat=1, hunger=3)
