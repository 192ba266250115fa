"""A server's own model provider: the form that takes its key, and who reads the rooms in words that show none."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

import discord

from bot.core.models import Api, OwnProvider, Source
from bot.core.sentences import Sentence
from cogs.ui.forms import Form, Interaction
from cogs.ui.texts import label

OPENAI, REMOVE = "OpenAI", "remove ours"
TOLD_EVERY_SECONDS = 4.0
SHOWN_FAILURES = 6
Use = Literal["OpenAI", "Claude", "Gemini", "another server", "remove ours"]
NATIVE: Mapping[Use, tuple[Api, str]] = {
    "OpenAI": ("responses", ""),
    "Claude": ("anthropic", "claude"),
    "Gemini": ("gemini", "gemini"),
}
ASKED: Mapping[Api, str] = {
    "responses": Sentence("the Responses API"),
    "chat": "Chat Completions",
    "anthropic": Sentence("Anthropic's own API"),
    "gemini": Sentence("Google's own API"),
}
VENDORS: Mapping[Api, str] = {"anthropic": "Anthropic", "gemini": "Google"}
Yes = Literal["yes", "no"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """What a manager wrote into the form; the key is shown nowhere."""

    provider: OwnProvider
    key: str
    model: str

    def __repr__(self) -> str:
        return f"Brought({self.provider!r}, model={self.model!r})"


Filled = Callable[[Interaction, Brought], Awaitable[None]]


class ProviderForm(Form):
    """Asks for the address, the key and a model to try; `filled` is called with what was written."""

    def __init__(self, provider: OwnProvider, model: str, filled: Filled) -> None:
        super().__init__(title=Sentence("Bring a model provider"))
        self._model = model
        self._provider = provider
        self._filled = filled
        is_native = provider.base_url is None
        self.base_url: discord.ui.TextInput[ProviderForm] = discord.ui.TextInput(
            placeholder="https://api.example.com/v1", max_length=300
        )
        if not is_native:
            self.add_item(discord.ui.Label(text=Sentence("Base URL"), component=self.base_url))
        self.key: discord.ui.TextInput[ProviderForm] = discord.ui.TextInput(max_length=500, required=is_native)
        self.add_item(discord.ui.Label(text=Sentence("Key (nobody sees it again)"), component=self.key))
        self.model: discord.ui.TextInput[ProviderForm] = discord.ui.TextInput(max_length=100, default=model)
        self.add_item(discord.ui.Label(text=Sentence("Model of new agents"), component=self.model))
        self.prefix: discord.ui.TextInput[ProviderForm] = discord.ui.TextInput(
            placeholder="ours", max_length=20, required=False, default=provider.prefix
        )
        prefix = Sentence("Prefix of its models (empty: all models)")
        self.add_item(discord.ui.Label(text=prefix, component=self.prefix))

    def anew(self) -> "ProviderForm":
        """Give the form as it began."""
        return ProviderForm(self._provider, self._model, self._filled)

    def again(self) -> Form:
        """Give the form once more with what was written into it, but for the key, which nobody sees again."""
        form = super().again()
        if isinstance(form, ProviderForm):
            form.key.default = None
        return form

    async def on_submit(self, interaction: Interaction) -> None:  # type: ignore[override]
        """Hand on what was written."""
        base_url = None if self._provider.base_url is None else self.base_url.value
        provider = replace(self._provider, base_url=base_url, prefix=self.prefix.value)
        await self._filled(interaction, Brought(provider=provider, key=self.key.value, model=self.model.value))


def started(use: Use, api: Api | None, structured: Yes | None, free: Yes | None) -> OwnProvider:
    """Begin a provider from the command's options: what is left out is what most servers of its kind have."""
    native = NATIVE.get(use)
    asked, prefix = native or ("chat", "")
    return OwnProvider(
        base_url=None if native else "",
        api=asked if native and asked in VENDORS else api or asked,
        prefix=prefix,
        structured=structured != "no",
        free=free == "yes",
    )


def readers(source: Source, own: OwnProvider | None) -> list[str]:
    """Give who reads what is said in rooms and whose key that costs, a line each."""
    if source.missing:
        return [Sentence.joined("❌ ", source.missing)]
    whose = Sentence("this server's own key") if source.own else Sentence("the key of whoever runs Selfroom")
    lines: list[str] = [
        Sentence(
            "✅ What is said in rooms is read by models at {address}, with {whose}: `/setup provider` changes that.",
            address=source.address,
            whose=whose,
        )
    ]
    if own is not None and own.prefix and not source.own:
        where = own.base_url or VENDORS.get(own.api, OPENAI)
        lines.append(
            Sentence(
                "✅ Models named `{prefix}/…` are asked at {where}, with this server's own key.",
                prefix=own.prefix,
                where=where,
            )
        )
    return lines


def described(own: OwnProvider | None) -> str:
    """Tell how the server's own provider is asked, without its key."""
    if own is None:
        return Sentence("This server has brought no provider of its own: choose one under `use`.")
    held = Sentence("held to a schema") if own.structured else Sentence("told the format in words")
    cost = Sentence("booked as free") if own.free else Sentence("booked at list price")
    where = own.base_url or VENDORS.get(own.api, OPENAI)
    told = Sentence(
        "Its own provider ({where}) is asked through {api}, {held} and {cost}. Its key is sealed.",
        where=where,
        api=ASKED[own.api],
        held=held,
        cost=cost,
    )
    return Sentence.joined(told, " ", own.pace_told)


def card_text(lines: Sequence[str], failed: Sequence[str], kept: str) -> str:
    """Give what a trial found, and the first of what did not go as it should."""
    head, *rows = lines
    table = "\n".join(rows)
    odd = [f"-# {label(one)}" for one in failed[:SHOWN_FAILURES]]
    odd += [f"-# and {len(failed) - SHOWN_FAILURES} more"] if len(failed) > SHOWN_FAILURES else []
    return "\n".join(filter(None, [f"**{label(head)}**", f"```\n{table}\n```", *odd, kept]))[:2_000]


class Told:
    """Tells a person how far something is, in the answer they wait for, as long as Discord lets that be changed."""

    def __init__(self, interaction: Interaction) -> None:
        self._interaction = interaction
        self._next = 0.0

    async def tell(self, done: int, total: int, what: str) -> None:
        """Say how far it is, every few seconds."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + TOLD_EVERY_SECONDS
        with suppress(discord.HTTPException):  # it is told again, and at the end in any case
            await self._interaction.edit_original_response(content=f"⏳ {done} of {total}: {what}")
