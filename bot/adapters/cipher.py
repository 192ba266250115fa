"""Secrets at rest: sealed with AES-GCM to the row they stand in, found by a keyed digest."""

import base64
import fcntl
import hashlib
import hmac
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import structlog
from cryptography.exceptions import InvalidTag
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from bot.core.errors import BadSetting

SHORTEST_SECRET = 16
DRAWN_BYTES = 32
SEALED = b"\x02"  # what is sealed to its row begins so; what was sealed before is a Fernet token
NONCE_BYTES = 12
OTHERS = stat.S_IRWXG | stat.S_IRWXO
log = structlog.get_logger(__name__)


class AesCipher:
    """`bot.core.ports.Cipher`: seals with the first secret, and opens what older ones sealed."""

    def __init__(self, secret: str, *older: str) -> None:
        if any(len(one) < SHORTEST_SECRET for one in (secret, *older)):
            raise BadSetting(f"The secret is too short: give at least {SHORTEST_SECRET} characters.")
        secrets = (secret, *older)
        self._keys = [AESGCM(_derived(one, b"selfroom seal")) for one in secrets]
        tokens = [Fernet(base64.urlsafe_b64encode(_derived(one, b"selfroom encrypt"))) for one in secrets]
        self._unbound = MultiFernet(tokens)
        self._digest_keys = [_derived(one, b"selfroom digest") for one in secrets]

    def encrypt(self, secret: str, row: str) -> bytes:
        """Give the ciphertext, another one each time, that opens for this row alone."""
        nonce = os.urandom(NONCE_BYTES)
        return SEALED + nonce + self._keys[0].encrypt(nonce, secret.encode(), row.encode())

    def decrypt(self, ciphertext: bytes, row: str) -> str:
        """Give the secret back; raises BadSetting when it was sealed with another secret or for another row."""
        if not self.is_bound(ciphertext):
            return self._open_unbound(ciphertext)
        nonce, sealed = ciphertext[1 : NONCE_BYTES + 1], ciphertext[NONCE_BYTES + 1 :]
        for key in self._keys:
            try:
                return key.decrypt(nonce, sealed, row.encode()).decode()
            except (InvalidTag, ValueError):
                continue
        raise BadSetting(
            "A stored key cannot be read: it was sealed with another secret, or for another row than it stands in."
        )

    def is_bound(self, ciphertext: bytes) -> bool:
        """Tell whether it was sealed to a row: a token of older versions opens in any."""
        return ciphertext.startswith(SEALED)

    def _open_unbound(self, ciphertext: bytes) -> str:
        try:
            return self._unbound.decrypt(ciphertext).decode()
        except InvalidToken as error:
            raise BadSetting("A stored key cannot be read: the secret is not the one it was encrypted with.") from error

    def digest(self, secret: str) -> bytes:
        """Give the 32 bytes by which the secret can be found."""
        return self.digests(secret)[0]

    def digests(self, secret: str) -> tuple[bytes, ...]:
        """Give the digests by which the secret can be found, the newest first."""
        return tuple(hmac.new(key, secret.encode(), hashlib.sha256).digest() for key in self._digest_keys)


def open_cipher(data_dir: Path, secret: str | None = None, older: tuple[str, ...] = ()) -> AesCipher:
    """Make the cipher from secrets of the settings, or from those kept in the data directory."""
    return AesCipher(secret, *older) if secret else AesCipher(*secrets_from(data_dir / "secret"), *older)


def secrets_from(path: Path) -> list[str]:
    """Read the installation's secrets, the newest first, or draw one into a file of its owner's; raises BadSetting."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _read(path) if path.exists() else _drawn(path)
    except OSError as error:
        raise BadSetting(f"The secret cannot be kept in {path}: {error.strerror}.") from error


@contextmanager
def another_secret(path: Path) -> Iterator[None]:
    """Put a new secret before those in the file, which still open what they sealed, and let nobody else do so.

    Until the block ends: of two that read the same older secrets, one would write over what the other sealed with.
    Raises BadSetting.
    """
    secrets_from(path)  # which makes the folder and the first secret
    lock = path.with_name(f"{path.name}.lock")
    with ExitStack() as held:
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
            held.callback(os.close, descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            older = secrets_from(path)
            _written(path, [_new(), *older]).replace(path)
        except BlockingIOError:
            raise BadSetting("Another `rotate-secret` is at work: wait until it has ended.") from None
        except OSError as error:
            raise BadSetting(f"The new secret cannot be kept in {path}: {error.strerror}.") from error
        yield


def _new() -> str:
    return base64.urlsafe_b64encode(os.urandom(DRAWN_BYTES)).decode()


def _drawn(path: Path) -> list[str]:
    secret = _new()
    # Whoever starts first makes the file whole under another name; a link never shows half of it.
    fresh = _written(path, [secret])
    try:
        os.link(fresh, path)
    except FileExistsError:
        return _read(path)
    finally:
        fresh.unlink()
    return [secret]


def _written(path: Path, secrets: list[str]) -> Path:
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write("\n".join(secrets))
        file.flush()
        os.fsync(file.fileno())
    return fresh


def _read(path: Path) -> list[str]:
    _keep_from_others(path)
    try:
        secrets = [line.strip() for line in path.read_text().splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise BadSetting(f"The secret in {path} cannot be read: check the file and its rights.") from error
    if not secrets:
        raise BadSetting(f"The secret in {path} is empty: restore it from a backup (stored keys need it).")
    return secrets


def _keep_from_others(path: Path) -> None:
    """Take the secret from all but its owner, or refuse to use it."""
    mode = stat.S_IMODE(path.stat().st_mode)
    if not mode & OTHERS:
        return
    refused = f"The secret in {path} may be read by others (mode {mode:04o}): make it yours with `chmod 600 {path}`."
    try:
        path.chmod(0o600)
    except OSError as error:
        raise BadSetting(refused) from error
    if stat.S_IMODE(path.stat().st_mode) & OTHERS:  # some file systems know no rights
        raise BadSetting(refused)
    log.warning("others could read the secret: its file is yours alone now; `selfroom rotate-secret` draws a new one")


def _derived(secret: str, purpose: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(secret.encode())
