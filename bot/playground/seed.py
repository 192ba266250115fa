"""What is there on the first start: a server, a channel with a welcome, a person, a bot already invited."""

from bot.playground import people, permissions
from bot.playground.rows import Json
from bot.playground.world import World
from bot.playground.writing import posting

FIRST = "Robin"  # until the person gives themselves a name
WELCOME = """**Welcome to the playground**, a small Discord of your own on this machine: no account, no key, no network.
Open an agent's channel and say hello, react to its answer with 👍 or 👎, or type `/agent create` to make another.
The minds you meet here are a **scripted, rule-based model** until you give it a real one."""


def seed(world: World) -> Json:
    """Give ids of the first server, person and bot; they are made when the state is new."""
    found = world.meta.get("seed")
    if found is not None:
        return found
    person = people.make_person(world, FIRST)
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
