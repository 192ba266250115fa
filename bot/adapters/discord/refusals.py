"""What Discord's refusals and a broken line mean for a letter."""

from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
import discord
from discord import app_commands
from pydantic import ValidationError

from bot.core.answer_items import told_of
from bot.core.errors import ChannelGone, FateUnknown, Forbidden, Gone, Invalid, Limited, PublishError, SelfroomError
from bot.core.sentences import Sentence

UNKNOWN_CHANNEL, UNKNOWN_WEBHOOK, BAD_WEBHOOK_TOKEN = 10003, 10015, 50027
THREAD_ARCHIVED = 50083
FULL = {  # what a person has to make room for first
    30007: "the channel has all the webhooks it can have: delete one under Edit Channel, Integrations",
    30013: "the server has all the channels it can have: delete some",
    30016: "the server has all the webhooks it can have: delete some",
}


class WebhookGone(Gone):
    """The webhook was deleted or its token changed: another one is made."""


class ThreadArchived(Invalid):
    """The thread has to be opened again first."""


def refusal(status: int, code: int, text: str, doing: str) -> PublishError:
    """Give the error for an answer of Discord that is not a success (429 aside)."""
    said = text or f"status {status}"
    if code in (UNKNOWN_WEBHOOK, BAD_WEBHOOK_TOKEN):
        return WebhookGone(f"I cannot {doing}: my webhook is gone.")
    if code == THREAD_ARCHIVED:
        return ThreadArchived(f"I cannot {doing}: the thread is archived.")
    if code in FULL:
        return Forbidden(f"I cannot {doing}: {FULL[code]}.")
    if status >= 500:
        return FateUnknown(f"Discord failed ({status}) while I tried to {doing}; I look whether it happened.")
    if status in (401, 403):
        return Forbidden(f"Discord does not let me {doing} ({said}): give Selfroom's role that permission there.")
    if status == 404:
        gone = ChannelGone if code == UNKNOWN_CHANNEL else Gone
        return gone(f"I cannot {doing}: it is not there any more ({said}).")
    return Invalid(f"Discord does not take it when I {doing} ({said}).")


@contextmanager
def worded(doing: str) -> Iterator[None]:
    """Turn what discord.py raises in the block into PublishError's children; `doing` completes "I cannot …"."""
    try:
        yield
    except discord.RateLimited as error:
        raise Limited(f"Discord wants me to {doing} later.", retry_after_seconds=error.retry_after) from error
    except discord.HTTPException as error:
        if error.status == 429:
            raise Limited(f"Discord wants me to {doing} later.", retry_after_seconds=10.0) from error
        raise refusal(error.status, error.code, error.text, doing) from error
    except (TimeoutError, aiohttp.ClientError, OSError) as error:
        raise FateUnknown(f"The line to Discord broke while I tried to {doing}; I look whether it happened.") from error


def without_commands(error: BaseException) -> str:
    """Word why Discord did not take the commands of a server, and what to do."""
    match error:
        case discord.Forbidden():
            return "invite the bot again with the scope applications.commands, then restart Selfroom"
        case discord.HTTPException(status=status, code=code) if status < 500:
            return f"Discord refuses them ({status}, code {code}): the whole reason is in the log file"
    return "Discord fails at it just now: they are tried again when Selfroom connects anew"


def explained(error: BaseException) -> str | None:
    """Give the sentence for a person whose command failed; None when only the log can tell."""
    match error:
        case SelfroomError():
            return error.sentence
        case ValidationError():
            return told_of(error)
        case app_commands.CommandOnCooldown(retry_after=seconds):
            return Sentence("That was quick: try again in {seconds} s.", seconds=max(1, round(seconds)))
        case app_commands.TransformerError():
            cause = error.__cause__
            return (
                cause.sentence
                if isinstance(cause, SelfroomError)
                else Sentence(
                    "“{error}” is not what is asked for: choose from the list that comes up.", error=error.value
                )
            )
        case app_commands.CommandNotFound() | app_commands.CommandSignatureMismatch():
            return Sentence("This command has changed: press Ctrl+R in Discord and try again.")
        case app_commands.CheckFailure():
            return Sentence("You may not do that here: ask someone who may manage this server.")
    return _discords(error)


def _discords(error: BaseException) -> str | None:
    """Give the sentence for what Discord itself refused or failed at."""
    match error:
        case discord.Forbidden():
            return Sentence("Discord does not let me do that ({text}): look at my role's permissions.", text=error.text)
        case discord.NotFound():
            return Sentence("That is not there any more on Discord ({text}): look again and retry.", text=error.text)
        case discord.RateLimited():
            return Sentence(
                "Discord asks me to slow down: try again in {retry_after} s.",
                retry_after=max(1, round(error.retry_after)),
            )
        case discord.DiscordServerError() | aiohttp.ClientError():
            return Sentence("Discord itself fails just now: look whether it was done, and try again in a minute.")
    return None
