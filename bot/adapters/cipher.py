"""Secrets at rest: encrypted with Fernet (AES and HMAC), found by a keyed digest."""

import base64
import hashlib
import hmac
import os
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from bot.core.errors import BadSetting

SHORTEST_SECRET = 16
DRAWN_BYTES = 32


class FernetCipher:
    """`bot.core.ports.Cipher`: two keys are drawn from one secret, one to encrypt and one to digest."""

    def __init__(self, secret: str) -> None:
        if len(secret) < SHORTEST_SECRET:
            raise BadSetting(f"The secret is too short: give at least {SHORTEST_SECRET} characters.")
        self._fernet = Fernet(base64.urlsafe_b64encode(_derived(secret, b"selfroom encrypt")))
        self._digest_key = _derived(secret, b"selfroom digest")

    def encrypt(self, secret: str) -> bytes:
        """Give the ciphertext, another one each time."""
        return self._fernet.encrypt(secret.encode())

    def decrypt(self, ciphertext: bytes) -> str:
        """Give the secret back; raises BadSetting when it was encrypted with another secret."""
        try:
            return self._fernet.decrypt(ciphertext).decode()
        except InvalidToken as error:
            raise BadSetting("A stored key cannot be read: the secret is not the one it was encrypted with.") from error

    def digest(self, secret: str) -> bytes:
        """Give the 32 bytes by which the secret can be found."""
        return hmac.new(self._digest_key, secret.encode(), hashlib.sha256).digest()


def open_cipher(data_dir: Path, secret: str | None = None) -> FernetCipher:
    """Make the cipher from a secret of the settings, or from the one kept in the data directory."""
    return FernetCipher(secret or secret_from(data_dir / "secret"))


def secret_from(path: Path) -> str:
    """Read the installation's secret, or draw one into a file that only its owner can read; raises BadSetting."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return _read(path) if path.exists() else _drawn(path)
    except OSError as error:
        raise BadSetting(f"The secret cannot be kept in {path}: {error.strerror}.") from error


def _drawn(path: Path) -> str:
    secret = base64.urlsafe_b64encode(os.urandom(DRAWN_BYTES)).decode()
    # Whoever starts first makes the file whole under another name; a link never shows half of it.
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secret)
        os.link(fresh, path)
    except FileExistsError:
        return _read(path)
    finally:
        fresh.unlink()
    return secret


def _read(path: Path) -> str:
    try:
        secret = path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadSetting(f"The secret in {path} cannot be read: check the file and its rights.") from error
    if not secret:
        raise BadSetting(f"The secret in {path} is empty: restore it from a backup (stored keys need it).")
    return secret


def _derived(secret: str, purpose: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(secret.encode())
