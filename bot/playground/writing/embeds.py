"""Embeds: their limits, and the fields that Discord adds."""

from bot.playground.errors import invalid
from bot.playground.forms import Anything, Fields, ListOf, Moment, Text, Thing, Truth, Url, Whole, fitted
from bot.playground.rows import Json

TOTAL = 6000

# What Discord adds comes back from bots that change an embed they have read; it is made anew.
ADDED = ("type", "proxy_url", "proxy_icon_url", "width", "height", "flags", "content_type", "placeholder")
added: Fields = dict.fromkeys((*ADDED, "placeholder_version", "content_scan_version"), Anything())
picture = Thing({**added, "url": Url()}, ("url",))
field = Thing({"name": Text(1, 256), "value": Text(1, 1024), "inline": Truth()}, ("name", "value"))
EMBED = Thing(
    {
        **added,
        "provider": Anything(),
        "video": Anything(),
        "title": Text(0, 256),
        "description": Text(0, 4096),
        "url": Url(),
        "timestamp": Moment(),
        "color": Whole(0, 0xFFFFFF),
        "footer": Thing({**added, "text": Text(1, 2048), "icon_url": Url()}, ("text",)),
        "author": Thing({**added, "name": Text(1, 256), "url": Url(), "icon_url": Url()}, ("name",)),
        "image": picture,
        "thumbnail": picture,
        "fields": ListOf(item=field),
    }
)
EMBEDS = ListOf(0, 10, EMBED)


def read_embeds(given: object) -> list[Json]:
    """Give the embeds as they are kept; raises ApiError when one is too large."""
    embeds: list[Json] = fitted(EMBEDS, given, "embeds")
    if sum(map(_length, embeds)) > TOTAL:
        raise invalid("embeds", "MAX_EMBED_SIZE_EXCEEDED", f"Embed size exceeds maximum size of {TOTAL}")
    for embed in embeds:
        _complete(embed)
    return embeds


def _complete(embed: Json) -> None:
    embed["type"] = "rich"
    for name in ("footer", "author"):
        part = embed.get(name, {})
        if "icon_url" in part:
            part["proxy_icon_url"] = part["icon_url"]
    for name in ("image", "thumbnail"):
        if name in embed:
            embed[name] |= {"proxy_url": embed[name]["url"], "width": 0, "height": 0}
    for entry in embed.get("fields", ()):
        entry.setdefault("inline", False)


def _length(embed: Json) -> int:
    texts = [embed.get("title", ""), embed.get("description", ""), embed.get("footer", {}).get("text", "")]
    texts.append(embed.get("author", {}).get("name", ""))
    texts += [text for entry in embed.get("fields", ()) for text in (entry["name"], entry["value"])]
    return sum(map(len, texts))
