"""Another village that looks the same to one seat: all that it does not see is otherwise."""

from bot.core.scenes.kind import Chance, Seat, State
from bot.core.scenes.village.bodies import ITEMS, STOCKED, Body
from bot.core.scenes.village.goals import GoalProgress, dealt
from bot.core.scenes.village.ground import TILES, distance
from bot.core.scenes.village.state import Village


def hidden(state: State, seat: Seat, chance: Chance) -> State:
    """Give others' bags, bodies, goals and deeds anew, and what is out of sight: where they are, what is in stock."""
    assert isinstance(state, Village)
    others = [one for one in state.seats if one != seat]
    return state.model_copy(
        update={
            "bodies": {**state.bodies, **{one: _body(state, one, seat, chance) for one in others}},
            "goals": {**state.goals, **{one: dealt(one, state.seats, chance) for one in others if state.goals}},
            "deeds": {**state.deeds, **{one: _deeds(state, one, chance) for one in others}},
            "trails": {one: trail if one == seat else (*trail, trail[0]) for one, trail in state.trails.items()},
            "stocks": {
                place: items if _sees(state, seat, state.ground.place(place).tile) else _stock(place, chance)
                for place, items in state.stocks.items()
            },
        }
    )


def _sees(state: Village, seat: Seat, tile: int) -> bool:
    return seat in state.bodies and distance(state.bodies[seat].tile, tile) <= state.sight


def _body(state: Village, one: Seat, seat: Seat, chance: Chance) -> Body:
    was = state.bodies[one]
    update: dict[str, object] = {
        "hunger": chance.below(f"hunger {one}", 100),
        "energy": 1 + chance.below(f"energy {one}", 100),
        "bag": {item: 1 for item in ITEMS if chance.below(f"{item} of {one}", 4) == 0},
        "heading": chance.below(f"heading {one}", TILES),
    }
    if not (_sees(state, seat, was.tile) or state.faces):
        dry = [tile for tile in range(TILES) if state.ground.costs[tile] and not _sees(state, seat, tile)]
        update["tile"] = dry[chance.below(f"tile {one}", len(dry))]
        update["asleep"] = chance.below(f"asleep {one}", 2) == 0
    return was.model_copy(update=update)


def _deeds(state: Village, one: Seat, chance: Chance) -> GoalProgress:
    met = tuple(each for each in state.seats if each != one and chance.below(f"{one} met {each}", 2))
    return GoalProgress(visited=("ruins",), met=met, goal_met=chance.below(f"goal of {one}", 2) == 0)


def _stock(place: str, chance: Chance) -> dict[str, int]:
    return {item: chance.below(f"{item} in {place}", 9) for item in STOCKED[place]}
