"""Why a beat came: the last line of what an agent is shown, so that even a weak mind knows what to answer."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from bot.core.hud.escape import one_line, unbracketed
from bot.core.hud.formats.lines import content_of
from bot.core.hud.knowledge import inline
from bot.core.hud.sections import Scope
from bot.core.hud.shown_rooms import room_name
from bot.core.hud.wording import FOUND, MEND, plural
from bot.core.kinds import ReasonKind
from bot.core.records import ARCHITECT_NAME, AgentId, Json, Message, Reason

MOST_NAMED: Final = 3  # reasons of one beat
LONGEST_NAME: Final = 60
LONGEST_QUOTED: Final = 300  # characters
PREVIEW: Final = "nothing called you: this is only a look at your view."


def why(scope: Scope, room_ids: Sequence[AgentId] = ()) -> str:
    """Word what made the agent look and what is expected of it; the most urgent reason comes first.

    One that is shown little, and these rooms, is told in the words that small models did best with (docs/models.md).
    """
    worded = partial(_in_few_words, one_room=len(room_ids) == 1) if scope.lean else _worded
    told = list(dict.fromkeys(worded(scope, reason) for reason in scope.reasons))
    more = f" And {plural(len(told) - MOST_NAMED, 'more reason')}." if len(told) > MOST_NAMED else ""
    return (" Also: ".join(told[:MOST_NAMED]) or PREVIEW) + more


def mending(trouble: str) -> str:
    """Give the line that asks once more for an answer that could not be used."""
    wrong = one_line(trouble)
    return f"\n{MEND}your answer could not be used: {wrong} Give only the answer again, as described above.\n"


def found(lookups: Sequence[Json], more: Mapping[str, Json], why_told: str) -> str:
    """Give what an agent looked up, as it stands below the view in which it asked, and why it is asked once more."""
    shown = [one for one in lookups if isinstance(one, dict)]
    lines = [FOUND, *(f"- {one_line(str(one['question']))}: {inline(one['answer'])}" for one in shown)]
    if more:
        lists = [told for told in more.values() if isinstance(told, list)]
        lines += [">>> MORE ACTIONS <<<", *(f"- {line}" for told in lists for line in told)]
    return "\n".join(["", *lines, f"why: {why_told}", ""])


def _worded(scope: Scope, reason: Reason) -> str:
    where = _room(scope, reason.room_id)
    name = _short(scope.agent.name)
    match reason.kind:
        case ReasonKind.ADDRESSED:
            message = _message(scope, reason)
            who, said = _sender(scope, reason, message), f" in message {message.id}" if message is not None else ""
            thread = _thread(message) if message is not None else ""
            return f"{who} spoke to you{said}{where}{thread}: answer it there, as {name}."
        case ReasonKind.TURN:
            return "it is your turn."
        case ReasonKind.ACCESS:
            return "somebody knocks at your room: decide with grant_access or deny_access."
        case ReasonKind.ANSWER:
            asked = f" Then answer{where}, as {name}." if reason.mentioned else ""
            return f"what you looked up or asked for is here, under LOOKUPS or RECENT ACTIONS: use it.{asked}"
        case ReasonKind.WOKEN if reason.by_agent_id is None and _is_unspoken(scope, reason.room_id):
            return f"you are new here, and have a room of your own{where}: say hello there as {name}, in a sentence."
        case ReasonKind.WOKEN:
            there = " there" if where else ""
            return f"{_waker(scope, reason)} woke you{where}: look what you are needed for and say so{there}."
        case ReasonKind.TIMER:
            return "the time you slept until has come: go on with what you planned, or sleep again."
        case ReasonKind.AMBIENT:
            return (
                f"{_news(scope, reason)}{where}: speak only if you have something to add as {name}, else stay silent."
            )
        case ReasonKind.INITIATIVE:
            return (
                f"it has been quiet{where}: begin something of your own there as {name} "
                "(a thought, a question, a task), or stay silent."
            )


def _in_few_words(scope: Scope, reason: Reason, *, one_room: bool) -> str:
    """Word a reason with what was said, for a weak mind answers what stands last."""
    where = "" if one_room else _room(scope, reason.room_id)
    silent = 'leave message empty ("")' if one_room else "leave responses empty"
    message = _message(scope, reason) if reason.kind is ReasonKind.ADDRESSED else None
    if message is not None:
        who, said = _sender(scope, reason, message), inline(_cut(content_of(message), LONGEST_QUOTED))
        place = f" in message {message.id}{where}{_thread(message)}"
        return (
            f"{who} says to you{place}: {said} Answer {who}{where}, as {_short(scope.agent.name)}, from what "
            "you remember and what stands above; what you are asked to do, do with an action."
        )
    if reason.kind is ReasonKind.AMBIENT:
        return (
            f"{_news(scope, reason)}{where}, and nobody spoke to you: stay silent, that is, {silent}, unless you know "
            "something they need."
        )
    return _worded(scope, reason)


def _thread(message: Message) -> str:
    return f" (thread {_short(unbracketed(message.thread_name))})" if message.thread_name else ""


def _is_unspoken(scope: Scope, room_id: AgentId | None) -> bool:
    """Whether it is the agent's own room and nobody has said anything there: it is new."""
    room = scope.view.rooms.get(scope.agent.id)
    return room_id == scope.agent.id and room is not None and not room.messages


def _message(scope: Scope, reason: Reason) -> Message | None:
    """Give the message that gave the reason, if the agent may see it."""
    room = scope.view.rooms.get(reason.room_id) if reason.room_id is not None else None
    if room is None or (scope.agent.id, room.room.id) not in scope.view.memberships:
        return None
    visible = scope.view.visible(scope.agent.id, room)
    return next((message for message in visible if message.id == reason.message_id), None)


def _sender(scope: Scope, reason: Reason, message: Message | None) -> str:
    if message is not None and message.sender.agent_id is None:
        return _short(message.sender.shown())
    return _agent(scope, message.sender.agent_id if message is not None else reason.by_agent_id)


def _waker(scope: Scope, reason: Reason) -> str:
    """Name an agent, or the person: only people who run the server wake agents, and one who spoke has a name."""
    if reason.by_agent_id is not None or reason.person_id is None:
        return _agent(scope, reason.by_agent_id)
    rooms = scope.view.rooms_of(scope.agent.id, scope.side)
    lines = (one for room in rooms for one in reversed(scope.view.visible(scope.agent.id, room)))
    said = next((one for one in lines if one.sender.person_id == reason.person_id), None)
    return _sender(scope, reason, said) if said is not None else ARCHITECT_NAME


def _agent(scope: Scope, agent_id: AgentId | None) -> str:
    agent = scope.view.agents.get(agent_id) if agent_id is not None else None
    return f"{_short(agent.name)} (agent {agent.id})" if agent is not None else "somebody"


def _room(scope: Scope, room_id: AgentId | None) -> str:
    return f" in room {room_id} ({_short(room_name(scope, room_id))})" if room_id is not None else ""


def _news(scope: Scope, reason: Reason) -> str:
    room = scope.view.rooms.get(reason.room_id) if reason.room_id is not None else None
    membership = scope.view.memberships.get((scope.agent.id, reason.room_id)) if reason.room_id is not None else None
    if room is None or membership is None:
        return "something was said"
    seen = scope.view.visible(scope.agent.id, room)
    fresh = sum(one.id > membership.seen_until and one.sender.agent_id != scope.agent.id for one in seen)
    return f"{plural(fresh, 'new message')} since you looked" if fresh else "something was said"


def _short(text: str) -> str:
    return _cut(one_line(text), LONGEST_NAME)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
