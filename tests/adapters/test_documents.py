"""The words of documents: as much as is asked for, in order, and none of what cannot be opened."""

from zipfile import BadZipFile

import pytest
from pypdf.errors import PyPdfError

from bot.adapters.documents import kind_of, words_of
from tests.papers import docx, locked, pdf


@pytest.mark.parametrize(
    ("filename", "media_type", "kind"),
    [
        ("a.PDF", "", "pdf"),
        ("report", "application/pdf; charset=binary", "pdf"),
        ("a.docx", "application/octet-stream", "docx"),
        ("a.doc", "application/msword", None),
        ("a.txt", "text/plain", None),
    ],
)
def test_a_document_is_known_by_its_type_or_its_name(filename: str, media_type: str, kind: str | None) -> None:
    assert kind_of(filename, media_type) == kind


def test_a_pdf_is_read_page_by_page_and_no_further_than_is_asked() -> None:
    paper = pdf("The heron came at noon.", "It left (slowly) at two.", "Nobody saw it again.")
    assert words_of("pdf", paper, 500) == "The heron came at noon.\nIt left (slowly) at two.\nNobody saw it again."
    assert words_of("pdf", paper, 30) == "The heron came at noon.\nIt lef"
    assert words_of("pdf", pdf("one", "", "three"), 500) == "one\nthree"


def test_a_word_document_is_read_with_its_tables_where_they_stand() -> None:
    paper = docx("Tides", "", "of this week", rows=[("day", "cm"), ("Monday", "41")])
    assert words_of("docx", paper, 500) == "Tides\nof this week\nday | cm\nMonday | 41"
    assert words_of("docx", paper, 8) == "Tides\nof"


def test_what_only_a_password_opens_has_no_words_and_what_none_is_needed_for_has_them() -> None:
    paper = pdf("Only for you.")
    assert words_of("pdf", locked(paper, "hunter2"), 500) == ""
    assert words_of("pdf", locked(paper, ""), 500) == "Only for you."


@pytest.mark.parametrize("kind", ["pdf", "docx"])
def test_what_is_no_document_says_so(kind: str) -> None:
    with pytest.raises((PyPdfError, BadZipFile)):
        words_of(kind, b"no document at all", 500)  # type: ignore[arg-type]
