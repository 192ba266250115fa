"""Worlds apart as people look at them: what was said there, and what of it is compared."""

from collections.abc import Mapping, Sequence

from bot.core.hud.focus import FOCUS_SECTIONS as _SECTIONS  # noqa: F401
