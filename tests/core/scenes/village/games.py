"""Games of village to try: begun, changed, and played by chance or with sense."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping

from bot.core.scenes.kind import Move
from bot.core.scenes.play import Entry
from bot.core.scenes.village.bodies import EATEN, FOOD, full_stocks, grown
from bot.core.scenes.village.ground import xy
from bot.core.scenes.village.kind import VILLAGE, VillageOptions
from bot.core.scenes.village.moves import Eat, Gather, Go, Rest
from bot.core.scenes.village.paths import costs_to
from bot.core.scenes.village.state import Village
from bot.core.scenes.village.world import HOURS
from tests.core.scenes.plays import Playing, dice, of, some_arguments
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
    playing.digests = False
    state = state_of(playing)
    people = {seat: Person(at=xy(body.tile)) for seat, body in state.bodies.items()}
    stocks = {place: dict(items) for place, items in state.stocks.items()}
    referee = Referee(ground=state.ground, people=people, stocks=stocks, rounds=state.rounds)
    while not playing.is_over:
        seat, name, given = moved_by_chance(playing, rng)
        if name not in ("talk", "whisper", "look"):
            referee.move(seat, name, given)
        yield playing, referee


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


def items_are_kept(before: Village, playing: Playing) -> bool:
    """Tell whether all there is is what there was before a step, without what was eaten and with what grew."""
    after, last = state_of(playing), playing.log[-1]
    # what is the very same has not changed
    heaps = [(before.bodies[seat].bag, body.bag) for seat, body in after.bodies.items()]
    if after.stocks is not before.stocks:
        heaps += [(before.stocks[place], items) for place, items in after.stocks.items()]
    dawned = after.hour // HOURS > before.hour // HOURS
    if not (dawned or last.move == Eat.name) and all(had is has for had, has in heaps):
        return True
    more = Counter[str]()
    for had, has in heaps:
        more.update(has)
        more.subtract(had)
    more.update(_eaten(before, last))
    if dawned:
        more.subtract(_growth(before, after))
    return not any(more.values())


def _eaten(before: Village, last: Entry) -> Mapping[str, int]:
    """Give what was eaten by the last entry of the log: no timeout move eats."""
    if last.move != Eat.name:
        return {}
    eat = Eat.model_validate(last.arguments)
    return {eat.item: min(eat.n, before.bodies[last.seat].bag.get(eat.item, 0))}


def _growth(before: Village, after: Village) -> Counter[str]:
    """Give what grew at the dawns between the two, from the stocks as they were just before them."""
    dawns = after.hour // HOURS - before.hour // HOURS
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
