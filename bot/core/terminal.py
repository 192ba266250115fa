"""What others wrote, and addresses with secrets in them, as they may stand on a terminal or in a log."""

import re
from urllib.parse import urlsplit

# All control characters but tab and line feed, marks that turn the reading direction or cannot be seen, halves of
# characters: a terminal obeys some of them, and shows others not at all.
_UNSHOWABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
_PLACE = re.compile(r"(?:[\w.-]*|\[[0-9a-fA-F:.]+\])(?::\d*)?")
HIDDEN = "…"


def visible(text: str) -> str:
    """Give text with nothing in it that a terminal would obey: such characters are written as `\\u001b`."""
    return _UNSHOWABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def without_unseen(text: str) -> str:
    """Give text without what nobody sees: it can make one word look like another."""
    return _UNSHOWABLE.sub("", text)


def in_a_line(text: str) -> str:
    """Give visible text that stays on its line, so that it passes for no other line of a log."""
    return visible(text).replace("\n", "\\n")


def without_secrets(url: str) -> str:
    """Give where a URL leads: no user, password, query or fragment, and nothing where these cannot be told apart."""
    scheme = url.partition("://")[0] if "://" in url else HIDDEN
    try:
        parts = urlsplit(url)
        places = parts.netloc.rpartition("@")[2].split(",")
    except ValueError:
        return f"{scheme}://{HIDDEN}"
    in_doubt = "@" in (parts.path if parts.netloc else "") + parts.query + parts.fragment
    if in_doubt or not all(_PLACE.fullmatch(place) for place in places):
        return f"{scheme}://{HIDDEN}"
    return f"{scheme}://{','.join(places)}{parts.path}"
