"""What managers and members are told of trees by `/timeline list` and `/timeline compare`."""

from dataclasses import replace
from unittest.mock import AsyncMock, Mock

import discord

from bot.core.errors import StoreError
from bot.core.records import AgentId, Snowflake
from bot.core.timelines.records import TreeId
from cogs.base import Interaction
from cogs.timeline import TimelineCog
from tests.cogs.test_trees import shown

DAMAGED = "The file of this what-if is damaged: delete it."


def asked(client: Mock, *, manages: bool) -> Interaction:
    client.person.return_value = Mock(is_architect=manages)
    interaction = Mock(client=client, guild_id=1, extras={}, locale=discord.Locale.american_english)
    interaction.user = Mock(spec=discord.Member)
    interaction.response.defer = interaction.followup.send = AsyncMock()
    return interaction


def told(interaction: Interaction) -> str:
    return str(interaction.followup.send.await_args.args[0])  # type: ignore[attr-defined]


async def test_a_damaged_tree_hides_the_others_from_no_member() -> None:
    trees = [replace(shown(1).timeline, id=TreeId(id_), title=f"title {id_}") for id_ in (1, 2, 3)]
    client = Mock()
    client.desk.timelines.all = AsyncMock(return_value=trees)
    client.desk.timelines.rooms_to_read = AsyncMock(side_effect=[[], StoreError(DAMAGED), [AgentId(1)]])
    client.desk.rooms.place = AsyncMock(return_value=Mock(channel_id=Snowflake(7)))
    interaction = asked(client, manages=False)
    cog = TimelineCog(client)
    await TimelineCog.list_.callback(cog, interaction)  # type: ignore[call-arg, arg-type]
    lines = told(interaction).splitlines()
    assert f"🌳 What if 2: {DAMAGED}" in lines
    assert "title 2" not in told(interaction)  # who may read it cannot be told
    assert any(line.startswith("🌳 **What if 3**: title 3") for line in lines)
    assert "title 1" not in told(interaction)


async def test_what_of_a_comparison_has_no_room_in_an_answer_is_in_its_file_and_the_answer_says_so() -> None:
    client = Mock()
    client.desk.timelines.find = AsyncMock(return_value=shown(3).timeline)
    lines = [f"line {number} of what differs" for number in range(3_000)]
    client.desk.timelines.compare = AsyncMock(return_value=("They differ.", lines))
    interaction = asked(client, manages=True)
    cog = TimelineCog(client)
    await TimelineCog.compare.callback(cog, interaction, 1, 2)  # type: ignore[arg-type]
    assert told(interaction).splitlines()[-1] == "-# That is not all: the file has all 3,000 lines."
    [file] = interaction.followup.send.await_args.kwargs["files"]  # type: ignore[attr-defined]
    assert file.fp.read().decode().splitlines() == ["They differ.", *lines]
    client.desk.timelines.compare = AsyncMock(return_value=("They differ.", lines[:3]))
    await TimelineCog.compare.callback(cog, interaction, 1, 2)  # type: ignore[arg-type]
    assert told(interaction).splitlines() == ["They differ.", *lines[:3]]
