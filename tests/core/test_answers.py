"""What models write becomes replies: what is valid stands, the rest is refused one by one, nothing raises."""

import json
import time

import pytest

from bot.core.actions import (
    ALSO_CALLED,
    CreateKey,
    HudNote,
    HudStep,
    React,
    Reply,
    SendMessage,
    Set,
    SetAttention,
    SetBillboard,
    WakeAgent,
)
from bot.core.answers import BROKE_OFF, AgentAnswer, ParsedAnswer, parse_answer
from bot.core.kinds import Emotion, OutputFormat
from bot.core.records import AgentId
from tests.core.test_permissions import example
from tests.moment import moment

FIVE, SIX = AgentId(5), AgentId(6)
HI = SendMessage(room_id=8, message="hi")
HEART = React(message_id=122, reaction=Emotion.HEART)


def parsed(text: str, *asked: AgentId) -> ParsedAnswer:
    return parse_answer(text, asked=asked or (FIVE,), output_format=OutputFormat.JSON)


def five(text: str) -> AgentAnswer:
    return parsed(text).replies[FIVE]


def of_five(**fields: object) -> str:
    return json.dumps({"agents": [{"agent_id": 5, **fields}]})


def test_the_documented_answer_is_taken_as_it_is() -> None:
    reply = five(
        of_five(
            thoughts="hm",
            responses=[{"room_id": 8, "message": "hi"}],
            actions=[{"type": "react", "message_id": 122, "reaction": "heart"}],
        )
    )
    assert reply == AgentAnswer(agent_id=FIVE, thoughts="hm", actions=(HI, HEART))


def test_the_largest_file_is_read_whole() -> None:
    text = ("A line of a log.\n" * 12_000)[:199_999] + "."
    said = [{"room_id": 8, "message": "hi"}]
    reply = five(of_five(responses=said, actions=[{"type": "attach", "name": "log.md", "text": text}]))
    assert [getattr(action, "text", "") for action in reply.actions] == ["", text]


def test_who_lost_the_end_of_its_answer_is_told() -> None:
    text = '{"agents": [{"agent_id": 5, "actions": [{"type": "set_topic", "topic": "a"}, {"type": "set_to'
    reply = parse_answer(text, asked=[FIVE], complete=False).replies[FIVE]
    assert (len(reply.actions), reply.rejected) == (1, (BROKE_OFF,))
    assert parse_answer(text, asked=[FIVE]).replies[FIVE].rejected == ()
    assert parse_answer(of_five(thoughts="hm"), asked=[FIVE], complete=False).replies[FIVE].rejected == ()


def test_of_a_shared_answer_only_the_last_agent_lost_something() -> None:
    text = of_five(thoughts="hm")[:-2] + ', {"agent_id": 6, "actions": [{"type": "clear_topic"}, {"type": "se'
    replies = parse_answer(text, asked=[FIVE, SIX], complete=False).replies
    assert [replies[one].rejected for one in (FIVE, SIX)] == [(), (BROKE_OFF,)]


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"agent_id": 5, "responses": [{"room_id": 8, "message": "hi"}]}\n```',
        'Of course!\n{"agents": [{"agent_id": 5, "responses": [{"room_id": 8, "message": "hi"}]}]}\nAnything else?',
        '[{"agent_id": 5, "responses": [{"room_id": 8, "message": "hi"}]}]',
        '{"agents": [{"agent_id": "5", "responses": [{"room_id": "8", "message": "hi"}],}]}',
        "{'agents': [{'agent_id': 5, 'responses': [{'room_id': 8, 'message': 'hi'}]}]}",
        '{"responses": [{"room_id": 8, "message": "hi"}]}',
        '{"agents": {"5": {"responses": [{"room_id": 8, "message": "hi"}]}}}',
        '{"agents": {"agent_id": 5, "responses": {"8": "hi"}}}',
        '{"agents": [{"id": 5, "room_messages": [{"room": 8, "content": "hi"}]}]}',
        '{"agents": [{"agent_id": 5, "responses": {"room_id": 8, "text": "hi"}}]}',
        '{"agents": [{"agent_id": 5, "actions": [{"type": "speak", "room_id": 8, "content": "hi"}]}]}',
        '{"agents": [{"agent_id": 5, "actions": [{"send_message": {"room_id": 8, "message": "hi"}}]}]}',
        '{"agents": [{"agent_id": 5, "actions": [{"name": "sendMessage", "args": {"room_id": 8, "text": "hi"}}]}]}',
        "agents[1]:\n  - agent_id: 5\n    responses[1]{room_id,message}:\n      8,hi",
        "```toon\nagent_id: 5\nresponses[1]{room_id,message}:\n  8,hi\n```",
        "agent_id: 5\nresponses[1]:\n  - room_id: 8\n    message: hi",
        '\ufeff  {"agents":[{"agent_id":5,"responses":[{"room_id":8,"message":"hi"}]}]}  ',
    ],
)
def test_common_ways_to_say_hi_all_say_hi(text: str) -> None:
    assert five(text).actions == (HI,)


@pytest.mark.parametrize("text", ["", "  ", "[no response]", "[No Response]", "[silence]"])
def test_silence_is_silence(text: str) -> None:
    assert five(of_five(responses=[{"room_id": 8, "message": text}])) == AgentAnswer(agent_id=FIVE)


def test_a_cut_off_end_leaves_what_is_complete() -> None:
    text = of_five(responses=[{"room_id": 8, "message": "hi"}, {"room_id": 8, "message": "and then"}])
    assert five(text[: text.index("and then") + 4]).actions == (HI,)
    assert not parsed(text[: text.index("hi") + 1]).usable
    assert parsed(text[: text.index("hi") + 1]).unusable == {FIVE}


def test_one_agents_broken_part_does_not_spoil_the_other() -> None:
    reply = parsed('{"agents": [{"agent_id": 5, "mood": "odd"}, "??", {"agent_id": 6, "responses": []}]}', FIVE, SIX)
    assert set(reply.replies) == {FIVE, SIX}
    assert reply.rejected == ("A part of the answer is not an object.",)


def test_who_is_left_out_of_a_whole_answer_is_silent_and_of_a_broken_one_asked_again() -> None:
    whole = '{"agents": [{"agent_id": 5, "responses": []}]}'
    assert parsed(whole, FIVE, SIX).replies[SIX] == AgentAnswer(agent_id=SIX)
    broken = parsed(whole[:-1] + ', {"agent_id": 6, "respon', FIVE, SIX)
    assert set(broken.replies) == {FIVE}
    assert broken.unusable == {SIX}
    assert parsed("I would rather not.", FIVE, SIX).unusable == {FIVE, SIX}


def test_only_who_was_asked_answers_and_only_once() -> None:
    parts = [
        {"agent_id": 5, "responses": [{"room_id": 8, "message": "hi"}]},
        {"agent_id": 5, "responses": [{"room_id": 8, "message": "hi again"}]},
        {"agent_id": 7, "responses": [{"room_id": 8, "message": "hi"}]},
    ]
    reply = parsed(json.dumps({"agents": parts}), FIVE, SIX)
    assert reply.replies[FIVE].actions == (HI,)
    assert reply.rejected == ("Agent 5 answered twice: the first answer counts.", "Agent 7 was not asked.")


@pytest.mark.parametrize("given", [2, "Wren", None, 5])
def test_in_a_call_of_one_whatever_comes_is_that_agents(given: object) -> None:
    part = {"agent_id": given, "responses": [{"room_id": 8, "message": "hi"}]}
    assert five(json.dumps(part)).actions == (HI,)
    assert five(json.dumps({"agents": [part]})).actions == (HI,)
    assert five(json.dumps({"agents": [part, {"agent_id": 3, "responses": []}]})).actions == (HI,)


def test_in_a_call_of_one_the_part_that_names_its_agent_counts() -> None:
    other = {"agent_id": 2, "responses": [{"room_id": 8, "message": "not mine"}]}
    assert five(json.dumps({"agents": [other, {"agent_id": 5, "responses": [{"room_id": 8, "message": "hi"}]}]})) == (
        AgentAnswer(agent_id=FIVE, actions=(HI,))
    )


def test_in_a_shared_call_a_part_must_say_whose_it_is() -> None:
    reply = parsed('{"agents": [{"responses": [{"room_id": 8, "message": "hi"}]}]}', FIVE, SIX)
    assert reply.unusable == {FIVE, SIX}


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ({"type": "fly"}, 'There is no action "fly".'),
        ({"type": "pause"}, 'There is no action "pause".'),
        ({"message_id": 3}, "An action needs a type."),
        (17, "An action is an object with a type."),
        ({"type": "sleep"}, "until is missing."),
        ({"type": "set_wpm", "wpm": 500}, "wpm is not right: should be less than or equal to 200."),
        (
            {"type": "react", "message_id": "x", "reaction": "heart"},
            "message_id is not right: should be a valid integer",
        ),
        ({"type": "wake_agent", "agent_id": True}, "agent_id is not right: give a number."),
        ({"type": "set_attention", "room_id": 1, "value": "much"}, 'value is not right: give "0" to "100"'),
        ({"type": "create_key", "key": "abc"}, "key is not right: string should have at least 4 characters."),
    ],
)
def test_what_is_wrong_with_an_item_is_said_in_one_sentence_and_the_rest_stands(item: object, why: str) -> None:
    reply = five(of_five(actions=[item, {"type": "hud_note", "text": "still here"}]))
    assert reply.actions == (HudNote(text="still here"),)
    ((_, reason),) = reply.rejected
    assert reason.startswith(why)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ('{"trust": 0.8}', {"trust": 0.8}),
        ("[1, 2]", [1, 2]),
        ({"a": [1]}, {"a": [1]}),
        ("5", "5"),
        ("{not json}", "{not json}"),
        (0.5, 0.5),
        (None, None),
    ],
)
def test_any_value_can_be_kept_and_objects_may_come_as_json_text(given: object, kept: object) -> None:
    (action,) = five(of_five(actions=[{"type": "set", "path": "a", "value": given, "w": None}])).actions
    assert isinstance(action, Set)
    assert action.value == kept


@pytest.mark.parametrize(
    ("item", "meant"),
    [
        ({"type": "knowledge_set", "key": "a", "value": 1}, Set(path="a", value=1)),
        ({"action": "set", "path": "a", "value": 1, "reason": "why not"}, Set(path="a", value=1)),
        ({"type": "reaction", "id": 122, "emoji": "❤️"}, HEART),
        ({"type": "react", "message_id": 122, "reaction": ":heart:"}, HEART),
        ({"type": "Set-Billboard", "content": "hello"}, SetBillboard(message="hello")),
        ({"type": "wake", "target": "#3"}, WakeAgent(agent_id=3)),
        ({"type": "reply", "room": 1, "id": 2, "content": "x"}, Reply(room_id=1, message_id=2, message="x")),
        ({"function": "hud_note", "args": '{"note": "x"}'}, HudNote(text="x")),
        (
            {"type": "update_self_concept", "content": "I am slow"},
            Set(path="character.self_concept", value="I am slow"),
        ),
        ({"UpdateSelfConcept": {"self_concept": "slow"}}, Set(path="character.self_concept", value="slow")),
        ({"type": "update_attention", "room": 2, "attention": "%*"}, SetAttention(room_id=2, value="%*")),
        ({"type": "create_room_key", "key": "blue door"}, CreateKey(key="blue door")),
        ({"hud_step": {"step": "ask Moss"}}, HudStep(text="ask Moss", action="add")),
    ],
)
def test_other_spellings_are_understood(item: dict[str, object], meant: object) -> None:
    assert five(of_five(actions=[item])).actions == (meant,)


def test_every_listed_spelling_leads_to_its_action() -> None:
    for spelling, name in ALSO_CALLED.items():
        parameters = example(name).model_dump(mode="json", exclude={"type"}, exclude_defaults=True)
        (action,) = five(of_five(actions=[{"type": spelling, **parameters}])).actions
        assert action.definition.name == name


def test_agents_cannot_give_what_only_people_may() -> None:
    made = {"type": "create_agent", "name": "Newt", "background_prompt": "x", "token_budget": 200_000, "model": "big"}
    (action,) = five(of_five(actions=[made])).actions
    assert action.model_dump(exclude_none=True, exclude_defaults=True).keys() == {"name", "background_prompt"}


def test_too_much_is_cut_down() -> None:
    reply = five(of_five(actions=[{"type": "hud_note", "text": f"n{n}"} for n in range(80)]))
    assert len(reply.actions) == 50
    assert reply.rejected == (("actions", "Only the first 50 of 80 actions count."),)


def test_what_cannot_be_stored_is_left_out() -> None:
    text = '{"agent_id": 5, "responses": [{"room_id": 8, "message": "h\\u0000i\\ud800 \\u001b[31m"}]}'
    (said,) = five(text).actions
    assert said == SendMessage(room_id=8, message="hi? [31m")
    assert five('{"agent_id": 5, "actions": [{"type": "set", "path": "a", "value": NaN}]}').actions == (
        Set(path="a", value="nan"),
    )


@pytest.mark.parametrize(
    "text",
    [
        *("", "null", "42", '"text"', "true", "{", "}", "[[[[", "\x00\x01\x02", "agents:", "```", "```json\n```"),
        *(
            "{" * 10_000,
            "[" * 10_000,
            '{"a":' * 5_000,
            '"' * 10_000,
            "\\" * 10_000,
            "🌱" * 5_000,
            '{"agents":' + "9" * 9_000,
        ),
        '{"agent_id": 5, "actions": [{"type": "set", "path": "a", "value": ' + "[" * 50 + "]" * 50 + "}]}",
    ],
)
def test_nonsense_never_raises_and_does_nothing(text: str) -> None:
    reply = parsed(text)
    assert all(not each.actions for each in reply.replies.values())


@pytest.mark.parametrize(
    "rubbish", ["[", '{"a":', "{ ", "}", '"', "'", "a b ", "9", "\ud800", "```json\n", "  - a: 1\n", "\x00"]
)
@pytest.mark.parametrize("output_format", OutputFormat)
def test_five_megabytes_of_rubbish_are_read_in_a_moment(rubbish: str, output_format: OutputFormat) -> None:
    text = '{"agents": [{"agent_id": 5, "actions": [' + rubbish * (5_000_000 // len(rubbish))
    start = time.thread_time()
    found = parse_answer(text, asked=[FIVE], output_format=output_format)
    assert time.thread_time() - start < 1_000 * moment()
    assert not any(reply.actions for reply in found.replies.values())


@pytest.mark.parametrize("value", [[{}] * 501, {f"k{n}": 0 for n in range(501)}, ["x" * 10_001], "x" * 10_001])
@pytest.mark.parametrize(
    "action",
    [{"type": "set", "path": "a"}, {"type": "append", "path": "a"}, {"type": "hud_update", "section": "notes"}],
)
def test_a_value_that_nobody_could_work_on_in_a_moment_is_refused(action: dict[str, str], value: object) -> None:
    text = json.dumps({"thoughts": "x" * 100_000, "actions": [{**action, "value": value}]})
    reply = parse_answer(text, asked=[AgentId(5)]).replies[AgentId(5)]
    assert reply.actions == ()
    assert "too large: at most 500 values or 10,000 characters" in reply.rejected[0][1]
    assert len(reply.thoughts) <= 20_000


def test_of_endless_parts_only_some_are_looked_at() -> None:
    parsed = parse_answer(json.dumps({"agents": [1] * 60_000}), asked=[AgentId(5), AgentId(6)])
    assert len(parsed.rejected) <= 200


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('{"responses": [{"room_id": 1, "message": "Hello there. How are you? I am wri', ["Hello there. How are you?"]),
        ('{"responses": [{"room_id": 1, "message": "He said \\"yes.\\" Then \\u00e', ['He said "yes."']),
        ('{"responses": [{"room_id": 1, "message": "Hi.\\nYou', ["Hi."]),
        ('{"responses": [{"room_id": 1, "message": "Hi."}, {"room_id": 1, "message": "and th', ["Hi."]),
        ('{"responses": [{"room_id": 1, "message": "no end of a sent', []),
        ('{"actions": [{"type": "send_message", "room_id": 1, "message": "Half. An act', []),
        ('{"responses": [], "actions": [{"type": "set", "path": "a", "value": "say"}, {"message": "Half. An act', []),
    ],
)
def test_of_an_answer_that_breaks_off_whole_sentences_and_whole_actions_count(written: str, said: list[str]) -> None:
    parsed = parse_answer(written, asked=[FIVE])
    reply = parsed.replies.get(FIVE)
    assert [one.message for one in reply.actions if isinstance(one, SendMessage)] == said if reply else not said


@pytest.mark.parametrize("word", ["message", "content", "body", "msg"])
def test_messages_to_rooms_under_a_word_for_agents_are_said_in_a_call_of_one(word: str) -> None:
    text = json.dumps({"replies": [{"room_id": 3, word: "hi"}, {"room_id": 4, word: "ho"}]})
    said = [(one.room_id, one.message) for one in parse_answer(text, asked=[FIVE]).replies[FIVE].actions]  # type: ignore[attr-defined]
    assert said == [(3, "hi"), (4, "ho")]
