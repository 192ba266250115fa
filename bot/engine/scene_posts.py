"""What of a step is said in a scene's thread: an agent's words as its own, all else as System's."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby

from bot.core.changes import AddLetter, Change, Say
from bot.core.kinds import LetterKind, MessageType, SenderKind
from bot.core.letters import NoticePayload, RemovalPayload
from bot.core.pace import typing_seconds, words_in
from bot.core.people import mention
from bot.core.ports import Reading, Writing
from bot.core.records import SYSTEM, AgentId, CommunityId, Message, MessageId, Sender, Snowflake
from bot.core.scenes.kind import RULES, Event, Expect, Seat
from bot.core.scenes.play import Standing
from bot.core.scenes.records import Scene, SceneEvent
from bot.core.scenes.showing import TEXT, Cast, begun, texts_in
from bot.core.scenes.windows import has_people
from bot.core.splitting import split
from bot.core.wording import honest

WPM = 80
SILENCED = "silenced"
GONE_LINES = "Whoever is out of the game writes nothing here until it is over: such lines are taken away."


async def names_of(read: Reading, scene: Scene) -> dict[Seat, str]:
    """Give who sits where, by the names they have now."""
    sitting = [one.person_id for one in scene.seats if one.person_id is not None]
    agents = await read.agents.names(scene.community_id)
    people = await read.people.known(scene.community_id, sitting) if sitting else {}
    names: dict[Seat, str] = {}
    for one in scene.seats:
        if one.agent_id is not None and one.agent_id in agents:
            names[one.seat] = agents[one.agent_id]
        elif one.person_id is not None:
            person = people.get(one.person_id)
            if person is not None and person.username:
                names[one.seat] = f"@{person.username}"
    return names


async def mentions_of(read: Reading, community_id: CommunityId, message: Message) -> dict[str, str]:
    """Give the mentions of the people of a scene by the names they have where System tells of it: `@username`."""
    if message.scene_id is None or message.sender.kind is not SenderKind.SYSTEM or "@" not in message.content:
        return {}
    scene = await read.scenes.find(community_id, message.scene_id)
    if scene is None:
        return {}
    names = await names_of(read, scene)
    sitting = [one for one in scene.seats if one.person_id is not None and one.seat in names]
    return {names[one.seat]: mention(one.person_id) for one in sitting if one.person_id is not None}


@dataclass(frozen=True, slots=True)
class _Said:
    words: str
    texts: tuple[int, ...]  # the numbers of those in it


async def posts(
    write: Writing, scene: Scene, events: Sequence[Event], *, now: datetime, typing_at_most_seconds: float = 0.0
) -> list[Say]:
    """Give the messages that tell everybody what happened, in its order; what only some may hear is in none."""
    public = [one for one in events if one.audience is None]
    if scene.thread_id is None or not public:
        return []
    cast = await _cast_for(write, scene, public)
    agents = {one.seat: one.agent_id for one in scene.seats if one.agent_id is not None}
    at, found = now, list[Say]()
    for speaker, some in groupby(public, key=lambda event: event.speaker if event.speaker in agents else RULES):
        for text in _said(list(some), cast, alone=bool(speaker)):
            at_most = typing_at_most_seconds if speaker else 0.0
            at += timedelta(seconds=typing_seconds(words_in(text.words), WPM, at_most=at_most))
            id_ = MessageId(write.ids.take("message"))
            found.append(_say(scene, agents.get(speaker), text, id_, now, at))
            await write.scenes.posted_as(scene.community_id, scene.id, text.texts, id_)
    return found


def comment(scene: Scene, agent_id: AgentId, text: str, message_id: MessageId, now: datetime) -> Say:
    """Give what somebody says in the thread who watches."""
    return _say(scene, agent_id, _Said(text, ()), message_id, now, now)


def texts_kept(
    scene: Scene, texts: Sequence[str], seat: Seat, before: int, post_id: Snowflake | None, now: datetime
) -> list[SceneEvent]:
    """Give the texts of a move as they are kept beside it; `before`: how many there are already."""
    return [
        SceneEvent(
            id=scene.events + place,
            step=scene.step + 1,
            kind=TEXT,
            text=text,
            seat=seat,
            number=before + place,
            post_id=post_id,
            at=now,
        )
        for place, text in enumerate(texts, 1)
    ]


async def asides(write: Writing, scene: Scene, events: Sequence[Event], *, now: datetime) -> list[Change]:
    """Tell who watches what only some seats may hear: in the bot's own notice, which is no message to anybody.

    Nothing is told where a person sits: they would read it, too.
    """
    limited = [one for one in events if one.audience]
    if scene.thread_id is None or not limited or has_people(scene):
        return []
    cast = await _cast_for(write, scene, limited)
    lines = [
        f"-# 🤫 {', '.join(map(cast.name, one.audience or ()))} · {honest(_worded(one, cast, alone=False))}"
        for one in limited
    ]
    return [_notice(scene, part, now) for part in split("\n".join(lines)).parts]


async def _cast_for(write: Writing, scene: Scene, events: Sequence[Event]) -> Cast:
    """Give what the marks in some events stand for."""
    named = {number for one in events for number in texts_in(one.text)}
    texts = await write.scenes.texts(scene.community_id, scene.id, named)
    return Cast(names=await names_of(write, scene), texts=texts, options=scene.options)


def _notice(scene: Scene, text: str, now: datetime, called: tuple[Snowflake, ...] = ()) -> AddLetter:
    payload = NoticePayload(text=text, to_managers=False, thread_id=scene.thread_id, called=called).stored()
    return AddLetter(kind=LetterKind.NOTICE, room_id=scene.room_id, payload=payload, not_before=now)


def calls(scene: Scene, standing: Standing, now: datetime) -> list[Change]:
    """Call people in the thread who want to be when it is their turn, as far as everybody may know whose it is."""
    awaits = standing.awaits
    if scene.thread_id is None or not isinstance(awaits, Expect) or awaits.anyone or awaits.unseen:
        return []
    seats = set(standing.waited_for) & set(standing.state.view(RULES).awaited)
    called = tuple(
        one.person_id
        for one in scene.seats
        if one.pings and one.person_id is not None and one.seat in seats and one.left_at is None
    )
    if not called:
        return []
    return [_notice(scene, f"{', '.join(map(mention, called))}: it is your turn.", now, called)]


async def taken_away(
    write: Writing, scene: Scene, person_id: Snowflake, post_id: Snowflake, *, now: datetime
) -> list[Change]:
    """Take a line away in a scene's thread that somebody wrote who is out of it; the first time that is told."""
    found, sits = begun(scene), scene.seat_of(person_id=person_id)
    if found is None or sits is None or not scene.status.is_open or not found[1].state.silenced(sits.seat):
        return []
    payload = RemovalPayload(post_ids=(post_id,), thread_id=scene.thread_id).stored()
    gone = AddLetter(kind=LetterKind.REMOVAL, room_id=scene.room_id, payload=payload, not_before=now)
    if await write.scenes.was_told(scene.community_id, scene.id, SILENCED):
        return [gone]
    told = SceneEvent(id=scene.events + 1, step=scene.step, kind=SILENCED, text=GONE_LINES, at=now)
    await write.scenes.tell(scene.community_id, scene.id, [told])
    await write.scenes.keep(replace(scene, events=scene.events + 1))
    return [gone, *await posts(write, scene, [Event(text=GONE_LINES)], now=now)]


def _said(events: Sequence[Event], cast: Cast, *, alone: bool) -> Sequence[_Said]:
    """Give the messages: each speech one of its own, what System tells in one together."""
    told = [_Said(_worded(one, cast, alone=alone), texts_in(one.text)) for one in events]
    if alone:
        return told
    return [_Said("\n".join(one.words for one in told), tuple(n for one in told for n in one.texts))]


def _worded(event: Event, cast: Cast, *, alone: bool) -> str:
    if alone:
        return cast.speech(event.text)
    words = cast.words(event.text)
    return f"{cast.name(event.speaker)}: {words}" if event.speaker else words


def _say(scene: Scene, agent_id: AgentId | None, said: _Said, id_: MessageId, now: datetime, at: datetime) -> Say:
    return Say(
        message_id=id_,
        room_id=scene.room_id,
        sender=SYSTEM if agent_id is None else Sender(kind=SenderKind.AGENT, agent_id=agent_id),
        content=said.words,
        type=MessageType.SYSTEM if agent_id is None else MessageType.TEXT,
        sent_at=now,
        thread_id=None if scene.is_in_room else scene.thread_id,
        not_before=at,
        scene_id=scene.id,
    )
