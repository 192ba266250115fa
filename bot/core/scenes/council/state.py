"""A meeting: its options, and where it stands."""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field

from bot.core.scenes.council.motions import (
    MOST_AMENDMENTS,
    MOST_MOTIONS,
    VOTED,
    Amendment,
    Decision,
    Motion,
    Tally,
    clauses_of,
    passes,
    quorum_of,
    resolved,
    told,
    voted_on,
)
from bot.core.scenes.council.moves import (
    CHOICES,
    Adjourn,
    Amend,
    CallVote,
    Choice,
    MoveMotion,
    Second,
    Speak,
    Vote,
    Withdraw,
    Yield,
)
from bot.core.scenes.council.showing import seen
from bot.core.scenes.kind import (
    MOST_SEATS,
    NO_TEXT,
    Applied,
    Chance,
    Event,
    Expect,
    Few,
    Form,
    Move,
    Options,
    Over,
    Seat,
    Seen,
    TextId,
    Venue,
)
from bot.core.scenes.orderings import Order, Twice
from bot.core.scenes.silence import Silences, Spoken
from bot.core.wording import counted

ROUNDS_OF_DEBATE = 3
HOST = 1
MOST_BALLOTS = MOST_MOTIONS * (2 + MOST_AMENDMENTS)


class CouncilOptions(Options):
    """How a council decides."""

    turns: int = Field(default=60, ge=1, le=400, description="after how many turns it ends")
    place: Venue = "thread"
    topic: str = Field(default="", max_length=300, description="what it is about")
    host: bool = Field(default=True, description="whether seat 1 presides, and does not vote")
    members_move: bool = Field(default=True, description="whether members move motions, too")
    motions: int = Field(default=5, ge=1, le=MOST_MOTIONS, description="how many motions at most")
    amendments: int = Field(default=3, ge=0, le=MOST_AMENDMENTS, description="how many amendments are open at most")
    two_thirds: bool = Field(default=False, description="whether a motion needs two thirds")
    quorum: bool = Field(default=True, description="whether half of the members must vote")
    twice: Twice = False
    secret: bool = Field(default=False, description="whether nobody ever sees who voted how")
    host_breaks_ties: bool = Field(default=False, description="whether the host decides a tie")

    def begin(self, seats: tuple[Seat, ...], chance: Chance) -> Applied:
        order = Order(ordering=self.ordering, twice=self.twice).after(seats, chance)
        terms = CouncilOptions.model_validate({**self.model_dump(), "topic": ""})  # as it is read back
        return Applied(self.begins_as()(seats=seats, order=order, terms=terms))

    def begins_as(self) -> "type[Meeting]":
        """Give what it begins as in its version."""
        return Council

    def refusal(self, seats: int) -> str:
        if seats - self.host < 2:
            return "A council needs two members beside the host: seat one more."
        return (
            "A council without a host has 15 members at most: somebody has to leave." if seats - self.host > 15 else ""
        )


class Meeting(Spoken):
    """What a meeting is in each version."""

    order: Order
    terms: CouncilOptions
    motion: Motion | None = None
    ballot: Literal["", "amendment", "motion", "tie"] = ""
    votes: Mapping[Seat, Choice] = Field(default_factory=dict, max_length=MOST_SEATS)
    decided: Annotated[tuple[Tally, ...], Field(max_length=MOST_BALLOTS)] = ()
    moved: int = 0
    leaving: Annotated[tuple[Seat, ...], Few] = ()  # who proposed to adjourn
    ended: str = ""

    @property
    def members(self) -> tuple[Seat, ...]:
        """Who votes."""
        return tuple(seat for seat in self.seats if not (self.terms.host and seat == HOST))

    @property
    def chair(self) -> Seat:
        """Who presides: the host, and when it is not there the lowest seat that is; 0 without a host."""
        return min(self.present, default=0) if self.terms.host else 0

    @property
    def voters(self) -> tuple[Seat, ...]:
        """Whose votes the open ballot waits for."""
        return (self.chair,) if self.ballot == "tie" else self.members

    @property
    def phase(self) -> str:
        """What is going on."""
        if self.ended:
            return "closed"
        if self.ballot:
            return "amending" if self.ballot == "amendment" else "ballot"
        return "debate" if self.motion or self.moved else "opening"

    def next(self) -> Expect | Over:
        if self.ended or not self.present:
            return self.closed(self.ended)
        if self.ballot:
            return Expect(seats=self.voters, together=True, agent_seconds=90, person_seconds=600)
        return Expect(seats=(self.order.current or self.present[0],))

    def legal(self, seat: Seat) -> tuple[Form, ...]:
        awaited = self.awaits
        if not isinstance(awaited, Expect) or seat not in awaited.seats:
            return ()
        if self.ballot:
            on = f"on {voted_on(self.motion)}" if self.motion else ""
            return (Form(Vote, {"choice": CHOICES[:2] if self.ballot == "tie" else CHOICES}, about=on),)
        forms = [Form(Speak), Form(Yield), *(self._on_motion(seat, self.motion) if self.motion else self._new(seat))]
        if seat == self.chair or (seat in self.members and seat not in self.leaving):
            forms.append(Form(Adjourn))
        return tuple(forms)

    def _new(self, seat: Seat) -> list[Form]:
        may = seat == self.chair or (self.terms.members_move and seat in self.members)
        return [Form(MoveMotion)] if may and self.moved < self.terms.motions else []

    def _on_motion(self, seat: Seat, motion: Motion) -> list[Form]:
        forms, this = [], f"motion {motion.number}"
        pending = motion.by if not motion.seconded else motion.vote_called_by
        if pending and seat != pending and seat in self.members:
            forms.append(Form(Second, about=f"the call to vote on {this}" if motion.seconded else this))
        if seat == motion.by:
            forms.append(Form(Withdraw, about=this))
        if not motion.seconded:
            return forms
        if seat in self.members and len(motion.amendments) < self.terms.amendments:
            forms.append(Form(Amend, {"clause": tuple(range(1, len(motion.clauses) + 2))}, about=this))
        if seat == self.chair or (seat in self.members and not motion.vote_called_by):
            forms.append(Form(CallVote, about=f"on {this}"))
        return forms

    def apply(self, seat: Seat, move: Move, chance: Chance) -> Applied:
        match move:
            case Vote(choice=choice, comment=comment):
                return self._voted(seat, choice, comment)
            case Second():
                return self._seconded(seat, chance)
            case Yield():
                applied = Applied(self.yielded_by(seat))
            case _:
                applied = self.heard(self.present)._did(seat, move)
        state = applied.state
        if not isinstance(state, Meeting) or state.ended or state.ballot:
            return applied
        if not state.motion and state.is_quiet(state.present):
            return Applied(state.model_copy(update={"ended": "nobody had more to say"}), applied.events)
        turned = state._turned(chance)
        return Applied(turned.state, (*applied.events, *turned.events))

    def _did(self, seat: Seat, move: Move) -> Applied:
        """Give what became of a move that ends a turn."""
        who, motion = f"{{s{seat}}}", self.motion
        match move:
            case Speak(text=text):
                return self._with(Event(text=f"{{t{text}}}", speaker=seat, kind="speak"))
            case MoveMotion(title=title, text=text):
                stands = seat == self.chair
                motion = Motion(number=self.moved + 1, by=seat, title=title, clauses=(text,), seconded=stands)
                needs = "" if stands else " It needs a second."
                told = f"{who} moves motion {motion.number}: **{{t{title}}}** {{t{text}}}{needs}"
                return self._with(Event(text=told, kind="motion"), motion=motion, moved=motion.number)
            case Amend(clause=clause, text=text) if motion:
                amendment = Amendment(by=seat, clause=clause, text=text)
                motion = motion.model_copy(update={"amendments": (*motion.amendments, amendment)})
                told = f"{who} would have clause {clause} say: {{t{text}}}"
                return self._with(Event(text=told, kind="amendment"), motion=motion)
            case Withdraw() if motion:
                return self._with(Event(text=f"{who} withdraws motion {motion.number}."), motion=None)
            case CallVote() if motion and seat == self.chair:
                return self._with(Event(text=f"{who} calls for the vote."), **self._opened(motion))
            case CallVote() if motion:
                motion = motion.model_copy(update={"vote_called_by": seat})
                return self._with(Event(text=f"{who} asks for the vote. It needs a second."), motion=motion)
            case _:
                return self._leaves(seat)

    def _leaves(self, seat: Seat) -> Applied:
        leaving = (*self.leaving, seat)
        if seat == self.chair or 2 * len([one for one in leaving if one in self.members]) > len(self.members):
            return self._with(Event(text=f"{{s{seat}}} adjourns the meeting."), leaving=leaving, ended="it adjourned")
        return self._with(Event(text=f"{{s{seat}}} proposes to adjourn."), leaving=leaving)

    def _seconded(self, seat: Seat, chance: Chance) -> Applied:
        motion = self.motion
        if motion is None:
            return Applied(self)
        event = Event(text=f"{{s{seat}}} seconds.", kind="second")
        if not motion.seconded:
            return self._with(event, motion=motion.model_copy(update={"seconded": True}))
        return self._with(event, **self._opened(motion))

    def _turned(self, chance: Chance) -> Applied:
        """A turn is over: the next seat, a motion that nobody seconded, a debate that was long enough."""
        update: dict[str, object] = {"order": self.order.after(self.present, chance)}
        events: tuple[Event, ...] = ()
        motion = self.motion
        if motion is not None:
            motion = motion.model_copy(update={"turns": motion.turns + 1})
            update["motion"] = motion
            if not motion.seconded and motion.turns > len(self.present):
                update["motion"] = None
                events = (Event(text=f"Nobody seconds motion {motion.number}: it falls."),)
            elif motion.turns >= ROUNDS_OF_DEBATE * len(self.members):
                events = (Event(text="It was debated long enough: it is voted on now."),)
                update |= self._opened(motion)
        elif self.moved >= self.terms.motions:
            update["ended"] = "there were as many motions as there may be"
        return self._with(*events, **update)

    def _opened(self, motion: Motion) -> dict[str, object]:
        """Open the ballot: amendments come first, the earliest of them first."""
        ballot = "amendment" if motion.amendments else "motion"
        return {"ballot": ballot, "motion": motion.model_copy(update={"seconded": True}), "votes": {}}

    def _voted(self, seat: Seat, choice: Choice, comment: TextId) -> Applied:
        said = f" {{t{comment}}}" if comment else ""
        event = Event(text=f"{{s{seat}}}: {VOTED[choice]}.{said}", kind="vote")
        unnamed = (Event(text=f"Said with a vote:{said}", kind="vote"),) if said else ()
        return self._with(*(unnamed if self.is_secret else (event,)), votes={**self.votes, seat: choice})

    @property
    def is_secret(self) -> bool:
        """Whether nobody sees who votes how in the open ballot: a host that decides a tie is seen."""
        return self.terms.secret and self.ballot in ("amendment", "motion")

    def told_of(self, together: tuple[Event, ...], chance: Chance) -> tuple[Event, ...]:
        """In the order of seats, what is said with secret votes would tell whose it is."""
        if not self.is_secret:
            return together
        return tuple(together[place] for place in chance.shuffled("what was said", range(len(together))))

    def timeout(self, seat: Seat) -> Move | None:
        return None if self.ballot else Yield()

    def lapsed(self, chance: Chance) -> Applied:
        """Count the votes."""
        motion = self.motion
        if motion is None or not self.ballot:
            return Applied(self)
        if self.ballot == "tie":  # what is remembered stays what the members voted
            return self._decided(motion, passed=self.votes.get(self.chair) == "yes", chance=chance)
        about = "motion" if self.ballot == "motion" else "amendment"
        tally = self._tally(motion, about)
        after = self.remembering(tally, motion, {} if self.terms.secret else self.votes)
        if self._is_for_host(tally):
            return after._with(Event(text="A tie: the host decides."), ballot="tie", votes={})
        if about == "amendment":
            return after._amended(motion, tally)
        return after._decided(motion, passed=tally.passed, chance=chance)

    def _tally(self, motion: Motion, about: str) -> Tally:
        cast = list(self.votes.values())
        yes, no, abstained = (cast.count(choice) for choice in ("yes", "no", "abstain"))
        two_thirds = self.terms.two_thirds and about == "motion"
        members = len(self.members)
        return Tally(
            what=f"Motion {motion.number}" if about == "motion" else f"Amendment to motion {motion.number}",
            yes=yes,
            no=no,
            abstained=abstained,
            absent=members - len(cast),
            passed=passes(yes, no, abstained, members, two_thirds=two_thirds, quorum=self.terms.quorum),
        )

    def _is_for_host(self, tally: Tally) -> bool:
        """Tell whether the host decides: it is there, as many are for it as against, and its yes would pass it."""
        if not (self.terms.host and self.terms.host_breaks_ties and self.ballot == "motion" and HOST in self.present):
            return False
        yes, no, abstained = tally.yes, tally.no, tally.abstained
        took_part = not self.terms.quorum or yes + no + abstained >= quorum_of(len(self.members))
        enough = passes(yes + 1, no, abstained, 0, two_thirds=self.terms.two_thirds, quorum=False)
        return yes == no > 0 and took_part and enough

    def _amended(self, motion: Motion, tally: Tally) -> Applied:
        """Change the text where the amendment passed, and open the next ballot."""
        first, *others = motion.amendments
        clauses = list(motion.clauses)
        if tally.passed:
            clauses[first.clause - 1 : first.clause] = [first.text]
        left = [one for one in others if one.clause <= len(clauses) + 1]
        motion = motion.model_copy(update={"clauses": tuple(clauses), "amendments": tuple(left)})
        event = Event(text=f"{told(tally)} Clause {first.clause}: {{t{first.text}}}", kind="tally")
        return self._with(event, **self._opened(motion))

    def _decided(self, motion: Motion, *, passed: bool, chance: Chance) -> Applied:
        """Give what comes of the last ballot, which was on a motion."""
        tally = self.decided[-1].model_copy(update={"passed": passed})
        event = Event(text=f"{told(tally)} **{{t{motion.title}}}** {clauses_of(motion)}", kind="tally")
        over = self.moved >= self.terms.motions
        return self._with(
            event,
            motion=None,
            ballot="",
            votes={},
            decided=(*self.decided[:-1], tally),
            ended="there were as many motions as there may be" if over else "",
            order=self.order.after(self.present, chance),
        )

    def _with(self, *events: Event, **update: object) -> Applied:
        return Applied(self.model_copy(update=update), events)

    def closed(self, why: str) -> Over:
        results = {seat: ("presided" if seat not in self.members else "took part", 0) for seat in self.seats}
        return Over(outcome=f"The council is closed, for {why}: {self._counts()}.{self.resolutions}", results=results)

    def _counts(self) -> str:
        motions = [one for one in self.decided if one.what.startswith("Motion")]
        passed = sum(one.passed for one in motions)
        return f"{counted(len(motions), 'motion')} voted on, {passed} passed" if motions else "nothing was voted on"

    @property
    def won_by(self) -> str:
        return self._counts()  # its outcome has the text of motions, and no two are alike

    @property
    def resolutions(self) -> str:
        """What was decided, word by word, where that is remembered."""
        return ""

    def view(self, seat: Seat) -> Seen:
        return seen(self, seat)

    def remembering(self, tally: Tally, motion: Motion, votes: Mapping[Seat, Choice]) -> Self:
        """Give what it is with one more ballot counted; `votes`: who voted how in it, where that is shown."""
        return self.model_copy(update={"decided": (*self.decided, tally)})

    @property
    def last_votes(self) -> Mapping[Seat, Choice]:
        """Who voted how in the last ballot, where that was open and is kept."""
        return {}


class Council(Silences, Meeting):
    """A meeting."""

    decided: Annotated[tuple[Decision, ...], Field(max_length=MOST_BALLOTS)] = ()

    def remembering(self, tally: Tally, motion: Motion, votes: Mapping[Seat, Choice]) -> Self:
        is_amendment = self.ballot == "amendment"
        title = NO_TEXT if is_amendment else motion.title
        clauses = (motion.amendments[0].text,) if is_amendment else motion.clauses
        decision = Decision(**tally.model_dump(), title=title, clauses=clauses, votes=votes)
        return self.model_copy(update={"decided": (*self.decided, decision)})

    @property
    def last_votes(self) -> Mapping[Seat, Choice]:
        return self.decided[-1].votes if self.decided else {}

    @property
    def resolutions(self) -> str:
        return "".join(f"\n- {resolved(one)}" for one in self.decided if one.title)
