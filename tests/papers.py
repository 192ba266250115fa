"""Documents to read in tests: PDFs as they are written by hand, and Word's."""

import io
import zipfile
from collections.abc import Sequence

from docx import Document
from pypdf import PdfReader, PdfWriter


def pdf(*pages: str) -> bytes:
    """Write a PDF with a line on each page."""
    parts = ["<< /Type /Catalog /Pages 2 0 R >>"]
    first = 4
    kids = " ".join(f"{first + 2 * place} 0 R" for place in range(len(pages)))
    parts += [f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>"]
    parts += ["<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    for place, line in enumerate(pages):
        shown = line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        stream = f"BT /F1 12 Tf 72 720 Td ({shown}) Tj ET"
        page = f"/Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {first + 2 * place + 1} 0 R"
        parts.append(f"<< {page} /Resources << /Font << /F1 3 0 R >> >> >>")
        parts.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, part in enumerate(parts, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{part}\nendobj\n".encode()
    table = len(out)
    out += f"xref\n0 {len(parts) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    out += f"trailer\n<< /Size {len(parts) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n".encode()
    return bytes(out)


def locked(content: bytes, password: str) -> bytes:
    """Encrypt a PDF."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(content)))
    writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def docx(*lines: str, rows: Sequence[Sequence[str]] = ()) -> bytes:
    """Write a document of Word's with paragraphs and a table after them."""
    made = Document()
    for line in lines:
        made.add_paragraph(line)
    if rows:
        table = made.add_table(rows=len(rows), cols=len(rows[0]))
        for row, cells in zip(table.rows, rows, strict=True):
            for cell, text in zip(row.cells, cells, strict=True):
                cell.text = text
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def bomb(megabytes: int) -> bytes:
    """Write a document of Word's that is small until it is unpacked."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx("x"))) as before, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            content = before.read(name)
            if name == "word/document.xml":
                content = content.replace(b">x<", b">" + b" " * megabytes * 1_000_000 + b"<")
            after.writestr(name, content)
    return out.getvalue()
