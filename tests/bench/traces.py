"""Real chat as room content: recorded traces, where they are at hand."""

import json
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from bot.core.kinds import SenderKind
from bot.core.records import AgentId, Message, MessageId, Sender, Snowflake
from tests.core.hud.worlds import counted

FOLDER = Path(__file__).parents[3] / "shared" / "traces"
REACTIONS = (("thumbs_up", 2), ("heart", 1), ("brain", 1))


def there() -> list[Path]:
    """The traces' files; none when they are not at hand."""
    return sorted(FOLDER.glob("*.jsonl"))


def rows(path: Path) -> list[dict[str, Any]]:
    """A trace's lines."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def messages(path: Path, number: int, *, room_id: int = 1, first_id: int = 1, skip: int = 0) -> tuple[Message, ...]:
    """So many messages of a trace (from its beginning again when it ends), every seventh with a reaction."""
    lines = rows(path)
    picked = list(islice(cycle(lines), skip, skip + number))
    ids = {row["seq"]: first_id + index for index, row in enumerate(picked)}
    return tuple(_message(row, first_id + index, room_id, ids) for index, row in enumerate(picked))


def _message(row: dict[str, Any], id: int, room_id: int, ids: dict[int, int]) -> Message:
    reply = ids.get(row.get("reply_to") or 0)
    message = Message(
        id=MessageId(id),
        room_id=AgentId(room_id),
        sender=Sender(kind=SenderKind.PERSON, person_id=Snowflake(1), name=row["sender"]),
        content=row["text"],
        sent_at=datetime.fromisoformat(row["t"]).replace(tzinfo=UTC),
        reply_to=MessageId(reply) if reply else None,
        reactions=(REACTIONS[id % 3],) if id % 7 == 0 else (),
    )
    return counted(message)
