"""Letters that are no messages: reactions, the billboard, topics, names, channels, permissions, notices."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from bot.core.changes import AddLetter, Change, UpdateRoom
from bot.core.errors import ChannelGone, Gone, Limited
from bot.core.kinds import LetterKind, LetterState, Visibility
from bot.core.letters import (
    UNSENT,
    BillboardPayload,
    BoardPayload,
    ChannelPayload,
    ClearingPayload,
    CuePayload,
    NoticePayload,
    Payload,
    PermissionPayload,
    ReactPayload,
    RemovalPayload,
    RenamePayload,
    TopicPayload,
    channel_marks,
    opening_topic,
    parse_payload,
)
from bot.core.moderation import let_stand, proposal_of
from bot.core.people import mention
from bot.core.ports import Cipher, Clock, Publisher, Store
from bot.core.ports.talk import Letters
from bot.core.publishing import NewChannel
from bot.core.records import Agent, Letter, MessageId, Room, SceneId, Snowflake
from bot.core.scenes.records import OPEN, Scene, SceneStatus
from bot.core.scenes.showing import Board, board_of
from bot.core.splitting import split
from bot.core.view import Outline
from bot.core.wording import counted
from bot.engine.estimating import COIN, Estimator, estimate_inputs
from bot.engine.moderation import Moderation
from bot.engine.posting import before, content_of
from bot.engine.scene_posts import mentions_of, names_of
from bot.engine.seating import sits_in
from bot.engine.stage import opened

NO_MESSAGE = "The message is not there any more."
OLD = timedelta(days=14)  # Discord deletes older messages one by one only
AT_ONCE, OLD_AT_ONCE = 100, 10
NO_CHANNEL_SECONDS = 2.0  # how long a letter waits for its room's channel to be made
Made = Callable[[Snowflake, Snowflake], None]


class Effects:
    """Carries every letter but posts; each effect may be repeated without harm.

    `made` is told of the server and the channel of each room that has one from now on.
    """

    def __init__(
        self,
        store: Store,
        publisher: Publisher,
        clock: Clock,
        *,
        moderation: Moderation,
        cipher: Cipher,
        made: Made | None = None,
        estimator: Estimator | None = None,
    ) -> None:
        self._store = store
        self._publisher = publisher
        self._clock = clock
        self._moderation = moderation
        self._boards = Boards(store, publisher, clock, estimator)
        self._cipher = cipher
        self._made = made

    async def carry(self, letter: Letter) -> None:
        """Bring about what the letter asks for; raises PublishError when Discord does not take it."""
        async with self._store.reading() as read:
            view = await read.views.action_view(
                letter.community_id, agent_ids=(), room_ids=[letter.room_id], doors=False
            )
        proposal = proposal_of(letter)
        if letter.kind is LetterKind.BOARD:
            done = await self._boards.draw(letter, view)
        elif proposal is None:
            done = await self._do(letter, view)
        elif await self._moderation.holds_proposal(letter, proposal, view):
            return
        else:
            done = let_stand(letter, proposal, view, self._clock.now())
        async with self._store.writing(letter.community_id) as write:
            if letter.kind is LetterKind.CLEARING and await _is_stopped(write.letters, letter):
                return
            await write.apply(letter.community_id, done)
            await write.letters.move(
                letter.community_id, letter.id, LetterState.SENT, attempts=letter.attempts + 1, at=self._clock.now()
            )
        if self._made is not None:
            for channel_id in _channels(done):
                self._made(view.community.guild_id, channel_id)

    async def _do(self, letter: Letter, view: Outline) -> list[Change]:
        room = view.all_rooms[letter.room_id]
        guild_id, wanted = view.community.guild_id, parse_payload(letter.kind, letter.payload)
        if not _is_for_elsewhere(wanted):
            _check_is_there(room, view)
        match wanted:
            case ChannelPayload(private=private):
                return await self._channel(letter, room, view, private=private)
            case NoticePayload() as notice:
                await self._notice(notice, room, view)
            case ReactPayload() as payload:
                await self._react(room, view, payload.message_id, payload.emoji, added=payload.added)
            case CuePayload() as payload:
                await self._react(room, view, payload.message_id, payload.emoji, added=True)
            case PermissionPayload(left_channel_id=left) as payload if left is not None:
                await self._leave(guild_id, left, payload)
            case PermissionPayload() as payload:
                writable = view.agents[room.id].retired_at is None
                await self._publisher.allow(
                    guild_id, _channel(room), payload.person_id, allowed=payload.allowed, writable=writable
                )
            case RemovalPayload() as left:
                await self._remove(room, view, left)
            case ClearingPayload() as clearing:
                return await self._clear(room, view, clearing)
            case payload:
                await self._show(payload, room, view)
        return []

    async def _remove(self, room: Room, view: Outline, left: RemovalPayload) -> None:
        """Take posts away, but those that have something to say still: what is stored of their message now."""
        guild_id, channel_id = view.community.guild_id, _channel(room)
        parts: Sequence[str] = ()
        if left.message_id is not None:
            async with self._store.reading() as read:
                message = (await read.talk.by_id(room.community_id, [left.message_id])).get(left.message_id)
                if message is not None:
                    mentions = await mentions_of(read, room.community_id, message)
                    parts = split(content_of(message, mentions)).parts
        for post_id, text in zip(left.post_ids, parts, strict=False):
            await self._publisher.reword(guild_id, channel_id, post_id, text, thread_id=left.thread_id)
        if gone := left.post_ids[len(parts) :]:
            await self._publisher.remove(guild_id, left.thread_id or channel_id, *gone)

    async def _leave(self, guild_id: Snowflake, channel_id: Snowflake, payload: PermissionPayload) -> None:
        """See to the channel of an agent that is deleted for good; the letter is another's, whose channel is there."""
        if payload.removed:
            await self._publisher.remove_channel(guild_id, channel_id)
            return
        with suppress(ChannelGone):
            await self._publisher.notify(guild_id, channel_id, payload.note)
            await self._publisher.allow(guild_id, channel_id, None, allowed=payload.allowed, writable=False)

    async def _show(self, payload: object, room: Room, view: Outline) -> None:
        """Show what the room or agent says of itself; what is out of date by now is left to the newer letter."""
        guild_id = view.community.guild_id
        match payload:
            case BillboardPayload(text=text) if text == room.billboard:
                await self._publisher.pin_billboard(guild_id, _channel(room), None, text)
            case TopicPayload(topic=topic) if topic == room.topic:
                await self._publisher.edit_channel(guild_id, _channel(room), topic=topic)
            case RenamePayload(name=name) if name == view.agents[room.id].name:
                await self._publisher.edit_channel(guild_id, _channel(room), name=name)
                if view.agents[room.id].avatar_url is None:  # else its own picture is on the webhook
                    await self._publisher.face(guild_id, _channel(room), room.id, name, redraw=True)
            case _:
                return

    async def _channel(self, letter: Letter, room: Room, view: Outline, *, private: bool | None) -> list[Change]:
        if room.channel_id is not None:
            return []
        name, marks = view.agents[room.id].name, channel_marks(letter, self._cipher.digests)
        made = await self._publisher.make_channel(
            view.community.guild_id,
            NewChannel(
                agent_id=room.id,
                name=name,
                topic=opening_topic(room.topic, name, marks[0]),
                marks=marks,
                after=before(letter.created_at),
                rooms=frozenset(one.channel_id for one in view.all_rooms.values() if one.channel_id is not None),
                private=room.visibility is Visibility.PRIVATE if private is None else private,
                category_id=view.config.category_id,
            ),
        )
        shows: list[tuple[LetterKind, Payload]] = [(LetterKind.TOPIC, TopicPayload(topic=room.topic))]  # no mark in it
        if room.billboard:
            shows.append((LetterKind.BILLBOARD, BillboardPayload(text=room.billboard)))
        letters = [_letter(kind, room, payload, self._clock.now()) for kind, payload in shows]
        return [UpdateRoom(room_id=room.id, fields={"channel_id": made}), *letters]

    async def _clear(self, room: Room, view: Outline, wanted: ClearingPayload) -> list[Change]:
        """Delete what was decided on, and decide on what is next: of old messages few, for they go one by one."""
        guild_id, channel_id, now = view.community.guild_id, _channel(room), self._clock.now()
        if wanted.ids:
            await self._publisher.remove(guild_id, channel_id, *wanted.ids)
        done = wanted.done + len(wanted.ids)
        found: Sequence[Snowflake] = ()
        read_on = wanted.read_from if wanted.left else None
        while not found and read_on is not None:
            found, read_on = await self._publisher.unpinned_before(guild_id, channel_id, read_on)
        if not found:
            told = NoticePayload(text=f"🧹 {counted(done, 'message')} deleted in <#{channel_id}>{_as_asked(wanted)}.")
            return [_letter(LetterKind.NOTICE, room, told, now)] if done > AT_ONCE else []
        ids = tuple(found[: min(wanted.left, AT_ONCE if found[0] > before(now - OLD) else OLD_AT_ONCE)])
        step = {"ids": ids, "left": wanted.left - len(ids), "read_from": ids[-1], "done": done}
        return [_letter(LetterKind.CLEARING, room, wanted.model_copy(update=step), now)]

    async def _react(self, room: Room, view: Outline, message_id: MessageId, emoji: str, *, added: bool) -> None:
        async with self._store.reading() as read:
            message = (await read.talk.by_id(room.community_id, [message_id])).get(message_id)
        if message is None or message.discord_id is None:
            raise Gone(NO_MESSAGE)
        place = message.thread_id or _channel(room)
        try:
            await self._publisher.react(view.community.guild_id, place, message.discord_id, emoji, added=added)
        except ChannelGone as error:
            if message.thread_id is None:
                raise
            raise Gone(NO_MESSAGE) from error  # with its thread: the room's own channel is there

    async def _notice(self, notice: NoticePayload, room: Room, view: Outline) -> None:
        if notice.person_id is not None:
            await self._publisher.tell(notice.person_id, notice.text)
            return
        channel_id = view.config.managers_channel_id if notice.to_managers else notice.thread_id or _channel(room)
        if channel_id is not None:  # without a managers' channel the log has to do
            await self._publisher.notify(
                view.community.guild_id,
                channel_id,
                notice.text,
                held=notice.held,
                traces=notice.traces,
                called=notice.called,
            )


async def _is_stopped(letters: Letters, letter: Letter) -> bool:
    """Tell whether somebody ended it while it was carried."""
    newest = await letters.newest(letter.community_id, letter.room_id, letter.kind)
    return newest is None or newest.state not in UNSENT


def _letter(kind: LetterKind, room: Room, payload: Payload, now: datetime) -> AddLetter:
    return AddLetter(kind=kind, room_id=room.id, payload=payload.stored(), not_before=now)


def _as_asked(clearing: ClearingPayload) -> str:
    return f", as {mention(clearing.person_id)} asked" if clearing.person_id else ""


def _is_for_elsewhere(payload: object) -> bool:
    """Tell whether something is said to managers or a person: that needs no room."""
    return isinstance(payload, NoticePayload) and (payload.to_managers or payload.person_id is not None)


def _check_is_there(room: Room, view: Outline) -> None:
    """Raise Gone when there will be no channel any more."""
    if room.channel_id is None and view.agents[room.owner_id].retired_at is not None:
        raise Gone("The agent is retired and its channel is gone.")
    if room.channel_id is None and room.thread_of is not None:
        raise Gone("The thread is gone.")


def _channels(done: Sequence[Change]) -> list[Snowflake]:
    found = (one.fields.get("channel_id") for one in done if isinstance(one, UpdateRoom))
    return [id_ for id_ in found if id_ is not None]


def _channel(room: Room) -> Snowflake:
    if room.channel_id is None:
        raise Limited("The room has no channel yet.", retry_after_seconds=NO_CHANNEL_SECONDS)
    return room.channel_id


THREAD_NAME = 100  # characters that Discord takes
THREAD_GONE = "its thread was deleted: it goes on in a new one"


class Boards:
    """Draws boards, and opens the threads in which they stand."""

    def __init__(self, store: Store, publisher: Publisher, clock: Clock, estimator: Estimator | None = None) -> None:
        self._estimator = estimator
        self._store = store
        self._publisher = publisher
        self._clock = clock

    async def draw(self, letter: Letter, view: Outline) -> list[Change]:
        """Draw a scene as it stands now, in its thread, which is opened where there is none."""
        payload = parse_payload(letter.kind, letter.payload)
        if isinstance(payload, BoardPayload):
            await self._draw(payload.scene_id, view.all_rooms[letter.room_id], view)
            for lobby in await self._lobbies_beside(payload.scene_id, view):
                await self._draw(lobby.id, view.all_rooms[lobby.room_id], view)
        return []

    async def _lobbies_beside(self, scene_id: SceneId, view: Outline) -> list[Scene]:
        """Give the lobbies that may offer the agents of a scene that is over; none while it goes on."""
        async with self._store.reading() as read:
            scene = await read.scenes.find(view.community.id, scene_id)
            if scene is None or scene.status.is_open:
                return []
            return list(await read.scenes.all(view.community.id, (SceneStatus.LOBBY,)))

    async def _draw(self, scene_id: SceneId, room: Room, view: Outline) -> None:
        of, guild_id = view.community.id, view.community.guild_id
        async with self._store.reading() as read:
            scene = await read.scenes.find(of, scene_id)
            if scene is None or (scene.thread_id is None and scene.board_post_id is None and not scene.status.is_open):
                return
            names, events = await names_of(read, scene), await read.scenes.events(of, scene_id)
            sit = await sits_in(read.scenes, of, OPEN)
            inputs = await estimate_inputs(self._estimator, read, view.community, scene)
        estimate, coin = await inputs.estimate() if inputs is not None else ("", COIN)
        free = [(id_, one.name) for id_, one in sorted(view.agents.items()) if id_ not in sit and _may_sit(one)]
        who = scene.commentator_id
        commentator = view.agents[who].name if who is not None and who in view.agents else ""
        board = board_of(scene, events, names, free, commentator=commentator, estimate=estimate, coin=coin)
        if scene.thread_id is None:
            scene = await self._settled(scene, board, _channel(room), guild_id)
        try:
            place = scene.thread_id or _channel(room)
            post_id = await self._publisher.show_board(guild_id, place, scene.board_post_id, board)
        except ChannelGone:
            if scene.thread_id is None:
                raise
            await self._lost_thread(scene, view)
            return
        if post_id != scene.board_post_id:
            async with self._store.writing(of) as write:
                await write.scenes.settle(of, scene_id, scene.thread_id, post_id)

    async def _settled(self, scene: Scene, board: Board, channel_id: Snowflake, guild_id: Snowflake) -> Scene:
        """Find a scene its place: one whose thread is gone shows its board in the room until it goes on in another."""
        if scene.status not in (SceneStatus.LOBBY, SceneStatus.RUNNING):
            return scene
        if scene.board_post_id is not None:
            await self._publisher.remove(guild_id, channel_id, scene.board_post_id)
        thread_id = channel_id
        if not scene.is_in_room:
            thread_id = await self._publisher.open_thread(guild_id, channel_id, board.title[:THREAD_NAME])
        async with self._store.writing(scene.community_id) as write:
            await write.scenes.settle(scene.community_id, scene.id, thread_id, None)
        return replace(scene, thread_id=thread_id, board_post_id=None)

    async def _lost_thread(self, scene: Scene, view: Outline) -> None:
        """Its thread was deleted: a lobby opens another one, and what runs waits for somebody to say so."""
        async with self._store.writing(scene.community_id) as write:
            stage = await opened(write, scene.community_id, scene.id, config=view.config, now=self._clock.now())
            stage.scene = replace(stage.scene, thread_id=None, board_post_id=None)
            if stage.scene.status is SceneStatus.RUNNING:
                await stage.pause(THREAD_GONE)
            elif stage.scene.status.is_open:
                await stage.redraw()
            else:
                await write.scenes.keep(stage.scene)
            await write.apply(scene.community_id, stage.changes)


def _may_sit(agent: Agent) -> bool:
    return agent.retired_at is None and agent.paused_reason is None
