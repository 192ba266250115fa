"""Forms for text that is too long for a command's line."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

import discord

from bot.client import SelfroomClient
from bot.core.errors import Rejected
from bot.core.kinds import AgentType
from bot.core.names import LONGEST_ALIAS, MOST_ALIASES
from bot.core.records import AgentId, WholeAgent
from bot.core.templates import Template

FORM_CHARACTERS = 4_000  # Discord's limit of one field
OFFERED_SECONDS = 840.0  # Discord lets an answer that only one person sees be used for 15 minutes
Interaction = discord.Interaction[SelfroomClient]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An agent as a person describes it; with an id it is one that is there already."""

    name: str
    prompt: str
    type: AgentType
    agent_id: AgentId | None = None
    model: str | None = None
    temperature: float | None = None
    aliases: tuple[str, ...] = ()

    @classmethod
    def started(cls, name: str, prompt: str, type: AgentType, start: Template | None, model: str | None) -> Self:
        """Begin a new agent, from a template if there is one."""
        if start is None:
            return cls(name=name, prompt=prompt, type=type, model=model)
        return cls(name=name or start.name, prompt=prompt or start.prompt, type=start.type, model=model)

    @classmethod
    def of(cls, agent: WholeAgent) -> Self:
        """Begin with an agent as it is."""
        return cls(
            name=agent.name,
            prompt=agent.prompt,
            type=agent.type,
            agent_id=agent.id,
            model=agent.model,
            temperature=agent.temperature,
            aliases=agent.aliases,
        )


Filled = Callable[[Interaction, Draft], Awaitable[None]]
Written = Callable[[Interaction, str], Awaitable[None]]


class Form(discord.ui.Modal):
    """A form whose errors are worded as for commands; what was written into it is kept and offered again."""

    def anew(self) -> "Form":
        """Give the same form as it was before anybody wrote into it."""
        raise NotImplementedError

    def again(self) -> "Form":
        """Give the form once more with what was written into it."""
        form = self.anew()
        for written, field in zip(_texts(self), _texts(form), strict=True):
            field.default = written.value
        return form

    async def on_error(self, interaction: Interaction, error: Exception) -> None:  # type: ignore[override]
        """Let the client word the error, with a way back to what was written."""
        await interaction.client.explain(interaction, error, offered=Offer(self))


class Offer(discord.ui.View):
    """Opens a form again that came to nothing."""

    def __init__(self, form: Form) -> None:
        super().__init__(timeout=OFFERED_SECONDS)
        self._form = form

    @discord.ui.button(label="Open the form again", style=discord.ButtonStyle.primary)
    async def open(self, interaction: Interaction, _: discord.ui.Button["Offer"]) -> None:
        """Show what was written, to be mended."""
        await interaction.response.send_modal(self._form.again())


def _texts(form: Form) -> list[discord.ui.TextInput[Form]]:
    return [one for one in form.children if isinstance(one, discord.ui.TextInput)]


class AgentForm(Form):
    """What an agent is; `filled` is called with what was written. A longer prompt than fits comes as a file."""

    name: discord.ui.TextInput["AgentForm"] = discord.ui.TextInput(label="Name", max_length=50, required=False)
    prompt: discord.ui.TextInput["AgentForm"] = discord.ui.TextInput(
        label="Who is it, or what does it do?", style=discord.TextStyle.paragraph, max_length=FORM_CHARACTERS
    )
    model: discord.ui.TextInput["AgentForm"] = discord.ui.TextInput(label="Model", max_length=100, required=False)
    temperature: discord.ui.TextInput["AgentForm"] = discord.ui.TextInput(
        label="Temperature (0.0 to 2.0)", max_length=5, required=False
    )
    aliases: discord.ui.TextInput["AgentForm"] = discord.ui.TextInput(
        label="Other names it listens to, with commas", max_length=300, required=False
    )

    def __init__(self, draft: Draft, filled: Filled) -> None:
        super().__init__(title=f"Change {draft.name}"[:45] if draft.agent_id else f"Make a {draft.type}")
        self._draft = draft
        self._filled = filled
        self.name.default = draft.name
        self.name.required = draft.type is AgentType.PERSONA  # a bot has a name of its own accord
        self.prompt.default = draft.prompt[:FORM_CHARACTERS]
        self.model.default = draft.model or ""
        if draft.agent_id is None:  # few questions for a beginning
            self.remove_item(self.temperature)
            self.remove_item(self.aliases)
        else:
            self.temperature.default = "" if draft.temperature is None else f"{draft.temperature:g}"
            self.aliases.default = ", ".join(draft.aliases)

    def anew(self) -> "AgentForm":
        """Give the form as it began."""
        return AgentForm(self._draft, self._filled)

    async def on_submit(self, interaction: Interaction) -> None:  # type: ignore[override]
        """Hand on what was filled in."""
        whole = self._draft.prompt
        prompt = whole if self.prompt.value == whole[:FORM_CHARACTERS].strip() else self.prompt.value
        written = replace(self._draft, name=self.name.value, prompt=prompt, model=self.model.value or None)
        if self._draft.agent_id is not None:
            aliases = aliases_of(self.aliases.value)
            written = replace(written, temperature=temperature_of(self.temperature.value), aliases=aliases)
        await self._filled(interaction, written)


class TextForm(Form):
    """One text; `written` is called with it."""

    def __init__(self, title: str, label: str, *, start: str, longest: int, written: Written) -> None:
        super().__init__(title=title[:45])
        self._anew = partial(TextForm, title, label, start=start, longest=longest, written=written)
        self._written = written
        self.text: discord.ui.TextInput[TextForm] = discord.ui.TextInput(
            label=label[:45],
            style=discord.TextStyle.paragraph,
            required=False,
            default=start[:longest],
            max_length=longest,
        )
        self.add_item(self.text)

    def anew(self) -> "TextForm":
        """Give the form as it began."""
        return self._anew()

    async def on_submit(self, interaction: Interaction) -> None:  # type: ignore[override]
        """Hand on what was written."""
        await self._written(interaction, self.text.value.strip())


def aliases_of(text: str) -> tuple[str, ...]:
    """Read other names with commas between them; raises Rejected when they are too many or too long."""
    aliases = tuple(word.strip() for word in text.split(",") if word.strip())
    if len(aliases) > MOST_ALIASES or any(len(alias) > LONGEST_ALIAS for alias in aliases):
        raise Rejected(f"Give at most {MOST_ALIASES} other names, each of at most {LONGEST_ALIAS} characters.")
    return aliases


def temperature_of(text: str) -> float | None:
    """Read a temperature; raises Rejected when it is no number."""
    if not text.strip():
        return None
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        raise Rejected("The temperature is a number from 0.0 to 2.0, such as 0.7.") from None
