"""The focus as it is shown: the fuller it is, the shorter."""

from datetime import timedelta

from bot.core.hud.focus import ABBREVIATED, FULL, LEAST, MINIMAL, shown_focus
from bot.core.plan import with_lines, with_strategy
from bot.core.records import Feeling, Focus, Json, Plan
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
