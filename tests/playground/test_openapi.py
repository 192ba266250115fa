"""The check against Discord's description finds what does not fit, and nothing else."""

import pytest

from bot.playground.rest import undone
from bot.playground.rest.exchange import Exchange
from bot.playground.server import api_routes
from tests.playground.openapi import DESCRIPTION, MISSING, OpenApiCheck, exchange

pytestmark = pytest.mark.skipif(not DESCRIPTION.exists(), reason=MISSING)

BUTTON = {"type": 2, "style": 1, "label": "Go", "custom_id": "go"}


def faults(seen: Exchange) -> list[str]:
    check = OpenApiCheck()
    check(seen)
    return check.violations


def test_a_fitting_answer_passes() -> None:
    assert faults(exchange("GET", "/gateway", response={"url": "ws://127.0.0.1"})) == []


def test_a_missing_field_is_found() -> None:
    assert "url" in faults(exchange("GET", "/gateway", response={}))[0]


def test_a_wrong_type_deep_inside_is_found_with_its_place() -> None:
    rows = [{"type": 1, "components": [BUTTON | {"label": 5}]}]
    found = faults(exchange("POST", "/channels/1/messages", status=400, request={}, response={"code": "x"}))
    assert "code" in "".join(found)
    sent = exchange("POST", "/channels/1/messages", request={"components": rows}, response={})
    assert "$.components[0].components[0].label" in faults(sent)[0]


def test_a_status_nobody_described_is_found() -> None:
    assert faults(exchange("GET", "/gateway", status=201, response={"url": "x"})) != []


def test_a_body_where_none_belongs_is_found() -> None:
    seen = exchange("DELETE", "/channels/1/messages/2", status=204, response={"oops": True})
    assert "there should be no body" in faults(seen)[0]


def test_every_route_is_described_or_named_as_one_of_peoples() -> None:
    check = OpenApiCheck()
    for route in set(api_routes()) - set(undone.routes):
        path = route.path.replace("{", "").replace("}", "")
        check(exchange(route.method, path, status=400, response={"code": 0, "message": "no"}))
    assert check.violations == []
