"""Buttons, lists to choose from, layouts and forms in the reader's language."""

import discord

from bot.languages import spoken

LABEL_CHARACTERS = 80  # Discord's limit of a button
Shown = discord.ui.View | discord.ui.LayoutView | discord.ui.Modal


def speak_view(view: Shown, locale: str) -> None:
    """Put every sentence in it into the language of a locale."""
    if isinstance(view, discord.ui.Modal):
        view.title = spoken(view.title, locale)
    for item in view.walk_children():
        _speak(item.item if isinstance(item, discord.ui.DynamicItem) else item, locale)


def speak_card(card: discord.Embed, locale: str) -> None:
    """Put title and description into the language of a locale."""
    card.title = spoken(card.title, locale) if card.title else card.title
    card.description = spoken(card.description, locale) if card.description else card.description


def _speak(item: object, locale: str) -> None:
    match item:
        case discord.ui.Button():
            item.label = spoken(item.label, locale)[:LABEL_CHARACTERS] if item.label else item.label
        case discord.ui.TextDisplay():
            item.content = spoken(item.content, locale)
        case discord.ui.Label():
            item.text = spoken(item.text, locale)
            item.description = spoken(item.description, locale) if item.description else item.description
        case discord.ui.TextInput():
            item.placeholder = spoken(item.placeholder, locale) if item.placeholder else item.placeholder
        case discord.ui.Select() | discord.ui.ChannelSelect():
            item.placeholder = spoken(item.placeholder, locale) if item.placeholder else item.placeholder
            for option in item.options if isinstance(item, discord.ui.Select) else ():
                option.label = spoken(option.label, locale)
                option.description = spoken(option.description, locale) if option.description else option.description
        case _:
            pass
