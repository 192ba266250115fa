"""Programs come in by a token, which is worth what its person may now, and no more than its scopes."""

import stat
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from bot.console.door import Guest
from bot.console.routes import Scope
from bot.console.window import NO_SCOPE, NO_SESSION
from bot.core.errors import BadSetting, StoreError
from bot.core.permissions import ONLY_MANAGERS
from bot.core.records import Snowflake
from bot.passes import Pass, PassFile
from tests.console.house import BOSS, opened
from tests.engine.town import ADA
from tests.factories import GUILD_ID
from tests.fakes import START
from tests.runs.played import alone, refused, selfroom

GUEST = Guest(GUILD_ID, BOSS.id)
OVERVIEW = "/api/v1/overview"


async def test_a_token_reads_what_its_person_may_and_does_what_its_scopes_say(tmp_path: Path) -> None:
    passes = PassFile(tmp_path / "tokens.json")
    reading = passes.create("reads", GUEST, frozenset({Scope.READ}), days=None)
    managing = passes.create("manages", GUEST, frozenset({Scope.MANAGE}), days=None)
    async with opened(entered=False, passes=passes) as there:
        read, manage = ({"Authorization": f"Bearer {one}"} for one in (reading, managing))
        assert (await there.ask(OVERVIEW, headers=read))[0] == 200
        said, do = {"type": "set_topic", "topic": "fog"}, f"/api/v1/rooms/{ADA}/do"
        status, told = await there.ask(do, "POST", json=said, headers=read)
        assert (status, told["detail"]) == (403, NO_SCOPE.format("manage"))
        assert (await there.ask(do, "POST", json=said, headers=manage))[0] == 200
        assert (await there.ask(OVERVIEW, headers=manage))[0] == 403
        for wrong in (f"Bearer {reading}x", "Bearer ", reading, f"Basic {reading}"):
            status, told = await there.ask(OVERVIEW, headers={"Authorization": wrong})
            assert (status, told["detail"]) == (401, NO_SESSION)
        foreign = await there.ask(OVERVIEW, headers=read | {"Origin": "https://evil.example"})
        assert foreign[0] == 403
        there.server.managers.clear()
        status, told = await there.ask(OVERVIEW, headers=read)
        assert (status, told["detail"]) == (403, ONLY_MANAGERS)
        there.server.managers[BOSS.id] = BOSS
        PassFile(tmp_path / "tokens.json").revoke("reads")
        assert (await there.ask(OVERVIEW, headers=read))[0] == 401


async def test_a_program_learns_whom_its_token_is_for(tmp_path: Path) -> None:
    passes = PassFile(tmp_path / "tokens.json")
    read = {"Authorization": f"Bearer {passes.create('reads', GUEST, frozenset({Scope.READ}), days=None)}"}
    async with opened(passes=passes) as there:
        mine = {"server": str(GUILD_ID), "name": "Testers", "paused": False, "for": "boss"}
        for headers in (read, {}):
            status, told = await there.ask("/api/v1/communities", headers=headers)
            assert (status, told) == (200, {"communities": [mine]})


def test_of_a_token_a_hash_is_kept_and_it_ends_in_time(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    passes = PassFile(file)
    token = passes.create("a day", GUEST, frozenset({Scope.READ}), days=1)
    assert token not in file.read_text()
    assert token.removeprefix("selfroom_") not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    (kept,) = passes.all()
    assert kept.ends_at is not None
    assert passes.holder(token, kept.ends_at - timedelta(seconds=1)) is not None
    assert passes.holder(token, kept.ends_at) is None
    with pytest.raises(BadSetting, match="already"):
        passes.create("a day", GUEST, frozenset({Scope.READ}), days=None)
    file.write_text("[")
    with pytest.raises(StoreError, match=str(file)):
        PassFile(file).all()
    with pytest.raises(StoreError, match="cannot be read") as told:
        PassFile(file).holder(token, START)
    assert str(tmp_path) not in told.value.sentence


def test_tokens_are_made_listed_and_withdrawn_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(tmp_path, monkeypatch)
    words = ("token", "create", "the lab", "--server", "5", "--person", "6", "--scope", "read", "--scope", "run")
    token = selfroom(*words).stdout.strip()
    holder = PassFile(Path("data/console-tokens.json")).holder(token, START)
    assert holder is not None
    assert (holder.guest, holder.scopes) == (Guest(Snowflake(5), Snowflake(6)), frozenset({Scope.READ, Scope.RUN}))
    listed = selfroom("token", "list").stdout
    assert "the lab" in listed
    assert token not in listed
    assert "already" in refused(*words)
    selfroom("token", "revoke", "the lab")
    assert selfroom("token", "list").stdout == ""
    assert "no token called" in refused("token", "revoke", "the lab")


def test_what_is_withdrawn_while_another_is_made_stays_withdrawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = PassFile(tmp_path / "tokens.json"), PassFile(tmp_path / "tokens.json")
    one.create("old", GUEST, frozenset({Scope.READ}), days=None)
    writes, goes_on, write = threading.Event(), threading.Event(), one._write

    def slowly(passes: tuple[Pass, ...]) -> None:
        writes.set()
        goes_on.wait(20)
        write(passes)

    monkeypatch.setattr(one, "_write", slowly)
    making = threading.Thread(target=one.create, args=("new", GUEST, frozenset({Scope.READ})), kwargs={"days": None})
    withdrawing = threading.Thread(target=two.revoke, args=("old",))
    making.start()
    assert writes.wait(20)
    withdrawing.start()
    withdrawing.join(0.5)
    goes_on.set()
    making.join(20)
    withdrawing.join(20)
    assert [known.name for known in PassFile(tmp_path / "tokens.json").all()] == ["new"]
