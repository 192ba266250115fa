"""Owners see the secrets of their keys in calls of their own; what is kept of a call shows none."""

from bot.core.changes import AddKey
from bot.core.records import AccessKey, AgentId, KeyId
from tests.engine.hearts import Hearts, answer, hearts
from tests.fakes import PlainCipher


async def add_key(home: Hearts) -> None:
    sealed = PlainCipher().encrypt("open-sesame")
    key = AccessKey(
        id=KeyId(1),
        room_id=AgentId(1),
        label="door",
        ciphertext=sealed,
        digest=PlainCipher().digest("open-sesame"),
        created_at=home.clock.now(),
    )
    await home.apply(AddKey(key=key))


async def test_an_owner_alone_in_its_call_sees_the_secret_and_the_kept_hud_does_not_show_it() -> None:
    async with hearts(1, script=[answer({1: [(1, "The word is open-sesame.")]})]) as home:
        await add_key(home)
        await home.hear("Agent1, what is the word?")
        await home.slot(1)
        assert "open-sesame" in home.model.calls[0].input
        beat = await home.last_beat()
        assert beat is not None
        assert "open-sesame" not in beat.hud + beat.answer
        assert "door" in beat.hud


async def test_in_a_shared_call_nobody_sees_a_secret() -> None:
    async with hearts(2) as home:
        await home.crowd()
        await add_key(home)
        await home.hear("what a day, everyone")
        while not home.model.calls:
            await home.run(1)
        assert "AGENT 2" in home.model.calls[0].input
        assert "open-sesame" not in home.model.calls[0].input
