"""How large a picture says it is, from its first bytes: no more of what strangers send is looked at."""

MOST_SEGMENTS = 100  # what cameras and editors put before a JPEG's size
SIZED = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}  # the segments of a JPEG that begin with its size
Size = tuple[int, int]


def size_of(data: bytes) -> Size | None:
    """Give width and height in pixels of a PNG, GIF, WebP or JPEG; None when it does not tell."""
    match data[:4]:
        case b"\x89PNG" if data[12:16] == b"IHDR" and len(data) >= 24:
            return _big(data[16:20]), _big(data[20:24])
        case b"GIF8" if len(data) >= 10:
            return _little(data[6:8]), _little(data[8:10])
        case b"RIFF" if data[8:12] == b"WEBP" and len(data) >= 30:
            return _of_webp(data)
        case _ if data[:2] == b"\xff\xd8":
            return _of_jpeg(data)
    return None


def _of_webp(data: bytes) -> Size | None:
    match data[12:16]:
        case b"VP8X":
            return _little(data[24:27]) + 1, _little(data[27:30]) + 1
        case b"VP8L":
            both = _little(data[21:25])
            return (both & 0x3FFF) + 1, (both >> 14 & 0x3FFF) + 1
        case b"VP8 ":
            return _little(data[26:28]) & 0x3FFF, _little(data[28:30]) & 0x3FFF
    return None


def _of_jpeg(data: bytes) -> Size | None:
    start = 2
    for _ in range(MOST_SEGMENTS):
        head = data[start : start + 9]
        if len(head) < 9 or head[0] != 0xFF:
            return None
        if head[1] in SIZED:
            return _big(head[7:9]), _big(head[5:7])
        start += 2 + _big(head[2:4])
    return None


def _big(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")
