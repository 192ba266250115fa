"""Interactions: what a person asks of a bot by command, button, select or form, and how the bot may answer."""
