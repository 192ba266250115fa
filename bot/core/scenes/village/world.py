"""Where a village stands: bodies, stocks, goals and deeds, and what can be asked of them."""

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import Field

from bot.core.scenes.kind import MOST_TURNS, Few, Seat, State, UpToTurns
from bot.core.scenes.village.bodies import Body, Plenty, Stocks
from bot.core.scenes.village.goals import Goal, GoalProgress
from bot.core.scenes.village.ground import GROUNDS, Ground, KeptTile, Tile, ground_of, tiles_within, xy

SIGHT, SIGHT_AT_NIGHT = 7, 3
HEARD_WITHIN, TOUCH = 5, 1
HOURS, DAWN = 24, 6
LONGEST_TRAIL: Final = MOST_TURNS + 1
Trail = Annotated[tuple[KeptTile, ...], Field(max_length=LONGEST_TRAIL)]
NIGHT: Final = frozenset({22, 23, 0, 1, 2, 3, 4, 5})


class World(State):
    """A village at one moment; hours are counted from the first dawn, tiles as in its ground."""

    number: int = Field(ge=0, lt=GROUNDS)  # of its ground
    plenty: Plenty = "plain"
    rounds: UpToTurns = 72
    deadly: bool = False
    dark: bool = False
    faces: bool = False  # whether everybody knows where everybody is
    hour: UpToTurns = 0
    turns_left: UpToTurns
    current: Seat = 0
    words: int = 0  # how often the current seat spoke in this turn
    looked: bool = False
    bodies: Annotated[Mapping[Seat, Body], Few]
    stocks: Stocks
    goals: Annotated[Mapping[Seat, Goal], Few]
    deeds: Annotated[Mapping[Seat, GoalProgress], Few]
    trails: Annotated[Mapping[Seat, Trail], Few]  # where each stood, since it began
    ended: str = ""

    @property
    def ground(self) -> Ground:
        """What it stands on."""
        return ground_of(self.number, len(self.seats))

    @property
    def present(self) -> tuple[Seat, ...]:
        """Who is waited for: neither the dead nor the absent."""
        away, bodies = self.away, self.bodies
        return tuple([seat for seat in self.seats if seat not in away and not bodies[seat].dead])

    @property
    def anybody_lives(self) -> bool:
        """Whether not all have starved."""
        for seat in self.seats:  # noqa: SIM110 - it is the first of them nearly always, and a generator takes longer
            if not self.bodies[seat].dead:
                return True
        return False

    def able_after(self, seat: Seat) -> Seat:
        """Give the next seat after one that may have a turn: it is there, alive and awake; 0 when there is none."""
        away, bodies = self.away, self.bodies
        for one in self.seats:
            if one > seat and one not in away and not (body := bodies[one]).dead and not body.asleep:
                return one
        return 0

    @property
    def clock(self) -> int:
        """The hour of the day, from 0 to 23."""
        return (self.hour + DAWN) % HOURS

    @property
    def sight(self) -> int:
        """How far one sees now."""
        return SIGHT_AT_NIGHT if self.dark and self.clock in NIGHT else SIGHT

    def near(self, tile: Tile, steps: int) -> tuple[Seat, ...]:
        """Give the living seats within so many steps of a tile."""
        around, bodies = tiles_within(tile, steps), self.bodies
        return tuple([seat for seat in self.seats if bodies[seat].tile in around and not bodies[seat].dead])

    def in_touch(self, seat: Seat) -> tuple[Seat, ...]:
        """Give the others no more than a step away."""
        return tuple([one for one in self.near(self.bodies[seat].tile, TOUCH) if one != seat])

    def stock_under(self, seat: Seat) -> Mapping[str, int]:
        """Give what there is to take where a seat stands."""
        place = self.ground.place_at(self.bodies[seat].tile)
        return {item: count for item, count in self.stocks.get(place.name, {}).items() if count} if place else {}

    def is_inside(self, seat: Seat) -> bool:
        """Tell whether a seat is in a building."""
        place = self.ground.place_at(self.bodies[seat].tile)
        return place is not None and place.is_building

    def where(self, tile: Tile) -> str:
        """Word a tile: its place, else its column and row."""
        place = self.ground.place_at(tile)
        if place is not None:
            return place.name if place.name.startswith("house") else f"the {place.name}"
        x, y = xy(tile)
        return f"{x + 1},{y + 1}"
