"""Agents that make agents, and people who look after them."""

from datetime import timedelta

import pytest

from bot.core.actions import (
    AlterAgent,
    CreateAgent,
    DeleteAgent,
    PermitAgent,
    RestoreAgent,
    RetireAgent,
    SendMessage,
)
from bot.core.changes import UpdateRoom
from bot.core.kinds import AgentType, LetterKind, OutputFormat, Visibility
from bot.core.letters import wanted_visibility
from bot.core.records import AgentId
from storage import emptying
from tests.engine.performer.house import ADA, BO, BOSS, CY, DI, EL, MIRA, House

NEWT = AgentId(6)
CREATE = CreateAgent(name="Newt", background_prompt="You are new.", in_room_id=ADA)


async def test_a_privileged_agent_makes_a_child_that_joins_the_room(house: House) -> None:
    assert await house.one(DI, CREATE) == ""
    view = await house.view(NEWT)
    newt = view.agents[NEWT]
    assert (newt.name, newt.created_by, newt.can_create_agents) == ("Newt", DI, False)
    assert {(NEWT, NEWT), (NEWT, ADA)} <= set(view.memberships)
    assert LetterKind.CHANNEL in {one.kind for one in await house.letters() if one.room_id == NEWT}
    assert await house.texts(ADA) == ["Newt joined."]


async def test_only_agents_are_told_an_id_for_their_actions_ask_for_it(house: House) -> None:
    (by_agent,) = await house.act(DI, CREATE)
    (by_person,) = await house.ask(BOSS, CreateAgent(name="Eft", background_prompt="x"))
    assert (by_agent.result, by_person.result) == (f"Newt is created with the id {NEWT}.", "Eft is created.")


async def test_five_children_a_day_are_enough(house: House) -> None:
    made = [CreateAgent(name=f"Child{n}", background_prompt="x") for n in range(6)]
    outcomes = await house.act(DI, *made)
    assert [one.accepted for one in outcomes] == [True] * 5 + [False]
    assert outcomes[5].why == "You created 5 agents within a day: more have to wait."
    house.now += timedelta(days=1, seconds=1)
    assert await house.one(DI, made[5]) == ""


async def test_a_child_goes_only_where_its_parent_is(house: House) -> None:
    why = await house.one(DI, CreateAgent(name="Newt", background_prompt="x", in_room_id=CY))
    assert why == "You are not in room 3, or it is not shown in this beat."
    assert NEWT not in (await house.view()).agents


async def test_a_bot_is_named_by_its_id_and_a_persona_needs_a_name(house: House) -> None:
    bot, persona = await house.ask(
        BOSS,
        CreateAgent(background_prompt="count", agent_type=AgentType.BOT),
        CreateAgent(background_prompt="live", agent_type=AgentType.PERSONA),
    )
    assert bot.result == "Bot-6 is created."
    assert persona.why == "A persona needs a name."


async def test_a_managers_form_sets_more_than_an_agent_may(house: House) -> None:
    form = CreateAgent(
        name="Newt",
        background_prompt="x",
        model="gpt-4o",
        temperature=0.1,
        token_budget=50_000,
        avatar_url="https://a.b/c.png",
    )
    await house.ask(BOSS, form)
    newt = (await house.view()).agents[NEWT]
    assert (newt.model, newt.temperature, newt.token_budget) == ("gpt-4o", 0.1, 50_000)
    (plain,) = await house.ask(MIRA, form)
    assert plain.why == "Only people who may manage the server can do that."


async def test_a_prompt_takes_a_tenth_of_the_budget_whatever_changes(house: House) -> None:
    (made,) = await house.ask(BOSS, CreateAgent(name="Newt", background_prompt="x" * 4_100))
    assert made.why == "The prompt has 1,025 tokens: at most 1,000 fit into a budget of 10,000."
    fits = AlterAgent(agent_id=BO, background_prompt="x" * 3_900)
    smaller = AlterAgent(agent_id=BO, token_budget=5_000)
    first, second = await house.ask(BOSS, fits, smaller)
    assert (first.accepted, second.accepted) == (True, False)
    assert (await house.view()).agents[BO].token_budget == 10_000


async def test_only_models_that_the_community_allows_are_taken(house: House) -> None:
    await house.configure(allowed_models=["gpt-4o-mini", "local/llama3"])
    assert await house.one(DI, AlterAgent(agent_id=BO, model="local/llama3")) == ""
    why = await house.one(DI, AlterAgent(agent_id=BO, model="huge"))
    assert why == "This community does not allow the model huge: choose one of gpt-4o-mini, local/llama3."


async def test_spare_models_are_those_that_the_community_allows_each_once_in_their_order(house: House) -> None:
    await house.configure(allowed_models=["gpt-4o-mini", "local/llama3", "local/tiny"])
    for refused in (("huge",), ("local/llama3", "huge")):
        why = (await house.ask(BOSS, AlterAgent(agent_id=BO, spare_models=refused)))[0].why
        assert why.startswith("This community does not allow the model huge")
    given = ("local/tiny", "local/llama3", "gpt-4o-mini", "local/tiny")
    for named, kept in ((given, ("local/tiny", "local/llama3")), ((), ())):
        assert (await house.ask(BOSS, AlterAgent(agent_id=BO, spare_models=named)))[0].accepted
        assert (await house.view()).agents[BO].spare_models == kept


async def test_an_agent_has_no_more_spare_models_than_the_community_lets_it(house: House) -> None:
    await house.configure(spare_models=1)
    why = (await house.ask(BOSS, AlterAgent(agent_id=BO, spare_models=("one", "two"))))[0].why
    assert why == "An agent may have 1 spare model at most (`/setup options`: `spare_models`)."
    assert (await house.ask(BOSS, AlterAgent(agent_id=BO, spare_models=("one",))))[0].accepted


async def test_who_becomes_the_agents_own_model_is_its_spare_one_no_longer(house: House) -> None:
    assert (await house.ask(BOSS, AlterAgent(agent_id=BO, model="one", spare_models=("two", "one"))))[0].accepted
    assert (await house.view()).agents[BO].spare_models == ("two",)


async def test_what_is_altered_is_altered_together_or_not_at_all(house: House) -> None:
    (outcome,) = await house.ask(BOSS, AlterAgent(agent_id=BO, name="Ada", temperature=1.5))
    assert outcome.why == '"Ada" is taken: choose another name.'
    assert (await house.view()).agents[BO].temperature == 0.7
    await house.ask(BOSS, AlterAgent(agent_id=BO, name="Boris", output_format=OutputFormat.TOON, aliases=("b",)))
    bo = (await house.view()).agents[BO]
    assert (bo.name, bo.output_format, bo.aliases) == ("Boris", OutputFormat.TOON, ("b",))
    (nothing,) = await house.ask(BOSS, AlterAgent(agent_id=BO))
    assert nothing.why == "Say what to change."


async def test_retiring_ends_talk_in_the_room_until_the_agent_is_restored(house: House) -> None:
    assert await house.one(DI, RetireAgent(agent_id=ADA)) == ""
    assert await house.one(ADA, SendMessage(room_id=ADA, message="x")) == "You are retired."
    assert await house.one(BO, SendMessage(room_id=ADA, message="x")) == "Room 1 is read-only: its owner is retired."
    restored, again = await house.ask(BOSS, RestoreAgent(agent_id=ADA), RestoreAgent(agent_id=ADA))
    assert (restored.accepted, again.why) == (True, "Ada is not retired.")
    assert await house.one(BO, SendMessage(room_id=ADA, message="x")) == ""


async def test_an_agent_that_is_going_for_good_is_not_restored(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as slow:
        slow.setattr(emptying, "AT_ONCE", 0)  # nothing goes with the command itself
        (gone,) = await house.ask(BOSS, DeleteAgent(agent_id=ADA))
        (restored,) = await house.ask(BOSS, RestoreAgent(agent_id=ADA))
        assert gone.accepted
        assert "deleted for good" in restored.why
    await house.store.gone_for_good()
    assert ADA not in (await house.view()).agents


async def test_a_retired_agents_channel_is_closed_to_writing_and_opened_again(house: House) -> None:
    await house.ask(BOSS, RetireAgent(agent_id=ADA))
    assert [one.payload for one in await house.letters() if one.kind is LetterKind.PERMISSION] == [{}]
    await house.ask(BOSS, RestoreAgent(agent_id=ADA))
    async with house.store.reading() as read:
        waiting = (await read.views.whole(house.community_id, room_ids=[ADA])).unposted[ADA]
    assert [one.kind for one in waiting].count(LetterKind.PERMISSION) == 2


async def test_a_new_room_is_private_until_discord_shows_who_sees_its_channel(house: House) -> None:
    await house.ask(BOSS, CREATE)
    assert (await house.view()).all_rooms[NEWT].visibility is Visibility.PRIVATE
    [door] = [one for one in await house.letters() if one.room_id == NEWT and one.kind is LetterKind.CHANNEL]
    assert door.payload == {"private": False}  # as the community makes its rooms


async def test_a_restored_room_is_private_until_discord_shows_who_sees_its_new_channel(house: House) -> None:
    await house.ask(BOSS, RetireAgent(agent_id=ADA))
    async with house.store.writing(house.community_id) as write:
        await write.apply(house.community_id, [UpdateRoom(room_id=ADA, fields={"channel_id": None})])
    await house.ask(BOSS, RestoreAgent(agent_id=ADA))
    async with house.store.reading() as read:
        view = await read.views.whole(house.community_id, room_ids=[ADA])
    assert view.all_rooms[ADA].visibility is Visibility.PRIVATE
    assert wanted_visibility(view.unposted[ADA]) is Visibility.PUBLIC


async def test_a_deleted_agents_channel_is_left_to_people_with_a_note(house: House) -> None:
    await house.ask(BOSS, DeleteAgent(agent_id=EL))
    [left] = [one for one in await house.letters() if one.kind is LetterKind.PERMISSION]
    assert (left.room_id, left.payload["left_channel_id"]) == (ADA, 7_000_000_000_000_005)
    assert "allowed" not in left.payload  # who sees it stays as it is
    assert "El is gone for good" in str(left.payload["note"])


async def test_a_deleted_agents_channel_goes_too_when_that_is_asked_for(house: House) -> None:
    await house.ask(BOSS, DeleteAgent(agent_id=EL, channel="remove"))
    [left] = [one for one in await house.letters() if one.kind is LetterKind.PERMISSION]
    assert (left.payload["left_channel_id"], left.payload["removed"]) == (7_000_000_000_000_005, True)
    for agent_id in (BO, CY, DI):
        await house.ask(BOSS, DeleteAgent(agent_id=agent_id))
    (last,) = await house.ask(BOSS, DeleteAgent(agent_id=ADA, channel="remove"))
    assert last.why == "Nobody else lives here who could see to the channel: keep it, and delete it on Discord."


async def test_only_people_let_agents_create_agents(house: House) -> None:
    assert await house.one(BO, CREATE) == "You may not manage agents: only people can allow you to."
    await house.ask(BOSS, PermitAgent(agent_id=BO, allowed=True))
    assert await house.one(BO, CREATE) == ""
    assert (await house.ask(BOSS, PermitAgent(agent_id=BO, allowed=False)))[0].result == "Bo may not create agents."
