import stat
from pathlib import Path

import pytest

from bot.adapters.cipher import FernetCipher, open_cipher, secret_from
from bot.core.errors import BadSetting

SECRET = "a secret of an installation"


def test_what_is_encrypted_reads_back_and_never_shows_the_key() -> None:
    cipher = FernetCipher(SECRET)
    sealed = cipher.encrypt("open sesame ✨")
    assert cipher.decrypt(sealed) == "open sesame ✨"
    assert b"sesame" not in sealed
    assert cipher.encrypt("open sesame ✨") != sealed


def test_a_digest_finds_the_same_key_and_depends_on_the_secret() -> None:
    cipher = FernetCipher(SECRET)
    assert cipher.digest("sesame") == FernetCipher(SECRET).digest("sesame")
    assert cipher.digest("sesame") != cipher.digest("Sesame")
    assert cipher.digest("sesame") != FernetCipher(SECRET + "!").digest("sesame")


def test_another_secret_cannot_read_what_was_stored() -> None:
    sealed = FernetCipher(SECRET).encrypt("sesame")
    with pytest.raises(BadSetting, match="not the one it was encrypted with"):
        FernetCipher("quite another secret").decrypt(sealed)


def test_a_short_secret_is_refused() -> None:
    with pytest.raises(BadSetting, match="at least 16"):
        FernetCipher("short")


def test_the_first_start_draws_a_secret_that_only_its_owner_can_read(tmp_path: Path) -> None:
    path = tmp_path / "data" / "secret"
    secret = secret_from(path)
    assert len(secret) >= 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["secret"]


def test_later_starts_read_the_same_secret(tmp_path: Path) -> None:
    assert secret_from(tmp_path / "secret") == secret_from(tmp_path / "secret")


def test_an_empty_or_broken_secret_file_is_reported_and_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("")
    with pytest.raises(BadSetting, match="empty"):
        secret_from(path)
    path.write_bytes(b"\xff\xfe\x80")
    with pytest.raises(BadSetting, match="cannot be read"):
        secret_from(path)


def test_a_place_where_nothing_can_be_kept_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadSetting, match="cannot be kept in"):
        secret_from(tmp_path / "file" / "secret")


def test_a_secret_in_the_settings_goes_before_the_file(tmp_path: Path) -> None:
    sealed = open_cipher(tmp_path).encrypt("sesame")
    assert open_cipher(tmp_path).decrypt(sealed) == "sesame"
    assert open_cipher(tmp_path, SECRET).digest("sesame") == FernetCipher(SECRET).digest("sesame")
