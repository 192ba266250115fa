"""Who goes, who comes after, and who may still speak."""

from dataclasses import replace
from typing import Any

from bot.core.config import CommunityConfig
from bot.core.floor import admit, after_saying, answered_enough, may_speak
from bot.core.gate import Claim, Ready
from bot.core.kinds import LetterKind, ReasonKind
from bot.core.records import (
    PUBLIC_SIDE,
    AgentId,
    BeatId,
    Letter,
    LetterId,
    Membership,
    Message,
    Reason,
    Room,
    Snowflake,
)
from bot.core.view import RoomView, View
from tests.factories import COMMUNITY_ID, agent, by_agent, by_person, later, membership, message, room, view
from tests.fakes import START

HALL = AgentId(1)


def reason(kind: ReasonKind = ReasonKind.ADDRESSED, **fields: Any) -> Reason:  # noqa: ANN401
    base: dict[str, Any] = {"room_id": HALL, "person_id": Snowflake(501), "since": START, "due_at": START}
    return Reason(kind=kind, **(base | fields))


def hall(
    agents: int = 5,
    *,
    busy: dict[int, Reason] | None = None,
    messages: tuple[Message, ...] = (),
    unposted: tuple[Letter, ...] = (),
    place: Room | None = None,
    seats: tuple[Membership, ...] = (),
    config: CommunityConfig | None = None,
) -> View:
    """A room with so many members; the busy ones are in a call since now."""
    ids = [AgentId(id) for id in range(1, agents + 1)]
    taken = {"beat_id": BeatId(99), "lease_until": later(60), "last_beat_at": START}
    them = [agent(id, **(taken if id in (busy or {}) else {})) for id in ids]
    shown = RoomView(room=place or room(1), members=tuple(ids), messages=messages)
    members = {(seat.agent_id, seat.room_id): seat for seat in (membership(id, 1) for id in ids)}
    members |= {(seat.agent_id, seat.room_id): seat for seat in seats}
    return view(
        them,
        rooms=[shown],
        memberships=members.values(),
        config=config,
        reasons={AgentId(id): (why,) for id, why in (busy or {}).items()},
        unposted={HALL: unposted} if unposted else {},
    )


def ready(seen: View, id: int, why: Reason | None = None) -> Ready:
    claim = Claim(
        community_id=COMMUNITY_ID,
        agent_id=AgentId(id),
        beat_id=BeatId(id),
        lease_until=later(60),
        reasons=(why or reason(),),
    )
    return Ready(claim=claim, agent=seen.agents[AgentId(id)], side=PUBLIC_SIDE, reasons=claim.reasons)


def goes(seen: View, *ones: Ready) -> list[int]:
    return [int(one.agent_id) for one in admit(seen, ones, START).admitted]


def post(id: int, *, ago: float = 1) -> Letter:
    return Letter(
        id=LetterId(id),
        community_id=COMMUNITY_ID,
        room_id=HALL,
        kind=LetterKind.POST,
        payload={},
        beat_id=BeatId(id),
        not_before=START,
        created_at=later(-ago),
    )


def test_at_most_two_addressed_agents_hold_the_floor_and_the_third_comes_after() -> None:
    seen = hall()
    admission = admit(seen, [ready(seen, id) for id in (2, 3, 4)], START)
    assert len(admission.admitted) == 2
    assert [(int(one.agent_id), until) for one, until in admission.waiting] == [(4, later(1))]


def test_mentioned_goes_before_owner_before_attention_before_silence() -> None:
    seats = (membership(3, 1, attention=80), membership(4, 1, last_spoke_at=later(-5)))
    seen = hall(seats=seats, config=CommunityConfig(floor=9))
    named = ready(seen, 5, reason(mentioned=True))
    assert goes(seen, ready(seen, 4), ready(seen, 2), ready(seen, 3), ready(seen, 1), named) == [5, 1, 3, 2, 4]


def test_who_is_in_a_call_or_has_a_post_on_its_way_still_holds_the_floor() -> None:
    seen = hall(busy={2: reason()}, unposted=(post(3),))
    assert goes(seen, ready(seen, 4)) == []
    late = hall(busy={2: reason()}, unposted=(post(3, ago=31),))
    assert goes(late, ready(late, 4)) == [4]


def test_listeners_go_together_when_nobody_holds_the_floor() -> None:
    seen = hall()
    ambient = reason(ReasonKind.AMBIENT)
    assert goes(seen, *(ready(seen, id, ambient) for id in (1, 2, 3, 4, 5))) == [1, 2, 3, 4, 5]


def test_listeners_wait_for_speakers_and_for_other_listeners() -> None:
    ambient = reason(ReasonKind.AMBIENT)
    seen = hall()
    assert goes(seen, ready(seen, 2, ambient), ready(seen, 3)) == [3]
    listening = hall(busy={4: ambient})
    assert goes(listening, ready(listening, 2, ambient)) == []
    assert goes(listening, ready(listening, 3)) == [3]


def test_who_has_waited_for_half_a_minute_goes_first() -> None:
    seen = hall(config=CommunityConfig(floor=1))
    patient = ready(seen, 4, reason(since=later(-31)))
    assert goes(seen, ready(seen, 3, reason(mentioned=True)), patient) == [4]


def speaks(seen: View, id: int, *reasons: Reason) -> str:
    return may_speak(seen, AgentId(id), HALL, reasons=reasons, let_through_at=START, now=later(3))


def test_the_first_two_answers_of_listeners_stand() -> None:
    ambient = reason(ReasonKind.AMBIENT)
    asked = message(1, room_id=1, sent_at=later(-5))
    assert speaks(hall(messages=(asked,)), 4, ambient) == ""
    once = replace(asked, answers_from_agents=1)
    assert speaks(hall(messages=(once,), unposted=(post(2, ago=-1),)), 4, ambient) == ""
    two = hall(messages=(asked,), unposted=(post(2, ago=-1), post(3, ago=-1)))
    assert speaks(two, 4, ambient).startswith("floor taken")


def test_a_message_gets_two_answers_from_agents_that_it_does_not_address() -> None:
    answered = message(1, room_id=1, sent_at=later(-5), answers_from_agents=2)
    said = message(2, room_id=1, sender=by_agent(2), sent_at=later(-4))
    seen = hall(messages=(answered, said))
    assert speaks(seen, 4, reason(ReasonKind.AMBIENT)).startswith("floor taken")
    assert speaks(seen, 4, reason()) == ""
    assert speaks(seen, 4, reason(person_id=None, by_agent_id=AgentId(2))) == ""


def test_a_listener_gives_way_to_two_who_were_addressed_meanwhile() -> None:
    seen = hall(busy={2: reason(), 3: reason()})
    assert speaks(seen, 4, reason(ReasonKind.AMBIENT)).startswith("floor taken")
    assert speaks(seen, 4, reason()) == ""


def test_nobody_speaks_in_a_hushed_room_or_after_too_much_banter() -> None:
    assert "hushed" in speaks(hall(place=room(1, hushed_until=later(60))), 2, reason())
    assert "in a row" in speaks(hall(place=room(1, agent_run=6)), 2, reason())
    assert speaks(hall(place=room(1, agent_run=6), config=CommunityConfig(banter=0)), 2, reason()) == ""


def test_nobody_waits_for_a_call_that_will_not_be_answered_soon() -> None:
    ambient, call = reason(ReasonKind.AMBIENT), reason(due_at=later(5))
    expected = replace(hall(), reasons={AgentId(3): (call,)})
    assert goes(expected, ready(expected, 2, ambient)) == []
    for fields in (
        {"paused_reason": "paused by @mira"},
        {"retired_at": START},
        {"backs_off_until": later(5)},
        {"beat_id": BeatId(9), "lease_until": later(300), "last_beat_at": later(-31)},  # its model takes long
    ):
        away = agent(3, **fields)
        seen = replace(expected, agents={**expected.agents, away.id: away})
        assert goes(seen, ready(seen, 2, ambient)) == [2], fields


def test_what_is_looked_up_for_something_overheard_is_one_of_its_two_answers() -> None:
    seen = hall(messages=(message(1, room_id=1, sent_at=later(-5), answers_from_agents=2),))
    looked_up = reason(ReasonKind.ANSWER, room_id=None)
    assert speaks(seen, 4, looked_up).startswith("floor taken")
    assert speaks(seen, 4, replace(looked_up, mentioned=True)) == ""  # it was called, and looked up for that
    assert speaks(seen, 4, replace(looked_up, person_id=None)) == ""  # nobody's message led to it


AMBIENT = reason(ReasonKind.AMBIENT)


def test_who_waits_to_speak_looks_again_after_a_second_and_who_waits_to_listen_after_two() -> None:
    seen = hall(busy={4: reason(), 5: reason()})
    waiting = admit(seen, [ready(seen, 2), ready(seen, 3, AMBIENT)], START).waiting
    assert [(int(one.agent_id), until) for one, until in waiting] == [(2, later(1)), (3, later(2))]


def test_what_concerns_no_room_needs_no_floor_and_neither_does_a_turn() -> None:
    seen = hall(busy={4: reason(), 5: reason()})
    for why in (reason(ReasonKind.TIMER, room_id=None), reason(ReasonKind.TURN)):
        assert goes(seen, ready(seen, 2, why)) == [2]


def test_the_owner_goes_first_however_little_it_attends_there() -> None:
    seen = hall(seats=(membership(1, 1, attention=1),), config=CommunityConfig(floor=9))
    assert goes(seen, ready(seen, 2), ready(seen, 1)) == [1, 2]


def test_of_those_who_attend_alike_who_was_silent_longest_goes_first() -> None:
    seats = (membership(2, 1, last_spoke_at=later(-5)), membership(3, 1, last_spoke_at=later(-50)))
    seen = hall(seats=seats, config=CommunityConfig(floor=9))
    assert goes(seen, ready(seen, 2), ready(seen, 3), ready(seen, 4)) == [4, 3, 2]


def test_who_waits_for_half_a_minute_sharp_has_not_waited_too_long() -> None:
    seen = hall()
    named = ready(seen, 3, reason(mentioned=True))
    assert goes(seen, ready(seen, 2, reason(since=later(-30))), named) == [3, 2]


def test_a_call_holds_the_floor_for_half_a_minute() -> None:
    for began, admitted in ((-30, []), (-31, [4])):
        seen = hall(busy={2: reason(due_at=later(-60))}, config=CommunityConfig(floor=1))
        since = replace(seen.agents[AgentId(2)], last_beat_at=later(began))
        seen = replace(seen, agents={**seen.agents, since.id: since})
        assert goes(seen, ready(seen, 4)) == admitted


def test_only_what_a_running_call_was_made_for_holds_the_floor() -> None:
    for why in (reason(due_at=later(1)), reason(ReasonKind.TURN), reason(room_id=None)):
        seen = hall(busy={2: why}, config=CommunityConfig(floor=1))
        assert goes(seen, ready(seen, 4)) == [4]
    listening = hall(busy={2: AMBIENT}, config=CommunityConfig(floor=1))
    assert goes(listening, ready(listening, 4)) == [4]


def test_who_is_not_in_a_call_hides_nobody_who_is() -> None:
    seen = hall(busy={3: reason()}, config=CommunityConfig(floor=1))
    seen = replace(seen, reasons={AgentId(2): (AMBIENT,), **seen.reasons})
    assert goes(seen, ready(seen, 4)) == []


def test_listeners_wait_for_a_call_that_comes_within_half_a_minute() -> None:
    for due, admitted in ((30, []), (31, [2])):
        seen = replace(hall(), reasons={AgentId(3): (reason(due_at=later(due)),)})
        assert goes(seen, ready(seen, 2, AMBIENT)) == admitted
    back = agent(3, backs_off_until=START)
    seen = replace(hall(), reasons={back.id: (reason(),)})
    assert goes(replace(seen, agents={**seen.agents, back.id: back}), ready(seen, 2, AMBIENT)) == []
    asleep = agent(3, asleep_until=later(60))
    assert goes(replace(seen, agents={**seen.agents, asleep.id: asleep}), ready(seen, 2, AMBIENT)) == [2]


def test_ones_own_call_takes_no_floor_from_oneself() -> None:
    seen = hall(busy={4: reason()}, config=CommunityConfig(floor=1))
    assert speaks(seen, 4, AMBIENT) == ""
    assert speaks(seen, 3, AMBIENT).startswith("floor taken: others")


def test_a_listener_gives_way_to_two_others_who_spoke_meanwhile() -> None:
    first = message(1, room_id=1, sender=by_agent(2), sent_at=START)
    second = message(2, room_id=1, sender=by_agent(3), sent_at=later(1))
    assert speaks(hall(messages=(first, second)), 4, AMBIENT).startswith("floor taken: others")
    for instead in (
        replace(first, sender=by_agent(4)),
        replace(first, sender=by_agent(3)),
        replace(first, sender=by_person()),
        replace(first, sent_at=later(-1)),
    ):
        assert speaks(hall(messages=(instead, second)), 4, AMBIENT) == ""
    posted = hall(messages=(second,), unposted=(post(2, ago=0),))
    assert speaks(posted, 4, AMBIENT).startswith("floor taken: others")


def test_what_a_beat_said_itself_counts_as_banter() -> None:
    seen = hall(place=room(1, agent_run=5))
    assert speaks(seen, 2, reason()) == ""
    told = may_speak(seen, AgentId(2), HALL, reasons=[reason()], let_through_at=START, now=later(3), said=1)
    assert told == "agents said 5 messages in a row here: wait until a person speaks or reacts"


def test_a_message_has_its_answers_until_it_is_long_ago() -> None:
    asked = message(1, room_id=1, sent_at=START, answers_from_agents=2)
    seen = hall(messages=(asked, message(2, room_id=1, sender=by_agent(2), sent_at=later(1))))
    stale = seen.config.stale_minutes * 60
    assert answered_enough(seen, HALL, later(stale))
    assert not answered_enough(seen, HALL, later(stale + 1))
    assert not answered_enough(hall(), HALL, START)
    assert not answered_enough(seen, AgentId(77), START)


def test_what_one_of_a_slot_said_is_known_to_who_comes_after() -> None:
    asked = message(1, room_id=1, sent_at=later(-5))
    seen = hall(busy={2: AMBIENT, 3: AMBIENT}, messages=(asked,), unposted=(post(5),), place=room(1, agent_run=1))
    after = after_saying(seen, ready(seen, 2, AMBIENT), [HALL, AgentId(2)], later(3))
    assert (after.agents[AgentId(2)].beat_id, after.agents[AgentId(2)].lease_until) == (None, None)
    assert after.agents[AgentId(3)] == seen.agents[AgentId(3)]
    assert after.reasons == {AgentId(2): (), AgentId(3): (AMBIENT,)}
    for id_, said in ((HALL, 2), (AgentId(2), 1), (AgentId(3), 0)):
        assert (after.all_rooms[id_].agent_run, after.rooms[id_].room.agent_run) == (said, said)
    assert [one.answers_from_agents for one in after.rooms[HALL].messages] == [1]
    told = [(one.community_id, one.room_id, one.kind, one.beat_id) for one in after.unposted[HALL]]
    assert told == [(COMMUNITY_ID, HALL, LetterKind.POST, BeatId(id)) for id in (5, 2)]
    assert [(one.not_before, one.created_at) for one in after.unposted[AgentId(2)]] == [(later(3), later(3))]
    assert AgentId(3) not in after.unposted
    last = after_saying(after, ready(seen, 3, AMBIENT), [HALL], later(3))
    assert may_speak(last, AgentId(4), HALL, reasons=[AMBIENT], let_through_at=START, now=later(3)) != ""


def test_who_was_called_gives_none_of_the_answers_of_listeners() -> None:
    seen = hall(messages=(message(1, room_id=1, sent_at=later(-5)),))
    after = after_saying(seen, ready(seen, 2), [HALL], START)
    assert [one.answers_from_agents for one in after.rooms[HALL].messages] == [0]
