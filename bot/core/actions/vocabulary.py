"""The vocabulary as a whole: the definitions in their order, by name, and as the HUD lists them."""

from bot.core.actions import access, agents, community, mind, room, scenes, talk  # noqa: F401  # where they are defined
from bot.core.actions.definition import DEFINED, Category, Definition

ORDER = tuple(Category)
CATALOGUE: tuple[Definition, ...] = tuple(
    sorted(DEFINED.values(), key=lambda definition: ORDER.index(definition.category))
)
BY_NAME = {definition.name: definition for definition in CATALOGUE}
ALSO_CALLED = {name: definition.name for definition in CATALOGUE for name in definition.also}


LEAN = ("set", "get", "delete", "recall", "react", "more")
"""What an agent that is shown little finds in its list of actions: those that are used most and change nothing else."""


def listed(*, emotions: bool) -> tuple[Definition, ...]:
    """Give all actions that agents are told of; `emotions`: their community lets them feel."""
    return tuple(each for each in CATALOGUE if each.listed and (emotions or not each.felt))


def actions_of(category: Category, *, privileged: bool, emotions: bool) -> tuple[Definition, ...]:
    """Give a category's listed actions, those of the privileged only to them."""
    of = (each for each in listed(emotions=emotions) if each.category is category)
    return tuple(each for each in of if privileged or not each.privileged)


def hud_actions(*, privileged: bool, emotions: bool = False) -> dict[str, tuple[str, ...]]:
    """Give the HUD's list of actions by category: those every agent has, or only those of the privileged."""
    shown = [each for each in listed(emotions=emotions) if each.privileged is privileged]
    return {
        category.value: tuple(each.hud_line for each in shown if each.category is category)
        for category in Category
        if any(each.category is category for each in shown)
    }
