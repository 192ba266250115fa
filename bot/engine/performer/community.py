"""Performs what concerns the community itself: its settings, and whom agents ignore."""

from dataclasses import replace

from pydantic import ValidationError

from bot.core.actions import SetIgnored, SetMuted, SetSetting
from bot.core.changes import SetOverride
from bot.core.config import CommunityConfig
from bot.core.errors import Rejected
from bot.core.kinds import HeldFor
from bot.core.options import OPTIONS, shown_option, unfit
from bot.core.records import Person, Snowflake
from bot.core.sentences import Sentence
from bot.core.spending import held_to
from bot.engine.performer.registry import handles
from bot.engine.performer.unit_of_work import UnitOfWork

LOWER_OR_OWN = Sentence("choose less, or bring a provider of your own with `/setup provider`")
LONGEST_SHOWN = 60
LIMITS = frozenset({"usd_per_day", "tokens_per_day"})


@handles(SetSetting)
async def set_setting(work: UnitOfWork, action: SetSetting) -> str:
    if action.name not in CommunityConfig.model_fields:
        raise Rejected(Sentence("There is no setting `{action}`.", action=action.name))
    if action.value is not None:
        try:
            wanted = work.config.tried({action.name: action.value})
        except ValidationError as error:
            raise Rejected(unfit(action.name, error)) from error
        await _check_who_pays(work, action.name, wanted)
    work.put(SetOverride(name=action.name, value=action.value))
    if action.name in LIMITS:  # who rests because the day's money was spent looks again whether there is more
        await work.write.claims.free_held(work.community_id, HeldFor.BUDGET, work.now)
    was = _shown(work.config, action.name)
    if action.value is None:
        return Sentence("`{action}` is back at its default; it was {was}.", action=action.name, was=was)
    return Sentence(
        "`{action}` is set: {was} → {shown}.",
        action=action.name,
        was=was,
        shown=_shown(work.config.tried({action.name: action.value}), action.name),
    )


def _shown(config: CommunityConfig, name: str) -> str:
    text = shown_option(config, name) if name in OPTIONS else str(getattr(config, name))
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


async def _check_who_pays(work: UnitOfWork, name: str, wanted: CommunityConfig) -> None:
    """Raise Rejected for more than the installation pays for: as long as it pays, its limits can only be lowered."""
    models = await work.model()
    if models is None:
        return
    most, allowed = models.source.ceilings, models.source.allowed
    if name == "usd_per_day" and most is not None and held_to(wanted, most) != wanted:
        raise Rejected(
            Sentence(
                "Whoever runs Selfroom pays here, at most {usd_each} USD a day: {lower_or_own}.",
                usd_each=most.usd_each,
                lower_or_own=LOWER_OR_OWN,
            )
        )
    if name == "allowed_models" and allowed and not set(wanted.allowed_models or ["any"]) <= set(allowed):
        raise Rejected(
            Sentence(
                "Whoever runs Selfroom pays here, for {names} only: {lower_or_own}.",
                names=", ".join(allowed),
                lower_or_own=LOWER_OR_OWN,
            )
        )
    if name == "model" and (why := models.refusal(wanted.model)):
        raise Rejected(why)


@handles(SetIgnored)
async def set_ignored(work: UnitOfWork, action: SetIgnored) -> str:
    if work.actor.who is None:
        raise Rejected(Sentence("Only people are listened to, or not."))
    person = await _known(work, work.actor.who.id)
    await work.write.people.decide_about(work.community_id, replace(person, ignored=action.ignored))
    if (await _known(work, person.id)).ignored is not action.ignored:
        raise Rejected(
            Sentence("You asked to be forgotten here: agents go on ignoring you, so that nothing of you comes back.")
        )
    if person.muted and not action.ignored:
        return Sentence(
            "You wish to be heard again, but a manager muted you: agents ignore you until a manager lifts that."
        )
    if not person.username:  # of who is forgotten nothing but the id is kept
        return Sentence("Agents ignore you already: you asked to be forgotten here.")
    who = work.name(person.id, person.username)
    return Sentence("Agents ignore {who}.", who=who) if action.ignored else Sentence("Agents listen to {who}.", who=who)


@handles(SetMuted)
async def set_muted(work: UnitOfWork, action: SetMuted) -> str:
    person = await _known(work, Snowflake(action.person_id))
    if not person.username:
        raise Rejected(Sentence("They asked to be forgotten here: agents ignore them, and go on doing so."))
    await work.write.people.decide_about(work.community_id, replace(person, muted=action.muted))
    who = work.name(person.id, person.username)
    if person.ignored and not action.muted:
        return Sentence("{who} is muted no longer, but wishes to be ignored: only they can change that.", who=who)
    return Sentence("Agents ignore {who}.", who=who) if action.muted else Sentence("Agents listen to {who}.", who=who)


async def _known(work: UnitOfWork, person_id: Snowflake) -> Person:
    person = await work.write.people.find(work.community_id, person_id)
    if person is None:
        raise Rejected(Sentence("Nobody by that id has spoken here yet."))
    return person
