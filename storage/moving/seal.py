"""An archive's seal: who has the secret wrote it so, and nobody has changed it since. Only then do its keys open."""

import hmac
import json
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from bot.core.ports import Cipher

MANIFEST = "manifest.json"
SEAL = "seal"
PIECE_BYTES = 1_000_000


def fingerprint(archive: zipfile.ZipFile, manifest: Mapping[str, Any]) -> str:
    """Give what tells an archive from any other; reads all of it, and raises BadZipFile where it is damaged."""
    about = {name: value for name, value in manifest.items() if name != SEAL}
    whole = sha256(json.dumps(about, sort_keys=True).encode())
    for info in sorted(archive.infolist(), key=lambda info: info.filename):
        with archive.open(info) as file:
            if info.filename == MANIFEST:
                continue
            whole.update(f"\n{json.dumps(info.filename)} {info.file_size}\n".encode())
            while piece := file.read(PIECE_BYTES):
                whole.update(piece)
    return f"archive/{whole.hexdigest()}"  # longer than any key, whose digests are made alike


def seal(cipher: Cipher, fingerprint: str) -> str:
    """Seal an archive as it is."""
    return cipher.digest(fingerprint).hex()


def is_sealed(cipher: Cipher, fingerprint: str, manifest: Mapping[str, Any]) -> bool:
    """Tell whether the archive's seal was made with one of our secrets, for all that is in it."""
    given = str(manifest.get(SEAL, ""))
    return any(hmac.compare_digest(one.hex().encode(), given.encode()) for one in cipher.digests(fingerprint))
