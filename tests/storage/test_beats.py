"""The heartbeat's side of the store: reasons, claims, and what a beat leaves."""

import asyncio
import zlib
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from bot.core.changes import AddSchedule, AgentColumns, DropReasons, EndBeat, PutReason, UpdateAgent
from bot.core.gate import Claim
from bot.core.kinds import ReasonKind, UsedBy
from bot.core.ports import Writing
from bot.core.records import (
    AgentId,
    Beat,
    BeatId,
    CommunityId,
    Message,
    MessageId,
    Reason,
    Schedule,
    ScheduleId,
    Snowflake,
    Usage,
)
from storage.beats import TOO_LONG
from storage.store import SqlStore
from tests.fakes import START
from tests.founding import founded
from tests.storage.lines import hear, last_beat, said

FIRST = AgentId(1)
NOW = START + timedelta(seconds=10)
LEASE = NOW + timedelta(seconds=60)


def reason(seconds: float = 1, message: int | None = 7, kind: ReasonKind = ReasonKind.ADDRESSED) -> Reason:
    return Reason(
        kind=kind,
        room_id=FIRST,
        message_id=None if message is None else MessageId(message),
        since=START,
        due_at=START + timedelta(seconds=seconds),
    )


async def put(store: SqlStore, community_id: CommunityId, *reasons: Reason, agent_id: AgentId = FIRST) -> None:
    async with store.writing(community_id) as write:
        await write.apply(community_id, [PutReason(agent_id=agent_id, reason=one) for one in reasons])


async def claim(store: SqlStore, community_id: CommunityId) -> list[Claim]:
    async with store.writing(community_id) as write:
        return list(await write.claims.take(community_id, [FIRST], now=NOW, lease_until=LEASE))


async def taken_over(write: Writing, community_id: CommunityId, now: datetime) -> Claim:
    (claimed,) = await write.claims.take(community_id, [FIRST], now=now, lease_until=now + timedelta(seconds=60))
    return claimed


async def test_an_agent_without_a_reason_is_never_due(store: SqlStore, community_id: CommunityId) -> None:
    async with store.reading() as read:
        assert await read.claims.due(NOW, limit=10) == []
        assert await read.claims.next_due_at() is None


async def test_the_first_of_its_reasons_makes_an_agent_due(store: SqlStore, community_id: CommunityId) -> None:
    await put(store, community_id, reason(5), reason(2, kind=ReasonKind.AMBIENT))
    async with store.reading() as read:
        assert await read.claims.next_due_at() == START + timedelta(seconds=2)
        assert await read.claims.due(START + timedelta(seconds=1), limit=10) == []
        assert await read.claims.due(NOW, limit=10) == [(community_id, FIRST)]


async def test_however_many_are_due_in_one_community_another_has_its_turn(
    store: SqlStore, community_id: CommunityId
) -> None:
    other = await founded(store, guild_id=10)
    for agent_id in (1, 2, 3):
        await put(store, community_id, reason(agent_id), agent_id=AgentId(agent_id))
        late = Schedule(id=ScheduleId(agent_id), agent_id=FIRST, room_id=FIRST, content="late", at=START)
        async with store.writing(community_id) as write:
            await write.apply(community_id, [AddSchedule(schedule=late)])
    await put(store, other, reason(4))
    async with store.writing(other) as write:
        its = Schedule(id=ScheduleId(1), agent_id=FIRST, room_id=FIRST, content="later", at=NOW)
        await write.apply(other, [AddSchedule(schedule=its)])
    async with store.reading() as read:
        assert {one for one, _ in await read.claims.due(NOW, limit=2)} == {community_id, other}
        assert {one for one, _ in await read.agents.schedules_due(NOW, limit=2)} == {community_id, other}


async def test_a_reason_that_is_replaced_keeps_when_it_began(store: SqlStore, community_id: CommunityId) -> None:
    await put(store, community_id, reason(1))
    later = Reason(
        kind=ReasonKind.ADDRESSED,
        room_id=FIRST,
        message_id=MessageId(9),
        since=START + timedelta(seconds=2),
        due_at=START + timedelta(seconds=3),
    )
    await put(store, community_id, later)
    async with store.reading() as read:
        found = (await read.views.whole(community_id, agent_ids=[FIRST])).reasons[FIRST]
    assert [(one.since, one.due_at, one.message_id) for one in found] == [(START, later.due_at, 9)]


async def test_two_slots_cannot_claim_the_same_agent(store: SqlStore, community_id: CommunityId) -> None:
    await put(store, community_id, reason())
    taken = await asyncio.gather(claim(store, community_id), claim(store, community_id))
    assert sorted(len(claims) for claims in taken) == [0, 1]


async def test_a_claim_brings_only_the_reasons_that_are_due(store: SqlStore, community_id: CommunityId) -> None:
    await put(store, community_id, reason(1), reason(900, kind=ReasonKind.TIMER, message=None))
    (claimed,) = await claim(store, community_id)
    assert [one.kind for one in claimed.reasons] == [ReasonKind.ADDRESSED]


async def test_a_claim_ends_with_its_lease(store: SqlStore, community_id: CommunityId) -> None:
    await put(store, community_id, reason())
    (first,) = await claim(store, community_id)
    async with store.reading() as read:
        assert await read.claims.due(NOW, limit=10) == []
        assert await read.claims.next_due_at() == LEASE
        assert await read.claims.due(LEASE, limit=10) == [(community_id, FIRST)]
    async with store.writing(community_id) as write:
        second = await taken_over(write, community_id, LEASE)
        assert not await write.claims.holds(first)
        assert await write.claims.holds(second)


async def test_a_released_agent_is_due_again_later_unless_something_more_urgent_comes(
    store: SqlStore, community_id: CommunityId
) -> None:
    await put(store, community_id, reason())
    (claimed,) = await claim(store, community_id)
    until = NOW + timedelta(seconds=4)
    async with store.writing(community_id) as write:
        await write.claims.release(claimed, until=until)
    async with store.reading() as read:
        assert await read.claims.next_due_at() == until
    await put(store, community_id, reason(11, kind=ReasonKind.WOKEN, message=None))
    async with store.reading() as read:
        assert await read.claims.next_due_at() == START + timedelta(seconds=11)


async def test_what_came_in_during_a_beat_stays_a_reason(store: SqlStore, community_id: CommunityId) -> None:
    await put(store, community_id, reason(1, message=7))
    (claimed,) = await claim(store, community_id)
    await put(store, community_id, reason(12, message=8))
    async with store.writing(community_id) as write:
        await write.apply(community_id, [DropReasons(agent_id=FIRST, reasons=claimed.reasons)])
    async with store.reading() as read:
        assert await read.claims.next_due_at() == LEASE
        (left,) = (await read.views.whole(community_id, agent_ids=[FIRST])).reasons[FIRST]
    assert left.message_id == 8


async def test_a_look_up_asked_for_in_a_beat_outlives_the_reason_that_led_to_it(
    store: SqlStore, community_id: CommunityId
) -> None:
    answer = reason(1, message=None, kind=ReasonKind.ANSWER)
    await put(store, community_id, answer)
    (claimed,) = await claim(store, community_id)
    again = PutReason(agent_id=FIRST, reason=reason(20, message=None, kind=ReasonKind.ANSWER))
    async with store.writing(community_id) as write:
        await write.apply(community_id, [again, DropReasons(agent_id=FIRST, reasons=claimed.reasons)])
        view = await write.views.whole(community_id, agent_ids=[FIRST])
    assert [one.due_at for one in view.reasons[FIRST]] == [START + timedelta(seconds=20)]


@pytest.mark.parametrize(
    ("rest", "back"),
    [
        (AgentColumns(paused_reason="a manager asked for it"), AgentColumns(paused_reason=None)),
        (AgentColumns(retired_at=START), AgentColumns(retired_at=None)),
    ],
)
async def test_an_agent_at_rest_is_not_due_and_comes_back_with_its_reasons(
    store: SqlStore, community_id: CommunityId, rest: AgentColumns, back: AgentColumns
) -> None:
    await put(store, community_id, reason())
    async with store.writing(community_id) as write:
        await write.apply(community_id, [UpdateAgent(agent_id=FIRST, fields=rest)])
        assert await write.claims.due(NOW, limit=10) == []
        await write.apply(community_id, [UpdateAgent(agent_id=FIRST, fields=back)])
        assert await write.claims.due(NOW, limit=10) == [(community_id, FIRST)]


def beat(id: int, **fields: object) -> Beat:
    base = {
        "id": BeatId(id),
        "agent_id": FIRST,
        "at": NOW,
        "reason": ReasonKind.ADDRESSED,
        "person_id": Snowflake(501),
        "hud": "==== the HUD ====\n" * 50,
        "answer": '{"agents": []}',
        "room_id": AgentId(7),
        "model": "gpt-4.1-mini",
        "thoughts": "hm 🤔",
        "sections": (("rooms", 40),),
        "usage": Usage(input_tokens=900, output_tokens=20, cost_usd=Decimal("0.000123456789"), latency_seconds=0.5),
        "response_id": "resp_1",
        "outcome": ("said something",),
    }
    return Beat(**(base | fields))  # type: ignore[arg-type]


async def test_a_beat_is_kept_as_it_was_and_lets_its_agent_go(store: SqlStore, community_id: CommunityId) -> None:
    await put(store, community_id, reason())
    (claimed,) = await claim(store, community_id)
    ended = beat(claimed.beat_id, hud="what it saw", answer="what it said", thoughts="what it thought")
    async with store.writing(community_id) as write:
        await write.apply(community_id, [DropReasons(agent_id=FIRST, reasons=claimed.reasons), EndBeat(beat=ended)])
    async with store.reading() as read:
        assert await last_beat(read.beats, community_id, FIRST) == ended
        assert await read.beats.find(community_id, ended.id) == ended
        listed = await read.beats.newest(community_id, FIRST)  # texts of hundreds are much to unpack
        assert listed == [replace(ended, hud="", answer="", thoughts="")]
        assert await read.beats.newest(community_id, FIRST, before=ended.id) == []
        assert await read.beats.listed(community_id, [ended.id, BeatId(999)]) == {ended.id: listed[0]}
        agent = (await read.views.whole(community_id, agent_ids=[FIRST])).agents[FIRST]
    assert (agent.beat_id, agent.lease_until, agent.next_beat_at) == (None, None, None)


async def test_a_beat_that_lost_its_claim_leaves_the_new_claim_alone(
    store: SqlStore, community_id: CommunityId
) -> None:
    await put(store, community_id, reason())
    (first,) = await claim(store, community_id)
    async with store.writing(community_id) as write:
        second = await taken_over(write, community_id, LEASE)
        await write.apply(community_id, [EndBeat(beat=beat(first.beat_id))])
        assert await write.claims.holds(second)


async def test_usage_adds_up_by_agent_format_and_tally(store: SqlStore, community_id: CommunityId) -> None:
    async with store.writing(community_id) as write:
        silent = beat(2, person_id=None, reason=ReasonKind.WOKEN, silent=True)
        await write.apply(community_id, [EndBeat(beat=beat(1, silent=False)), EndBeat(beat=silent)])
    async with store.reading() as read:
        beats, usage = (await read.money.usage_by_agent(community_id, NOW.date()))[FIRST]
        tally = await read.beats.tally(community_id, [FIRST], START)
        assert await read.beats.addressed_by(community_id, Snowflake(501), START) == 1
        assert await read.beats.self_caused(community_id, FIRST, START, newest=9) == [NOW]
        assert await read.beats.self_caused(community_id, FIRST, START, newest=0) == []
        by = {what: await read.money.used_daily(community_id, what, NOW.date()) for what in UsedBy}
        ever, of_nobody = (
            await read.money.used_ever(community_id, FIRST),
            await read.money.used_ever(community_id, AgentId(99)),
        )
        assert await read.money.used_daily(community_id, UsedBy.ROOM, NOW.date() + timedelta(days=1)) == []
        mine = await read.money.used_daily(community_id, UsedBy.AGENT, None, agent_id=FIRST)
        others = await read.money.used_daily(community_id, UsedBy.AGENT, None, agent_id=AgentId(99))
    assert (mine, others) == (by[UsedBy.AGENT], [])
    assert (beats, usage.input_tokens, usage.cost_usd) == (2, 1800, Decimal("0.000246913578"))
    told = [("agent", "1"), ("room", "7"), ("model", "gpt-4.1-mini"), ("format", "text")]
    assert [(what, one.key) for what, days in by.items() for one in days] == told
    assert all((one.day, one.beats, one.usage) == (NOW.date(), 2, usage) for days in by.values() for one in days)
    assert ever is not None and (ever.day, ever.beats, ever.usage) == (NOW.date(), 2, tally.usage)
    assert of_nobody is None
    assert (tally.silent, tally.calls, tally.answers) == (1, 1, 0)
    assert tally.beats == {ReasonKind.ADDRESSED: 1, ReasonKind.WOKEN: 1}


async def test_what_is_reserved_counts_in_full_until_it_is_settled(store: SqlStore, community_id: CommunityId) -> None:
    day = NOW.date()
    async with store.writing(community_id) as write:
        first = await write.money.reserve(community_id, day, usd=Decimal("0.10"), tokens=1000)
        await write.money.reserve(community_id, day, usd=Decimal("0.20"), tokens=2000)
        await write.money.settle(community_id, first, usd=Decimal("0.0001"), tokens=10)
    async with store.reading() as read:
        assert await read.money.spent(community_id, day) == (Decimal("0.2001"), 2010)
        assert await read.money.spent(community_id, day + timedelta(days=1)) == (Decimal(0), 0)


async def test_claims_for_which_nothing_runs_are_freed_and_the_others_kept(
    store: SqlStore, community_id: CommunityId
) -> None:
    await put(store, community_id, reason())
    (claimed,) = await claim(store, community_id)
    async with store.writing() as write:
        await write.claims.abandon(keeping={(community_id, claimed.beat_id)})
        assert await write.claims.holds(claimed)
        await write.claims.abandon()
        assert not await write.claims.holds(claimed)
        assert await write.claims.due(NOW, limit=5) == [(community_id, FIRST)]


async def test_a_claim_that_is_renewed_lasts_longer_unless_another_has_it_by_now(
    store: SqlStore, community_id: CommunityId
) -> None:
    await put(store, community_id, reason())
    (first,) = await claim(store, community_id)
    later = LEASE + timedelta(seconds=60)
    async with store.writing(community_id) as write:
        await write.claims.renew([(community_id, first.beat_id)], later)
        assert await write.claims.due(LEASE, limit=5) == []
        second = await taken_over(write, community_id, later)
        await write.claims.renew([(community_id, first.beat_id)], later + timedelta(hours=1))
        assert await write.claims.holds(second)
        assert await write.claims.due(later + timedelta(seconds=60), limit=5) == [(community_id, FIRST)]


async def test_the_first_beat_of_each_since_then_is_found(store: SqlStore, community_id: CommunityId) -> None:
    async def beat(id: int, seconds: float) -> None:
        await put(store, community_id, reason())
        async with store.writing(community_id) as write:
            (held,) = await write.claims.take(community_id, [FIRST], now=NOW, lease_until=LEASE)
            at = START + timedelta(seconds=seconds)
            one = Beat(id=held.beat_id, agent_id=FIRST, at=at, reason=ReasonKind.AMBIENT, hud=f"hud {id}")
            await write.apply(community_id, [*_seen(held), EndBeat(beat=one)])

    for id, seconds in enumerate((10, 20, 30)):
        await beat(id, seconds)
    async with store.reading() as read:
        found = await read.beats.first(community_id, [FIRST, AgentId(2)], START + timedelta(seconds=15))
        (whole,) = [await read.beats.find(community_id, one.id) for one in found.values()]
        assert whole is not None and (whole.agent_id, whole.hud) == (FIRST, "hud 1")
        assert await read.beats.first(community_id, [FIRST], START + timedelta(seconds=31)) == {}
        assert await read.beats.first(community_id, [FIRST], START, side=1) == {}


def _seen(held: Claim) -> list[DropReasons]:
    return [DropReasons(agent_id=held.agent_id, reasons=held.reasons)]


async def test_what_beats_saw_and_answered_is_unpacked_one_beat_at_a_time(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked: list[bytes] = []
    real = zlib.decompress

    def noted(text: bytes) -> bytes:
        unpacked.append(real(text))
        return unpacked[-1]

    monkeypatch.setattr(zlib, "decompress", noted)
    texts = {"hud": "what it saw", "answer": "what it said", "thoughts": "what it thought"}
    async with store.writing(community_id) as write:
        await write.apply(community_id, [EndBeat(beat=beat(id_, **texts)) for id_ in range(1, 201)])
    async with store.reading() as read:
        newest = await read.beats.newest(community_id, FIRST, limit=200)
        first = await read.beats.first(community_id, [FIRST], START)
        assert (len(newest), {*first}) == (200, {FIRST})
        assert not any(one.hud or one.answer or one.thoughts for one in [*newest, *first.values()])
        assert unpacked == []
        assert await read.beats.find(community_id, newest[0].id) == beat(200, **texts)
    assert len(unpacked) == 3


async def unseen(store: SqlStore, community_id: CommunityId, *contents: str) -> list[Message]:
    """Have people say this, the last of which is why an agent is to look."""
    async with store.writing(community_id) as write:
        lines = [await hear(write.talk, community_id, said(words, number)) for number, words in enumerate(contents, 1)]
    told = [line for line in lines if line is not None]
    asked = replace(reason(), message_id=told[-1].id, person_id=told[-1].sender.person_id)
    await put(store, community_id, asked)
    return told


async def waiting(store: SqlStore, community_id: CommunityId) -> tuple[list[MessageId | None], datetime | None]:
    """Give the messages for which the agent is due, and when it is."""
    async with store.reading() as read:
        view = await read.views.whole(community_id, agent_ids=[FIRST])
        return [one.message_id for one in view.reasons.get(FIRST, ())], await read.claims.next_due_at()


async def test_who_took_the_last_line_back_is_looked_at_for_the_one_before_and_then_for_none(
    store: SqlStore, community_id: CommunityId
) -> None:
    first, second = await unseen(store, community_id, "are you there?", "oh, never mind")
    for gone, left in ((second, [first.id]), (first, [])):
        assert gone.discord_id is not None
        async with store.writing(community_id) as write:
            assert await write.talk.delete(community_id, [gone.discord_id], NOW) == 1
        messages, due_at = await waiting(store, community_id)
        assert messages == left
        assert (due_at is not None) is bool(left)


async def test_what_an_agent_in_a_call_is_asked_for_stays_until_that_ends(
    store: SqlStore, community_id: CommunityId
) -> None:
    _, last = await unseen(store, community_id, "are you there?", "oh, never mind")
    assert await claim(store, community_id)
    assert last.discord_id is not None
    async with store.writing(community_id) as write:
        await write.talk.delete(community_id, [last.discord_id], NOW)
    assert (await waiting(store, community_id))[0] == [last.id]


async def test_what_very_much_was_done_in_is_listed_shortly_and_read_whole(
    store: SqlStore, community_id: CommunityId
) -> None:
    """Of two hundred beats from an archive, each with 400,000 characters, a list took 180 MB and half a second."""
    much = replace(beat(1), outcome=("x" * 1_000,) * 200, sections=(("s" * 1_000, 3),) * 200)
    little = replace(beat(2), outcome=("Said hello.",), sections=(("identity", 3),))
    async with store.writing(community_id) as write:
        await write.apply(community_id, [EndBeat(beat=much), EndBeat(beat=little)])
    async with store.reading() as read:
        newest = await read.beats.newest(community_id, FIRST, limit=2)
        by_id = await read.beats.listed(community_id, [BeatId(1), BeatId(2)])
        whole = await read.beats.find(community_id, BeatId(1))
    for first, second in ((newest[1], newest[0]), (by_id[BeatId(1)], by_id[BeatId(2)])):
        assert (first.outcome, first.sections) == (tuple(TOO_LONG["outcome"]), ())
        assert (second.outcome, second.sections) == (little.outcome, little.sections)
    assert whole is not None and (whole.outcome, whole.sections) == (much.outcome, much.sections)


async def test_of_beats_without_a_persons_cause_no_more_are_read_than_count(
    store: SqlStore, community_id: CommunityId
) -> None:
    """An archive may bring a hundred thousand of them, which are all of a day to come."""
    later = [NOW + timedelta(seconds=number) for number in range(5)]
    async with store.writing(community_id) as write:
        beats = [replace(beat(100 + number), at=at, person_id=None) for number, at in enumerate(later)]
        await write.apply(community_id, [EndBeat(beat=one) for one in beats])
    async with store.reading() as read:
        assert await read.beats.self_caused(community_id, FIRST, NOW - timedelta(1), newest=3) == later[-3:]
