"""What managers change in the console: as by commands, in the same audit, and not in rooms that are closed to them."""

from typing import Any

from bot.console.reading import CLOSED
from tests.console.house import BOSS, Open, opened
from tests.engine.town import ADA, ADAS, BOB
from tests.factories import GUILD_ID, person

DO = f"/api/v1/rooms/{ADA}/do"
SETTINGS = f"/api/v1/rooms/{ADA}/settings"
KNOWLEDGE = f"/api/v1/agents/{ADA}/knowledge"


async def done(there: Open, address: str, /, **said: Any) -> Any:  # noqa: ANN401
    status, told = await there.ask(address, "POST", json=said)
    assert status == 200, told
    return told


async def test_a_room_is_set_as_by_commands_and_the_audit_says_so() -> None:
    async with opened() as there:
        await done(there, DO, type="set_topic", topic="tea and fog")
        await done(there, DO, type="set_access", access="open")
        await done(there, DO, type="invite", agent_id=BOB)
        made = await done(there, DO, type="create_key", label="spare")
        assert made["secret"]
        _, told = await there.ask(SETTINGS)
        assert (told["room"]["topic"], told["room"]["access"]) == ("tea and fog", "open")
        assert [one["name"] for one in told["members"]] == ["Ada", "Bob"]
        assert [one["label"] for one in told["keys"]] == ["spare"]
        await done(there, DO, type="revoke_key", key="spare")
        await done(there, DO, type="remove", agent_id=BOB)
        _, told = await there.ask(SETTINGS)
        assert (told["keys"], [one["name"] for one in told["members"]]) == ([], ["Ada"])
        log = await there.desk.community.audit_log(GUILD_ID, BOSS)
        assert all("@boss" in one.by for one in log)
        assert any("tea and fog" in one.what for one in log)


async def test_knowledge_is_kept_deleted_and_brought_back() -> None:
    async with opened() as there:
        await done(there, KNOWLEDGE, type="set", path="people.Bob", value={"trust": 1})
        await done(there, KNOWLEDGE, type="delete", path="people.Bob.trust")
        _, told = await there.ask(f"{KNOWLEDGE}/history")
        newest, first = told["changes"]
        assert (newest["path"], newest["before"], first["by"]) == ("people.Bob.trust", 1, "The Architect (@boss)")
        await done(there, KNOWLEDGE, type="undo_knowledge", entry_id=newest["id"])
        _, told = await there.ask(f"/api/v1/agents/{ADA}")
        assert told["minds"][0]["knowledge"] == {"people": {"Bob": {"trust": 1}}}
        status, told = await there.ask(
            KNOWLEDGE, "POST", json={"type": "set", "path": "people.Bob.trust.x", "value": 1}
        )
        assert (status, bool(told["detail"])) == (403, True)


async def test_the_hud_of_now_is_told_with_its_sections() -> None:
    async with opened() as there:
        await there.here.hear("Ada, what about the fog?")
        status, told = await there.ask(f"/api/v1/agents/{ADA}/hud")
        assert status == 200
        assert "what about the fog?" in told["hud"]
        assert sum(one["tokens"] for one in told["sections"]) > 0


async def test_what_was_said_in_a_room_is_found_in_it() -> None:
    async with opened() as there:
        await there.here.hear("the heron stands in the reeds")
        await there.here.hear("nothing of that")
        _, told = await there.ask(f"/api/v1/rooms/{ADA}/search", params={"words": "heron"})
        assert [one["text"] for one in told["found"]] == ["the heron stands in the reeds"]
        assert (await there.ask(f"/api/v1/rooms/{BOB}/search", params={"words": "heron"}))[1] == {"found": []}


async def test_nothing_is_read_or_changed_where_it_is_closed_nor_by_who_manages_no_more_nor_by_another_page() -> None:
    async with opened() as there:
        said = {"type": "set_topic", "topic": "mine"}
        for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "same-site"}, {"Host": "evil.example"}):
            assert (await there.ask(DO, "POST", json=said, headers=headers))[0] == 403
        there.server.closed = {ADAS}
        for path in (
            SETTINGS,
            f"/api/v1/rooms/{ADA}/search?words=x",
            f"/api/v1/agents/{ADA}/hud",
            f"{KNOWLEDGE}/history",
        ):
            status, told = await there.ask(path)
            assert (status, told["detail"]) == (403, CLOSED), path
        assert (await there.ask(DO, "POST", json=said))[0] == 403
        assert (await there.ask(KNOWLEDGE, "POST", json={"type": "delete", "path": "x"}))[0] == 403
        there.server.closed = set()
        there.server.managers[BOSS.id] = person("boss", BOSS.id)
        assert (await there.ask(DO, "POST", json=said))[0] == 403
        there.server.managers[BOSS.id] = BOSS
        proof, there.proof = there.proof, ""
        assert (await there.ask(DO, "POST", json=said))[0] == 401
        there.proof = proof
        several: tuple[Any, ...] = (
            {"type": "retire_agent"},
            {"type": "set_wpm", "wpm": 5},
            {},
            [],
            "x",
            {"type": "set_topic"},
        )
        for wrong in several:
            assert (await there.ask(DO, "POST", json=wrong))[0] == 400, wrong
        assert (await there.ask(SETTINGS))[1]["room"]["topic"] == ""
