"""A table of landlord: held against a referee that follows it move by move, and case by case."""

import pytest

from bot.core.errors import Rejected
from bot.core.scenes.kind import RULES, Over
from bot.core.scenes.landlord.cards import names_of, pack
from bot.core.scenes.landlord.kind import LANDLORD
from bot.core.scenes.landlord.table import HAND_SIZES, Phase
from bot.core.scenes.play import Rule
from tests.core.scenes.landlord import referee
from tests.core.scenes.landlord.tables import all_cards, begun, leading, standing, table
from tests.core.scenes.plays import Playing, dice, of, play_out, some_arguments, some_options


def watched(playing: Playing, asked: referee.Asked, seed: int) -> tuple[dict[str, object], int]:
    """Play one deal by chance, with the referee asking; gives what came of it by the referee, and how many moves."""
    rng, seat, moves = dice(seed), next(asked), 0
    while True:
        state = table(playing)
        assert playing.standing.open_seats == (seat,)
        form = rng.choice([one for one in state.legal(seat) if one.move.name != "say"])
        given = some_arguments(form, rng)
        playing.move(seat, form.move.name, **given)
        moves += 1
        cards, points = given.get("cards", []), given.get("points", 0)
        assert isinstance(cards, list)
        assert isinstance(points, int)
        try:
            seat = asked.send((form.move.name, [*map(str, cards)], points))
        except StopIteration as end:
            return end.value, moves


@pytest.mark.long
@pytest.mark.parametrize("seats", [3, 4])
def test_a_referee_who_follows_every_move_asks_the_same_seats_and_counts_the_same_scores(seats: int) -> None:
    redeals = robbed = 0
    for seed in range(60):
        options = some_options(LANDLORD, dice(seed))
        if options.refusal(seats):
            continue
        playing = of(LANDLORD, options, seats, str(seed))
        rules, deal = options.model_dump(), 1
        while True:
            state = table(playing)
            sizes = {seat: sum(hand) for seat, hand in zip(state.seats, state.hands, strict=True)}
            asked = referee.hand(state.seats, state.queue[0], deal, rules, sizes)
            came, _ = watched(playing, asked, seed * 10 + deal)
            if "scores" in came:
                break
            deal, redeals = deal + 1, redeals + 1
            assert (table(playing).deals, table(playing).queue[0]) == (deal, came["again"])
        assert dict(zip(playing.seats, table(playing).scores, strict=True)) == came["scores"]
        assert sum(table(playing).scores) == 0
        robbed += table(playing).landlord != table(playing).caller
        awaits = playing.standing.awaits
        assert isinstance(awaits, Over)
        assert {seat: score for seat, (_, score) in awaits.results.items()} == came["scores"]
    assert redeals
    assert robbed


def test_every_card_is_somewhere_at_every_step() -> None:
    for seed in range(30):
        for playing in play_out(LANDLORD, dice(seed), illegal=False):
            one = table(playing)
            assert all_cards(one) == pack(one.house.decks)
            assert all(count >= 0 for heap in (*one.hands, *one.played, one.bottom) for count in heap)


@pytest.mark.parametrize(("seats", "decks"), HAND_SIZES)
def test_each_gets_the_cards_that_the_rules_say_and_the_landlord_the_bottom(seats: int, decks: int) -> None:
    playing = begun(seats, decks=decks)
    each, bottom = {(3, 1): (17, 3), (4, 1): (13, 2), (4, 2): (25, 8)}[seats, decks]
    assert [sum(hand) for hand in table(playing).hands] == [each] * seats
    who = table(playing).queue[0]
    playing.move(who, "call")
    for _ in range(seats - 1):
        playing.move(table(playing).queue[0], "pass")
    one = table(playing)
    assert (one.landlord, one.phase, sum(one.hand_of(who))) == (who, Phase.DOUBLING, each + bottom)
    assert one.queue == (*one.after(who), who)
    assert one.view(0).picture["bottom"] == [*names_of(one.bottom)]


def test_when_all_pass_it_is_dealt_anew_and_after_three_deals_who_was_asked_first_is_landlord() -> None:
    playing = begun()
    first, told = table(playing).queue[0], list[str]()
    for deal in range(1, 4):
        one = table(playing)
        assert (one.deals, one.queue[0]) == (deal, (first - 1 + deal - 1) % 3 + 1)
        for seat in one.queue:
            told = playing.move(seat, "pass")
    assert table(playing).landlord == (first + 1) % 3 + 1
    assert "Nobody would be landlord in 3 deals" in told[1]
    assert table(playing).multiplier == 1


def scores(playing: Playing) -> tuple[int, ...]:
    assert table(playing).phase is Phase.SCORED
    return table(playing).scores


def test_a_spring_doubles_when_no_farmer_ever_played() -> None:
    playing = leading("3", "4", "5")
    told = playing.move(1, "play", cards=["3"])
    assert "A spring: ×2." in told[1]
    assert scores(playing) == (4, -2, -2)
    playing = leading("3", "4", "5", plays=(0, 1, 0))
    playing.move(1, "play", cards=["3"])
    assert scores(playing) == (2, -1, -1)


def test_a_counter_spring_doubles_when_the_landlord_played_only_once() -> None:
    playing = leading("3 4", "5", "6")
    playing.move(1, "play", cards=["3"])
    assert "A counter-spring: ×2." in playing.move(2, "play", cards=["5"])[1]
    assert scores(playing) == (-4, 2, 2)
    playing = leading("3 4", "5", "6", plays=(1, 0, 0))
    playing.move(1, "play", cards=["3"])
    playing.move(2, "play", cards=["5"])
    assert scores(playing) == (-2, 1, 1)
    playing = leading("3 4", "5", "6", spring=False)
    playing.move(1, "play", cards=["3"])
    playing.move(2, "play", cards=["5"])
    assert scores(playing) == (-2, 1, 1)


def test_bombs_and_rockets_double_and_the_cap_holds() -> None:
    playing = leading("3333 SJ BJ 4", "5", "6", base=10)
    playing.move(1, "play", cards="3333")
    assert table(playing).multiplier == 2
    for seat in (2, 3):
        playing.move(seat, "pass")
    playing.move(1, "play", cards="SJ BJ")
    assert table(playing).multiplier == 4
    for seat in (2, 3):
        playing.move(seat, "pass")
    playing.move(1, "play", cards="4")
    assert scores(playing) == (160, -80, -80)  # the spring doubles it once more
    playing = leading("3", "4", "5", doubles=12)
    playing.move(1, "play", cards="3")
    assert scores(playing) == (2_048, -1_024, -1_024)


def test_robbing_and_doubling_double_and_who_called_may_rob_back_once() -> None:
    playing = begun()
    first, second, third = table(playing).queue
    playing.move(first, "call")
    playing.move(second, "rob")
    playing.move(third, "pass")
    assert table(playing).queue == (first,)
    playing.move(first, "rob")
    assert (table(playing).landlord, table(playing).multiplier) == (first, 4)
    for seat, move in ((second, "double"), (third, "no"), (first, "double")):
        playing.move(seat, move)
    assert (table(playing).phase, table(playing).queue[0], table(playing).multiplier) == (Phase.PLAYING, first, 16)


def test_with_points_the_highest_bid_is_landlord_and_three_end_it() -> None:
    playing = begun(points=True, doubling=False)
    first, second, third = table(playing).queue
    playing.move(first, "bid", points=1)
    with pytest.raises(Rejected, match="points cannot be 1: choose from 2, 3"):
        playing.move(second, "bid", points=1)
    playing.move(second, "pass")
    playing.move(third, "bid", points=3)
    assert (table(playing).landlord, table(playing).multiplier, table(playing).phase) == (third, 3, Phase.PLAYING)


def test_who_leads_may_not_pass_and_leads_anew_when_all_others_do() -> None:
    playing = leading("3 4", "5 9", "6 9")
    with pytest.raises(Rejected, match="pass cannot be done now"):
        playing.move(1, "pass")
    playing.move(1, "play", cards=["3"])
    with pytest.raises(Rejected, match="5 9 is no combination"):
        playing.move(2, "play", cards=["5", "9"])
    playing.move(2, "play", cards=["5"])
    playing.move(3, "pass")
    assert [form.move.name for form in table(playing).legal(1)] == ["pass", "say"], "nothing of it beats a 5"
    playing.move(1, "pass")
    assert table(playing).queue[0] == 2
    assert table(playing).on_table is None


def test_one_says_something_once_a_turn_and_it_is_still_ones_turn() -> None:
    playing = leading("3 4", "5 9", "6 9")
    window = playing.standing.window
    playing.move(1, "say", text="Watch this.")
    assert (playing.standing.open_seats, playing.standing.window) == ((1,), window)
    with pytest.raises(Rejected, match="say cannot be done now"):
        playing.move(1, "say", text="And this.")
    playing.move(1, "play", cards=["3"])
    playing.move(2, "say", text="I see.")


def test_who_is_late_passes_does_not_double_and_leads_the_lowest_single() -> None:
    playing = begun()
    for phase in (Phase.CALLING, Phase.CALLING, Phase.CALLING):
        assert table(playing).phase is phase
        playing.enter(RULES, Rule.DEADLINE)
    assert table(playing).deals == 2
    playing = leading("3 3 4", "5 9", "6 9")
    playing.enter(RULES, Rule.DEADLINE)
    assert names_of(table(playing).cards) == ("3",)
    playing.enter(RULES, Rule.DEADLINE)
    assert table(playing).queue[0] == 3
    playing = standing(leading("3", "4", "5"), phase=Phase.DOUBLING)
    assert playing.enter(RULES, Rule.DEADLINE) == ["{s1} does not double."]


def test_scores_of_several_hands_are_added_up_and_one_that_is_cut_off_counts_for_nobody() -> None:
    playing = leading("3", "4", "5", hands=2)
    playing.move(1, "play", cards=["3"])
    assert (table(playing).hand, table(playing).phase, table(playing).scores) == (2, Phase.CALLING, (4, -2, -2))
    over = table(playing).closed("its turns are used up")
    assert {seat: score for seat, (_, score) in over.results.items()} == {1: 4, 2: -2, 3: -2}
    assert over.results[1][0] == "won"
    assert over.outcome == "Its turns are used up: the hand that was played counts for nobody. {s1} won: " + (
        "{s1} +4, {s2} -2, {s3} -2."
    )
