"""Simple sound tactics of the scripted mind, by the title of what is played: from what a seat is shown alone."""

from collections.abc import Callable, Mapping

from bot.core.hud.turn import ReadTurn
from bot.core.records import Json
from bot.standin.dice import Dice
from bot.standin.tactics.village import villager
from bot.standin.tactics.werewolf import werewolf

Tactic = Callable[[ReadTurn, Dice], dict[str, Json] | None]  # a move with its parameters; None: whichever is legal
TACTICS: Mapping[str, Tactic] = {"Village": villager, "Werewolf": werewolf}
