"""Every setting can be read from what a manager types, by the same definition that holds it."""

from decimal import Decimal

import pytest

from bot.core.config import CommunityConfig
from bot.core.errors import Rejected
from bot.core.options import MATTERS, OPTIONS, bounds_of, read_option, rule_of, shown_option
from bot.core.records import Json

CONFIG = CommunityConfig()


def test_every_setting_is_there_in_words() -> None:
    assert set(OPTIONS) == set(CommunityConfig.model_fields) - {"synced_commands"}


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
        ("prompts", "[" * 100_000),
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


@pytest.mark.parametrize(
    ("name", "typed", "why"),
    [
        ("usd_per_day", "-3", "`usd_per_day` must be a number from 0 up to 10,000; `default` puts it back."),
        ("usd_per_day", "1000000", "`usd_per_day` must be a number from 0 up to 10,000; `default` puts it back."),
        ("usd_per_day", "NaN", "`usd_per_day` must be a number from 0 up to 10,000; `default` puts it back."),
        (
            "answer_tokens",
            "99999999",
            "`answer_tokens` must be a whole number from 500 up to 64,000; `default` puts it back.",
        ),
        ("hush_minutes", "0", "`hush_minutes` must be a number above 0 up to 10,080; `default` puts it back."),
        ("access", "ajar", "`access` must be open, knock or closed; `default` puts it back."),
        ("initiative", "perhaps", "`initiative` must be true or false; `default` puts it back."),
        ("category_id", "-1", "`category_id` must be what Discord gives with *Copy ID*; `default` puts it back."),
    ],
)
def test_nonsense_is_answered_with_what_fits_in_our_own_words(name: str, typed: str, why: str) -> None:
    with pytest.raises(Rejected) as caught:
        read_option(CONFIG, name, typed)
    assert str(caught.value) == why


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_every_setting_in_numbers_has_an_end_and_every_setting_a_rule(name: str) -> None:
    value = CONFIG.model_dump()[name]
    assert rule_of(name)
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        low, high = bounds_of(name)
        assert low <= value <= high < 2**53
        with pytest.raises(Rejected, match="must be a"):
            read_option(CONFIG, name, str(high + 1))


def test_what_was_kept_and_fits_no_more_is_at_its_default_and_the_rest_stands() -> None:
    kept = CONFIG.overlaid({"usd_per_day": "1000000000", "banter": 3, "answer_tokens": 99_999_999})
    assert (kept.usd_per_day, kept.banter, kept.answer_tokens) == (CONFIG.usd_per_day, 3, CONFIG.answer_tokens)


def test_every_matter_begins_with_a_setting() -> None:
    assert set(MATTERS) <= set(OPTIONS)
