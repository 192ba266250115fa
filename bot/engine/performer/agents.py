"""Performs making, changing, retiring and restoring agents."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import cast
from urllib.parse import urlsplit

from bot.core.actions import AlterAgent, CloneAgent, CreateAgent, DeleteAgent, PermitAgent, RestoreAgent, RetireAgent
from bot.core.changes import AddAgent, SetFocus, SetKnowledge, WholeAgentColumns
from bot.core.errors import Rejected
from bot.core.focus import starting_focus
from bot.core.kinds import Access, AgentType, LetterKind, ReasonKind, Visibility
from bot.core.letters import ChannelPayload, PermissionPayload
from bot.core.moderation import is_on
from bot.core.names import default_name
from bot.core.records import PUBLIC_SIDE, Agent, AgentId, Json, Membership, Reason, Room, Snowflake, WholeAgent
from bot.core.sentences import Sentence
from bot.core.view import RoomView
from bot.core.wording import counted
from bot.engine.performer.registry import Asks, handles
from bot.engine.performer.rooms import PROPOSED, free_name, put_letter, redraw_lobbies, rename
from bot.engine.performer.talk import tell_room
from bot.engine.performer.unit_of_work import UnitOfWork

DAY = timedelta(days=1)
SETTLED_IN = timedelta(seconds=2)
PROMPT_PERCENT = 10


@handles(CreateAgent, asks=Asks.NEWEST)
async def create_agent(work: UnitOfWork, action: CreateAgent) -> str:
    _check_daily_limit(work)
    await check_model(work, action.model or work.config.model)
    if action.name is None and action.agent_type is AgentType.PERSONA:
        raise Rejected(Sentence("A persona needs a name."))
    hosts = [work.room(action.in_room_id)] if action.in_room_id is not None else []
    name = free_name(work, action.name) if action.name is not None else ""
    agent = _drafted(work, action, name)
    agent = replace(agent, id=AgentId(work.write.ids.take("agent")))
    looked_at = bool(name) and work.actor.agent_id is not None and is_on(work.config)
    agent = replace(agent, name=free_name(work, default_name(agent.id)) if looked_at or not name else name)
    _settle(work, agent)
    if looked_at:
        rename(work, agent, name)
    if work.config.greets and work.actor.who is not None and work.actor.who.id:
        _greet(work, agent, work.actor.who.id)
    for host in hosts:
        work.add_membership(agent.id, host.id)
        tell_room(work, host.id, f"{agent.name} joined.")
    await redraw_lobbies(work)
    return Sentence("{agent} is created{to_call}.", agent=agent.name, to_call=_to_call(work, agent.id))


@handles(AlterAgent)
async def alter_agent(work: UnitOfWork, action: AlterAgent) -> str:
    agent = work.whole_agent(action.agent_id)
    fields = _altered(action)
    if not fields and action.name is None:
        raise Rejected(Sentence("Say what to change."))
    if "spare_models" in fields:
        fields["spare_models"] = _spares(work, fields["spare_models"], but=fields.get("model", agent.model))
    after = replace(agent, **fields)
    check_prompt(work, after.prompt, after.token_budget)
    for model in (after.model, *after.spare_models):
        await check_model(work, model)
    check_avatar(after.avatar_url)
    looked_at = False
    if action.name is not None:
        looked_at = rename(work, agent, action.name)
    if fields:
        work.alter_agent(replace(work.whole_agent(agent.id), **fields), fields)
    if looked_at:
        return PROPOSED
    return Sentence("{agent} is changed.", agent=work.agent(agent.id).name)


@handles(RetireAgent)
async def retire_agent(work: UnitOfWork, action: RetireAgent) -> str:
    agent = work.agent(action.agent_id)
    if agent.retired_at is not None:
        raise Rejected(Sentence("{agent} is retired already.", agent=agent.name))
    tell_room(work, agent.id, f"{agent.name} is retired: nobody answers here any more.")
    work.update_agent(agent.id, retired_at=work.now)
    _open_to_writing(work, agent.id)
    await redraw_lobbies(work)
    return Sentence("{agent} is retired.", agent=agent.name)


@handles(RestoreAgent)
async def restore_agent(work: UnitOfWork, action: RestoreAgent) -> str:
    agent = work.agent(action.agent_id)
    if agent.retired_at is None:
        raise Rejected(Sentence("{agent} is not retired.", agent=agent.name))
    if await work.write.agents.is_going(work.community_id, agent.id):
        raise Rejected(
            Sentence("{agent} was deleted for good: what was said there is still being removed.", agent=agent.name)
        )
    work.update_agent(agent.id, retired_at=None, paused_reason=None, failures_in_a_row=0, unusable_in_a_row=0)
    room = work.room(agent.id)
    if room.channel_id is None:
        work.update_room(agent.id, visibility=Visibility.PRIVATE)  # until Discord shows who sees the new one
        _make_channel(work, agent.id, private=room.visibility is Visibility.PRIVATE)
    else:
        _open_to_writing(work, agent.id)
    tell_room(work, agent.id, f"{agent.name} is back.")
    await redraw_lobbies(work)
    return Sentence("{agent} is back.", agent=agent.name)


@handles(PermitAgent)
def permit_agent(work: UnitOfWork, action: PermitAgent) -> str:
    agent = work.agent(action.agent_id)
    work.update_agent(agent.id, can_create_agents=action.allowed)
    if action.allowed:
        return Sentence("{agent} may create agents.", agent=agent.name)
    return Sentence("{agent} may not create agents.", agent=agent.name)


@handles(CloneAgent)
async def clone_agent(work: UnitOfWork, action: CloneAgent) -> str:
    model = work.whole_agent(action.agent_id)
    clone = replace(
        _at_rest(model),
        id=AgentId(work.write.ids.take("agent")),
        name=free_name(work, action.name),
        can_create_agents=False,
        created_at=work.now,
        created_by=None,
    )
    _settle(work, clone)
    if action.with_knowledge:
        known = await work.write.views.minds(work.community_id, [(model.id, PUBLIC_SIDE)])
        if knowledge := known.mind_of(model.id).knowledge:  # one line of its history: there may be thousands of values
            work.put(_told(work, clone.id, knowledge, f"(what {model.name} knew)"))
    await redraw_lobbies(work)
    return Sentence(
        "{clone} is created{to_call}, like {model}.",
        clone=clone.name,
        to_call=_to_call(work, clone.id),
        model=model.name,
    )


def _to_call(work: UnitOfWork, agent_id: AgentId) -> str:
    """Word an id for agents, whose actions ask for it; people choose from names."""
    return f" with the id {agent_id}" if work.actor.agent_id is not None else ""


def _at_rest(agent: WholeAgent) -> WholeAgent:
    """Give an agent as it would be had it never beaten, slept or been stopped."""
    return replace(
        agent,
        asleep_until=None,
        paused_reason=None,
        retired_at=None,
        next_beat_at=None,
        last_beat_at=None,
        last_reason=None,
        last_beat_silent=True,
        beat_id=None,
        lease_until=None,
        failures_in_a_row=0,
        unusable_in_a_row=0,
        fault_told_at=None,
    )


@handles(DeleteAgent)
async def delete_agent(work: UnitOfWork, action: DeleteAgent) -> str:
    agent = work.agent(action.agent_id)
    _leave_channel(work, agent, removed=action.channel == "remove")
    await work.write.agents.delete(work.community_id, agent.id, work.now)
    if work.subject_id == agent.id:
        work.subject_id = None
    return Sentence("{agent} is deleted for good.", agent=agent.name)


def _open_to_writing(work: UnitOfWork, room_id: AgentId) -> None:
    """Let people write in a room's channel, or only read while its owner is retired."""
    put_letter(work, LetterKind.PERMISSION, room_id, PermissionPayload().stored())


def _make_channel(work: UnitOfWork, room_id: AgentId, *, private: bool) -> None:
    put_letter(work, LetterKind.CHANNEL, room_id, ChannelPayload(private=private).stored())


def _leave_channel(work: UnitOfWork, agent: Agent, *, removed: bool) -> None:
    """The channel of a deleted agent is people's: it stays, read-only, or goes; the letter is another room's."""
    room = work.room(agent.id)
    others = [one.id for one in work.agents.values() if one.id != agent.id and one.retired_at is None]
    if removed and not others:
        raise Rejected(
            Sentence("Nobody else lives here who could see to the channel: keep it, and delete it on Discord.")
        )
    if room.channel_id is None or not others:
        return
    payload = PermissionPayload(
        left_channel_id=room.channel_id,
        removed=removed,
        note=f"{agent.name} is gone for good. This channel stays as it is, read-only: delete it if nobody needs it.",
    )
    put_letter(work, LetterKind.PERMISSION, others[0], payload.stored())


def _told(work: UnitOfWork, agent_id: AgentId, knowledge: Mapping[str, Json], path: str) -> SetKnowledge:
    by = work.actor.signature()
    return SetKnowledge(
        agent_id=agent_id,
        side=PUBLIC_SIDE,
        knowledge=knowledge,
        path=path,
        before=None,
        after=None,
        by=by,
        at=work.now,
    )


def _check_daily_limit(work: UnitOfWork) -> None:
    parent = work.actor.agent_id
    if parent is None:
        return
    today = [one for one in work.agents.values() if one.created_by == parent and one.created_at > work.now - DAY]
    if len(today) >= work.config.agents_per_parent_and_day:
        raise Rejected(
            Sentence("You created {agents} within a day: more have to wait.", agents=counted(len(today), "agent"))
        )


def _drafted(work: UnitOfWork, action: CreateAgent, name: str) -> WholeAgent:
    """Put a new agent together, with no id yet; raises Rejected."""
    config = work.config
    budget = action.token_budget or config.token_budget
    model = action.model or config.model
    check_prompt(work, action.background_prompt, budget)
    check_avatar(action.avatar_url)
    return WholeAgent(
        community_id=work.community_id,
        id=AgentId(0),
        name=name,
        type=action.agent_type,
        prompt=action.background_prompt,
        model=model,
        temperature=config.temperature if action.temperature is None else action.temperature,
        avatar_url=action.avatar_url,
        interval_seconds=config.interval_seconds,
        resting_interval_seconds=config.resting_interval_seconds,
        token_budget=budget,
        input_format=config.input_format,
        output_format=config.output_format,
        detail=config.detail,
        created_at=work.now,
        created_by=work.actor.agent_id,
    )


def _settle(work: UnitOfWork, agent: WholeAgent) -> None:
    """Give a new agent its room, its membership there, its first focus and its channel."""
    config = work.config
    room = Room(
        community_id=work.community_id,
        id=agent.id,
        access=Access(config.access),
        visibility=Visibility.PRIVATE,  # until Discord shows who sees its channel
        wpm=config.wpm,
        rpm=config.rpm,
    )
    own = Membership(agent_id=agent.id, room_id=agent.id, joined_at=work.now)
    view = work.view
    work.view = replace(
        view,
        agents={**view.agents, agent.id: agent},
        all_rooms={**view.all_rooms, room.id: room},
        rooms={**view.rooms, room.id: RoomView(room=room, members=(agent.id,))},
        memberships={**view.memberships, (agent.id, room.id): own},
    )
    work.put(AddAgent(agent=agent, room=room))
    _make_channel(work, agent.id, private=Visibility(config.visibility) is Visibility.PRIVATE)
    if config.focus_defaults:
        focus = starting_focus(config.focus_defaults, work.now)
        work.put(SetFocus(agent_id=agent.id, side=PUBLIC_SIDE, focus=focus))


def _greet(work: UnitOfWork, agent: Agent, person_id: Snowflake) -> None:
    """Have the agent say hello, once Discord shows who sees its channel."""
    reason = Reason(
        kind=ReasonKind.WOKEN,
        room_id=agent.id,
        person_id=person_id,
        since=work.now,
        due_at=work.now + SETTLED_IN,
    )
    work.give_reason(agent.id, reason)


def _altered(action: AlterAgent) -> WholeAgentColumns:
    """Give the columns that are to change: the other parameters bear their names and types."""
    given = action.model_dump(exclude={"type", "agent_id", "name", "background_prompt"}, exclude_none=True)
    if action.background_prompt is not None:
        given["prompt"] = action.background_prompt
    return cast(WholeAgentColumns, given)


def _spares(work: UnitOfWork, named: Sequence[str], *, but: str) -> tuple[str, ...]:
    """Give spare models each once, without the agent's own; raises Rejected when they are too many."""
    spares, most = tuple(dict.fromkeys(name for name in named if name != but)), work.config.spare_models
    if len(spares) > most:
        raise Rejected(
            Sentence(
                "An agent may have {most} at most (`/setup options`: `spare_models`).",
                most=counted(most, "spare model"),
            )
        )
    return spares


def check_prompt(work: UnitOfWork, prompt: str, token_budget: int) -> None:
    """Raise Rejected when a prompt takes more than its share of the token budget."""
    tokens, most = work.tokenizer.count(prompt), token_budget * PROMPT_PERCENT // 100
    if tokens > most:
        raise Rejected(
            Sentence(
                "The prompt has {tokens}: at most {most:,} fit into a budget of {token_budget:,}.",
                tokens=counted(tokens, "token"),
                most=most,
                token_budget=token_budget,
            )
        )


async def check_model(work: UnitOfWork, model: str) -> None:
    """Raise Rejected when the community does not allow a model, or the installation does not pay for it.

    The installation's list is about its own keys: a community that pays for its models is held to its own list only.
    """
    models = await work.model()
    if models is not None and (why := models.refusal(model)):
        raise Rejected(why)
    allowed = work.config.allowed_models
    if not allowed or model in allowed or model == work.config.model:
        return
    is_own_list = "allowed_models" in work.view.community.overrides
    if is_own_list or await work.write.providers.of(work.community_id) is None:
        raise Rejected(
            Sentence(
                "This community does not allow the model {model}: choose one of {names}.",
                model=model,
                names=", ".join(allowed),
            )
        )


def check_avatar(url: str | None) -> None:
    """Raise Rejected when Discord could not fetch a picture from there."""
    if url is None:
        return
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or len(url) > 500:
        raise Rejected(Sentence("Give the picture's public address, beginning with https://."))
