"""Knowledge, focus, actions and times as they are shown."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.hud.focus import ABBREVIATED, FULL, LEAST, MINIMAL, shown_focus
from bot.core.hud.knowledge import Known, leaves
from bot.core.hud.recent_actions import action_line, shown_action
from bot.core.hud.wording import NEVER, fill_status, focus_tier, local_time, percent, size, time_since
from bot.core.plan import with_lines, with_strategy
from bot.core.records import ActionRecord, Feeling, Focus, Json, Plan
from bot.tokens import o200k
from tests.fakes import START

FULL_FOCUS = Focus(
    current_task="task",
    key_decisions=tuple(f"decision {i}" for i in range(10)),
    active_files=tuple(f"file {i}" for i in range(15)),
    notes=tuple(f"note {i}" for i in range(20)),
    blockers=("rain",),
    next_steps=tuple(f"step {i}" for i in range(10)),
    compacted_context="s" * 900,
    updated_at=START,
)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 seconds"), (1, "1 second"), (30, "30 seconds"), (60, "1 minute"), (125, "2 minutes"), (3_600, "1 hour"),
        (9_000, "2.5 hours"), (7_200, "2 hours"), (3 * 86_400, "3 days"), (-5, "0 seconds"),
    ],
)  # fmt: skip
def test_times_are_worded_as_people_say_them(seconds: float, words: str) -> None:
    assert time_since(START, START + timedelta(seconds=seconds)) == words


def test_who_never_spoke_has_just_joined() -> None:
    assert time_since(None, START) == NEVER == "never (just joined)"


def test_the_communitys_own_time_is_shown_where_it_is_another() -> None:
    assert local_time(START, "Europe/Vienna") == "11:00"
    assert local_time(START, "UTC") == local_time(START, "Nowhere/Atall") == ""


@pytest.mark.parametrize(
    ("fill", "tier", "word"),
    [(69, 0, "ok"), (70, 1, "abbreviated"), (80, 2, "WARNING"), (95, 2, "CRITICAL"), (300, 2, "CRITICAL")],
)
def test_one_scale_holds_everywhere(fill: int, tier: int, word: str) -> None:
    assert focus_tier(fill) == tier
    assert fill_status(fill).startswith(word)


def test_sizes_and_percentages_are_short() -> None:
    assert [size(number) for number in (12, 2_048, 3_300_000)] == ["12 B", "2 KB", "3.1 MB"]
    assert [percent(1, 3), percent(0, 0)] == [33, 100]


def focus_at(tier: int, hours: float = 1) -> dict[str, Json]:
    return shown_focus(FULL_FOCUS, tier, now=START + timedelta(hours=hours), stale_hours=24)


def test_a_full_focus_shows_all_and_shortens_the_summary() -> None:
    shown = focus_at(FULL)
    assert [len(shown[name]) for name in ("keyDecisions", "activeFiles", "notes", "nextSteps")] == [10, 15, 20, 10]  # type: ignore[arg-type]
    assert len(str(shown["compactedContext"])) == 500


def test_an_abbreviated_focus_shows_the_first_few_with_the_counts_of_the_rest() -> None:
    shown = focus_at(ABBREVIATED)
    assert shown["keyDecisions"] == [f"decision {i}" for i in range(5)]
    assert (shown["activeFilesMore"], shown["notesMore"], shown["nextStepsMore"]) == (10, 17, 7)


def test_a_minimal_focus_shows_task_counts_blockers_and_a_hint() -> None:
    shown = focus_at(MINIMAL)
    assert "notes" not in shown and shown["notesMore"] == 20
    assert (shown["currentTask"], shown["blockers"]) == ("task", ["rain"])
    assert len(str(shown["compactedContext"])) == 200
    assert "hud(section)" in str(shown["hint"])


def test_a_plan_is_shown_by_the_tiers_of_the_focus_and_not_at_all_where_there_is_none() -> None:
    plan = with_lines(Plan(), "goals", ["sell fish", "[x] rest", "[>] row out", "mend the net"])
    plan = with_strategy(with_lines(plan, "milestones", ["a boat", "a net", "a crew", "a harbour"]), "slowly")
    felt = tuple(Feeling(emotion="joy", why=f"wave {number}", at=START) for number in range(9))

    def at(tier: int) -> dict[str, Json]:
        return shown_focus(Focus(plan=plan, feelings=felt), tier, now=START, stale_hours=24)

    assert at(FULL)["goals"] == ["3 current: row out", "1: sell fish", "4: mend the net", "2 done: rest"]
    assert (at(FULL)["strategy"], len(at(FULL)["feelings"])) == ("slowly", 5)  # type: ignore[arg-type]
    assert (at(ABBREVIATED)["goalsMore"], at(ABBREVIATED)["milestonesMore"]) == (1, 1)
    assert (at(MINIMAL)["goals"], at(MINIMAL)["goalsMore"]) == (["3 current: row out"], 3)
    assert at(MINIMAL)["milestonesMore"] == 4 and "strategy" not in at(MINIMAL)
    assert at(MINIMAL)["feelings"] == ["2026-11-20 10:00:00 joy: wave 8"]
    assert at(LEAST) == {}
    assert shown_focus(Focus(plan=Plan(last_id=7)), FULL, now=START, stale_hours=24) == {}


def test_a_focus_tells_its_age_and_goes_stale_after_a_day() -> None:
    assert focus_at(FULL)["age"] == "1 hour"
    assert "stale" not in focus_at(FULL)
    assert focus_at(FULL, hours=25)["stale"] is True
    assert shown_focus(Focus(), FULL, now=START, stale_hours=24) == {}


def test_knowledge_is_shown_by_paths_that_set_takes() -> None:
    knowledge: dict[str, Json] = {
        "people": {"Ann Lee": {"trust": 0.8}, "a.b": [1, "x"]},
        "mood": {"v": "calm", "w": 0.9},
        "empty": {},
    }
    lines = [leaf.line for leaf in leaves(knowledge)]
    assert lines == [
        'people."Ann Lee".trust: 0.8\n',
        'people."a.b": [1, "x"]\n',
        'mood: "calm" (w 0.9)\n',
        "empty: {}\n",
    ]


trees: st.SearchStrategy[dict[str, Json]] = st.dictionaries(
    st.text(min_size=1, max_size=5),
    st.recursive(
        st.integers() | st.text(max_size=9), lambda inner: st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_size=4,
)


@settings(deadline=None)  # the vocabulary may have to be read first
@given(trees, st.integers(0, 60))
def test_what_fits_is_shown_in_its_place_and_the_rest_is_named(knowledge: dict[str, Json], most: int) -> None:
    kept, hidden = Known(o200k(), knowledge).weightiest(most)
    assert Known(o200k(), kept).tokens <= most
    assert len(list(leaves(kept))) + len(hidden) == len(list(leaves(knowledge)))
    everything, nothing = Known(o200k(), knowledge).weightiest(10_000)
    assert (everything, nothing) == (knowledge, ())


def test_actions_are_shown_shortened_with_their_result_or_why_not() -> None:
    set_ = ActionRecord(type="set", at=START, parameters={"path": "people.Bob.trust", "value": 0.8, "w": 0.5})
    said = ActionRecord(type="send_message", at=START, parameters={"room_id": 8, "message": "x" * 500}, result="said")
    no = ActionRecord(type="leave_room", at=START, parameters={}, accepted=False, why="It is your own\nroom.")
    assert action_line(shown_action(set_)) == "[2026-11-20 10:00:00] set: people.Bob.trust = 0.8, w 0.5\n"
    assert action_line(shown_action(said)).endswith('xx…" -> said\n')
    assert len(action_line(shown_action(said))) < 200
    assert action_line(shown_action(no)) == "[2026-11-20 10:00:00] leave_room -> rejected: It is your own\\nroom.\n"
