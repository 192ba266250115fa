"""What comes in from Discord is stored once, and is a reason to those whom it concerns, in one transaction."""

from collections.abc import Callable, Container, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import assert_never

import structlog

from bot.core.addressing import Addressees
from bot.core.changes import Change, PutReason
from bot.core.config import CommunityConfig
from bot.core.events import (
    ChannelChanged,
    ChannelDeleted,
    ChannelFound,
    Event,
    EventsUnread,
    GuildLeft,
    GuildSeen,
    MessageEdited,
    MessagesDeleted,
    MessageSeen,
    ReactionChanged,
    ReactionsCleared,
    ReactionsFound,
    ThreadDeleted,
    ThreadIsPrivate,
    ThreadLeft,
)
from bot.core.hud.formats.lines import said_tokens
from bot.core.kinds import LetterState, ReasonKind, SenderKind
from bot.core.models import Models
from bot.core.people import as_decided, is_heard
from bot.core.portions import portions
from bot.core.ports import Clock, Expected, NewMessage, Planned, Store, Tokenizer, Writing
from bot.core.ports.people import People
from bot.core.ports.talk import WritableTalk
from bot.core.ports.timelines import Timelines
from bot.core.post_removal import removal
from bot.core.reasons import cues_for, reasons_for
from bot.core.records import AgentId, Attachment, Community, Message, MessageId, Person, Sender, Snowflake
from bot.core.spending import day_of, of_day
from bot.engine.aside import aside
from bot.engine.channel_events import ChannelEvents, place_of
from bot.engine.purse import ceilings_of
from bot.engine.reactions import Reactions
from bot.engine.read_on import Later, answered_by, overtaken_in
from bot.engine.scene_posts import taken_away
from bot.engine.stage import Stage

AT_ONCE = 25  # messages that are read on, to a transaction: nobody else writes or has a turn meanwhile
CHARACTERS_AT_ONCE = 20_000  # of their words and files
SEEN_BEFORE = 60  # messages of the room that tell whom a new one addresses
NOTHING_LATER = Later()
log = structlog.get_logger(__name__)


def _nobody() -> None:
    """Nobody waits for letters."""


class Intake:
    """Takes events one after the other; `wake` is called when a letter was written or confirmed."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        tokenizer: Tokenizer,
        planned: Planned,
        *,
        config: CommunityConfig | None = None,
        models: Models | None = None,
        wake: Callable[[], None] = _nobody,
    ) -> None:
        self._store = store
        self._clock = clock
        self._tokenizer = tokenizer
        self._planned = planned
        self._config = config or CommunityConfig()
        self._models = models
        self._wake = wake
        self._reactions = Reactions(store, clock)
        self._channel_events = ChannelEvents(store, clock)

    async def take(self, event: Event) -> None:
        """Store what happened; the same event twice changes nothing. Raises StoreError when nothing was stored."""
        if isinstance(event, GuildSeen):
            await self._channel_events.seen(event)
            self._wake()
            return
        async with self._store.reading() as read:
            community = await read.communities.of_guild(event.guild_id)
        if community is not None:
            await self._take(event, community)

    async def _take(self, event: Event, community: Community) -> None:
        match event:
            case MessageSeen() | MessageEdited() | MessagesDeleted():
                await self._said(event, community)
            case ReactionChanged() | ReactionsCleared() | ReactionsFound():
                await self._reactions.take(event, community)
            case ChannelDeleted() | ChannelChanged() | ChannelFound():
                await self._channel_events.take(event, community)
            case ThreadDeleted() | ThreadLeft() | ThreadIsPrivate():
                await self._channel_events.take(event, community)
            case GuildSeen():
                await self._channel_events.seen(event)
            case GuildLeft():
                await self._channel_events.left(community)
            case EventsUnread():
                await self._channel_events.unread(event, community)
                self._wake()
            case _:
                assert_never(event)

    async def _said(self, event: MessageSeen | MessageEdited | MessagesDeleted, community: Community) -> None:
        match event:
            case MessageSeen(author=None):
                await self._own_post(event, community)
            case MessageSeen():
                await self._messages([event], community)
            case MessageEdited():
                await self._edited(event, community)
            case MessagesDeleted():
                await self._deleted(event, community)

    async def hears(
        self,
        guild_id: Snowflake,
        channel_id: Snowflake,
        *,
        author_id: Snowflake,
        webhook_id: Snowflake | None,
        is_bot: bool,
    ) -> int:
        """Give how many characters are to be read of the files that are attached there; 0 when nobody listens."""
        async with self._store.reading() as read:
            community = await read.communities.of_guild(guild_id)
            if community is None or await read.rooms.of_channel(community.id, channel_id) is None:
                return 0
            known = await read.people.find(community.id, author_id)
        config = self._config.overlaid(community.overrides)
        listened = not is_bot or author_id in config.listened_bots or webhook_id in config.listened_bots
        return config.attachment_characters if listened and (known is None or is_heard(known)) else 0

    async def follows_proxies(self, guild_id: Snowflake) -> bool:
        """Tell whether what a proxy bot posts for a person is heard as that person's there."""
        async with self._store.reading() as read:
            community = await read.communities.of_guild(guild_id)
        return community is not None and self._config.overlaid(community.overrides).proxies

    async def take_read_on(self, events: Sequence[MessageSeen]) -> None:
        """Store what was read on of one server, oldest first; people's messages of a room together."""
        if not events:
            return
        async with self._store.reading() as read:
            community = await read.communities.of_guild(events[0].guild_id)
            answered = await answered_by(read, community.id, events) if community is not None else {}
        if community is None:
            return
        for of_people, run in groupby(events, key=lambda event: event.author is not None):
            together = list(run)
            later = Later(overtaken_in(together), answered)
            for few in portions(together, _size, most=CHARACTERS_AT_ONCE, many=AT_ONCE) if of_people else ():
                await self._messages(few, community, later)
            for event in () if of_people else together:
                await self._own_post(event, community)

    async def _messages(
        self, events: Sequence[MessageSeen], community: Community, later: Later = NOTHING_LATER
    ) -> None:
        """Store people's messages, and give the reasons that they are, in one transaction."""
        changes: list[Change] = []
        async with self._store.writing(community.id, self._expected(events, community)) as write:
            events = [event for event in events if not await _is_of_a_tree(write.timelines, event, community)]
            events = [event for event in events if not await self._in_scene(write, event, community, changes)]
            events = [event for event in events if not await self._takes_the_place(write.talk, event, community)]
            records = await self._records(write, events, community)
            calling = {event.message_id for event in events if event.calls_host}
            stored = [message for message in await write.talk.add(community.id, records) if message]
            for room_id in dict.fromkeys(message.room_id for message in stored):
                here = [message for message in stored if message.room_id == room_id]
                changes += await _stirred(write, community, here, self._clock, later, calling)
            await write.apply(community.id, changes)
        self._announce(changes)

    def _expected(self, events: Sequence[MessageSeen], community: Community) -> Expected:
        """Give what storing messages asks when they are what most are: people's, in a room."""
        listened = [(event, event.author) for event in events if event.author and self._is_listened(event, community)]
        if not listened:
            return Expected()
        now, config = self._clock.now(), self._config.overlaid(community.overrides)
        return Expected(
            people=[author.id for _, author in listened],
            channels=[*{event.channel_id for event, _ in listened}],
            threads=[*{event.thread_id or event.channel_id for event, _ in listened}],
            posts=[event.message_id for event, _ in listened],
            replied_to=[event.reply_to for event, _ in listened if event.reply_to is not None],
            spent_on=day_of(now),
            addressed_by=(listened[-1][1].id, _lately(config, now)),
        )

    async def _in_scene(self, write: Writing, event: MessageSeen, community: Community, changes: list[Change]) -> bool:
        """Whether it was said where a scene takes place: no room hears it, and it may be the move of who said it."""
        scene = await write.scenes.of_thread(community.id, event.thread_id or event.channel_id)
        if scene is None or (event.thread_id is None and not scene.is_going_on(event.sent_at)):
            return False
        if await write.talk.taken_back(community.id, event.message_id):
            return True
        if event.author is not None and not event.is_bot and await _hears(write.people, community, event.author.id):
            author, post_id, now = event.author.id, event.message_id, self._clock.now()
            config = self._config.overlaid(community.overrides)
            if not config.scene_dead_write and (gone := await taken_away(write, scene, author, post_id, now=now)):
                changes += gone
                return True
            ceilings = await ceilings_of(self._models, write.providers, community)
            stage = Stage(write=write, scene=scene, config=config, ceilings=ceilings, now=now)
            await stage.heard(author, event.content, post_id=post_id, sent_at=event.sent_at)
            changes += stage.changes
        return True

    async def _takes_the_place(self, talk: WritableTalk, event: MessageSeen, community: Community) -> bool:
        """Whether it stands for what its author wrote before: that message goes on as this one, and is not deleted."""
        if event.instead_of is None or event.author is None:
            return False
        first = await talk.find(community.id, event.instead_of)
        if first is None:
            await talk.delete(community.id, [event.instead_of], self._clock.now())  # it must not come in later
            return False
        if first.sender.person_id != event.author.id:
            return False
        tokens = await self._tokens(first.sender, event.content, first.attachments)
        await talk.repost(
            community.id,
            event.instead_of,
            event.message_id,
            content=event.content,
            tokens=tokens,
            at=event.sent_at,
        )
        return True

    async def _records(
        self, write: Writing, events: Sequence[MessageSeen], community: Community
    ) -> Sequence[NewMessage]:
        """Give what is to be stored: said in a room, by people and listed bots that are not to be ignored."""
        listened = [(event, event.author) for event in events if event.author and self._is_listened(event, community)]
        known = await write.people.known(community.id, [author.id for _, author in listened])
        rooms: dict[Snowflake, AgentId | None] = {}
        spoke: dict[Person, Person | None] = {}
        records: list[NewMessage] = []
        for event, author in listened:
            person = as_decided(author, known.get(author.id))
            if not is_heard(person):  # nor do they open a place
                continue
            if event.channel_id not in rooms:
                rooms[event.channel_id] = await place_of(write, community, event)
            room_id = rooms[event.channel_id]
            if room_id is not None:
                spoke[person] = known.get(person.id)
                records.append(await self._record(event, room_id, person))
        await write.people.put(community.id, *(one for one, before in spoke.items() if one != before))
        return records

    def _is_listened(self, event: MessageSeen, community: Community) -> bool:
        if not event.is_bot:
            return True
        listened = self._config.overlaid(community.overrides).listened_bots
        author_id = event.author.id if event.author else None
        return author_id in listened or event.webhook_id in listened

    async def _record(self, event: MessageSeen, room_id: AgentId, author: Person) -> NewMessage:
        sender = sender_of(author, is_bot=event.is_bot)
        return NewMessage(
            room_id=room_id,
            discord_id=event.message_id,
            thread_id=event.thread_id,
            thread_name=event.thread_name,
            sender=sender,
            content=event.content,
            sent_at=event.sent_at,
            edited=event.edited_at is not None,
            edited_at=event.edited_at,
            reply_to=event.reply_to,
            attachments=event.attachments,
            tokens=await self._tokens(sender, event.content, event.attachments),
        )

    async def _tokens(self, sender: Sender, content: str, files: Sequence[Attachment]) -> int:
        """Count what was said; a long file beside what goes on, for some scripts take a microsecond a letter."""
        if len(content) + sum(len(file.text or "") for file in files) <= CHARACTERS_AT_ONCE:
            return said_tokens(self._tokenizer, sender, content, files)
        return await aside(said_tokens, self._tokenizer, sender, content, files)

    def _announce(self, changes: Sequence[Change]) -> None:
        """Tell the heartbeat how soon somebody is due, and delivery that there may be letters."""
        due = [change.reason.due_at for change in changes if isinstance(change, PutReason)]
        if due:
            self._planned.nudge(min(due))
        if len(due) < len(changes):
            self._wake()

    async def _edited(self, event: MessageEdited, community: Community) -> None:
        async with self._store.writing(community.id) as write:
            known = await write.talk.find(community.id, event.message_id)
            if known is None and not await self._may_come(write, community, event):
                return
            if known is not None and known.sender.person_id is None:
                return  # our own post: agents keep what they said
            if known is not None and not await self._is_listened_to(write.people, community, known):
                await write.talk.delete(community.id, [event.message_id], self._clock.now())
                return  # the old words are taken back, and the new ones are not heard
            await write.talk.edit(
                community.id,
                event.message_id,
                content=event.content,
                edited_at=event.edited_at,
                tokens=await self._tokens(known.sender, event.content, known.attachments) if known else 0,
            )

    async def _is_listened_to(self, people: People, community: Community, message: Message) -> bool:
        """Tell whether agents listen to who said a message, as things are now."""
        author_id = message.sender.person_id
        listened = self._config.overlaid(community.overrides).listened_bots
        if message.sender.kind is SenderKind.BOT and author_id not in listened:
            return False
        return author_id is None or await _hears(people, community, author_id)

    async def _may_come(self, write: Writing, community: Community, event: MessageEdited) -> bool:
        """Tell whether the message of an edit that came first may still come in, so that its text is kept for it."""
        if event.is_bot or not await write.rooms.of_channel(community.id, event.channel_id):
            return False
        return event.author_id is None or await _hears(write.people, community, event.author_id)

    async def _deleted(self, event: MessagesDeleted, community: Community) -> None:
        """Remove content; what is deleted in a room before it came in must not come in later either."""
        async with self._store.writing(community.id) as write:
            ids: Sequence[Snowflake] = event.message_ids
            if await write.rooms.of_channel(community.id, event.channel_id) is None:
                ids = [id_ for id_ in ids if await write.talk.find(community.id, id_)]
            now = self._clock.now()
            left = [removal(parts, now) for parts in await write.talk.other_parts(community.id, ids)]
            await write.talk.delete(community.id, ids, now)
            await write.apply(community.id, left)

    async def _own_post(self, event: MessageSeen, community: Community) -> None:
        """Recognise a post of ours: it confirms the letter that is being sent, if that does not know of it yet."""
        async with self._store.writing(community.id) as write:
            room_id = await write.rooms.of_channel(community.id, event.channel_id)
            if room_id is None:
                return
            letter = await write.letters.unconfirmed(community.id, room_id)
            last = await write.letters.last_posted(community.id, room_id)
            if letter is None or (last is not None and event.message_id <= last):
                return
            now = self._clock.now()
            await write.letters.move(
                community.id,
                letter.id,
                LetterState.SENDING,
                posted_as=[event.message_id],
                not_before=now,
                at=now,
            )
        log.debug("a post was recognised", letter=letter.id, message=event.message_id)
        self._wake()


def sender_of(person: Person, *, is_bot: bool) -> Sender:
    """Give a person, or another program that is listened to, as the sender of a message."""
    kind = SenderKind.ARCHITECT if person.is_architect else SenderKind.PERSON
    if is_bot:
        kind = SenderKind.BOT
    return Sender(kind=kind, person_id=person.id, name=person.username)


async def _is_of_a_tree(timelines: Timelines, event: MessageSeen, community: Community) -> bool:
    """Whether it was said where a tree is told of: no room hears of worlds that never were."""
    if event.thread_id is None:
        return False
    return await timelines.of_thread(community.id, event.thread_id) is not None


async def _hears(people: People, community: Community, person_id: Snowflake) -> bool:
    """Tell whether agents listen to a person."""
    known = await people.find(community.id, person_id)
    return known is None or is_heard(known)


def _size(event: MessageSeen) -> int:
    """Give how many characters a message has, with its files."""
    return len(event.content) + sum(len(file.text or "") for file in event.attachments)


def _lately(config: CommunityConfig, now: datetime) -> datetime:
    """Give since when calls count that one person makes."""
    return now - timedelta(minutes=config.addressed_per_person_minutes)


async def _stirred(
    write: Writing,
    community: Community,
    messages: Sequence[Message],
    clock: Clock,
    later: Later,
    calling: Container[Snowflake],
) -> list[Change]:
    """Give the reasons and signs that follow from stored messages of one room; the newest reason of a kind counts.

    `calling`: those in which Selfroom itself is mentioned. Who answered one already has no reason in it.
    """
    now, room_id = clock.now(), messages[0].room_id
    view = await write.views.glance(community.id, room_ids=[room_id], messages=SEEN_BEFORE, letters=False)
    wanted = [message.reply_to for message in messages if message.reply_to is not None]
    answered = await write.talk.by_id(community.id, wanted) if wanted else {}
    stretch = of_day(await write.money.spent(community.id, day_of(now)), view.config).stretch
    addressees = Addressees(view, view.rooms[room_id])
    so_far: dict[Snowflake | None, int] = {}  # beats that the authors of messages caused lately by addressing agents
    since = _lately(view.config, now)
    reasons: dict[tuple[AgentId, ReasonKind], PutReason] = {}
    signs: list[Change] = []
    for message in messages:
        if message is not messages[0]:
            await clock.sleep(0)  # others come first in between
        replied, author = answered.get(message.reply_to or MessageId(0)), message.sender
        already = later.answered.get(message.discord_id or Snowflake(0), frozenset())
        ways = addressees.of(message, replied=replied, calls_host=message.discord_id in calling)
        if ways and author.person_id is not None and author.person_id not in so_far:
            so_far[author.person_id] = await write.beats.addressed_by(community.id, author.person_id, since)
        for put in reasons_for(
            view,
            room_id,
            message,
            now=now,
            addressed_so_far=so_far.get(author.person_id, 0),
            ways=ways,
            stretch=stretch,
            overtaken=message.discord_id in later.overtaken,
        ):
            if view.agents[put.agent_id].name not in already:
                reasons[put.agent_id, put.reason.kind] = put
        signs = [*cues_for(view, room_id, message, ways, now=now)] or signs
    return [*reasons.values(), *signs]
