"""Names and descriptions of commands in the languages of those who read them."""

import discord
from discord import app_commands
from discord.app_commands import TranslationContextLocation as At
from discord.app_commands import TranslationContextTypes, locale_str

from bot.languages import CHOICE, COMMAND, LOCKED, MENU, OPTION, translation

CONTEXTS = {At.command_name: COMMAND, At.group_name: COMMAND, At.parameter_name: OPTION, At.choice_name: CHOICE}


class CommandTranslator(app_commands.Translator):
    """discord.py's translator over our catalogues; it waits for nothing."""

    async def translate(
        self, string: locale_str, locale: discord.Locale, context: TranslationContextTypes
    ) -> str | None:
        """Give a name or description in a language, None where it stays English."""
        if context.location is At.choice_name:  # `CommandSync.word` may have put it in other words
            return translation(locale.value, context.data.name, CHOICE)
        if context.location is At.command_description and context.data.description.startswith(LOCKED):
            said = translation(locale.value, string.message)
            return f"{LOCKED}{said}" if said else None
        is_menu = isinstance(context.data, app_commands.ContextMenu)
        return translation(locale.value, string.message, MENU if is_menu else CONTEXTS.get(context.location, ""))
