"""What a message means to the members of its room."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from bot.core.addressing import ways_of
from bot.core.config import CommunityConfig
from bot.core.kinds import ReasonKind, SenderKind
from bot.core.reasons import cues_for, reasons_for
from bot.core.records import SYSTEM, Agent, AgentId, BeatId, Membership, Message, Reason, Room, Sender, Snowflake
from bot.core.view import RoomView, View
from tests.factories import agent, by_agent, by_person, later, membership, message, room, view
from tests.fakes import START

IRIS, OTTO = AgentId(1), AgentId(2)


def scene(
    *messages: Message,
    agents: tuple[Agent, ...] = (),
    place: Room | None = None,
    memberships: tuple[Membership, ...] = (),
    config: CommunityConfig | None = None,
    **fields: Any,  # noqa: ANN401
) -> View:
    """Iris' room with Otto in it, where Rob has just spoken too, so that nobody is alone there."""
    them = agents or (agent(1, name="Iris"), agent(2, name="Otto"))
    crowd = message(0, room_id=1, sender=by_person("rob", 502), sent_at=later(-200))
    shown = RoomView(room=place or room(1), members=(IRIS, OTTO), messages=(crowd, *messages))
    seats = memberships or (membership(1), membership(2, 1))
    return view(them, rooms=[shown], memberships=seats, config=config, **fields)


def reasons(seen: View, said: Message, *, now: datetime = START, so_far: int = 0) -> dict[int, Reason]:
    puts = reasons_for(seen, AgentId(1), said, now=now, addressed_so_far=so_far)
    return {int(put.agent_id): put.reason for put in puts}


def line(content: str = "hello", **fields: Any) -> Message:  # noqa: ANN401
    return message(5, content, room_id=1, **({"sent_at": START} | fields))


def test_whom_a_person_addresses_is_due_after_a_breath_and_the_others_at_their_own_pace() -> None:
    found = reasons(scene(line("@Otto hi")), line("@Otto hi"))
    assert found[OTTO].kind is ReasonKind.ADDRESSED
    assert found[OTTO].due_at == later(0.8)
    assert found[OTTO].mentioned
    assert found[IRIS].kind is ReasonKind.AMBIENT


def waiting(since: float, due: float, **fields: Any) -> Reason:  # noqa: ANN401
    base: dict[str, Any] = {"kind": ReasonKind.ADDRESSED, "room_id": IRIS, "person_id": Snowflake(501)}
    return Reason(**(base | {"since": later(since), "due_at": later(due)} | fields))


def test_each_further_line_restarts_the_breath_but_not_for_ever() -> None:
    said = line("Otto, and one more thing")
    soon = scene(said, reasons={OTTO: (waiting(-1, 0.2),)})
    assert reasons(soon, said)[OTTO].due_at == later(0.8)
    late = scene(said, reasons={OTTO: (waiting(-2.9, 0.3),)})
    assert reasons(late, said)[OTTO].due_at == later(0.1)


def test_a_line_that_comes_while_the_agent_answers_takes_a_breath_of_its_own() -> None:
    said = line("Otto, wait")
    busy = agent(2, name="Otto", beat_id=BeatId(4), lease_until=later(60), last_beat_at=later(-2))
    seen = scene(said, agents=(agent(1, name="Iris"), busy), reasons={OTTO: (waiting(-4, -3),)})
    assert reasons(seen, said)[OTTO].since == START
    assert reasons(seen, said)[OTTO].due_at == later(0.8)


def test_ambient_messages_wait_for_the_agents_own_beat_on_the_common_grid() -> None:
    busy = agent(2, name="Otto", interval_seconds=5, last_beat_at=later(-1))
    found = reasons(scene(line(), agents=(agent(1, name="Iris"), busy)), line())
    assert found[OTTO].due_at == later(4)


def test_a_talk_among_people_is_not_written_line_by_line() -> None:
    ambient = waiting(-2, 4, kind=ReasonKind.AMBIENT)
    busy = agent(2, name="Otto", interval_seconds=5, last_beat_at=later(-1))
    seen = scene(line(), agents=(agent(1, name="Iris"), busy), reasons={OTTO: (ambient,)})
    assert OTTO not in reasons(seen, line())


def test_a_person_stays_the_cause_when_an_agent_speaks_next() -> None:
    said = line("I agree", sender=by_agent(1))
    ambient = waiting(-2, 40, kind=ReasonKind.AMBIENT)
    seen = scene(said, reasons={OTTO: (ambient,)})
    assert (reasons(seen, said)[OTTO].person_id, reasons(seen, said)[OTTO].since) == (501, later(-2))


def test_an_agent_is_addressed_by_an_agent_at_its_own_next_beat() -> None:
    said = line("Otto, what now?", sender=by_agent(1))
    busy = agent(2, name="Otto", interval_seconds=5, last_beat_at=later(-1))
    found = reasons(scene(said, agents=(agent(1, name="Iris"), busy)), said)
    assert (found[OTTO].kind, found[OTTO].due_at, found[OTTO].person_id) == (ReasonKind.ADDRESSED, later(4), None)
    assert IRIS not in found


def test_who_is_named_by_an_agent_is_known_to_be_named_also_while_it_is_waited_for() -> None:
    said = line("@Otto, what now?", sender=by_agent(1))
    assert reasons(scene(said), said)[OTTO].mentioned
    assert reasons(scene(said, reasons={OTTO: (waiting(-2, 40),)}), said)[OTTO].mentioned
    unnamed = line("so, so", sender=by_agent(1))
    assert not reasons(scene(unnamed), unnamed)[OTTO].mentioned


def test_a_line_that_comes_during_a_beat_is_looked_at_after_it_although_a_look_is_planned() -> None:
    ambient = waiting(-2, 4, kind=ReasonKind.AMBIENT)
    busy = agent(2, name="Otto", interval_seconds=5, last_beat_at=later(-1), beat_id=BeatId(4), lease_until=later(60))
    seen = scene(line(), agents=(agent(1, name="Iris"), busy), reasons={OTTO: (ambient,)})
    assert OTTO in reasons(seen, line())


def test_after_six_messages_of_agents_in_a_row_theirs_are_no_reason_any_more() -> None:
    said = line("Otto, what now?", sender=by_agent(1))
    assert reasons(scene(said, place=room(1, agent_run=5)), said)
    assert not reasons(scene(said, place=room(1, agent_run=6)), said)
    assert reasons(scene(said, place=room(1, agent_run=6), config=CommunityConfig(banter=0)), said)
    assert reasons(scene(line(), place=room(1, agent_run=6)), line())


def test_a_hushed_room_and_a_system_line_give_no_reason() -> None:
    assert not reasons(scene(line(), place=room(1, hushed_until=later(1))), line())
    assert not reasons(scene(line(sender=SYSTEM)), line(sender=SYSTEM))


def test_a_person_who_addresses_agents_too_often_is_only_overheard() -> None:
    said = line("@Otto again")
    assert reasons(scene(said), said, so_far=19)[OTTO].kind is ReasonKind.ADDRESSED
    assert reasons(scene(said), said, so_far=20)[OTTO].kind is ReasonKind.AMBIENT


def test_a_retired_agent_has_no_reasons_and_a_paused_one_only_what_people_ask_of_it() -> None:
    paused = agent(2, name="Otto", paused_reason="a rest")
    retired = agent(1, name="Iris", retired_at=START)
    assert set(reasons(scene(line("Iris, Otto?"), agents=(paused, retired)), line("Iris, Otto?"))) == {OTTO}
    assert not reasons(scene(line("so, so"), agents=(paused, retired)), line("so, so"))


def test_asleep_agents_wake_for_their_name_only() -> None:
    asleep = agent(2, name="Otto", asleep_until=later(999))
    them = (agent(1, name="Iris"), asleep)
    assert OTTO in reasons(scene(line("Otto?"), agents=them), line("Otto?"))
    assert OTTO not in reasons(scene(line("hello"), agents=them), line("hello"))
    deep = CommunityConfig(mention_wakes=False)
    assert OTTO not in reasons(scene(line("Otto?"), agents=them, config=deep), line("Otto?"))


def test_a_paused_or_sleeping_agent_that_is_addressed_shows_one_sign() -> None:
    said = line("Otto?")
    asleep = agent(2, name="Otto", asleep_until=later(999))
    paused = replace(asleep, paused_reason="a rest")

    def signs(one: Agent, config: CommunityConfig | None = None) -> list[object]:
        seen = scene(said, agents=(agent(1, name="Iris"), one), config=config)
        whom = ways_of(seen, seen.rooms[IRIS], said)
        return [letter.payload["emoji"] for letter in cues_for(seen, IRIS, said, whom, now=START)]

    assert signs(paused) == ["⏸️"]
    assert signs(asleep) == []
    assert signs(asleep, CommunityConfig(mention_wakes=False)) == ["💤"]


def test_what_is_old_when_it_comes_is_ambient_unless_it_is_the_persons_newest() -> None:
    old = line("@Otto hi", sent_at=later(-601))
    newer = message(6, "anyone?", room_id=1, sent_at=later(-600))
    assert reasons(scene(old, newer), old)[OTTO].kind is ReasonKind.AMBIENT
    assert reasons(scene(old), old)[OTTO].kind is ReasonKind.ADDRESSED


def test_of_lines_of_one_moment_discord_tells_which_is_newer() -> None:
    old = line("@Otto hi", sent_at=later(-601), discord_id=Snowflake(70))
    for other, kind in ((71, ReasonKind.AMBIENT), (69, ReasonKind.ADDRESSED)):
        beside = message(75 - other, "anyone?", room_id=1, sent_at=later(-601), discord_id=Snowflake(other))
        assert reasons(scene(old, beside), old)[OTTO].kind is kind


def test_a_room_without_attention_is_not_overheard() -> None:
    seats = (membership(1), membership(2, 1, attention=0))
    assert OTTO not in reasons(scene(line(), memberships=seats), line())
    assert OTTO in reasons(scene(line("Otto!"), memberships=seats), line("Otto!"))


def test_initiative_waits_anew_when_something_happens() -> None:
    eager = CommunityConfig(initiative=True)
    puts = reasons_for(scene(line(), config=eager), IRIS, line(), now=START)
    due = {put.reason.due_at for put in puts if put.reason.kind is ReasonKind.INITIATIVE}
    assert due == {START + timedelta(minutes=30)}
    off = reasons_for(scene(line()), IRIS, line(), now=START)
    assert not [put for put in off if put.reason.kind is ReasonKind.INITIATIVE]


def begun(seen: View) -> dict[int, Reason]:
    puts = reasons_for(seen, IRIS, line(), now=START)
    return {int(put.agent_id): put.reason for put in puts if put.reason.kind is ReasonKind.INITIATIVE}


def test_initiative_is_for_who_is_free_to_begin_something_at_home() -> None:
    eager = CommunityConfig(initiative=True)
    found = begun(scene(line(), config=eager))
    assert {id: reason.room_id for id, reason in found.items()} == {IRIS: IRIS, OTTO: OTTO}
    for busy in ({"asleep_until": later(1)}, {"paused_reason": "a rest"}, {"retired_at": START}):
        them = (agent(1, name="Iris"), agent(2, name="Otto", **busy))
        assert begun(scene(line(), agents=them, config=eager)).keys() == {IRIS}
    rested = agent(2, name="Otto", asleep_until=later(-1))
    assert OTTO in begun(scene(line(), agents=(agent(1, name="Iris"), rested), config=eager))


def test_initiative_that_moves_by_half_a_minute_is_not_written_again() -> None:
    eager = CommunityConfig(initiative=True)
    for due, again in ((1_800 - 30, False), (1_800 - 31, True)):
        planned = waiting(-60, due, kind=ReasonKind.INITIATIVE, room_id=OTTO, person_id=None)
        overheard = waiting(-60, 1_700, kind=ReasonKind.AMBIENT)
        assert (OTTO in begun(scene(line(), config=eager, reasons={OTTO: (planned, overheard)}))) is again


def many(count: int, **fields: Any) -> View:  # noqa: ANN401
    """A room of so many members, in which two people talk."""
    them = tuple(agent(id, name=f"Agent{id}") for id in range(1, count + 1))
    crowd = message(0, room_id=1, sender=by_person("rob", 502), sent_at=later(-200))
    shown = RoomView(room=room(1), members=tuple(one.id for one in them), messages=(crowd,))
    return view(them, rooms=[shown], memberships=[membership(one.id, 1) for one in them], **fields)


def test_one_line_calls_no_more_agents_than_its_author_may_have_answers() -> None:
    everyone = line(" ".join(f"@Agent{id}" for id in range(1, 31)))
    found = reasons(many(30), everyone, so_far=5)
    assert [found[id].kind for id in range(1, 31)] == [ReasonKind.ADDRESSED] * 15 + [ReasonKind.AMBIENT] * 15


def test_who_is_about_to_answer_counts_once_and_takes_further_lines_along() -> None:
    waits = {AgentId(id): (waiting(-1, 0.2),) for id in range(1, 20)}
    again = line("@Agent3 and @Agent25 and @Agent26")
    found = reasons(many(30, reasons=waits), again)
    kinds = [found[id].kind for id in (3, 25, 26)]
    assert kinds == [ReasonKind.ADDRESSED, ReasonKind.ADDRESSED, ReasonKind.AMBIENT]
    full = {AgentId(id): (waiting(-1, 0.2),) for id in range(1, 21)}
    assert reasons(many(30, reasons=full), again)[3].kind is ReasonKind.ADDRESSED


def test_who_is_about_to_answer_somebody_else_or_elsewhere_is_not_about_to_answer_here() -> None:
    said = line("@Otto again")
    for awaited, kind in (
        (waiting(-1, 0.2), ReasonKind.ADDRESSED),
        (waiting(-1, 0.2, person_id=Snowflake(502)), ReasonKind.AMBIENT),
        (waiting(-1, 0.2, room_id=OTTO), ReasonKind.AMBIENT),
    ):
        assert reasons(scene(said, reasons={OTTO: (awaited,)}), said, so_far=20)[OTTO].kind is kind


def by_bot(id: int = 77) -> Sender:
    return Sender(kind=SenderKind.BOT, person_id=Snowflake(id), name="herald")


def test_another_program_that_is_listened_to_is_answered_as_an_agent_is() -> None:
    said = line("@Otto news!", sender=by_bot())
    busy = agent(2, name="Otto", interval_seconds=5, last_beat_at=later(-1))
    found = reasons(scene(said, agents=(agent(1, name="Iris"), busy)), said)
    assert (found[OTTO].kind, found[OTTO].due_at, found[OTTO].person_id) == (ReasonKind.ADDRESSED, later(4), None)
    assert found[IRIS].person_id is None
    asleep = agent(2, name="Otto", asleep_until=later(600))
    assert OTTO not in reasons(scene(said, agents=(agent(1, name="Iris"), asleep)), said)
    assert reasons(scene(said, place=room(1, agent_run=6)), said) == {}
