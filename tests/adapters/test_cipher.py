import base64
import os
import stat
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from bot.adapters.cipher import AesCipher, another_secret, open_cipher, secrets_from
from bot.core.errors import BadSetting

SECRET, LATER = "a secret of an installation", "a secret of a later year"
ROW, OTHER_ROW = "keys.ciphertext/1/5/3", "keys.ciphertext/1/5/4"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_encrypted_reads_back_and_never_shows_the_key() -> None:
    cipher = AesCipher(SECRET)
    sealed = cipher.encrypt("open sesame ✨", ROW)
    assert cipher.decrypt(sealed, ROW) == "open sesame ✨"
    assert b"sesame" not in sealed
    assert cipher.encrypt("open sesame ✨", ROW) != sealed


def test_a_ciphertext_that_is_copied_to_another_row_or_changed_does_not_open() -> None:
    cipher = AesCipher(SECRET)
    sealed = cipher.encrypt("sesame", ROW)
    for wrong in (OTHER_ROW, ROW.replace("keys.ciphertext", "providers.sealed_key"), ""):
        with pytest.raises(BadSetting, match="for another row"):
            cipher.decrypt(sealed, wrong)
    for broken in (sealed[:-1], sealed[:5], sealed[:-1] + bytes([sealed[-1] ^ 1])):
        with pytest.raises(BadSetting, match="cannot be read"):
            cipher.decrypt(broken, ROW)


def test_a_digest_finds_the_same_key_and_depends_on_the_secret() -> None:
    cipher = AesCipher(SECRET)
    assert cipher.digest("sesame") == AesCipher(SECRET).digest("sesame")
    assert cipher.digest("sesame") != cipher.digest("Sesame")
    assert cipher.digest("sesame") != AesCipher(SECRET + "!").digest("sesame")


def test_another_secret_cannot_read_what_was_stored() -> None:
    sealed = AesCipher(SECRET).encrypt("sesame", ROW)
    with pytest.raises(BadSetting, match="sealed with another secret"):
        AesCipher("quite another secret").decrypt(sealed, ROW)


def test_older_secrets_open_what_they_sealed_and_the_newest_seals() -> None:
    old, both, new = AesCipher(SECRET), AesCipher(LATER, SECRET), AesCipher(LATER)
    assert both.decrypt(old.encrypt("sesame", ROW), ROW) == "sesame"
    assert new.decrypt(both.encrypt("sesame", ROW), ROW) == "sesame"
    assert both.digests("sesame") == (new.digest("sesame"), old.digest("sesame"))


def test_what_was_sealed_before_there_were_rows_still_opens() -> None:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"selfroom encrypt").derive(SECRET.encode())
    key = base64.urlsafe_b64encode(derived)
    sealed = Fernet(key).encrypt(b"sesame")
    assert AesCipher(LATER, SECRET).decrypt(sealed, ROW) == "sesame"
    with pytest.raises(BadSetting, match="not the one it was encrypted with"):
        AesCipher(LATER).decrypt(sealed, ROW)


def test_a_short_secret_is_refused() -> None:
    with pytest.raises(BadSetting, match="at least 16"):
        AesCipher("short")
    with pytest.raises(BadSetting, match="at least 16"):
        AesCipher(SECRET, "short")


def test_the_first_start_draws_a_secret_that_only_its_owner_can_read(tmp_path: Path) -> None:
    path = tmp_path / "data" / "secret"
    (secret,) = secrets_from(path)
    assert len(secret) >= 32
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)
    assert [file.name for file in path.parent.iterdir()] == ["secret"]


def test_later_starts_read_the_same_secret(tmp_path: Path) -> None:
    assert secrets_from(tmp_path / "secret") == secrets_from(tmp_path / "secret")


def test_another_secret_is_put_before_the_older_ones(tmp_path: Path) -> None:
    (first,) = secrets_from(tmp_path / "secret")
    sealed = open_cipher(tmp_path).encrypt("sesame", ROW)
    with another_secret(tmp_path / "secret"):
        pass
    newest, older = secrets_from(tmp_path / "secret")
    assert (older, mode(tmp_path / "secret")) == (first, 0o600)
    assert newest != first
    assert open_cipher(tmp_path).decrypt(sealed, ROW) == "sesame"
    assert [file.name for file in tmp_path.iterdir() if file.name != "secret.lock"] == ["secret"]


def test_two_that_draw_a_secret_at_once_lose_none(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    with another_secret(path):
        sealed = open_cipher(tmp_path).encrypt("sesame", ROW)
        with pytest.raises(BadSetting, match="wait until it has ended"), another_secret(path):
            pytest.fail("two were let in")
    with another_secret(path):
        assert open_cipher(tmp_path).decrypt(sealed, ROW) == "sesame"
    assert len(secrets_from(path)) == 3


def test_a_secret_that_others_may_read_is_taken_from_them(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text(SECRET)
    path.chmod(0o644)
    assert secrets_from(path) == [SECRET]
    assert mode(path) == 0o600


def test_a_secret_that_cannot_be_taken_from_others_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secret"
    path.write_text(SECRET)
    path.chmod(0o640)
    told = rf"may be read by others \(mode 0640\): make it yours with `chmod 600 {path}`"
    monkeypatch.setattr(Path, "chmod", lambda *_: None)  # as on a file system that knows no rights
    with pytest.raises(BadSetting, match=told):
        secrets_from(path)

    def refuse(*_: object) -> None:
        raise PermissionError(1, os.strerror(1))

    monkeypatch.setattr(Path, "chmod", refuse)
    with pytest.raises(BadSetting, match=told):
        secrets_from(path)


def test_an_empty_or_broken_secret_file_is_reported_and_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("")
    with pytest.raises(BadSetting, match="empty"):
        secrets_from(path)
    path.write_bytes(b"\xff\xfe\x80")
    with pytest.raises(BadSetting, match="cannot be read"):
        secrets_from(path)


def test_a_place_where_nothing_can_be_kept_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadSetting, match="cannot be kept in"):
        secrets_from(tmp_path / "file" / "secret")


def test_a_secret_in_the_settings_goes_before_the_file(tmp_path: Path) -> None:
    sealed = open_cipher(tmp_path).encrypt("sesame", ROW)
    assert open_cipher(tmp_path).decrypt(sealed, ROW) == "sesame"
    assert open_cipher(tmp_path, SECRET).digest("sesame") == AesCipher(SECRET).digest("sesame")
    assert open_cipher(tmp_path, LATER, (SECRET,)).digests("x") == AesCipher(LATER, SECRET).digests("x")
