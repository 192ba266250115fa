"""Whose models read the rooms, which model new agents have, and how it is tried."""

from dataclasses import replace

from discord import app_commands

from bot.core.models import MOST_CALLS_AT_ONCE, Api, OwnProvider
from bot.core.sentences import Sentence, stacked
from cogs.arguments import ModelArg
from cogs.base import Group, Interaction, guild_of, managers_only, person, wait
from cogs.ui.again import Again, with_button
from cogs.ui.forms import open_form
from cogs.ui.patience import Patience
from cogs.ui.provider import REMOVE, Brought, ProviderForm, Told, Use, Yes, card_text, described, readers, started

ASKED = Patience(10, 60.0)  # models, by one manager, where no command's cooldown counts it


class Models(Group):
    """Commands on who answers for the server's agents."""

    @app_commands.command()
    @app_commands.checks.cooldown(15, 60.0)
    async def model(self, interaction: Interaction, model: ModelArg) -> None:
        """Choose the model of new agents, after asking it one small question.

        Args:
            model: By the name its provider gives it
        """
        managers_only(interaction)
        await wait(interaction)
        told = await self.desk.providers.choose_model(guild_of(interaction), person(interaction), model)
        await self.say(interaction, told)

    @app_commands.command()
    @app_commands.checks.cooldown(15, 60.0)
    async def provider(
        self,
        interaction: Interaction,
        use: Use | None = None,
        api: Api | None = None,
        structured: Yes | None = None,
        free: Yes | None = None,
        calls_at_once: app_commands.Range[int, 1, MOST_CALLS_AT_ONCE] | None = None,
    ) -> None:
        """Show which model provider reads the rooms, or bring one of your own; a form asks for its key.

        Args:
            use: Whose models; only shown when left out
            api: How it is asked; its own for a vendor, else chat, when left out
            structured: Whether it can be held to a JSON schema; yes when left out
            free: Whether it costs nothing; no when left out
            calls_at_once: How many calls it is asked at a time; as many as it turns out to do when left out
        """
        managers_only(interaction)
        if use is None:
            await self.show_provider(interaction)
        elif use == REMOVE:
            if await self.sure(
                interaction, Sentence("Delete this server's own provider with its key?"), Sentence("Delete the key")
            ):
                await self.removed(interaction)
        else:
            await self.ask_for_key(
                interaction, replace(started(use, api, structured, free), calls_at_once=calls_at_once)
            )

    async def show_provider(self, interaction: Interaction) -> None:
        """Say who reads the rooms, never the key."""
        await wait(interaction)
        source, own = await self.desk.providers.sources(guild_of(interaction))
        view = None if source.missing else with_button(Again("setup try"), Sentence("Try its model"))
        await self.say(interaction, stacked(*readers(source, own), described(own)), view=view)

    @app_commands.command(name="try")
    @app_commands.checks.cooldown(6, 600.0)
    async def try_out(self, interaction: Interaction, model: ModelArg | None = None, set: Yes | None = None) -> None:
        """Try a model in thirty situations of this program, and see how it is best asked.

        Args:
            model: By the name its provider gives it; that of new agents when left out
            set: Have it asked so from now on, without a new trial where it was tried today
        """
        managers_only(interaction)
        await wait(interaction)
        guild_id, who = guild_of(interaction), person(interaction)
        card = self.desk.trials.kept(guild_id, model) if set == "yes" and model else None
        card = card or await self.desk.trials.run(guild_id, who, model, Told(interaction).tell)
        kept = await self.desk.trials.keep(guild_id, who, card) if set == "yes" else ""
        again = Again("setup try", (f"model={card.model}", "set=yes"))
        view = None if kept else with_button(again, Sentence("Ask it so from now on"))
        await interaction.edit_original_response(content=card_text(card.lines(), card.failed, kept), view=view)

    async def ask_for_key(self, interaction: Interaction, provider: OwnProvider) -> None:
        """Open the form, in which nobody but the person sees the key."""
        _, config = await self.desk.community.settings(guild_of(interaction))
        model = config.model if provider.base_url is None and not provider.prefix else ""
        await open_form(interaction, ProviderForm(provider, model, self.brought))

    async def brought(self, interaction: Interaction, form: Brought) -> None:
        """Try the provider that the form names, and keep it."""
        managers_only(interaction)
        ASKED.take(interaction, interaction.user.id)
        await wait(interaction)
        guild_id, who = guild_of(interaction), person(interaction)
        told = await self.desk.providers.bring(guild_id, who, form.provider, key=form.key, model=form.model)
        await self.say(interaction, told)

    async def removed(self, interaction: Interaction) -> None:
        """Forget the server's own provider."""
        managers_only(interaction)
        await self.say(interaction, await self.desk.providers.remove(guild_of(interaction), person(interaction)))
