"""People take an agent's channel away, and give it a new one."""

import pytest

from tests.e2e.commanding import Commander
from tests.e2e.conftest import Living
from tests.e2e.visitor import Visitor, until

pytestmark = pytest.mark.e2e


async def test_an_agent_whose_channel_people_deleted_is_restored_into_a_new_one(
    home: Living, owner: Visitor, you: Visitor
) -> None:
    channel = await you.channel("wren")
    await you.answer_after(await you.say(channel, "Hello Wren, remember the word heliotrope"))
    manager = Commander(you, await you.channel("ledger"))
    await owner.ask("DELETE", f"/channels/{channel}")
    await manager.comes_to_tell("agent show", "retired", agent="Wren")
    assert "Nothing was found." in await manager.told("search", words="heliotrope")
    assert "Wren is back." in await manager.told("agent restore", agent="Wren")
    again = await you.channel("wren")
    assert again != channel
    await you.say(again, "Hello Wren, are you there?")

    async def answered() -> bool:
        return any(said["author"]["username"] == "Wren" for said in await you.messages(again))

    await until(answered, "answer in the new channel")
