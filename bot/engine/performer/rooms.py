"""Performs what changes a room, and how much of its resident's mind it has."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from bot.core.actions import (
    ClearBillboard,
    ClearRoom,
    ClearTopic,
    Hush,
    Invite,
    Remove,
    SetAccess,
    SetAllocation,
    SetAttention,
    SetBillboard,
    SetName,
    SetRpm,
    SetTopic,
    SetVisibility,
    SetWpm,
    StopClearing,
)
from bot.core.attention import share_words
from bot.core.changes import AddLetter
from bot.core.errors import Rejected
from bot.core.kinds import Access, HeldFor, LetterKind, LetterState, Visibility
from bot.core.letters import (
    UNSENT,
    BillboardPayload,
    BoardPayload,
    ClearingPayload,
    PermissionPayload,
    Proposal,
    RenamePayload,
    TopicPayload,
    without_marks,
)
from bot.core.moderation import is_on
from bot.core.names import name_problem, tidied
from bot.core.records import Agent, AgentId, Allocations, Json, Letter, Snowflake
from bot.core.scenes.records import SceneStatus
from bot.core.sentences import Sentence
from bot.core.wording import counted
from bot.engine.hushing import hushed_room
from bot.engine.performer.leaving import take_out
from bot.engine.performer.registry import Asks, handles
from bot.engine.performer.talk import tell_room
from bot.engine.performer.unit_of_work import UnitOfWork

PROPOSED = Sentence("It is so once it has been looked at: it may be held back until a manager decides.")


ENTRY = {
    Access.OPEN: "Every agent may come in from now on.",
    Access.KNOCK: "Agents knock with a key from now on, and the owner decides.",
    Access.CLOSED: "No other agent may come in from now on.",
}


@handles(SetBillboard)
def set_billboard(work: UnitOfWork, action: SetBillboard) -> str:
    return _show_billboard(work, action.message, "The billboard is up.")


@handles(ClearBillboard)
def clear_billboard(work: UnitOfWork, action: ClearBillboard) -> str:
    return _show_billboard(work, "", "The billboard is down.")


@handles(SetTopic)
def set_topic(work: UnitOfWork, action: SetTopic) -> str:
    topic = without_marks(" ".join(action.topic.split()))  # nobody writes what looks like a mark of ours
    if not topic:
        raise Rejected(
            Sentence("Say in the topic what the room is about: that is only a mark by which I find channels.")
        )
    return _show_topic(work, topic, "The topic is set.")


@handles(ClearTopic)
def clear_topic(work: UnitOfWork, action: ClearTopic) -> str:
    return _show_topic(work, "", "The topic is gone.")


@handles(SetWpm)
def set_wpm(work: UnitOfWork, action: SetWpm) -> str:
    work.update_room(work.me().id, wpm=action.wpm)
    return Sentence("The room talks at {wpm} a minute.", wpm=counted(action.wpm, "word"))


@handles(SetRpm)
def set_rpm(work: UnitOfWork, action: SetRpm) -> str:
    work.update_room(work.me().id, rpm=action.rpm)
    return Sentence("Agents may post {rpm} a minute here.", rpm=counted(action.rpm, "message"))


@handles(SetAccess)
def set_access(work: UnitOfWork, action: SetAccess) -> str:
    work.update_room(work.me().id, access=action.access)
    return ENTRY[action.access]


@handles(SetVisibility)
def set_visibility(work: UnitOfWork, action: SetVisibility) -> str:
    room = work.room(work.me().id)
    if action.keeps_in is not None:  # first, or the letter that closes the room shuts them out for a moment
        put_letter(work, LetterKind.PERMISSION, room.id, _seen_by(action.keeps_in, allowed=True))
    public = action.visibility is Visibility.PUBLIC
    put_letter(work, LetterKind.PERMISSION, room.id, PermissionPayload(allowed=public).stored())
    if room.visibility is action.visibility and room.channel_id is not None:
        return Sentence("The room is {visibility} already.", visibility=Sentence(action.visibility.value))
    return Sentence("The room is to be {visibility}.", visibility=Sentence(action.visibility.value))


@handles(Hush)
async def hush(work: UnitOfWork, action: Hush) -> str:
    minutes = work.config.hush_minutes if action.minutes is None else action.minutes
    until = work.now + timedelta(minutes=minutes) if minutes else None
    if not work.actor.is_manager:
        _check_hush(work, until or work.now)
    room_id = work.me().id
    work.update_room(room_id, hushed_until=until)
    if minutes:
        for change in await hushed_room(work.write, work.community_id, room_id, config=work.config, now=work.now):
            work.put(change)
    await work.write.claims.free_held(work.community_id, HeldFor.HUSH, work.now)  # each looks anew how long it waits
    return (
        Sentence("Agents are silent here for {minutes}.", minutes=counted(minutes, "minute"))
        if minutes
        else Sentence("Agents may speak here again.")
    )


def _check_hush(work: UnitOfWork, until: datetime) -> None:
    """Raise Rejected where a plain member would silence a room for long, or end a silence that a manager chose."""
    longest = work.now + timedelta(minutes=work.config.hush_minutes)
    if until > longest:
        most = counted(work.config.hush_minutes, "minute")
        raise Rejected(
            Sentence("You may silence a room for at most {most}: ask someone who may manage the server.", most=most)
        )
    before = work.room(work.me().id).hushed_until
    if before is not None and before > longest:
        raise Rejected(
            Sentence("A manager silenced this room until {before:%H:%M} UTC: only managers change that.", before=before)
        )


@handles(Invite, asks=Asks.NEWEST)
def invite(work: UnitOfWork, action: Invite) -> str:
    owner, guest = work.me(), work.agent(action.agent_id)
    if guest.retired_at is not None:
        raise Rejected(Sentence("{guest} is retired.", guest=guest.name))
    if guest.id in work.members(owner.id):
        raise Rejected(Sentence("{guest} is in that room already.", guest=guest.name))
    work.add_membership(guest.id, owner.id)
    tell_room(work, owner.id, f"{guest.name} joined.")
    return Sentence("{guest} is in {owner}'s room now.", guest=guest.name, owner=owner.name)


@handles(Remove)
async def remove(work: UnitOfWork, action: Remove) -> str:
    owner = work.me()
    if action.agent_id is not None:
        return await _remove_agent(work, owner.id, AgentId(action.agent_id))
    if action.person_id is None:
        raise Rejected(Sentence("Say whom to remove."))
    if work.room(owner.id).visibility is Visibility.PUBLIC:
        raise Rejected(Sentence("Everyone on the server sees that room: make it private first."))
    put_letter(work, LetterKind.PERMISSION, owner.id, _seen_by(action.person_id, allowed=False))
    work.update_room(owner.id, people_since=work.now)
    person = await work.write.people.find(work.community_id, Snowflake(action.person_id))
    who = work.name(person.id, person.username) if person else "That person"
    return Sentence("{who} is not let into the room any more.", who=who)


@handles(ClearRoom)
async def clear_room(work: UnitOfWork, action: ClearRoom) -> str:
    room = work.room(work.me().id)
    if await _clearing(work, room.id) is not None:
        raise Rejected(Sentence("This room is being cleared already: wait until that is done, or stop it."))
    asked = ClearingPayload(
        asked=action.messages,
        left=action.messages,
        read_from=Snowflake(action.before),
        person_id=work.actor.who.id if work.actor.who else None,
    )
    put_letter(work, LetterKind.CLEARING, room.id, asked.stored())
    return Sentence(
        "The newest {messages} of {place} are being deleted.",
        messages=counted(action.messages, "message"),
        place=work.place(room.id),
    )


@handles(StopClearing)
async def stop_clearing(work: UnitOfWork, action: StopClearing) -> str:
    under_way = await _clearing(work, work.me().id)
    if under_way is None:
        raise Rejected(Sentence("This room is not being cleared: nothing has changed."))
    await work.write.letters.move(work.community_id, under_way.id, LetterState.FAILED, at=work.now)
    return Sentence("No more messages of {place} are deleted.", place=work.place(work.me().id))


async def _clearing(work: UnitOfWork, room_id: AgentId) -> Letter | None:
    newest = await work.write.letters.newest(work.community_id, room_id, LetterKind.CLEARING)
    return newest if newest is not None and newest.state in UNSENT else None


def _seen_by(person_id: int, *, allowed: bool) -> Mapping[str, Json]:
    return PermissionPayload(person_id=Snowflake(person_id), allowed=allowed).stored()


def put_letter(work: UnitOfWork, kind: LetterKind, room_id: AgentId, payload: Mapping[str, Json]) -> None:
    """Have an effect on Discord carried out."""
    work.put(AddLetter(kind=kind, room_id=room_id, payload=payload, not_before=work.now, beat_id=work.beat_id))


async def redraw_lobbies(work: UnitOfWork) -> None:
    """Have the lobbies of scenes offer the agents that can sit down now."""
    for scene in await work.write.scenes.all(work.community_id, (SceneStatus.LOBBY,)):
        put_letter(work, LetterKind.BOARD, scene.room_id, BoardPayload(scene_id=scene.id).stored())


def propose(work: UnitOfWork, room_id: AgentId, kind: LetterKind, payload: Proposal) -> bool:
    """Let moderation read first what an agent wants to be seen; tells whether it does."""
    if work.actor.agent_id is None or not is_on(work.config):
        return False
    put_letter(work, kind, room_id, payload.model_copy(update={"proposed": True}).stored())
    return True


async def _remove_agent(work: UnitOfWork, room_id: AgentId, agent_id: AgentId) -> str:
    agent = work.agent(agent_id)
    if agent_id == room_id:
        raise Rejected(Sentence("It is {agent}'s own room.", agent=agent.name))
    if agent_id not in work.members(room_id):
        raise Rejected(Sentence("{agent} is not in that room.", agent=agent.name))
    await take_out(work, agent_id, room_id)
    return Sentence("{agent} is out of the room.", agent=agent.name)


def _show_billboard(work: UnitOfWork, text: str, result: str) -> str:
    room = work.room(work.me().id)
    if text and text != room.billboard and propose(work, room.id, LetterKind.BILLBOARD, BillboardPayload(text=text)):
        return PROPOSED
    if room.billboard != text:
        work.update_room(room.id, billboard=text)
        put_letter(work, LetterKind.BILLBOARD, room.id, BillboardPayload(text=text).stored())
    return result


def _show_topic(work: UnitOfWork, topic: str, result: str) -> str:
    room = work.room(work.me().id)
    if topic and topic != room.topic and propose(work, room.id, LetterKind.TOPIC, TopicPayload(topic=topic)):
        return PROPOSED
    if room.topic != topic:
        work.update_room(room.id, topic=topic)
        put_letter(work, LetterKind.TOPIC, room.id, TopicPayload(topic=topic).stored())
    return result


LEAST_FOR_ROOMS = 50


@handles(SetAttention)
def set_attention(work: UnitOfWork, action: SetAttention) -> str:
    agent, room = work.me(), work.room(action.room_id)
    if (agent.id, room.id) not in work.memberships:
        raise Rejected(Sentence("{agent} is not in {place}.", agent=agent.name, place=work.place(room.id)))
    total = _fixed_elsewhere(work, agent.id, room.id) + (action.attention or 0)
    if total > 100:
        raise Rejected(Sentence("Fixed attention would come to {total}%: at most 100% can be fixed.", total=total))
    work.update_membership(agent.id, room.id, attention=action.attention)
    shown = share_words(action.attention)
    return Sentence(
        "{whose} for {place} is {shown}.", whose=work.whose("attention"), place=work.place(room.id), shown=shown
    )


@handles(SetAllocation)
def set_allocation(work: UnitOfWork, action: SetAllocation) -> str:
    total = action.knowledge + action.recent_actions + action.rooms
    if total != 100:
        raise Rejected(Sentence("That sums up to {total}%: make it 100%.", total=total))
    if action.rooms < LEAST_FOR_ROOMS:
        raise Rejected(Sentence("Rooms get at least {least_for_rooms}%.", least_for_rooms=LEAST_FOR_ROOMS))
    kept = Allocations(knowledge=action.knowledge, recent_actions=action.recent_actions, rooms=action.rooms)
    work.update_agent(work.me().id, allocations=kept)
    return Sentence("The allocation is set.")


@handles(SetName)
def set_name(work: UnitOfWork, action: SetName) -> str:
    agent = work.me()
    return PROPOSED if rename(work, agent, action.name) else Sentence('The name is "{me}" now.', me=work.me().name)


def free_name(work: UnitOfWork, name: str, own_id: AgentId | None = None) -> str:
    """Give a name as it is kept; raises Rejected when the agent cannot have it."""
    name = tidied(name)
    taken = (other.name for other in work.agents.values() if other.id != own_id)
    if problem := name_problem(name, taken):
        raise Rejected(problem)
    return name


def rename(work: UnitOfWork, agent: Agent, name: str) -> bool:
    """Give an agent another name, on its channel too; tells whether it has to be looked at first. Raises Rejected."""
    name = free_name(work, name, agent.id)
    if name == agent.name:
        return False
    if propose(work, agent.id, LetterKind.RENAME, RenamePayload(name=name)):
        return True
    work.update_agent(agent.id, name=name)
    put_letter(work, LetterKind.RENAME, agent.id, RenamePayload(name=name).stored())
    return False


def _fixed_elsewhere(work: UnitOfWork, agent_id: AgentId, room_id: AgentId) -> int:
    """Sum fixed attention of the other rooms on that room's side: only they share a HUD."""
    side = work.room(room_id).side
    return sum(
        one.attention or 0
        for (agent, room), one in work.memberships.items()
        if agent == agent_id and room != room_id and work.room(room).side == side
    )
