"""What is shown of a table: the same facts to all, and one's own hand to oneself alone."""

from bot.core.scenes.landlord.cards import both, names_of, of_names, pack, without, words_of
from bot.core.scenes.landlord.kind import LANDLORD
from tests.core.scenes.landlord.tables import begun, leading, table
from tests.core.scenes.plays import dice, play_out


def test_a_seat_sees_its_hand_and_what_is_out_and_whoever_watches_no_hand_at_all() -> None:
    playing = leading("3 4 4", "5 9", "SJ BJ")
    playing.move(1, "play", cards=["4", "4"])
    state = table(playing)
    private = dict(state.view(2).private)
    assert private["Your hand"] == "5 9"
    assert private["Your role"] == "farmer"
    assert private["Still out, in other hands"] == "3 SJ BJ"
    assert private["To beat"] == "4 4 by seat 1 (pair)"
    assert private["Seats"] == "1 landlord 1 card; 2 farmer 2 cards (you); 3 farmer 2 cards"
    watching = state.view(0)
    assert (watching.private, watching.picture["hand"]) == ((), [])
    assert watching.facts == state.view(2).facts
    assert dict(watching.facts)["On the table"] == "{s1}: 4 4 (pair)"
    assert state.view(2).picture == {**watching.picture, "hand": ["5", "9"]}


def test_the_bottom_is_shown_to_nobody_before_there_is_a_landlord() -> None:
    state = table(begun())
    for seat in (0, 1, 2, 3):
        seen = state.view(seat)
        assert (seen.picture["bottom"], seen.picture["hidden"]) == ([], 3)
        assert "Bottom" not in dict(seen.facts)


def test_what_is_out_is_all_that_one_neither_holds_nor_has_seen_played() -> None:
    for playing in play_out(LANDLORD, dice(11), illegal=False):
        state = table(playing)
        for seat in playing.seats:
            private = dict(state.view(seat).private)
            assert private["Your hand"] == words_of(state.hand_of(seat))
            seen = state.hand_of(seat)
            for cards in state.played:
                seen = both(seen, cards)
            where = "in other hands" if state.landlord else "in other hands or at the bottom"
            shown = [one.split("×") for one in private[f"Still out, {where}"].split() if one != "none"]
            names = [name for name, *many in shown for _ in range(int(many[0]) if many else 1)]
            assert of_names(names) == without(pack(state.house.decks), seen)
            assert sorted(names) == sorted(names_of(of_names(names)))


def test_the_hands_that_are_left_are_shown_once_it_is_over_and_no_sooner() -> None:
    playing = leading("3 4 4", "5 9", "SJ BJ")
    rows = [table(playing).view(seat).picture["seats"] for seat in (0, 1, 2)]
    assert [one["cards"] for row in rows for one in row] == [[]] * 9  # type: ignore[union-attr, index, call-overload]
    stopped = table(playing).revealed().view(0)
    assert [one["cards"] for one in stopped.picture["seats"]] == [["3", "4", "4"], ["5", "9"], ["SJ", "BJ"]]  # type: ignore[union-attr, index, call-overload]
    assert stopped.awaited == ()
