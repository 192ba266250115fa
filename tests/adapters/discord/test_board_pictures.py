"""A board's picture is drawn and sent when there is something else to see, and stays where there is not."""

from dataclasses import replace
from io import BytesIO
from types import SimpleNamespace
from typing import Any, cast

import discord

from bot.adapters.discord.boards import Pictures, show
from bot.core.errors import Gone, Limited
from bot.core.records import SceneId, Snowflake
from bot.core.scenes.records import SceneStatus
from bot.core.scenes.showing import Board

BOARD = Board(
    scene_id=SceneId(1),
    window=1,
    kind="village",
    names={1: "Ada"},
    title="Village 1",
    status=SceneStatus.RUNNING,
    lines=("Waiting",),
    picture={"terrain": "..."},
)


class Thread:
    """As much of a thread as a board stands in."""

    id = 70

    def __init__(self) -> None:
        self.sent: list[int] = []
        self.edits: list[int] = []
        self.fault: Exception | None = None

    def get_partial_message(self, _: int) -> "Thread":
        return self

    async def edit(self, *, attachments: Any, **_: object) -> None:  # noqa: ANN401
        if self.fault is not None:
            raise self.fault
        self.edits.append(0 if attachments is discord.utils.MISSING else len(attachments))

    async def send(self, _: str, *, files: list[discord.File], **__: object) -> Any:  # noqa: ANN401
        self.sent.append(len(files))
        return SimpleNamespace(id=71)

    async def history(self, **_: object) -> Any:  # noqa: ANN401
        found: list[Any] = []
        for one in found:
            yield one


async def drawing(_: Board) -> discord.File:
    return discord.File(BytesIO(b"png"), filename="village.png")


async def test_it_is_sent_with_the_board_and_again_only_when_it_shows_something_else() -> None:
    thread, pictures = Thread(), Pictures(drawing)
    place = cast("Any", thread)
    assert await show(place, None, BOARD, 5, pictures) == 71
    for board in (BOARD, replace(BOARD, lines=("Later",)), replace(BOARD, picture={"terrain": "..~"})):
        assert await show(place, Snowflake(71), board, 5, pictures) == 71
    assert (thread.sent, thread.edits) == ([1], [0, 0, 1])


async def test_after_a_restart_it_is_sent_once_more_and_what_failed_is_sent_again() -> None:
    thread, pictures = Thread(), Pictures(drawing)
    place = cast("Any", thread)
    thread.fault = Limited("later", retry_after_seconds=1.0)
    for _ in range(2):
        try:
            await show(place, Snowflake(71), BOARD, 5, pictures)
        except Limited:
            thread.fault = None
    assert thread.edits == [1]
    thread.fault = Gone("deleted")
    assert await show(place, Snowflake(71), BOARD, 5, pictures) == 71
    assert thread.sent == [1]
