"""What Selfroom says in the reader's language: gettext catalogues, each read when somebody first asks for it.

A message's id is its English sentence, in which values stand as `{name}`.
"""

import hashlib
from functools import cache
from gettext import GNUTranslations
from importlib.resources import files
from io import BytesIO
from typing import Final

from bot.core.sentences import Sentence

COMMAND, OPTION, CHOICE, MENU = "command", "option", "choice", "menu"  # contexts: one word may be two in a language
LOCKED: Final = "🔒 "  # before what a command does that is for managers alone, in a group that others are offered too
LANGUAGES: Final = {"de": "de", "fr": "fr", "es-ES": "es", "es-419": "es", "pt-BR": "pt_BR", "ja": "ja"}
"""By Discord's locales, the catalogues that there are."""
MOST_ACCEPTED: Final = 10  # languages of a browser that are looked at


def translation(locale: str, message: str, context: str = "") -> str | None:
    """Give a message in the language of a locale; None where no catalogue has it."""
    language = LANGUAGES.get(locale)
    if language is None:
        return None
    catalogue = _catalogue(language)
    found = catalogue.pgettext(context, message) if context else catalogue.gettext(message)
    return None if found == message else found


def translations(locale: str, one: str, many: str) -> tuple[str, str] | None:
    """Give what is said of one and of several in the language of a locale; None where no catalogue has it."""
    language = LANGUAGES.get(locale)
    if language is None:
        return None
    found = tuple(_catalogue(language).ngettext(one, many, number) for number in (1, 2))
    return None if found == (one, many) else (found[0], found[1])


def locale_of(accepted: str) -> str:
    """Give the locale that a browser likes best (`Accept-Language`) of those that there are; empty: English."""
    for one in accepted.split(",")[:MOST_ACCEPTED]:
        tag = one.partition(";")[0].strip().casefold()
        if tag.startswith("en"):
            return ""
        for locale in LANGUAGES:
            if tag.partition("-")[0] == locale.partition("-")[0]:
                return locale
    return ""


def spoken(text: str, locale: str) -> str:
    """Say a sentence in the language of a locale, and any other text, or what no catalogue has, as it is."""
    language = LANGUAGES.get(locale)
    if language is None or not isinstance(text, Sentence):
        return str(text)
    if text.parts or not text.english:  # by no words a catalogue knows its own head
        return "".join(spoken(part, locale) for part in text.parts)
    catalogue, many = _catalogue(language), text.many
    said = catalogue.ngettext(text.english, many, int(text.number)) if many else catalogue.gettext(text.english)
    values = {name: spoken(one, locale) if isinstance(one, str) else one for name, one in text.values.items()}
    return said.format(**values) if values else said


def command_path(path: str, locale: str) -> str:
    """Give the names that lead to a command as they read in a language."""
    return " ".join(translation(locale, name, COMMAND) or name for name in path.split())


@cache
def fingerprint() -> str:
    """Give what changes whenever a catalogue does."""
    texts = [(files(__name__) / f"{language}.po").read_bytes() for language in sorted(set(LANGUAGES.values()))]
    return hashlib.sha256(b"".join(texts)).hexdigest()


@cache
def _catalogue(language: str) -> GNUTranslations:
    from babel.messages.mofile import write_mo  # a tenth of a second that only who reads another language waits for
    from babel.messages.pofile import read_po

    compiled = BytesIO()
    with (files(__name__) / f"{language}.po").open("rb") as file:
        write_mo(compiled, read_po(file))
    compiled.seek(0)
    return GNUTranslations(compiled)
