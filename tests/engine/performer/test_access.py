"""Keys, knocks and doors, from the first key to the last use."""

from datetime import timedelta

import pytest

from bot.core.access import MOST_KEYS, MOST_REMEMBERED, WRONG_KEY, shown_label
from bot.core.actions import (
    CreateKey,
    DenyAccess,
    GiveKey,
    GrantAccess,
    JoinRoom,
    LeaveRoom,
    Pause,
    RequestAccess,
    RetireAgent,
    RevokeKey,
    SetAccess,
    SetName,
    SetVisibility,
)
from bot.core.kinds import Access, LetterKind, ReasonKind, Visibility
from bot.core.letters import NoticePayload, parse_payload
from bot.core.records import AgentId
from tests.engine.performer.house import ADA, BO, BOSS, CY, EL, MIRA, House
from tests.fakes import PlainCipher

SESAME = CreateKey(key="open sesame", label="blue")
KNOCK = RequestAccess(room_id=ADA, key="open sesame")


async def members(house: House, room_id: AgentId = ADA) -> tuple[AgentId, ...]:
    return (await house.view()).rooms[room_id].members


async def test_a_key_a_knock_and_the_owners_consent_make_a_member(house: House) -> None:
    assert await house.one(ADA, SESAME) == ""
    assert await house.one(CY, KNOCK) == ""
    (request,) = (await house.view()).requests[ADA]
    assert (request.requester_name, request.key_label) == ("Cy", "blue")
    assert await house.one(ADA, GrantAccess(request_id=request.id)) == ""
    assert CY in await members(house)
    assert (await house.view()).memberships[CY, ADA].attention is None
    assert await house.texts(ADA) == ["Cy asks to come in.", "Cy was let in."]


async def test_the_owner_is_woken_by_a_knock_and_the_requester_by_the_answer(house: House) -> None:
    await house.act(ADA, SESAME)
    await house.act(CY, KNOCK)
    view = await house.view()
    assert ReasonKind.ACCESS in {reason.kind for reason in view.reasons[ADA]}
    await house.act(ADA, DenyAccess(request_id=1))
    view = await house.view()
    assert ReasonKind.ANSWER in {reason.kind for reason in view.reasons[CY]}
    assert (await house.last_action(CY)).why == "Ada: you were turned away"
    assert CY not in await members(house)


async def test_managers_hear_of_a_knock_at_a_door_that_its_paused_owner_will_not_open(house: House) -> None:
    await house.act(ADA, SESAME)
    await house.act(CY, KNOCK)
    assert LetterKind.NOTICE not in {one.kind for one in await house.letters()}
    await house.act(ADA, DenyAccess(request_id=1))
    await house.ask(BOSS, Pause(), subject=ADA)
    await house.act(CY, KNOCK)
    [told] = [one for one in await house.letters() if one.kind is LetterKind.NOTICE]
    assert str(told.payload["text"]).startswith("🔔 Cy knocks at the door of Ada, who is paused and will not answer:")


async def test_every_key_that_does_not_fit_gets_the_same_answer(house: House) -> None:
    soon = house.now + timedelta(minutes=1)
    await house.act(ADA, SESAME, CreateKey(key="gone key", label="old"), CreateKey(key="late key", expires=soon))
    await house.act(BO, CreateKey(key="other room"))
    await house.act(ADA, RevokeKey(key="old"))
    house.now += timedelta(hours=1)
    for key in ("never made", "gone key", "late key", "other room", "blue"):
        assert await house.one(CY, RequestAccess(room_id=ADA, key=key)) == WRONG_KEY
        house.now += timedelta(minutes=11)


async def test_who_is_let_in_is_named_as_they_are_called_now(house: House) -> None:
    await house.act(ADA, SESAME)
    await house.act(CY, KNOCK)
    await house.act(CY, SetName(name="Cyan"))
    (granted,) = await house.ask(BOSS, GrantAccess(request_id=1), subject=ADA)
    assert granted.result == "Request 1: Cyan is let in."


async def test_five_wrong_keys_lock_a_requester_out_even_with_the_right_one(house: House) -> None:
    await house.act(ADA, SESAME)
    wrong = [RequestAccess(room_id=ADA, key=f"guess {n}") for n in range(6)]
    outcomes = await house.act(CY, *wrong)
    assert [one.why for one in outcomes[:5]] == [WRONG_KEY] * 5
    assert outcomes[5].why == "Too many wrong keys: try that room again in 10 minutes."
    assert (await house.one(CY, KNOCK)).startswith("Too many wrong keys")
    house.now += timedelta(minutes=10, seconds=1)
    assert await house.one(CY, KNOCK) == ""


async def test_a_use_is_spent_at_the_grant_and_the_second_knock_finds_the_key_used_up(house: House) -> None:
    await house.act(ADA, CreateKey(key="once only", uses=1))
    await house.act(CY, RequestAccess(room_id=ADA, key="once only"))
    await house.act(EL, RequestAccess(room_id=ADA, key="once only"))
    first, second = await house.act(ADA, GrantAccess(request_id=1), GrantAccess(request_id=2))
    assert first.accepted
    assert second.why == "That request is no longer good (its key, or the one who asked): it is cancelled."
    assert EL not in await members(house)
    assert not (await house.view()).requests.get(ADA)


async def test_only_one_request_waits_per_requester(house: House) -> None:
    await house.act(ADA, SESAME)
    assert [one.why for one in await house.act(CY, KNOCK, KNOCK)] == ["", "Your request waits there already."]


async def test_the_first_decision_wins(house: House) -> None:
    await house.act(ADA, SESAME)
    await house.act(CY, KNOCK)
    (denied,) = await house.ask(BOSS, DenyAccess(request_id=1), subject=ADA)
    assert denied.accepted
    assert await house.one(ADA, GrantAccess(request_id=1)) == "No request 1 waits at your room."


async def test_a_request_expires_after_a_day(house: House) -> None:
    await house.act(ADA, SESAME)
    await house.act(CY, KNOCK)
    house.now += timedelta(hours=24)
    assert await house.one(ADA, GrantAccess(request_id=1)) == "That request has expired."
    assert await house.one(CY, KNOCK) == ""


async def test_a_room_has_only_so_many_keys_whoever_makes_them(house: House) -> None:
    made = await house.act(ADA, *(CreateKey(key=f"word {n}") for n in range(MOST_KEYS + 1)))
    assert [one.why for one in made] == [""] * MOST_KEYS + ["A room has at most 20 keys: withdraw one first."]
    (another,) = await house.ask(BOSS, CreateKey(label="mine"), subject=ADA)
    assert another.why == "A room has at most 20 keys: withdraw one first."
    await house.act(ADA, RevokeKey(key="word 0"))
    assert await house.one(ADA, CreateKey(key="word 99")) == ""


async def test_a_key_that_was_withdrawn_counts_until_it_is_forgotten(house: House) -> None:
    for n in range(MOST_REMEMBERED):
        assert await house.one(ADA, CreateKey(key=f"word {n}")) == ""
        await house.act(ADA, RevokeKey(key=f"word {n}"))
    assert "forgotten 7 days after they ended" in await house.one(ADA, CreateKey(key="one more"))
    async with house.store.writing(house.community_id) as write:
        before, later = house.now - timedelta(days=90), house.now + timedelta(seconds=1)
        await write.upkeep.forget(house.community_id, messages_before=before, huds_before=later, logs_before=before)
    assert await house.one(ADA, CreateKey(key="one more")) == ""


async def test_withdrawing_a_key_cancels_what_waits_for_it(house: House) -> None:
    await house.act(ADA, SESAME)
    await house.act(CY, KNOCK)
    await house.act(ADA, RevokeKey(key="open sesame"))
    assert not (await house.view()).requests.get(ADA)
    assert "its key was withdrawn" in (await house.last_action(CY)).why


async def test_a_held_key_opens_by_its_label(house: House) -> None:
    await house.act(ADA, SESAME)
    assert await house.one(ADA, GiveKey(label="blue", agent_id=CY)) == ""
    assert await house.one(CY, RequestAccess(room_id=ADA, key="Blue")) == ""


async def test_a_held_key_opens_no_other_room_by_its_label(house: House) -> None:
    await house.act(ADA, CreateKey(key="open sesame", label="blue"), GiveKey(label="blue", agent_id=CY))
    assert await house.one(CY, RequestAccess(room_id=BO, key="blue")) == WRONG_KEY
    assert await house.one(CY, RequestAccess(room_id=ADA, key="blue")) == ""


async def test_a_request_by_somebody_else_than_the_owner_cannot_be_granted(house: House) -> None:
    await house.act(ADA, SESAME)
    await house.act(CY, KNOCK)
    assert await house.one(BO, GrantAccess(request_id=1)) == "No request 1 waits at your room."
    assert CY not in await members(house)


async def test_a_person_knocks_at_a_private_room_and_is_given_the_channel(house: House) -> None:
    await house.act(EL, CreateKey(key="for people"))
    (knocked,) = await house.ask(MIRA, RequestAccess(room_id=EL, key="for people"))
    assert knocked.accepted
    await house.act(EL, GrantAccess(request_id=1))
    letters = {one.kind: one.payload for one in await house.letters() if one.room_id == EL}
    assert letters[LetterKind.PERMISSION] == {"person_id": MIRA.id, "allowed": True}
    assert letters[LetterKind.NOTICE]["person_id"] == MIRA.id
    assert "@mira was let in." in await house.texts(EL)


async def test_a_person_needs_no_key_for_a_room_that_everyone_sees(house: House) -> None:
    (knocked,) = await house.ask(MIRA, RequestAccess(room_id=ADA, key="whatever"))
    assert knocked.why == "Everyone on the server sees that room already."


@pytest.mark.parametrize(
    ("access", "why"),
    [
        (Access.OPEN, ""),
        (Access.KNOCK, "That room takes a key: use request_access."),
        (Access.CLOSED, "That room is closed."),
    ],
)
async def test_joining_goes_by_the_rooms_access(house: House, access: Access, why: str) -> None:
    await house.act(ADA, SetAccess(access=access))
    assert await house.one(CY, JoinRoom(room_id=ADA)) == why
    assert (CY in await members(house)) is not bool(why)


async def test_one_can_leave_any_room_but_ones_own(house: House) -> None:
    assert await house.one(BO, LeaveRoom(room_id=ADA)) == ""
    assert BO not in await members(house)
    assert await house.one(BO, LeaveRoom(room_id=BO)) == "Your own room cannot be left."


async def test_no_secret_stands_in_what_is_recorded_or_stored_in_the_clear(house: House) -> None:
    outcomes = await house.act(ADA, SESAME, RevokeKey(key="open sesame"))
    await house.act(CY, KNOCK)
    stored = repr([(await house.mind(id)).recent_actions for id in (ADA, CY)]) + repr([o.result for o in outcomes])
    assert "sesame" not in stored
    assert "***" in stored
    (key,) = (await house.view(ADA)).keys[ADA]
    assert "sesame" not in repr(key)
    assert PlainCipher().decrypt(key.ciphertext) == "open sesame"


async def test_a_drawn_key_is_shown_to_the_manager_who_asked_and_to_nobody_else(house: House) -> None:
    (made,) = await house.ask(BOSS, CreateKey(label="drawn"), subject=ADA)
    assert len(made.secret) >= 12
    assert made.secret not in made.result
    (drawn,) = await house.act(BO, CreateKey())
    assert drawn.secret == ""
    assert await house.one(CY, RequestAccess(room_id=ADA, key=made.secret)) == ""


async def test_making_a_room_private_takes_it_from_everyone(house: House) -> None:
    await house.ask(BOSS, SetVisibility(visibility=Visibility.PRIVATE), subject=ADA)
    (letter,) = [one for one in await house.letters() if one.kind is LetterKind.PERMISSION]
    assert letter.payload == {"allowed": False}
    room = (await house.view()).all_rooms[ADA]
    assert room.visibility is Visibility.PUBLIC  # until Discord shows the channel closed


async def test_who_is_kept_in_is_let_in_before_the_room_is_closed(house: House) -> None:
    action = SetVisibility(visibility=Visibility.PRIVATE, keeps_in=BOSS.id)
    await house.ask(BOSS, action, subject=ADA)
    async with house.store.reading() as read:
        waiting = (await read.views.whole(house.community_id, room_ids=[ADA])).unposted[ADA]
    assert [letter.payload for letter in waiting] == [{"person_id": BOSS.id, "allowed": True}, {"allowed": False}]


async def test_a_room_that_is_not_there_gets_the_answer_of_a_wrong_key(house: House) -> None:
    assert await house.one(CY, RequestAccess(room_id=999, key="open sesame")) == WRONG_KEY


async def test_who_has_retired_meanwhile_is_not_let_in(house: House) -> None:
    await house.act(ADA, SESAME)
    await house.act(CY, KNOCK)
    await house.ask(BOSS, RetireAgent(agent_id=CY))
    assert "no longer good" in await house.one(ADA, GrantAccess(request_id=1))
    assert CY not in await members(house)


async def test_a_key_made_behind_a_closed_door_carries_no_words_of_it_into_the_open(house: House) -> None:
    assert await house.one(EL, CreateKey(key="open sesame", label="the heist is on friday"), side=int(EL)) == ""
    (key,) = (await house.view(EL)).keys[EL]
    assert key.label == f"key {key.id}"


async def test_holders_see_no_words_on_a_private_rooms_key_and_can_knock_with_what_they_see(house: House) -> None:
    label = "the heist is on friday"
    await house.ask(BOSS, CreateKey(key="open sesame", label=label), subject=EL)
    assert await house.one(EL, GiveKey(label=label, agent_id=CY), side=int(EL)) == ""
    view = await house.view(CY)
    (key,) = view.held_keys[CY]
    assert (shown_label(key, view.all_rooms[EL]), shown_label(key, view.all_rooms[ADA])) == (f"key {key.id}", label)
    assert await house.one(CY, RequestAccess(room_id=EL, key=f"key {key.id}")) == ""


KEY = CreateKey(key="open sesame", label="blue")


async def test_a_key_can_be_handed_on_and_withdrawn_by_the_answer_that_made_it(house: House) -> None:
    outcomes = await house.act(ADA, KEY, GiveKey(label="blue", agent_id=BO), RevokeKey(key="blue"))
    assert [one.accepted for one in outcomes] == [True, True, True]
    view = await house.view()
    assert all(key.revoked_at is not None for key in view.keys[ADA])
    assert await house.one(CY, KNOCK) != ""


async def test_who_is_decided_about_is_told_where_it_will_look(house: House) -> None:
    await house.act(ADA, KEY)
    await house.act(CY, KNOCK)
    assert await house.one(ADA, GrantAccess(request_id=1)) == ""
    told = await house.last_action(CY)
    assert (told.type, told.accepted, told.why) == ("request_access", True, "")
    assert told.result.startswith("Ada: ")
    (reason,) = [one for one in (await house.view()).reasons[CY] if one.kind is ReasonKind.ANSWER]
    assert reason.by_agent_id == ADA


async def test_of_two_decisions_in_one_answer_the_first_stands(house: House) -> None:
    await house.act(ADA, KEY)
    await house.act(CY, KNOCK)
    granted, denied = await house.act(ADA, GrantAccess(request_id=1), DenyAccess(request_id=1))
    assert (granted.accepted, denied.accepted) == (True, False)
    assert (CY, AgentId(ADA)) in (await house.view()).memberships


async def test_a_person_is_told_by_a_notice_to_them_alone(house: House) -> None:
    await house.act(EL, KEY)
    await house.ask(MIRA, RequestAccess(room_id=EL, key="open sesame"))
    (knock,) = (await house.view()).requests[EL]
    assert await house.one(EL, DenyAccess(request_id=knock.id)) == ""
    told = [parse_payload(one.kind, one.payload) for one in await house.letters()]
    (notice,) = [one for one in told if isinstance(one, NoticePayload) and one.person_id is not None]
    assert (notice.person_id, notice.to_managers, notice.text) == (MIRA.id, False, "El's room: you were turned away.")
