"""Performs when an agent beats and speaks."""

from datetime import datetime, timedelta

from bot.core.actions import CancelScheduled, Pause, Resume, ScheduleMessage, SetInterval, Sleep
from bot.core.changes import AddSchedule, DropSchedule
from bot.core.errors import Rejected
from bot.core.kinds import ReasonKind
from bot.core.records import AgentId, Reason, Schedule, ScheduleId
from bot.core.sentences import Sentence
from bot.core.wording import counted
from bot.engine.performer.registry import Asks, handles
from bot.engine.performer.rooms import redraw_lobbies
from bot.engine.performer.unit_of_work import UnitOfWork


@handles(Sleep)
def sleep(work: UnitOfWork, action: Sleep) -> str:
    agent, until = work.me(), _in_time(work, action.until)
    work.update_agent(agent.id, asleep_until=until)
    work.give_reason(agent.id, Reason(kind=ReasonKind.TIMER, room_id=work.side_room(), since=work.now, due_at=until))
    return Sentence("Asleep until {until:%Y-%m-%d %H:%M} UTC.", until=until)


@handles(ScheduleMessage, asks=Asks.SCHEDULED)
def schedule_message(work: UnitOfWork, action: ScheduleMessage) -> str:
    agent, at = work.me(), _in_time(work, action.at)
    waiting = work.circumstances.scheduled + sum(isinstance(change, AddSchedule) for change in work.changes)
    if waiting >= work.config.scheduled_at_most:
        already = f"{counted(waiting, 'message')} {'is' if waiting == 1 else 'are'} scheduled already"
        raise Rejected(Sentence("{already}: no more can be until one is said.", already=already))
    room_id = AgentId(action.room_id)
    if (agent.id, room_id) not in work.memberships:
        raise Rejected(Sentence("{agent} is not in {place}.", agent=agent.name, place=work.place(room_id)))
    id_ = ScheduleId(work.write.ids.take("schedule"))
    work.put(AddSchedule(schedule=Schedule(id=id_, agent_id=agent.id, room_id=room_id, content=action.message, at=at)))
    return Sentence("It will be said at {at:%Y-%m-%d %H:%M} UTC (scheduled as {id}).", at=at, id=id_)


@handles(CancelScheduled)
async def cancel_scheduled(work: UnitOfWork, action: CancelScheduled) -> str:
    shown = work.context.rooms_shown
    if (id_ := work.me().id) not in work.scheduled:
        work.scheduled[id_] = list(await work.write.agents.schedules(work.community_id, id_))
    mine = work.scheduled[id_]
    found = next((one for one in mine if one.id == action.id and (shown is None or one.room_id in shown)), None)
    if found is None:
        raise Rejected(Sentence("No message {action} waits to be said.", action=action.id))
    mine.remove(found)
    work.put(DropSchedule(schedule_id=found.id))
    return Sentence("Message {found} will not be said.", found=found.id)


@handles(SetInterval)
def set_interval(work: UnitOfWork, action: SetInterval) -> str:
    agent = work.me()
    if action.seconds is None and action.resting_seconds is None:
        raise Rejected(Sentence("Give the seconds between beats, or the resting ones."))
    seconds = agent.interval_seconds if action.seconds is None else action.seconds
    resting = agent.resting_interval_seconds if action.resting_seconds is None else action.resting_seconds
    work.update_agent(agent.id, interval_seconds=seconds, resting_interval_seconds=resting)
    return Sentence(
        "{agent} beats every {seconds:g} s and rests at {resting:g} s.",
        agent=agent.name,
        seconds=seconds,
        resting=resting,
    )


@handles(Pause)
async def pause(work: UnitOfWork, action: Pause) -> str:
    agent = work.me()
    if agent.paused_reason is not None:
        raise Rejected(Sentence("{agent} is paused already.", agent=agent.name))
    work.update_agent(agent.id, paused_reason=action.reason or f"paused by {work.actor.signature()}")
    await redraw_lobbies(work)
    return Sentence("{agent} is paused.", agent=agent.name)


@handles(Resume)
async def resume(work: UnitOfWork, action: Resume) -> str:
    agent = work.me()
    if agent.paused_reason is None:
        raise Rejected(Sentence("{agent} is not paused.", agent=agent.name))
    work.update_agent(agent.id, paused_reason=None, failures_in_a_row=0, unusable_in_a_row=0, backs_off_until=None)
    await redraw_lobbies(work)
    return Sentence("{agent} goes on.", agent=agent.name)


def _in_time(work: UnitOfWork, moment: datetime) -> datetime:
    """Hold a time to the future, and to so many days of it."""
    days = work.config.sleep_at_most_days
    if moment <= work.now:
        raise Rejected(Sentence("That time is past: it is {now:%Y-%m-%d %H:%M} UTC now.", now=work.now))
    if moment > work.now + timedelta(days=days):
        raise Rejected(Sentence("That is more than {days} away.", days=counted(days, "day")))
    return moment
