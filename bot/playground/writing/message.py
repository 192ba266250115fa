"""What a message may say, in a form."""

from dataclasses import dataclass
from typing import Annotated, Required, TypedDict

from bot.playground.forms import Anything, Choice, ListOf, Number, Snowflake, Text, Undone, Whole, wrong
from bot.playground.kinds import Reference

LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Nonce:
    """Text or a number, of at most 25 characters."""

    def read(self, value: object) -> object:
        """Give it as it is."""
        if isinstance(value, bool) or not isinstance(value, int | str) or len(str(value)) > 25:
            raise wrong("NONCE_TYPE_TOO_LONG", "A nonce is text or a number, of at most 25 characters.")
        return value


class AllowedMentions(TypedDict, total=False):
    """Whom a message may mention."""

    parse: Annotated[list[str], ListOf(0, 3, Choice("users", "roles", "everyone"))]
    users: Annotated[list[Snowflake], ListOf(0, 100)]
    roles: Annotated[list[Snowflake], ListOf(0, 100)]
    replied_user: bool


class ReferenceForm(TypedDict, total=False):
    """The message that is answered or forwarded."""

    type: Annotated[int, Choice(*Reference)]
    message_id: Required[Snowflake]
    channel_id: Snowflake
    guild_id: Snowflake
    fail_if_not_exists: bool


class FileForm(TypedDict, total=False):
    """A file that came along, or one that is to stay; of that, bots send back all they know."""

    id: Required[Snowflake]
    filename: Annotated[str, Text(0, 1024)]
    description: Annotated[str, Text(0, 1024)]
    is_spoiler: bool
    spoiler: bool
    title: Annotated[object, Anything()]
    size: Annotated[object, Anything()]
    url: Annotated[object, Anything()]
    proxy_url: Annotated[object, Anything()]
    width: Annotated[object, Anything()]
    height: Annotated[object, Anything()]
    content_type: Annotated[object, Anything()]
    ephemeral: Annotated[object, Anything()]
    duration_secs: Annotated[float | None, Number(0, 2**31 - 1)]
    waveform: Annotated[str | None, Text(0, 400)]


class MessageForm(TypedDict, total=False):
    """A message; embeds and components are looked at together with the rest of it."""

    content: Annotated[str | None, Text(0, LONGEST)]
    embeds: Annotated[object, Anything()]
    components: Annotated[object, Anything()]
    attachments: Annotated[list[FileForm] | None, ListOf(0, 10)]
    allowed_mentions: AllowedMentions
    message_reference: ReferenceForm
    flags: Annotated[int, Whole(0, 1 << 53)]
    tts: bool
    nonce: Annotated[int | str, Nonce()]
    enforce_nonce: bool
    sticker_ids: Annotated[object, Undone()]
    poll: Annotated[object, Undone()]
    shared_client_theme: Annotated[object, Undone()]
