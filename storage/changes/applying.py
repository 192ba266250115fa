"""The order in which kinds of changes are written: what others lean on first."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from bot.core import changes as kinds
from bot.core.changes import Change
from bot.core.records import CommunityId
from storage.beats import recount
from storage.changes import minds, residents, talk
from storage.happenings import happened
from storage.session import Session

Handler = Callable[..., Awaitable[None]]

# Reasons are dropped before new ones are put: what an answer asks for itself (a look-up) must outlive what led to it.
HANDLERS: Mapping[tuple[type, ...], Handler] = {
    (kinds.AddAgent,): residents.add_agents,
    (kinds.UpdateAgent,): residents.update_agents,
    (kinds.UpdateRoom, kinds.Say): residents.update_rooms,
    (kinds.AddAgent, kinds.AddMembership): residents.add_memberships,
    (kinds.UpdateMembership,): residents.update_memberships,
    (kinds.RemoveMembership,): residents.remove_memberships,
    (kinds.Say,): talk.say,
    (kinds.Say, kinds.AddLetter): talk.add_letters,
    (kinds.UpdateMessage,): talk.update_messages,
    (kinds.Unreact,): talk.unreact,
    (kinds.React,): talk.react,
    (kinds.AddCheckpoint,): talk.add_checkpoints,
    (kinds.SetKnowledge, kinds.SetFocus, kinds.JournalPlan): minds.keep_minds,
    (kinds.RecordAction,): minds.record_actions,
    (kinds.ClearLookups,): minds.clear_lookups,
    (kinds.AddLookup,): minds.add_lookups,
    (kinds.AddKey,): residents.add_keys,
    (kinds.UpdateKey,): residents.update_keys,
    (kinds.HoldKey,): residents.hold_keys,
    (kinds.AddRequest,): residents.add_requests,
    (kinds.CloseRequest,): residents.close_requests,
    (kinds.CountFailure,): residents.count_failures,
    (kinds.AddSchedule,): residents.add_schedules,
    (kinds.DropSchedule,): residents.drop_schedules,
    (kinds.SetOverride,): residents.set_overrides,
    (kinds.Audit,): residents.audit,
    (kinds.DropReasons,): residents.drop_reasons,
    (kinds.PutReason,): residents.put_reasons,
    (kinds.EndBeat,): minds.end_beats,
}


async def apply(session: Session, community_id: CommunityId, changes: Sequence[Change]) -> None:
    """Write changes, grouped by kind."""
    session.happenings += happened(community_id, changes)
    groups: dict[type, list[Change]] = {}
    for change in changes:
        groups.setdefault(type(change), []).append(change)
    for some, handler in HANDLERS.items():
        if found := [change for kind in some for change in groups.get(kind, ())]:
            await handler(session, community_id, found)
    if session.to_recount:
        await recount(session, community_id, session.to_recount)
        session.to_recount.clear()
