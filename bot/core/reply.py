"""A model's text becomes per-agent replies, item by item: what is valid stands, the rest is refused one by one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import ValidationError

from bot.core import spellings
from bot.core.actions import BY_NAME, Action, SendMessage
from bot.core.errors import Rejected
from bot.core.items import as_action, first_of, problem_of
from bot.core.kinds import OutputFormat
from bot.core.reading import read_answer
from bot.core.records import AgentId, Json

MOST_ITEMS = 50
Refusal = tuple[str, str]  # (what, why)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReply:
    """One agent's part: what it says comes first among its actions, as `send_message`."""

    agent_id: AgentId
    thoughts: str = ""
    actions: tuple[Action, ...] = ()
    rejected: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedReply:
    """An answer by agent; who is `unusable` is to be asked again, who was left out of a whole answer is silent."""

    replies: Mapping[AgentId, AgentReply] = field(default_factory=dict)
    unusable: frozenset[AgentId] = frozenset()
    rejected: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether anything could be read."""
        return bool(self.replies)


def parse_reply(text: str, *, asked: Sequence[AgentId], output_format: OutputFormat = OutputFormat.JSON) -> ParsedReply:
    """Read an answer to a call for the asked agents; it never raises."""
    read = read_answer(text, output_format)
    if read.data is None:
        return ParsedReply(unusable=frozenset(asked), rejected=("The answer is not in the format asked for.",))
    replies: dict[AgentId, AgentReply] = {}
    rejected: list[str] = []
    spoiled: set[AgentId] = set()
    for part in _parts(read.data):
        agent_id, why = _whose(part, asked)
        if agent_id is None or agent_id in replies:
            rejected.append(why or f"Agent {agent_id} answered twice: the first answer counts.")
        elif (reply := _reply_of(agent_id, part)) is None:
            spoiled.add(agent_id)
        else:
            replies[agent_id] = reply
    left_out = [agent_id for agent_id in asked if agent_id not in replies and agent_id not in spoiled]
    if read.whole and (replies or not rejected):
        replies |= {agent_id: AgentReply(agent_id=agent_id) for agent_id in left_out}
    unusable = frozenset(agent_id for agent_id in asked if agent_id not in replies)
    return ParsedReply(replies=replies, unusable=unusable, rejected=tuple(rejected))


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
    given = first_of(part, spellings.AGENT_FIELDS["agent_id"])
    if given is None and len(asked) == 1:
        return asked[0], ""
    number = str(given).strip().removesuffix(".0")
    for agent_id in asked:
        if number == str(agent_id) and not isinstance(given, bool):
            return agent_id, ""
    return None, f"Agent {number[:40]} was not asked."


def _reply_of(agent_id: AgentId, part: Json) -> AgentReply | None:
    if not isinstance(part, dict):
        return None
    known = {name for names in spellings.AGENT_FIELDS.values() for name in names}
    if not known & {key.lower() for key in part}:
        return None
    actions: list[Action] = []
    rejected: list[Refusal] = []
    for item in _listed(first_of(part, spellings.AGENT_FIELDS["responses"]), "responses", rejected):
        _take_response(item, actions, rejected)
    for item in _listed(first_of(part, spellings.AGENT_FIELDS["actions"]), "actions", rejected):
        _take_action(item, actions, rejected)
    thoughts = first_of(part, spellings.AGENT_FIELDS["thoughts"])
    return AgentReply(
        agent_id=agent_id,
        thoughts=thoughts if isinstance(thoughts, str) else "",
        actions=tuple(actions),
        rejected=tuple(rejected),
    )


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


def _take_response(item: Json, actions: list[Action], rejected: list[Refusal]) -> None:
    if isinstance(item, str) and item.strip().lower() in spellings.SILENCE:
        return
    if not isinstance(item, dict):
        rejected.append(("send_message", "Say which room it is for: {room_id, message}."))
        return
    message = first_of(item, spellings.RESPONSE_FIELDS["message"])
    if message is None or (isinstance(message, str) and message.strip().lower() in spellings.SILENCE):
        return
    room_id = first_of(item, spellings.RESPONSE_FIELDS["room_id"])
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
