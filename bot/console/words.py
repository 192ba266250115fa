"""What the console's page says, in the reader's language: the sentences of its scripts, from the catalogues."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.core.kinds import Doing, State, Visibility
from bot.languages import LANGUAGES, locale_of, translation, translations

SAID: Final = re.compile(r'\b(?:t|word)\(\s*"((?:[^"\\]|\\.)*)"')
COUNTED: Final = re.compile(r'\bcounted\([^"]*?,\s*"([\w -]+)"')
SHOWN: Final = re.compile(r'<[^<>]*\bdata-say\b[^<>]*?(?:placeholder="([^"]*)"[^<>]*)?>([^<]*)')
Said = tuple[str, str]  # in English, and its plural if it has one


def said_in(paths: Iterable[Path]) -> Iterator[Said]:
    """Give what scripts and pages say, each with its plural, in the order in which it stands there."""
    for path in sorted(paths):
        text = path.read_text()
        if path.suffix == ".html":
            yield from ((one[1] or one[2].strip(), "") for one in SHOWN.finditer(text))
        else:
            yield from ((json.loads(f'"{one}"'), "") for one in SAID.findall(text))
            yield from ((f"{{number}} {one}", f"{{number}} {one}s") for one in COUNTED.findall(text))


def pages(page: Path, shared: Path) -> list[Path]:
    """Give the files of the console's page, and those that it shares, which say something."""
    return [*page.rglob("*.js"), *page.rglob("*.html"), *shared.rglob("*.js")]


def words(page: Path, shared: Path) -> Handler:
    """Give what answers with the words for who asks, by what their browser says of their languages."""

    @cache
    def told(locale: str) -> Mapping[str, object]:
        found: dict[str, object] = {}
        for one, many in said_in(pages(page, shared)):
            found[one] = translations(locale, one, many) if many else translation(locale, one)
        found |= {one.value: translation(locale, one.value) for one in (*State, *Visibility, *Doing)}
        return {"language": LANGUAGES.get(locale, "en"), "words": {one: it for one, it in found.items() if it}}

    async def give(request: web.Request) -> web.Response:
        return web.json_response(told(locale_of(request.headers.get("Accept-Language", ""))))

    return give
