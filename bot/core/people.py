"""Whom agents listen to, and how people are named in what is kept: by their ids. Pure."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from bot.core.records import ARCHITECT_NAME, Person, Sender, Snowflake
from bot.core.sentences import Sentence
from bot.core.view import RoomView

SOMEONE = "someone"
HOUSEKEEPER = Person(id=Snowflake(0), username="selfroom", is_architect=True)  # who makes the first agents
_MENTION = re.compile(r"<@!?(\d{1,20})>")


def is_heard(person: Person) -> bool:
    """Tell whether agents listen to them: neither they nor a manager wanted otherwise."""
    return not (person.ignored or person.muted)


def why_unheard(person: Person) -> str:
    """Word why agents do not listen to somebody, and what changes that; empty when they do."""
    if person.muted:
        return Sentence("A manager muted you: ask the managers to have agents listen to you again.")
    return Sentence("Agents ignore you, as you wished: /privacy ignore-me changes that.") if person.ignored else ""


def as_decided(person: Person, known: Person | None) -> Person:
    """Give a person, as Discord shows them now, with what was decided about them before."""
    return person if known is None else replace(person, ignored=known.ignored, muted=known.muted)


def present(room: RoomView, since: datetime) -> tuple[Sender, ...]:
    """Give the people who spoke in a room since then and may be there now, by their ids, as they were last called."""
    start = max(since, room.room.people_since or since)
    said = (one.sender for one in room.messages if one.sender.is_human and one.sent_at >= start)
    here = {(one.person_id or 0, one.name if one.person_id is None else ""): one for one in said}
    return tuple(here[who] for who in sorted(here))


def mention(person_id: int) -> str:
    """Give what stands for a person in what is kept of deeds; their name takes its place only when it is shown."""
    return f"<@{person_id}>"


def by_person(person_id: int, *, manager: bool) -> str:
    """Give who did something, for logs."""
    if person_id == HOUSEKEEPER.id:
        return "Selfroom"
    return f"{ARCHITECT_NAME} ({mention(person_id)})" if manager else mention(person_id)


def mentioned(text: str) -> set[int]:
    """Give the ids of the people for whom something stands in a text."""
    return {int(id_) for id_ in _MENTION.findall(text)} if "<@" in text else set()


def named(text: str, usernames: Mapping[int, str]) -> str:
    """Give a text for people to read: whoever has no name any more is someone."""
    if "<@" not in text:
        return text
    if isinstance(text, Sentence):
        return text.mapped(lambda one: named(one, usernames))
    return _MENTION.sub(lambda found: f"@{usernames.get(int(found[1])) or SOMEONE}", text)
