"""The rules of a village: whose turn it is, what may be done, what that makes of bodies, stocks and deeds."""

from functools import lru_cache
from typing import Final

from pydantic import Field

from bot.core.errors import Rejected
from bot.core.scenes.kind import TURNS_USED, Applied, Chance, Edit, Event, Expect, Form, Move, Over, Seat, Seen
from bot.core.scenes.village.bodies import (
    AWAKE_FROM,
    EATEN,
    FOOD,
    MOST,
    Body,
    aged,
    changed,
    full_stocks,
    grown,
    rested,
    tired,
)
from bot.core.scenes.village.goals import is_met, score
from bot.core.scenes.village.ground import DIRECTIONS, SIDE, Ground, Tile, xy
from bot.core.scenes.village.moves import ONWARD, Eat, Gather, Give, Go, Look, Rest, Talk, Walk, Whisper
from bot.core.scenes.village.paths import walked
from bot.core.scenes.village.seeing import looked, viewed
from bot.core.scenes.village.world import HEARD_WITHIN, HOURS, LONGEST_TRAIL, World
from bot.core.sentences import Sentence

WORDS_A_TURN: Final = 2
AT_ONCE: Final = 3  # that are gathered, eaten or given in one move
STOPPED: Final = "it was stopped"
TOLD_HOURS: Final = {6: "The sun rises.", 12: "It is noon.", 18: "It is evening.", 22: "Night falls."}
NUMBERS: Final = tuple(range(1, SIDE + 1))
WALK, REST, TALK, LOOK = Form(Walk, {"x": NUMBERS, "y": NUMBERS}), Form(Rest), Form(Talk), Form(Look)


class VillageEdit(Edit):
    """Where somebody is, and how they are; what is left out stays."""

    seat: Seat
    x: int | None = Field(default=None, ge=1, le=SIDE)
    y: int | None = Field(default=None, ge=1, le=SIDE)
    hunger: int | None = Field(default=None, ge=0, le=MOST)
    energy: int | None = Field(default=None, ge=0, le=MOST)


class Village(World):
    """The rules: what each move makes of it."""

    def next(self) -> Expect | Over:
        if self.ended:
            return self.closed(self.ended)
        return Expect(seats=(self.current,))

    def legal(self, seat: Seat) -> tuple[Form, ...]:
        if self.ended or seat != self.current:
            return ()
        body, stock = self.bodies[seat], self.stock_under(seat)
        forms = [_going(self.ground, body.tile, onward=body.heading is not None), WALK]
        if stock and body.room:
            forms.append(Form(Gather, {"item": tuple(stock), "n": _up_to(min(body.room, max(stock.values())))}))
        food = tuple(item for item in body.bag if item in FOOD)
        if food:
            forms.append(Form(Eat, {"item": food, "n": _up_to(max(body.bag[item] for item in food))}))
        near = self.in_touch(seat)
        if near and body.bag:
            most = max(body.bag.values())
            forms.append(Form(Give, {"seat": near, "item": tuple(body.bag), "n": _up_to(most)}))
        forms.append(REST)
        if self.words < WORDS_A_TURN:
            forms.append(TALK)
            if near:
                forms.append(Form(Whisper, {"seat": near}))
        if not self.looked:
            forms.append(LOOK)
        return tuple(forms)

    def apply(self, seat: Seat, move: Move, chance: Chance) -> Applied:
        match move:
            case Talk() | Whisper() | Look():
                return self._freely(seat, move)
            case Go() | Walk():
                state, events = self._walked(seat, self._target(seat, move))
            case Gather(item=item, n=n):
                state, events = self._gathered(seat, item, n)
            case Give(seat=to, item=item, n=n):
                state, events = self._given(seat, to, item, n)
            case Eat(item=item, n=n):
                state, events = self._ate(seat, item, n)
            case _:
                body = rested(self.bodies[seat], inside=self.is_inside(seat))
                state, events = self._with(seat, body), self._seen_by(seat, f"{{s{seat}}} rests.")
        state, met = state._reckoned(seat)
        turned = state._turned()
        return Applied(turned.state, (*events, *met, *turned.events))

    def timeout(self, seat: Seat) -> Move:
        return Go(place=ONWARD) if self.bodies[seat].heading is not None else Rest()

    def _freely(self, seat: Seat, move: Move) -> Applied:
        here = self.bodies[seat].tile
        match move:
            case Talk(text=text):
                heard = Event(text=f"{{t{text}}}", speaker=seat, audience=self.near(here, HEARD_WITHIN), kind="talk")
            case Whisper(seat=to, text=text):
                told = f"{{s{seat}}} whispers to {{s{to}}}: {{t{text}}}"
                heard = Event(text=told, audience=tuple(sorted((seat, to))), kind="whisper")
            case _:
                return Applied(
                    self.model_copy(update={"looked": True}),
                    (Event(text=f"Around you: {looked(self, seat)}", audience=(seat,), kind="look"),),
                )
        return Applied(self.model_copy(update={"words": self.words + 1}), (heard,))

    def _target(self, seat: Seat, move: Go | Walk) -> Tile:
        body, ground = self.bodies[seat], self.ground
        if isinstance(move, Walk):
            return ground.nearest_walkable(SIDE * (move.y - 1) + move.x - 1)
        if move.place == ONWARD:
            return body.tile if body.heading is None else ground.nearest_walkable(body.heading)
        if any(move.place == name for name, _, _ in DIRECTIONS):
            there = ground.neighbour(body.tile, move.place)
            return body.tile if there is None else there
        return ground.place(move.place).tile

    def _walked(self, seat: Seat, target: Tile) -> tuple["Village", tuple[Event, ...]]:
        body, ground = self.bodies[seat], self.ground
        tiles, points = walked(ground, body.tile, target)
        end = tiles[-1] if tiles else body.tile
        saw = set(self.near(body.tile, self.sight)) | set(self.near(end, self.sight))
        heading = target if end != target else None
        state = self._with(seat, tired(body, points).model_copy(update={"tile": end, "heading": heading}))
        told = f"{{s{seat}}} walks to {self.where(end)}." if tiles else f"{{s{seat}}} stays where it is."
        return state, (Event(text=told, audience=tuple(sorted(saw)), kind="walk"),)

    def _gathered(self, seat: Seat, item: str, n: int) -> tuple["Village", tuple[Event, ...]]:
        body, place = self.bodies[seat], self.ground.place_at(self.bodies[seat].tile)
        if place is None:
            return self, ()
        stock = self.stocks[place.name]
        count = min(n, stock[item], body.room)
        state = self._with(seat, body.model_copy(update={"bag": changed(body.bag, item, count)}))
        left = {**self.stocks, place.name: {**stock, item: stock[item] - count}}
        return state.model_copy(update={"stocks": left}), self._seen_by(seat, f"{{s{seat}}} gathers {count} {item}.")

    def _given(self, seat: Seat, to: Seat, item: str, n: int) -> tuple["Village", tuple[Event, ...]]:
        giver, taker = self.bodies[seat], self.bodies[to]
        count = min(n, giver.bag.get(item, 0), taker.room)
        if not count:
            return self, self._seen_by(seat, f"{{s{to}}} cannot carry what {{s{seat}}} would give.")
        state = self._with(seat, giver.model_copy(update={"bag": changed(giver.bag, item, -count)}))
        state = state._with(to, taker.model_copy(update={"bag": changed(taker.bag, item, count)}))
        deeds = {**self.deeds, seat: self.deeds[seat].giving(to, item, count)}
        told = f"{{s{seat}}} gives {{s{to}}} {count} {item}."
        return state.model_copy(update={"deeds": deeds}), self._seen_by(seat, told, "gift")

    def _ate(self, seat: Seat, item: str, n: int) -> tuple["Village", tuple[Event, ...]]:
        body = self.bodies[seat]
        count = min(n, body.bag[item])
        hunger = max(0, body.hunger - EATEN * count)
        body = body.model_copy(update={"bag": changed(body.bag, item, -count), "hunger": hunger})
        return self._with(seat, body), self._seen_by(seat, f"{{s{seat}}} eats {count} {item}.")

    def _reckoned(self, mover: Seat) -> tuple["Village", tuple[Event, ...]]:
        """See who was met, what was seen, and whose goal is met now."""
        deeds = dict(self.deeds)
        for one in self.in_touch(mover):
            for a, b in ((mover, one), (one, mover)):
                if b not in deeds[a].met:
                    deeds[a] = deeds[a].model_copy(update={"met": tuple(sorted((*deeds[a].met, b)))})
        ground, bodies = self.ground, self.bodies
        here, trail = bodies[mover].tile, self.trails[mover]
        place = ground.place_at(here)
        if place is not None and place.name not in deeds[mover].visited:
            deeds[mover] = deeds[mover].model_copy(update={"visited": (*deeds[mover].visited, place.name)})
        events = []
        for seat, goal in self.goals.items():
            done, body = deeds[seat], bodies[seat]
            if not done.goal_met and is_met(goal, done, body.bag, ground.place_at(body.tile), seat):
                deeds[seat] = done.model_copy(update={"goal_met": True})
                events.append(Event(text="You have met your goal.", audience=(seat,), kind="goal"))
        trails = self.trails if trail[-1] == here else {**self.trails, mover: (*trail, here)[-LONGEST_TRAIL:]}
        if trails is self.trails and deeds == self.deeds:
            return self, ()
        return self.model_copy(update={"deeds": deeds, "trails": trails}), tuple(events)

    def _turned(self) -> Applied:
        """Go on to the next seat that can have a turn; after the last of them an hour has passed."""
        state, events, after, turns_left = self, list[Event](), self.current, self.turns_left - 1
        while not (done := state._why_done(turns_left)):
            coming = state.able_after(after)
            if coming or not state.present:
                now = {"current": coming or state.current, "words": 0, "looked": False, "turns_left": turns_left}
                return Applied(state.model_copy(update=now), tuple(events))
            later = state._an_hour_later()
            events += later._told_of_the_hour(state)
            state, after = later, 0
        return Applied(state.model_copy(update={"ended": done, "turns_left": turns_left}), tuple(events))

    def _why_done(self, turns_left: int) -> str:
        if self.hour >= self.rounds:
            return "its time has passed"
        if turns_left <= 0:
            return TURNS_USED
        if self.goals and all(self.deeds[seat].goal_met for seat in self.goals):
            return "every goal was met"
        return "" if self.anybody_lives else "nobody is alive"

    def _an_hour_later(self) -> "Village":
        bodies = {
            seat: body
            if body.dead
            else aged(body, resting=body.asleep or seat in self.away, inside=self.is_inside(seat), deadly=self.deadly)
            for seat, body in self.bodies.items()
        }
        update: dict[str, object] = {"bodies": bodies, "hour": self.hour + 1}
        if (self.hour + 1) % HOURS == 0:
            update["stocks"] = grown(self.stocks, full_stocks(self.plenty, len(self.seats)))
        return self.model_copy(update=update)

    def _told_of_the_hour(self, before: "Village") -> list[Event]:
        told = [Event(text=TOLD_HOURS[self.clock], kind="hour")] if self.clock in TOLD_HOURS else []
        for seat in self.seats:
            was, now = before.bodies[seat], self.bodies[seat]
            if now.dead and not was.dead:
                told.append(Event(text=f"{{s{seat}}} has starved.", kind="death"))
        return told

    def _with(self, seat: Seat, body: Body) -> "Village":
        return self.model_copy(update={"bodies": {**self.bodies, seat: body}})

    def _seen_by(self, seat: Seat, text: str, kind: str = "deed") -> tuple[Event, ...]:
        return (Event(text=text, audience=self.near(self.bodies[seat].tile, self.sight), kind=kind),)

    def closed(self, why: str) -> Over:
        results = {}
        for seat in self.seats:
            alive, deeds = not self.bodies[seat].dead, self.deeds[seat]
            word = "won" if deeds.goal_met else "took part" if alive else "starved"
            results[seat] = (word, score(alive=alive, deeds=deeds))
        met = sum(self.deeds[seat].goal_met for seat in self.goals)
        goals = f" {met} of {len(self.goals)} goals were met." if self.goals else ""
        scores = ", ".join(f"{{s{seat}}} {points}" for seat, (_, points) in results.items())
        return Over(outcome=f"It is over: {why}.{goals} Scores: {scores}.", results=results)

    def edit(self, change: Edit) -> "Village":
        if not isinstance(change, VillageEdit) or change.seat not in self.bodies:
            raise Rejected(Sentence("Nobody lives on that seat: choose one that is taken."))
        body = self.bodies[change.seat]
        x, y = xy(body.tile)
        column, row = change.x or x + 1, change.y or y + 1
        hunger = body.hunger if change.hunger is None else change.hunger
        energy = body.energy if change.energy is None else change.energy
        asleep = energy == 0 or (body.asleep and energy < AWAKE_FROM)
        if asleep and change.seat == self.current:
            raise Rejected(Sentence("That seat is asked now, and cannot sleep: leave it some energy."))
        told = {"tile": SIDE * (row - 1) + column - 1, "hunger": hunger, "energy": energy, "asleep": asleep}
        state = self._with(change.seat, body.model_copy(update=told))
        trail = (*self.trails[change.seat], state.bodies[change.seat].tile)[-LONGEST_TRAIL:]
        return state.model_copy(update={"trails": {**self.trails, change.seat: trail}})

    def valid(self) -> str:
        for body in self.bodies.values():
            if not self.ground.costs[body.tile]:
                return "Nobody can stand on water: choose another tile."
        return ""

    def view(self, seat: Seat) -> Seen:
        return viewed(self, seat)

    def revealed(self) -> "Village":
        return self if self.ended else self.model_copy(update={"ended": STOPPED})


@lru_cache(maxsize=4_096)
def _going(ground: Ground, tile: Tile, *, onward: bool) -> Form:
    """Give the form of who goes from a tile: onward to where it was going, to every other place, or to a neighbour."""
    steps = (name for name, _, _ in DIRECTIONS if ground.neighbour(tile, name) is not None)
    places = (one.name for one in ground.places if one.tile != tile)
    return Form(Go, {"place": ((ONWARD,) if onward else ()) + (*places, *steps)})


def _up_to(most: int) -> tuple[int, ...]:
    return tuple(range(1, min(AT_ONCE, most) + 1))
