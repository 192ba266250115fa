"""How landlord hides: the cards that a seat has not seen may lie in any other order."""

from bot.core.scenes.kind import Chance, Seat, State
from bot.core.scenes.landlord.cards import NONE, Cards, both, dealt, without
from bot.core.scenes.landlord.table import Table


def hidden(state: State, seat: Seat, chance: Chance) -> State:
    """Deal the unseen cards anew; what the landlord still has of the bottom all have seen."""
    assert isinstance(state, Table)
    others = [one for one in state.seats if one != seat]
    known = {one: _known(state, one) for one in others}
    unseen = NONE
    for one in others:
        unseen = both(unseen, without(state.hand_of(one), known[one]))
    sizes = [sum(state.hand_of(one)) - sum(known[one]) for one in others]
    bottom = NONE if state.landlord else state.bottom
    heaps = dealt(both(unseen, bottom), [*sizes, sum(bottom)], chance, "what is hidden")
    hands = {one: both(heap, known[one]) for one, heap in zip(others, heaps[:-1], strict=True)}
    if seat:
        hands[seat] = state.hand_of(seat)
    update = {
        "hands": tuple(hands[one] for one in state.seats),
        "bottom": state.bottom if state.landlord else heaps[-1],
    }
    return state.model_copy(update=update)


def _known(state: Table, seat: Seat) -> Cards:
    """Give the cards of a hand that all know: of the bottom, what the landlord has not played."""
    if seat != state.landlord:
        return NONE
    played = state.played[state.seats.index(seat)]
    return tuple(max(0, had - gone) for had, gone in zip(state.bottom, played, strict=True))
