"""The verdict sees what is planted: a loss, a double, a disorder; and then `make chaos` does not exit with 0."""

import random
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.core.changes import Say
from bot.core.kinds import LetterState
from bot.core.ports import NewMessage
from bot.core.records import LetterId, MessageId, Snowflake
from storage.store import SqlStore
from tests.chaos import __main__ as program
from tests.chaos.crowd import Crowd, Said
from tests.chaos.verdict import Verdict, judge
from tests.engine.town import ADA, ADAS
from tests.factories import agent, by_agent, by_person, room
from tests.fakes import START
from tests.founding import founded
from tests.storage.lines import hear

ASKED, FIRST, SECOND = Snowflake(101), Snowflake(102), Snowflake(103)
Posts = list[dict[str, Any]]


@dataclass
class Reader:
    """Somebody who sees what stands on Discord."""

    shown: Posts

    async def read(self, channel_id: int) -> Posts:
        assert channel_id == ADAS
        return self.shown


def post(id: int, content: str) -> dict[str, Any]:
    return {"id": str(id), "content": content, "webhook_id": "7", "author": {"bot": True}}


@pytest.fixture
async def database(tmp_path: Path) -> Path:
    """A question, and its answer in two letters."""
    path = tmp_path / "selfroom.db"
    async with await SqlStore.open(f"sqlite:///{path}") as store:
        community_id = await founded(store, [(agent(ADA, name="Ada"), room(ADA))])
        async with store.writing(community_id) as write:
            await hear(write.talk, community_id, question())
            for said, id in (("The sum is 300300.", FIRST), ("And that is that.", SECOND)):
                message = MessageId(write.ids.take("message"))
                answer = Say(message_id=message, room_id=ADA, sender=by_agent(ADA), content=said, sent_at=START)
                await write.apply(community_id, [answer])
                (letter,) = await write.letters.due(START, limit=5)
                await write.letters.move(community_id, LetterId(letter.id), LetterState.SENT, posted_as=[id], at=START)
    return path


def question() -> NewMessage:
    return NewMessage(
        room_id=ADA,
        discord_id=ASKED,
        thread_id=None,
        sender=by_person(),
        content="Ada, what is 100100 + 200200?",
        sent_at=START,
        reply_to=None,
        edited=False,
        attachments=(),
        tokens=8,
    )


async def judged(database: Path, change: Callable[[sqlite3.Connection, Posts], object]) -> list[str]:
    """Plant something, and give what is found to be wrong."""
    asked = {"id": str(ASKED), "content": question().content, "author": {}}
    shown = [asked, post(FIRST, "The sum is 300300."), post(SECOND, "And that is that.")]
    with sqlite3.connect(database) as connection:
        change(connection, shown)
        connection.commit()
    reader: Any = Reader(shown)
    crowd = Crowd([reader], {int(ADAS): "Ada"}, random.Random(1))  # noqa: S311 - a test's chance
    crowd.said.append(Said(int(ADAS), int(ASKED), question().content, 300_300))
    return (await judge(crowd, database)).wrong


def nothing(connection: sqlite3.Connection, shown: Posts) -> None:
    """All is well."""


def lost_question(connection: sqlite3.Connection, shown: Posts) -> None:
    connection.execute("DELETE FROM messages WHERE discord_id = ?", (ASKED,))


def lost_post(connection: sqlite3.Connection, shown: Posts) -> None:
    shown.pop()


def doubled_post(connection: sqlite3.Connection, shown: Posts) -> None:
    shown.append(post(104, "And that is that."))


def answered_twice(connection: sqlite3.Connection, shown: Posts) -> None:
    shown[2]["content"] = "The sum is 300300."
    connection.execute("UPDATE messages SET content = 'The sum is 300300.' WHERE discord_id = ?", (SECOND,))


def disorder(connection: sqlite3.Connection, shown: Posts) -> None:
    connection.execute("UPDATE letters SET posted_as = '[104]' WHERE posted_as = '[102]'")
    shown[1]["id"] = "104"


def given_up(connection: sqlite3.Connection, shown: Posts) -> None:
    connection.execute("UPDATE letters SET state = 'failed' WHERE id = 2")


async def test_where_all_is_well_nothing_is_wrong(database: Path) -> None:
    assert await judged(database, nothing) == []


@pytest.mark.parametrize(
    ("planted", "words"),
    [
        (lost_question, "a person's message was lost"),
        (lost_post, "a post is said to be there and is not"),
        (doubled_post, "so it is doubled"),
        (answered_twice, "was answered 2 times"),
        (disorder, "posts out of order"),
        (given_up, "ended as failed"),
    ],
)
async def test_what_is_planted_is_found(database: Path, planted: Callable[..., None], words: str) -> None:
    assert any(words in sentence for sentence in await judged(database, planted))


@pytest.mark.parametrize(("wrong", "code"), [([], 0), (["a post was lost"], 1)])
def test_the_exit_code_tells(
    wrong: list[str], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    async def held(plan: object, folder: Path, tell: object) -> Verdict:
        return Verdict({"posts of agents": 3}, wrong)

    monkeypatch.setattr(program, "hold", held)
    monkeypatch.setattr("tempfile.mkdtemp", lambda **_: str(tmp_path))
    monkeypatch.setenv("SEED", "5")
    monkeypatch.delenv("KILLS", raising=False)
    assert program.main() == code
    assert ("make chaos SEED=5 KILLS=40" if wrong else "held with 5: 40 kills") in capsys.readouterr().out
