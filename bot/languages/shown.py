"""Buttons, lists to choose from, layouts and forms in the reader's language."""

import discord

from bot.languages import spoken

BUTTON_CHARACTERS, FIELD_CHARACTERS, LINE_CHARACTERS = 80, 45, 100  # Discord's limits
Shown = discord.ui.View | discord.ui.LayoutView | discord.ui.Modal


def speak_view(view: Shown, locale: str) -> None:
    """Put every sentence in it into the language of a locale."""
    if isinstance(view, discord.ui.Modal):
        view.title = spoken(view.title, locale)[:FIELD_CHARACTERS]
    for item in view.walk_children():
        _speak(item.item if isinstance(item, discord.ui.DynamicItem) else item, locale)


def _speak(item: object, locale: str) -> None:
    match item:
        case discord.ui.Button():
            item.label = spoken(item.label, locale)[:BUTTON_CHARACTERS] if item.label else item.label
        case discord.ui.TextDisplay():
            item.content = spoken(item.content, locale)
        case discord.ui.Label():
            item.text = spoken(item.text, locale)[:FIELD_CHARACTERS]
            item.description = _line(item.description, locale)
        case discord.ui.TextInput():
            item.placeholder = _line(item.placeholder, locale)
        case discord.ui.Select() | discord.ui.ChannelSelect():
            item.placeholder = _line(item.placeholder, locale)
            for option in item.options if isinstance(item, discord.ui.Select) else ():
                option.label = spoken(option.label, locale)[:LINE_CHARACTERS]
                option.description = _line(option.description, locale)
        case _:
            pass


def _line(text: str | None, locale: str) -> str | None:
    return spoken(text, locale)[:LINE_CHARACTERS] if text else text
