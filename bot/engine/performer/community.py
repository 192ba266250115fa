"""Performs what concerns the community itself: its settings, and whom agents ignore."""

from dataclasses import replace

from pydantic import ValidationError

from bot.core.actions import SetIgnored, SetSetting
from bot.core.changes import SetOverride
from bot.core.config import CommunityConfig
from bot.core.errors import Rejected
from bot.core.items import problem_of
from bot.core.kinds import HeldFor
from bot.core.records import Snowflake
from bot.engine.performer.desk import Desk
from bot.engine.performer.registry import handles

LIMITS = frozenset({"usd_per_day", "tokens_per_day"})


@handles(SetSetting)
async def set_setting(desk: Desk, action: SetSetting) -> str:
    if action.name not in CommunityConfig.model_fields:
        raise Rejected(f"There is no setting {action.name}.")
    if action.value is not None:
        try:
            desk.config.overlaid({action.name: action.value})
        except ValidationError as error:
            raise Rejected(problem_of(error)) from error
    desk.put(SetOverride(name=action.name, value=action.value))
    if action.name in LIMITS:  # who rests because the day's money was spent looks again whether there is more
        await desk.write.free_held(desk.community_id, HeldFor.BUDGET, desk.now)
    return f"{action.name} is {'back at its default' if action.value is None else 'set'}."


@handles(SetIgnored)
async def set_ignored(desk: Desk, action: SetIgnored) -> str:
    person = await desk.write.person(desk.community_id, Snowflake(action.person_id))
    if person is None:
        raise Rejected("Nobody by that id has spoken here yet.")
    await desk.write.put_person(desk.community_id, replace(person, ignored=action.ignored))
    return f"Agents {'ignore' if action.ignored else 'listen to'} @{person.username}."
