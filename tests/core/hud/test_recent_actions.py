"""Recent actions as they are shown."""

from bot.core.hud.recent_actions import action_line, shown_action
from bot.core.records import ActionRecord
from tests.fakes import START


def test_actions_are_shown_shortened_with_their_result_or_why_not() -> None:
    set_ = ActionRecord(type="set", at=START, parameters={"path": "people.Bob.trust", "value": 0.8, "w": 0.5})
    said = ActionRecord(type="send_message", at=START, parameters={"room_id": 8, "message": "x" * 500}, result="said")
    no = ActionRecord(type="leave_room", at=START, parameters={}, accepted=False, why="It is your own\nroom.")
    assert action_line(shown_action(set_)) == "[2026-11-20 10:00:00] set: people.Bob.trust = 0.8, w 0.5\n"
    assert action_line(shown_action(said)).endswith('xx…" -> said\n')
    assert len(action_line(shown_action(said))) < 200
    assert action_line(shown_action(no)) == "[2026-11-20 10:00:00] leave_room -> rejected: It is your own\\nroom.\n"
