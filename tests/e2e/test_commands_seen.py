"""What managers see of agents' heads: the HUD as it is now, the one behind a message, and why nothing was said."""

from collections.abc import AsyncIterator
from io import BytesIO

import pytest
import pytest_asyncio
from PIL import Image

from tests.core.cards import V2, png_card
from tests.e2e.commanding import inside
from tests.e2e.sharing import Cast, shared_home, words_of
from tests.e2e.visitor import Json, until

pytestmark = [pytest.mark.e2e, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cast(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Cast]:
    async with shared_home(tmp_path_factory.mktemp("seen")) as one:
        yield one


async def test_an_agent_that_never_beat_has_a_hud_without_the_secrets_of_its_keys(cast: Cast) -> None:
    await cast.agent("Fern")
    await cast.manager.run("key create", room="Fern", label="back door", key="xyzzy plugh 42")
    shown = await cast.manager.run("hud show", agent="Fern")
    assert "It has not beaten yet." in shown["content"]
    assert "whole call" in shown["content"]
    assert len(shown["attachments"]) == 1
    hud = await cast.manager.text_of(shown)
    assert "You are Fern." in hud
    assert "back door" in hud
    assert "xyzzy" not in hud


async def test_what_was_said_since_the_last_beat_is_in_the_hud_now(cast: Cast) -> None:
    hall = await cast.you.channel("ledger")
    answer = await cast.you.answer_after(await cast.you.say(hall, "Hello Ledger, who are you?"))
    shown = await cast.manager.run("hud show", agent="Ledger")
    now, last = [await cast.manager.text_of(shown, number) for number in (0, 1)]
    assert "> spoke to it. It asked" in shown["content"]
    assert "USD" in shown["content"]
    said = answer["content"].splitlines()[-1][:20]
    assert said in now
    assert "==== ANSWER ====" in last
    assert "==== ANSWER ====" not in now


async def test_one_beat_of_the_history_is_shown_with_its_hud(cast: Cast) -> None:
    await cast.you.answer_after(await cast.you.say(await cast.you.channel("ledger"), "Ledger, add 2 and 3"))
    listed = await cast.manager.told("hud history", agent="Ledger")
    newest = int(listed.split("`")[1])
    shown = await cast.manager.run("hud history", agent="Ledger", beat=newest)
    assert "add 2 and 3" in await cast.manager.text_of(shown)
    assert "There is no beat 999999" in await cast.manager.told("hud history", agent="Ledger", beat=999_999)
    assert f"There is no beat {newest} of this agent" in await cast.manager.told(
        "hud history", agent="Wren", beat=newest
    )


async def test_a_private_room_has_a_hud_of_its_own(cast: Cast) -> None:
    await cast.agent("Vault")
    await cast.manager.close_room("Vault")
    await cast.manager.run("knowledge set", agent="Vault", path="colour", value="green")
    public = await cast.manager.text_of(await cast.manager.run("hud show", agent="Vault"))
    private = await cast.manager.text_of(await cast.manager.run("hud show", agent="Vault", room="Vault"))
    assert "--- Room: Vault" in private
    assert "--- Room: Vault" not in public
    assert "Vault is not in that room." in await cast.manager.told("hud show", agent="Vault", room="Wren")


async def test_what_is_kept_beside_a_private_room_is_seen_and_changed_there_only(cast: Cast) -> None:
    await cast.agent("Crypt")
    await cast.you.channel("crypt")
    await cast.manager.close_room("Crypt")

    async def hidden() -> bool:
        return "crypt" not in await cast.guest.visitor.channels()

    await until(hidden, "a hidden channel")
    here: Json = {"agent": "Crypt", "room": "Crypt"}
    assert "word is set." in await cast.manager.told("knowledge set", path="word", value="xyzzy", **here)
    assert "xyzzy" in await cast.manager.told("knowledge show", **here)
    assert "xyzzy" in await cast.manager.told("knowledge history", **here)
    assert "Crypt knows nothing yet." in await cast.manager.told("knowledge show", agent="Crypt")
    assert "has never changed" in await cast.manager.told("knowledge history", agent="Crypt")
    form = await cast.manager.run("focus set", section="notes", **here)
    await cast.manager.fill(form, notes="whisper")
    assert "whisper" in await cast.manager.told("focus show", **here)
    assert "is empty" in await cast.manager.told("focus show", agent="Crypt")
    private = await cast.manager.text_of(await cast.manager.run("hud show", **here))
    public = await cast.manager.text_of(await cast.manager.run("hud show", agent="Crypt"))
    assert "xyzzy" in private
    assert "whisper" in private
    assert "xyzzy" not in public
    assert "whisper" not in public
    form = await cast.manager.run("plan set", part="goals", **here)
    await cast.manager.fill(form, goals="tell nobody")
    assert "tell nobody" in await cast.manager.told("plan show", **here)
    assert "has no plan" in await cast.manager.told("plan show", agent="Crypt")
    assert "knows nothing" in await told_after(cast, "knowledge undo", **here)
    await cast.manager.told("focus clear", **here)
    assert "is empty" in await cast.manager.told("focus show", **here)


async def told_after(cast: Cast, path: str, **options: str) -> str:
    """Do something, and give what the agent knows then."""
    await cast.manager.told(path, **options)
    return await cast.manager.told("knowledge show", **options)


async def test_a_card_tells_all_of_an_agent_and_its_buttons_do_what_they_say(cast: Cast) -> None:
    hall = await cast.you.channel("wren")
    answer = await cast.you.answer_after(await cast.you.say(hall, "Hello Wren, who are you?"))
    await cast.you.react(answer, "🧠")
    await cast.manager.run("key create", room="Wren", label="side door")

    async def felt() -> Json | None:
        card = await cast.manager.run("agent show", agent="Wren")
        return card if "🧠 1" in words_of(card) and "🟢 idle" in words_of(card) else None

    card = await until(felt, "the feedback, and rest after it")
    told = words_of(card)
    for part in (
        "## Wren",
        "🟢 idle",
        "persona",
        "gpt-4o-mini",
        "**Heartbeat** `▰",
        "tokens,",
        "1 key",
        "**Last beat**",
    ):
        assert part in told, (part, told)
    shown = {part["type"] for part in inside(card["components"])}
    assert {1, 2, 10, 12, 14, 17} <= shown
    gallery = next(part for part in inside(card["components"]) if part["type"] == 12)
    assert gallery["items"][0]["description"].startswith("Attention of Wren: Wren 100 %")
    assert (await cast.manager.bytes_of(card)).startswith(b"\x89PNG")
    assert "What Wren would see now" in words_of(await cast.manager.press(card, "HUD"))
    assert "Wren is paused." in words_of(await cast.manager.press(card, "Pause"))
    paused = await cast.manager.run("agent show", agent="Wren")
    assert "⏸️ paused" in words_of(paused)
    assert "Wren goes on" in words_of(await cast.manager.press(paused, "Resume"))


async def test_a_plain_members_card_has_no_buttons_and_tells_nothing_of_its_head(cast: Cast) -> None:
    card = await cast.guest.run("agent show", agent="Wren")
    assert 2 not in {part["type"] for part in inside(card["components"])}
    assert "**Last beat**" not in words_of(card)
    assert "You are" not in words_of(card)


async def test_managers_see_why_an_agent_passed(cast: Cast) -> None:
    said = await cast.guest.visitor.say(await cast.you.channel("ledger"), "the rain is loud tonight")

    async def told() -> Json | None:
        answer = await cast.manager.menu("Show the HUD behind this", said)
        return answer if "**Ledger** looked in beat" in words_of(answer) else None

    shown = await until(told, "what Ledger made of it")
    assert "the rain is loud tonight" in await cast.manager.text_of(shown)
    assert not await cast.offered("Show the HUD behind this", kind=3)


def square(colour: str) -> bytes:
    out = BytesIO()
    Image.new("RGB", (64, 64), colour).save(out, "PNG")
    return out.getvalue()


async def avatar_of(cast: Cast, name: str) -> str:
    """Give the address of the avatar on an agent's card."""
    card = await cast.manager.run("agent show", agent=name)
    return str(next(part for part in inside(card["components"]) if part["type"] == 11)["media"]["url"])


async def test_an_uploaded_avatar_gets_an_address_that_lasts(cast: Cast) -> None:
    drawn = await avatar_of(cast, "Ledger")
    told = words_of(
        await cast.manager.run("agent edit", agent="Ledger", file=("face.png", square("teal")), into="avatar")
    )
    assert "Ledger is changed." in told

    async def new() -> str | None:
        shown = await avatar_of(cast, "Ledger")
        return shown if shown != drawn else None

    kept = await until(new, "the new picture")
    assert "/avatars/" in kept
    assert "attachments" not in kept
    async with cast.home.session.get(kept) as response:
        assert Image.open(BytesIO(await response.read())).size == (64, 64)
    hall = await cast.you.channel("ledger")
    answer = await cast.you.answer_after(await cast.you.say(hall, "Ledger, add 4 and 5"))
    assert answer["author"]["avatar"]
    wrong = words_of(
        await cast.manager.run("agent edit", agent="Ledger", file=("notes.txt", b"no picture"), into="avatar")
    )
    assert "is no picture" in wrong


async def test_a_cards_picture_becomes_an_avatar_that_lasts(cast: Cast) -> None:
    told = words_of(await cast.manager.run("agent import", file=("mina.png", png_card({"chara": V2}))))
    name = told.split(" has moved in")[0]

    async def lasting() -> bool:
        return "/avatars/" in await avatar_of(cast, name)

    await until(lasting, "a picture with an address that lasts")


async def test_a_picture_has_its_numbers_under_it_page_by_page(cast: Cast) -> None:
    for number in range(20):
        await cast.agent(f"Quiet member number {number} of the long list")
    shown = await cast.guest.run("heartbeat status")
    kinds = [part["type"] for part in shown["components"]]
    assert kinds == [10, 12, 10, 1]
    assert shown["components"][1]["items"][0]["description"].startswith("Heartbeats: ")
    first = shown["components"][2]["content"]
    assert "**Wren** every" in first
    on = next(part["label"] for part in inside(shown["components"]) if part.get("label", "").startswith("On"))
    turned = await cast.guest.press_in_place(shown, on)
    second = turned["components"][2]["content"]
    assert "number 19" in second
    assert first != second
    assert (await cast.guest.bytes_of(turned)).startswith(b"\x89PNG")
    assert (await cast.guest.press_in_place(turned, "Back"))["components"][2]["content"].startswith("**Wren** every")
