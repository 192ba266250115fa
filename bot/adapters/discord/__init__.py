"""Discord, met through discord.py: its events as records, our letters as requests."""
