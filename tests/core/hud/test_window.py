"""Which messages are shown: newest backwards, never a hole, from a start that moves in jumps."""

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import cast

from hypothesis import given, settings

from bot.core.hud.agent_hud import Format
from bot.core.hud.call import AgentPart, BuiltCall
from bot.core.hud.window import Backlog, Window, choose
from bot.core.kinds import Visibility
from bot.core.records import AgentId, Checkpoint, CheckpointId, Message, MessageId
from bot.core.view import RoomView, View
from tests import factories
from tests.core.hud.worlds import Drawn, counted, examples, hud, worlds
from tests.fakes import START, WordTokenizer


def talk(number: int, words: int = 30) -> tuple[Message, ...]:
    return tuple(counted(factories.message(i, f"message {i}: " + "word " * words)) for i in range(1, number + 1))


def a_room(messages: tuple[Message, ...], start: int = 0) -> View:
    room = RoomView(room=factories.room(1), members=(AgentId(1),), messages=messages)
    membership = factories.membership(1, window_start=MessageId(start))
    return factories.view([factories.agent(1, token_budget=4_000)], rooms=[room], memberships=[membership])


def part(built: BuiltCall) -> AgentPart:
    return built.parts[0]


def start_of(view: View) -> int:
    return part(hud(view, 1)).window_starts[AgentId(1)]


def test_a_short_room_is_shown_whole() -> None:
    assert start_of(a_room(talk(10))) == 1


def test_a_full_window_starts_where_it_leaves_a_quarter_free() -> None:
    built = hud(a_room(talk(300)), 1)
    rooms = dict(part(built).sections)["messages"]
    assert 0.6 * 3_700 < rooms < 0.8 * 3_900


def test_the_start_stays_until_it_overflows_and_then_jumps() -> None:
    starts, start, everything = [], 0, talk(320)
    for newest in range(200, 320):
        start = start_of(a_room(everything[:newest], start))
        starts.append(start)
    moves = [after - before for before, after in pairwise(starts) if after != before]
    assert starts == sorted(starts)
    assert 2 <= len(moves) <= 8
    assert min(moves) >= 15


def test_a_window_that_is_much_too_small_for_its_share_is_set_anew() -> None:
    assert start_of(a_room(talk(300), start=299)) < 260


@settings(max_examples=examples(25), deadline=None)
@given(worlds())
def test_windows_have_no_holes_and_end_with_the_newest(drawn: Drawn) -> None:
    view = drawn.view
    shown = part(hud(view, 1))
    for room_id in shown.room_ids:
        ids = [message.id for message in view.visible(AgentId(1), view.rooms[room_id])]
        seen = [id for id in ids if id in shown.message_ids]
        assert seen == ids[len(ids) - len(seen) :]
        assert bool(seen) == bool(ids)
        if seen:
            assert shown.seen_until[room_id] == max(seen)
            assert shown.window_starts[room_id] == seen[0]


def test_a_message_longer_than_the_share_has_its_middle_left_out() -> None:
    long = counted(factories.message(300, "begin " + "word " * 20_000 + "end"))
    text = hud(a_room((*talk(2), long)), 1).input
    line = next(line for line in text.splitlines() if line.startswith("[300 "))
    assert "begin word" in line and line.endswith("word end")
    assert "characters left out" in line
    assert "[2 10:00]" in text


def test_a_new_day_begins_with_its_date() -> None:
    today = factories.message(1, "late")
    tomorrow = factories.message(2, "early", sent_at=START + timedelta(days=1))
    text = hud(a_room((counted(today), counted(tomorrow))), 1).input
    assert text.index("-- 2026-11-20 --") < text.index("late") < text.index("-- 2026-11-21 --") < text.index("early")


def test_a_private_room_shows_nothing_from_before_the_agent_joined() -> None:
    room = RoomView(
        room=factories.room(1, visibility=Visibility.PRIVATE), members=(AgentId(1), AgentId(2)), messages=talk(10)
    )
    view = factories.view(
        [factories.agent(1), factories.agent(2)],
        rooms=[room],
        memberships=[factories.membership(2, 1, joined_after=MessageId(6))],
    )
    assert part(hud(view, 2, side=1)).message_ids == {7, 8, 9, 10}
    assert part(hud(view, 1, side=1)).message_ids == set(range(1, 11))
    assert part(hud(view, 2)).room_ids == (2,)


def test_messages_before_the_window_are_counted() -> None:
    view = a_room(talk(300))
    room = replace(view.rooms[AgentId(1)], older=1_000)
    built = hud(replace(view, rooms={AgentId(1): room}), 1)
    assert f"older: {1_000 + part(built).window_starts[AgentId(1)] - 1}\n" in built.input


def test_the_start_stays_when_only_the_newest_messages_were_read() -> None:
    starts, start, everything = [], 0, talk(260, words=1)
    for newest in range(200, 260, 3):
        view = a_room(everything[newest - 200 : newest], start)
        room = replace(view.rooms[AgentId(1)], older=newest - 200)
        agent = replace(view.agents[AgentId(1)], token_budget=50_000)
        start = start_of(replace(view, rooms={AgentId(1): room}, agents={AgentId(1): agent}))
        starts.append(start)
    assert len(set(starts)) <= 3


def test_a_summary_of_what_was_said_before_joining_a_private_room_is_not_shown() -> None:
    checkpoint = a_summary(first=1, last=6)
    room = RoomView(
        room=factories.room(1, visibility=Visibility.PRIVATE),
        members=(AgentId(1), AgentId(2)),
        messages=talk(10),
        older=90,
        checkpoint=checkpoint,
    )
    late = factories.membership(2, 1, joined_after=MessageId(6))
    view = factories.view([factories.agent(1), factories.agent(2)], rooms=[room], memberships=[late])
    assert "they planned a feast" in hud(view, 1, side=1).input
    for built in (hud(view, 2, side=1), hud(view, 1, 2, side=1)):
        assert "they planned a feast" not in built.input
    assert "older: 2\n" not in hud(view, 2, side=1).input
    assert "older" not in hud(view, 2, side=1).input.split("--- Room:")[1].split("NOW")[0]


def a_summary(first: int, last: int) -> Checkpoint:
    return Checkpoint(
        id=CheckpointId(1),
        room_id=AgentId(1),
        first_message_id=MessageId(first),
        last_message_id=MessageId(last),
        text="they planned a feast",
        created_at=START,
    )


class Costs:
    """A format in which a line costs three and its words, a reply fifty more, and a day's line five."""

    day_tokens = 5

    def message_tokens(self, message: Message) -> int:
        return 3 + len(message.content.split()) + (50 if message.reply_to else 0)


COSTS = cast(Format, Costs())


def line(id: int, words: int = 7, *, days: int = 0, reply_to: int | None = None) -> Message:
    said = None if reply_to is None else MessageId(reply_to)
    return factories.message(id, "word " * words, sent_at=START + timedelta(days=days, seconds=id), reply_to=said)


def backlog(*messages: Message, cut_off: bool = False) -> Backlog:
    return Backlog(messages or [line(id) for id in range(1, 11)], COSTS, cut_off=cut_off)


def chosen(seen: Backlog, share: int, start: int = 0) -> list[int]:
    return [int(one.id) for one in choose(seen, share, MessageId(start), WordTokenizer(), COSTS).messages]


def test_a_backlog_costs_its_lines_and_one_line_for_each_day() -> None:
    assert backlog().wanted(1_000) == 10 * 10 + 5
    assert backlog().wanted(25) == 3 * 10 + 5  # counted no further than it is asked
    two_days = (line(1), line(2), line(3), line(4, days=1), line(5, days=1))
    assert backlog(*two_days).wanted(1_000) == 5 * 10 + 2 * 5
    for first in (5, 15, 25, 35):
        counted_on = backlog(*two_days)
        counted_on.count_until(first)
        assert counted_on.wanted(1_000) == 60


def test_of_nothing_nothing_is_wanted() -> None:
    empty = Backlog((), COSTS)
    assert (empty.wanted(10), empty.least(), empty.fitting(10), empty.window(0)) == (0, 0, 0, Window((), 0))
    assert chosen(empty, 100) == []


def test_as_many_fit_as_cost_no_more_with_the_line_of_their_day() -> None:
    assert [backlog().fitting(limit) for limit in (4, 14, 15, 24, 25, 104, 105, 999)] == [0, 0, 1, 1, 2, 9, 10, 10]
    assert [backlog().has_longer_than(share) for share in (14, 15)] == [True, False]
    seen = backlog()
    seen.count_until(25)
    assert seen.window(2) == Window((line(9), line(10)), 25)


def test_for_the_newest_message_there_is_always_room_for_its_beginning_and_end() -> None:
    for newest, least in (
        (line(1), 10),
        (line(1, words=57), 60),
        (line(1, words=58), 60),
        (line(1, words=900), 60),
        (line(1, words=10, reply_to=9), 63),
        (line(1, words=30, reply_to=9), 73),
    ):
        assert backlog(line(0, words=999), newest).least() == least + 5


def test_a_window_keeps_its_start_while_it_fits_and_fills_a_third_of_its_share() -> None:
    assert chosen(backlog(), 105) == list(range(1, 11))
    assert chosen(backlog(), 104, start=5) == [5, 6, 7, 8, 9, 10]
    assert chosen(backlog(), 104, start=2) == list(range(2, 11))
    anew = [4, 5, 6, 7, 8, 9, 10]  # three quarters of 104
    assert chosen(backlog(), 104) == chosen(backlog(), 104, start=1) == chosen(backlog(), 104, start=9) == anew
    assert chosen(backlog(), 100, start=8) == [8, 9, 10]
    assert chosen(backlog(), 101, start=8) == anew
    assert choose(backlog(), 104, MessageId(5), WordTokenizer(), COSTS).tokens == 65


def test_where_older_ones_were_not_read_the_start_leaves_a_quarter_free_among_those_that_were() -> None:
    assert chosen(backlog(cut_off=True), 105) == [3, 4, 5, 6, 7, 8, 9, 10]
    assert chosen(backlog(cut_off=True), 105, start=2) == list(range(2, 11))


def test_however_little_a_room_gets_its_newest_message_is_shown() -> None:
    assert chosen(backlog(), 15) == [10]


def test_the_middle_of_what_is_longer_than_the_share_is_left_out_to_half_of_it() -> None:
    for share, least, most in ((100, 40, 60), (300, 100, 150)):
        window = choose(backlog(line(1), line(2), line(3, words=400)), share, MessageId(0), WordTokenizer(), COSTS)
        assert [one.id for one in window.messages] == [1, 2, 3]
        assert least < COSTS.message_tokens(window.messages[-1]) <= most
        assert "left out" in window.messages[-1].content
        assert window.tokens <= share
        assert window.messages[:2] == (line(1), line(2))


def test_a_long_message_that_cannot_come_into_the_window_is_not_touched() -> None:
    seen = backlog(line(0, words=500), *(line(id) for id in range(1, 30)))
    assert chosen(seen, 100) == list(range(23, 30))
    both = backlog(line(1, words=500), *(line(id) for id in range(2, 30)), line(30, words=500))
    window = choose(both, 100, MessageId(0), WordTokenizer(), COSTS)
    assert [one.id for one in window.messages][-2:] == [29, 30]
    assert [one.id for one in window.messages if "left out" in one.content] == [30]


def test_of_a_message_whose_frame_alone_takes_nearly_the_share_hardly_a_word_is_shown() -> None:
    window = choose(backlog(line(1, words=100, reply_to=9)), 60, MessageId(0), WordTokenizer(), COSTS)
    (shown,) = window.messages
    assert shown.reply_to == 9
    assert window.tokens <= 60
    assert choose(backlog(line(1)), 9, MessageId(0), WordTokenizer(), COSTS).tokens <= 9
