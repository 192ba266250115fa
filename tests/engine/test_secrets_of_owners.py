"""Owners see the secrets of their keys in calls of their own; what is kept of a call shows none."""

import pytest

from bot.core.changes import AddKey
from bot.core.records import AccessKey, AgentId, KeyId
from tests.engine.hearts import Hearts, answer, hearts
from tests.fakes import PlainCipher


async def add_key(home: Hearts, words: str = "open-sesame", *, id: int = 1) -> None:
    key = AccessKey(
        id=KeyId(id),
        room_id=AgentId(1),
        label="door",
        ciphertext=PlainCipher().encrypt(words),
        digest=PlainCipher().digest(words),
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


async def test_keys_are_opened_for_what_is_kept_only_when_they_have_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[bytes] = []
    decrypt = PlainCipher.decrypt

    def counted(self: PlainCipher, ciphertext: bytes, row: str = "") -> str:
        opened.append(ciphertext)
        return decrypt(self, ciphertext, row)

    monkeypatch.setattr(PlainCipher, "decrypt", counted)
    async with hearts(2, together=False) as home:
        await add_key(home)
        beats = []
        for number in range(4):  # the second agent's: it sees no key
            if number == 2:
                await add_key(home, "open-barley", id=2)
            await home.hear("Agent2, was it open-sesame or open-barley?", room_id=2)
            await home.slot(1)
            beat = await home.last_beat(2)
            assert beat is not None
            beats.append((len(opened), "open-sesame" in beat.hud, "open-barley" in beat.hud))
        assert beats[:2] == [(1, False, True)] * 2
        assert beats[3] == (3, False, False)
        assert beats[2][0] == 3
