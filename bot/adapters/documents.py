"""Documents that people attach, as words: PDF and Word, each in a process with a bound on time and memory.

What reads them is only loaded there.
"""

import io
import logging
from collections.abc import Iterable
from pathlib import PurePath
from typing import Final, Literal

Kind = Literal["pdf", "docx"]
LARGEST_BYTES: Final = 10_000_000
MEDIA_TYPES: Final[dict[str, Kind]] = {
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
}
SUFFIXES: Final[dict[str, Kind]] = {".pdf": "pdf", ".docx": "docx"}


def kind_of(filename: str, media_type: str) -> Kind | None:
    """Tell what a file is a document of, by its type or its name; None for what is none of these."""
    return MEDIA_TYPES.get(media_type.partition(";")[0].strip()) or SUFFIXES.get(PurePath(filename).suffix.lower())


def words_of(kind: Kind, content: bytes, characters: int) -> str:
    """Give a document's first words, at most so many characters; raises what its reader raises for a broken one.

    Of a document that only its password opens, and of pictures of pages, there are none.
    """
    parts, left = list[str](), characters
    for part in _pdf(content) if kind == "pdf" else _docx(content):
        parts.append(part[:left])
        left -= len(parts[-1]) + 1
        if left <= 0:
            break
    return "\n".join(parts).strip()


def _pdf(content: bytes) -> Iterable[str]:
    from pypdf import PasswordType, PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it repeats words of what it cannot read
    reader = PdfReader(io.BytesIO(content))
    if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
        return
    for page in reader.pages:
        if text := page.extract_text().strip():
            yield text


def _docx(content: bytes) -> Iterable[str]:
    from docx import Document
    from docx.table import Table

    for block in Document(io.BytesIO(content)).iter_inner_content():
        if isinstance(block, Table):
            yield from (" | ".join(cell.text.strip() for cell in row.cells) for row in block.rows)
        elif text := block.text.strip():
            yield text
