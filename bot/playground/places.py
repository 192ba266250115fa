"""Channels and threads coming, changing and going, and who is told."""

from collections.abc import Iterator
from contextlib import contextmanager

from bot.playground.kinds import THREADS
from bot.playground.rows import Json
from bot.playground.shapes.channel import show_any, show_channel, show_thread, show_thread_member
from bot.playground.shapes.guild import show_member
from bot.playground.world import World


@contextmanager
def watching(world: World, guild_id: str) -> Iterator[None]:
    """Around a change of permissions: channels appear for who gained sight of them and vanish for who lost it."""
    before = _sights(world, guild_id)
    yield
    world.forget_permissions()
    after = _sights(world, guild_id)
    for channel_id, seers in after.items():
        row = world.channels.rows[channel_id]
        name = "THREAD" if row["type"] in THREADS else "CHANNEL"
        for user_id in seers - before.get(channel_id, set()):
            shown = show_any(world, row, viewer=user_id)
            world.tell_users([user_id], f"{name}_CREATE", shown, guild_id=guild_id)
        lost = before.get(channel_id, set()) - seers
        if lost:
            world.tell_users(lost, f"{name}_DELETE", show_any(world, row, viewer=""), guild_id=guild_id)


def _sights(world: World, guild_id: str) -> dict[str, set[str]]:
    users = {s.user_id for s in world.hub.sessions() if world.member(guild_id, s.user_id)}
    rows = world.channels.within(guild_id).values()
    return {row["id"]: {user for user in users if world.sees(user, row)} for row in rows}


def add_channel(world: World, row: Json) -> Json:
    """Keep a new channel and show it to who may see it."""
    world.channels.put(row["id"], row)
    world.tell_channel(row, "CHANNEL_CREATE", show_channel(world, row))
    return row


def change_channel(world: World, row: Json, changes: Json) -> Json:
    """Change a channel or thread and keep it; sight of it may be gained or lost by that."""
    old = row.get("permission_overwrites")
    if changes.get("permission_overwrites", old) != old:
        with watching(world, row["guild_id"]):
            row.update(changes)
            world.channels.put(row["id"], row)
    else:
        row.update(changes)
        world.channels.put(row["id"], row)
    if row["type"] in THREADS:
        world.tell_channel(row, "THREAD_UPDATE", show_thread(row))
    else:
        world.tell_channel(row, "CHANNEL_UPDATE", show_channel(world, row))
    return row


def drop_channel(world: World, row: Json) -> None:
    """Remove a channel or thread with everything in it."""
    if row["type"] in THREADS:
        keys = ("id", "guild_id", "parent_id", "type")
        world.tell_channel(row, "THREAD_DELETE", {key: row[key] for key in keys})
    else:
        world.tell_channel(row, "CHANNEL_DELETE", show_channel(world, row))
    for inner in list(world.channels.within(row["guild_id"]).values()):
        if inner.get("parent_id") == row["id"]:
            _orphan(world, inner)
    for hook in list(world.webhooks.within(row["guild_id"]).values()):
        if hook["channel_id"] == row["id"]:
            world.webhooks.drop(hook["id"])
    world.messages.drop_channel(row["id"])
    world.channels.drop(row["id"])
    world.forget_permissions()


def _orphan(world: World, inner: Json) -> None:
    """What was in a removed category stays on top; a channel's threads go with it."""
    if inner["type"] in THREADS:
        world.messages.drop_channel(inner["id"])
        world.channels.drop(inner["id"])
    else:
        change_channel(world, inner, {"parent_id": None})


def join_thread(world: World, thread: Json, user_id: str) -> None:
    """Make somebody a member of a thread."""
    if user_id in thread["thread_members"]:
        return
    thread["thread_members"][user_id] = world.clock.stamp()
    world.channels.put(thread["id"], thread)
    world.forget_permissions()
    if world.sees(user_id, thread):
        shown = show_thread(thread, viewer=user_id)
        world.tell_users([user_id], "THREAD_CREATE", shown, guild_id=thread["guild_id"])
    added = show_thread_member(thread, user_id)
    if member := world.member(thread["guild_id"], user_id):
        added |= {"member": show_member(world, member)}
    _tell_members(world, thread, {"added_members": [added]})


def leave_thread(world: World, thread: Json, user_id: str) -> None:
    """End somebody's membership of a thread."""
    if user_id not in thread["thread_members"]:
        return
    _tell_members(world, thread, {"removed_member_ids": [user_id]})
    with watching(world, thread["guild_id"]):
        del thread["thread_members"][user_id]
        world.channels.put(thread["id"], thread)


def _tell_members(world: World, thread: Json, change: Json) -> None:
    data = {
        "id": thread["id"],
        "guild_id": thread["guild_id"],
        "member_count": len(thread["thread_members"]) - len(change.get("removed_member_ids", ())),
    }
    world.tell_channel(thread, "THREAD_MEMBERS_UPDATE", data | change)
