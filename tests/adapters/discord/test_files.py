"""Files that people attach: read beside everything else, for whom somebody listens to, and never for long."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, cast

import aiohttp
import discord
import pytest

from bot.adapters.discord.files import AT_ONCE, AT_ONCE_HERE, LARGEST_VOICE, Files, as_voice
from bot.adapters.documents import LARGEST_BYTES
from bot.adapters.workshop import ProcessWorkshop
from bot.core.changes import SetOverride
from bot.core.errors import StoreError
from bot.core.ports import VoiceMessage, Workshop
from bot.core.records import AgentId, Message, Snowflake
from tests.adapters.discord.stage import Guest, Stage, staged, until
from tests.papers import bomb, docx, locked, pdf
from tests.voices import voice


@dataclass
class Slow:
    """A file that takes its time."""

    id: int
    seconds: float = 0.0
    content: bytes = b"words"
    filename: str = "a.txt"
    content_type: str = "text/plain"
    size: int = 5
    url: str = "https://cdn/a.txt"
    duration: float | None = None
    reads: list[int] = field(default_factory=list)

    async def read(self) -> bytes:
        self.reads.append(self.id)
        await asyncio.sleep(self.seconds)
        return self.content


@dataclass
class Said:
    id: int
    attachments: list[Slow]
    guild: discord.Object | None = None
    flags: discord.MessageFlags = field(default_factory=discord.MessageFlags)


def said(id: int, *files: Slow) -> discord.Message:
    return cast(discord.Message, Said(id, list(files)))


def characters(number: int) -> Callable[[], Awaitable[int]]:
    async def told() -> int:
        return number

    return told


async def texts(files: Files, message: discord.Message) -> list[str | None]:
    return [one.text for one in await files.of(message)]


@pytest.fixture
async def files() -> AsyncIterator[Files]:
    made = Files()
    yield made
    await made.close()


async def test_ten_messages_with_slow_files_are_waited_for_once(files: Files) -> None:
    messages = [said(id, *(Slow(10 * id + n, seconds=60) for n in range(5))) for id in range(10)]
    start = asyncio.get_running_loop().time()
    for message in messages:
        files.begin(message, characters(100), seconds=0.3)
    for message in messages:
        assert await texts(files, message) == [None] * 5
    assert asyncio.get_running_loop().time() - start < 3


async def test_what_came_in_time_is_kept_when_the_rest_did_not(files: Files) -> None:
    message = said(1, Slow(1), Slow(2, seconds=60))
    files.begin(message, characters(100), seconds=0.3)
    assert await texts(files, message) == ["words", None]


async def test_nothing_is_asked_for_when_nobody_listens(files: Files) -> None:
    file = Slow(1)
    files.begin(said(1, file), characters(0))
    assert await texts(files, said(1, file)) == [None]
    assert file.reads == []


async def test_the_files_of_a_message_share_what_may_be_read(files: Files) -> None:
    message = said(1, Slow(1, content=b"1234567"), Slow(2, content=b"1234567"), Slow(3))
    files.begin(message, characters(10))
    assert await texts(files, message) == ["1234567", "123", None]


async def test_a_file_that_is_much_too_large_is_not_asked_for(files: Files) -> None:
    file = Slow(1, size=10_000)
    files.begin(said(1, file), characters(100))
    assert await texts(files, said(1, file)) == [None]
    assert file.reads == []


class Ears:
    """Hears what is said, as often as it is asked."""

    def __init__(self, said: str = "Good morning.") -> None:
        self.said = said
        self.asked: list[tuple[Snowflake, Snowflake, VoiceMessage]] = []

    async def words(self, guild_id: Snowflake, message_id: Snowflake, voice: VoiceMessage) -> str:
        self.asked.append((guild_id, message_id, voice))
        return self.said


def spoken(id: int, content: bytes, seconds: float) -> discord.Message:
    file = Slow(id, content=content, filename="voice-message.ogg", content_type="audio/ogg", duration=seconds)
    flags = discord.MessageFlags(voice=True)
    return cast(discord.Message, Said(id, [replace(file, size=len(content))], discord.Object(7), flags))


async def test_a_voice_message_is_its_length_and_what_is_heard_in_it() -> None:
    ears = Ears()
    files, message = Files(hearing=ears), spoken(1, voice(70.0), 72.4)
    files.begin(message, characters(100))
    assert as_voice(message.attachments, await files.of(message)) == "(voice 1:12) Good morning."
    assert [(guild, one, heard.seconds) for guild, one, heard in ears.asked] == [(7, 1, 72.4)]


async def test_it_lasts_as_long_as_it_must_whatever_it_says() -> None:
    """A megabyte of silence is hours, which a server is paid for: it was booked as what its length is when loud."""
    ears = Ears("a" * 200)
    files, message = Files(hearing=ears), spoken(1, voice(1_000.0), 1.0)
    files.begin(message, characters(100))
    assert len(as_voice(message.attachments, await files.of(message))) == len("(voice 0:01) ") + 100
    assert ears.asked[0][2].seconds == pytest.approx(1_000.0)


async def test_where_nobody_hears_or_listens_and_what_is_too_large_is_only_how_long_it_is(files: Files) -> None:
    ears = Ears()
    deaf, hears = files, Files(hearing=ears)
    for file, message, most in (
        (deaf, spoken(1, voice(3.0), 3.0), 100),
        (hears, spoken(2, voice(3.0), 3.0), 0),
        (hears, spoken(4, b"Good morning.", 3.0), 100),
        (hears, spoken(3, b"a" * (LARGEST_VOICE + 1), 3.0), 100),
    ):
        file.begin(message, characters(most))
        assert as_voice(message.attachments, await file.of(message)) == "(voice 0:03)"
    assert ears.asked == []


PAPER = "application/pdf"


@pytest.fixture
async def reader() -> AsyncIterator[Files]:
    workshop = ProcessWorkshop(benches=1, cpu_seconds=5.0, memory_bytes=200_000_000)
    made = Files(workshop)
    yield made
    await made.close()
    await workshop.close()


def paper(id: int, content: bytes, filename: str = "a.pdf", content_type: str = PAPER) -> Slow:
    return Slow(id, content=content, filename=filename, content_type=content_type, size=len(content))


async def test_documents_share_with_texts_what_may_be_read(reader: Files) -> None:
    word = paper(2, docx("and words"), "b.docx", "application/octet-stream")
    message = said(1, paper(1, pdf("heron")), word, Slow(3, content=b"1234567"))
    reader.begin(message, characters(18), seconds=60)
    assert await texts(reader, message) == ["heron", "and words", "1234"]


async def test_a_document_that_harms_its_reader_is_there_by_its_name_and_the_others_are_read(reader: Files) -> None:
    grown = paper(1, bomb(megabytes=800), "b.docx")
    message = said(
        1, grown, paper(2, b"%PDF-1.4 and nothing else"), paper(3, locked(pdf("x"), "y")), paper(4, pdf("fine"))
    )
    assert grown.size < 2_000_000
    reader.begin(message, characters(100), seconds=60)
    assert await texts(reader, message) == [None, None, None, "fine"]


async def test_a_document_that_is_too_large_or_that_nobody_can_read_here_is_not_asked_for(
    files: Files, reader: Files
) -> None:
    large, here = replace(paper(1, pdf("x")), size=LARGEST_BYTES + 1), paper(2, pdf("x"))
    reader.begin(said(1, large), characters(100))
    assert await texts(reader, said(1, large)) == [None]
    files.begin(said(2, here), characters(100))
    assert await texts(files, said(2, here)) == [None]
    assert large.reads == here.reads == []


class Stuck:
    """A workshop in which nothing is ever done."""

    async def done(self, lane: int, work: object, /, *_: object) -> Any:  # noqa: ANN401
        await asyncio.Event().wait()


async def test_documents_that_take_long_keep_no_text_from_being_read() -> None:
    slow = Files(cast(Workshop, Stuck()))
    for id in range(AT_ONCE):
        slow.begin(said(id, paper(id, pdf("x"))), characters(100), seconds=60)
    text = said(AT_ONCE, Slow(AT_ONCE))
    slow.begin(text, characters(100), seconds=60)
    assert await texts(slow, text) == ["words"]
    await slow.close()


async def test_only_a_few_files_of_a_server_are_read_at_a_time(files: Files) -> None:
    reads: list[int] = []
    for id in range(20):
        files.begin(said(id, Slow(id, seconds=60, reads=reads)), characters(100))
    await asyncio.sleep(0.05)
    assert len(reads) == AT_ONCE_HERE


async def test_a_store_that_cannot_tell_who_is_listened_to_costs_only_the_text(files: Files) -> None:
    async def failing() -> int:
        raise StoreError("The disk is full: make room.")

    files.begin(said(1, Slow(1)), failing)
    assert await texts(files, said(1, Slow(1))) == [None]


async def test_nothing_is_kept_of_a_message_that_is_forgotten_or_that_nobody_asked_for(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.begin(said(1, Slow(1, seconds=60)), characters(100))
    files.forget(said(1))
    assert files.size == 0
    files.begin(said(2, Slow(2)), characters(100))
    monkeypatch.setattr("bot.adapters.discord.files.KEPT_SECONDS", -60.0)
    files.begin(said(3, Slow(3)), characters(100))
    assert files.size == 1


async def test_nothing_is_kept_of_the_files_of_a_message_that_is_not_for_us(monkeypatch: pytest.MonkeyPatch) -> None:
    async with staged() as stage, stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        translator = bot.client._translator

        async def nowhere(*_: object) -> None:
            """It was said in a private thread that we are not in."""

        monkeypatch.setattr(translator, "_heard", nowhere)
        await attach(stage.owner, stage, channel_id, "see")
        monkeypatch.undo()
        await stage.owner.say(channel_id, "last")

        async def last() -> object:
            return "last" in await stage.contents(ada)

        await until(last)
        assert translator.files.size == 0


async def attach(guest: Guest, stage: Stage, channel_id: int, content: str, *, files: int = 1) -> None:
    form = aiohttp.FormData()
    form.add_field("payload_json", f'{{"content": "{content}"}}')
    for number in range(files):
        form.add_field(f"files[{number}]", b"all about roses", filename=f"{number}.txt", content_type="text/plain")
    url = f"{guest.api}/channels/{channel_id}/messages"
    async with stage.session.post(url, data=form, headers={"Authorization": guest.token}) as answer:
        assert answer.status < 300


@pytest.mark.parametrize(("number", "read"), [(3, ["all", None]), (0, [None, None]), (20_000, ["all about roses"] * 2)])
async def test_a_server_says_how_much_of_a_file_is_read(number: int, read: list[str | None]) -> None:
    async with staged() as stage, stage.bot() as bot:
        _, channel_id = await stage.settle_in(bot)
        async with stage.store.writing(stage.community_id) as write:
            await write.apply(stage.community_id, [SetOverride(name="attachment_characters", value=number)])
        await attach(stage.owner, stage, channel_id, "see", files=2)

        async def heard() -> list[Message]:
            return list(await stage.history(AgentId(1)))

        await until(heard)
        (message,) = await heard()
        assert [one.text for one in message.attachments] == read


async def test_nobody_reads_the_files_of_somebody_who_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    read = discord.Attachment.read

    async def noted(self: discord.Attachment, **fields: Any) -> bytes:  # noqa: ANN401
        reads.append(self.filename)
        return await read(self, **fields)

    monkeypatch.setattr(discord.Attachment, "read", noted)
    async with staged() as stage, stage.bot() as bot:
        ada, channel_id = await stage.settle_in(bot)
        mira = await stage.guest("mira")
        await mira.say(channel_id, "hello")

        async def known() -> object:
            return len(await stage.history(ada)) == 1

        await until(known)
        async with stage.store.writing(stage.community_id) as write:
            person = await write.people.find(stage.community_id, Snowflake(mira.id))
            assert person is not None
            await write.people.decide_about(stage.community_id, replace(person, ignored=True))
        await attach(mira, stage, channel_id, "read this", files=3)
        await stage.owner.say(channel_id, "last")

        async def last() -> object:
            return await stage.contents(ada) == ["hello", "last"]

        await until(last)
        assert reads == []
