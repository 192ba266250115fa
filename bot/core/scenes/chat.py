"""`chat`: a talk by turns, about a topic, each seat with a brief of its own if one is given."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, ClassVar, Self

from pydantic import Field

from bot.core.records import Json
from bot.core.scenes.kind import (
    MOST_SEATS,
    Applied,
    Awaited,
    Chance,
    Event,
    Expect,
    Few,
    Form,
    Move,
    Options,
    Ordering,
    Over,
    Preset,
    SceneKind,
    Seat,
    Secrecy,
    Seen,
    TextId,
    UpToTurns,
    Venue,
    Wait,
    Words,
)
from bot.core.scenes.orderings import Order, Schedule, Twice, Unchosen
from bot.core.scenes.silence import Silences, Spoken, YieldsInARow
from bot.core.wording import counted

LONGEST_SAID = 150
MODERATOR = 1


class Say(Move):
    """Say something to everybody."""

    name: ClassVar[str] = "say"
    text: Annotated[TextId, Words(LONGEST_SAID)]


class Yield(Move):
    """Say nothing this time."""

    name: ClassVar[str] = "yield"


class ProposeEnd(Move):
    """Propose to end it here: it ends when more than half of the seats do."""

    name: ClassVar[str] = "propose_end"


class Talk(Spoken):
    """What a talk is in each version."""

    order: Order
    enders: Annotated[tuple[Seat, ...], Few] = ()
    said: int = 0
    turns_left: int

    def next(self) -> Expect | Wait | Over:
        speakers = self.order.speakers(self.present)
        if 2 * len(self.enders) > len(self.order.speakers(self.seats)):
            return self.closed("most of them proposed to end it")
        if self.is_quiet(speakers):
            return self.closed("nobody had more to say")
        return self.order.awaited(self.present)

    def legal(self, seat: Seat) -> tuple[Form, ...]:
        awaited = self.awaits
        if not isinstance(awaited, Expect) or seat not in awaited.seats:
            return ()
        if seat == self.order.moderator:
            return (self.order.form(self.present),) if self.order.is_scheduling else ()
        ending = () if seat in self.enders else (Form(ProposeEnd),)
        return (Form(Say), Form(Yield), *ending)

    def apply(self, seat: Seat, move: Move, chance: Chance) -> Applied:
        events: tuple[Event, ...] = ()
        after, update = self, dict[str, object](turns_left=max(0, self.turns_left - 1))
        match move:
            case Schedule(seats=seats):
                order = self.order.scheduled(seats, self.present, chance)
                return self._scheduled(order)
            case Say(text=text):
                events = (Event(text=f"{{t{text}}}", speaker=seat, kind="say"),)
                after = self.heard(self.heard_by).counting(seat)
                update["said"] = self.said + 1
            case ProposeEnd():
                events = (Event(text=f"{{s{seat}}} proposes to end it.", kind="propose_end"),)
                update |= {"enders": (*self.enders, seat)}
            case _:
                after = self.yielded_by(seat)
        update["order"] = self.order.after(self.present, chance)
        return Applied(after.model_copy(update=update), events)

    @property
    def heard_by(self) -> tuple[Seat, ...]:
        """Who is there of those that may answer: whoever moderates says nothing."""
        return self.order.speakers(self.present)

    @property
    def following(self) -> tuple[Seat, ...]:
        """Who is next, as far as that is known: nobody once it is over."""
        return () if isinstance(self.awaits, Over) else self.order.following(self.present)

    def counting(self, seat: Seat) -> Self:
        """Give what it is with one more word of a seat's counted, where such are counted."""
        return self

    @property
    def counts(self) -> Mapping[Seat, int]:
        """How often each has said something, where that is counted."""
        return {}

    def timeout(self, seat: Seat) -> Move:
        return Schedule(seats=()) if self.order.is_scheduling else Yield()

    def chosen(self, seat: Seat, chance: Chance) -> Applied:
        return Applied(self.model_copy(update={"order": self.order.model_copy(update={"current": seat})}))

    def lapsed(self, chance: Chance) -> Applied:
        return Applied(self.model_copy(update={"order": self.order.unchosen(self.present)}))

    def closed(self, why: str) -> Over:
        results = {seat: ("spoke", 0) for seat in self.seats}
        return Over(outcome=f"It is over: {why}.", results=results)

    def view(self, seat: Seat) -> Seen:
        awaited, facts = self.awaits, self._facts()
        return Seen(
            phase="talking",
            awaited=awaited.seats if isinstance(awaited, Expect) else (),
            facts=facts,
            private=(("Your brief", f"{{o.briefs.{seat}}}"),) if seat else (),
            picture={} if seat else self._picture(awaited, facts),
        )

    def _facts(self) -> tuple[tuple[str, str], ...]:
        facts = [("Topic", "{o.topic}"), ("Turns left", str(self.turns_left))]
        if following := self.following:
            facts.append(("Then", ", ".join(f"{{s{one}}}" for one in following)))
        if self.counts:
            most_first = sorted(self.counts.items(), key=lambda one: (-one[1], one[0]))
            facts.append(("Spoke", ", ".join(f"{{s{one}}} {times}" for one, times in most_first)))
        if self.enders:
            facts.append(("Would end it", ", ".join(f"{{s{one}}}" for one in self.enders)))
        return tuple(facts)

    def _picture(self, awaited: Awaited, facts: tuple[tuple[str, str], ...]) -> dict[str, Json]:
        """Give what the ring is drawn from: who speaks and follows, and how often each has spoken."""
        speaks = awaited.seats if isinstance(awaited, Expect) and not awaited.anyone else ()
        going_on = "Over" if isinstance(awaited, Over) else "Talking"
        seats: list[Json] = [
            {
                "seat": one,
                "note": ", ".join(self._notes(one)),
                "said": self.counts.get(one, 0),
                "speaks": one in speaks,
                "away": one in self.away,
            }
            for one in self.seats
        ]
        told = [going_on, *(f"{name}: {words}" for name, words in facts)]
        return {"seats": seats, "middle": [going_on, f"{counted(self.turns_left, 'turn')} left"], "told": [*told]}

    def _notes(self, seat: Seat) -> list[str]:
        following, times = self.following, self.counts.get(seat, 0)
        said = {
            "away": seat in self.away,
            "moderates": seat == self.order.moderator,
            f"spoke {times}×": times > 0,
            "next": seat in following[:1],
            "would end it": seat in self.enders,
        }
        return [word for word, holds in said.items() if holds]

    def _scheduled(self, order: Order) -> Applied:
        events: tuple[Event, ...] = ()
        if order.ordering is not self.order.ordering:
            events = (Event(text="From now on everybody speaks in the order of seats."),)
        return Applied(self.model_copy(update={"order": order}), events)


class Chat(Silences, Talk):
    """A talk."""

    spoke: Mapping[Seat, UpToTurns] = Field(
        default_factory=dict, max_length=MOST_SEATS
    )  # how often each has said something

    def counting(self, seat: Seat) -> Self:
        return self.model_copy(update={"spoke": {**self.spoke, seat: self.spoke.get(seat, 0) + 1}})

    @property
    def counts(self) -> Mapping[Seat, int]:
        return self.spoke


class Chat1(YieldsInARow, Talk):
    """A talk of version 1, which counted nobody's words."""


class Chat2(Chat):
    """A talk of version 2, in which who is left alone with the moderator was not alone."""

    @property
    def heard_by(self) -> tuple[Seat, ...]:
        return self.present


class ChatOptions(Options):
    """What a chat is about."""

    place: Venue = "thread"
    topic: str = Field(default="", max_length=300, description="what they talk about")
    opening: str = Field(default="", max_length=1_000, description="what happens at first")
    emotions: bool = Field(default=False, description="whether agents note what they feel, for themselves alone")
    twice: Twice = False
    unchosen: Unchosen = "pause"
    choosing_minutes: int = Field(default=10, ge=1, le=60, description="controlled: how long the starter may choose")
    briefs: dict[str, str] = Field(default_factory=dict, description="by seat: what only that seat is told")

    def begin(self, seats: tuple[Seat, ...], chance: Chance) -> Applied:
        moderator = MODERATOR if self.ordering is Ordering.MODERATED else 0
        order = Order(
            ordering=self.ordering,
            moderator=moderator,
            twice=self.twice,
            choosing_seconds=60 * self.choosing_minutes,
            goes_round=self.unchosen == "sequential",
        ).after(seats, chance)
        opening = (Event(text="{o.opening}", kind="opening"),) if self.opening else ()
        return Applied(self.begins_as()(seats=seats, order=order, turns_left=self.turns), opening)

    def begins_as(self) -> type[Talk]:
        """Give what it begins as in its version."""
        return Chat

    def refusal(self, seats: int) -> str:
        if self.ordering is Ordering.MODERATED and seats < 3:
            return "A moderated chat needs a moderator and two more: seat one more."
        return ""


class ChatOptions1(ChatOptions):
    """What a chat of version 1 is about."""

    def begins_as(self) -> type[Talk]:
        return Chat1


class ChatOptions2(ChatOptions):
    """What a chat of version 2 is about."""

    def begins_as(self) -> type[Talk]:
        return Chat2


CHAT = SceneKind(
    kind="chat",
    version=3,
    title="Chat",
    rules=(
        "A talk by turns. When it is your turn, say one thing, or yield. It ends when its turns are used up, when "
        "everybody yields in a row, or when more than half propose to end it. Speak as yourself, to the others; react "
        "to what was said last; do not repeat yourself."
    ),
    seats=(2, 12),
    secrecy=Secrecy.OPEN,
    orderings=(Ordering.SEQUENTIAL, Ordering.RANDOM, Ordering.CONTROLLED, Ordering.MODERATED, Ordering.FREE),
    options=ChatOptions,
    state=Chat,
    moves=(Say, Yield, ProposeEnd, Schedule),
    speech=(Say.name,),
    presets=(
        Preset(name="talk", title="A talk of 20 turns", options={"turns": 20, "topic": "whatever is on our minds"}),
        Preset(
            name="conflict",
            title="Emotional conflict: two who have to talk about it",
            options={
                "turns": 24,
                "emotions": True,
                "topic": "what happened last week",
                "opening": "They meet by chance, where neither can leave for a while.",
                "briefs": {
                    "1": "You told seat 2 a secret, and others know it now. You are hurt. Say what it did to you.",
                    "2": "You passed it on, and meant well. You are ashamed, and feel wronged as well. Be honest.",
                },
            },
        ),
    ),
)
CHATS_BEFORE = (
    replace(CHAT, version=1, options=ChatOptions1, state=Chat1),
    replace(CHAT, version=2, options=ChatOptions2, state=Chat2),
)
