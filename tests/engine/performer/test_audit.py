"""What stands in the audit of who changed what."""

from dataclasses import replace

from sqlalchemy import text

from bot.core.actions import (
    CreateKey,
    Pause,
    PermitAgent,
    RequestAccess,
    Resume,
    SetMuted,
)
from tests.engine.performer.house import BO, BOSS, EL, MIRA, House


async def test_what_is_kept_of_a_deed_is_an_id_and_what_is_shown_is_the_name_of_now(house: House) -> None:
    (muted,) = await house.ask(BOSS, SetMuted(person_id=BOSS.id))
    assert muted.result == "Agents ignore @boss."
    await house.ask(BOSS, Pause(), subject=BO)
    await house.ask(replace(BOSS, username="chief"), Resume(), subject=BO)
    async with house.store.reading() as read:
        kept = [tuple(row) for row in await read.session.rows(text("SELECT audit.by, what FROM audit ORDER BY id"))]
        shown = [(one.by, one.what) for one in await read.logs.audit(house.community_id)]
    assert kept[0] == ("The Architect (<@502>)", "Agents ignore <@502>.")
    assert shown[-1] == ("The Architect (@chief)", "Agents ignore @chief.")
    assert "boss" not in str(kept) + str(shown)


async def test_every_change_by_a_person_is_in_the_audit_log_with_their_name(house: House) -> None:
    await house.ask(BOSS, PermitAgent(agent_id=BO, allowed=True), subject=BO)
    await house.ask(MIRA, PermitAgent(agent_id=BO, allowed=True), subject=BO)
    async with house.store.reading() as read:
        (entry,) = await read.logs.audit(house.community_id)
    what = "Bo may create agents. (may create agents: no → yes)"
    assert (entry.by, entry.what) == ("The Architect (@boss)", what)


async def test_a_person_who_was_told_of_their_deed_is_named_to_who_reads_of_it(house: House) -> None:
    await house.ask(BOSS, CreateKey(key="open sesame"), subject=EL)
    await house.ask(MIRA, RequestAccess(room_id=EL, key="open sesame"))
    async with house.store.reading() as read:
        told = [one.what for one in await read.logs.audit(house.community_id)]
    assert "@mira knocked at El's room: its owner decides." in told
