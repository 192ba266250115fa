"""Whom a message addresses: by name, by a reply, in one's own room, or by going on."""

import itertools
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from bot.core import addressing
from bot.core.addressing import Addressees, Names, Way, named_in, ways_of
from bot.core.conversation import Conversation
from bot.core.kinds import ReasonKind
from bot.core.names import MOST_ALIASES
from bot.core.records import Agent, AgentId, Message, MessageId, Reason, Snowflake
from bot.core.view import RoomView, View
from tests.factories import agent, by_agent, by_person, later, membership, message, room, view

IRIS, OTTO, HOST = 1, 2, 3


def talk(*messages: Message, agents: tuple[Agent, ...] = (), room_id: int = HOST, **fields: Any) -> View:  # noqa: ANN401
    """Iris and Otto in the room of the host."""
    them = agents or (agent(IRIS, name="Iris"), agent(OTTO, name="Otto"), agent(HOST, name="Hostess"))
    place = RoomView(
        room=room(room_id), members=(AgentId(HOST), AgentId(IRIS), AgentId(OTTO)), messages=tuple(messages)
    )
    members = [membership(id, room_id) for id in (IRIS, OTTO, HOST)]
    return view(them, rooms=[place], memberships=members, **fields)


def ways(seen: View, said: Message) -> dict[int, Way]:
    return {int(id): way for id, way in ways_of(seen, seen.rooms[said.room_id], said).items()}


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("@Iris hello", {IRIS}),
        ("what do you think, iris?", {IRIS}),
        ("Irises are flowers", set()),
        ("mail me at x@Iris", set()),
        ("IRIS and otto, please", {IRIS, OTTO}),
        ("Iris's idea", {IRIS}),
        ("nothing", set()),
    ],
)
def test_names_count_as_words_whatever_their_case(text: str, who: set[int]) -> None:
    assert named_in(text, (agent(IRIS, name="Iris"), agent(OTTO, name="Otto"))) == who


def test_a_short_or_switched_off_bare_name_needs_the_at_sign() -> None:
    short = agent(1, name="Al")
    shy = agent(2, name="Sage", listens_to_bare_name=False)
    assert named_in("al and sage", (short, shy)) == set()
    assert named_in("@al and @sage", (short, shy)) == {1, 2}


def test_an_alias_counts_and_a_longer_name_wins() -> None:
    ann, ann_lee = agent(1, name="Ann", aliases=("boss",)), agent(2, name="Ann Lee")
    assert named_in("@Ann Lee, hi", (ann, ann_lee)) == {2}
    assert named_in("ask the boss", (ann, ann_lee)) == {1}


def test_names_of_many_signs_and_scripts_are_found_as_they_are() -> None:
    odd = (agent(1, name="Cpp++"), agent(2, name="Straße", aliases=(" @b c ", "é")), agent(3, name="I-me"))
    assert named_in("is Cpp++ a language?", odd) == {1}
    assert named_in("Cpp+ or Cpp++x", odd) == set()
    assert named_in("in der STRASSE, i-me", odd) == {2, 3}
    assert named_in("ask @b c, or É!", odd) == {2}


def test_of_earlier_lines_only_the_beginning_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read, find = list[int](), addressing._found_before

    def noted(content: str, names: Names) -> frozenset[AgentId]:
        read.append(len(content))
        return find(content, names)

    monkeypatch.setattr(addressing, "_found_before", noted)
    told = [message(id, "zed " * 1_000, room_id=HOST, sender=by_person("rob", 502)) for id in range(1, 61)]
    said = message(61, "and now?", room_id=HOST)
    assert ways(talk(*told, said), said) == {}
    assert read
    assert max(read) <= 500


class Counted(dict[str, Any]):
    """Counts how often somebody looked something up."""

    def __init__(self, known: Mapping[str, Any]) -> None:
        super().__init__(known)
        self.looks = 0

    def __contains__(self, key: object) -> bool:
        self.looks += 1
        return super().__contains__(key)


def test_a_line_costs_the_same_however_many_names_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("".join(letters) for letters in itertools.product("abcdefghij", repeat=5))
    crowd = tuple(agent(id, name=f"Agent{id}x", aliases=tuple(itertools.islice(names, 49))) for id in range(1, 201))
    calls, made = addressing._calls, list[Counted]()

    def counted(forms: Any) -> Names:  # noqa: ANN401
        names = calls(forms)
        made.append(Counted(names.words))
        return Names(names.lengths, made[-1])

    monkeypatch.setattr(addressing, "_calls", counted)
    assert named_in("aaaaa~ " * 500, crowd) == {1}
    assert len(made[0]) == 200 * (1 + MOST_ALIASES)  # no more of what was set before there was a bound
    assert made[0].looks <= 500


def test_where_no_name_that_is_known_can_begin_nothing_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(addressing, "_STARTS")
    assert named_in("? " * 5_000, (agent(IRIS, name="Iris", aliases=("!", "b")),)) == set()


def test_a_line_is_looked_through_once_however_many_follow_it() -> None:
    lines = [message(id, f"{id} ? ? ?", room_id=HOST, sender=by_person("rob", 502)) for id in range(1, 71)]
    before = addressing._found_before.cache_info().misses
    for last in range(60, 70):
        seen = talk(*lines[:last])
        ways_of(seen, seen.rooms[AgentId(HOST)], lines[last])
    assert addressing._found_before.cache_info().misses - before <= 70


WORDS = ("iris", "@otto", "mira:", "rob,", "which driver?", "nouveau", "ok", "zed " * 200)
SPOKEN = some.fixed_dictionaries(
    {
        "sender": some.sampled_from([by_person(), by_person("rob", 502), by_agent(IRIS), by_agent(OTTO)]),
        "content": some.lists(some.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
        "at": some.integers(0, 400),
        "reply_to": some.one_of(some.none(), some.integers(1, 12).map(MessageId)),
        "thread_id": some.sampled_from([None, None, Snowflake(77)]),
    }
)


@settings(max_examples=80, deadline=None)
@given(spoken=some.lists(SPOKEN, min_size=1, max_size=12), in_order=some.booleans())
def test_lines_that_are_asked_about_together_address_whom_each_addresses_alone(
    spoken: list[dict[str, Any]], in_order: bool
) -> None:
    times = sorted(one.pop("at") for one in spoken) if in_order else [one.pop("at") for one in spoken]
    lines = [
        message(id, room_id=HOST, sent_at=later(at), **one)
        for id, (at, one) in enumerate(zip(times, spoken, strict=True), 1)
    ]
    seen = talk(*sorted(lines, key=lambda one: (one.sent_at, one.id)))
    together = Addressees(seen, seen.rooms[AgentId(HOST)])
    assert [together.of(one) for one in lines] == [ways_of(seen, seen.rooms[AgentId(HOST)], one) for one in lines]


def test_of_lines_that_are_asked_about_together_each_is_followed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    followed, follow = list[MessageId](), Conversation.follow

    def noted(self: Conversation, line: Message, named: frozenset[AgentId]) -> None:
        followed.append(line.id)
        follow(self, line, named)

    monkeypatch.setattr(Conversation, "follow", noted)
    lines = [message(id, "zed?", room_id=HOST, sender=by_person("rob", 500 + id % 2)) for id in range(1, 61)]
    seen = talk(*lines)
    together = Addressees(seen, seen.rooms[AgentId(HOST)])
    for one in lines:
        together.of(one)
    assert len(followed) == len(set(followed)) == len(lines) - 1


def test_a_reply_addresses_the_author_of_what_it_answers() -> None:
    said = message(2, "indeed", room_id=HOST, reply_to=MessageId(1), sender=by_person("rob", 502))
    first = message(1, "I think so", room_id=HOST, sender=by_agent(OTTO))
    other = message(0, "hm", room_id=HOST)
    assert ways(talk(other, first, said), said) == {OTTO: Way.REPLIED}


def test_the_owner_is_addressed_by_the_only_person_in_its_room() -> None:
    said = message(2, "hi there", room_id=HOST)
    assert ways(talk(message(1, room_id=HOST), said), said) == {HOST: Way.OWN_ROOM}


def test_two_people_in_a_room_talk_to_each_other() -> None:
    said = message(2, "hi there", room_id=HOST)
    stranger = message(1, room_id=HOST, sender=by_person("rob", 502))
    assert ways(talk(stranger, said), said) == {}


def test_a_person_who_left_five_minutes_ago_does_not_count() -> None:
    said = message(2, "hi there", room_id=HOST, sent_at=later(301))
    gone = message(1, room_id=HOST, sender=by_person("rob", 502), sent_at=later(0))
    assert ways(talk(gone, said), said) == {HOST: Way.OWN_ROOM}


def test_who_mentions_selfroom_itself_means_the_host_unless_somebody_is_named() -> None:
    stranger = message(1, room_id=HOST, sender=by_person("rob", 502))
    for said, meant in ((message(2, "hi there", room_id=HOST), HOST), (message(2, "hi Otto", room_id=HOST), OTTO)):
        seen = talk(stranger, said)
        asked = Addressees(seen, seen.rooms[said.room_id])
        assert asked.of(said, calls_host=True) == {meant: Way.MENTIONED}


def test_naming_a_guest_in_a_room_does_not_address_its_owner() -> None:
    said = message(2, "Otto, what do you say?", room_id=HOST)
    assert ways(talk(said), said) == {OTTO: Way.MENTIONED}


def going_on(
    *, between: Message | None = None, silent: bool = False, after: float = 60, answered: bool = True
) -> dict[int, Way]:
    crowd = message(0, "hello all", room_id=HOST, sender=by_person("rob", 502), sent_at=later(-100))
    asked = message(1, "Otto, are you there?", room_id=HOST, sent_at=later(0))
    reply = message(2, "I am", room_id=HOST, sender=by_agent(OTTO), sent_at=later(5))
    said = message(9, "and how are you?", room_id=HOST, sent_at=later(5 + after))
    lines = [crowd, asked, *([reply] if answered else []), *([between] if between else []), said]
    them = (agent(IRIS, name="Iris"), agent(OTTO, name="Otto", last_beat_silent=silent), agent(HOST, name="Hostess"))
    return ways(talk(*lines, agents=them), said)


def test_a_talk_goes_on_without_the_name() -> None:
    assert going_on() == {OTTO: Way.GOING_ON}


def test_a_talk_goes_on_across_others_until_it_is_answered_or_another_takes_it_up() -> None:
    rob = message(3, "hm", room_id=HOST, sender=by_person("rob", 502), sent_at=later(20))
    iris = message(3, "mira, over here", room_id=HOST, sender=by_agent(IRIS), sent_at=later(20))
    assert going_on(between=rob) == {OTTO: Way.GOING_ON}
    assert going_on(between=iris) == {IRIS: Way.GOING_ON}
    assert OTTO not in going_on(after=301)


def taking_up(said: str, *between: str) -> dict[int, Way]:
    """Whom Mira's line is for, others having said something since Otto spoke to her."""
    hello = message(0, "hello all", room_id=HOST, sent_at=later(-60))
    before = message(1, "what about plaster?", room_id=HOST, sender=by_person("rob", 502), sent_at=later(0))
    otto = message(2, "mira, have you got a ladder?", room_id=HOST, sender=by_agent(OTTO), sent_at=later(5))
    others = [
        message(3 + place, text, room_id=HOST, sender=by_person("rob", 502), sent_at=later(10 + place))
        for place, text in enumerate(between)
    ]
    line = message(9, said, room_id=HOST, sent_at=later(60))
    return ways(talk(hello, before, otto, *others, line), line)


def test_a_line_that_takes_up_a_word_of_others_is_for_them() -> None:
    assert taking_up("varnish smells, does it?", "one could take varnish") == {}
    assert taking_up("it smells, does it?", "one could take varnish") == {OTTO: Way.GOING_ON}
    assert taking_up("plaster, then", "hm") == {}  # said before, and somebody spoke since
    assert taking_up("plaster, then") == {OTTO: Way.GOING_ON}  # nobody spoke since: it is the answer
    assert taking_up("a high ladder, yes", "whose ladder is it?") == {OTTO: Way.GOING_ON}  # Otto's own word
    assert taking_up("yes, at home", "yes, mine") == {OTTO: Way.GOING_ON}  # too short to tell


def test_an_agent_that_did_not_answer_is_not_talked_with_once_another_spoke_or_time_went_by() -> None:
    rob = message(3, "hm", room_id=HOST, sender=by_person("rob", 502), sent_at=later(20))
    assert going_on(answered=False) == {OTTO: Way.GOING_ON}
    assert going_on(answered=False, between=rob) == {}
    assert going_on(answered=False, silent=True) == {}
    assert going_on(answered=False, after=121) == {}


def test_a_further_line_before_the_answer_belongs_to_the_question() -> None:
    crowd = message(0, "hello all", room_id=HOST, sender=by_person("rob", 502), sent_at=later(-100))
    asked = message(1, "Otto, are you there?", room_id=HOST, sent_at=later(0))
    said = message(2, "because I wonder", room_id=HOST, sent_at=later(1))
    reason = Reason(
        kind=ReasonKind.ADDRESSED,
        room_id=AgentId(HOST),
        person_id=Snowflake(501),
        since=later(0),
        due_at=later(0.8),
    )
    seen = talk(crowd, asked, said, reasons={AgentId(OTTO): (reason,)})
    assert ways(seen, said) == {OTTO: Way.GOING_ON}


def test_agents_address_each_other_only_by_name_or_reply() -> None:
    said = message(2, "I wonder", room_id=HOST, sender=by_agent(IRIS))
    named = message(3, "Hostess, and you?", room_id=HOST, sender=by_agent(IRIS))
    assert ways(talk(said), said) == {}
    assert ways(talk(named), named) == {HOST: Way.MENTIONED}
