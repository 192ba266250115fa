"""How points are told."""

from bot.core.scenes.landlord.scoring import counted


def test_points_are_told_seat_by_seat_with_their_sign() -> None:
    assert counted((1, 2, 3), (4, -2, 0)) == "{s1} +4, {s2} -2, {s3} +0"
