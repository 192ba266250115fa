"""What is kept of a look-up: as much as the next HUD shows, however much was found."""

import json

import pytest

from bot.core.hud.lookups import fitted
from bot.core.records import Json


def entries(*texts: str) -> list[Json]:
    return [{"id": number, "content": text} for number, text in enumerate(texts)]


def test_what_fits_stays_as_it_is() -> None:
    page = entries("tea", "x" * 200)
    assert fitted(page, 400) == page


def test_the_longest_texts_lose_their_middle_and_the_short_ones_stay_whole() -> None:
    page = fitted(entries("tea", "begin " + "x" * 9_000 + " end", "cake"), 400)
    assert isinstance(page, list)
    first, long, last = (str(entry["content"]) for entry in page if isinstance(entry, dict))
    assert (first, last) == ("tea", "cake")
    assert long.startswith("begin xx")
    assert long.endswith("xx end")
    assert "characters left out" in long


@pytest.mark.parametrize(
    "value",
    [
        "x" * 90_000,
        entries(*["y" * 20_000] * 50),
        list(range(50_000)),
        {f"k{number}": number for number in range(50_000)},
        {"k" * 90_000: 1},
        [[["z" * 500] * 90] * 90] * 90,
    ],
)
@pytest.mark.parametrize("most", [100, 6_000])
def test_no_more_than_was_asked_for_is_kept_whatever_it_is(value: Json, most: int) -> None:
    assert len(json.dumps(fitted(value, most), ensure_ascii=False)) <= most * 1.25 + 100


def test_of_a_large_value_no_more_is_looked_at_than_is_kept() -> None:
    class Watched(str):
        looked_at = 0

        def __len__(self) -> int:
            Watched.looked_at += 1
            return super().__len__()

    fitted([[Watched("word")] * 100_000] * 100, 6_000)
    assert 0 < Watched.looked_at < 1_000
