"""The console's page speaks its reader's language, and so does what it is told."""

from pathlib import Path

import pytest

from bot.console.window import PAGE
from bot.console.words import pages, said_in
from bot.languages import LANGUAGES, locale_of, translation
from bot.playground.cdn import PAGE as SHARED
from tests.console.house import opened


@pytest.mark.parametrize(
    ("accepted", "locale"),
    [
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("fi,pt-PT;q=0.8", "pt-BR"),
        ("es", "es-ES"),
        ("en-GB,de;q=0.5", ""),
        ("", ""),
        ("*", ""),
        (";;,,q=", ""),
    ],
)
def test_of_the_languages_of_a_browser_the_first_that_there_is_is_spoken(accepted: str, locale: str) -> None:
    assert locale_of(accepted) == locale


def test_what_scripts_and_pages_say_is_found(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        '<a href="#/" data-say>Runs</a> <input data-say placeholder="A link" /> <b>Not</b>'
    )
    (tmp_path / "page.js").write_text(
        'const heads = [t("Topic"), word("idle"), t("Who says \\"it\\" in {owner}\'s room", { owner })];\n'
        'const many = counted(told.nodes.length, "node");\nconst not = part("Members", start("x"));\n'
    )
    found = list(said_in(pages(tmp_path, tmp_path / "nowhere")))
    assert found == [
        ("Runs", ""),
        ("A link", ""),
        ("Topic", ""),
        ("idle", ""),
        ('Who says "it" in {owner}\'s room', ""),
        ("{number} node", "{number} nodes"),
    ]


def test_all_that_the_page_says_is_in_every_language() -> None:
    said = [one for one, many in said_in(pages(PAGE, SHARED)) if not many]
    assert len(said) > 300
    for locale in LANGUAGES:
        same = [one for one in said if translation(locale, one) is None]
        assert len(same) < 40, same  # words that are alike in both


async def test_a_browser_is_given_the_words_of_its_language_and_refused_in_it() -> None:
    async with opened() as there:
        german, french = {"Accept-Language": "de-DE,en;q=0.5"}, {"Accept-Language": "fr"}
        status, told = await there.ask("/words", headers=german)
        assert (status, told["language"]) == (200, "de")
        assert told["words"]["Overview"] == "Übersicht"
        assert told["words"]["{number} agent"] == ["{number} Agent", "{number} Agenten"]
        assert (await there.ask("/words", headers=french))[1]["words"]["Overview"] == "Vue d'ensemble"
        assert (await there.ask("/words", headers={"Accept-Language": "en"}))[1] == {"language": "en", "words": {}}
        said = {"type": "revoke_key", "key": "nothing"}
        refusals = [
            (await there.ask("/api/v1/rooms/1/do", "POST", json=said, headers=one))[1]["detail"] for one in ({}, german)
        ]
        assert refusals[0] != refusals[1]
        assert refusals[1] == translation("de", "There is no such key.") or "Schlüssel" in refusals[1]
