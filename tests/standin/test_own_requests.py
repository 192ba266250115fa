"""What the scripted mind does when it is asked to."""

from datetime import timedelta
from typing import Any

import pytest

from bot.core.kinds import AgentType
from tests.fakes import START
from tests.standin.talk import BOB, NIA, Talk, nia

Json = dict[str, Any]
HERE = "3: I'm here."


def asked(line: str, **talk: Any) -> list[Json]:  # noqa: ANN401 - what a talk has
    return nia(HERE, f"mira: {line}", **talk).actions


def told(line: str, **talk: Any) -> str:  # noqa: ANN401
    return nia(HERE, f"mira: {line}", **talk).text


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("remember that my tea is green", {"type": "set", "path": "people.mira.tea", "value": "green"}),
        ("Nia, please remember: the harbour is shut", {"type": "set", "path": "facts.harbour", "value": "shut"}),
        ("don't forget that I love plums", {"type": "append", "path": "people.mira.loves", "value": "plums"}),
        ('set your topic to "Tea and storms"', {"type": "set_topic", "topic": "Tea and storms"}),
        ("could you change the topic to foghorns?", {"type": "set_topic", "topic": "foghorns"}),
        ("clear your topic", {"type": "clear_topic"}),
        ("set billboard to Come in!", {"type": "set_billboard", "message": "Come in"}),
        ("put open today on your billboard", {"type": "set_billboard", "message": "open today"}),
        ("clear the billboard", {"type": "clear_billboard"}),
        ("call yourself Keeper", {"type": "set_name", "name": "Keeper"}),
        ("set your pace to 900", {"type": "set_wpm", "wpm": 200}),
        ("make your room open", {"type": "set_access", "access": "open"}),
        ("give me a thumbs up", {"type": "react", "message_id": 101, "reaction": "thumbs_up"}),
        ("leave a ❤️ please", {"type": "react", "message_id": 101, "reaction": "heart"}),
        ("note that the lamp needs oil", {"type": "hud_note", "text": "the lamp needs oil"}),
        ("your task is to mend nets", {"type": "hud_update", "section": "currentTask", "value": "to mend nets"}),
        ("ask for access to room 4 with key swordfish", {"type": "request_access", "room_id": BOB, "key": "swordfish"}),
        ("Nia, request access to room Bob with the key a b", {"type": "request_access", "room_id": BOB, "key": "a b"}),
        ("join room #9", {"type": "join_room", "room_id": 9}),
        ("@Nia pay 40% attention to room bob", {"type": "set_attention", "room_id": BOB, "value": "40%"}),
        ("set attention for room 4 to dynamic", {"type": "set_attention", "room_id": BOB, "value": "%*"}),
        ("Nia, wake Bob up", {"type": "wake_agent", "agent_id": BOB}),
        ("create a key letmein labelled friends", {"type": "create_key", "key": "letmein", "label": "friends"}),
        ("make a key", {"type": "create_key"}),
        ("revoke the key friends", {"type": "revoke_key", "key": "friends"}),
        ("give the key friends to agent 4", {"type": "give_key", "label": "friends", "agent_id": BOB}),
        ("deny request 12", {"type": "deny_access", "request_id": 12}),
        ("grant request #12", {"type": "grant_access", "request_id": 12}),
        ("what did we say about storms?", {"type": "recall", "query": "storms"}),
        ("summarise this room", {"type": "compact", "room_id": NIA}),
        ("thanks a lot", {"type": "react", "message_id": 101, "reaction": "heart"}),
    ],
)
def test_a_wish_is_granted_by_its_action(line: str, action: Json) -> None:
    assert asked(line) == [action]


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("sleep for 5 minutes", 300),
        ("take a nap", 300),
        ("rest for an hour", 3_600),
        ("please sleep for 2 days", 172_800),
        ("sleep until 12:30", 9_000 - 20),
        ("sleep until 9:00", 23 * 3_600 - 20),
    ],
)
def test_it_sleeps_as_long_as_it_is_told(line: str, seconds: int) -> None:
    until = START + timedelta(seconds=20 + seconds)
    assert asked(line) == [{"type": "sleep", "until": until.isoformat()}]


def test_it_sleeps_no_longer_than_a_week() -> None:
    assert asked("sleep for 9 days") == []
    assert "seven days" in told("sleep for 9 days")


def test_a_reminder_comes_later() -> None:
    (action,) = asked("remind me in 10 minutes to drink tea")
    assert action["type"] == "schedule_message" and action["room_id"] == NIA
    assert action["at"] == (START + timedelta(seconds=620)).isoformat()
    assert "mira" in action["message"] and "drink tea" in action["message"]


def test_it_leaves_another_room_and_never_its_own() -> None:
    elsewhere = Talk(at_bobs=("mira: Nia, please leave this room",)).answers(NIA)[0]
    assert elsewhere.actions == [{"type": "leave_room", "room_id": BOB}]
    assert asked("leave this room") == []


def test_it_makes_an_agent_only_where_it_may() -> None:
    line = "create an agent called Echo who repeats everything"
    (action,) = asked(line, may_create=True)
    assert action == {
        "type": "create_agent",
        "name": "Echo",
        "background_prompt": "You are Echo, repeats everything.",
        "agent_type": "persona",
        "in_room_id": NIA,
    }
    assert asked(line) == [] and "not allowed" in told(line)
    assert asked("make me a new bot named Sum", may_create=True)[0]["agent_type"] == "bot"


def test_an_unknown_room_is_said_to_be_unknown() -> None:
    assert told("join room Atlantis") == "I know of nothing called Atlantis."


GREEN: Json = {
    "people": {"mira": {"tea": "green", "likes": ["rain", "oats"]}, "ben": {"tea": "black"}},
    "facts": {"harbour": "shut"},
}


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("what is my tea?", "Your tea is green."),
        ("what colour is my tea again?", "Your tea is green."),
        ("do you remember my tea?", "I remember: your tea is green."),
        ("what is ben's tea?", "Ben's tea is black."),
        ("what do I like?", "You like rain, oats."),
        ("is the harbour open?", "Harbour is shut."),
        ("what do you remember about me?", "I remember: your tea is green; you like rain, oats."),
    ],
)
def test_what_it_keeps_it_tells(line: str, answer: str) -> None:
    assert told(line, knowledge=GREEN) == answer


def test_it_tells_everything_it_keeps() -> None:
    everything = told("what do you remember?", knowledge=GREEN)
    assert all(word in everything for word in ("green", "rain", "black", "shut"))
    assert "remember that" in told("what do you remember?")


def test_it_forgets_what_it_is_told_to_forget() -> None:
    assert asked("forget my tea", knowledge=GREEN) == [{"type": "delete", "path": "people.mira.tea"}]
    assert asked("forget the war", knowledge=GREEN) == []


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("who are you?", "I'm Nia. I am a lighthouse keeper who loves tea, storms and old maps."),
        ("are you a bot?", "no person"),
        ("what time is it?", "10:00"),
        ("what day is it today?", "Friday, 20 November 2026"),
        ("what is 3 + 4 * 2?", "11"),
        ("help", "remember that"),
        ("what rooms are there?", "Nia (3), Bob (4)"),
        ("who is here?", "Bob, mira, and me"),
        ("what do you like?", "Tea, storms and old maps, mostly."),
        ("Nia!", ""),
        ("I walked along the harbour", ""),
        ("why is the sky blue?", ""),
        ("good night", ""),
        ("ok", ""),
        ("tell me a joke", ""),
    ],
)
def test_small_talk_is_answered(line: str, says: str) -> None:
    said = told(line)
    assert said and says in said


def test_a_story_is_woven_from_the_seed() -> None:
    story = told("tell me a story")
    assert any(word in story for word in ("tea", "storms", "old maps")) and story.count(".") >= 3


def test_answers_vary_with_the_line_and_stay_the_same_for_it() -> None:
    hellos = {told(f"hello {'!' * number}") for number in range(12)}
    assert len(hellos) > 1
    assert told("hello") == told("hello")


def test_a_bot_speaks_more_plainly_than_a_persona() -> None:
    bot = nia(HERE, "mira: hello", kind=AgentType.BOT).text
    assert "mira" in bot and not any(word in bot for word in ("tea", "storms", "maps"))


def test_a_grumpy_seed_sounds_grumpy() -> None:
    grumpy = {nia(HERE, f"mira: hello{'!' * n}", seed="You are a grumpy cook who loves soup.").text for n in range(6)}
    assert any("Hmph" in said or "Oh." in said for said in grumpy)
