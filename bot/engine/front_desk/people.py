"""People and what is kept of them."""

from datetime import datetime
from typing import Any

from bot.core.changes import AddLookup, Audit, Change, SetFocus, SetKnowledge
from bot.core.forgetting import Forgotten
from bot.core.records import Json, Lookup, Mind, Person, Snowflake
from bot.engine.front_desk.office import Office

SOMEONE = "someone"


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
            who = Forgotten(gone.names)
            changes = [change for mind in view.minds.values() for change in _without(mind, who, now)]
            told = Audit(by=SOMEONE, what=f"forget_me: {gone.messages} messages are gone", at=now)
            await write.apply(community.id, [*changes, told])
        self._on_done()
        return f"Your reactions, your name and {gone.messages} of your messages are gone here" + (
            f", also from what {len(gone.agents)} agents know." if gone.agents else "."
        )


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
        lookup = Lookup(question="a person asked to be forgotten", answer="What you kept about them was removed.")
        changes.append(AddLookup(agent_id=mind.agent_id, side=mind.side, lookup=lookup))
    return changes
