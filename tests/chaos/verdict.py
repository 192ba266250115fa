"""What the database and the playground say in the end, and what does not fit."""

import json
import re
import sqlite3
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.chaos.crowd import Crowd, Said


@dataclass
class Verdict:
    """Everything that was counted, and one sentence for each thing that is wrong."""

    counts: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        counted = "\n".join(f"  {name:<28}{count:>8,}" for name, count in self.counts.items())
        found = "\n".join(f"  WRONG: {sentence}" for sentence in self.wrong[:40])
        return f"{counted}\n{found}" if found else f"{counted}\n  0 lost, 0 doubled, 0 out of order"


def open_letters(path: Path) -> int:
    """Count the letters that are not yet sent."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        query = "SELECT count(*) FROM letters WHERE state IN ('waiting', 'sending')"
        found: int = database.execute(query).fetchone()[0]
        return found


def unanswered(path: Path) -> int:
    """Count the agents that are still to answer somebody."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        found: int = database.execute("SELECT count(*) FROM reasons WHERE kind = 'addressed'").fetchone()[0]
        return found


def stored_messages(path: Path) -> tuple[int, int]:
    """Count what is stored of people and of others."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        query = "SELECT sum(sender_kind IN ('person', 'architect')), count(*) FROM messages"
        people, everyone = database.execute(query).fetchone()
        return people or 0, everyone - (people or 0)


async def judge(crowd: Crowd, path: Path) -> Verdict:
    """Compare what people and agents said with what stands on Discord and in the store."""
    verdict = Verdict()
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        database.row_factory = sqlite3.Row
        _is_consistent(database, verdict)
        for channel_id in crowd.rooms:
            shown = await crowd.people[0].read(channel_id)
            _people_are_stored_once(database, channel_id, shown, crowd.said, verdict)
            _letters_are_posted_once(database, channel_id, shown, verdict)
            _nothing_is_answered_twice(channel_id, shown, crowd.said, verdict)
    return verdict


def _count(verdict: Verdict, name: str, more: int) -> None:
    verdict.counts[name] = verdict.counts.get(name, 0) + more


def _is_consistent(database: sqlite3.Connection, verdict: Verdict) -> None:
    [sound] = database.execute("PRAGMA integrity_check").fetchone()
    if sound != "ok":
        verdict.wrong.append(f"the database is damaged: {sound}")
    for row in database.execute("PRAGMA foreign_key_check").fetchall():
        verdict.wrong.append(f"a row points nowhere: {tuple(row)}")
    for row in database.execute("SELECT id, kind, state FROM letters WHERE state != 'sent'"):
        verdict.wrong.append(f"letter {row['id']} ({row['kind']}) ended as {row['state']}")


def _people_are_stored_once(
    database: sqlite3.Connection, channel_id: int, shown: list[Any], said: list[Said], verdict: Verdict
) -> None:
    query = (
        "SELECT m.discord_id, m.content FROM messages m JOIN rooms r ON r.community_id = m.community_id "
        "AND r.id = m.room_id WHERE r.channel_id = ? AND m.sender_kind IN ('person', 'architect')"
    )
    stored = Counter((row["discord_id"], row["content"]) for row in database.execute(query, (channel_id,)))
    spoken = {
        (int(message["id"]), message["content"])
        for message in shown
        if not message["author"].get("bot") and not message.get("webhook_id")
    }
    mine = {(one.message_id, one.content) for one in said if one.channel_id == channel_id}
    for lost in mine - spoken:
        verdict.wrong.append(f"the playground itself lost {lost}")
    for lost in spoken - set(stored):
        verdict.wrong.append(f"a person's message was lost: {lost}")
    for extra, count in stored.items():
        if extra not in spoken or count != 1:
            verdict.wrong.append(f"a person's message is stored {count} times: {extra}")
    _count(verdict, "messages of people", len(spoken))


def _letters_are_posted_once(database: sqlite3.Connection, channel_id: int, shown: list[Any], verdict: Verdict) -> None:
    query = (
        "SELECT l.id, l.posted_as, m.content FROM letters l JOIN rooms r ON r.community_id = l.community_id "
        "AND r.id = l.room_id JOIN messages m ON m.community_id = l.community_id AND m.id = l.message_id "
        "WHERE r.channel_id = ? AND l.kind = 'post' AND l.state = 'sent' ORDER BY l.id"
    )
    posts = {int(message["id"]): message["content"] for message in shown if message.get("webhook_id")}
    claimed: list[int] = []
    for row in database.execute(query, (channel_id,)):
        parts = [int(part) for part in json.loads(row["posted_as"] or "[]")]
        claimed += parts
        if not parts:
            verdict.wrong.append(f"letter {row['id']} says it was posted, but not as what")
        elif len(parts) == 1 and not posts.get(parts[0], "").endswith(row["content"]):
            verdict.wrong.append(f"letter {row['id']} stands as {posts.get(parts[0])!r}, not {row['content']!r}")
    for lost in set(claimed) - set(posts):
        verdict.wrong.append(f"a post is said to be there and is not: {lost}")
    for double in set(posts) - set(claimed):
        verdict.wrong.append(f"a post that no letter knows of, so it is doubled: {posts[double]!r}")
    if claimed != sorted(claimed) or len(claimed) != len(set(claimed)):
        verdict.wrong.append(f"posts out of order in channel {channel_id}: {claimed}")
    _count(verdict, "posts of agents", len(posts))


def _nothing_is_answered_twice(channel_id: int, shown: list[Any], said: list[Said], verdict: Verdict) -> None:
    named: Counter[int] = Counter()
    for message in shown:
        if message.get("webhook_id"):
            named.update({int(number) for number in re.findall(r"\b\d{6}\b", message["content"])})
    results = [one.result for one in said if one.channel_id == channel_id and one.result is not None]
    for result in results:
        if named[result] > 1:
            verdict.wrong.append(f"the sum that makes {result} was answered {named[result]} times")
    _count(verdict, "sums asked", len(results))
    _count(verdict, "sums answered", sum(named[result] == 1 for result in results))
