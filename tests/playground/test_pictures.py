"""The size of a picture comes from its first bytes, whatever a stranger calls a picture."""

import io
import struct

import pytest
from PIL import Image

from bot.playground.journal import Journal
from bot.playground.world import World
from bot.playground.writing.attachments import MOST_SEGMENTS, Upload, keep_file, size_of

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 3, 4)
SIZED = b"\xff\xc0\0\x0b\x08\0\4\0\3\1\1\x11\0"
COMMENT = b"\xff\xfe\0\3a"


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        ("PNG", {}),
        ("GIF", {}),
        ("JPEG", {}),
        ("JPEG", {"progressive": True, "comment": b"from a camera"}),
        ("WEBP", {}),
        ("WEBP", {"lossless": True}),
        ("WEBP", {"exif": b"Exif\0\0II*\0"}),
    ],
)
def test_a_picture_tells_its_size(kind: str, how: dict[str, object]) -> None:
    kept = io.BytesIO()
    Image.new("RGB", (321, 20), "teal").save(kept, kind, **how)
    assert size_of(kept.getvalue()) == (321, 20)


@pytest.mark.parametrize("kind", ["PNG", "GIF", "JPEG", "WEBP"])
def test_a_picture_that_is_cut_off_anywhere_is_no_error(kind: str) -> None:
    kept = io.BytesIO()
    Image.new("RGB", (3, 4)).save(kept, kind)
    for length in range(60):
        assert size_of(kept.getvalue()[:length]) in (None, (3, 4))


def test_only_so_many_segments_of_a_picture_are_looked_at() -> None:
    assert size_of(b"\xff\xd8" + COMMENT * (MOST_SEGMENTS - 1) + SIZED) == (3, 4)
    assert size_of(b"\xff\xd8" + COMMENT * MOST_SEGMENTS + SIZED) is None


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 3 4\n%%EndComments\n", None),
        (b"P6 3 4 255 " + b"x" * 36, None),
        (PNG + b"\x08\0\0\0\0" + b"\0\0\0\0" + b"\0\0\0\4tEXtabcd" * 3, (3, 4)),
    ],
)
def test_no_other_format_is_tried_and_nothing_behind_the_size_is_read(
    data: bytes, size: tuple[int, int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Image, "open", lambda *_: pytest.fail("a library of many formats read what a stranger sent"))
    world = World(Journal(None), cdn_url="http://127.0.0.1/cdn", gateway_url="ws://127.0.0.1/gateway")
    kept = keep_file(world, "1", Upload(slot=0, name="a.png", content_type="image/png", data=data))
    assert (kept.get("width"), kept.get("height")) == (size or (None, None))
