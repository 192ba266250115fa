"""What of changes is told live once they are written for good; of scenes nothing: who moves when is theirs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from bot.core import changes as kinds
from bot.core.changes import Change
from bot.core.happenings import Happened, Happening
from bot.core.kinds import LetterKind, SenderKind
from bot.core.records import CommunityId

# not the interval: it drifts with every beat, in private threads as well, and thumbs there move it
TOLD_OF_AGENTS = ("paused_reason", "retired_at", "asleep_until", "name", "model")
TOLD_OF_ROOMS = ("topic", "billboard", "hushed_until", "access", "visibility", "fault_told_at")
OF_SCENES = (LetterKind.BOARD,)


def happened(community_id: CommunityId, changes: Sequence[Change]) -> Iterator[Happening]:
    """Give what of these changes is told."""
    for change in changes:
        tell = partial(Happening, community_id=community_id)
        match change:
            case kinds.EndBeat(beat=beat):
                if beat.scene_id is None and beat.side >= 0:
                    what = "failed" if beat.failed else "silent" if beat.silent else ""
                    told = tell(kind=Happened.APPLIED, agent_id=beat.agent_id, beat_id=beat.id, what=what)
                    yield replace(told, room_id=beat.room_id, side=beat.side)
            case kinds.Say():
                yield from _said(tell, change)
            case kinds.AddLetter(kind=kind, room_id=room_id) if kind not in OF_SCENES:
                yield tell(kind=Happened.LETTER, room_id=room_id, what=f"{kind} waiting")
            case _:
                yield from _of_minds(tell, change)
                yield from _of_rooms(tell, change)


def _said(tell: "partial[Happening]", said: kinds.Say) -> Iterator[Happening]:
    if said.scene_id is None:
        by = said.sender.agent_id if said.sender.kind is SenderKind.AGENT else None
        of = {"message_id": said.message_id, "beat_id": said.beat_id}
        yield tell(kind=Happened.SAID, agent_id=by, room_id=said.room_id, **of)


def _of_minds(tell: "partial[Happening]", change: Change) -> Iterator[Happening]:
    match change:
        case kinds.SetKnowledge(agent_id=agent_id, side=side) if side >= 0:
            yield tell(kind=Happened.KNOWLEDGE, agent_id=agent_id, side=side)
        case kinds.SetFocus(agent_id=agent_id, side=side) if side >= 0:
            yield tell(kind=Happened.FOCUS, agent_id=agent_id, side=side)
        case kinds.JournalPlan(agent_id=agent_id, side=side) if side >= 0:
            yield tell(kind=Happened.PLAN, agent_id=agent_id, side=side)
        case kinds.UpdateAgent(agent_id=agent_id, fields=fields):
            woken = {"asleep_until"} if fields.get("asleep_until") is None else set()  # so is everybody who beats
            if named := [name for name in TOLD_OF_AGENTS if name in fields and name not in woken]:
                yield tell(kind=Happened.CHANGED, agent_id=agent_id, what=named[0])
        case kinds.AddAgent(agent=agent):
            yield tell(kind=Happened.CHANGED, agent_id=agent.id, what="new")
        case _:
            pass


def _of_rooms(tell: "partial[Happening]", change: Change) -> Iterator[Happening]:
    match change:
        case kinds.AddMembership(membership=one):
            yield tell(kind=Happened.CAME, agent_id=one.agent_id, room_id=one.room_id)
        case kinds.RemoveMembership(agent_id=agent_id, room_id=room_id):
            yield tell(kind=Happened.WENT, agent_id=agent_id, room_id=room_id)
        case kinds.AddRequest(request=request):
            yield tell(kind=Happened.KNOCKED, agent_id=request.requester_agent_id, room_id=request.room_id)
        case kinds.UpdateRoom(room_id=room_id, fields=fields):
            if named := [name for name in TOLD_OF_ROOMS if name in fields]:
                yield tell(kind=Happened.CHANGED, room_id=room_id, what=named[0])
        case kinds.SetOverride(name=name):
            yield tell(kind=Happened.CHANGED, what=name)
        case _:
            pass
