"""One's seat in a scene is one message, which follows the scene while Discord takes edits of it."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import discord
import pytest

from bot.core.scenes.kind import SceneKind
from bot.core.scenes.registry import KINDS
from bot.core.scenes.showing import turn_of
from cogs import seats as cog
from cogs.ui.seats import AT_REST, MORE, Look, Seats, seat_text
from tests.core.scenes.plays import dice, of, step_by_chance
from tests.core.scenes.surfaces import scene_at

NOW = datetime(2026, 11, 24, tzinfo=UTC)
KIND = discord.InteractionResponseType


class Press:
    """A press by which a message is shown and edited, as much of it as is looked at."""

    def __init__(self, id: int, *, on: int | None = None, at: datetime = NOW) -> None:
        self.guild_id, self.user = 1, SimpleNamespace(id=7)
        self.created_at, self.expires_at = at, at + timedelta(minutes=15)
        flags = SimpleNamespace(ephemeral=on is not None)
        self.message = SimpleNamespace(id=on or 1, flags=flags)
        self.response = SimpleNamespace(type=None, defer=self._defer)
        self.id, self.shown, self.drawn = on or id, list[str](), 0

    async def _defer(self, *, ephemeral: bool = False, thinking: bool = False) -> None:
        self.response.type = KIND.deferred_channel_message if thinking else KIND.deferred_message_update

    async def edit_original_response(self, *, content: str, attachments: Any = None, **_: object) -> Any:  # noqa: ANN401
        self.shown.append(content)
        self.drawn += attachments is not discord.utils.MISSING
        return SimpleNamespace(id=self.id)

    async def delete_original_response(self) -> None:
        self.shown.clear()

    def is_expired(self) -> bool:
        return False


def look(text: str) -> Look:
    async def draw() -> list[discord.File]:
        return []

    return Look(text=text, moves="", view=lambda: None, picture="hand", draw=draw)


async def pressed(seats: Seats, press: Press, text: str) -> None:
    await press.response.defer(ephemeral=True, thinking=True)
    await seats.show(cast("Any", press), 3, look(text))


async def test_whoever_presses_again_sees_their_seat_anew_and_the_old_one_goes() -> None:
    """Their client may have forgotten the old one: what one person alone was told outlives no restart of theirs."""
    seats, first, second = Seats(), Press(50), Press(60)
    await pressed(seats, first, "one")
    await pressed(seats, second, "two")
    assert (first.shown, second.shown) == ([], ["two"])
    assert second.drawn == 1


async def test_a_seat_follows_by_itself_and_is_edited_only_when_there_is_something_to_see() -> None:
    seats, press = Seats(), Press(50)
    await pressed(seats, press, "one")
    [(_, watched)] = seats.at(1, 3)
    for text in ("one", "two", "two"):

        async def now(text: str = text) -> Look:
            return look(text)

        await seats.bring_up(watched, now)
    assert press.shown == ["one", "two"]
    assert list(seats.at(1, 4)) == []


async def test_what_only_a_seat_is_told_is_shown_there_though_no_board_is_drawn_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seats, press, told, looks = Seats(), Press(50), ["one"], list[str]()

    async def find(*_: object) -> Any:  # noqa: ANN401
        return SimpleNamespace(events=len(told))

    async def look_now(*_: object) -> Look:
        looks.append(told[-1])
        return look(told[-1])

    monkeypatch.setattr(cog, "SEATS", seats)
    monkeypatch.setattr(cog.SeatsCog, "_look", look_now)
    desk = SimpleNamespace(scenes=SimpleNamespace(find=find))
    here = cog.SeatsCog(cast("Any", SimpleNamespace(desk=desk)))
    await here.whispered()
    await pressed(seats, press, "one")
    await here.whispered()
    told.append("one, and Fern to you: we take the baker")
    for _ in range(3):
        await here.whispered()
    assert press.shown == told
    assert looks == told  # it is looked anew only where something was told


async def test_a_seat_says_that_it_rests_before_discord_takes_no_edits_any_more() -> None:
    seats, press, later = Seats(), Press(50), Press(60, at=NOW + timedelta(minutes=14, seconds=30))
    await pressed(seats, press, "one")
    await seats.rest(NOW + timedelta(minutes=13))
    assert press.shown == ["one"]
    await seats.rest(NOW + timedelta(minutes=14, seconds=1))
    assert press.shown == ["one", f"one\n{AT_REST}"]
    await pressed(seats, later, "two")
    assert (press.shown[2:], later.shown) == ([], ["two"])


async def test_a_move_pressed_in_a_seat_lets_it_live_on() -> None:
    seats, press, move = Seats(), Press(50), Press(0, on=50, at=NOW + timedelta(minutes=10))
    await pressed(seats, press, "one")
    await move.response.defer()
    await seats.show(cast("Any", move), 3, look("Your move stands."))
    await seats.rest(NOW + timedelta(minutes=20))
    assert (press.shown, move.shown, move.drawn) == (["one"], ["Your move stands."], 0)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_a_seat_fits_into_one_message_however_many_sit_there_and_however_long_it_goes_on(kind: SceneKind) -> None:
    """Discord takes no longer one, and whoever sits there would see nothing of their seat."""
    names = {seat: f"{seat:2} with a name that is as long as any may be here"[:50] for seat in range(1, 17)}
    rng, playing, note, cut = dice(4), of(kind, kind.options(), kind.seats[1]), "Your move stands. " * 5, 0
    while not playing.is_over:
        step_by_chance(playing, rng)
        if playing.standing.step % 5:
            continue
        turn = turn_of(scene_at(playing, playing.standing), playing.events, names, rng.choice(playing.seats))
        assert turn is not None
        told = seat_text(turn, note)
        assert len(f"{told}\n{AT_REST}") <= 2_000
        assert told.startswith(note)
        assert not turn.private or f"\n**{turn.private[0][0]}**: " in told
        assert not turn.lines or turn.lines[-1][:40] in told
        cut += MORE in told
    assert cut or kind.kind != "werewolf"
