"""`/playground`: what the page asks beside Discord's routes: to find what was said, and colours for code."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from typing import Annotated, TypedDict

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Comment, Generic, Keyword, Name, Number, String, is_token_subtype
from pygments.util import ClassNotFound

from bot.playground.call import Call
from bot.playground.forms import Choice, Snowflake, Text
from bot.playground.permissions import Permission
from bot.playground.rest.routes import Routes
from bot.playground.rows import Json
from bot.playground.shapes.message import show_author, show_message
from bot.playground.world import World

routes = Routes(limited=False)

PAGE = 25
READ_AT_ONCE = 250
LONGEST_CODE = 4_000
COLOURING_SECONDS = 0.05
# tried with code that is written to take long: of the hundreds of others many do
LANGUAGES = {
    *("bash", "c", "c++", "cpp", "cs", "csharp", "css", "diff", "go", "html", "java", "javascript", "js", "json"),
    *("kotlin", "kt", "lua", "markdown", "md", "php", "py", "python", "rb", "rs", "ruby", "rust", "sh", "sql"),
    *("swift", "toml", "ts", "typescript", "xml", "yaml", "yml"),
}
ASIDE = ThreadPoolExecutor(1, "colours")  # to know a language takes a quarter of a second at first
LONG_RUN = re.compile(r"(.)\1{199}|\s{200}", re.DOTALL)  # some lexers go through one again and again in a word
REMEMBERED = 500
KINDS = {
    "comment": (Comment,),
    "keyword": (Keyword, Name.Tag),
    "string": (String, Generic.Inserted),
    "number": (Number, Generic.Deleted),
    "name": (Name.Function, Name.Class, Name.Builtin, Name.Decorator, Name.Attribute, Generic.Heading),
}
HAS: dict[str, Callable[[Json], bool]] = {
    "link": lambda row: "http://" in row["content"] or "https://" in row["content"],
    "file": lambda row: bool(row.get("attachments")),
    "picture": lambda row: any("image" in one.get("content_type", "") for one in row.get("attachments", ())),
    "code": lambda row: "```" in row["content"],
}


class SearchQuery(TypedDict, total=False):
    """What is looked for in a server: words, who wrote it (by the name that is shown), where, with what, when."""

    words: Annotated[str, Text(0, 200)]
    by: Annotated[str, Text(0, 80)]
    channel_id: Snowflake
    has: Annotated[str, Choice(*HAS)]
    after: Snowflake
    before: Snowflake


class CodeForm(TypedDict):
    """Code, and what it is written in."""

    language: Annotated[str, Text(1, 40)]
    code: Annotated[str, Text(1, LONGEST_CODE)]


@routes.on("GET", "/guilds/{guild_id}/search")
async def search(call: Call, query: SearchQuery) -> Json:
    """Give a page of messages that fit, newest first, in channels that one may read; others have their turn between."""
    asked = query.get("channel_id")
    channels = [
        row["id"]
        for row in call.world.channels.within(call.guild()["id"]).values()
        if asked in (None, row["id"], row.get("parent_id")) and _may_read(call, row["id"])
    ]
    shown: list[Json] = []
    async for found in _found(call.world, query, channels):
        rows = [row for row in found if _may_read(call, row["channel_id"])]  # that may have changed since the beginning
        shown += [show_message(call.world, row, viewer=call.me) for row in rows[: PAGE + 1 - len(shown)]]
        if len(shown) > PAGE:
            break
    return {"messages": shown[:PAGE], "has_more": len(shown) > PAGE}


def _may_read(call: Call, channel_id: str) -> bool:
    readable = Permission.VIEW_CHANNEL | Permission.READ_MESSAGE_HISTORY
    channel = call.world.channels.get(channel_id)
    return channel is not None and call.world.permissions_in(channel, call.me) & readable == readable


async def _found(world: World, query: SearchQuery, channel_ids: list[str]) -> AsyncIterator[list[Json]]:
    words = query.get("words", "").casefold().split()
    by, fits = query.get("by", "").casefold(), HAS.get(query.get("has", ""))
    after, before = int(query.get("after", 0)), int(query.get("before", (1 << 63) - 1))

    def is_meant(row: Json) -> bool:
        content = row["content"].casefold()
        is_by = not by or by in _names(world, row)
        return is_by and all(word in content for word in words) and (fits is None or fits(row))

    while (since := world.messages.beginning_of(before=before, limit=READ_AT_ONCE)) is not None and before > after + 1:
        rows = world.messages.holding(words, channel_ids, since=max(since, after + 1), before=before)
        yield [row for row in rows if is_meant(row)]
        before = since
        await asyncio.sleep(0)


def _names(world: World, row: Json) -> list[str]:
    """Give the names under which who wrote a message is shown."""
    author = show_author(world, row)
    guild_id = world.channels.rows[row["channel_id"]]["guild_id"]
    member = {} if row.get("webhook") else world.member(guild_id, author["id"]) or {}
    return [name.casefold() for name in (author["username"], author.get("global_name"), member.get("nick")) if name]


@routes.on("POST", "/colours")
async def colours(call: Call, form: CodeForm) -> list[tuple[str, str]]:
    """Give code in pieces, each with what kind of word it is; in one piece when its language is unknown."""
    work = partial(coloured, form["language"].lower(), form["code"])
    return list(await asyncio.get_running_loop().run_in_executor(ASIDE, work))


@lru_cache(maxsize=REMEMBERED)
def coloured(language: str, code: str) -> tuple[tuple[str, str], ...]:
    """Give code in pieces, within a moment."""
    lexer = None if LONG_RUN.search(code) else _lexer(language)
    end = time.monotonic() + COLOURING_SECONDS
    pieces: list[tuple[str, str]] = []
    at = 0
    for at, token, text in lexer.get_tokens_unprocessed(code) if lexer else ():
        if time.monotonic() > end:  # some code is written to take long: what is left stays without colours
            break
        kind = next((name for name, tokens in KINDS.items() if any(is_token_subtype(token, one) for one in tokens)), "")
        before = pieces.pop()[1] if pieces and pieces[-1][0] == kind else ""
        pieces.append((kind, before + text))
        at += len(text)
    return (*pieces, ("", code[at:])) if code[at:] else tuple(pieces)


def _lexer(language: str) -> Lexer | None:
    if language not in LANGUAGES:
        return None
    for known, name in ((get_lexer_by_name, language), (get_lexer_for_filename, f"code.{language}")):
        try:
            return known(name)
        except ClassNotFound:
            continue
    return None
