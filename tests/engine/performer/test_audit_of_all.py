"""Whatever a person changes, the audit says what it was and what it is."""

from collections.abc import Callable
from datetime import timedelta

from bot.core import actions as does
from bot.core.actions import CATALOGUE, Action, Category
from bot.core.kinds import Access, Detail, Emotion, Visibility
from bot.core.records import AgentId
from tests.engine.performer.house import ADA, BO, BOSS, CY, EL, MIRA, House
from tests.fakes import START

SOON = START + timedelta(minutes=10)
MINDS = {"get", "hud", "recall", "read_history", "more", "read_message", "checkpoints"}  # these only look
OF_AGENTS = {"send_message", "reply", "attach", "join_room", "leave_room", "feel"}
FOCUS = {"hud_note", "hud_decision", "hud_file", "hud_blocker", "hud_step"}  # people write whole sections
PLAN = {"plan_goal", "plan_milestone", "plan_strategy"}
KNOCKS = {"request_access", "grant_access", "deny_access"}  # told one by one below
KNOWN, PLANNED = "(before and after: `/knowledge history`)", "(before and after: `/plan show`)"
ROOM = "<#7000000000000001>"
DEEDS: tuple[tuple[Action, AgentId | None, str], ...] = (
    (does.Set(path="tea.kind", value="green"), ADA, f"tea.kind is set. {KNOWN}"),
    (does.Append(path="cups", value=1), ADA, f"Added to cups. {KNOWN}"),
    (does.Delete(path="cups"), ADA, f"cups is deleted. {KNOWN}"),
    (does.UndoKnowledge(), ADA, f"cups is as it was before 2026-11-20 10:00 UTC. {KNOWN}"),
    (does.Sleep(until=SOON), BO, "(asleep until: none → 2026-11-20 10:10 UTC)"),
    (does.WakeAgent(agent_id=BO), BO, "Bo is woken. (asleep until: 2026-11-20 10:10 UTC → none)"),
    (does.Say(room_id=ADA, message="Tea!"), BO, f"Bo says it in {ROOM}."),
    (does.ScheduleMessage(room_id=ADA, message="Tea!", at=SOON), BO, "It will be said at 2026-11-20 10:10 UTC"),
    (does.CancelScheduled(id=1), BO, "Message 1 will not be said."),
    (does.SetBillboard(message="At five"), ADA, "The billboard is up. (billboard: none → At five)"),
    (does.SetBillboard(message="At six"), ADA, "The billboard is up. (billboard: At five → At six)"),
    (does.ClearBillboard(), ADA, "The billboard is down. (billboard: At six → none)"),
    (does.SetTopic(topic="tea"), ADA, "The topic is set. (topic: none → tea)"),
    (does.ClearTopic(), ADA, "The topic is gone. (topic: tea → none)"),
    (does.SetWpm(wpm=111), ADA, "The room talks at 111 words a minute. (words a minute: 80 → 111)"),
    (does.SetRpm(rpm=17), ADA, "(messages a minute: 200 → 17)"),
    (does.SetAccess(access=Access.OPEN), ADA, "(access: knock → open)"),
    (does.SetVisibility(visibility=Visibility.PRIVATE), ADA, "(visibility: public → private)"),
    (does.SetVisibility(visibility=Visibility.PUBLIC), EL, "(visibility: private → public)"),
    (does.Hush(minutes=5), ADA, "(silent until: none → 2026-11-20 10:05 UTC)"),
    (does.Hush(minutes=0), ADA, "(silent until: 2026-11-20 10:05 UTC → none)"),
    (does.Invite(agent_id=CY), ADA, "Cy is in Ada's room now."),
    (does.Remove(agent_id=CY), ADA, "Cy is out of the room."),
    (does.Remove(person_id=int(MIRA.id)), EL, "@mira is not let into the room any more."),
    (does.ClearRoom(messages=3, before=99), ADA, f"The newest 3 messages of {ROOM} are being deleted."),
    (does.StopClearing(), ADA, f"No more messages of {ROOM} are deleted."),
    (does.CreateKey(key="open sesame", label="red"), ADA, 'The key "red" is made.'),
    (does.GiveKey(label="red", agent_id=CY), ADA, 'Cy holds the key "red" now.'),
    (does.HandKey(label="red", person_id=int(MIRA.id)), ADA, 'The key "red" is for @mira.'),
    (does.RevokeKey(key="red"), ADA, 'The key "red" opens the room no longer.'),
    (does.SetAttention(room_id=ADA, value="30"), ADA, "(attention: an equal share of what is left → 30%)"),
    (
        does.SetAllocation(knowledge=10, recent_actions=10, rooms=80),
        ADA,
        "(shares of its view: knowledge 30%, actions 10%, rooms 60% → knowledge 10%, actions 10%, rooms 80%)",
    ),
    (does.HudUpdate(section="notes", value=["one"]), ADA, "Ada's focus is updated. (notes: none → 1 line)"),
    (does.HudUpdate(section="currentTask", value="make tea"), ADA, "(current task: none → 2 words)"),
    (does.HudClear(section="notes"), ADA, "(notes: 1 line → none)"),
    (does.SetPlan(part="goals", lines=("win",)), ADA, f"Ada's plan is updated. {PLANNED}"),
    (does.ClearPlan(part="goals"), ADA, f"Ada's plan is updated. {PLANNED}"),
    (does.UndoPlan(), ADA, f"goal 1 is as it was before 2026-11-20 10:00 UTC. {PLANNED}"),
    (does.Compact(room_id=ADA), ADA, f"What was said in {ROOM} will be summed up."),
    (does.SetName(name="Adele"), ADA, "(name: Ada → Adele)"),
    (does.AlterAgent(agent_id=BO, background_prompt="You bake."), BO, "number 2. → You bake.)"),
    (
        does.AlterAgent(
            agent_id=BO, token_budget=9_000, spare_models=("gpt-4o", "o3"), detail=Detail.LEAN, aliases=("B",)
        ),
        BO,
        "(token budget: 10000 → 9000; detail: auto → lean; spare models: none → gpt-4o, o3; aliases: none → B)",
    ),
    (
        does.SetInterval(seconds=2, resting_seconds=3),
        BO,
        "(interval, the seconds between beats: 4.5 → 2; resting interval, the seconds between beats at rest: 10 → 3)",
    ),
    (does.Pause(reason="tea"), BO, "Bo is paused. (pause: none → tea)"),
    (does.Resume(), BO, "Bo goes on. (pause: tea → none)"),
    (does.RetireAgent(agent_id=CY), CY, "Cy is retired."),
    (does.RestoreAgent(agent_id=CY), CY, "Cy is back."),
    (does.PermitAgent(agent_id=BO, allowed=True), BO, "Bo may create agents. (may create agents: no → yes)"),
    (does.SetMuted(person_id=int(MIRA.id), muted=True), None, "Agents ignore @mira."),
    (does.SetIgnored(ignored=True), None, "Agents ignore @boss."),
    (does.SetSetting(name="settle_seconds", value=2), None, "`settle_seconds` is set: 0.8 → 2.0."),
    (does.SetSetting(name="settle_seconds", value=None), None, "`settle_seconds` is back at its default; it was 2.0."),
    (does.CloneAgent(agent_id=BO, name="Bob"), BO, "Bob is created, like Bo."),
    (does.CreateAgent(name="Zed", background_prompt="You are Zed."), None, "Zed is created."),
    (does.DeleteAgent(agent_id=CY), CY, "Cy is deleted for good."),
)


async def newest(house: House) -> str:
    async with house.store.reading() as read:
        return (await read.logs.audit(house.community_id, limit=1))[0].what


async def knock(house: House, decide: Callable[..., Action]) -> tuple[str, str]:
    """Let Mira knock at El's room and a manager decide; gives what the audit says of both."""
    await house.ask(MIRA, does.RequestAccess(room_id=EL, key="open sesame"))
    knocked = await newest(house)
    async with house.store.reading() as read:
        view = await read.views.whole(house.community_id, agent_ids=[EL])
    (waiting,) = view.requests[EL]
    await house.ask(BOSS, decide(request_id=waiting.id), subject=EL)
    return knocked, await newest(house)


async def test_the_audit_says_of_everything_that_people_change_what_it_was_and_is(house: House) -> None:
    await house.ask(MIRA, does.SetIgnored(ignored=False))
    message = await house.said_by_agent(BO, "I like tea", ADA)
    await house.ask(BOSS, does.React(message_id=message, reaction=Emotion.THUMBS_UP))
    assert (await newest(house)).endswith("(interval, the seconds between beats: 5 → 4.5)")
    for action, subject, told in DEEDS:
        (outcome,) = await house.ask(BOSS, action, subject=subject)
        assert outcome.accepted, (action, outcome.why)
        assert told in await newest(house)


async def test_the_audit_says_who_knocked_and_what_was_decided(house: House) -> None:
    await house.ask(BOSS, does.CreateKey(key="open sesame", label="red"), subject=EL)
    knocked, denied = await knock(house, does.DenyAccess)
    assert (knocked, denied) == ("@mira knocked at El's room: its owner decides.", "Request 1: @mira is turned away.")
    assert (await knock(house, does.GrantAccess))[1] == "Request 2: @mira is let in."


def test_nothing_that_people_can_change_is_left_out_here() -> None:
    told = {action.definition.name for action, _, _ in DEEDS} | {"react"} | KNOCKS
    scenes = {one.name for one in CATALOGUE if one.category is Category.SCENES}  # they keep a log of their own
    assert told == {one.name for one in CATALOGUE} - MINDS - OF_AGENTS - FOCUS - PLAN - scenes
