"""Texts and pictures as files of an answer."""

import io

import discord


def text_file(name: str, text: str) -> discord.File:
    """Give a text as a file."""
    return discord.File(io.BytesIO(text.encode()), filename=name)


def picture(name: str, png: bytes, told: str) -> discord.File:
    """Give a picture with the words that stand for it."""
    return discord.File(io.BytesIO(png), filename=name, description=told[:1_024])
