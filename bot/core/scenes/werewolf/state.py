"""Where a game of werewolf stands: nights, days, and what each seat sees of them."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from bot.core.errors import Rejected
from bot.core.scenes.kind import (
    MOST_SEATS,
    Applied,
    Chance,
    Edit,
    Event,
    Expect,
    Few,
    Form,
    Frozen,
    Move,
    Over,
    Seat,
    Seen,
    State,
    Wait,
)
from bot.core.scenes.orderings import STRIKES, Schedule
from bot.core.scenes.werewolf import showing
from bot.core.scenes.werewolf.moves import (
    Heal,
    Hold,
    Inspect,
    Kill,
    LastWords,
    Pack,
    Poison,
    Say,
    Shoot,
    Silence,
    Vote,
)
from bot.core.scenes.werewolf.village import Ballot, Cause, Death, Role, fared, hanged, most_voted, winner
from bot.core.sentences import Sentence

PACKS_A_NIGHT = 2
MOST_DAYS, MOST_ROUNDS = 12, 3
MODERATOR = 1  # where there is one
NIGHT_SECONDS, NIGHT_LEAST, LATE_SECONDS, LATE_LEAST = 90, 30, 45, 15
SHOT_SECONDS, BALLOT_SECONDS, WORDS_SECONDS = 30, 90, 60
Phase = Literal["night", "late night", "shot", "talk", "ballot", "last words"]


class AgreedRules(Frozen):
    """What was agreed on."""

    first_night_kill: bool
    reveal_roles: bool
    side: bool
    drawn: bool
    rounds: int = Field(ge=1, le=MOST_ROUNDS)
    days: int = Field(ge=1, le=MOST_DAYS)
    dead_write: bool
    moderated: bool = False


class SwappedRoles(Edit):
    """Two seats have each other's role."""

    seat: Seat
    other: Seat


class Werewolf(State):
    """A village with wolves in it."""

    terms: AgreedRules
    roles: Annotated[Mapping[Seat, Role], Few]  # of who plays: a moderator does not
    alive: Annotated[tuple[Seat, ...], Few]
    phase: Phase = "night"
    day: int = Field(default=1, ge=1, le=MOST_DAYS)
    packs: Mapping[Seat, int] = Field(default_factory=dict, max_length=MOST_SEATS)  # how often each wolf spoke tonight
    kills: Mapping[Seat, Seat] = Field(default_factory=dict, max_length=MOST_SEATS)  # whom each wolf voted for last
    victim: Seat = 0
    brewed: Literal["", "heal", "poison"] = ""
    poisoned: Seat = 0
    healed_in: int = 0  # the day whose night it was; 0: she has it still
    poisoned_in: int = 0
    inspected: Annotated[tuple[tuple[int, Seat], ...], Field(max_length=MOST_DAYS)] = ()  # day and seat
    deaths: Annotated[tuple[Death, ...], Few] = ()
    speakers: Annotated[
        tuple[Seat, ...], Field(max_length=MOST_SEATS * MOST_ROUNDS)
    ] = ()  # who is still to speak today
    arranging: bool = False  # whether the moderator is asked in which order
    strikes: int = 0  # how often in a row it named nobody
    votes: Mapping[Seat, Seat] = Field(default_factory=dict, max_length=MOST_SEATS)
    ballots: Annotated[tuple[Ballot, ...], Field(max_length=MOST_DAYS)] = ()
    condemned: Seat = 0
    by_day: bool = False  # whether the shot follows a hanging
    won: Literal["", "nobody", "village", "wolves"] = ""

    @property
    def has_witch(self) -> bool:
        """Whether there is, or was, a witch."""
        return Role.WITCH in self.roles.values()

    @property
    def wolves(self) -> tuple[Seat, ...]:
        """The wolves that live."""
        return tuple(seat for seat in self.alive if self.roles[seat] is Role.WOLF)

    @property
    def has_heal(self) -> bool:
        """Whether the witch can heal still."""
        return not self.healed_in

    @property
    def may_kill(self) -> bool:
        """Whether the wolves kill tonight."""
        return self.day > 1 or self.terms.first_night_kill

    def living(self, role: Role) -> Seat:
        """Give who has a role that one has at most, and lives; else 0."""
        return next((seat for seat in self.alive if self.roles[seat] is role), 0)

    def next(self) -> Expect | Wait | Over:
        if self.won:
            return self.ended()
        match self.phase:
            case "night":
                seats = [*self.wolves, *([seer] if (seer := self.living(Role.SEER)) else [])]
                return _unseen(tuple(sorted(seats)), NIGHT_SECONDS, NIGHT_LEAST)
            case "late night":
                witch = self.living(Role.WITCH)
                if witch and (self.has_heal or not self.poisoned_in):
                    return _unseen((witch,), LATE_SECONDS, LATE_LEAST)
                return Wait(seconds=LATE_LEAST, agent_seconds=1)
            case "shot":
                return Expect(seats=(self._shooter(),), agent_seconds=SHOT_SECONDS, person_seconds=SHOT_SECONDS)
            case "talk":
                return Expect(seats=(MODERATOR,) if self.arranging else self.speakers[:1])
            case "ballot":
                return Expect(
                    seats=self.alive, together=True, agent_seconds=BALLOT_SECONDS, person_seconds=BALLOT_SECONDS
                )
            case "last words":
                return Expect(seats=(self.condemned,), agent_seconds=WORDS_SECONDS, person_seconds=WORDS_SECONDS)

    def legal(self, seat: Seat) -> tuple[Form, ...]:
        awaited = self.awaits
        if not isinstance(awaited, Expect) or seat not in awaited.seats:
            return ()
        others = tuple(one for one in self.alive if one != seat)
        match self.phase:
            case "night" if self.roles[seat] is Role.WOLF:
                return self._wolfish(seat)
            case "night":
                return (Form(Inspect, {"seat": others}),)
            case "late night":
                return self._brews(others)
            case "shot":
                return (Form(Shoot, {"seat": (0, *others)}),)
            case "talk" if self.arranging:
                return (Form(Schedule, {"seats": self.alive}),)
            case "talk":
                return (Form(Say), Form(Silence))
            case "ballot":
                return (Form(Vote, {"seat": (0, *others)}),)
            case "last words":
                return (Form(LastWords), Form(Silence))

    def _wolfish(self, seat: Seat) -> tuple[Form, ...]:
        wolves = self.wolves
        prey = tuple(one for one in self.alive if one not in wolves) if self.may_kill else ()
        talks = len(wolves) > 1 and self.packs.get(seat, 0) < PACKS_A_NIGHT
        return (*((Form(Pack),) if talks else ()), Form(Kill, {"seat": (0, *prey)}))

    def _brews(self, others: tuple[Seat, ...]) -> tuple[Form, ...]:
        forms: list[Form] = []
        first = 1 if self.terms.first_night_kill else 2
        if self.has_heal and self.victim and (self.victim in others or self.day == first):
            forms.append(Form(Heal))
        if not self.poisoned_in and others:
            forms.append(Form(Poison, {"seat": others}))
        return (*forms, Form(Hold))

    def timeout(self, seat: Seat) -> Move | None:
        match self.phase:
            case "night":
                return None
            case "late night":
                return Hold()
            case "shot":
                return Shoot(seat=0)
            case "ballot":
                return Vote(seat=0)
            case "talk" if self.arranging:
                return Schedule(seats=())
            case _:
                return Silence()

    def silenced(self, seat: Seat) -> bool:
        has_last_words = self.phase == "last words" and seat == self.condemned
        is_dead = seat in self.roles and seat not in self.alive
        return not self.terms.dead_write and is_dead and not has_last_words

    def answered(self, seat: Seat, move: Move, chance: Chance) -> tuple[Event, ...]:
        if not isinstance(move, Inspect):
            return ()
        return (Event(text=f"{{s{move.seat}}} is {self.wolf_or_not(move.seat)}.", audience=(seat,), kind="inspected"),)

    def wolf_or_not(self, seat: Seat) -> str:
        """Say what a seer learns of a seat."""
        return "a wolf" if self.roles[seat] is Role.WOLF else "not a wolf"

    def apply(self, seat: Seat, move: Move, chance: Chance) -> Applied:
        match move:
            case Pack(text=text):
                said = Event(text=f"{{t{text}}}", speaker=seat, audience=self.wolves, kind="pack")
                return self._with(said, packs={**self.packs, seat: self.packs.get(seat, 0) + 1})
            case Kill(seat=whom):
                return self._with(kills={**self.kills, seat: whom})
            case Inspect(seat=whom):
                return self._with(inspected=(*self.inspected, (self.day, whom)))
            case Heal():
                return self._with(
                    showing.of_witch(seat, f"saves {{s{self.victim}}}"), brewed="heal", healed_in=self.day
                )
            case Poison(seat=whom):
                told = showing.of_witch(seat, f"poisons {{s{whom}}}")
                return self._with(told, brewed="poison", poisoned=whom, poisoned_in=self.day)
            case Vote(seat=whom):
                return self._with(votes={**self.votes, seat: whom})
            case Shoot(seat=whom):
                return self._shot(seat, whom, chance)
        return self._heard(seat, move)

    def _heard(self, seat: Seat, move: Move) -> Applied:
        match move:
            case Schedule(seats=named):
                return self._arranged(named)
            case Say(text=text):
                return self._spoken(Event(text=f"{{t{text}}}", speaker=seat, kind="say"))
            case LastWords(text=text):
                return self._falls(Event(text=f"{{t{text}}}", speaker=seat, kind="last_words"))
            case Silence() if self.phase == "talk":
                return self._spoken(Event(text=f"{{s{seat}}} says nothing."))
            case Silence():
                return self._falls()
        return Applied(self)

    def lapsed(self, chance: Chance) -> Applied:
        match self.phase:
            case "night":
                return self._hunted(chance)
            case "late night":
                return self._dawn(chance)
            case "ballot":
                return self._counted(chance)
        return Applied(self)

    def _with(self, *events: Event, **update: object) -> Applied:
        return Applied(self.model_copy(update=update), events)

    def _hunted(self, chance: Chance) -> Applied:
        """Count the pack's votes; a tie is drawn."""
        first = most_voted(self.kills.values())
        victim = first[chance.below("kill", len(first))] if first else 0
        chose = f"{{s{victim}}}" if victim else "nobody"
        events = [Event(text=f"The pack chose {chose}.", audience=self.wolves, kind="kill")] if self.may_kill else []
        if not self.has_witch:
            after = self.model_copy(update={"victim": victim})._dawn(chance)
            return Applied(after.state, (*events, *after.events))
        if victim and self.has_heal and (witch := self.living(Role.WITCH)):
            events.append(Event(text=f"The wolves' victim is {{s{victim}}}.", audience=(witch,), kind="victim"))
        return self._with(*events, victim=victim, phase="late night")

    def _dawn(self, chance: Chance) -> Applied:
        """Name the dead of the night, in the order of seats."""
        causes = {self.victim: Cause.KILLED} if self.victim and self.brewed != "heal" else {}
        if self.brewed == "poison":
            causes[self.poisoned] = Cause.POISONED
        dead = tuple(Death(seat=seat, day=self.day, cause=cause) for seat, cause in sorted(causes.items()))
        names = " and ".join(self.named(one.seat) for one in dead) or "nobody"
        told = Event(text=f"Day {self.day} dawns. Dead in the night: {names}.", kind="dawn")
        after = self.model_copy(update={"victim": 0, "brewed": "", "poisoned": 0, "packs": {}, "by_day": False})
        return after._died(dead, chance, told)

    def named(self, seat: Seat) -> str:
        """Name a dead one, with what it was where that is told."""
        return f"{{s{seat}}} ({self.roles[seat]})" if self.terms.reveal_roles else f"{{s{seat}}}"

    def _died(self, dead: tuple[Death, ...], chance: Chance, *events: Event) -> Applied:
        """Bury the dead; a hunter among them shoots before anything is decided."""
        gone = {one.seat for one in dead}
        alive = tuple(seat for seat in self.alive if seat not in gone)
        after = self.model_copy(update={"alive": alive, "deaths": (*self.deaths, *dead)})
        shoots = [one.seat for one in dead if self.roles[one.seat] is Role.HUNTER and one.cause is not Cause.POISONED]
        if shoots and alive:
            told = Event(text=f"{{s{shoots[0]}}} was the hunter, and may take somebody along.", kind="hunter")
            return Applied(after.model_copy(update={"phase": "shot"}), (*events, told))
        return after._decided(chance, *events)

    def _shooter(self) -> Seat:
        return next(one.seat for one in reversed(self.deaths) if self.roles[one.seat] is Role.HUNTER)

    def _shot(self, seat: Seat, whom: Seat, chance: Chance) -> Applied:
        if not whom:
            return self._decided(chance, Event(text=f"{{s{seat}}} shoots nobody.", kind="shot"))
        told = Event(text=f"{{s{seat}}} shoots {self.named(whom)}.", kind="shot")
        return self._died((Death(seat=whom, day=self.day, cause=Cause.SHOT),), chance, told)

    def _decided(self, chance: Chance, *events: Event) -> Applied:
        """See whether somebody has won; else the day goes on, or its end."""
        if won := winner(self.roles, self.alive, side=self.terms.side):
            return self._with(*events, won=won)
        if self.by_day:
            return self._with(*events, phase="last words") if self.condemned else self._falls(*events)
        arranging = self.terms.moderated and self.strikes < STRIKES
        return self._with(*events, phase="talk", speakers=self._order(chance), arranging=arranging)

    def _order(self, chance: Chance) -> tuple[Seat, ...]:
        """Give who speaks today: one seat later each day, or as drawn."""
        if self.terms.drawn:
            order = chance.shuffled("talk", self.alive)
        else:
            first = (self.day - 1) % len(self.seats)
            order = tuple(one for one in (*self.seats[first:], *self.seats[:first]) if one in self.alive)
        return order * self.terms.rounds

    def _arranged(self, named: tuple[Seat, ...]) -> Applied:
        """Let speak first whom the moderator named, then the others as ever; who names nobody again is not asked."""
        first = tuple(dict.fromkeys(seat for seat in named if seat in self.alive))
        others = tuple(seat for seat in self.speakers[: len(self.alive)] if seat not in first)
        strikes = 0 if first else self.strikes + 1
        told = [Event(text="From now on everybody speaks in the order of seats.")] if strikes >= STRIKES else []
        return self._with(*told, speakers=(*first, *others) * self.terms.rounds, arranging=False, strikes=strikes)

    def _spoken(self, event: Event) -> Applied:
        left = self.speakers[1:]
        return self._with(event, speakers=left, votes={}, phase="talk" if left else "ballot")

    def _counted(self, chance: Chance) -> Applied:
        ballot = Ballot(day=self.day, votes=dict(sorted(self.votes.items())))
        condemned = hanged(ballot.votes)
        votes = "; ".join(f"{{s{seat}}} for {{s{whom}}}" for seat, whom in ballot.votes.items() if whom)
        came = f"{self.named(condemned)} is hanged." if condemned else "Nobody is hanged."
        told = Event(text=f"The ballot: {votes or 'all abstain'}. {came}", kind="ballot")
        after = self.model_copy(
            update={"ballots": (*self.ballots, ballot), "votes": {}, "condemned": condemned, "by_day": True}
        )
        dead = (Death(seat=condemned, day=self.day, cause=Cause.HANGED),) if condemned else ()
        return after._died(dead, chance, told)

    def _falls(self, *events: Event) -> Applied:
        """Let night fall; after the last day nobody has won."""
        if self.day >= self.terms.days:
            return self._with(*events, won="nobody")
        told = Event(text=f"Night {self.day + 1} falls.", kind="night")
        return self._with(*events, told, phase="night", day=self.day + 1, kills={}, condemned=0)

    def ended(self) -> Over:
        """Give how it ended by its rules."""
        if self.won == "nobody":
            return self._over("Nobody has won")
        return self._over("The village has won" if self.won == "village" else "The wolves have won")

    @property
    def won_by(self) -> str:
        return {"": "undecided", "nobody": "nobody"}.get(self.won, f"the {self.won}")

    def closed(self, why: str) -> Over:
        return self._over(f"It ends undecided, for {why}")

    def _over(self, told: str) -> Over:
        who = [f"{{s{seat}}} {role}" for seat, role in sorted(self.roles.items()) if role is not Role.VILLAGER]
        results = {seat: fared(self.roles.get(seat), self.won) for seat in self.seats}
        return Over(outcome=f"{told} on day {self.day}. Who was what: {', '.join(who)}.", results=results)

    def edit(self, change: Edit) -> "Werewolf":
        if not isinstance(change, SwappedRoles) or not {change.seat, change.other} <= self.roles.keys():
            raise Rejected(Sentence("Nobody plays on that seat: choose two that are taken."))
        swapped = {change.seat: self.roles[change.other], change.other: self.roles[change.seat]}
        return self.model_copy(update={"roles": {**self.roles, **swapped}})

    def valid(self) -> str:
        ended = winner(self.roles, self.alive, side=self.terms.side)
        return "That would be the end of it: choose two others." if ended else ""

    def view(self, seat: Seat) -> Seen:
        return showing.seen(self, seat)

    def revealed(self) -> "Werewolf":
        return self if self.won else self.model_copy(update={"won": "nobody"})


def _unseen(seats: tuple[Seat, ...], seconds: int, least: int) -> Expect:
    return Expect(seats=seats, together=True, agent_seconds=seconds, person_seconds=seconds, least_seconds=least)
