"""Whom a message addresses, and how plainly (docs/heartbeat.md#whom-a-line-is-for)."""

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import IntEnum
from functools import lru_cache

from bot.core.conversation import Conversation
from bot.core.kinds import ReasonKind, SenderKind
from bot.core.names import LONGEST_ALIAS, MOST_ALIASES
from bot.core.records import Agent, AgentId, Message, MessageId, Sender, Snowflake
from bot.core.view import Glance, Outline, RoomView

BARE_NAME_LETTERS = 3
READ_CHARACTERS = 500  # of an earlier line
REMEMBERED = 2_048  # earlier lines in which names were looked for, of all communities together
Called = tuple[AgentId, str, tuple[str, ...], bool]  # id, name, aliases, whether the bare name counts
Words = Mapping[str, tuple[tuple[AgentId, bool], ...]]  # whom each word calls

_FIRST = re.compile(r"\w+|\S")
_STARTS = re.compile(rf"(?<![\w@])(?=(@?)({_FIRST.pattern})?)")  # where a word may begin, and with what


class Way(IntEnum):
    """How a message addresses an agent, the plainest first; LIKELY: it may well, so the agent looks soon."""

    MENTIONED = 1
    REPLIED = 2
    OWN_ROOM = 3
    GOING_ON = 4
    LIKELY = 5

    @property
    def by_name(self) -> bool:
        """Whether it was mentioned or replied to, which goes first at the floor."""
        return self in (Way.MENTIONED, Way.REPLIED)


def ways_of(view: Glance, room: RoomView, message: Message, *, replied: Message | None = None) -> dict[AgentId, Way]:
    """Give the members that the message addresses; `replied`: the message it answers, if older than the view."""
    return Addressees(view, room).of(message, replied=replied)


@dataclass(slots=True)
class _Talk:
    """A conversation, and which lines it followed so far."""

    followed: list[MessageId] = field(default_factory=list)
    exchange: Conversation = field(default_factory=Conversation)


class Addressees:
    """Whom the lines of one room address: asked in the order of the lines, each of them is followed only once."""

    def __init__(self, view: Glance, room: RoomView) -> None:
        self._view = view
        self._room = room
        self._agents = tuple(view.agents[id_] for id_ in room.members if id_ in view.agents)
        self._names = _names_of(self._agents)
        self._talks: dict[Snowflake | None, _Talk] = {}  # by thread

    def of(self, message: Message, *, replied: Message | None = None, calls_host: bool = False) -> dict[AgentId, Way]:
        """Give the members that a message addresses.

        `replied`: the message it answers, if older than the view; `calls_host`: if nobody is named, the owner is meant.
        """
        plain = self._plainly(message, replied)
        owner_id = self._room.room.owner_id
        if calls_host and not plain and owner_id in self._room.members and owner_id != message.sender.agent_id:
            return {owner_id: Way.MENTIONED}
        if plain or not message.sender.is_human:
            return plain
        exchange = self._exchange(message)
        goes_elsewhere = message.reply_to is not None or exchange.goes_elsewhere(message)
        guess = None if goes_elsewhere else exchange.guess(message)
        if guess is not None and guess.sure:
            return {guess.agent_id: Way.GOING_ON}
        room = self._room
        if _only_person(self._view, room, message):
            return {room.room.owner_id: Way.OWN_ROOM} if room.room.owner_id in room.members else {}
        if not goes_elsewhere and (going_on := self._talk_goes_on(message)):
            return dict.fromkeys(going_on, Way.GOING_ON)
        return {guess.agent_id: Way.LIKELY} if guess is not None else {}

    def _exchange(self, message: Message) -> Conversation:
        """Who talked with whom before the message, where it was said."""
        lines = [one for one in self._room.messages if one.id < message.id and one.thread_id == message.thread_id]
        talk = self._talks.get(message.thread_id)
        if talk is None or talk.followed != [one.id for one in lines[: len(talk.followed)]]:
            talk = self._talks[message.thread_id] = _Talk()  # a line came in late, before those that were followed
        for line in lines[len(talk.followed) :]:
            talk.exchange.follow(_shortened(line), self._named(line))
            talk.followed.append(line.id)
        talk.exchange.named[message.id] = _found(message.content, self._names)
        return talk.exchange

    def _named(self, line: Message) -> frozenset[AgentId]:
        """Whom an earlier line names, as far as it is read."""
        return _found_before(line.content[:READ_CHARACTERS], self._names) - {line.sender.agent_id}

    def _plainly(self, message: Message, replied: Message | None) -> dict[AgentId, Way]:
        own = message.sender.agent_id
        names = self._names if own is None else _names_of(one for one in self._agents if one.id != own)
        return self._called(message, _found(message.content, names), replied)

    def _called(self, message: Message, named: Iterable[AgentId], replied: Message | None = None) -> dict[AgentId, Way]:
        """Whom a message names or answers."""
        ways = dict.fromkeys(named, Way.MENTIONED)
        answered = _answered(self._room, message, replied)
        if answered is not None and any(agent.id == answered != message.sender.agent_id for agent in self._agents):
            ways.setdefault(answered, Way.REPLIED)
        return ways

    def _talk_goes_on(self, message: Message) -> tuple[AgentId, ...]:
        """The agents with whom the person was talking just now, nobody else having spoken since."""
        gap = timedelta(minutes=self._view.config.conversation_minutes)
        after = message
        answered_by: set[AgentId] = set()
        for other in _earlier(self._room, message):
            if after.sent_at - other.sent_at > gap:
                return ()
            if other.sender.agent_id is not None:
                answered_by.add(other.sender.agent_id)
            elif not same_person(other.sender, message.sender):
                return ()
            elif partners := self._called(other, self._named(other)):
                return tuple(id_ for id_ in partners if answered_by <= {id_} and _attends(self._view, id_, message))
            after = other
        return ()


def _shortened(line: Message) -> Message:
    """Give an earlier line as far as it is read: all of them are read for each new one."""
    long = len(line.content) > READ_CHARACTERS
    return replace(line, content=line.content[:READ_CHARACTERS]) if long else line


def named_in(content: str, agents: tuple[Agent, ...]) -> frozenset[AgentId]:
    """Give the agents that a text mentions: `@Name`, an alias, or the bare name as a word; longer names win."""
    return _found(content, _names_of(agents))


def _names_of(agents: Iterable[Agent]) -> "Names":
    return _calls(
        tuple(
            (
                agent.id,
                agent.name,
                agent.aliases[:MOST_ALIASES],
                agent.listens_to_bare_name and _letters(agent.name) >= BARE_NAME_LETTERS,
            )
            for agent in agents
        )
    )


def _found(content: str, names: "Names") -> frozenset[AgentId]:
    """Look only where the first sign or run of letters of a known name stands."""
    text, end = content.casefold(), 0
    here = names.lengths.keys() & set(_FIRST.findall(text))
    if not here:
        return frozenset()
    found: set[AgentId] = set()
    for start in _STARTS.finditer(text):
        if start.start() < end or not (start[2] in here or (start[1] and "@" in here)):
            continue
        for at, first in (("@", start[2]), ("", "@")) if start[1] else (("", start[2]),):
            begin = start.start() + len(at)
            word = _longest(text, begin, names.lengths.get(first, ()), names.words)
            if word is not None:
                found.update(id_ for id_, bare in names.words[word] if bare or at)
                end = begin + len(word)
                break
    return frozenset(found)


# An earlier line is asked about again with each new one of its room, mostly about the same names.
_found_before = lru_cache(maxsize=REMEMBERED)(_found)


def _longest(text: str, begin: int, lengths: Iterable[int], words: Container[str]) -> str | None:
    """Give the first of these many characters that are a whole word somebody is called by."""
    for length in lengths:
        word, after = text[begin : begin + length], text[begin + length : begin + length + 1]
        if word in words and not (after.isalnum() or after == "_"):
            return word
    return None


def _letters(name: str) -> int:
    return sum(character.isalpha() for character in name)


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """What some agents are called by; the same for the same agents, so that what was found with it can be kept.

    `lengths`: how long the words are that begin with the same sign or run of letters, the longest first.
    """

    lengths: Mapping[str, Sequence[int]]
    words: Words


@lru_cache(maxsize=512)
def _calls(forms: tuple[Called, ...]) -> Names:
    words: dict[str, tuple[tuple[AgentId, bool], ...]] = {}
    lengths: defaultdict[str, set[int]] = defaultdict(set)
    for id_, name, aliases, bare in forms:
        for word, counts_bare in ((name, bare), *((alias[:LONGEST_ALIAS], True) for alias in aliases)):
            key = word.strip().casefold()
            if first := _FIRST.match(key):
                words[key] = (*words.get(key, ()), (id_, counts_bare))
                lengths[first[0]].add(len(key))
    return Names({first: sorted(some, reverse=True) for first, some in lengths.items()}, words)


def _answered(room: RoomView, message: Message, replied: Message | None) -> AgentId | None:
    if message.reply_to is None:
        return None
    original = replied or _find(room, message.reply_to)
    return original.sender.agent_id if original is not None else None


def _find(room: RoomView, message_id: MessageId) -> Message | None:
    return next((message for message in reversed(room.messages) if message.id == message_id), None)


def _earlier(room: RoomView, message: Message) -> Iterator[Message]:
    """The messages before this one, newest first, without System's."""
    for other in reversed(room.messages):
        if other.id < message.id and other.sender.kind is not SenderKind.SYSTEM:
            yield other


def _only_person(view: Outline, room: RoomView, message: Message) -> bool:
    since = message.sent_at - timedelta(minutes=view.config.own_room_minutes)
    recent = (other for other in _earlier(room, message) if other.sent_at >= since and other.sender.is_human)
    return all(same_person(other.sender, message.sender) for other in recent)


def same_person(one: Sender, other: Sender) -> bool:
    """Tell whether two human senders are the same person."""
    return one.is_human and other.is_human and one.person_id == other.person_id


def _attends(view: Glance, agent_id: AgentId, message: Message) -> bool:
    """Whether the agent spoke in its last beat, or is still about to answer this person here."""
    waiting = (
        reason.kind is ReasonKind.ADDRESSED
        and reason.room_id == message.room_id
        and reason.person_id == message.sender.person_id
        for reason in view.reasons.get(agent_id, ())
    )
    return not view.agents[agent_id].last_beat_silent or any(waiting)
