"""How roles and overwrites add up."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bot.playground.permissions import ALL, Permission, base_permissions, with_overwrites

P = Permission
VIEW_AND_WRITE = int(P.VIEW_CHANNEL | P.SEND_MESSAGES)


def overwrite(target: str, *, allow: int = 0, deny: int = 0) -> dict[str, Any]:
    return {"id": target, "type": 0, "allow": str(allow), "deny": str(deny)}


def effective(base: int, *overwrites: dict[str, Any], roles: tuple[str, ...] = ()) -> int:
    return with_overwrites(base, guild_id="g", user_id="u", role_ids=roles, overwrites=overwrites)


def test_roles_add_up_and_administrators_may_all() -> None:
    roles = {
        "g": {"permissions": str(int(P.VIEW_CHANNEL))},
        "a": {"permissions": str(int(P.SEND_MESSAGES))},
        "b": {"permissions": str(int(P.ADMINISTRATOR))},
    }
    assert base_permissions("g", ["a"], roles) == VIEW_AND_WRITE
    assert base_permissions("g", ["b"], roles) == ALL
    assert base_permissions("g", ["gone"], roles) == P.VIEW_CHANNEL


def test_a_member_counts_more_than_roles_and_roles_more_than_everyone() -> None:
    deny_all = overwrite("g", deny=VIEW_AND_WRITE)
    assert effective(VIEW_AND_WRITE, deny_all) == 0
    opened = effective(VIEW_AND_WRITE, deny_all, overwrite("r", allow=VIEW_AND_WRITE), roles=("r",))
    assert opened == VIEW_AND_WRITE
    shut = overwrite("u", deny=int(P.SEND_MESSAGES))
    assert effective(VIEW_AND_WRITE, shut, overwrite("r", allow=VIEW_AND_WRITE), roles=("r",)) == P.VIEW_CHANNEL


def test_among_roles_allowing_wins() -> None:
    rules = (overwrite("a", deny=int(P.SEND_MESSAGES)), overwrite("b", allow=int(P.SEND_MESSAGES)))
    assert effective(VIEW_AND_WRITE, *rules, roles=("a", "b")) == VIEW_AND_WRITE


def test_who_sees_nothing_does_nothing() -> None:
    assert effective(int(P.SEND_MESSAGES | P.ADD_REACTIONS)) == 0
    writes_not = effective(int(P.VIEW_CHANNEL | P.ATTACH_FILES | P.ADD_REACTIONS))
    assert writes_not == P.VIEW_CHANNEL | P.ADD_REACTIONS


bits = st.integers(0, ALL)
rules = st.lists(st.builds(overwrite, st.sampled_from(["g", "u", "r", "s", "x"]), allow=bits, deny=bits), max_size=6)


@given(base=bits, overwrites=rules)
def test_nothing_outside_allows_is_gained(base: int, overwrites: list[dict[str, Any]]) -> None:
    got = effective(base, *overwrites, roles=("r", "s"))
    if base & P.ADMINISTRATOR:
        assert got == ALL
        return
    allowed = base
    for rule in overwrites:
        if rule["id"] != "x":
            allowed |= int(rule["allow"])
    assert got & ~allowed == 0
    assert got == 0 or got & P.VIEW_CHANNEL


@given(overwrites=rules)
def test_administrators_are_never_shut_out(overwrites: list[dict[str, Any]]) -> None:
    assert effective(ALL, *overwrites, roles=("r",)) == ALL
