"""What is known of messages that are read on together: what came after each, though it is still to be stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.core.events import MessageSeen
from bot.core.ports import Reading
from bot.core.records import CommunityId, Snowflake

Where = tuple[Snowflake, Snowflake | None]  # a channel, and the thread in it


@dataclass(frozen=True, slots=True)
class Later:
    """What came after messages.

    `overtaken`: those after which their authors spoke there again. `answered`: by message, the names of agents that
    spoke there after it, in posts that are no letters of this database, which is older than they are.
    """

    overtaken: frozenset[Snowflake] = frozenset()
    answered: Mapping[Snowflake, frozenset[str]] = field(default_factory=dict)


async def answered_by(
    read: Reading, community_id: CommunityId, events: Sequence[MessageSeen]
) -> Mapping[Snowflake, frozenset[str]]:
    """Give by people's message who answered it already as Discord shows it; `events`: in order, of any rooms."""
    own = [event for event in events if event.author is None and event.said_as]
    if not own:
        return {}
    known = await read.talk.known_as(community_id, [event.message_id for event in own])
    foreign = {event.message_id for event in own if event.message_id not in known}
    for channel_id in {event.channel_id for event in own}:
        foreign -= await _own_letter(read, community_id, channel_id, own, foreign)
    spoke: dict[Where, frozenset[str]] = {}
    answered: dict[Snowflake, frozenset[str]] = {}
    for event in reversed(events):
        place = event.channel_id, event.thread_id
        if event.message_id in foreign:
            spoke[place] = spoke.get(place, frozenset()) | {event.said_as}
        elif event.author is not None and place in spoke:
            answered[event.message_id] = spoke[place]
    return answered


async def _own_letter(
    read: Reading,
    community_id: CommunityId,
    channel_id: Snowflake,
    own: Sequence[MessageSeen],
    foreign: set[Snowflake],
) -> set[Snowflake]:
    """Give the post that is the letter whose fate is unknown: the first one after the last that was confirmed."""
    room_id = await read.rooms.of_channel(community_id, channel_id)
    if room_id is None or await read.letters.unconfirmed(community_id, room_id) is None:
        return set()
    last = await read.letters.last_posted(community_id, room_id) or 0
    after = [one.message_id for one in own if one.channel_id == channel_id and one.message_id in foreign]
    return {*[id_ for id_ in after if id_ > last][:1]}


def overtaken_in(events: Sequence[MessageSeen]) -> frozenset[Snowflake]:
    """Give the messages after which their authors spoke again in the same channel."""
    last = {(event.channel_id, event.author and event.author.id): event.message_id for event in events}
    return frozenset(event.message_id for event in events) - frozenset(last.values())
