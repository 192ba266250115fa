"""Points are read back as they were written, and an edge is called after what made it."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from bot.core.timelines.changes import PublicEvent, Settings
from bot.core.timelines.records import NOW, POINT, AtMessage, AtStep, AtTime, Edge, Point, Status, edge_of

BELL = PublicEvent(room_id=1, text="The bell rings.")


@pytest.mark.parametrize(
    "point",
    [NOW, AtMessage(message_id=3), AtTime(at=datetime(2026, 11, 20, tzinfo=UTC)), AtStep(scene_id=2, step=0)],
)
def test_a_point_is_read_back_as_it_was_written(point: Point) -> None:
    assert POINT.validate_json(POINT.dump_json(point)) == point


def test_a_time_without_a_zone_is_no_point() -> None:
    with pytest.raises(ValidationError):
        POINT.validate_python({"kind": "time", "at": "2026-11-20T10:00:00"})


def test_a_single_change_names_the_edge_and_several_are_a_branch() -> None:
    assert edge_of((BELL,)) is Edge.PUBLIC_EVENT
    assert edge_of((BELL, Settings(values={"banter": 3}))) is Edge.BRANCH


def test_what_is_queued_or_runs_may_still_change() -> None:
    assert [status for status in Status if not status.is_over] == [Status.QUEUED, Status.RUNNING]
