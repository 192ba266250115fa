"""Places that may still name a forgotten person: managers look at each, and change or empty it."""

from dataclasses import dataclass

from bot.core.access import check_new_key
from bot.core.actions import AlterAgent, ClearBillboard, ClearTopic, SetBillboard, SetTopic
from bot.core.actor import Actor
from bot.core.cards import BOOK_FIELD, kept_with
from bot.core.changes import Audit, UpdateKey
from bot.core.errors import NotFound, Rejected
from bot.core.name_redaction import NameRedactor, Trace, TraceKind, words_of
from bot.core.ports.communities import WritableNotes
from bot.core.ports.residents import Views
from bot.core.records import AccessKey, AgentId, CommunityId, KeyId, Person, Snowflake
from bot.core.sentences import Sentence
from bot.core.wording import counted
from bot.engine.aside import aside
from bot.engine.front_desk.actions import Actions
from bot.engine.front_desk.office import Office, check_manages
from bot.engine.front_desk.privacy import place_of, without, without_lore

GONE = "That place is not there any more: nothing is left to change."
LONGEST_LABEL = 64


@dataclass(frozen=True, slots=True)
class Traces:
    """Use cases on what a forgotten person left."""

    office: Office
    actions: Actions

    async def text(self, guild_id: Snowflake, person: Person, trace: Trace) -> str:
        """Give a text that may name somebody; raises NotFound when it is not there any more."""
        check_manages(person)
        async with self.office.looking(guild_id) as (community, read):
            if trace.kind is TraceKind.LABEL:
                return (await _key(read.views, community.id, trace.id)).label
            id_ = AgentId(trace.id)
            view = await read.views.roster(community.id, agent_ids=[id_], room_ids=[id_])
        if id_ not in view.agents:
            raise NotFound(GONE)
        room = view.all_rooms[id_]
        texts = {TraceKind.PROMPT: view.whole_agent(id_).prompt, TraceKind.TOPIC: room.topic}
        return texts.get(trace.kind, room.billboard)

    async def rewrite(self, guild_id: Snowflake, person: Person, trace: Trace, text: str) -> str:
        """Put another text in its place, as the command for it would; gives a sentence."""
        id_ = AgentId(trace.id)
        match trace.kind:
            case TraceKind.LABEL:
                return await self._relabel(guild_id, person, trace, text)
            case TraceKind.PROMPT:
                alter = AlterAgent(agent_id=id_, background_prompt=text)
                return (await self.actions.take(guild_id, person, alter)).result
            case TraceKind.TOPIC:
                topic = SetTopic(topic=text) if text else ClearTopic()
                return (await self.actions.take(guild_id, person, topic, subject=id_)).result
            case _:
                billboard = SetBillboard(message=text) if text else ClearBillboard()
                return (await self.actions.take(guild_id, person, billboard, subject=id_)).result

    async def empty(self, guild_id: Snowflake, person: Person, trace: Trace, username: str) -> str:
        """Take whatever holds a username out of what an agent keeps, unseen and for good; gives a sentence.

        No other name is taken: those a person borrows at will. As a bare word it counts where it is no agent's name.
        """
        check_manages(person)
        now, id_ = self.office.now(), AgentId(trace.id)
        async with self.office.changing(guild_id, person) as (community, write):
            view = await write.views.action_view(community.id, agent_ids=[id_], room_ids=(), doors=False)
            if id_ not in view.agents:
                raise NotFound(GONE)
            agents = [name for agent in view.agents.values() for name in (agent.name, *agent.aliases)]
            who = NameRedactor([username], words_of(username, agents), others=agents)
            by = Actor.person(person).signature()
            changed, where = 0, "a lorebook"
            if trace.kind is TraceKind.LORE:
                lore = without_lore(view.whole_agent(id_), who)
                changed = len(lore)
                await write.apply(community.id, lore)
                await _as_it_is_now(write.notes, community.id, id_)
            elif trace.kind is TraceKind.CARD:
                changed, where = await _without(write.notes, community.id, id_, who), "a card"
            else:
                async for mind in write.views.each_mind(community.id, [id_]):
                    changes = without(mind, who, now, by=by)
                    changed += bool(changes)
                    await write.apply(community.id, changes)
                where = counted(changed, "memory", "memories")
            if not changed:
                raise NotFound(
                    Sentence(
                        "Nothing there holds {username}: look with `/knowledge show` and `/knowledge lore`.",
                        username=username,
                    )
                )
            what = f"Somebody's name is taken out of {place_of(trace, view)}, in {where}."
            told = Audit(by=by, what=what, agent_id=id_, at=now)
            await write.apply(community.id, [told])
        self.office.on_done()
        return Sentence(
            "Removed from {place}: whatever held {username} there.", place=place_of(trace, view), username=username
        )

    async def _relabel(self, guild_id: Snowflake, person: Person, trace: Trace, label: str) -> str:
        check_manages(person)
        if not (0 < len(label) <= LONGEST_LABEL and label.isprintable()):
            raise Rejected(
                Sentence("A label is one line of 1 to {longest_label} visible characters.", longest_label=LONGEST_LABEL)
            )
        async with self.office.changing(guild_id, person) as (community, write):
            key = await _key(write.views, community.id, trace.id)
            others = await write.views.action_view(community.id, agent_ids=(), room_ids=[key.room_id], doors=True)
            rivals = [one for one in others.opened.keys.get(key.room_id, ()) if one.id != key.id]
            check_new_key(label, (key.digest,), rivals, None, self.office.now())
            done = Audit(
                by=Actor.person(person).signature(),
                what=f"Key {key.id} has another label, which names nobody.",
                agent_id=key.room_id,
                at=self.office.now(),
            )
            await write.apply(community.id, [UpdateKey(key_id=key.id, fields={"label": label}), done])
        self.office.on_done()
        return Sentence("The key has another label.")


async def _as_it_is_now(notes: WritableNotes, community_id: CommunityId, agent_id: AgentId) -> None:
    """Let an agent's card go out with the lorebook that it has, not with the one that it came with."""
    name = kept_with(agent_id)
    kept = await notes.find(community_id, name)
    if isinstance(kept, dict) and kept.pop(BOOK_FIELD, None) is not None:
        await notes.keep(community_id, name, kept)


async def _without(notes: WritableNotes, community_id: CommunityId, agent_id: AgentId, who: NameRedactor) -> bool:
    """Take what holds a name out of what is only kept of an agent's card; tells whether anything did."""
    name = kept_with(agent_id)
    kept = await notes.find(community_id, name)
    left = await aside(who.knowledge, kept) if isinstance(kept, dict) else kept
    await notes.keep(community_id, name, left or None)
    return left != kept


async def _key(views: Views, community_id: CommunityId, key_id: int) -> AccessKey:
    """Find a key by its id; raises NotFound."""
    everywhere = (await views.action_view(community_id, agent_ids=(), room_ids=(), doors=False)).all_rooms
    view = await views.action_view(community_id, agent_ids=(), room_ids=list(everywhere), doors=True)
    for keys in view.opened.keys.values():
        for key in keys:
            if key.id == KeyId(key_id):
                return key
    raise NotFound(GONE)
