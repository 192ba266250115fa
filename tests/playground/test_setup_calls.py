"""What is there on the first start, and the calls that set more up."""

import re

import pytest

from bot.playground.permissions import Permission
from bot.playground.server import Playground, PlaygroundOptions
from tests.playground.person import Person, Refusal


@pytest.fixture
def options() -> PlaygroundOptions:
    """Name the bot's own endpoint too."""
    return PlaygroundOptions(port=0, pace="off", face_url="http://127.0.0.1:9999")


async def test_the_first_start_has_a_server_a_person_and_a_bot(playground: Playground, owner: Person) -> None:
    about = owner.about
    assert about["face_url"] == "http://127.0.0.1:9999"
    assert about["bot_token"] == playground.bot_token
    assert re.fullmatch(r"\d+\.\d+.*", about["version"])
    guild = owner.heard("GUILD_CREATE")[0]
    assert (guild["name"], guild["owner_id"]) == ("The Playground", owner.id)
    assert [channel["name"] for channel in guild["channels"]] == ["welcome"]
    assert {member["user"]["username"] for member in guild["members"]} == {"robin", "Selfroom"}


async def test_the_welcome_says_what_to_try_and_that_the_minds_are_scripted(owner: Person) -> None:
    welcome = (await owner.call("GET", f"/channels/{owner.about['channel_id']}/messages"))[0]
    assert welcome["author"]["system"]
    for word in ("/agent create", "👍", "scripted, rule-based"):
        assert word in welcome["content"]


async def test_the_bot_may_do_what_a_community_needs(playground: Playground, owner: Person) -> None:
    world = playground.world
    has = world.guild_permissions(owner.about["guild_id"], owner.about["application_id"])
    needed = Permission.MANAGE_CHANNELS | Permission.MANAGE_ROLES | Permission.MANAGE_WEBHOOKS | Permission.PIN_MESSAGES
    assert has & needed == needed
    assert not has & Permission.ADMINISTRATOR


async def test_names_become_usernames_of_their_own(owner: Person) -> None:
    names = ("Ada", "ada", "Zoë of York", "李", "[Relic]")
    made = [(await owner.setup("POST", "/people", json={"name": name}))["user"] for name in names]
    assert [user["global_name"] for user in made] == list(names)
    usernames = [user["username"] for user in made]
    assert usernames[:2] == ["ada", "ada2"]
    assert len(set(usernames)) == 5
    assert all(re.fullmatch(r"[a-z0-9_.]{2,32}", name) for name in usernames)


async def test_a_manager_may_manage_and_others_may_not(playground: Playground, owner: Person) -> None:
    path = f"/guilds/{owner.about['guild_id']}"
    async with Person.new(playground.url, "Mo", manager=True) as manager, Person.new(playground.url, "Bo") as plain:
        assert (await manager.call("PATCH", path, json={"name": "Our Place"}))["name"] == "Our Place"
        with pytest.raises(Refusal) as refused:
            await plain.call("PATCH", path, json={"name": "My Place"})
        assert refused.value.body["code"] == 50013
        assert (await plain.hears("GUILD_UPDATE"))["name"] == "Our Place"


async def test_a_person_joins_with_permissions_of_its_own(owner: Person, ada: Person) -> None:
    guild = owner.about["guild_id"]
    rights = str(int(Permission.MANAGE_MESSAGES))
    member = await owner.setup("PUT", f"/guilds/{guild}/members/{ada.id}", json={"permissions": rights})
    assert len(member["roles"]) == 1
    said = await owner.say(owner.about["channel_id"], "delete me")
    await ada.call("DELETE", f"/channels/{said['channel_id']}/messages/{said['id']}")


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("/people", {}, 50035),
        ("/people", {"name": "x" * 33}, 50035),
        ("/people", {"name": "Bo", "guild_id": "1"}, 10004),
        ("/guilds", {"name": "G", "owner_id": "1"}, 10013),
        ("/bots", {"name": "B", "permissions": "many"}, 50035),
        ("/clock", {"advance": -1}, 50035),
    ],
)
async def test_faulty_calls_are_told_why(owner: Person, path: str, body: dict[str, object], code: int) -> None:
    answer = await owner.setup("POST", path, json=body)
    assert answer["code"] == code


async def test_a_person_who_is_removed_is_out_of_the_server_and_what_they_said_stays(
    playground: Playground, owner: Person
) -> None:
    async with Person.new(playground.url, "Bo") as bo:
        said = await bo.say(owner.about["channel_id"], "I was here")
        await owner.setup("DELETE", f"/people/{bo.id}")
        await owner.hears("GUILD_MEMBER_REMOVE")
        with pytest.raises(Refusal) as refused:
            await bo.call("GET", "/users/@me")
        assert refused.value.status == 401
    assert bo.id not in [one["user"]["id"] for one in await owner.setup("GET", "/people")]
    kept = await owner.call("GET", f"/channels/{said['channel_id']}/messages/{said['id']}")
    assert (kept["content"], kept["author"]["global_name"]) == ("I was here", "Bo")
    assert (await owner.setup("DELETE", f"/people/{owner.id}"))["message"] == "Who owns a server cannot be removed."
    assert (await owner.setup("PATCH", f"/people/{bo.id}", json={"name": "Bob"}))["code"] == 10013


async def test_a_username_is_one_persons_alone(playground: Playground, owner: Person) -> None:
    async with Person.new(playground.url, "Bo") as bo:
        for taken in ("bo", "BO", "Selfroom"):
            with pytest.raises(Refusal) as refused:
                await owner.call("PATCH", "/users/@me", json={"username": taken})
            assert refused.value.body["errors"]["username"]["_errors"][0]["code"] == "USERNAME_ALREADY_TAKEN"
        assert (await bo.call("PATCH", "/users/@me", json={"username": "Bo"}))["username"] == "Bo"
        assert (await owner.call("PATCH", "/users/@me", json={"username": "rob"}))["username"] == "rob"
        assert (await owner.setup("POST", "/people", json={"name": "bo"}))["user"]["username"] == "bo2"
