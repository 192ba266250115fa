"""What a commander takes for the answer when more is heard than that."""

from typing import Any, cast

from tests.e2e.commanding import Commander
from tests.e2e.visitor import EPHEMERAL, Json, Visitor

SEAT: Json = {
    **{"id": "1", "channel_id": "2", "flags": EPHEMERAL, "content": "**Council 1**, seat 3 · debate\nAn agent spoke."},
    "components": [{"type": 1, "components": [{"type": 2, "label": "amend…", "custom_id": "form:1:2:amend"}]}],
}
FORM: Json = {"id": "3", "channel_id": "2", "custom_id": "form", "components": []}


class Hearing:
    """A visitor whose seat is changed by others just as a button on it is pressed."""

    def __init__(self) -> None:
        self.about = {"application_id": "4", "guild_id": "5"}
        self.heard: list[tuple[str, Json]] = [("MESSAGE_CREATE", SEAT)]

    async def ask(self, *_: Any) -> None:  # noqa: ANN401
        self.heard += [("MESSAGE_UPDATE", SEAT), ("INTERACTION_MODAL_CREATE", FORM)]


async def test_a_seat_that_changes_while_its_form_opens_is_not_the_form() -> None:
    commander = Commander(cast(Visitor, Hearing()), "2")
    assert await commander.press(SEAT, "amend…") == FORM
