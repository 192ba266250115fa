"""Long lists, page by page."""

from hypothesis import given
from hypothesis import strategies as some

from cogs.ui.pages import PAGE_CHARACTERS, paged

LINES = some.lists(some.text(some.characters(exclude_characters="\n", codec="utf-8"), max_size=3_000), max_size=30)


@given(LINES)
def test_no_page_is_too_long_and_no_line_is_lost(lines: list[str]) -> None:
    pages = paged("Title", lines)
    assert all(len(page) <= PAGE_CHARACTERS for page in pages)
    assert all(page.startswith("Title") for page in pages)
    shown = [line for page in pages for line in page.split("\n")[1:]]
    assert shown == [line[: PAGE_CHARACTERS - 6] for line in lines]


def test_a_short_list_is_one_page() -> None:
    assert paged("Title", ["one", "two"]) == ["Title\none\ntwo"]
