"""The Discord side, met through discord.py and a playground."""
