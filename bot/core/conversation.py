"""Who talks with whom in a room: what a line without a name most likely answers, told by a few plain rules."""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from bot.core.kinds import SenderKind
from bot.core.records import AgentId, Message, MessageId, Sender

ANSWERED_IN: Final = timedelta(minutes=5)  # so long the next line of whom an agent spoke to is its answer
ASKED_IN: Final = timedelta(minutes=3)  # and, when the agent asked something, the line after that as well
GOES_ON_IN: Final = timedelta(minutes=1)  # so long an agent's words without a name are for whom it talked with
FITTING_LINES: Final = 4  # of a person since the agent spoke, within which a rare word of the agent's tells
NEAR: Final = 10  # lines whose words are not rare
TAKEN_UP_LETTERS: Final = 5  # of a word that tells whose words are taken up
NAME_LETTERS: Final = 3
REMEMBERED_CHARACTERS: Final = 500

_WORD: Final = re.compile(r"[\w./-]{4,}")
_COMMAND: Final = re.compile(r"\s*![^\W\d]")  # as other bots are called: !play
_AROUND: Final = ".,:;!?…\"'()<>*_"
Who = str  # an agent's or a person's key


@dataclass(frozen=True, slots=True)
class Guess:
    """The agent that a line is for; `sure`: the next line of whom it spoke to, not only a likely one."""

    agent_id: AgentId
    sure: bool


@dataclass(slots=True)
class _Words:
    """What somebody said last to somebody."""

    of: Sender
    id: MessageId
    at: datetime
    asked: bool
    words: frozenset[str]
    lines: int = 0  # of whom it was said to, since


@dataclass(frozen=True, slots=True)
class _Near:
    """A line of the last ones."""

    who: Who
    id: MessageId
    words: frozenset[str]


@dataclass(slots=True)
class Conversation:
    """Follows a room line by line. `named`: the agents that each line names (`addressing.named_in`)."""

    named: dict[int, frozenset[AgentId]] = field(default_factory=dict)
    _heard: dict[Who, _Words] = field(default_factory=dict)  # the last words to a person
    _partner: dict[Who, tuple[Who, datetime]] = field(default_factory=dict)  # with whom one talked last
    _names: dict[str, Who] = field(default_factory=dict)
    _authors: dict[int, Sender] = field(default_factory=dict)
    _near: deque[_Near] = field(default_factory=lambda: deque(maxlen=NEAR))

    def follow(self, line: Message, named: frozenset[AgentId]) -> None:
        """Take in the next line, which names these agents."""
        self.named[line.id] = named
        if line.sender.kind is not SenderKind.SYSTEM:
            self._take(line)

    def guess(self, line: Message) -> Guess | None:
        """Tell which agent a person's line without a reply is for; None when it goes elsewhere or fits nobody."""
        heard = self._heard_by(line.sender)
        if heard is None or heard.of.agent_id is None or self.goes_elsewhere(line):
            return None
        if self._takes_up_others(line, heard):
            return None
        age = line.sent_at - heard.at
        if heard.lines == 0:
            return Guess(heard.of.agent_id, sure=True) if age <= ANSWERED_IN else None
        asked = heard.asked and heard.lines == 1 and age <= ASKED_IN
        fits = heard.lines < FITTING_LINES and age <= ANSWERED_IN and self._fits(line, heard)
        return Guess(heard.of.agent_id, sure=False) if asked or fits else None

    def goes_elsewhere(self, line: Message) -> bool:
        """Tell whether a line calls another bot, or names a person who spoke here, an agent, or whoever it mentions."""
        if _COMMAND.match(line.content) or self.named.get(line.id):
            return True
        return any(True for _ in self._called(line))

    def _heard_by(self, sender: Sender) -> _Words | None:
        """Give the last words to a person, who may have been mentioned before they ever spoke here."""
        heard = [one for key in (_who(sender), _mentioned(sender.name)) if (one := self._heard.get(key)) is not None]
        return max(heard, key=lambda one: one.at) if heard else None

    def _called(self, line: Message) -> Iterator[Who]:
        """The people that a line calls by name, and strangers that it mentions."""
        own = _who(line.sender)
        for name, is_mention in _read(line.content).called:
            who = self._names.get(name) if len(name) >= NAME_LETTERS else None
            if who is None and is_mention:
                who = _mentioned(name)
            if who is not None and who != own:
                yield who

    def _take(self, line: Message) -> None:
        who, words = _who(line.sender), _read(line.content).words
        spoken_to = self._spoken_to(line)
        if line.sender.agent_id is None:
            self._note_line(line)
        self._note_words(line, spoken_to, words)
        if spoken_to:
            self._partner[who] = (spoken_to[-1], line.sent_at)
        if line.sender.agent_id is None:
            self._partner.update(dict.fromkeys(spoken_to, (who, line.sent_at)))
            if len(line.sender.name) >= NAME_LETTERS:
                self._names[line.sender.name.casefold()] = who
        self._authors[line.id] = line.sender
        self._near.append(_Near(who, line.id, words))

    def _spoken_to(self, line: Message) -> list[Who]:
        """To whom a line was said: whom it names or answers, else with whom its author was talking."""
        called = [*self._called(line), *(f"agent {id_}" for id_ in sorted(self.named.get(line.id, ())))]
        original = self._authors.get(line.reply_to) if line.reply_to is not None else None
        if original is not None:
            called.append(_who(original))
        if called:
            return called
        if line.sender.agent_id is not None:
            partner = self._partner.get(_who(line.sender))
            return [partner[0]] if partner is not None and line.sent_at - partner[1] <= GOES_ON_IN else []
        guess = self.guess(line)
        return [f"agent {guess.agent_id}"] if guess is not None else []

    def _note_line(self, line: Message) -> None:
        """A person spoke: the words last said to them are answered, or they turned to somebody else."""
        for key in {_who(line.sender), _mentioned(line.sender.name)} & self._heard.keys():
            self._heard[key].lines += 1
            if line.reply_to is not None or self.goes_elsewhere(line):
                del self._heard[key]

    def _note_words(self, line: Message, spoken_to: Iterable[Who], words: frozenset[str]) -> None:
        for person in spoken_to:
            if not person.startswith("agent "):
                self._heard[person] = _Words(line.sender, line.id, line.sent_at, "?" in line.content, words)

    def _fits(self, line: Message, heard: _Words) -> bool:
        """Whether the line shares a word with what the agent said that nobody else used just now."""
        common = {word for near in self._others(line, heard) for word in near.words}
        return bool(heard.words & _read(line.content).words - common)

    def _takes_up_others(self, line: Message, heard: _Words) -> bool:
        """Whether somebody spoke since the agent, and the line takes up a word of others that the two did not use."""
        others = self._others(line, heard)
        if not any(near.id > heard.id for near in others):
            return False
        ours = heard.words.union(*(near.words for near in self._near if near not in others))
        new = {word for word in _read(line.content).words - ours if len(word) >= TAKEN_UP_LETTERS}
        return any(new & near.words for near in others)

    def _others(self, line: Message, heard: _Words) -> list[_Near]:
        """Give the last lines of all but the two."""
        two = (_who(line.sender), _who(heard.of))
        return [near for near in self._near if near.who not in two]


@dataclass(frozen=True, slots=True)
class _Read:
    """What is looked for in a line: its words, and what may be names, with whether they are mentions."""

    words: frozenset[str]
    called: tuple[tuple[str, bool], ...]


def _read(content: str) -> _Read:
    """Read a line; one of the usual length is read once, though it is asked about with each line that follows it."""
    return _short(content) if len(content) <= REMEMBERED_CHARACTERS else _anew(content)


def _anew(content: str) -> _Read:
    bare = (token.strip(_AROUND) for token in content.split())
    named = ((word.removeprefix("@").casefold(), word.startswith("@")) for word in bare)
    called = tuple((name, mention) for name, mention in named if name and (mention or len(name) >= NAME_LETTERS))
    return _Read(frozenset(_WORD.findall(content.casefold())), called)


_short = lru_cache(maxsize=1_024)(_anew)


def _mentioned(name: str) -> Who:
    """Give the key of somebody who is known by a mention alone."""
    return f"@{name.casefold()}"


def _who(sender: Sender) -> Who:
    return f"agent {sender.agent_id}" if sender.agent_id is not None else f"person {sender.person_id}"
