"""What only people do: undo, clone, delete, hand keys out, set the house's rules."""

from dataclasses import replace
from decimal import Decimal

from sqlalchemy import text

from bot.core.actions import (
    CloneAgent,
    CreateKey,
    Delete,
    DeleteAgent,
    HandKey,
    Pause,
    PermitAgent,
    Resume,
    Set,
    SetIgnored,
    SetMuted,
    SetSetting,
    UndoKnowledge,
)
from bot.core.people import is_heard
from bot.core.records import AgentId
from tests.engine.performer.house import ADA, BO, BOSS, CY, DI, MIRA, House
from tests.storage.lines import forget

CLONE = AgentId(6)


async def test_changes_of_knowledge_are_undone_one_after_the_other_or_by_number(house: House) -> None:
    await house.act(BO, Set(path="a", value=1), Set(path="a", value=2), Set(path="b.c", value=3), Delete(path="a"))
    await house.ask(BOSS, UndoKnowledge(), subject=BO)
    assert await house.knowledge(BO) == {"a": 2, "b": {"c": 3}}
    async with house.store.reading() as read:
        journal = await read.logs.journal(house.community_id, BO)
    made = next(entry for entry in journal if entry.path == "b.c")
    (undone,) = await house.ask(BOSS, UndoKnowledge(entry_id=made.id), subject=BO)
    assert undone.accepted
    assert await house.knowledge(BO) == {"a": 2, "b": {}}
    assert [entry.by for entry in journal[:2]] == ["The Architect (@boss)", "itself"]
    (nothing,) = await house.ask(BOSS, UndoKnowledge(), subject=CY)
    assert nothing.why == "There is no such change in the history of its knowledge."


async def test_a_clone_has_the_configuration_and_if_asked_the_knowledge_but_no_rights(house: House) -> None:
    await house.act(DI, Set(path="motto", value="be kind"))
    (cloned,) = await house.ask(BOSS, CloneAgent(agent_id=DI, name="Di Two", with_knowledge=True))
    assert cloned.result == "Di Two is created, like Di."
    view = await house.view(CLONE, DI)
    assert (view.whole_agent(CLONE).prompt, view.agents[CLONE].can_create_agents) == (
        view.whole_agent(DI).prompt,
        False,
    )
    assert await house.knowledge(CLONE) == {"motto": "be kind"}
    async with house.store.reading() as read:  # one line for all of it, however much it is
        (entry,) = await read.logs.journal(house.community_id, CLONE)
    assert (entry.path, entry.after) == ("(what Di knew)", None)
    (taken,) = await house.ask(BOSS, CloneAgent(agent_id=DI, name="ada"))
    assert taken.why == '"ada" is taken: choose another name.'


async def test_a_deleted_agent_is_gone_and_its_id_stays_used(house: House) -> None:
    await house.said(CY, "alone")
    (deleted,) = await house.ask(BOSS, DeleteAgent(agent_id=CY), subject=CY)
    assert deleted.result == "Cy is deleted for good."
    assert CY not in (await house.view(ADA)).agents
    await house.ask(BOSS, CloneAgent(agent_id=ADA, name="New"))
    assert max((await house.view(ADA)).agents) == CLONE
    (plain,) = await house.ask(MIRA, DeleteAgent(agent_id=ADA))
    assert not plain.accepted


async def test_a_manager_takes_a_key_out_for_a_person(house: House) -> None:
    await house.act(ADA, CreateKey(key="open sesame", label="blue"))
    (handed,) = await house.ask(BOSS, HandKey(label="blue", person_id=BOSS.id), subject=ADA)
    assert (handed.secret, handed.result) == ("open sesame", 'The key "blue" is for @boss.')
    async with house.store.reading() as read:
        log = await read.logs.audit(house.community_id)
    assert "sesame" not in repr(log)


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
