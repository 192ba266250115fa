"""What the console tells: the transcript with what lies behind it, and nothing that the commands would not."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from bot.core.changes import AddMembership, EndBeat
from bot.core.kinds import ReasonKind
from bot.core.records import PUBLIC_SIDE, AgentId, Beat, BeatId, Side, Snowflake, Usage
from tests.console.house import Open, opened
from tests.engine.town import ADA, ADAS, BOB
from tests.factories import membership, person

HUD = "==== WORLD ====\nnothing\n==== ROOMS ====\n{}\n"


async def beat(there: Open, number: int, *, side: Side = PUBLIC_SIDE, says: str = "", room: AgentId = ADA) -> None:
    """Let Ada beat, and say something."""
    here = there.here
    async with here.store.writing(here.community_id) as write:
        id_ = BeatId(write.ids.take("beat"))
        assert id_ == number
        ended = Beat(
            id=id_,
            agent_id=ADA,
            at=here.clock.now(),
            reason=ReasonKind.ADDRESSED,
            person_id=Snowflake(501),
            side=side,
            room_id=room,
            hud=HUD.format(f"line {number}"),
            answer=f'{{"thoughts":"thought {number}"}}',
            thoughts=f"thought {number}",
            sections=(("rooms", 10 * number),),
            usage=Usage(input_tokens=10 * number),
            outcome=("Said in room 1.",),
            silent=False,
        )
        await write.apply(here.community_id, [EndBeat(beat=ended)])
    if says:
        await here.say(ADA, says, room_id=room, beat_id=id_)
        await here.deliver()


async def told(there: Open, path: str) -> Any:  # noqa: ANN401
    status, found = await there.ask(f"/api/v1{path}")
    assert status == 200, found
    return found


async def test_behind_a_message_stand_its_reason_its_cost_and_its_delivery() -> None:
    async with opened() as there:
        await there.here.hear("Ada, hello")
        await beat(there, 1, says="Hello!")
        asked, said = (await told(there, "/rooms/1"))["messages"]
        assert (asked["text"], asked["beat"], asked["delivery"]) == ("Ada, hello", None, None)
        assert (said["text"], said["by"], said["beat"]["because"]) == ("Hello!", "Ada", "somebody spoke to it")
        assert (said["delivery"]["state"], said["delivery"]["attempts"]) == ("sent", 1)
        by_id, by_discord = (
            await told(there, f"/messages/{said['id']}"),
            await told(there, f"/messages/{said['discord_id']}"),
        )
        assert by_id == by_discord == said


async def test_a_beat_is_told_with_what_was_new_since_the_one_before() -> None:
    async with opened() as there:
        async with there.here.store.writing(there.here.community_id) as write:
            await write.people.put(there.here.community_id, person())
        await beat(there, 1)
        first = await told(there, "/agents/1/beats/1")
        assert (first["before"], first["gone"]) == (None, [])
        await beat(there, 2)
        second = await told(there, "/agents/1/beats/2")
        assert [text for text, is_new in second["stretches"] if is_new] == ["line 2\n"]
        assert second["gone"] == ["line 1\n"]
        assert second["sections"] == [{"name": "rooms", "tokens": 20, "before": 10}]
        assert (second["before"]["id"], second["by"], second["beat"]["thoughts"]) == (1, "@mira", "thought 2")
        assert [one["id"] for one in (await told(there, "/agents/1/beats"))["beats"]] == [2, 1]


async def test_an_agents_beats_go_back_to_the_first_also_behind_many_that_are_not_to_be_seen() -> None:
    async with opened() as there:
        for number in range(1, 61):
            await beat(there, number)
        secret = await thread(there, 61)
        for number in range(62, 270):
            await beat(there, number, side=Side(secret), room=secret)
        newest = await told(there, "/agents/1/beats")
        assert [one["id"] for one in newest["beats"]] == list(range(60, 10, -1))
        first = await told(there, f"/agents/1/beats?before={newest['earlier']}")
        assert ([one["id"] for one in first["beats"]], first["earlier"]) == (list(range(10, 0, -1)), None)
        assert (await told(there, "/agents/1/beats/1"))["beat"]["thoughts"] == "thought 1"


async def test_the_beat_before_is_one_of_the_same_side() -> None:
    async with opened() as there:
        await beat(there, 1)
        await beat(there, 2, side=Side(BOB))
        await beat(there, 3)
        assert (await told(there, "/agents/1/beats/3"))["before"]["id"] == 1


async def test_a_transcript_goes_back_page_by_page_and_leads_to_a_message() -> None:
    async with opened() as there:
        for number in range(60):
            await there.here.hear(f"line {number}")
        newest = await told(there, "/rooms/1")
        assert (newest["newest"], newest["more"], len(newest["messages"])) == (True, True, 50)
        earlier = await told(there, f"/rooms/1?before={newest['messages'][0]['id']}")
        assert [one["text"] for one in earlier["messages"]] == [f"line {number}" for number in range(10)]
        seen = await told(there, f"/rooms/1?at={earlier['messages'][3]['id']}")
        assert [one["text"] for one in seen["messages"]] == ["line 0", "line 1", "line 2", "line 3"]


async def test_the_overview_tells_what_is_warm_and_what_waits() -> None:
    async with opened() as there:
        await there.here.hear("Ada, hello")
        await there.here.say(BOB, "not posted yet")
        found = await told(there, "/overview")
        rooms = {one["name"]: one for one in found["rooms"]}
        assert (rooms["Ada"]["lately"], rooms["Bob"]["lately"], rooms["Bob"]["unposted"]) == (1, 0, 1)
        assert rooms["Ada"]["members"] == [ADA]
        assert [(one["kind"], one["state"], one["letters"]) for one in found["letters"]] == [("post", "waiting", 1)]
        own = found["models"][0]["name"]
        assert found["models"] == [{"name": own, "agents": 2, "spare_for": 0, "failing": False, "failures": 0}]
        await there.here.clock.advance(timedelta(minutes=11).total_seconds())
        assert (await told(there, "/overview"))["rooms"][0]["lately"] == 0


async def test_the_overview_is_read_once_for_all_who_look_at_the_same_time_and_told_to_each_as_they_may_see_it() -> (
    None
):
    async with opened(glance_seconds=60.0) as there:
        reads = 0
        foreseen = there.desk.agents.foreseen

        async def counted(_: object, guild_id: Snowflake) -> object:
            nonlocal reads
            reads += 1
            return await foreseen(guild_id)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(type(there.desk.agents), "foreseen", counted)
            whole, *others = await asyncio.gather(*(told(there, "/overview") for _ in range(12)))
            assert (reads, [one for one in others if one != whole]) == (1, [])
            there.server.closed = {ADAS}
            mine = await told(there, "/overview")
            assert reads == 1
        assert [one["closed"] for one in whole["rooms"]] == [False, False]
        assert [one["closed"] for one in mine["rooms"]] == [True, False]
        there.server.managers.clear()
        assert (await there.ask("/api/v1/overview"))[0] == 403


async def test_an_agent_is_told_with_what_it_carries_and_where_it_looks() -> None:
    async with opened() as there:
        await there.here.apply(AddMembership(membership=membership(ADA, BOB, attention=40)))
        found = await told(there, "/agents/1")
        assert (found["agent"]["name"], found["feedback"], found["days"]) == ("Ada", {}, [])
        shares = {one["room"]["name"]: round(one["share"]) for one in found["attention"]}
        assert shares == {"Ada": 60, "Bob": 40}


async def thread(there: Open, number: int = 1) -> AgentId:
    """Open a private thread in Ada's room, and let Ada say something there."""
    here = there.here
    async with here.store.writing(here.community_id) as write:
        id_ = await write.rooms.add_thread(
            here.community_id, ADA, Snowflake(7_000_000_000_000_099), name="aside", at=here.clock.now()
        )
    await beat(there, number, side=Side(id_), says="a secret", room=id_)
    return id_


async def test_a_private_thread_is_only_for_who_may_read_it_now() -> None:
    async with opened() as there:
        id_ = await thread(there)
        async with there.here.store.reading() as read:
            (said,) = await read.talk.history(there.here.community_id, id_)
        inside = [f"/rooms/{id_}", f"/messages/{said.id}", f"/messages/{said.discord_id}", "/agents/1/beats/1"]
        for path in inside:
            assert (await there.ask(f"/api/v1{path}"))[0] == 404, path
        assert ((await told(there, "/agents/1/beats"))["beats"], (await told(there, "/rooms/1"))["threads"]) == ([], [])
        there.server.readable.add(id_)
        for path in inside:
            assert "secret" in str(await told(there, path)) or "thought 1" in str(await told(there, path)), path
        assert [one["id"] for one in (await told(there, "/rooms/1"))["threads"]] == [id_]
        there.server.readable.clear()
        assert (await there.ask(f"/api/v1/rooms/{id_}"))[0] == 404
