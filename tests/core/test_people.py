"""Whom agents listen to, and how people are named in what is kept."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bot.core.kinds import SenderKind
from bot.core.people import (
    HOUSEKEEPER,
    as_decided,
    by_person,
    is_heard,
    mention,
    mentioned,
    named,
    present,
    why_unheard,
)
from bot.core.records import AgentId, Sender
from bot.core.view import RoomView
from tests.factories import by_agent, later, message, person, room
from tests.factories import by_person as sent_by
from tests.fakes import START


def test_agents_listen_to_whoever_neither_wished_nor_was_decided_otherwise() -> None:
    assert is_heard(person())
    assert why_unheard(person()) == ""
    assert not is_heard(person(ignored=True))
    assert why_unheard(person(ignored=True)) == "Agents ignore you, as you wished: /privacy ignore-me changes that."
    for muted in (person(muted=True), person(muted=True, ignored=True)):
        assert not is_heard(muted)
        assert why_unheard(muted).startswith("A manager muted you")


def test_what_was_decided_about_somebody_stays_when_their_name_changes() -> None:
    renamed = person("miranda")
    assert as_decided(renamed, None) == renamed
    assert as_decided(renamed, person(ignored=True)) == replace(renamed, ignored=True)
    assert as_decided(replace(renamed, muted=True), person()) == renamed


def test_who_spoke_lately_is_there_as_they_were_last_called() -> None:
    said = (
        message(1, sender=sent_by("early", 500), sent_at=later(-1)),
        message(2, sender=sent_by("mira", 502), sent_at=START),
        message(3, sender=by_agent(AgentId(4)), sent_at=later(1)),
        message(4, sender=sent_by("ann", 501), sent_at=later(2)),
        message(5, sender=sent_by("miranda", 502), sent_at=later(3)),
        message(6, sender=Sender(kind=SenderKind.PERSON, name="ghost"), sent_at=later(4)),
    )
    shown = RoomView(room=room(1), members=(AgentId(1),), messages=said)
    assert [one.name for one in present(shown, START)] == ["ghost", "ann", "miranda"]
    emptied = replace(shown, room=room(1, people_since=later(3)))
    assert [one.name for one in present(emptied, START)] == ["ghost", "miranda"]
    filled = replace(shown, room=room(1, people_since=later(-99)))
    assert [one.name for one in present(filled, later(2))] == ["ghost", "ann", "miranda"]


def test_in_what_is_kept_people_stand_by_their_ids() -> None:
    assert mention(501) == "<@501>"
    assert by_person(501, manager=False) == "<@501>"
    assert by_person(501, manager=True) == "The Architect (<@501>)"
    assert by_person(HOUSEKEEPER.id, manager=True) == "Selfroom"
    text = "<@501> met <@!502> and <@503>"
    assert mentioned(text) == {501, 502, 503}
    assert named(text, {501: "mira", 502: "", 503: "ann"}) == "@mira met @someone and @ann"
    assert named("nobody", {501: "mira"}) == "nobody"


@given(st.text(), st.dictionaries(st.integers(1, 10**20 - 1), st.text(alphabet="abc")))
def test_what_is_shown_names_nobody_by_an_id(text: str, usernames: dict[int, str]) -> None:
    kept = text + " ".join(map(mention, usernames))
    assert mentioned(kept) >= usernames.keys()
    assert mentioned(named(kept, usernames)) == set()
