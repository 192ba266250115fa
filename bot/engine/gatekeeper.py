"""From due to let through: claims, gate and floor of one community, in one transaction (docs/heartbeat.md#one-beat)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import structlog

from bot.core.access import all_labels
from bot.core.after_beat import FAILURES_TOLD, backoff_until, begun, failed, rests, seen, unprovided
from bot.core.changes import AgentColumns, Change, DropReasons, UpdateAgent
from bot.core.errors import BadSetting, Broken, StoreError
from bot.core.floor import admit
from bot.core.gate import SELF_CAUSED_IN, Claim, Held, Ready, is_self_caused, limited_until, verdict
from bot.core.hud.call import messages_to_load
from bot.core.key_redaction import KeyRedactor
from bot.core.kinds import HeldFor
from bot.core.ports import Cipher, Expected, Model, Models, Reading, Store, Writing
from bot.core.ports.beats import Beats, Later
from bot.core.ports.scenes import Scenes
from bot.core.records import AccessKey, AgentId, CommunityId, KeyId, Reason
from bot.core.scenes.records import SceneStatus
from bot.core.scenes.showing import Turn, closed_side
from bot.core.sealing import of_key
from bot.core.spending import Spending, day_of, next_day
from bot.core.view import Glance, Outline, View
from bot.engine.purse import spending_now
from bot.engine.seating import shown_turn, sits_in, who_may_sit

BLOTS_KEPT, BLOTTED_KEPT = 200, 1_000_000  # communities, and characters of all their keys
BROKEN = Broken("Something went wrong here: the log has the details.")
LOOK_AGAIN = timedelta(minutes=10)  # whether a model may be asked by now; a provider that is set up is seen at once
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Agents of one community that were let through together, what their HUDs are made from, and whom it may ask.

    Its view holds the mind of who goes alone: of several they are read as their calls are written (`engine.carried`).
    `blots` and `labels` are of all keys of the community: the former hide them in what is kept.
    """

    community_id: CommunityId
    model: Model
    view: View
    ready: tuple[Ready, ...]  # in the order of the floor
    at: datetime
    turns: Mapping[AgentId, Turn] = field(default_factory=dict)  # what those are shown whose turn it is in a scene
    redactor: KeyRedactor = field(default_factory=KeyRedactor)
    labels: frozenset[str] = frozenset()


class Gatekeeper:
    """Lets agents through."""

    def __init__(self, store: Store, models: Models, *, cipher: Cipher | None, lease_seconds: float) -> None:
        self._store = store
        self._models = models
        self._cipher = cipher
        self._lease = timedelta(seconds=lease_seconds)
        self._blots: dict[CommunityId, tuple[frozenset[tuple[KeyId, bytes]], KeyRedactor]] = {}  # last used, last

    async def let_in(self, community_id: CommunityId, agent_ids: Sequence[AgentId], now: datetime) -> Batch | None:
        """Claim agents and let those through that may beat; the others are released for later."""
        expected = Expected(claims=(agent_ids, now), spent_on=day_of(now))
        async with self._store.writing(community_id, expected) as write:
            claims = await write.claims.take(community_id, agent_ids, now=now, lease_until=now + self._lease)
            if not claims:
                return None
            claimed = [claim.agent_id for claim in claims]
            view = await write.views.glance(community_id, agent_ids=claimed, messages=0)
            model = await self._models.of(write.providers, view.community)
            spending = await spending_now(write.money, community_id, view.config, day_of(now), model.source.ceilings)
            resting = await _resting(write.scenes, claims)
            verdicts = [_judged(view, claim, now, spending, resting) for claim in claims]
            sided = [await _on_its_side(write.scenes, one) for one in verdicts]
            limited = [await self._limited(write.beats, view, one, now) for one in sided]
            judged = await _without_poison(write, view, limited, now)
            missing = model.source.missing
            whole = await _whole(write, view) if missing else view
            rest = _Rest(whole, now, spending=spending, missing=missing)
            admitted = await self._sort_out(write, view, judged, now, rest)
        if not admitted:
            return None
        try:
            view, keys = await self._view(community_id, admitted, view)
            redactor = self._blots_of(community_id, keys)
            turns = await self._turns(community_id, admitted)
        except BaseException:
            await self._let_out(community_id, admitted)
            raise
        passed = [one for one in admitted if one.is_turn and one.agent_id not in turns]
        await self._let_pass(community_id, passed)
        ready = tuple(one for one in admitted if one not in passed)
        base = Batch(community_id=community_id, model=model, view=view, ready=ready, at=now, turns=turns)
        return replace(base, redactor=redactor, labels=all_labels(keys))

    async def _turns(self, community_id: CommunityId, ready: Sequence[Ready]) -> Mapping[AgentId, Turn]:
        """Read what those are shown whose turn it is; who has no move any more has none."""
        turns: dict[AgentId, Turn] = {}
        if not any(one.is_turn for one in ready):
            return turns
        async with self._store.reading() as read:
            for one in ready:
                try:
                    turn = await _turn_of(read, community_id, one)
                except StoreError:
                    raise
                except Exception:  # it stands as no rules left it: who sits in others, or in none, goes on
                    log.exception("a scene cannot be shown", scene=one.first.scene_id, agent=one.agent_id)
                    continue
                if turn is not None:
                    turns[one.agent_id] = turn
        return turns

    async def _let_pass(self, community_id: CommunityId, passed: Sequence[Ready]) -> None:
        """Their moment has passed between two reads: there is nothing to ask them."""
        if passed:
            async with self._store.writing(community_id) as write:
                dropped = [DropReasons(agent_id=one.agent_id, reasons=one.reasons) for one in passed]
                await write.apply(community_id, dropped)
                await write.claims.release_all(community_id, [(one.claim, None, None) for one in passed])

    async def _let_out(self, community_id: CommunityId, admitted: Sequence[Ready]) -> None:
        async with self._store.writing(community_id) as write:
            await write.claims.release_all(community_id, [(one.claim, None, None) for one in admitted])

    async def _limited(self, beats: Beats, view: Outline, one: Ready | Held, now: datetime) -> Ready | Held:
        """Hold an agent back that had many beats which no person caused."""
        if isinstance(one, Held) or not is_self_caused(one.reasons):
            return one
        most, since = view.config.self_caused_per_hour, now - SELF_CAUSED_IN
        when = await beats.self_caused(one.claim.community_id, one.agent_id, since, newest=most)
        until = limited_until(when, most, now)
        return one if until is None else Held(claim=one.claim, until=until, held_for=HeldFor.LIMIT, dropped=one.dropped)

    async def _sort_out(
        self, write: Writing, view: Glance, judged: Sequence[Ready | Held], now: datetime, rest: "_Rest"
    ) -> tuple[Ready, ...]:
        """Release who does not go, with when to come again, and mark who goes."""
        ready = [one for one in judged if isinstance(one, Ready)]
        later: list[Later] = [(one.claim, one.until, one.held_for) for one in judged if isinstance(one, Held)]
        changes: list[Change] = [
            DropReasons(agent_id=one.claim.agent_id, reasons=one.dropped) for one in judged if one.dropped
        ]
        if rest.until is not None:
            changes += rest.told(ready)
            later += [(one.claim, rest.until, rest.held_for) for one in ready]
            ready = []
        admission = admit(view, ready, now)
        later += [(one.claim, until, HeldFor.FLOOR) for one, until in admission.waiting]
        for one in admission.admitted:
            changes += begun(one, now)
        await write.apply(view.community.id, changes)
        await write.claims.release_all(view.community.id, later)
        return admission.admitted

    async def _view(
        self, community_id: CommunityId, ready: Sequence[Ready], glanced: Outline
    ) -> tuple[View, Sequence[AccessKey]]:
        """Read what the HUDs show, with the secrets that owners see in calls of their own, and all keys there are."""
        messages = messages_to_load(glanced.agents[one.agent_id] for one in ready)
        async with self._store.reading() as read:
            ids = [one.agent_id for one in ready]
            own_mind = ready[0].minds if len(ready) == 1 else ()  # those of several are read as their calls are written
            view = await read.views.whole(community_id, agent_ids=ids, messages=messages, minds=own_mind)
            keys = await read.access.keys(community_id)
        own = [key for one in ready for key in view.keys.get(one.agent_id, ())]
        return replace(view, secrets=self._opened(community_id, own)), keys

    def _blots_of(self, community_id: CommunityId, keys: Sequence[AccessKey]) -> KeyRedactor:
        """Give what hides a community's keys; they are opened only when they have changed."""
        known = frozenset((key.id, key.digest) for key in keys)
        of_keys, redactor = self._blots.pop(community_id, (None, KeyRedactor()))
        if of_keys != known:
            redactor = KeyRedactor(self._opened(community_id, keys).values())
        self._blots[community_id] = known, redactor
        sizes = {one: blots.size for one, (_, blots) in self._blots.items()}
        while len(sizes) > BLOTS_KEPT or (len(sizes) > 1 and sum(sizes.values()) > BLOTTED_KEPT):
            oldest = next(iter(sizes))
            del self._blots[oldest], sizes[oldest]
        return redactor

    def _opened(self, community_id: CommunityId, keys: Sequence[AccessKey]) -> dict[KeyId, str]:
        """Decrypt keys; one that was encrypted with another secret is shown by its label only."""
        opened: dict[KeyId, str] = {}
        if self._cipher is None:
            return opened
        for key in keys:
            try:
                opened[key.id] = self._cipher.decrypt(key.ciphertext, of_key(community_id, key.room_id, key.id))
            except BadSetting as error:
                log.warning("a key cannot be shown to its owner", key=key.id, room=key.room_id, why=error.sentence)
        return opened


async def _turn_of(read: Reading, community_id: CommunityId, one: Ready) -> Turn | None:
    """Give what somebody is shown in the scene they are asked in; None where they have no move there any more."""
    scene_id = one.first.scene_id
    scene = await read.scenes.find(community_id, scene_id) if scene_id is not None else None
    if scene is None or one.agent_id not in await who_may_sit(read.views, scene):
        return None
    return await shown_turn(read, scene, one.agent_id)


async def _without_poison(
    write: Writing, view: Glance, judged: Sequence[Ready | Held], now: datetime
) -> Sequence[Ready | Held]:
    """Leave those out with whom one process after the other came to an end: their reasons go, and it is told once."""
    left: list[Ready | Held] = []
    for one in judged:
        failures = view.agents[one.claim.agent_id].failures_in_a_row + 1
        if isinstance(one, Held) or not one.claim.is_takeover:
            left.append(one)
        elif failures < FAILURES_TOLD:
            left.append(one)
            fields: AgentColumns = {"failures_in_a_row": failures}
            await write.apply(view.community.id, [UpdateAgent(agent_id=one.agent_id, fields=fields)])
        else:
            log.error("an agent is left alone: whoever asked for it ended", agent=one.agent_id, times=failures)
            until = backoff_until(failures, now, BROKEN)
            await write.apply(view.community.id, [*failed(view, one, BROKEN, now, until), *seen(one)])
            await write.claims.release(one.claim, until=until)
    return left


async def _resting(scenes: Scenes, claims: Sequence[Claim]) -> Collection[tuple[AgentId, AgentId]]:
    """Give which of some agents play in a room itself just now, each with the room: there they do nothing else."""
    ordinary = {claim.agent_id for claim in claims if any(map(_is_ordinary, claim.reasons))}
    playing = await sits_in(scenes, claims[0].community_id, (SceneStatus.RUNNING,)) if ordinary else {}
    return {(id_, scene.room_id) for id_, scene in playing.items() if id_ in ordinary and scene.is_in_room}


def _is_ordinary(reason: Reason) -> bool:
    return reason.scene_id is None and reason.room_id is not None and not reason.is_a_persons_call


def _judged(
    view: Glance, claim: Claim, now: datetime, spending: Spending, resting: Collection[tuple[AgentId, AgentId]]
) -> Ready | Held:
    """Judge a claim without what rests: who was called before the scene began answers that still."""
    if not resting:
        return verdict(view, claim, now, spending)
    rest = tuple(one for one in claim.reasons if (claim.agent_id, one.room_id) in resting and _is_ordinary(one))
    kept = replace(claim, reasons=tuple(one for one in claim.reasons if one not in rest))
    judged = verdict(view, kept, now, spending)
    return replace(judged, claim=claim, dropped=(*judged.dropped, *rest))


async def _on_its_side(scenes: Scenes, one: Ready | Held) -> Ready | Held:
    """Put a turn in a closed scene on the side that is that scene's alone."""
    if isinstance(one, Held) or not one.is_turn or one.first.scene_id is None:
        return one
    scene = await scenes.find(one.claim.community_id, one.first.scene_id)
    side = closed_side(scene) if scene is not None else None
    return one if side is None else replace(one, side=side)


async def _whole(write: Writing, view: Outline) -> Outline:
    """Give all rooms beside those in view, and the threads that a fault was told in, so that managers hear it once."""
    rooms = [*view.all_rooms, *await write.rooms.threads_told(view.community.id)]
    return await write.views.action_view(view.community.id, agent_ids=(), room_ids=rooms, doors=False)


class _Rest:
    """Whether nobody of a community goes now: it may ask no model, or its money is spent."""

    def __init__(self, view: Outline, now: datetime, *, spending: Spending, missing: str) -> None:
        self._view = view
        self._now = now
        self._missing = missing
        self._limit = spending.reached
        self.held_for = HeldFor.MODEL if missing else HeldFor.BUDGET
        self.until: datetime | None = None
        if missing:
            self.until = now + LOOK_AGAIN
        elif self._limit is not None:
            self.until = next_day(now)

    def told(self, ready: Sequence[Ready]) -> list[Change]:
        """Let each room say so once, however many of its agents would have answered."""
        changes: list[Change] = []
        told: set[AgentId] = set()
        for one in ready:
            if self._missing:
                changes += unprovided(self._view, one, self._now, self._missing, told=told)
            elif self._limit is not None:
                changes += rests(self._view, one, self._now, self._limit, told=told)
            if one.addressed_by_person and one.first.room_id is not None:
                told.add(one.first.room_id)
        return changes
