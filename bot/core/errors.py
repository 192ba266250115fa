"""Errors with the sentence a person sees; the log has the details."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.core.records import Usage


class SelfroomError(Exception):
    """Something a person can be told in one sentence that says what to do."""

    @property
    def sentence(self) -> str:
        """The sentence for people; a `Sentence` that can be said in their language, where it was raised with one."""
        first = self.args[0] if self.args else ""
        return first if isinstance(first, str) else str(self)


class BadSetting(SelfroomError):
    """A setting, a file or an argument cannot be used as it is."""


class Rejected(SelfroomError):
    """An action that rules do not allow: nothing has changed."""


class TooMuch(SelfroomError):
    """Something given takes more time or memory than anything of its kind may: nothing was done with it."""

    def __init__(self, sentence: str = "That is more than can be read: give something smaller.") -> None:
        super().__init__(sentence)


class NotFound(SelfroomError):
    """What was named is not there, or not for whom asked."""


class StoreError(SelfroomError):
    """The database cannot do what was asked (full, locked, newer than the program …); nothing was written."""


class Unreadable(StoreError):
    """Rows of which no record can be made; `keys` are their primary keys, for `Writing.set_aside`."""

    def __init__(self, table: str, keys: Sequence[tuple[object, ...]]) -> None:
        super().__init__(f"Rows of {table} cannot be read: the log names them.")
        self.table = table
        self.keys = tuple(keys)


class ModelError(SelfroomError):
    """A model did not answer; the beat may be tried again later.

    `retry_after_seconds` is what the provider asked for, when it did; `usage` what was spent all the same, None where
    nobody knows (`unsure`): it may have answered, and taken money for it.
    """

    def __init__(
        self,
        sentence: str,
        *,
        retry_after_seconds: float | None = None,
        usage: "Usage | None" = None,
        unsure: bool = False,
    ) -> None:
        from bot.core.records import Usage  # `selfroom --help` has no use for all records

        super().__init__(sentence)
        self.retry_after_seconds = retry_after_seconds
        self.usage: Usage | None = None if unsure else usage or Usage()


class ModelUnreachable(ModelError):
    """Nothing answers at the provider's address, or it timed out or failed."""


class AskedAnew(ModelUnreachable):
    """The form that was asked for turned out not to be had: put otherwise the same can be asked at once."""


class ModelBusy(ModelError):
    """The provider limits how often it may be asked."""


class ModelRefused(ModelError):
    """The provider does not take the request: wrong key, unknown model, no credit, content refused."""


class Broken(ModelError):
    """Not the model failed but we: the log has the details."""


class PublishError(SelfroomError):
    """Discord did not take a letter."""


class FateUnknown(PublishError):
    """The connection broke or the server failed: the letter may or may not have been posted."""


class Forbidden(PublishError):
    """The bot lacks a permission."""


class Gone(PublishError):
    """The channel, webhook or message is not there any more."""


class ChannelGone(Gone):
    """The whole channel is not there any more."""


class Limited(PublishError):
    """Discord wants this kind of change later."""

    def __init__(self, sentence: str, *, retry_after_seconds: float) -> None:
        super().__init__(sentence)
        self.retry_after_seconds = retry_after_seconds


class Invalid(PublishError):
    """Discord will never take this letter as it is."""


def one_of(names: Sequence[str]) -> str:
    """Word a choice: `a, b or c`."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} or {names[-1]}"
