"""What only people do: undo, clone, delete, hand keys out, set the house's rules."""

from decimal import Decimal

from bot.core.actions import (
    CloneAgent,
    CreateKey,
    Delete,
    DeleteAgent,
    HandKey,
    PermitAgent,
    Set,
    SetIgnored,
    SetSetting,
    UndoKnowledge,
)
from bot.core.records import AgentId
from tests.engine.performer.house import ADA, BO, BOSS, CY, DI, MIRA, House

CLONE = AgentId(6)


async def test_changes_of_knowledge_are_undone_one_after_the_other_or_by_number(house: House) -> None:
    await house.act(BO, Set(path="a", value=1), Set(path="a", value=2), Set(path="b.c", value=3), Delete(path="a"))
    await house.ask(BOSS, UndoKnowledge(), subject=BO)
    assert await house.knowledge(BO) == {"a": 2, "b": {"c": 3}}
    async with house.store.reading() as read:
        journal = await read.journal(house.community_id, BO)
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
    assert cloned.result == "Di Two is created with the id 6, like Di."
    view = await house.view(CLONE, DI)
    assert (view.agents[CLONE].prompt, view.agents[CLONE].can_create_agents) == (view.agents[DI].prompt, False)
    assert await house.knowledge(CLONE) == {"motto": "be kind"}
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
        log = await read.audit_log(house.community_id)
    assert "sesame" not in repr(log)


async def test_settings_are_held_to_their_limits(house: House) -> None:
    outcomes = await house.ask(
        BOSS,
        SetSetting(name="usd_per_day", value="2.50"),
        SetSetting(name="wpm", value=5_000),
        SetSetting(name="no_such_thing", value=1),
    )
    assert [one.why for one in outcomes] == [
        *("", "wpm is not right: should be less than or equal to 200.", "There is no setting no_such_thing.")
    ]
    assert (await house.view()).config.usd_per_day == Decimal("2.50")
    await house.ask(BOSS, SetSetting(name="usd_per_day"))
    assert (await house.view()).config.usd_per_day == Decimal("1.00")


async def test_a_person_can_be_ignored_by_all_agents(house: House) -> None:
    (mine,) = await house.ask(MIRA, SetIgnored(person_id=MIRA.id))
    assert mine.result == "Agents ignore @mira."
    async with house.store.reading() as read:
        known = await read.person(house.community_id, MIRA.id)
    assert known is not None
    assert known.ignored
    (others,) = await house.ask(MIRA, SetIgnored(person_id=BOSS.id))
    assert others.why == "Only people who may manage the server can do that."
    (unknown,) = await house.ask(BOSS, SetIgnored(person_id=12345))
    assert unknown.why == "Nobody by that id has spoken here yet."


async def test_every_change_by_a_person_is_in_the_audit_log_with_their_name(house: House) -> None:
    await house.ask(BOSS, PermitAgent(agent_id=BO, allowed=True), subject=BO)
    await house.ask(MIRA, PermitAgent(agent_id=BO, allowed=True), subject=BO)
    async with house.store.reading() as read:
        (entry,) = await read.audit_log(house.community_id)
    assert (entry.by, entry.what) == ("The Architect (@boss)", "permit_agent: Bo may create agents.")
