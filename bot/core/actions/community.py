"""Actions on the community itself, which only people have."""

from typing import Literal

from bot.core.actions.definition import Action, Category, People, define
from bot.core.actions.fields import Anything, Label, PersonRef


@define(Category.COMMUNITY, "Set one of the community's settings; nothing goes back to the default.", for_agents=False)
class SetSetting(Action):
    type: Literal["set_setting"] = "set_setting"
    name: Label
    value: Anything = None


@define(
    Category.COMMUNITY,
    "Have all agents ignore oneself, or no longer.",
    people=People.EVERYONE,
    for_agents=False,
    of_unheard=True,
)
class SetIgnored(Action):
    type: Literal["set_ignored"] = "set_ignored"
    ignored: bool = True


@define(Category.COMMUNITY, "Have all agents ignore a person, whatever they wish, or no longer.", for_agents=False)
class SetMuted(Action):
    type: Literal["set_muted"] = "set_muted"
    person_id: PersonRef
    muted: bool = True
