"""What wrong guesses at whom a line is for cost: recorded chats, the busiest speakers being agents."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from bot.core.changes import UpdateAgent
from bot.core.conversation import Conversation, Guess
from bot.core.records import AgentId, Message
from tests.bench import Figure
from tests.bench.listening import CountingModel
from tests.bench.traces import rows, there
from tests.bench.whom import AGENTS
from tests.engine.hearts import Hearts, hearts
from tests.factories import by_agent
from tests.storage.lines import hear, said

LINES = 500  # the last of each day, in which links were marked
LETTERS = 32  # of a name that an agent may have
OWNER = AgentId(1)


Links = dict[tuple[str, str], AgentId]  # the agent that a line of somebody answers, as people marked it


async def restraint_figures() -> list[Figure]:
    """Give the input tokens of silent agents over all days, as a multiple of what they cost with right guesses only."""
    days = [_Day(path) for path in there()]
    if not days:
        return []
    guessed = sum([await _tokens(day) for day in days])
    right = 0
    for day in days:
        with _only_right(day.links):
            right += await _tokens(day)
    return [Figure(name="heartbeat.restraint_tokens_of_right_guesses", value=guessed / right, unit="x", target=1.1)]


class _Day:
    """The lines of a day in which links were marked, and the agents among those who speak."""

    def __init__(self, path: Path) -> None:
        lines = rows(path)
        by_seq = {row["seq"]: row["sender"] for row in lines}
        busiest = [name for name, _ in Counter(row["sender"] for row in lines).most_common(AGENTS)]
        self.lines = lines[-LINES:]
        self.ids = {name: AgentId(place) for place, name in enumerate(busiest, 2)}  # the room's owner is none of them
        self.links: Links = {
            (row["sender"], row["text"]): self.ids[linked]
            for row in self.lines
            if (linked := by_seq.get(row.get("reply_to"))) in self.ids
        }


async def _tokens(day: _Day) -> int:
    """Let a day be said to agents that only listen; their own lines stand as they were."""
    people: dict[str, int] = {}
    model = CountingModel()
    async with hearts(AGENTS + 1, model=model) as home:
        await home.apply(UpdateAgent(agent_id=OWNER, fields={"paused_reason": "away"}))
        for name, id in day.ids.items():
            await home.apply(UpdateAgent(agent_id=id, fields={"name": name[:LETTERS]}))
        last = datetime.fromisoformat(day.lines[0]["t"])
        for row in day.lines:
            at, who = datetime.fromisoformat(row["t"]), row["sender"]
            await home.run((at - last).total_seconds())
            last = at
            if who in day.ids:
                await _stand(home, day.ids[who], row["text"])
            else:
                await home.hear(row["text"], who=who, id=people.setdefault(who, 1_000 + len(people)))
        await home.run(300)
    return model.input_tokens


async def _stand(home: Hearts, agent_id: AgentId, text: str) -> None:
    """Put an agent's line down as if it had been posted."""
    line = said(
        text, room_id=OWNER, discord_id=home.publisher.id(), sender=by_agent(agent_id), sent_at=home.clock.now()
    )
    async with home.store.writing(home.community_id) as write:
        await hear(write.talk, home.community_id, line)
    await home.apply(UpdateAgent(agent_id=agent_id, fields={"last_beat_silent": False}))


@contextmanager
def _only_right(links: Links) -> Iterator[None]:
    """Keep from each guess what people marked alike."""
    guess = Conversation.guess

    def right(self: Conversation, line: Message) -> Guess | None:
        made = guess(self, line)
        marked = links.get((line.sender.name, line.content))
        return made if made is not None and made.agent_id == marked else None

    Conversation.guess = right  # type: ignore[method-assign]
    try:
        yield
    finally:
        Conversation.guess = guess  # type: ignore[method-assign]
