"""`village`: one or more live on 20 × 20 tiles, hour by hour: they walk, gather, eat, give, talk, and have goals."""

from pydantic import Field

from bot.core.scenes.kind import (
    MOST_TURNS,
    Applied,
    Chance,
    Event,
    Options,
    Ordering,
    Preset,
    SceneKind,
    Seat,
    Secrecy,
)
from bot.core.scenes.village.bodies import Body, Plenty, full_stocks
from bot.core.scenes.village.goals import GoalProgress, dealt
from bot.core.scenes.village.ground import GROUNDS, ground_of, house_of
from bot.core.scenes.village.moves import MOVES
from bot.core.scenes.village.state import Village, VillageEdit


class VillageOptions(Options):
    """How a village is lived in."""

    turns: int = Field(default=MOST_TURNS, ge=1, le=MOST_TURNS, description="after how many turns it ends")
    rounds: int = Field(default=72, ge=1, le=MOST_TURNS, description="after how many hours it ends")
    plenty: Plenty = Field(default="plain", description="how much there is: scarce, plain or plenty")
    goals: bool = Field(default=True, description="whether each seat has a goal that it alone knows")
    faces: bool = Field(default=False, description="whether the board shows where everybody is while it is played")
    dark: bool = Field(default=False, description="whether one sees 3 tiles far instead of 7 from 22:00 to 6:00")
    deadly: bool = Field(default=False, description="whether 12 hours in a row at hunger 100 kill")

    def begin(self, seats: tuple[Seat, ...], chance: Chance) -> Applied:
        number = chance.below("ground", GROUNDS)
        ground = ground_of(number, len(seats))
        homes = {seat: ground.place(house_of(seat)).tile for seat in seats}
        state = Village(
            seats=seats,
            number=number,
            plenty=self.plenty,
            rounds=self.rounds,
            deadly=self.deadly,
            dark=self.dark,
            faces=self.faces,
            turns_left=self.turns,
            current=seats[0],
            bodies={seat: Body(tile=homes[seat]) for seat in seats},
            stocks=full_stocks(self.plenty, len(seats)),
            goals={seat: dealt(seat, seats, chance) for seat in seats} if self.goals else {},
            deeds={seat: GoalProgress(visited=(house_of(seat),)) for seat in seats},
            trails={seat: (homes[seat],) for seat in seats},
        )
        return Applied(state, (Event(text="The sun rises over the village.", kind="hour"),))


VILLAGE = SceneKind(
    kind="village",
    version=1,
    title="Village",
    rules=(
        "You live in a village on a map of 20 by 20 tiles; each round is an hour, and everybody has one turn in it. "
        "Roads and plains cost 1 point, forest 2, hills 3, and nobody walks on water. Each hour brings 3 hunger and "
        "takes 2 energy, each point walked 1; at hunger 100 each hour takes 10 more. Without energy you sleep until "
        "you have 30. So eat before you starve, and rest, best in a building. The market has bread, the farm apples "
        "and eggs, the forest berries and wood, the mine stone and iron, the well water, the smithy tools, the ruins "
        "coins; a tenth of it grows back at dawn. You carry 10 things and see 7 tiles far. Your goal is for you alone "
        "to know: reach it, meet the others, talk, and help them; score: 5 alive, 10 for the goal, 1 for each one met "
        "and each one given something. In a turn you may look once and speak twice, and then do one thing more, which "
        "ends it."
    ),
    seats=(1, 12),
    secrecy=Secrecy.CLOSED,
    orderings=(Ordering.SEQUENTIAL,),
    options=VillageOptions,
    state=Village,
    edit=VillageEdit,
    moves=MOVES,
    presets=(
        Preset(name="short", title="A day: 12 hours", options={"rounds": 12}),
        Preset(name="days", title="Three days: 72 hours", options={}),
        Preset(
            name="watched",
            title="A day to watch: everybody on the map",
            options={"rounds": 16, "faces": True, "plenty": "plenty"},
        ),
        Preset(
            name="hard",
            title="A hard winter: little to eat, dark nights, and who starves dies",
            options={"plenty": "scarce", "dark": True, "deadly": True},
        ),
    ),
)
