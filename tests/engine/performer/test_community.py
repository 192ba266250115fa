"""What people do to the community itself: its settings, and whom agents ignore."""

from decimal import Decimal

from bot.core.actions import (
    SetIgnored,
    SetMuted,
    SetSetting,
)
from bot.core.people import is_heard
from tests.engine.performer.house import BOSS, MIRA, House
from tests.storage.lines import forget


async def test_settings_are_held_to_their_limits(house: House) -> None:
    outcomes = await house.ask(
        BOSS,
        SetSetting(name="usd_per_day", value="2.50"),
        SetSetting(name="wpm", value=5_000),
        SetSetting(name="no_such_thing", value=1),
    )
    assert [one.why for one in outcomes] == [
        "",
        "`wpm` must be a whole number from 10 up to 200; `default` puts it back.",
        "There is no setting `no_such_thing`.",
    ]
    assert (await house.view()).config.usd_per_day == Decimal("2.50")
    await house.ask(BOSS, SetSetting(name="usd_per_day"))
    assert (await house.view()).config.usd_per_day == Decimal("1.00")


async def test_a_person_can_be_ignored_by_all_agents(house: House) -> None:
    (mine,) = await house.ask(MIRA, SetIgnored())
    assert mine.result == "Agents ignore @mira."
    async with house.store.reading() as read:
        known = await read.people.find(house.community_id, MIRA.id)
    assert known is not None
    assert known.ignored
    (others,) = await house.ask(MIRA, SetMuted(person_id=BOSS.id))
    assert others.why == "Only people who may manage the server can do that."
    (unknown,) = await house.ask(BOSS, SetMuted(person_id=12345))
    assert unknown.why == "Nobody by that id has spoken here yet."


async def test_who_was_muted_by_a_manager_cannot_lift_it(house: House) -> None:
    await house.ask(MIRA, SetIgnored(ignored=False))
    await house.ask(BOSS, SetMuted(person_id=MIRA.id))
    (own,) = await house.ask(MIRA, SetIgnored(ignored=False))
    assert "a manager muted you" in own.result
    async with house.store.reading() as read:
        known = await read.people.find(house.community_id, MIRA.id)
    assert known is not None
    assert not is_heard(known)
    await house.ask(MIRA, SetIgnored())
    (lifted,) = await house.ask(BOSS, SetMuted(person_id=MIRA.id, muted=False))
    assert lifted.result == "@mira is muted no longer, but wishes to be ignored: only they can change that."
    (heard,) = await house.ask(MIRA, SetIgnored(ignored=False))
    assert heard.result == "Agents listen to @mira."


async def test_who_was_forgotten_is_told_that_they_stay_ignored(house: House) -> None:
    await house.ask(MIRA, SetIgnored())
    async with house.store.writing(house.community_id) as write:
        await forget(write.personal, house.community_id, MIRA.id, house.now)
    (back,) = await house.ask(MIRA, SetIgnored(ignored=False))
    assert "You asked to be forgotten here" in back.why
    (already,) = await house.ask(MIRA, SetIgnored())
    assert already.result == "Agents ignore you already: you asked to be forgotten here."
    for muted in (True, False):
        (by_manager,) = await house.ask(BOSS, SetMuted(person_id=MIRA.id, muted=muted))
        assert by_manager.why == "They asked to be forgotten here: agents ignore them, and go on doing so."
