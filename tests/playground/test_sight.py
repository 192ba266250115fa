"""Who sees what stays right through every change, and everyone is told what it sees and nothing else."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from bot.playground import people, places
from bot.playground.events import ALL_INTENTS
from bot.playground.journal import Journal
from bot.playground.kinds import THREADS
from bot.playground.permissions import Permission
from bot.playground.rest.threads import new_thread
from bot.playground.server import seed
from bot.playground.session import Session
from bot.playground.world import World
from bot.playground.writing import posting

Json = dict[str, Any]
BITS = (Permission.VIEW_CHANNEL, Permission.SEND_MESSAGES, Permission.MANAGE_THREADS, Permission.ADMINISTRATOR)


class Community:
    """A server with people who listen, and changes drawn by lot."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.world = World(Journal(None), cdn_url="", gateway_url="")
        self.guild = seed(self.world)["guild_id"]
        self.people = [people.make_person(self.world, f"person {number}")["id"] for number in range(4)]
        for person in self.people:
            people.join(self.world, self.guild, person)
        self.sessions = {person: self.listen(person) for person in self.people}
        self.known = {person: self.sights(person) for person in self.people}

    def listen(self, user_id: str) -> Session:
        session = Session(id=user_id, user_id=user_id, token="", is_bot=False, intents=ALL_INTENTS)
        return self.world.hub.open(session)

    def sights(self, user_id: str) -> set[str]:
        rows = self.world.channels.within(self.guild).values()
        return {row["id"] for row in rows if self.world.sees(user_id, row)}

    def pick(self, *, threads: bool = False) -> Json | None:
        rows = [r for r in self.world.channels.within(self.guild).values() if (r["type"] in THREADS) == threads]
        return self.dice.choice(rows) if rows else None

    def bits(self) -> int:
        return sum(int(bit) for bit in BITS if self.dice.random() < 0.3)

    def changes(self) -> list[Callable[[], object]]:
        return [
            self.new_channel,
            self.new_overwrites,
            self.new_overwrites,
            self.drop_channel,
            self.new_role,
            self.change_role,
            self.change_roles_of_member,
            self.come_or_go,
            self.open_thread,
            self.thread_member,
        ]

    def new_channel(self) -> None:
        row = {"id": self.world.ids.next(), "type": 0, "guild_id": self.guild, "name": "x", "position": 1}
        places.add_channel(self.world, row | {"parent_id": None, "permission_overwrites": self.rules()})

    def rules(self) -> list[Json]:
        roles = list(self.world.roles.within(self.guild))
        targets = self.dice.sample(roles + self.people, 2)
        return [{"id": t, "type": 0, "allow": str(self.bits() & ~8), "deny": str(self.bits() & ~8)} for t in targets]

    def new_overwrites(self) -> None:
        if row := self.pick():
            places.change_channel(self.world, row, {"permission_overwrites": self.rules()})

    def drop_channel(self) -> None:
        row = self.pick(threads=self.dice.random() < 0.5)
        if row and self.dice.random() < 0.3:
            places.drop_channel(self.world, row)

    def new_role(self) -> None:
        people.make_role(self.world, self.guild, "r", rights=self.bits())

    def change_role(self) -> None:
        row = self.dice.choice(list(self.world.roles.within(self.guild).values()))
        with places.watching(self.world, self.guild):
            self.world.roles.put(row["id"], row | {"permissions": str(self.bits())})

    def change_roles_of_member(self) -> None:
        if member := self.world.member(self.guild, self.dice.choice(self.people)):
            roles = [role for role in self.world.roles.within(self.guild) if role != self.guild]
            people.change_member(self.world, member, roles=self.dice.sample(roles, min(len(roles), 2)))

    def come_or_go(self) -> None:
        person = self.dice.choice(self.people)
        if self.world.member(self.guild, person):
            people.leave(self.world, self.guild, person)
        else:
            people.join(self.world, self.guild, person)

    def open_thread(self) -> None:
        if row := self.pick():
            kind = self.dice.choice((11, 12))
            new_thread(self.world, row, self.world.ids.next(), self.dice.choice(self.people), {"name": "t"}, type=kind)

    def thread_member(self) -> None:
        if row := self.pick(threads=True):
            act = self.dice.choice((places.join_thread, places.leave_thread))
            act(self.world, row, self.dice.choice(self.people))

    # What they have been told

    def take_in(self, person: str) -> list[str]:
        """Follow what a client is told of channels; give the messages it got."""
        messages = []
        for frame in self.sessions[person].due():
            name, data = frame[1], json.loads(frame[2])
            if name == "GUILD_CREATE":
                self.known[person] = {row["id"] for row in data["channels"] + data["threads"]}
            elif name == "GUILD_DELETE":
                self.known[person] = set()
            elif name in ("CHANNEL_CREATE", "THREAD_CREATE"):
                self.known[person].add(data["id"])
            elif name in ("CHANNEL_DELETE", "THREAD_DELETE"):
                self.forget(person, data["id"])
            elif name == "MESSAGE_CREATE":
                messages.append(data["content"])
        self.sessions[person].sent = self.sessions[person].seq
        return messages

    def forget(self, person: str, channel_id: str) -> None:
        """A channel takes its threads along, as clients know."""
        self.known[person].discard(channel_id)
        there = self.world.channels.within(self.guild)
        self.known[person] = {c for c in self.known[person] if c in there}


@pytest.mark.parametrize("number_of_the_draw", range(8))
def test_nobody_is_told_too_much_or_too_little(number_of_the_draw: int) -> None:
    community = Community(random.Random(number_of_the_draw))  # noqa: S311 - the same draw every time
    world = community.world
    for step in range(60):
        community.dice.choice(community.changes())()
        place = community.pick(threads=step % 3 == 0)
        if place is not None:
            posting.say(world, place, community.people[0], f"step {step}")
        for person in community.people:
            messages = community.take_in(person)
            world.forget_permissions()
            assert community.known[person] == community.sights(person), (step, person)
            assert messages == ([f"step {step}"] if place and world.sees(person, place) else [])
