"""Keys and knocks as the actions of one answer leave them, one after the other."""

from bot.core.actions import CreateKey, DenyAccess, GiveKey, GrantAccess, RequestAccess, RevokeKey
from bot.core.kinds import ReasonKind
from bot.core.letters import NoticePayload, parse_payload
from bot.core.records import AgentId
from tests.engine.performer.house import ADA, BO, CY, EL, MIRA, House

KEY = CreateKey(key="open sesame", label="blue")
KNOCK = RequestAccess(room_id=ADA, key="open sesame")


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
