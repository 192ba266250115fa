"""Every setting can be read from what a manager types, by the same definition that holds it."""

from decimal import Decimal

import pytest

from bot.core.config import CommunityConfig
from bot.core.errors import Rejected
from bot.core.options import INTERNAL, OPTIONS, read_option, shown_option
from bot.core.records import Json

CONFIG = CommunityConfig()


def test_every_setting_is_there_in_words() -> None:
    assert set(OPTIONS) == set(CommunityConfig.model_fields) - INTERNAL


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_what_is_shown_can_be_typed_again(name: str) -> None:
    shown = shown_option(CONFIG, name)
    if CONFIG.model_dump()[name] is None:
        assert read_option(CONFIG, name, "default") is None
        return
    again = CONFIG.overlaid({name: read_option(CONFIG, name, shown)})
    assert again == CONFIG


@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [
        ("banter", "0", 0),
        ("initiative", "yes", True),
        ("settle_seconds", "1.5", 1.5),
        ("allowed_models", "gpt-4o, local/llama3 ", ["gpt-4o", "local/llama3"]),
        ("allowed_models", "none", []),
        ("listened_bots", "81384788765712384", [81384788765712384]),
        ("moderation_model", "none", ""),
        ("usd_per_day", "2.50", "2.50"),
        ("prompts", '{"silence": "Hush."}', {"silence": "Hush."}),
        ("language", " Deutsch ", "Deutsch"),
    ],
)
def test_what_is_typed_becomes_the_value(name: str, typed: str, value: Json) -> None:
    assert read_option(CONFIG, name, typed) == value


def test_a_budget_stays_exact() -> None:
    assert CONFIG.overlaid({"usd_per_day": read_option(CONFIG, "usd_per_day", "0.10")}).usd_per_day == Decimal("0.10")


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("banter", "many"),
        ("banter", "-1"),
        ("wpm", "9"),
        ("access", "ajar"),
        ("listened_bots", "somebody"),
        ("prompts", "[1"),
        ("prompts", '{"nothing of ours": "x"}'),
        ("time_zone", "Mars/Olympus"),
        ("time_zone", "../../etc/passwd"),
        ("language", "x" * 41),
        ("synced_commands", "x"),
        ("no such", "1"),
    ],
)
def test_what_does_not_fit_is_refused(name: str, typed: str) -> None:
    with pytest.raises(Rejected):
        read_option(CONFIG, name, typed)
