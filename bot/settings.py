"""What whoever runs Selfroom can set: environment variables or `.env`, read once, at the door."""

import difflib
from collections.abc import Mapping
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from dotenv.parser import parse_stream
from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
from pydantic_settings.exceptions import SettingsError

from bot.core.config import CommunityConfig
from bot.core.errors import BadSetting
from bot.core.hud.prompts import check_prompts, read_prompts
from bot.core.models import Api, Ceilings

PREFIX = "SELFROOM_"
BARE = ("DISCORD_TOKEN", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY")  # read without the prefix as well
ENV_FILE = Path(".env")
SERVERS_AT_THE_CEILING = 10  # so many may spend all that one may, before all of them rest


def _checked_address(text: str, *schemes: str) -> str:
    """Refuse what is no address, before a vendor's library stumbles over it."""
    try:
        parts = urlsplit(text)
        usable = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(f"it must be an address that begins with {schemes[0]}:// or {schemes[1]}://")
    return text


WebAddress = Annotated[str, AfterValidator(lambda text: _checked_address(text, "http", "https"))]
NatsAddress = Annotated[str, AfterValidator(lambda text: _checked_address(text, "nats", "tls"))]
SocketAddress = Annotated[str, AfterValidator(lambda text: _checked_address(text, "ws", "wss"))]


def _bare_origin(text: str) -> str:
    """Take the address of a proxy before the console: TLS is its, unless it is this machine's, and no path is left."""
    parts = urlsplit(_checked_address(text, "https", "http"))
    here = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if (
        parts.path.strip("/")
        or parts.query
        or parts.fragment
        or parts.username
        or not (parts.scheme == "https" or here)
    ):
        raise ValueError("it must be the https:// address of a host of its own, with no path")
    return f"{parts.scheme}://{parts.netloc}"


ConsoleAddress = Annotated[str, AfterValidator(_bare_origin)]
Everywhere = Literal["*", "playground"]


def _servers(value: object) -> object:
    """Read ids of servers with commas between them; `*` is every server, `none` none, `playground` all in it only."""
    if value is None:
        return frozenset()
    if not isinstance(value, str) or value.strip() in ("*", "playground"):
        return value.strip() if isinstance(value, str) else value
    ids = [one.strip() for one in value.split(",")]
    if not all(one.isascii() and one.isdigit() for one in ids):
        raise ValueError("it must be *, playground, none, or ids of Discord servers with commas between them")
    return frozenset(int(one) for one in ids)


def _has_a_place(address: str) -> str:
    if not address.startswith(("http://", "https://")) or address.count("{}") != 1 or "{" in address.replace("{}", ""):
        raise ValueError("it must be an http address with {} where the id of a message belongs")
    return address


ProxyAddress = Annotated[str, AfterValidator(_has_a_place)]
PLURALKIT = {466378653216014359: "https://api.pluralkit.me/v2/messages/{}"}  # by application


class Provider(BaseModel):
    """A model server beside the first one; agents name its models as `prefix/model`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: WebAddress | None = None  # not set: where the vendor itself is
    api_key: SecretStr = SecretStr("none")
    api: Api = "chat"
    structured: bool = True

    @model_validator(mode="after")
    def _has_an_address(self) -> Self:
        if self.base_url is None and self.api in ("responses", "chat"):
            raise ValueError("a provider must have a base_url, unless its api is anthropic or gemini")
        return self


class ModelPrice(BaseModel):
    """What a model costs, in USD per million tokens; cached input costs as much as other input when left out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Decimal = Field(ge=0)
    output: Decimal = Field(ge=0)
    cached: Decimal | None = Field(default=None, ge=0)


class Settings(BaseSettings):
    """Everything that can be set for the installation; what a community can set for itself is in `community`."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=ENV_FILE,
        env_nested_delimiter="__",
        frozen=True,
        extra="ignore",
        env_ignore_empty=True,
        env_parse_none_str="none",
    )

    discord_token: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("SELFROOM_DISCORD_TOKEN", "DISCORD_TOKEN")
    )
    discord_api: WebAddress | None = None
    discord_gateway: SocketAddress | None = None
    discord_cdn: WebAddress | None = None
    proxy_services: dict[int, ProxyAddress] = PLURALKIT
    message_content: bool = True  # False: without Discord's intent, only what mentions the bot is read

    openai_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("SELFROOM_OPENAI_API_KEY", "OPENAI_API_KEY")
    )
    anthropic_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("SELFROOM_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY")
    )
    gemini_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("SELFROOM_GEMINI_API_KEY", "GEMINI_API_KEY")
    )
    openai_base_url: WebAddress | None = None
    openai_api: Literal["responses", "chat"] = "responses"
    openai_structured: bool = True
    model: str | None = None
    providers: dict[str, Provider] = {}
    model_timeout_seconds: float = Field(default=60, gt=0)  # without a word; before the first one it may take longer
    model_total_seconds: float = Field(default=300, gt=0)  # for all of an answer
    calls_per_provider: int | None = Field(default=None, ge=1)  # at once; not set: what the server does, at most 8
    timeline_worlds: int = Field(default=4, ge=1, le=16)  # nodes of what-ifs that run at once
    context_tokens: dict[str, int] = {}
    prices: dict[str, ModelPrice] = {}
    sponsored_servers: Annotated[frozenset[int] | Everywhere, NoDecode, BeforeValidator(_servers)] = "playground"
    ceiling_usd_per_day: Decimal | None = Field(default=None, ge=0)  # of each sponsored server
    ceiling_all_usd_per_day: Decimal | None = Field(default=None, ge=0)  # of all of them together
    ceiling_models: tuple[str, ...] = ()
    private_providers: bool = False  # communities may name model servers in this machine's own network

    prompts_file: Path | None = None  # what agents are told, part by part in place of our own words

    data_dir: Path = Path("data")
    database_url: str | None = None
    secret: SecretStr | None = None
    old_secrets: tuple[SecretStr, ...] = ()  # they open what they sealed, and seal nothing any more
    backup_days: int = Field(default=30, ge=1, le=3650)  # copies of the database are kept so long: people are told

    playground_port: int = Field(default=8808, ge=0, le=65535)
    playground_pace: Literal["discord", "fast", "off"] = "discord"  # of its rate limits
    face_port: int | None = Field(default=None, ge=0, le=65535)
    console_port: int | None = Field(default=None, ge=0, le=65535)  # not set: no console, outside the playground
    console_url: ConsoleAddress | None = None  # of the proxy before it
    console_hours: float = Field(default=12, gt=0, le=168)  # a session lasts
    slot_seconds: float = Field(default=1.0, gt=0, le=10)
    nats_url: NatsAddress | None = None  # of the bell between a gateway and minds
    sweep_seconds: float = Field(default=5.0, gt=0, le=60)  # after which minds look though no bell rang
    lease_seconds: float = Field(default=30, ge=2, le=600)  # after which other minds take over from one that is gone
    log_megabytes: int = Field(default=10, ge=1)
    log_files: int = Field(default=5, ge=1)
    traces_url: WebAddress | None = None  # of a collector that takes OpenTelemetry's spans over HTTP
    log_format: Literal["text", "json"] = "text"  # of the console; the files are JSON
    community: CommunityConfig = CommunityConfig()

    @cached_property
    def defaults(self) -> CommunityConfig:
        """What a community starts from; raises BadSetting when the file of prompts cannot be used."""
        own: dict[str, object] = {"model": self.model} if self.model else {}
        if self.prompts_file is not None:
            own["prompts"] = _prompts_in(self.prompts_file, self.community.prompts)
        return self.community.model_copy(update=own)

    @property
    def all_providers(self) -> dict[str, Provider]:
        """The model servers beside the first one: those that are set, and the vendors whose keys are there."""
        native: dict[str, tuple[SecretStr | None, Api]] = {
            "claude": (self.anthropic_api_key, "anthropic"),
            "gemini": (self.gemini_api_key, "gemini"),
        }
        keyed = {name: Provider(api_key=key, api=api) for name, (key, api) in native.items() if key is not None}
        return keyed | self.providers

    @property
    def is_playground(self) -> bool:
        """Whether a run starts the playground: there is no Discord token."""
        return self.discord_token is None

    @property
    def sponsored(self) -> frozenset[int] | Literal["*"]:
        """The servers that may spend the installation's own keys: in the playground all, elsewhere none by itself."""
        if self.sponsored_servers == "playground":
            return "*" if self.is_playground else frozenset()
        return self.sponsored_servers

    def pays_for(self, guild_id: int) -> bool:
        """Tell whether a server may spend the installation's own keys."""
        return self.sponsored == "*" or guild_id in self.sponsored

    @property
    def ceilings(self) -> Ceilings:
        """What the installation pays for: where that is not set, what a community starts from, and ten times that."""
        each = self.community.usd_per_day if self.ceiling_usd_per_day is None else self.ceiling_usd_per_day
        everyone = self.ceiling_all_usd_per_day
        if everyone is None and each is not None:
            everyone = each * SERVERS_AT_THE_CEILING
        return Ceilings(usd_each=each, usd_all=everyone)

    @property
    def paid_models(self) -> tuple[str, ...]:
        """The models that the installation pays for: where none are set, those that communities start from."""
        return self.ceiling_models or self.community.allowed_models

    @property
    def backups(self) -> Path:
        """The folder for copies of the database."""
        return self.data_dir / "backups"

    @property
    def timelines(self) -> Path:
        """The folder for the files of trees of timelines."""
        return self.data_dir / "timelines"

    @property
    def passes(self) -> Path:
        """The file of the tokens by which programs ask the console, as their hashes."""
        return self.data_dir / "console-tokens.json"

    @property
    def runs(self) -> Path:
        """The folder for runs without Discord, each in a folder of its own."""
        return self.data_dir / "runs"

    @property
    def database(self) -> str:
        """The database's URL: SQLite in the data folder when none is set."""
        return self.database_url or f"sqlite+aiosqlite:///{(self.data_dir / 'selfroom.db').absolute()}"


def load_settings(environment: Mapping[str, str], env_file: Path = ENV_FILE) -> Settings:
    """Read the settings; raises BadSetting with one sentence that names the value and what to do."""
    names = {*environment, *_names_in(env_file)}
    _refuse_misspelt(names)
    try:
        settings = Settings(_env_file=env_file)
        if settings.console_url is not None and settings.console_port is None:
            raise BadSetting("SELFROOM_CONSOLE_URL leads to no console: set SELFROOM_CONSOLE_PORT as well.")
        _ = settings.defaults  # so that a file of prompts that cannot be used is known now
        return settings
    except ValidationError as error:
        raise BadSetting(_sentence(error)) from error
    except SettingsError as error:
        raise BadSetting(f"A setting that holds several values must be JSON: {error}.") from error
    except RecursionError:
        raise BadSetting("A setting that holds several values has too many brackets in one another.") from None


def _prompts_in(path: Path, over: Mapping[str, str]) -> dict[str, str]:
    """Read a file of prompt parts, with others laid over them."""
    try:
        prompts = {**read_prompts(path.read_text(encoding="utf-8-sig")), **over}
        check_prompts(prompts)
        return prompts
    except (OSError, UnicodeDecodeError) as error:
        raise BadSetting(
            f"SELFROOM_PROMPTS_FILE: {path} cannot be read ({error}): name a readable UTF-8 text file."
        ) from error
    except BadSetting as error:
        raise BadSetting(f"SELFROOM_PROMPTS_FILE ({path}): {error.sentence}") from error


def _names_in(env_file: Path) -> set[str]:
    """Read the names in `.env`, refusing a file with a line that cannot be read."""
    if not env_file.is_file():
        return set()
    try:
        with env_file.open(encoding="utf-8") as stream:
            lines = list(parse_stream(stream))
    except (OSError, UnicodeDecodeError) as error:
        raise BadSetting(f"{env_file} cannot be read ({error}): make it a readable UTF-8 text file.") from error
    for line in lines:
        if line.error or (line.key and line.value is None):
            # what stands there may be a secret that was pasted without its name
            raise BadSetting(f"{env_file}, line {line.original.line} cannot be read: write NAME=value.")
    return {line.key for line in lines if line.key}


def _refuse_misspelt(names: set[str]) -> None:
    """Refuse a name with our prefix that is no setting: a typo would otherwise be ignored in silence."""
    known = {f"{PREFIX}{name}".upper() for name in Settings.model_fields}
    for name in sorted(names):
        top = name.upper().split("__")[0]
        if top.startswith(PREFIX) and top not in known:
            near = difflib.get_close_matches(top, known, 1)
            hint = f"did you mean {near[0]}?" if near else "see deploy/example.env for those there are."
            raise BadSetting(f"There is no setting {name}: {hint}")


_PLAIN = {
    "extra_forbidden": "there is no such setting",
    "int_parsing": "it should be a whole number",
    "float_parsing": "it should be a number",
    "decimal_parsing": "it should be a number",
    "bool_parsing": "it should be true or false",
}


def _sentence(error: ValidationError) -> str:
    """Word the first thing that is wrong, never showing a secret."""
    first = error.errors(include_input=False, include_url=False)[0]
    what = _PLAIN.get(first["type"]) or first["msg"].removeprefix("Value error, ")
    if what.startswith("Input "):
        what = f"it {what.removeprefix('Input ')}"
    name = "__".join(str(part) for part in first["loc"]).upper()
    full = name if name.startswith(PREFIX) or name in BARE else PREFIX + name
    return f"{full} cannot be used: {what[0].lower()}{what[1:]}; change it in the environment or in .env."
