"""What is there on the first start: a server, a channel with a welcome, a person, a bot already invited."""

from typing import Any

from bot.playground import people, permissions
from bot.playground.world import World
from bot.playground.writing import posting

Json = dict[str, Any]

WELCOME = """**Welcome to the playground.**
This is a small Discord of your own, on this machine only: no account, no key, no network.

Things to try
• Open an agent's channel on the left and say something: it answers under its own name.
• React to its answer with 👍 or 👎 to make it livelier or calmer.
• Type `/` to see the commands; `/agent create` makes another agent.

The minds you meet here are a **scripted, rule-based model**, not an AI: it answers, remembers what it is \
told to remember, and stays silent when nothing is for it. Configure a real model to meet real minds."""


def seed(world: World) -> Json:
    """Give ids of the first server, person and bot; they are made when the state is new."""
    found = world.meta.get("seed")
    if found is not None:
        return found
    person = people.make_person(world, "you")
    guild = people.make_guild(world, "The Playground", owner_id=person["id"], channel="welcome")
    bot = people.make_bot(world, "Selfroom", owner_id=person["id"])
    people.invite_bot(world, guild["id"], bot, rights=permissions.BOT)
    channel = next(iter(world.channels.within(guild["id"]).values()))
    host = world.add_user(
        {"id": world.ids.next(), "username": "Playground", "global_name": None, "bot": True, "system": True}
    )
    posting.say(world, channel, host["id"], WELCOME)
    ids = {"guild_id": guild["id"], "channel_id": channel["id"], "user_id": person["id"], "bot_id": bot["id"]}
    world.meta.put("seed", ids)
    world.journal.commit()
    return ids
