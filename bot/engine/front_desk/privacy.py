"""People and what is kept of them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from bot.core.changes import AddLetter, AddLookup, Audit, Change, SetFocus, SetKnowledge, UpdateAgent, WholeAgentColumns
from bot.core.errors import Rejected
from bot.core.keeping import ForgetReport as Gone
from bot.core.keeping import Readable, WriteText
from bot.core.kinds import LetterKind
from bot.core.letters import MOST_TRACES, NoticePayload
from bot.core.name_redaction import NameRedactor, Trace, TraceKind
from bot.core.people import SOMEONE, mention
from bot.core.ports import Clock, Store, Writing
from bot.core.records import AgentId, CommunityId, Lookup, Mind, Person, Snowflake, WholeAgent
from bot.core.sentences import Sentence
from bot.core.view import MayRead, Outline
from bot.core.wording import counted
from bot.engine.front_desk.office import Office, readable

FORGET_THEM = (
    "What you kept about them was removed. Forget them: do not speak of them or note them again unless they come back."
)
LAST_TRACES = (
    "The last traces leave the files of the database and of what-ifs when nobody reads in them and they can be "
    "written: if something is in the way, whoever runs Selfroom finds it in the log."
)
OF_AGENT = {
    TraceKind.PROMPT: "the prompt of {}",
    TraceKind.LORE: "the lorebook of {}",
    TraceKind.CARD: "what came with {}'s card",
    TraceKind.TOPIC: "the topic of {}'s room",
    TraceKind.BILLBOARD: "the billboard of {}'s room",
    TraceKind.KNOWLEDGE: "what {} knows",
    TraceKind.FOCUS: "the focus of {}",
}


@dataclass(frozen=True, slots=True)
class Privacy:
    """What a person may ask about themselves."""

    office: Office
    backup_days: int
    _forgetting: set[Snowflake] = field(default_factory=set, init=False)  # servers in which that takes place now

    async def known(self, guild_id: Snowflake, person: Person) -> Person:
        """Store a person if need be and give them as they are kept."""
        async with self.office.changing(guild_id, person) as (community, write):
            return await write.people.find(community.id, person.id) or person

    async def threads(self, guild_id: Snowflake, person: Person) -> Sequence[Snowflake]:
        """Give the threads in which a person spoke or reacted, the newest first."""
        async with self.office.looking(guild_id) as (community, read):
            return await read.personal.threads(community.id, person.id)

    async def write_down(
        self, guild_id: Snowflake, person: Person, where: Readable, write: WriteText, *, may_read: MayRead
    ) -> None:
        """Write down what is kept of a person where they may read now; private threads are asked for one by one."""
        async with self.office.looking(guild_id) as (community, read):
            threads = await read.personal.secluded(community.id, person.id)
        secluded = await readable(self.office, guild_id, threads, may_read)
        async with self.office.looking(guild_id) as (community, read):
            there = replace(where, rooms=where.rooms | secluded)
            await read.personal.write_down(community.id, person.id, there, write)

    async def forget(self, guild_id: Snowflake, person: Person, *, others: Collection[str] = ()) -> str:
        """Remove what a person said and did, and their username; gives what went, what did not and why.

        `others`: names that the server knows beside those of people and agents, such as its roles'.
        """
        if guild_id in self._forgetting:
            raise Rejected(Sentence("Somebody else is being forgotten here just now: try again in a minute."))
        self._forgetting.add(guild_id)
        try:
            return await self._forget(guild_id, person, others)
        finally:
            self._forgetting.discard(guild_id)

    async def _forget(self, guild_id: Snowflake, person: Person, others: Collection[str]) -> str:
        now = self.office.now()
        await self.known(guild_id, person)
        async with self.office.looking(guild_id) as (community, read):
            called = await read.personal.called(community.id, person.id)
        async with self.office.store.writing(community.id) as write:
            await write.personal.begin_forgetting(community.id, person.id, now, others=others, called=called)
        gone, view = await forgotten(self.office.store, self.office.clock, community.id, person.id)
        self.office.on_done()
        whole = await self.office.store.gone_for_good(community.id)
        return " ".join(_told(gone, view, self.office.now(), self.backup_days, whole=whole))


async def forgotten(
    store: Store, clock: Clock, community_id: CommunityId, person_id: Snowflake
) -> tuple[Gone, Outline]:
    """Carry on to the end what was begun to forget a person, in short transactions; gives what went."""
    while True:
        async with store.writing(community_id) as write:
            gone = await write.personal.forget_on(community_id, person_id)
            if gone is not None:
                return gone, await _taken_leave(write, community_id, person_id, gone, clock.now())
        await clock.sleep(0)  # others come first in between


async def _taken_leave(
    write: Writing, community_id: CommunityId, person_id: Snowflake, gone: Gone, now: datetime
) -> Outline:
    """Let those forget who knew them, and managers decide about the rest; gives the community."""
    view = await write.views.action_view(community_id, agent_ids=gone.agents, room_ids=(), doors=False)
    who = NameRedactor(gone.names, words=(), others=gone.spared)
    async for mind in write.views.each_mind(community_id, gone.agents):
        await write.apply(community_id, without(mind, who, now))
    places = [place_of(trace, view) for trace in gone.traces]
    if places and view.config.managers_channel_id is not None:
        await write.apply(community_id, [_handed_over(person_id, gone, places, view, now)])
    await write.apply(community_id, [Audit(by=SOMEONE, what=_logged(gone, places), at=now)])
    return view


def place_of(trace: Trace, view: Outline) -> str:
    """Word where somebody may still be named, without what is said there."""
    if trace.kind is TraceKind.LABEL:
        return f"the label of key {trace.id}"
    agent = view.agents.get(AgentId(trace.id))
    return OF_AGENT[trace.kind].format(agent.name if agent else f"agent {trace.id}")


def without(mind: Mind, who: NameRedactor, now: datetime, *, by: str = SOMEONE) -> list[Change]:
    """Take a person out of one mind; the journal keeps only that it was done."""
    knowledge, focus = who.knowledge(mind.knowledge), who.focus(mind.focus)
    changes: list[Change] = []
    if knowledge != mind.knowledge:
        changes.append(
            SetKnowledge(
                agent_id=mind.agent_id,
                side=mind.side,
                knowledge=knowledge,
                path="(a person was forgotten)",
                before=None,
                after=None,
                by=by,
                at=now,
            )
        )
    if focus != mind.focus:
        changes.append(SetFocus(agent_id=mind.agent_id, side=mind.side, focus=focus))
    if changes:
        lookup = Lookup(question="a person asked to be forgotten", answer=FORGET_THEM)
        changes.append(AddLookup(agent_id=mind.agent_id, side=mind.side, lookup=lookup))
    return changes


def without_lore(agent: WholeAgent, who: NameRedactor) -> list[Change]:
    """Take the entries that hold a person's name out of an agent's lorebook."""
    kept = tuple(one for one in agent.lore.entries if not who.found_in(one.name, *one.keys, *one.others, one.content))
    if kept == agent.lore.entries:
        return []
    fields: WholeAgentColumns = {"lore": replace(agent.lore, entries=kept)}
    return [UpdateAgent(agent_id=agent.id, fields=fields)]


def _handed_over(person_id: Snowflake, gone: Gone, places: Sequence[str], view: Outline, now: datetime) -> AddLetter:
    """Give managers the places that they decide about, each with a button; no name is written down for it."""
    listed = [f"{number}. {place}" for number, place in enumerate(places[:MOST_TRACES], 1)]
    left = len(places) - len(listed)
    text = (
        f"🧹 {mention(person_id)} asked to be forgotten: what they said and did is gone. These may still name them, in "
        "words that may mean something else too; each button shows the place, or removes it.\n" + "\n".join(listed)
    )
    text += f"\n… and {left} more: `/audit` names them all." if left else ""
    buttons = tuple(trace.button_id(person_id) for trace in gone.traces[:MOST_TRACES])
    payload = NoticePayload(text=text, traces=buttons).stored()
    lively = [one.id for one in view.agents.values() if one.retired_at is None] or list(view.agents)
    return AddLetter(kind=LetterKind.NOTICE, room_id=lively[0], payload=payload, not_before=now)


def _logged(gone: Gone, places: Sequence[str]) -> str:
    counts = f"{counted(gone.messages, 'message')}, {counted(gone.reactions, 'reaction')}"
    what = f"Somebody is forgotten: {counts} are gone, a username in {counted(gone.texts, 'text')} of others"
    what += f" and in {counted(len(gone.agents), 'memory', 'memories')}"
    return f"{what}; left to managers: {', '.join(places)}." if places else f"{what}."


def _told(gone: Gone, view: Outline, now: datetime, backup_days: int, *, whole: bool) -> list[str]:
    """Word what went, what did not, and why; `whole`: it left the database's files as well."""
    done = "It is done" if whole else "Nobody here sees it any more"
    told = [
        f"{done}, on {now:%Y-%m-%d at %H:%M} UTC: {counted(gone.messages, 'message')} and "
        f"{counted(gone.reactions, 'reaction')} of yours are gone here, and logs name you no longer. "
        "Summaries of what you said are withdrawn and written anew without it."
    ]
    if gone.texts or gone.agents:
        told.append(
            f"Your @username was removed from {counted(gone.texts, 'text')} of others and from what "
            f"{counted(len(gone.agents), 'agent')} knew."
        )
    if gone.is_shared:
        told.append(
            "A username of yours is or was somebody else's here too, or a role's: where others wrote it, it stays, "
            "for it may mean them."
        )
    told.append("What others wrote of you without @username stays, for a bare word may mean anything.")
    if gone.traces:
        places = counted(len(gone.traces), "place")
        may = f"{places} (prompts, topics, billboards, key labels, cards, what agents know) may name you so"
        told.append(
            f"{may}: the managers were given the list to decide."
            if view.config.managers_channel_id is not None
            else f"{may}, and this server has no managers' channel: ask a manager to look into `/audit`, which lists "
            "them."
        )
    told.append(f"Backups that still hold you expire by {now + timedelta(days=backup_days):%Y-%m-%d}.")
    return told if whole else [*told, LAST_TRACES]
