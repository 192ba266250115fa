"""What only people do: undo, clone, delete, hand keys out, set the house's rules."""

from bot.core.actions import (
    CloneAgent,
    CreateKey,
    Delete,
    DeleteAgent,
    HandKey,
    Set,
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
