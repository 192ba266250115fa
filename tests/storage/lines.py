"""Incoming messages with defaults, one at a time; and the newest beat."""

import json
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, cast

from bot.core.keeping import ForgetReport, Readable
from bot.core.ports import NewMessage
from bot.core.ports.beats import Beats
from bot.core.ports.people import Personal, WritablePersonal
from bot.core.ports.talk import WritableTalk
from bot.core.records import AgentId, Beat, CommunityId, Message, Snowflake
from tests.factories import by_person
from tests.fakes import START


def said(content: str, number: int = 1, **fields: Any) -> NewMessage:  # noqa: ANN401 - a factory passes fields on
    """Give what mira said in room 1, `number` seconds after the start, with Discord id 1000 + number."""
    message = NewMessage(
        room_id=AgentId(1),
        discord_id=Snowflake(1000 + number),
        thread_id=None,
        sender=by_person(),
        content=content,
        sent_at=START + timedelta(seconds=number),
        edited=False,
        reply_to=None,
        attachments=(),
        tokens=len(content.split()),
    )
    return replace(message, **fields)


async def hear(talk: WritableTalk, community_id: CommunityId, message: NewMessage) -> Message | None:
    """Store one message that came in."""
    return (await talk.add(community_id, [message]))[0]


async def last_beat(beats: Beats, community_id: CommunityId, agent_id: AgentId) -> Beat | None:
    """Give an agent's newest beat, if it has had one."""
    return next(iter(await kept_beats(beats, community_id, agent_id, limit=1)), None)


async def kept_beats(beats: Beats, community_id: CommunityId, agent_id: AgentId, limit: int = 50) -> list[Beat]:
    """Give an agent's beats whole, newest first."""
    newest = await beats.newest(community_id, agent_id, limit=limit)
    return [beat for one in newest if (beat := await beats.find(community_id, one.id)) is not None]


async def forget(
    personal: WritablePersonal,
    community_id: CommunityId,
    person_id: Snowflake,
    at: datetime,
    *,
    others: Collection[str] = (),
) -> ForgetReport:
    """Forget somebody bit by bit to the end."""
    await personal.begin_forgetting(community_id, person_id, at, others=others)
    while (gone := await personal.forget_on(community_id, person_id)) is None:
        pass
    return gone


async def written_down(
    personal: Personal, community_id: CommunityId, person_id: Snowflake, where: Readable
) -> dict[str, Any]:
    """Give what somebody's file says."""
    pieces: list[str] = []
    await personal.write_down(community_id, person_id, where, pieces.append)
    return cast(dict[str, Any], json.loads("".join(pieces)))
