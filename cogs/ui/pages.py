"""Long lists, page by page."""

from collections.abc import Sequence

PAGE_CHARACTERS = 1_800  # a message holds 2,000


def paged(title: str, lines: Sequence[str]) -> list[str]:
    """Put lines on pages, each under the title."""
    pages, page = [], title
    for line in lines:
        line = line[: PAGE_CHARACTERS - len(title) - 1]
        if len(page) + len(line) + 1 > PAGE_CHARACTERS and page != title:
            pages.append(page)
            page = title
        page += f"\n{line}"
    return [*pages, page]
