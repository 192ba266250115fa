"""Tables of landlord as tests want them: these hands, this far."""

from bot.core.scenes.landlord.cards import NONE, Cards, both, of_names, pack, read_cards, without
from bot.core.scenes.landlord.kind import LANDLORD
from bot.core.scenes.landlord.scoring import Doubled
from bot.core.scenes.landlord.table import Phase, Table
from tests.core.scenes.plays import Playing, of


def begun(seats: int = 3, **options: object) -> Playing:
    """Begin a table."""
    return of(LANDLORD, LANDLORD.options.model_validate(options), seats)


def table(playing: Playing) -> Table:
    """Give its state."""
    state = playing.standing.state
    assert isinstance(state, Table)
    return state


def standing(playing: Playing, **update: object) -> Playing:
    """Have it stand otherwise."""
    state = table(playing).model_copy(update=update)
    playing.standing = type(playing.standing)(state=state, step=playing.standing.step)
    return playing


def leading(*hands: str, doubles: int = 0, plays: tuple[int, ...] | None = None, **options: object) -> Playing:
    """Give a table at which seat 1 is landlord and leads, and all have these cards; what is missing was played."""
    playing = begun(len(hands), **options)
    held = [of_names(read_cards(hand)) for hand in hands]
    gone: Cards = pack(table(playing).house.decks)
    for hand in held:
        gone = without(gone, hand)
    return standing(
        playing,
        hands=tuple(held),
        played=(gone, *[NONE] * (len(hands) - 1)),
        bottom=NONE,
        landlord=1,
        claimant=1,
        caller=1,
        phase=Phase.PLAYING,
        queue=tuple(range(1, len(hands) + 1)),
        doubled=(Doubled(by=1, what="rob"),) * doubles,
        plays=plays or (0,) * len(hands),
    )


def all_cards(one: Table) -> Cards:
    """Give every card there is, wherever it lies: the bottom lies in the landlord's hand once there is one."""
    cards = NONE if one.landlord else one.bottom
    for heap in (*one.hands, *one.played):
        cards = both(cards, heap)
    return cards
