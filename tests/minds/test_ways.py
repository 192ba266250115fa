"""A way of asking leaves out what it says, and nothing else."""

import json

import pytest

from bot.core.hud.prompts import PARTS
from bot.core.kinds import Detail, InputFormat
from bot.core.models import ModelCall
from tests.core.hud.golden import LUNA, garden
from tests.core.hud.test_sections import because
from tests.core.hud.worlds import hud
from tests.minds.__main__ import WHY, WITHOUT_PARTS, Way


def asked(hud_format: InputFormat, *, lean: bool) -> ModelCall:
    built = hud(garden(), LUNA, lean=lean, reasons=because(), hud_format=hud_format)
    return ModelCall(
        model="tiny",
        instructions=built.instructions,
        input=built.input,
        temperature=None,
        answer_tokens=100,
        schema=None,
        cache_key="",
    )


@pytest.mark.parametrize("lean", [False, True])
@pytest.mark.parametrize("hud_format", [InputFormat.TEXT, InputFormat.JSON])
def test_without_the_reason_all_else_is_shown(hud_format: InputFormat, *, lean: bool) -> None:
    whole = asked(hud_format, lean=lean)
    cut = Way("", Detail.FULL, without=(WHY,)).cut(whole)
    assert cut.instructions == whole.instructions
    assert "message 105" in whole.input and "message 105" not in cut.input
    if hud_format is InputFormat.JSON:
        assert json.loads(cut.input) == {key: one for key, one in json.loads(whole.input).items() if key != WHY}
    else:
        assert cut.input.splitlines() == [line for line in whole.input.splitlines() if not line.startswith("why: ")]


def test_each_part_of_the_full_view_can_be_left_out() -> None:
    whole = asked(InputFormat.TEXT, lean=False)
    for way in WITHOUT_PARTS:
        (name,) = way.without
        cut = way.cut(whole)
        assert cut.input == whole.input
        assert len(cut.instructions) == len(whole.instructions) - len(PARTS[name])
