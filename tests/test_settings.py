"""Settings are read once, and whatever is wrong with them is one sentence that says what to do."""

import re
from decimal import Decimal
from pathlib import Path

import pytest

from bot.core.config import CommunityConfig
from bot.core.errors import BadSetting
from bot.settings import Settings, load_settings

ROOT = Path(__file__).parent.parent
PLACEHOLDERS = {"DISCORD_TOKEN", "SELFROOM_SECRET", "SELFROOM_PROMPTS_FILE"}  # words or a file that is not there


@pytest.fixture(autouse=True)
def nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISCORD_TOKEN", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def read(tmp_path: Path, text: str) -> Settings:
    file = tmp_path / ".env"
    file.write_text(text, encoding="utf-8")
    return load_settings({}, file)


def test_without_anything_set_the_defaults_hold(tmp_path: Path) -> None:
    settings = load_settings({}, tmp_path / ".env")
    assert settings.discord_token is None
    assert settings.playground_port == 8808
    assert settings.defaults.usd_per_day == Decimal("1.00")
    assert settings.database.startswith("sqlite+aiosqlite:////")


def test_tokens_are_read_bare_and_never_shown(tmp_path: Path) -> None:
    settings = read(tmp_path, "DISCORD_TOKEN=tell-nobody\nOPENAI_API_KEY=sk-nor-this\n")
    assert settings.discord_token is not None
    assert settings.discord_token.get_secret_value() == "tell-nobody"
    assert "tell-nobody" not in repr(settings)
    assert "sk-nor-this" not in repr(settings)


def test_a_community_value_can_be_set_for_the_installation(tmp_path: Path) -> None:
    settings = read(tmp_path, "SELFROOM_COMMUNITY__BANTER=4\nSELFROOM_MODEL=llama3.2\n")
    assert settings.defaults.banter == 4
    assert settings.defaults.model == "llama3.2"


def test_other_providers_are_named_by_their_prefix(tmp_path: Path) -> None:
    settings = read(tmp_path, 'SELFROOM_PROVIDERS={"local": {"base_url": "http://127.0.0.1:11434/v1"}}\n')
    assert settings.providers["local"].api == "chat"


@pytest.mark.parametrize(
    ("text", "paid"),
    [
        ("", {11, 22}),  # in the playground, which it is without a token
        ("DISCORD_TOKEN=token", set()),
        ("DISCORD_TOKEN=token\nSELFROOM_SPONSORED_SERVERS=playground", set()),
        ("DISCORD_TOKEN=token\nSELFROOM_SPONSORED_SERVERS=22", {22}),
        ("SELFROOM_SPONSORED_SERVERS=*", {11, 22}),
        ("SELFROOM_SPONSORED_SERVERS=none", set()),
        ("SELFROOM_SPONSORED_SERVERS=11", {11}),
        ("SELFROOM_SPONSORED_SERVERS=11, 33", {11}),
    ],
)
def test_the_servers_that_may_spend_the_keys_are_a_list(tmp_path: Path, text: str, paid: set[int]) -> None:
    settings = read(tmp_path, f"{text}\n")
    assert {id for id in (11, 22) if settings.pays_for(id)} == paid


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SELFROOM_SPONSORED_SERVERS=our server", "ids of Discord servers with commas between them"),
        ("SELFROOM_PLAYGROUND_PORT=abc", "SELFROOM_PLAYGROUND_PORT"),
        ("SELFROOM_PLAYGROUND_PORT=70000", "SELFROOM_PLAYGROUND_PORT"),
        ("SELFROOM_PLAYGROND_PORT=1", "did you mean SELFROOM_PLAYGROUND_PORT?"),
        ("SELFROOM_COMMUNITY__BANTER=many", "SELFROOM_COMMUNITY__BANTER"),
        ("SELFROOM_COMMUNITY__BANTR=4", "SELFROOM_COMMUNITY__BANTR cannot be used: there is no such setting"),
        ("SELFROOM_OPENAI_BASE_URL=localhost:11434/v1", "must be an address that begins with http:// or https://"),
        ("SELFROOM_OPENAI_BASE_URL=http://[oops", "SELFROOM_OPENAI_BASE_URL"),
        ("SELFROOM_DISCORD_API=nonsense", "SELFROOM_DISCORD_API"),
        ("SELFROOM_DISCORD_GATEWAY=http://127.0.0.1:1", "must be an address that begins with ws:// or wss://"),
        ("SELFROOM_PROVIDERS={not json", "must be JSON"),
        (f"SELFROOM_PROVIDERS={'[' * 100_000}", "too many brackets"),
        ("SELFROOM_BACKUP_DAYS=999999999", "SELFROOM_BACKUP_DAYS cannot be used: it should be less than"),
        (
            "SELFROOM_PLAYGROUND_PORT=abc",
            "SELFROOM_PLAYGROUND_PORT cannot be used: it should be a whole number; change",
        ),
        ('SELFROOM_PROVIDERS={"a": {"base_url": "me:sk-hidden@host"}}', "must be an address"),
        ("A=1\nthis is no setting\n", "line 2"),
    ],
)
def test_a_bad_value_is_named_in_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(BadSetting) as caught:
        read(tmp_path, text)
    assert words in caught.value.sentence
    assert "\n" not in caught.value.sentence
    assert "sk-hidden" not in caught.value.sentence


def test_an_env_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_bytes(b"SELFROOM_MODEL=caf\xe9\n")
    with pytest.raises(BadSetting, match="UTF-8"):
        load_settings({}, file)


def test_a_bad_secret_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(BadSetting) as caught:
        read(tmp_path, 'SELFROOM_PROVIDERS={"a": {"api_key": "sk-hidden"}}')
    assert "sk-hidden" not in caught.value.sentence


def prompts_file(tmp_path: Path, text: str) -> Settings:
    file = tmp_path / "prompts.md"
    file.write_text(text, encoding="utf-8")
    return read(tmp_path, f"SELFROOM_PROMPTS_FILE={file}\n")


def test_a_file_of_prompts_lies_under_what_a_community_says_itself(tmp_path: Path) -> None:
    settings = prompts_file(tmp_path, "# silence\nHush.\n\n# time\nTake yours.\nAll of it.\n")
    assert settings.defaults.prompts == {"silence": "Hush.", "time": "Take yours.\nAll of it."}
    of_one = settings.defaults.overlaid({"prompts": {"silence": "Whisper."}, "floor": 3})
    assert of_one.prompts == {"silence": "Whisper.", "time": "Take yours.\nAll of it."}
    assert settings.defaults.overlaid({"floor": 3}).prompts == settings.defaults.prompts


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# silense\nHush.", "There is no prompt part 'silense': choose directives,"),
        ("# silence\n\n", "The prompt part 'silence' is empty"),
        ("# silence\n" + "x" * 901, "shorten it to 900"),
        ("Be kind.", "must begin with a heading"),
    ],
)
def test_a_file_of_prompts_that_cannot_be_used_is_one_sentence_at_start(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(BadSetting, match="SELFROOM_PROMPTS_FILE") as caught:
        prompts_file(tmp_path, text)
    assert words in caught.value.sentence
    assert "\n" not in caught.value.sentence


def test_a_file_of_prompts_that_is_not_there_is_one_sentence_at_start(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="cannot be read"):
        read(tmp_path, f"SELFROOM_PROMPTS_FILE={tmp_path / 'none.md'}\n")


def examples() -> dict[str, str]:
    """Every setting that the example names, with its example value."""
    lines = (ROOT / "deploy/example.env").read_text(encoding="utf-8").splitlines()
    found = (
        re.match(r"# ((?:SELFROOM|DISCORD|OPENAI|ANTHROPIC|GEMINI)_\w+)=(.*?)(?: {2,}\(.*)?$", line) for line in lines
    )
    return {one[1]: one[2] for one in found if one}


def test_the_example_names_every_setting_and_no_other() -> None:
    bare = {"discord_token": "DISCORD_TOKEN", "openai_api_key": "OPENAI_API_KEY"}
    bare |= {"anthropic_api_key": "ANTHROPIC_API_KEY", "gemini_api_key": "GEMINI_API_KEY"}
    names = {bare.get(name, f"SELFROOM_{name.upper()}") for name in Settings.model_fields if name != "community"}
    community = {f"SELFROOM_COMMUNITY__{name.upper()}" for name in CommunityConfig.model_fields}
    told = set(examples())
    assert names - told == set()
    assert told - names - community == set()


def test_a_default_that_the_example_shows_is_the_default(tmp_path: Path) -> None:
    untouched = Settings(_env_file=None).model_dump()
    kinds = (int, float, bool, Decimal)
    for name, value in examples().items():
        field = name.removeprefix("SELFROOM_").lower()
        of_community = field.startswith("community__")
        default = untouched["community"][field[11:]] if of_community else untouched.get(field)
        if isinstance(default, kinds) or of_community:
            read_back = read(tmp_path, f"{name}={value}\n").model_dump()
            found = read_back["community"][field[11:]] if of_community else read_back[field]
            assert found == default, name


def test_the_whole_example_can_be_used(tmp_path: Path) -> None:
    usable = {name: value for name, value in examples().items() if name not in PLACEHOLDERS}
    settings = read(tmp_path, "".join(f"{name}='{value}'\n" for name, value in usable.items()))
    assert (settings.providers["local"].base_url or "").startswith("http://")


@pytest.mark.parametrize(
    ("address", "taken"),
    [
        ("https://console.example.org", "https://console.example.org"),
        ("https://console.example.org:8443/", "https://console.example.org:8443"),
        ("http://localhost:9000", "http://localhost:9000"),
        ("http://console.example.org", None),
        ("https://example.org/console", None),
        ("https://boss@example.org", None),
        ("https://example.org?a=b", None),
        ("console.example.org", None),
    ],
)
def test_the_consoles_proxy_is_a_host_of_its_own_with_tls(tmp_path: Path, address: str, taken: str | None) -> None:
    text = f"SELFROOM_CONSOLE_PORT=8809\nSELFROOM_CONSOLE_URL={address}\n"
    if taken is None:
        with pytest.raises(BadSetting, match=r"^SELFROOM_CONSOLE_URL cannot be used: it must be"):
            read(tmp_path, text)
    else:
        assert read(tmp_path, text).console_url == taken


def test_a_proxy_without_a_port_leads_to_no_console(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="set SELFROOM_CONSOLE_PORT as well"):
        read(tmp_path, "SELFROOM_CONSOLE_URL=https://console.example.org\n")
