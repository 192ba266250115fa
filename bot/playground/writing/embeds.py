"""Embeds: their limits, and the fields that Discord adds."""

from typing import Any

from bot.playground.errors import invalid

Json = dict[str, Any]

MOST = 10
TOTAL = 6000
LIMITS = {"title": 256, "description": 4096}
KEYS = ("title", "description", "url", "timestamp", "color")


def read_embeds(given: object) -> list[Json]:
    """Give the embeds as they are kept; raises ApiError when one is too large."""
    if not isinstance(given, list):
        raise invalid("embeds", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
    if len(given) > MOST:
        raise invalid("embeds", "BASE_TYPE_MAX_LENGTH", f"Must be {MOST} or fewer in length.")
    embeds = [_embed(embed, f"embeds.{index}") for index, embed in enumerate(given)]
    if sum(map(_length, embeds)) > TOTAL:
        raise invalid("embeds", "MAX_EMBED_SIZE_EXCEEDED", f"Embed size exceeds maximum size of {TOTAL}")
    return embeds


def _short(value: object, path: str, most: int) -> None:
    if len(str(value)) > most:
        raise invalid(path, "BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.")


def _embed(given: object, path: str) -> Json:
    if not isinstance(given, dict):
        raise invalid(path, "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
    shown: Json = {"type": "rich"} | {key: given[key] for key in KEYS if given.get(key) is not None}
    for name, most in LIMITS.items():
        _short(shown.get(name, ""), f"{path}.{name}", most)
    if footer := given.get("footer"):
        _short(footer.get("text", ""), f"{path}.footer.text", 2048)
        shown["footer"] = _with_icon(footer, "text")
    if author := given.get("author"):
        _short(author.get("name", ""), f"{path}.author.name", 256)
        shown["author"] = _with_icon(author, "name", "url")
    for name in ("image", "thumbnail"):
        if given.get(name):
            shown[name] = _picture(given[name]["url"])
    if given.get("fields"):
        shown["fields"] = _fields(given["fields"], f"{path}.fields")
    return shown


def _with_icon(given: Json, *keys: str) -> Json:
    shown = {key: given[key] for key in keys if given.get(key) is not None}
    if given.get("icon_url"):
        shown |= {"icon_url": given["icon_url"], "proxy_icon_url": given["icon_url"]}
    return shown


def _picture(url: str) -> Json:
    return {"url": url, "proxy_url": url, "width": 0, "height": 0}


def _fields(given: list[Json], path: str) -> list[Json]:
    if len(given) > 25:
        raise invalid(path, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
    for index, field in enumerate(given):
        for name, most in (("name", 256), ("value", 1024)):
            if not str(field.get(name) or "").strip():
                raise invalid(f"{path}.{index}.{name}", "BASE_TYPE_REQUIRED", "This field is required")
            _short(field[name], f"{path}.{index}.{name}", most)
    return [{"name": field["name"], "value": field["value"], "inline": bool(field.get("inline"))} for field in given]


def _length(embed: Json) -> int:
    texts = [embed.get("title", ""), embed.get("description", ""), embed.get("footer", {}).get("text", "")]
    texts.append(embed.get("author", {}).get("name", ""))
    texts += [text for field in embed.get("fields", ()) for text in (field["name"], field["value"])]
    return sum(map(len, texts))
