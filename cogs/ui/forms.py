"""Forms for text that is too long for a command's line."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

import discord

from bot.client import SelfroomClient
from bot.core.errors import Rejected
from bot.core.kinds import AgentType
from bot.core.names import LONGEST_ALIAS, MOST_ALIASES
from bot.core.records import LONGEST_MODEL, MOST_SPARES, AgentId, WholeAgent
from bot.core.sentences import Sentence
from bot.core.templates import TEMPLATES, Template
from bot.languages.shown import speak_view

FORM_CHARACTERS = 4_000  # Discord's limit of one field
ALIASES_CHARACTERS = MOST_ALIASES * (LONGEST_ALIAS + len(", "))  # a form that begins with more does not open
MOST_OPTIONS = 25
ABOUT = {name: template.about for name, template in TEMPLATES.items()}
WHO = Sentence("Who is it, or what does it do?")
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
    spare_models: tuple[str, ...] | None = None
    temperature: float | None = None
    aliases: tuple[str, ...] = ()
    picture: discord.Attachment | None = None

    def begun(self, start: Template | None) -> Self:
        """Give the draft with what a template has where nothing else is said."""
        if start is None:
            return self
        return replace(self, name=self.name or start.name, prompt=self.prompt or start.prompt, type=start.type)

    @classmethod
    def of(cls, agent: WholeAgent) -> Self:
        """Begin with an agent as it is."""
        return cls(
            name=agent.name,
            prompt=agent.prompt,
            type=agent.type,
            agent_id=agent.id,
            model=agent.model,
            spare_models=agent.spare_models,
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
        for written, field in zip(_fields(self), _fields(form), strict=True):
            if isinstance(written, discord.ui.TextInput) and isinstance(field, discord.ui.TextInput):
                field.default = written.value
            elif isinstance(written, discord.ui.Select) and isinstance(field, discord.ui.Select):
                for option in field.options:
                    option.default = option.value in written.values
        return form

    async def on_error(self, interaction: Interaction, error: Exception) -> None:  # type: ignore[override]
        """Let the client word the error, with a way back to what was written."""
        await interaction.client.explain(interaction, error, offered=Offer(self))


async def open_form(interaction: Interaction, form: Form) -> None:
    """Show a form in the language of who fills it in."""
    speak_view(form, interaction.locale.value)
    await interaction.response.send_modal(form)


class Offer(discord.ui.View):
    """Opens a form again that came to nothing."""

    def __init__(self, form: Form) -> None:
        super().__init__(timeout=OFFERED_SECONDS)
        self._form = form

    @discord.ui.button(label=Sentence("Open the form again"), style=discord.ButtonStyle.primary)
    async def open(self, interaction: Interaction, _: discord.ui.Button["Offer"]) -> None:
        """Show what was written, to be mended."""
        await open_form(interaction, self._form.again())


def _fields(form: Form) -> list[discord.ui.Item[Form]]:
    return [one.component for one in form.children if isinstance(one, discord.ui.Label)]


class NewAgentForm(Form):
    """A new agent: a template to start from, and what it is; `filled` is called with what was written."""

    def __init__(self, draft: Draft, models: Sequence[str], filled: Filled) -> None:
        super().__init__(title=Sentence("Make an agent"))
        self._draft = draft
        self._models = models
        self._filled = filled
        about = Sentence("A ready-made agent, which fills in what you leave empty below.")
        self.template = self._select(Sentence("Start from"), about, TEMPLATES, ABOUT)
        self.name: discord.ui.TextInput[NewAgentForm] = discord.ui.TextInput(
            max_length=50,
            default=draft.name,
            required=False,  # a template has one, and a bot gets one
            placeholder=Sentence("The ready-made one's own when you leave it empty"),
        )
        self.prompt: discord.ui.TextInput[NewAgentForm] = discord.ui.TextInput(
            style=discord.TextStyle.paragraph,
            max_length=FORM_CHARACTERS,
            default=draft.prompt[:FORM_CHARACTERS],
            required=False,
        )
        self.add_item(discord.ui.Label(text=Sentence("Name"), component=self.name))
        self.add_item(discord.ui.Label(text=WHO, component=self.prompt))
        self.model = self._select(
            Sentence("Model"), Sentence("The server's own when you leave it."), models, {}, chosen=draft.model
        )
        self.picture: discord.ui.FileUpload[NewAgentForm] = discord.ui.FileUpload(required=False)
        self.add_item(discord.ui.Label(text=Sentence("Picture"), component=self.picture))

    def anew(self) -> "NewAgentForm":
        """Give the form as it began."""
        return NewAgentForm(self._draft, self._models, self._filled)

    def _select(
        self, text: str, told: str, values: Iterable[str], about: Mapping[str, str], *, chosen: str | None = None
    ) -> discord.ui.Select["NewAgentForm"]:
        names = list(dict.fromkeys([*([chosen] if chosen else []), *values]))[:MOST_OPTIONS]
        options = [
            discord.SelectOption(
                label=name[:100], value=name[:100], description=about.get(name), default=name == chosen
            )
            for name in names
        ]
        select: discord.ui.Select[NewAgentForm] = discord.ui.Select(options=options, min_values=0, required=False)
        self.add_item(discord.ui.Label(text=text, description=told, component=select))
        return select

    async def on_submit(self, interaction: Interaction) -> None:  # type: ignore[override]
        """Hand on what was filled in; raises Rejected when nothing says who it is."""
        start = TEMPLATES[self.template.values[0]] if self.template.values else None
        whole = self._draft.prompt
        is_whole = bool(whole) and self.prompt.value == whole[:FORM_CHARACTERS].strip()
        written = replace(
            self._draft,
            name=self.name.value,
            prompt=whole if is_whole else self.prompt.value,
            model=self.model.values[0] if self.model.values else None,
            picture=next(iter(self.picture.values), None),
        ).begun(start)
        if not written.prompt:
            raise Rejected(Sentence("Choose who to start from, or say who it is."))
        if not written.name and written.type is AgentType.PERSONA:
            raise Rejected(Sentence("Choose who to start from, or give it a name."))
        await self._filled(interaction, written)


class AgentForm(Form):
    """An agent as it is; `filled` is called with what was written. A longer prompt than fits comes as a file."""

    def __init__(self, draft: Draft, filled: Filled) -> None:
        super().__init__(title=Sentence("Change {agent}", agent=draft.name))
        self._draft = draft
        self._filled = filled
        is_named = draft.type is AgentType.PERSONA  # a bot has a name of its own accord
        self.name = self._line(Sentence("Name"), draft.name, longest=50, required=is_named)
        self.prompt: discord.ui.TextInput[AgentForm] = discord.ui.TextInput(
            style=discord.TextStyle.paragraph,
            max_length=FORM_CHARACTERS,
            default=draft.prompt[:FORM_CHARACTERS],
        )
        self.add_item(discord.ui.Label(text=WHO, component=self.prompt))
        models = ", ".join([draft.model or "", *(draft.spare_models or ())])
        self.model = self._line(Sentence("Model, then spare ones, with commas"), models, longest=FORM_CHARACTERS)
        heat = "" if draft.temperature is None else f"{draft.temperature:g}"
        self.temperature = self._line(Sentence("Temperature (0.0 to 2.0)"), heat, longest=5)
        others = Sentence("Other names it listens to, with commas")
        self.aliases = self._line(others, ", ".join(draft.aliases), longest=ALIASES_CHARACTERS)

    def _line(
        self, text: str, start: str, *, longest: int, required: bool = False
    ) -> discord.ui.TextInput["AgentForm"]:
        line: discord.ui.TextInput[AgentForm] = discord.ui.TextInput(
            max_length=longest, default=start, required=required
        )
        self.add_item(discord.ui.Label(text=text, component=line))
        return line

    def anew(self) -> "AgentForm":
        """Give the form as it began."""
        return AgentForm(self._draft, self._filled)

    async def on_submit(self, interaction: Interaction) -> None:  # type: ignore[override]
        """Hand on what was filled in."""
        whole = self._draft.prompt
        prompt = whole if self.prompt.value == whole[:FORM_CHARACTERS].strip() else self.prompt.value
        models = models_of(self.model.value, most=1 + MOST_SPARES)
        written = replace(
            self._draft,
            name=self.name.value,
            prompt=prompt,
            model=next(iter(models), None),
            spare_models=models[1:] if models else None,
            temperature=temperature_of(self.temperature.value),
            aliases=aliases_of(self.aliases.value),
        )
        await self._filled(interaction, written)


class TextForm(Form):
    """One text; `written` is called with it."""

    def __init__(self, title: str, label: str, *, start: str, longest: int, written: Written) -> None:
        super().__init__(title=title)
        self._anew = partial(TextForm, title, label, start=start, longest=longest, written=written)
        self._written = written
        self.text: discord.ui.TextInput[TextForm] = discord.ui.TextInput(
            style=discord.TextStyle.paragraph,
            required=False,
            default=start[:longest],
            max_length=longest,
        )
        self.add_item(discord.ui.Label(text=label, component=self.text))

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
        raise Rejected(
            Sentence(
                "Give at most {most_aliases} other names, each of at most {longest_alias} characters.",
                most_aliases=MOST_ALIASES,
                longest_alias=LONGEST_ALIAS,
            )
        )
    return aliases


def models_of(text: str, *, most: int) -> tuple[str, ...]:
    """Read models with commas between them; raises Rejected when they are too many or too long."""
    models = tuple(name.strip() for name in text.split(",") if name.strip())
    if len(models) > most or any(len(name) > LONGEST_MODEL for name in models):
        raise Rejected(
            Sentence(
                "Give at most {most} models, each of at most {longest} characters.", most=most, longest=LONGEST_MODEL
            )
        )
    return models


def temperature_of(text: str) -> float | None:
    """Read a temperature; raises Rejected when it is no number."""
    if not text.strip():
        return None
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        raise Rejected(Sentence("The temperature is a number from 0.0 to 2.0, such as 0.7.")) from None
