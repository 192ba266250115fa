"""A village is what an independent referee makes of it: bodies, bags, stocks, who heard what, and how it ends."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest

from bot.core.errors import Rejected
from bot.core.hud.turn import rules_of
from bot.core.scenes.kind import Move, Over
from bot.core.scenes.play import Rule
from bot.core.scenes.village.bodies import EATEN, FOOD, STARVED_ROUNDS, Body, full_stocks, grown
from bot.core.scenes.village.goals import Goal
from bot.core.scenes.village.ground import xy
from bot.core.scenes.village.kind import VILLAGE, VillageOptions
from bot.core.scenes.village.moves import Eat, Gather, Go, Rest
from bot.core.scenes.village.paths import costs_to
from bot.core.scenes.village.state import Village
from bot.tokens import tokenizer_for
from tests.core.scenes.plays import Playing, dice, of, play_out, some_arguments
from tests.core.scenes.village.referee import Person, Referee


def village(seats: int = 3, seed: str = "seed", **options: object) -> Playing:
    return of(VILLAGE, VillageOptions.model_validate(options), seats, seed)


def state_of(playing: Playing) -> Village:
    state = playing.standing.state
    assert isinstance(state, Village)
    return state


def with_body(playing: Playing, seat: int, **update: object) -> Village:
    """Have a seat's body be otherwise."""
    state = state_of(playing)
    bodies = {**state.bodies, seat: state.bodies[seat].model_copy(update=update)}
    changed = state.model_copy(update={"bodies": bodies})
    playing.standing = type(playing.standing)(state=changed, step=playing.standing.step, texts=playing.standing.texts)
    return changed


def moved_by_chance(playing: Playing, rng: random.Random) -> tuple[int, str, dict[str, object]]:
    """Make a move that chance chooses: gathering, giving and eating more often than all else."""
    seat = playing.standing.open_seats[0]
    forms = {form.move.name: form for form in playing.standing.state.legal(seat)}
    weighed = [name for name in forms for _ in range(5 if name in ("gather", "give", "eat", "talk") else 1)]
    form = forms[rng.choice(weighed)]
    given = some_arguments(form, rng)
    playing.move(seat, form.move.name, **given)
    return seat, form.move.name, dict(given)


def refereed(seed: int) -> Iterator[tuple[Playing, Referee]]:
    """Play by chance, and have the referee follow."""
    rng = dice(seed)
    playing = village(rng.randint(1, 12), str(seed), goals=False, rounds=rng.choice((30, 72)))
    state = state_of(playing)
    people = {seat: Person(at=xy(body.tile)) for seat, body in state.bodies.items()}
    stocks = {place: dict(items) for place, items in state.stocks.items()}
    referee = Referee(ground=state.ground, people=people, stocks=stocks, rounds=state.rounds)
    while not playing.is_over:
        seat, name, given = moved_by_chance(playing, rng)
        if name not in ("talk", "whisper", "look"):
            referee.move(seat, name, given)
        yield playing, referee


@pytest.mark.long
def test_bodies_bags_and_stocks_are_what_an_independent_referee_makes_of_the_same_moves() -> None:
    slept = starved = 0
    for seed in range(25):
        for playing, referee in refereed(seed):
            state = state_of(playing)
            for seat, body in state.bodies.items():
                me = referee.people[seat]
                told = (xy(body.tile), body.hunger, body.energy, body.asleep, Counter(body.bag))
                assert told == (me.at, me.hunger, me.energy, me.asleep, +Counter(me.bag))
                assert 0 <= body.carried <= 10
                slept, starved = slept + body.asleep, starved + (body.hunger == 100)
            assert {place: dict(items) for place, items in state.stocks.items()} == referee.stocks
            assert playing.is_over or (state.hour, state.current) == (referee.hour, referee.turn)
    assert slept > 100
    assert starved > 100


@pytest.mark.long
def test_who_heard_what_follows_from_where_they_stood() -> None:
    talks = whispers = unheard = 0
    for seed in range(30):
        told = 0
        for playing, referee in refereed(seed):
            for event in playing.events[told:]:
                if event.kind == "talk":
                    assert event.audience == referee.heard(event.seat)
                    talks, unheard = talks + 1, unheard + (len(event.audience or ()) < len(playing.seats))
                elif event.kind == "whisper":
                    whispers += 1
                    assert event.audience is not None
                    one, other = (referee.people[seat].at for seat in event.audience)
                    assert abs(one[0] - other[0]) + abs(one[1] - other[1]) <= 1
            told = len(playing.events)
    assert min(talks, whispers, unheard) > 20


@pytest.mark.long
def test_nothing_comes_from_nothing_and_nothing_is_lost() -> None:
    for seed in range(25):
        before: Village | None = None
        for playing in play_out(VILLAGE, dice(seed), illegal=False):
            state = state_of(playing)
            if before is not None:
                eaten, growth = _eaten(playing), _growth(before, state)
                assert _everything(state) == _everything(before) - eaten + growth
            before = state


def _everything(state: Village) -> Counter[str]:
    found: Counter[str] = Counter()
    for body in state.bodies.values():
        found += Counter(body.bag)
    for items in state.stocks.values():
        found += Counter(items)
    return found


def _eaten(playing: Playing) -> Counter[str]:
    step = playing.standing.step
    told = [one.text or "" for one in playing.events if one.step == step and " eats " in (one.text or "")]
    counts = Counter[str]()
    for text in told:
        count, item = text.rstrip(".").split(" eats ")[1].split(" ")
        counts[item] += int(count)
    return counts


def _growth(before: Village, after: Village) -> Counter[str]:
    """Give what grew at the dawns between the two, from the stocks as they were just before them."""
    dawns = after.hour // 24 - before.hour // 24
    grew: Counter[str] = Counter()
    full = full_stocks(after.plenty, len(after.seats))
    # what was gathered in this step was taken before the sun rose
    taken = {(place, item): 0 for place, items in before.stocks.items() for item in items}
    for seat, body in after.bodies.items():
        for item, count in body.bag.items():
            more = count - before.bodies[seat].bag.get(item, 0)
            place = before.ground.place_at(before.bodies[seat].tile)
            if more > 0 and seat == before.current and place is not None and (place.name, item) in taken:
                taken[place.name, item] += more
    stocks = {
        name: {item: count - taken[name, item] for item, count in items.items()}
        for name, items in before.stocks.items()
    }
    for _ in range(dawns):
        later = grown(stocks, full)
        for name, items in later.items():
            for item, count in items.items():
                grew[item] += count - stocks[name][item]
        stocks = {name: dict(items) for name, items in later.items()}
    return grew


@pytest.mark.long
@pytest.mark.parametrize("plenty", ["scarce", "plain", "plenty"])
def test_nobody_need_starve(plenty: str) -> None:
    """Who goes for the nearest food in time never comes to hunger 100: alone, as five, as twelve."""
    for seats in (1, 5, 12):
        for seed in range(12):
            playing = village(seats, str(seed), plenty=plenty, goals=False)
            while not playing.is_over:
                state, seat = state_of(playing), playing.standing.open_seats[0]
                move = sensible(state, seat)
                playing.move(seat, move.name, **move.model_dump(mode="json"))
                assert all(body.hunger < 100 for body in state.bodies.values())


def sensible(state: Village, seat: int) -> Move:
    """Eat when it helps in full, rest when tired, else have three pieces of food in the bag."""
    body = state.bodies[seat]
    food = [item for item in body.bag if item in FOOD]
    if food and body.hunger >= EATEN:
        return Eat(item=food[0], n=1)
    if body.energy < 30:
        return Rest()
    here = [item for item in state.stock_under(seat) if item in FOOD]
    if sum(body.bag[item] for item in food) >= 3:
        return Rest()
    if here:
        return Gather(item=here[0], n=min(3, body.room, max(state.stock_under(seat).values())))
    ground = state.ground
    places = [one for one in ground.places if any(state.stocks.get(one.name, {}).get(item) for item in FOOD)]
    if not places:
        return Rest()
    return Go(place=min(places, key=lambda one: costs_to(ground, one.tile)[body.tile]).name)


def test_a_walk_is_six_points_long_at_most_and_goes_on_by_itself() -> None:
    playing = village(1)
    state = state_of(playing)
    far = max(state.ground.places, key=lambda one: costs_to(state.ground, one.tile)[state.bodies[1].tile])
    playing.move(1, "move", place=far.name)
    while state_of(playing).bodies[1].heading is not None:
        assert "onward" in next(iter(state_of(playing).legal(1))).values["place"]
        before = costs_to(state.ground, far.tile)[state_of(playing).bodies[1].tile]
        playing.enter(0, Rule.DEADLINE)
        assert before - 6 <= costs_to(state.ground, far.tile)[state_of(playing).bodies[1].tile] < before
        if 1 in state_of(playing).away:
            playing.enter(0, Rule.BACK, {"seat": 1})
    assert state_of(playing).bodies[1].tile == far.tile


def test_one_speaks_twice_a_turn_and_looks_once() -> None:
    playing = village(2)
    for _ in range(2):
        playing.move(1, "talk", text="Good morning.")
    with pytest.raises(Rejected, match="talk cannot be done now"):
        playing.move(1, "talk", text="And one more thing.")
    playing.move(1, "look")
    with pytest.raises(Rejected, match="look cannot be done now"):
        playing.move(1, "look")
    assert playing.events[-1].audience == (1,)
    assert "@" in (playing.events[-1].text or "")
    playing.move(1, "rest")
    playing.move(2, "rest")
    playing.move(1, "talk", text="Good day.")


def test_without_energy_one_sleeps_until_thirty_and_is_not_asked() -> None:
    playing = village(2, goals=False)
    with_body(playing, 1, energy=1)
    playing.move(1, "move", place="well")
    asleep = 0
    while state_of(playing).bodies[1].asleep:
        assert playing.standing.open_seats == (2,)
        playing.move(2, "rest")
        asleep += 1
    assert 1 <= asleep <= 3
    assert state_of(playing).bodies[1].energy >= 30
    assert playing.standing.open_seats == (1,)


def test_alone_and_asleep_time_goes_on() -> None:
    playing = village(1, goals=False, rounds=4)
    with_body(playing, 1, energy=1, hunger=97)
    playing.move(1, "move", place="mine")
    assert state_of(playing).hour >= 2
    assert not playing.standing.stuck


def test_it_ends_when_every_goal_is_met_and_the_score_says_who_met_whom() -> None:
    playing = village(2)
    state = state_of(playing)
    goals = {1: Goal(what="give", item="bread", count=1, seat=2), 2: Goal(what="meet", count=1)}
    home = state.bodies[1].tile
    bodies = {1: Body(tile=home, bag={"bread": 2}), 2: Body(tile=home)}
    changed = state.model_copy(update={"goals": goals, "bodies": bodies})
    playing.standing = type(playing.standing)(state=changed)
    assert "Your goal" in dict(changed.view(1).private)
    assert "{s2}" in dict(changed.view(1).private)["Your goal"]
    playing.move(1, "give", seat=2, item="bread", n=1)
    assert playing.outcome == "It is over: every goal was met. 2 of 2 goals were met. Scores: {s1} 17, {s2} 16."
    over = playing.standing.awaits
    assert isinstance(over, Over)
    assert over.results == {1: ("won", 17), 2: ("won", 16)}


def test_where_that_is_chosen_who_starves_for_twelve_hours_dies_and_the_others_go_on() -> None:
    playing = village(2, goals=False, deadly=True)
    with_body(playing, 2, hunger=100)
    for _ in range(STARVED_ROUNDS):
        hour = state_of(playing).hour
        while state_of(playing).hour == hour:
            playing.move(playing.standing.open_seats[0], "rest")
    state = state_of(playing)
    assert state.bodies[2].dead
    assert [one.text for one in playing.events if one.kind == "death"] == ["{s2} has starved."]
    assert playing.standing.open_seats == (1,)
    while not playing.is_over:
        move = sensible(state_of(playing), 1)
        playing.move(1, move.name, **move.model_dump(mode="json"))
    over = playing.standing.awaits
    assert isinstance(over, Over)
    assert over.results[2] == ("starved", 0)


def test_what_is_far_is_seen_by_nobody_and_goals_by_their_own_seat_alone() -> None:
    for seed in range(20):
        state = state_of(village(6, str(seed)))
        for seat in state.seats:
            told = dict(state.view(seat).private)
            near = {one for one in state.near(state.bodies[seat].tile, 7) if one != seat}
            assert {one for one in state.seats if f"({{s{one}}}) at" in told["You see"]} == near
            pictured = state.view(seat).picture["people"]
            assert isinstance(pictured, list)
            assert {one["seat"] for one in pictured if isinstance(one, dict)} == near | {seat}
        assert state.view(0).picture["people"] == []
        assert state.view(0).private == ()
        watched = state.model_copy(update={"faces": True})
        assert len(watched.view(0).picture["people"]) == 6  # type: ignore[arg-type]


def test_at_night_one_sees_less_where_that_is_chosen() -> None:
    state = state_of(village(2, dark=True)).model_copy(update={"hour": 17})
    assert (state.clock, state.sight) == (23, 3)
    assert state.model_copy(update={"dark": False}).sight == 7


def test_once_it_is_over_the_picture_shows_every_path() -> None:
    playing = village(2, rounds=2, goals=False)
    for _ in range(2):
        playing.move(1, "move", place="well")
        playing.move(2, "move", place="market")
    trails = state_of(playing).view(0).picture["trails"]
    assert isinstance(trails, dict)
    walked = trails["1"]
    assert isinstance(walked, list)
    assert len(walked) > 2
    assert all(abs(one - other) in (1, 20) for one, other in pairwise(walked))  # type: ignore[operator]


def test_its_rulebook_is_short() -> None:
    assert tokenizer_for("gpt-4o-mini").count(rules_of(VILLAGE)) <= 900
