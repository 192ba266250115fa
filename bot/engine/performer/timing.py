"""Performs when an agent beats and speaks."""

from datetime import datetime, timedelta

from bot.core.actions import CancelScheduled, Pause, Resume, ScheduleMessage, SetInterval, Sleep
from bot.core.changes import AddSchedule, DropSchedule
from bot.core.errors import Rejected
from bot.core.kinds import ReasonKind
from bot.core.records import AgentId, Reason, Schedule, ScheduleId
from bot.core.wording import counted
from bot.engine.performer.desk import Desk
from bot.engine.performer.registry import Asks, handles


@handles(Sleep)
def sleep(desk: Desk, action: Sleep) -> str:
    agent, until = desk.me(), _in_time(desk, action.until)
    desk.update_agent(agent.id, asleep_until=until)
    desk.give_reason(agent.id, Reason(kind=ReasonKind.TIMER, room_id=desk.side_room(), since=desk.now, due_at=until))
    return f"Asleep until {until:%Y-%m-%d %H:%M} UTC."


@handles(ScheduleMessage, asks=Asks.SCHEDULED)
def schedule_message(desk: Desk, action: ScheduleMessage) -> str:
    agent, at = desk.me(), _in_time(desk, action.at)
    waiting = desk.circumstances.scheduled + sum(isinstance(change, AddSchedule) for change in desk.changes)
    if waiting >= desk.config.scheduled_at_most:
        already = f"{counted(waiting, 'message')} {'is' if waiting == 1 else 'are'} scheduled already"
        raise Rejected(f"{already}: no more can be until one is said.")
    room_id = AgentId(action.room_id)
    if (agent.id, room_id) not in desk.memberships:
        raise Rejected(f"{agent.name} is not in {desk.place(room_id)}.")
    id = ScheduleId(desk.write.ids.take("schedule"))
    desk.put(AddSchedule(schedule=Schedule(id=id, agent_id=agent.id, room_id=room_id, content=action.message, at=at)))
    return f"It will be said at {at:%Y-%m-%d %H:%M} UTC (scheduled as {id})."


@handles(CancelScheduled)
async def cancel_scheduled(desk: Desk, action: CancelScheduled) -> str:
    shown = desk.terms.rooms_shown
    if (id := desk.me().id) not in desk.scheduled:
        desk.scheduled[id] = list(await desk.write.schedules(desk.community_id, id))
    mine = desk.scheduled[id]
    found = next((one for one in mine if one.id == action.id and (shown is None or one.room_id in shown)), None)
    if found is None:
        raise Rejected(f"No message {action.id} waits to be said.")
    mine.remove(found)
    desk.put(DropSchedule(schedule_id=found.id))
    return f"Message {found.id} will not be said."


@handles(SetInterval)
def set_interval(desk: Desk, action: SetInterval) -> str:
    agent = desk.me()
    if action.seconds is None and action.resting_seconds is None:
        raise Rejected("Give the seconds between beats, or the resting ones.")
    seconds = agent.interval_seconds if action.seconds is None else action.seconds
    resting = agent.resting_interval_seconds if action.resting_seconds is None else action.resting_seconds
    desk.update_agent(agent.id, interval_seconds=seconds, resting_interval_seconds=resting)
    return f"{agent.name} beats every {seconds:g} s and rests at {resting:g} s."


@handles(Pause)
def pause(desk: Desk, action: Pause) -> str:
    agent = desk.me()
    if agent.paused_reason is not None:
        raise Rejected(f"{agent.name} is paused already.")
    desk.update_agent(agent.id, paused_reason=action.reason or f"paused by {desk.actor.signature()}")
    return f"{agent.name} is paused."


@handles(Resume)
def resume(desk: Desk, action: Resume) -> str:
    agent = desk.me()
    if agent.paused_reason is None:
        raise Rejected(f"{agent.name} is not paused.")
    desk.update_agent(agent.id, paused_reason=None, failures_in_a_row=0, backs_off_until=None)
    return f"{agent.name} goes on."


def _in_time(desk: Desk, moment: datetime) -> datetime:
    """Hold a time to the future, and to so many days of it."""
    days = desk.config.sleep_at_most_days
    if moment <= desk.now:
        raise Rejected(f"That time is past: it is {desk.now:%Y-%m-%d %H:%M} UTC now.")
    if moment > desk.now + timedelta(days=days):
        raise Rejected(f"That is more than {counted(days, 'day')} away.")
    return moment
