"""A model's text becomes per-agent replies, item by item: what is valid stands, the rest is refused one by one."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from pydantic import ValidationError

from bot.core import spellings
from bot.core.actions import BY_NAME, Action, Attach, CreateKey, Reply, ScheduleMessage, SendMessage
from bot.core.answer_items import as_action, first_of, problem_of
from bot.core.answer_text import read_answer
from bot.core.errors import Rejected
from bot.core.key_redaction import given_in, keys_in, keys_written
from bot.core.kinds import OutputFormat
from bot.core.plain_words import Speaker, own_messages, spoken, without_loop, without_thinking
from bot.core.records import AgentId, Json
from bot.core.storable import clean_text

MOST_ITEMS = 50
MOST_PARTS = 200  # no call asks so many agents
LONGEST_THOUGHTS = 20_000
ECHO = "that is what you were shown: say it in your own words."
SAYING: Final = (SendMessage, Reply, ScheduleMessage)
Refusal = tuple[str, str]  # (what, why)
BROKE_OFF: Final[Refusal] = (
    "answer",
    "Your answer broke off before its end, mostly for being too long: what came last is lost. "
    "Do what is missing, in shorter answers.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentAnswer:
    """One agent's part: what it says comes first among its actions, as `send_message`, and files beside it last."""

    agent_id: AgentId
    thoughts: str = ""
    actions: tuple[Action, ...] = ()
    rejected: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedAnswer:
    """An answer by agent; who is `unusable` is to be asked again, who was left out of a whole answer is silent.

    `keys`: what it gave for keys of rooms beside those that its actions name, to be blotted out of what is kept.
    """

    replies: Mapping[AgentId, AgentAnswer] = field(default_factory=dict)
    unusable: frozenset[AgentId] = frozenset()
    rejected: tuple[str, ...] = ()
    keys: frozenset[str] = frozenset()

    def given_keys(self, labels: Collection[str]) -> frozenset[str]:
        """Give all that it may have given for keys, to be blotted out of its own words; the label of a key is none."""
        named = [action for reply in self.replies.values() for action in reply.actions]
        new = [action.label for action in named if isinstance(action, CreateKey) and action.label]
        known = {label.casefold() for label in (*labels, *new)}
        return given_in(named, labels) | frozenset(key for key in self.keys if key.casefold() not in known)

    def trouble(self, agent_id: AgentId) -> str:
        """Say what was wrong where nothing of an agent's part can be used; empty when something can, and in silence."""
        reply = self.replies.get(agent_id)
        if reply is None:
            return next(iter(self.rejected), "it is not in the format asked for.")
        return reply.rejected[0][1] if reply.rejected and not reply.actions else ""

    @property
    def usable(self) -> bool:
        """Whether anything could be read."""
        return bool(self.replies)


def parse_answer(
    text: str,
    *,
    asked: Sequence[AgentId],
    output_format: OutputFormat = OutputFormat.JSON,
    speakers: Sequence[Speaker] = (),
    complete: bool = True,
) -> ParsedAnswer:
    """Read an answer to a call for the asked agents; it never raises.

    In a call of one whatever comes is that agent's; of `speakers` what they say is held against what they were shown,
    and plain words of the one of such a call are its message. Whose part was the last
    of one that is not `complete` is told that something of it is lost.
    What is not plain (core.answer_text) can take very long: that is for a workshop.
    """
    text = without_thinking(text)
    known = {speaker.agent_id: speaker for speaker in speakers}
    parsed = _as_data(text, asked, output_format, known, complete=complete)
    if parsed.usable or len(asked) != 1 or (sole := known.get(asked[0])) is None:
        return parsed
    return _in_words(text, asked[0], sole) or parsed


def _in_words(text: str, agent_id: AgentId, sole: Speaker) -> ParsedAnswer | None:
    """Take plain words for the message to the room that asked; where nobody asked they are thoughts."""
    if text.strip().lower() in spellings.SILENCE - {""}:
        return ParsedAnswer(replies={agent_id: AgentAnswer(agent_id=agent_id)})
    said = spoken(clean_text(text), sole)
    if not said:
        return None
    reply = AgentAnswer(agent_id=agent_id, thoughts=said)
    if sole.is_asked and sole.room_id is not None:
        lost = () if sole.is_whole else (BROKE_OFF,)
        reply = AgentAnswer(
            agent_id=agent_id, actions=(SendMessage(room_id=sole.room_id, message=said),), rejected=lost
        )
    return ParsedAnswer(replies={agent_id: reply})


def _as_data(
    text: str,
    asked: Sequence[AgentId],
    output_format: OutputFormat,
    known: Mapping[AgentId, Speaker],
    *,
    complete: bool,
) -> ParsedAnswer:
    read = read_answer(text, output_format)
    keys = (frozenset() if read.data is None else keys_in(read.data)) | (
        frozenset() if read.whole else keys_written(text)
    )
    if read.data is None:
        no = ("The answer is not in the format asked for.",)
        return ParsedAnswer(unusable=frozenset(asked), rejected=no, keys=keys)
    replies: dict[AgentId, AgentAnswer] = {}
    rejected: list[str] = []
    spoiled: set[AgentId] = set()
    for part in islice(_parts(read.data) if len(asked) != 1 else _ones(read.data, asked[0]), MOST_PARTS):
        agent_id, why = _whose(part, asked)
        if agent_id is None or agent_id in replies:
            rejected.append(why or f"Agent {agent_id} answered twice: the first answer counts.")
        elif (reply := _reply_of(agent_id, part, known.get(agent_id))) is None:
            spoiled.add(agent_id)
        else:
            replies[agent_id] = reply
    if replies and not complete and (output_format is OutputFormat.TOON or not read.whole):
        last = next(reversed(replies))  # TOON has no end that could be missing
        replies[last] = replace(replies[last], rejected=(*replies[last].rejected, BROKE_OFF))
    left_out = [agent_id for agent_id in asked if agent_id not in replies and agent_id not in spoiled]
    if read.whole and (replies or not rejected):
        replies |= {agent_id: AgentAnswer(agent_id=agent_id) for agent_id in left_out}
    unusable = frozenset(agent_id for agent_id in asked if agent_id not in replies)
    return ParsedAnswer(replies=replies, unusable=unusable, rejected=tuple(rejected), keys=keys)


def _parts(data: Json) -> Iterator[Json]:
    """Give each agent's part, however the answer was wrapped."""
    if isinstance(data, list):
        yield from data
        return
    if not isinstance(data, dict) or not data:
        return
    for name in spellings.AGENT_LISTS:
        inner = data.get(name)
        if isinstance(inner, list) and not _is_about_one(data, name):
            yield from inner
            return
        if isinstance(inner, dict):
            yield from _by_id(inner)
            return
    yield data


def _ones(data: Json, agent_id: AgentId) -> list[Json]:
    """Give the parts of a call of one; that which names its agent comes first, for the first counts."""
    parts = [data] if _are_messages(data) else list(_parts(data))
    return sorted(parts, key=lambda part: not (isinstance(part, dict) and _named_id(part) == str(agent_id)))


def _are_messages(data: Json) -> bool:
    """Tell whether what stands under a word for agents' parts are messages to rooms, and nothing else."""
    listed = data.get("replies") if isinstance(data, dict) else None
    fields = {name for names in spellings.RESPONSE_FIELDS.values() for name in names}
    return isinstance(listed, list) and all(
        isinstance(one, dict) and len(one) > 1 and fields.issuperset(key.lower() for key in one) for one in listed
    )


def _is_about_one(data: Mapping[str, Json], name: str) -> bool:
    return name not in {"agents", "agent"} and "agent_id" in data


def _by_id(inner: Mapping[str, Json]) -> Iterator[Json]:
    """Take `{"5": {...}}` for a list of parts, and one part for itself."""
    if inner and all(key.isdigit() and isinstance(part, dict) for key, part in inner.items()):
        for key, part in inner.items():
            yield {"agent_id": key, **part} if isinstance(part, dict) else part
        return
    yield dict(inner)


def _whose(part: Json, asked: Sequence[AgentId]) -> tuple[AgentId | None, str]:
    if not isinstance(part, dict):
        return None, "A part of the answer is not an object."
    if len(asked) == 1:
        return asked[0], ""
    number = _named_id(part)
    for agent_id in asked:
        if number == str(agent_id):
            return agent_id, ""
    return None, f"Agent {number[:40]} was not asked."


def _named_id(part: Mapping[str, Json]) -> str:
    given = first_of(part, spellings.AGENT_FIELDS["agent_id"])
    return str(given).strip().removesuffix(".0")


def _reply_of(agent_id: AgentId, part: Json, speaker: Speaker | None) -> AgentAnswer | None:
    if not isinstance(part, dict):
        return None
    known = {name for names in spellings.AGENT_FIELDS.values() for name in names}
    if not known & {key.lower() for key in part}:
        return None
    actions: list[Action] = []
    rejected: list[Refusal] = []
    said = first_of(part, spellings.AGENT_FIELDS["responses"])
    if isinstance(said, str):  # a message by itself, its room beside it
        said = {"room_id": first_of(part, spellings.RESPONSE_FIELDS["room_id"]), "message": said}
    for item in _listed(said, "responses", rejected):
        _take_response(item, actions, rejected, speaker.room_id if speaker is not None else None)
    for item in _listed(first_of(part, spellings.AGENT_FIELDS["actions"]), "actions", rejected):
        _take_action(item, actions, rejected)
    thoughts = first_of(part, spellings.AGENT_FIELDS["thoughts"])
    return AgentAnswer(
        agent_id=agent_id,
        thoughts=thoughts[:LONGEST_THOUGHTS] if isinstance(thoughts, str) else "",
        actions=tuple(sorted(_own(actions, speaker, rejected), key=lambda action: isinstance(action, Attach))),
        rejected=tuple(rejected),
    )


def _own(actions: Sequence[Action], speaker: Speaker | None, rejected: list[Refusal]) -> Iterator[Action]:
    """Give actions with of their messages what the agent says itself; refuse what is not its own."""
    texts = [action.message for action in actions if isinstance(action, SAYING)]
    own = iter(own_messages(texts, speaker) if speaker is not None else map(without_loop, texts))
    for action in actions:
        if not isinstance(action, SAYING):
            yield action
        elif said := next(own).strip():
            yield action if said == action.message else action.model_copy(update={"message": said})
        else:
            rejected.append((action.definition.name, ECHO))


def _listed(value: Json, what: str, rejected: list[Refusal]) -> list[Json]:
    match value:
        case None | "":
            return []
        case list():
            items = value
        case dict() if what == "responses" and all(key.isdigit() for key in value):
            items = [{"room_id": key, "message": text} for key, text in value.items()]
        case _:
            items = [value]
    if len(items) > MOST_ITEMS:
        rejected.append((what, f"Only the first {MOST_ITEMS} of {len(items)} {what} count."))
    return items[:MOST_ITEMS]


def _take_response(item: Json, actions: list[Action], rejected: list[Refusal], asked_in: AgentId | None) -> None:
    """Take a message; where it names no room it is for the one that asked, if it is known which."""
    if isinstance(item, str) and item.strip().lower() in spellings.SILENCE:
        return
    if isinstance(item, str) and asked_in is not None:
        item = {"message": item}
    if not isinstance(item, dict):
        rejected.append(("send_message", "Say which room it is for: {room_id, message}."))
        return
    message = first_of(item, spellings.RESPONSE_FIELDS["message"])
    if message is None or (isinstance(message, str) and message.strip().lower() in spellings.SILENCE):
        return
    room_id = first_of(item, spellings.RESPONSE_FIELDS["room_id"])
    room_id = asked_in if room_id is None else room_id
    try:
        actions.append(SendMessage.model_validate({"room_id": room_id, "message": message}))
    except ValidationError as error:
        rejected.append(("send_message", problem_of(error)))


def _take_action(item: Json, actions: list[Action], rejected: list[Refusal]) -> None:
    try:
        action = as_action(item)
    except Rejected as no:
        rejected.append((_named(item), no.sentence))
        return
    if isinstance(action, SendMessage) and action.message.strip().lower() in spellings.SILENCE:
        return
    actions.append(action)


def _named(item: Json) -> str:
    name = first_of(item, spellings.ACTION_TYPE) if isinstance(item, dict) else item
    return name if isinstance(name, str) and name in BY_NAME else "action"
