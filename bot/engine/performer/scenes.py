"""Performs what people and agents do in scenes: start one, sit down, direct it, and move."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from pydantic import ValidationError

from bot.core.actions import DirectScene, LeaveSeat, Play, StartScene, TakeSeat
from bot.core.errors import NotFound, Rejected
from bot.core.kinds import Visibility
from bot.core.permissions import ONLY_DIRECTORS, ONLY_MANAGERS
from bot.core.records import AgentId, SceneId
from bot.core.scenes.kind import LONGEST_OPTIONS, Options, SceneKind
from bot.core.scenes.play import Rule
from bot.core.scenes.records import OPEN, Scene, SceneStatus, Seated, Source
from bot.core.scenes.registry import kind_named
from bot.core.scenes.showing import closed_side, refusal_to_begin, title_of
from bot.core.scenes.windows import has_people
from bot.core.sentences import Sentence
from bot.core.spending import day_of
from bot.core.wording import counted
from bot.engine.performer.registry import handles
from bot.engine.performer.unit_of_work import UnitOfWork
from bot.engine.purse import spending_now
from bot.engine.seating import sits_in
from bot.engine.stage import CAP_SPENT, DAY_SHORT, NOT_RUNNING, PASSED, Stage, opened

EXTENDED_SECONDS = 120
ADDED_USD = Decimal("0.10")
NOT_SEATED = "You do not sit in that scene."
THREAD_SOON = "Its thread is being opened: try again in a moment."
ALL_TOLD = "Who watches was told all that its agents whispered: no person sits down in it any more."
PLAYED_THERE = "A scene takes place in that room itself already: wait for its end, or let this one have a thread."
NO_SUBSTITUTES = "A seat that was left stays empty here: a manager may allow it, /setup options scene_substitutes."
ALL_PAUSED = Sentence("Everyone is paused, and nobody would take a turn: /heartbeat resume comes first.")
NO_MORE_MONEY = "Four fifths of the day's money are spent: new scenes wait until tomorrow, or until it is raised."


@handles(StartScene)
async def start_scene(work: UnitOfWork, action: StartScene) -> str:
    if work.actor.who is None:
        raise Rejected(ONLY_MANAGERS)
    try:
        kind = kind_named(action.kind)
    except NotFound as no:
        raise Rejected(no.sentence) from no
    options = _options(kind, action)
    await _check_room_for_one_more(work)
    await _check_nobody_plays_there(work, action, options)
    scene = Scene(
        community_id=work.community_id,
        id=SceneId(work.write.ids.take("scene")),
        kind=kind.kind,
        version=kind.version,
        title=action.title,
        room_id=AgentId(action.room_id),
        options=options.model_dump(mode="json"),
        seed=work.context.random.token(32),
        deadline_at=work.now + timedelta(minutes=work.config.scene_lobby_minutes),
        started_by=work.actor.who.id,
        usd_cap=work.config.scene_usd,
        created_at=work.now,
    )
    stage = Stage(write=work.write, scene=scene, config=work.config, now=work.now)
    await stage.redraw()
    _put(work, stage)
    place = work.place(scene.room_id)
    if scene.is_in_room:
        return Sentence("The lobby of {kind} {scene} opens in {place}.", kind=kind.title, scene=scene.id, place=place)
    return Sentence(
        "The lobby of {kind} {scene} opens in a thread of {place}.", kind=kind.title, scene=scene.id, place=place
    )


def _options(kind: SceneKind, action: StartScene) -> Options:
    given = dict(action.options)
    try:
        options = kind.options.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"])) or "options"
        raise Rejected(Sentence("{field}: {fault}.", field=name, fault=first["msg"].lower())) from error
    if len(options.model_dump_json()) > LONGEST_OPTIONS:
        raise Rejected(
            Sentence(
                "These options have more than {longest_options:,} characters: say it shorter.",
                longest_options=LONGEST_OPTIONS,
            )
        )
    if options.ordering not in kind.orderings:
        raise Rejected(
            Sentence(
                "{kind} is ordered by {names}: choose one of these.", kind=kind.title, names=" or ".join(kind.orderings)
            )
        )
    return options


async def _check_room_for_one_more(work: UnitOfWork) -> None:
    running = await work.write.scenes.all(work.community_id, OPEN)
    if len(running) >= work.config.scenes_at_once:
        most = counted(work.config.scenes_at_once, "scene")
        raise Rejected(Sentence("{most} at once are the most here: stop one, or wait for its end.", most=most))
    day, ceilings = day_of(work.now), await work.ceilings()
    spending = await spending_now(work.write.money, work.community_id, work.config, day, ceilings)
    if spending.stretch > 1.0:
        raise Rejected(NO_MORE_MONEY)


async def _check_nobody_plays_there(work: UnitOfWork, action: StartScene, options: Options) -> None:
    if getattr(options, "place", "") != "room":
        return
    there = [one for one in await work.write.scenes.all(work.community_id, OPEN) if one.room_id == action.room_id]
    if any(one.is_in_room for one in there):
        raise Rejected(PLAYED_THERE)


@handles(TakeSeat)
async def take_seat(work: UnitOfWork, action: TakeSeat) -> str:
    stage = await _stage(work, action.scene_id)
    mine = _meant_seat(work, stage.scene, action)
    if mine is not None and action.pings is None and stage.is_away(mine.seat):
        await stage.back(mine.seat)
        _put(work, stage)
        return _sits_again(work, action, mine.seat, stage.scene)
    if action.agent_id is not None:
        sitter = await _agent_sits(work, stage, AgentId(action.agent_id))
        if action.comments:
            return await _comments(work, stage, sitter)
    elif action.pings is not None and mine is not None:
        return await _wants_calls(work, stage, mine, pings=action.pings)
    else:
        sitter = replace(await _person_sits(work, stage.scene), pings=bool(action.pings))
    left = stage.scene.left_seat(sitter.person_id) if sitter.person_id is not None else None
    if action.seat is None and left is not None:
        await _taken(work, stage, left, sitter)
        return _sits_again(work, action, left.seat, stage.scene)
    if action.seat is not None:
        await _replace(work, stage, action.seat, sitter)
        return _sits(work, action, action.seat, stage.scene)
    if stage.scene.status is not SceneStatus.LOBBY:
        raise Rejected(Sentence("It has begun: nobody takes a new seat any more."))
    most = kind_named(stage.scene.kind).seats[1]
    if len(stage.scene.seats) >= most:
        raise Rejected(Sentence("All {most} seats are taken.", most=most))
    seat = max(stage.scene.taken, default=0) + 1
    stage.scene = replace(stage.scene, seats=(*stage.scene.seats, replace(sitter, seat=seat)))
    await stage.redraw()
    _put(work, stage)
    return _sits(work, action, seat, stage.scene)


async def _comments(work: UnitOfWork, stage: Stage, who: Seated) -> str:
    """Let an agent comment; only from the lobby on, as nobody has seen there yet what is secret later."""
    if stage.scene.status is not SceneStatus.LOBBY:
        raise Rejected(Sentence("It has begun: who comments is chosen in the lobby."))
    stage.scene = replace(stage.scene, commentator=who)
    await stage.redraw()
    _put(work, stage)
    return Sentence(
        "{agent} will watch {scene} and comment on it.",
        agent=work.agent(who.agent_id or 0).name,
        scene=title_of(stage.scene),
    )


def _meant_seat(work: UnitOfWork, scene: Scene, action: TakeSeat) -> Seated | None:
    """Give the seat on which whoever is to sit down sits already."""
    if action.agent_id is None:
        return _own_seat(work, scene)
    _check_directs(work, scene)
    return scene.seat_of(agent_id=AgentId(action.agent_id))


def _own_seat(work: UnitOfWork, scene: Scene) -> Seated | None:
    return scene.seat_of(person_id=work.actor.who.id) if work.actor.who is not None else None


async def _wants_calls(work: UnitOfWork, stage: Stage, sits: Seated, *, pings: bool) -> str:
    """Let a person who sits there be called when it is their turn, or not any more."""
    if not stage.scene.status.is_open:
        raise Rejected(Sentence("The scene is over."))
    mine = replace(sits, pings=pings)
    stage.scene = replace(stage.scene, seats=tuple(mine if one is sits else one for one in stage.scene.seats))
    await work.write.scenes.keep(stage.scene)
    if pings:
        return Sentence("You are called in the thread when it is your turn.")
    return Sentence("You are called no more.")


async def _agent_sits(work: UnitOfWork, stage: Stage, agent_id: AgentId) -> Seated:
    agent, scene = work.agents.get(agent_id), stage.scene
    if agent is None or agent.retired_at is not None:
        raise Rejected(Sentence("There is no agent {agent_id} here that could sit down.", agent_id=agent_id))
    if agent.paused_reason is not None:
        raise Rejected(Sentence("{agent} is paused: resume it first.", agent=agent.name))
    if agent_id not in await stage.agents():
        raise Rejected(Sentence("{agent} is not in that room, which is private: let it in first.", agent=agent.name))
    if (other := (await sits_in(work.write.scenes, work.community_id, OPEN)).get(agent_id)) is not None:
        if other.id == scene.id:
            raise Rejected(
                Sentence("{agent} sits here already: an agent sits in one scene at a time.", agent=agent.name)
            )
        raise Rejected(
            Sentence(
                "{agent} sits in {scene}: an agent sits in one scene at a time.",
                agent=agent.name,
                scene=title_of(other),
            )
        )
    return Seated(seat=0, agent_id=agent_id)


async def _person_sits(work: UnitOfWork, scene: Scene) -> Seated:
    if work.actor.who is None:
        raise Rejected(ONLY_DIRECTORS)
    person_id = work.actor.who.id
    others = [one for one in await work.write.scenes.all(work.community_id, OPEN) if one.seat_of(person_id=person_id)]
    if any(one.id == scene.id for one in others):
        raise Rejected(Sentence("You have a seat here already."))
    if len(others) >= (most := work.config.scenes_per_person):
        raise Rejected(
            Sentence("Nobody sits in more than {scenes} at once here: leave one first.", scenes=counted(most, "scene"))
        )
    await work.write.people.put(work.community_id, work.actor.who)
    return Seated(seat=0, person_id=person_id)


def _sits_again(work: UnitOfWork, action: TakeSeat, seat: int, scene: Scene) -> Sentence:
    if action.agent_id is None:
        return Sentence("You sit in seat {seat} of {scene} again.", seat=seat, scene=title_of(scene))
    name = work.agent(action.agent_id).name
    return Sentence("{agent} sits in seat {seat} of {scene} again.", agent=name, seat=seat, scene=title_of(scene))


def _sits(work: UnitOfWork, action: TakeSeat, seat: int, scene: Scene) -> Sentence:
    if action.agent_id is None:
        return Sentence("You sit in seat {seat} of {scene} now.", seat=seat, scene=title_of(scene))
    name = work.agent(action.agent_id).name
    return Sentence("{agent} sits in seat {seat} of {scene} now.", agent=name, seat=seat, scene=title_of(scene))


async def _replace(work: UnitOfWork, stage: Stage, seat: int, sitter: Seated) -> None:
    """Let somebody take a seat that was left: they see what it saw."""
    _check_directs(work, stage.scene)
    left = next((one for one in stage.scene.seats if one.seat == seat), None)
    if left is None or not stage.scene.status.is_open:
        raise Rejected(Sentence("There is no seat {seat} to be taken.", seat=seat))
    if left.left_at is None and left.agent_id is None:
        raise Rejected(Sentence("Somebody sits there: they have to leave first."))
    if sitter.agent_id is not None and left.left_at is not None and not work.config.scene_substitutes:
        raise Rejected(NO_SUBSTITUTES)
    await _taken(work, stage, left, sitter)


async def _taken(work: UnitOfWork, stage: Stage, left: Seated, sitter: Seated) -> None:
    """Let somebody sit where another sat, or they themselves, as far as they may know what the seat saw."""
    _check_peeks_nowhere(stage.scene, left, sitter)
    is_told = work.config.scene_asides and bool(stage.scene.standing) and not has_people(stage.scene)
    if sitter.person_id is not None and is_told and closed_side(stage.scene) is not None:
        raise Rejected(ALL_TOLD)
    taken = left.taken_by(sitter)
    seats = tuple(taken if one.seat == left.seat else one for one in stage.scene.seats)
    stage.scene = replace(stage.scene, seats=seats)
    if stage.scene.status is SceneStatus.RUNNING:
        await stage.back(left.seat)
    else:
        await stage.redraw()
    _put(work, stage)


def _check_peeks_nowhere(scene: Scene, left: Seated, sitter: Seated) -> None:
    """Raise Rejected where a person would learn what another seat saw of a closed scene, and so of all in turn."""
    is_own = sitter.person_id is None or sitter.person_id == left.person_id
    if not is_own and scene.standing and closed_side(scene) is not None:
        raise Rejected(
            Sentence("What a seat has seen here is its own: an agent may take it, and you the one that you left.")
        )


@handles(LeaveSeat)
async def leave_seat(work: UnitOfWork, action: LeaveSeat) -> str:
    stage = await _stage(work, action.scene_id)
    if action.agent_id is not None:
        _check_directs(work, stage.scene)
        if action.agent_id == stage.scene.commentator_id:
            return await _comments_no_more(work, stage)
        sits = stage.scene.seat_of(agent_id=AgentId(action.agent_id))
    else:
        sits = _own_seat(work, stage.scene)
    if sits is None:
        raise Rejected(NOT_SEATED)
    if stage.scene.status is SceneStatus.LOBBY:
        stage.scene = replace(stage.scene, seats=tuple(one for one in stage.scene.seats if one is not sits))
        await stage.redraw()
    else:
        await stage.leave(sits.seat)
    _put(work, stage)
    return Sentence("Seat {seat} of {scene} is free.", seat=sits.seat, scene=title_of(stage.scene))


async def _comments_no_more(work: UnitOfWork, stage: Stage) -> str:
    who = stage.scene.commentator
    is_lobby = stage.scene.status is SceneStatus.LOBBY
    stage.scene = replace(stage.scene, commentator=None if is_lobby or who is None else replace(who, left_at=work.now))
    await stage.redraw()
    _put(work, stage)
    return Sentence("Nobody comments on {scene} any more.", scene=title_of(stage.scene))


@handles(DirectScene)
async def direct_scene(work: UnitOfWork, action: DirectScene) -> str:
    stage = await _stage(work, action.scene_id)
    _check_directs(work, stage.scene)
    await _direct(work, stage, action)
    _put(work, stage)
    models = await work.model() if action.what == "add" else None
    return {
        "begin": "It begins.",
        "pause": "It is paused.",
        "resume": "It goes on.",
        "stop": "It is stopped.",
        "skip": "Who was awaited is skipped.",
        "extend": "There is more time now.",
        "add": f"It may cost {ADDED_USD} {models.source.coin if models is not None else 'USD'} more.",
        "choose": "It is their turn.",
    }[action.what]


async def _direct(work: UnitOfWork, stage: Stage, action: DirectScene) -> None:
    match action.what:
        case "begin":
            _check_all_go_on(work)
            await _begin(stage)
        case "pause":
            await stage.pause("somebody paused it")
        case "resume":
            _check_all_go_on(work)
            await stage.resume()
        case "stop":
            await stage.stop("somebody stopped it")
        case "skip":
            await stage.rule(Rule.DEADLINE)
        case "extend":
            await stage.extend(EXTENDED_SECONDS)
        case "add":
            await _add_money(work, stage)
        case "choose":
            await stage.rule(Rule.CHOOSE, action.seat)


async def _add_money(work: UnitOfWork, stage: Stage) -> None:
    if not work.actor.is_manager:
        raise Rejected(ONLY_MANAGERS)
    stage.scene = replace(stage.scene, usd_cap=stage.scene.usd_cap + ADDED_USD)
    is_short = stage.scene.status is SceneStatus.PAUSED and stage.scene.why in (CAP_SPENT, DAY_SHORT)
    goes_on = is_short and not work.view.community.paused
    await (stage.resume() if goes_on else stage.redraw())


def _check_all_go_on(work: UnitOfWork) -> None:
    if work.view.community.paused:
        raise Rejected(ALL_PAUSED)


async def _begin(stage: Stage) -> None:
    if stage.scene.status is not SceneStatus.LOBBY:
        raise Rejected(Sentence("It has begun already."))
    if why := refusal_to_begin(stage.scene):
        raise Rejected(why)
    if stage.scene.thread_id is None:
        raise Rejected(THREAD_SOON)
    await stage.begin()


@handles(Play)
async def play(work: UnitOfWork, action: Play) -> str:
    stage = await _stage(work, action.scene_id)
    who = work.actor.who
    sits = stage.scene.seat_of(agent_id=work.actor.agent_id, person_id=who.id if who is not None else None)
    if work.actor.agent_id is not None and work.actor.agent_id == stage.scene.commentator_id:
        if not _is_its_turn(work, stage.scene):
            raise Rejected(NOT_SEATED)
        await stage.comment(work.me().id, action.move, action.arguments)
        _put(work, stage)
        return "You have commented."
    if sits is None or (who is None and not _is_its_turn(work, stage.scene)):
        raise Rejected(NOT_SEATED)
    try:
        await stage.move(
            sits.seat,
            action.move,
            action.arguments,
            window=action.window,
            source=Source.BEAT if who is None else Source.PERSON,
            beat_id=work.beat_id,
        )
    except Rejected as no:
        if who is not None and no.sentence not in (PASSED, NOT_RUNNING):  # of an agent it is counted with its beat
            stage.scene = stage.scene.fared(sits.seat, refused=1)
            await work.write.scenes.keep(stage.scene)
        raise
    finally:  # also of a move that is refused: whoever tried is back
        _put(work, stage)
    return Sentence("Your move stands.")


def _is_its_turn(work: UnitOfWork, scene: Scene) -> bool:
    """Whether an agent's beat is for the scene: elsewhere it does not exist, nor for who is out of its private room."""
    room = work.room(scene.room_id)
    is_there = room.visibility is Visibility.PUBLIC or (work.me().id, room.id) in work.memberships
    return is_there and any(reason.scene_id == scene.id for reason in work.context.reasons)


async def _stage(work: UnitOfWork, scene_id: int) -> Stage:
    of, ceilings = work.community_id, await work.ceilings()
    return await opened(work.write, of, SceneId(scene_id), config=work.config, ceilings=ceilings, now=work.now)


def _check_directs(work: UnitOfWork, scene: Scene) -> None:
    who = work.actor.who
    if who is None or not (work.actor.is_manager or who.id == scene.started_by):
        raise Rejected(ONLY_DIRECTORS)


def _put(work: UnitOfWork, stage: Stage) -> None:
    for change in stage.changes:
        work.put(change)
