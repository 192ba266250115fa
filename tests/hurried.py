"""The house at the pace of tests: what only takes time, and tells nothing by how long it is, takes less of it."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Final
from unittest.mock import AsyncMock, patch

from cogs.ui.patience import Patience

HURRIED: Final[Mapping[str, object]] = {
    "bot.core.scenes.werewolf.state.NIGHT_LEAST": 3,
    "bot.core.scenes.werewolf.state.LATE_LEAST": 2,
    "bot.engine.stage.BOARD_SECONDS": 0.2,
    "bot.house.DEADLINE_SECONDS": 0.2,
    "bot.client.LATE_SERVER_SECONDS": 0.1,
    "bot.engine.setbacks.REFUSED_WAIT_SECONDS": 0.2,
    "bot.engine.effects.NO_CHANNEL_SECONDS": 0.2,
    "bot.engine.posting.NO_CHANNEL_SECONDS": 0.2,
    "cogs.room.company.FOLLOWED_SECONDS": 0.2,
    "cogs.timeline.boards.BOARD_SECONDS": 0.2,
}
PRESSES_A_MINUTE = 600


@contextmanager
def hurried() -> Iterator[None]:
    """Let nights and rests be short, boards follow at once, and people press as quickly as tests do, until the end."""
    with ExitStack() as patches:
        for name, value in HURRIED.items():
            patches.enter_context(patch(name, value))
        identify = patch("bot.client.SelfroomClient.before_identify_hook", AsyncMock())  # which rests for five seconds
        patches.enter_context(identify)
        patches.enter_context(patch("cogs.ui.scenes.PRESSES", Patience(PRESSES_A_MINUTE, 60.0)))
        yield
