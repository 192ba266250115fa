"""What others wrote gives a terminal no orders, and an address tells no secret."""

import pytest

from bot.core.terminal import in_a_line, visible, without_secrets

ORDERS = ("\x1b[2J", "\x1b]0;owned\x07", "\x9b31m", "a\rb", "\u202egnp.exe", "a\u200bb", "\ud800", "\u2028", "\x08")


@pytest.mark.parametrize("text", ORDERS, ids=ascii)
def test_what_a_terminal_would_obey_is_written_out(text: str) -> None:
    assert visible(text).isprintable()
    assert "\\u" in visible(text)
    visible(text).encode()


def test_plain_text_in_any_script_stays_as_it_is() -> None:
    for text in ("Wren says: [red]hi[/]", "日本語 ünï 👍🏽", "one\n\ttwo"):
        assert visible(text) == text
    assert in_a_line("one\ntwo") == "one\\ntwo"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://selfroom@db:5432/selfroom", "postgresql://db:5432/selfroom"),
        ("postgresql://u:hunter2@db/x", "postgresql://db/x"),
        ("postgresql://u:hun%40ter2@db/x?sslmode=require", "postgresql://db/x"),
        ("postgresql://db/x?user=u&password=hunter2", "postgresql://db/x"),
        ("postgresql:///x?host=db&password=hunter2", "postgresql:///x"),
        ("postgresql://u:hunter2@one:5432,two:5433/x", "postgresql://one:5432,two:5433/x"),
        ("postgresql://u@db/x?password=hun@ter2", "postgresql://…"),
        ("postgresql://u:hunter2@[::1]:5432/x", "postgresql://[::1]:5432/x"),
        ("postgresql://u:hun/ter2@db/x", "postgresql://…"),
        ("postgresql://u:hun?ter2@db/x", "postgresql://…"),
        ("postgresql://u:hun#ter2@db/x", "postgresql://…"),
        ("postgresql://u:hunter2", "postgresql://…"),
        ("postgresql://u:hunter2@[db/x", "postgresql://…"),
        ("sqlite+aiosqlite:////home/me@work/selfroom.db", "sqlite+aiosqlite:////home/me@work/selfroom.db"),
        ("https://u:hunter2@models.example/v1?key=hunter2", "https://models.example/v1"),
    ],
)
def test_an_address_is_shown_without_its_secrets(url: str, shown: str) -> None:
    assert without_secrets(url) == shown
