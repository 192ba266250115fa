"""Who is next: five ways to go round, kept in a kind's state (`rules` is the sixth, and the kind's own)."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from bot.core.scenes.kind import Chance, Expect, Form, Frozen, Move, Ordering, Seat, Wait

CHOOSING_SECONDS = 600
STRIKES = 3
LONGEST_SCHEDULE = 12
Twice = Annotated[bool, Field(description="random: whether the same seat may be drawn twice running")]
Unchosen = Annotated[
    Literal["pause", "sequential"], Field(description="controlled: what follows where nobody is named in time")
]


class Schedule(Move):
    """Name who speaks next, one seat after the other."""

    name: ClassVar[str] = "schedule"
    free: ClassVar[bool] = True
    drops_unknown: ClassVar[bool] = True
    seats: tuple[Seat, ...] = Field(max_length=LONGEST_SCHEDULE)


class Order(Frozen):
    """Whose turn it is, and what decides about the next. `moderator`: the seat that schedules, and does not speak."""

    ordering: Ordering
    current: Seat | None = None  # None: whoever started it is to choose, or (free) nobody waits for anybody
    last: Seat = 0
    queue: tuple[Seat, ...] = ()
    moderator: Seat = 0
    strikes: int = 0
    twice: bool = False  # whether a draw may give the same seat twice running
    choosing_seconds: int = CHOOSING_SECONDS  # that the starter has to name somebody
    goes_round: bool = False  # where the starter names nobody: else it pauses

    @property
    def is_scheduling(self) -> bool:
        """Whether the moderator is asked whom to let speak."""
        return self.current is not None and self.current == self.moderator

    def speakers(self, seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
        """Give those of the seats that speak."""
        return tuple(seat for seat in seats if seat != self.moderator) if self.moderator else seats

    def after(self, present: tuple[Seat, ...], chance: Chance) -> "Order":
        """Go on to the next of those who are present; where there is none, nobody is next."""
        speakers = self.speakers(present)
        was = self.last if self.current is None or self.is_scheduling else self.current
        order = self.model_copy(update={"last": was, "current": None})
        if not speakers:
            return order
        match self.ordering:
            case Ordering.RANDOM:
                drawn_from = speakers if self.twice else tuple(seat for seat in speakers if seat != was) or speakers
                return order._with(drawn_from[chance.below("who is next", len(drawn_from))])
            case Ordering.MODERATED:
                return order._from_queue(present, speakers)
            case Ordering.CONTROLLED | Ordering.FREE:
                return order
            case Ordering.SEQUENTIAL | Ordering.RULES:
                return order._with(_round_from(was, speakers)[0])

    def scheduled(self, seats: tuple[Seat, ...], present: tuple[Seat, ...], chance: Chance) -> "Order":
        """Take what the moderator named; nothing of use is a strike, and one round in the order of seats."""
        speakers = self.speakers(present)
        queue = tuple(seat for seat in seats if seat in speakers)[:LONGEST_SCHEDULE]
        if queue:
            return self.model_copy(update={"queue": queue, "strikes": 0}).after(present, chance)
        return self.struck(present, chance)

    def struck(self, present: tuple[Seat, ...], chance: Chance) -> "Order":
        """The moderator named nobody: everybody speaks once; after some times it is asked no more."""
        strikes = self.strikes + 1
        update: dict[str, object] = {"strikes": strikes, "queue": _round_from(self.last, self.speakers(present))}
        if strikes >= STRIKES:
            update |= {"ordering": Ordering.SEQUENTIAL, "queue": ()}
        return self.model_copy(update=update).after(present, chance)

    def unchosen(self, present: tuple[Seat, ...]) -> "Order":
        """Nobody was named in time: the next in the order of seats speaks."""
        return self._with(_round_from(self.last, self.speakers(present))[0])

    def awaited(self, present: tuple[Seat, ...]) -> Expect | Wait:
        """Tell whom it expects."""
        if self.ordering is Ordering.FREE:
            return Expect(seats=present, anyone=True)
        if self.current is None:
            return Wait(seconds=self.choosing_seconds, choices=self.speakers(present), pauses=not self.goes_round)
        return Expect(seats=(self.current,))

    def following(self, present: tuple[Seat, ...]) -> tuple[Seat, ...]:
        """Give who is known to speak after the one whose turn it is."""
        speakers = self.speakers(present)
        if self.ordering is Ordering.SEQUENTIAL and self.current is not None and len(speakers) > 1:
            return _round_from(self.current, speakers)[:1]
        return self.queue

    def form(self, present: tuple[Seat, ...]) -> Form:
        """Give the one move of the moderator."""
        return Form(Schedule, {"seats": self.speakers(present)})

    def _with(self, seat: Seat) -> "Order":
        return self.model_copy(update={"current": seat})

    def _from_queue(self, present: tuple[Seat, ...], speakers: tuple[Seat, ...]) -> "Order":
        queue = tuple(seat for seat in self.queue if seat in speakers)
        if queue:
            return self.model_copy(update={"current": queue[0], "queue": queue[1:]})
        if self.moderator in present:
            return self._with(self.moderator)
        return self._with(_round_from(self.last, speakers)[0])


def _round_from(last: Seat, seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
    """Give the seats in their order, from the one after the last."""
    return (*(seat for seat in seats if seat > last), *(seat for seat in seats if seat <= last))
