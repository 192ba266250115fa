"""What an agent may be called (docs/agents.md#what-an-agent-is), and its files."""

import unicodedata
from collections.abc import Iterable

LONGEST_NAME = 50
MOST_ALIASES, LONGEST_ALIAS = 10, 50  # each is looked for in every message
LONGEST_FILE_NAME = 60
TEXT_SUFFIXES = {".txt", ".md", ".py", ".js", ".ts", ".json", ".yaml", ".yml", ".toml", ".csv", ".log", ".html", ".css"}
_FORBIDDEN_MARKS = "@#:`()[]"
_BLANK = "\u115f\u1160\u3164\uffa0\u2800"  # letters and a sign without a shape
_WITHOUT_BLANK = dict.fromkeys(map(ord, _BLANK))
_RESERVED = frozenset({"system", "thearchitect", "here", "everyone"})
_TITLE = "thearchitect"  # nothing may begin so: "The Architect (@mira)" is how a manager is shown
_LOOK_ALIKE = str.maketrans(
    "АВЕЅІЈКМНОРСТУХΑΒΕΗΙΚΜΝΟΡΤΥΧавсԁеһіјоӏрѕтухαβεικονρτυχ013457",
    "ABESIJKMHOPCTYXABEHIKMNOPTYXabcdehijolpstyxabeikovptuxoieast",
)
_REFUSED_BY_DISCORD = ("clyde", "discord")


def tidied(name: str) -> str:
    """Give a name as it is kept: composed, without blank letters and spaces around it."""
    return unicodedata.normalize("NFC", name).translate(_WITHOUT_BLANK).strip()


def sameness(name: str) -> str:
    """Give the form by which two names are the same name."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def appearance(name: str) -> str:
    """Give the form by which two names look alike to a reader: letters of other scripts as those they resemble."""
    bare = unicodedata.normalize("NFKD", name).translate(_LOOK_ALIKE).casefold()
    return "".join(sign for sign in bare if _is_seen(sign))


def _is_seen(sign: str) -> bool:
    """Whether it is a letter or a digit, or a mark that makes another syllable of a letter (Indic, Thai, Kana)."""
    if sign.isalnum():
        return sign not in _BLANK
    return ("\u0900" <= sign < "\u17b4" or sign in "\u3099\u309a") and unicodedata.category(sign)[0] == "M"


def file_name(given: str) -> str:
    """Give a name that a text file may have, on any machine."""
    last = given.replace("\\", "/").rpartition("/")[2]
    safe = "".join(sign if sign.isalnum() or sign in "._- ()+" else "_" for sign in last).strip(" .")
    stem, _, ending = safe.rpartition(".")
    if stem and f".{ending.lower()}" in TEXT_SUFFIXES:
        return f"{stem[:LONGEST_FILE_NAME]}.{ending}"
    return f"{safe[:LONGEST_FILE_NAME] or 'file'}.txt"


def default_name(agent_id: int) -> str:
    """Name a bot that was given no name."""
    return f"Bot-{agent_id}"


def name_problem(name: str, taken: Iterable[str] = ()) -> str:
    """Tell in one sentence why an agent cannot have this (tidied) name; nothing when it can."""
    if not 1 <= len(name) <= LONGEST_NAME:
        return f"A name has 1 to {LONGEST_NAME} characters."
    same = sameness(name)
    if not name.isprintable() or not same:
        return "A name is one line of visible characters."
    if any(mark in same for mark in _FORBIDDEN_MARKS):
        return "A name has no @, #, :, backtick or bracket in it."
    looks = appearance(name)
    if looks in _RESERVED or looks.startswith(_TITLE) or same.isnumeric():
        return f'"{name}" is reserved: choose another name.'
    if any(word in same.replace(" ", "") for word in _REFUSED_BY_DISCORD):
        return 'Discord refuses names with "clyde" or "discord" in them: choose another.'
    if any(same == sameness(other) or looks == appearance(other) != "" for other in taken):
        return f'"{name}" is taken: choose another name.'
    return ""
