"""Incoming messages with defaults."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from bot.core.ports import NewMessage
from bot.core.records import AgentId, Snowflake
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
