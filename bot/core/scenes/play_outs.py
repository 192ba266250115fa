"""A scene played out by rules alone, before anybody begins it: how often each seat is asked, and how long it takes.

Who moves is for the caller; nothing here knows a store, a model or Discord.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from bot.core.errors import Rejected
from bot.core.records import Json
from bot.core.scenes.kind import RULES, Event, Expect, Over, Seat, Wait
from bot.core.scenes.moves import proposed
from bot.core.scenes.play import Entry, Play, Rule, Standing, Step
from bot.core.scenes.records import Scene, SceneEvent
from bot.core.scenes.showing import TEXT, Turn, play_of, shown_at
from bot.core.scenes.windows import unseen_lengths

AGENT_SECONDS, PERSON_SECONDS = 8.0, 40.0  # of a turn, about: thinking, typing, pressing
TRIES = 3  # of one turn
MOST_ASKED = 2_000  # of one play-out: longer than any that goes on


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A move as a seat proposes it, and how many tokens it was shown."""

    move: str
    arguments: Mapping[str, Json]
    tokens: int = 0


Answer = Callable[[Turn], Answered]


@dataclass(kw_only=True)
class PlayOut:
    """One play-out; of each seat how often it was asked, and how many tokens it was shown in all."""

    scene: Scene
    play: Play
    answer: Answer
    people: frozenset[Seat] = frozenset()
    asked: Counter[Seat] = field(default_factory=Counter)
    tokens: Counter[Seat] = field(default_factory=Counter)
    seconds: float = 0.0
    events: list[SceneEvent] = field(default_factory=list)
    standing: Standing | None = None

    def went_on(self, steps: int) -> bool:
        """Play so many steps more, which is one piece of work; False once it is at its end."""
        names = {one.seat: f"Seat {one.seat}" for one in self.scene.seats}
        standing = self.standing or self._told(self.play.begin(self.scene.taken))
        for _ in range(steps):
            if isinstance(standing.awaits, Over) or self.asked.total() >= MOST_ASKED:
                return False
            before = standing.window
            self.standing = standing = self._step(standing, names)
            if standing.window != before:
                self.seconds += self._seconds(standing)
        return True

    def _step(self, standing: Standing, names: Mapping[Seat, str]) -> Standing:
        awaits = standing.awaits
        if isinstance(awaits, Wait) and awaits.choices:
            return self._enter(standing, Rule.CHOOSE, awaits.choices[standing.step % len(awaits.choices)])
        if isinstance(awaits, Wait):
            return self._enter(standing, Rule.DEADLINE)
        if standing.is_complete:
            return self._enter(standing, Rule.CLOSE)
        waited = standing.waited_for
        return self._turn(standing, waited[standing.step % len(waited)], names)

    def _turn(self, standing: Standing, seat: Seat, names: Mapping[Seat, str]) -> Standing:
        """Ask a seat until it moves; after some times it is passed over, as in a scene that is played."""
        why = ""
        for _ in range(TRIES):
            turn = shown_at(self.scene, self.play, standing, self.events, names, seat)
            answer = self.answer(replace(turn, refused=why))
            self.asked[seat] += 1
            self.tokens[seat] += answer.tokens
            try:
                found = proposed(
                    self.play.kind, standing.state, seat, answer.move, answer.arguments, texts=standing.texts
                )
                entry = Entry(
                    step=standing.step + 1, seat=seat, move=answer.move, arguments=found.move.model_dump(mode="json")
                )
                step = self.play.enter(standing, entry)
            except Rejected as no:
                why = no.sentence
                continue
            for number, text in enumerate(found.texts, standing.texts + 1):
                self._note(Event(text=text, speaker=seat, kind=TEXT), step.standing, number)
            return self._told(step)
        return self._enter(standing, Rule.SKIP, seat)

    def _enter(self, standing: Standing, rule: Rule, seat: Seat | None = None) -> Standing:
        arguments: dict[str, Json] = {} if seat is None else {"seat": seat}
        entry = Entry(step=standing.step + 1, seat=RULES, move=rule, arguments=arguments)
        return self._told(self.play.enter(standing, entry))

    def _told(self, step: Step) -> Standing:
        for event in step.events:
            self._note(event, step.standing)
        return step.standing

    def _note(self, event: Event, standing: Standing, number: int = 0) -> None:
        self.events.append(
            SceneEvent(
                id=len(self.events) + 1,
                step=standing.step,
                kind=event.kind,
                text=event.text,
                seat=event.speaker,
                number=number,
                audience=event.audience,
                at=self.scene.created_at,
            )
        )

    def _seconds(self, standing: Standing) -> float:
        """Give how long a window is thought to be open: as long as the slowest takes of those who are awaited."""
        awaits = standing.awaits
        if isinstance(awaits, Wait):
            if awaits.agent_seconds is None:
                return 0 if awaits.choices else awaits.seconds
            return awaits.seconds * self._lengths(standing) if self.people else awaits.agent_seconds
        if not isinstance(awaits, Expect):
            return 0.0
        is_slow = bool(self.people) if awaits.unseen else not self.people.isdisjoint(standing.waited_for)
        least = awaits.least_seconds * self._lengths(standing) if self.people and awaits.unseen else 0
        return max(PERSON_SECONDS if is_slow else AGENT_SECONDS, least)

    def _lengths(self, standing: Standing) -> int:
        return unseen_lengths(self.scene.seed, standing)


def begun(scene: Scene, answer: Answer, *, seed: str) -> PlayOut | None:
    """Begin to play a lobby's scene out as it could begin now; None where its kind is played no more."""
    play = play_of(replace(scene, seed=seed))
    if play is None:
        return None
    seats = tuple(replace(one, seat=place) for place, one in enumerate(scene.seats, 1))
    people = frozenset(one.seat for one in seats if one.person_id is not None)
    return PlayOut(scene=replace(scene, seed=seed, seats=seats), play=play, answer=answer, people=people)
