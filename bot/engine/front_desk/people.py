"""People and what is kept of them."""

from datetime import datetime, timedelta
from typing import Any

from bot.core.changes import AddLookup, Audit, Change, SetFocus, SetKnowledge
from bot.core.forgetting import SOMEONE, Forgotten
from bot.core.records import Json, Lookup, Mind, Person, Snowflake
from bot.engine.front_desk.office import Office

FORGET_THEM = (
    "What you kept about them was removed. Forget them: do not speak of them or note them again unless they come back."
)


class PeopleDesk(Office):
    """What a person may ask about themselves."""

    async def known_person(self, guild_id: Snowflake, person: Person) -> Person:
        """Store a person if need be and give them as they are kept."""
        async with self._changing(guild_id, person) as (community, write):
            return await write.person(community.id, person.id) or person

    async def data_of(self, guild_id: Snowflake, person: Person) -> dict[str, Json]:
        """Give all that is kept of a person."""
        async with self._looking(guild_id) as (community, read):
            return await read.data_of(community.id, person.id)

    async def forget_me(self, guild_id: Snowflake, person: Person) -> str:
        """Remove a person's messages, reactions and name everywhere, out of agents' heads too; gives a sentence."""
        now = self.now()
        async with self._changing(guild_id, person) as (community, write):
            gone = await write.forget_person(community.id, person.id, now)
            view = await write.desk(community.id, agent_ids=gone.agents, room_ids=(), doors=False)
            who = Forgotten(gone.names, gone.words)
            changes = [change for mind in view.minds.values() for change in _without(mind, who, now)]
            told = Audit(by=SOMEONE, what=f"forget_me: {gone.messages} messages are gone", at=now)
            await write.apply(community.id, [*changes, told])
        self._on_done()
        also = f", also from what {_counted(len(gone.agents), 'agent')} knew" if gone.agents else ""
        expire = now + timedelta(days=self._backup_days)
        return (
            f"It is done, on {now:%Y-%m-%d at %H:%M} UTC: your reactions, your name and "
            f"{_counted(gone.messages, 'message')} of yours are gone here{also}. Summaries that told of you are "
            f"withdrawn and written anew without you. Backups that still hold you expire by {expire:%Y-%m-%d}."
        )


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _without(mind: Mind, who: Forgotten, now: datetime) -> list[Change]:
    """Take a person out of one mind; the journal keeps only that it was done."""
    knowledge, focus = who.knowledge(mind.knowledge), who.focus(mind.focus)
    changes: list[Change] = []
    if knowledge != mind.knowledge:
        journalled: dict[str, Any] = {
            "path": "(a person was forgotten)",
            "before": None,
            "after": None,
            "by": SOMEONE,
            "at": now,
        }
        changes.append(SetKnowledge(agent_id=mind.agent_id, side=mind.side, knowledge=knowledge, **journalled))
    if focus != mind.focus:
        changes.append(SetFocus(agent_id=mind.agent_id, side=mind.side, focus=focus))
    if changes:
        lookup = Lookup(question="a person asked to be forgotten", answer=FORGET_THEM)
        changes.append(AddLookup(agent_id=mind.agent_id, side=mind.side, lookup=lookup))
    return changes
