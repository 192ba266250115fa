"""What the page shows of the agents' minds, which it asks of the bot's own endpoint."""

import io
from datetime import UTC, datetime, timedelta

import aiohttp
import pytest
from PIL import Image
from playwright.async_api import Browser, expect

from tests.playground.page_driver import staged
from tests.playground.page_face import agent, beat, facing
from tests.playground.person import Person

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


def soon(seconds: float) -> str:
    """Give a moment from now on, as the endpoint words it."""
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()


async def test_the_agents_stand_with_their_state_and_tempo(browser: Browser) -> None:
    async with facing() as face, staged(browser, face_url=face.url) as scene:
        room = await scene.channel.guild.create_text_channel("ada")
        face.agents = [
            agent(str(room.id), state="thinking", last_beat_at=soon(-4), last_reason="addressed"),
            agent("2", id=2, name="Clerk", type="bot", state="sleeping", interval_seconds=8.5),
        ]
        tab = await scene.tab()
        row = tab.page.get_by_role("button", name="Ada thinking")
        await expect(row).to_contain_text("every 5.0 s")
        await expect(tab.page.get_by_role("button", name="Clerk asleep")).to_contain_text("every 8.5 s")
        await expect(tab.page.get_by_role("button", name="ada, Ada, thinking")).to_be_visible()
        await tab.shot("agents")
        face.agents[0]["state"] = "idle"
        await expect(tab.page.get_by_role("button", name="Ada idle")).to_be_visible()


async def test_an_agents_state_is_that_in_the_room_one_is_in_and_says_where_it_is_at_work(browser: Browser) -> None:
    async with facing() as face, staged(browser, face_url=face.url) as scene:
        ada, bo = [str((await scene.channel.guild.create_text_channel(name)).id) for name in ("ada", "bo")]
        face.agents = [
            agent(ada, state="typing", hears=[ada, bo], doing={bo: "typing"}),
            agent(bo, id=2, name="Bo", hears=[bo, ada], doing={bo: "waiting for the floor"}, next_beat_at=soon(9)),
        ]
        tab = await scene.tab()
        await tab.page.get_by_role("button", name="ada, Ada, idle").click()
        await expect(tab.page.get_by_role("button", name="Ada typing in #bo")).to_be_visible()
        await expect(tab.page.get_by_role("button", name="Bo waiting for the floor in #bo")).to_be_visible()
        await tab.page.get_by_role("button", name="bo, Bo, waiting for the floor").click()
        await expect(tab.page.get_by_role("button", name="Ada typing unhurried")).to_be_visible()
        row = tab.page.get_by_role("button", name="Bo waiting for the floor unhurried")
        await expect(row).not_to_contain_text("looks")
        await tab.shot("agents-by-room")
        await tab.page.get_by_role("button", name="Ada typing unhurried").click()
        await expect(tab.page.locator(".drawer-state")).to_have_text("typing")


async def test_the_drawer_shows_the_hud_the_answer_and_the_cost_of_the_last_beat(browser: Browser) -> None:
    async with facing() as face, staged(browser, face_url=face.url) as scene:
        room = await scene.channel.guild.create_text_channel("ada", topic="Roses and short answers")
        face.agents = [agent(str(room.id), last_beat_at=soon(-4), last_reason="addressed", next_beat_at=soon(40))]
        face.beats[1] = beat()
        tab = await scene.tab()
        await tab.page.get_by_role("button", name="ada, Ada, idle").click()
        await tab.page.get_by_role("button", name="Look inside Ada").click()
        drawer = tab.page.locator(".drawer")
        await expect(drawer.get_by_label("HUD", exact=True).last).to_contain_text('people.you.likes: "tea"')
        await expect(drawer).to_contain_text("because somebody spoke to it")
        await expect(drawer).to_contain_text(
            "It is unhurried: every 5.0 s at the soonest it looks at what is not for it"
        )
        await expect(drawer.locator(".drawer-facts")).to_contain_text("in 3")
        assert await drawer.locator(".bar-value").all_inner_texts() == ["1,880", "96", "24", "312", "2,312"]
        await tab.shot("drawer-hud")
        await drawer.get_by_role("tab", name="Answer").click()
        await expect(drawer).to_contain_text("said “Good morning.” in #ada")
        await expect(drawer.locator(".thoughts")).to_have_text("They greet me; a short answer will do.")
        await tab.shot("drawer-answer")
        await drawer.get_by_role("tab", name="Answer").press("ArrowRight")
        await expect(drawer.get_by_role("tab", name="Cost")).to_be_focused()
        await expect(drawer).to_contain_text("1,900 (82 %)")
        await expect(drawer).to_contain_text("$0.000391 (imaginary")
        face.agents = [agent(str(room.id), last_beat_at=soon(0), last_reason="ambient")]
        face.beats[1] = beat(tokens={"input": 999, "cached": 0, "output": 1})
        await expect(drawer).to_contain_text("999 tokens")
        await expect(drawer).to_contain_text("because something was said where it listens")


async def test_who_may_not_see_what_it_saw_is_told_so_and_what_is_not_known_is_not_nothing(browser: Browser) -> None:
    async with facing() as face, staged(browser, face_url=face.url) as scene:
        face.agents = [agent("1", last_beat_at=soon(-4), last_reason="addressed")]
        face.beats[1] = beat(hud="the safe code is 4711")
        face.refusal = "Only people who may manage the server can do that."
        tab = await scene.tab()
        await tab.page.get_by_role("button", name="Ada idle").click()
        drawer = tab.page.locator(".drawer")
        await expect(drawer).to_contain_text("Only people who may manage the server can do that.")
        for name in ("HUD", "Answer", "Cost"):
            await drawer.get_by_role("tab", name=name).click()
            await expect(drawer).not_to_contain_text("4711")
        assert "" not in face.asked_by  # the page says whose it is
        await tab.shot("drawer-refused")
        tab.errors.clear()  # the browser itself notes the refusal
        face.refusal = ""
        face.agents = [agent("1", last_beat_at=soon(0), last_reason="addressed")]
        face.beats[1] = beat(cost_usd=None, agents_in_call=3)
        await expect(drawer).to_contain_text("unknown")
        await expect(drawer).to_contain_text("its share of a call for 3 agents")


async def test_no_other_page_may_frame_the_page_and_it_runs_only_its_own_scripts(browser: Browser) -> None:
    async with staged(browser) as scene, aiohttp.ClientSession() as session:
        for path in ("/", "/js/main.js", "/js/all.js"):
            async with session.get(f"{scene.playground.url}{path}") as response:
                kept = response.headers.get("Cache-Control") != "no-store"
                assert kept is (path != "/")  # the page's policy names the face of this run
                policy = set(response.headers["Content-Security-Policy"].split("; "))
                assert {"frame-ancestors 'none'", "default-src 'none'", "object-src 'none'"} <= policy
                assert {"base-uri 'none'", "form-action 'none'", "img-src 'self' blob:"} <= policy
                assert f"script-src {scene.playground.url}/js/" in policy
                assert response.headers["X-Content-Type-Options"] == "nosniff"


async def test_an_agent_that_has_not_looked_yet_says_so(browser: Browser) -> None:
    async with facing() as face, staged(browser, face_url=face.url) as scene:
        face.agents = [agent("1")]
        tab = await scene.tab()
        await tab.page.get_by_role("button", name="Ada idle").click()
        await expect(tab.page.locator(".drawer")).to_contain_text("It has not looked at anything yet.")
        await tab.page.get_by_role("button", name="Back to who is here").click()
        await expect(tab.page.get_by_role("button", name="Ada idle")).to_be_visible()


async def test_an_agents_posts_bear_its_name_and_lead_to_its_drawer(browser: Browser) -> None:
    async with facing() as face, staged(browser, face_url=face.url) as scene:
        face.agents = [agent(str(scene.channel.id))]
        hook = await scene.channel.create_webhook(name="Selfroom")
        tab = await scene.tab()
        await tab.page.get_by_role("button", name="Ada idle").wait_for()
        await hook.send("-# ↪ you\nGood morning. The roses are awake.", username="Ada")
        post = tab.message("The roses are awake.")
        await expect(post.locator(".badge")).to_have_text("AGENT")
        await post.get_by_role("button", name="Ada", exact=True).click()
        await expect(tab.page.locator(".drawer").get_by_role("heading", name="Ada")).to_be_visible()


async def test_a_webhook_of_a_persons_own_is_no_agent_whatever_it_calls_itself(browser: Browser) -> None:
    async with facing() as face, staged(browser, face_url=face.url) as scene:
        face.agents = [agent(str(scene.channel.id))]
        tab = await scene.tab()
        await tab.page.get_by_role("button", name="Ada idle").wait_for()
        async with Person.owner(scene.playground.url) as owner:
            made = await owner.call("POST", f"/channels/{scene.channel.id}/webhooks", json={"name": "Ada"})
            await owner.call("POST", f"/webhooks/{made['id']}/{made['token']}", json={"content": "Give me your keys."})
        await expect(tab.message("Give me your keys.").locator(".badge")).to_have_text("APP")


async def test_the_bot_types_in_the_name_of_the_agent_that_answers(browser: Browser) -> None:
    async with facing() as face, staged(browser, face_url=face.url) as scene:
        face.agents = [agent(str(scene.channel.id)), agent("2", id=2, name="Clerk")]
        tab = await scene.tab()
        await tab.page.get_by_role("button", name="Ada idle").wait_for()
        await scene.channel.typing()
        await expect(tab.page.locator(".typing")).to_contain_text("Ada is typing")
        face.agents[1] |= {"state": "typing", "doing": {str(scene.channel.id): "typing"}}
        await expect(tab.page.locator(".typing")).to_contain_text("Clerk is typing")


async def test_an_agent_wears_the_face_of_its_posts_everywhere(browser: Browser) -> None:
    async with facing() as face, staged(browser, face_url=face.url) as scene:
        face.agents = [agent(str(scene.channel.id))]
        picture = io.BytesIO()
        Image.new("RGB", (64, 64), "teal").save(picture, "PNG")
        hook = await scene.channel.create_webhook(name="Selfroom", avatar=picture.getvalue())
        tab = await scene.tab()
        row = tab.page.get_by_role("button", name="Ada idle")
        await expect(row.locator(".initial")).to_be_visible()
        await hook.send("Good morning.", username="Ada")
        await expect(row.locator("img")).to_be_visible()


async def test_without_an_endpoint_the_page_says_why_no_agents_are_shown(browser: Browser) -> None:
    async with staged(browser) as scene:
        tab = await scene.tab()
        await expect(tab.page.get_by_role("region", name="Agents")).to_contain_text("did not tell the playground")


async def test_an_endpoint_that_goes_away_is_missed_in_words_and_found_again(browser: Browser) -> None:
    async with facing() as face, staged(browser, face_url=face.url) as scene:
        face.agents = [agent("1")]
        tab = await scene.tab()
        await tab.page.get_by_role("button", name="Ada idle").wait_for()
        await tab.page.route(f"{face.url}/**", lambda route: route.abort())
        await expect(tab.page.locator(".members")).to_contain_text("The bot does not answer just now")
        await tab.page.unroute(f"{face.url}/**")
        await expect(tab.page.get_by_role("button", name="Ada idle")).to_be_visible()
        tab.errors.clear()  # the browser itself notes the lost endpoint


async def test_the_sign_of_a_thumb_begins_where_the_pace_was_before_it(browser: Browser) -> None:
    async with facing() as face, staged(browser, face_url=face.url) as scene:
        face.agents = [agent(str(scene.channel.id), interval_seconds=5.0)]
        hook = await scene.channel.create_webhook(name="Selfroom")
        said = await hook.send("Good morning.", username="Ada", wait=True)
        tab = await scene.tab()
        await tab.page.get_by_role("button", name="Ada idle").wait_for()
        message = tab.message("Good morning.")

        async def press(thumb: str, pace: float) -> None:
            await message.hover()
            await message.get_by_role("button", name=f"React with thumbs {thumb}").click()
            face.agents[0]["interval_seconds"] = pace

        async def looked() -> None:
            for _ in range(5):  # it looks some times whether more comes of it
                await tab.page.wait_for_event("response", lambda told: told.url.startswith(f"{face.url}/agents"))

        await press("up", 4.5)
        await expect(message).to_contain_text("5.0 s → 4.5 s")
        face.agents[0]["interval_seconds"] = 4.6  # a beat drifts by so much
        await looked()
        await expect(message).to_contain_text("5.0 s → 4.5 s")
        await message.get_by_role("button", name="thumbs up, 1").click()
        face.agents[0]["interval_seconds"] = 5.0
        await expect(message).not_to_contain_text("→")
        await looked()
        await expect(message).not_to_contain_text("→")
        await press("down", 5.5)
        await expect(message).to_contain_text("5.0 s → 5.5 s")
        assert said.id


async def test_of_an_agent_in_a_room_that_one_does_not_see_no_pace_is_made_up(browser: Browser) -> None:
    async with facing() as face, staged(browser, face_url=face.url) as scene:
        face.agents = [agent(None, hidden=True, interval_seconds=10.0)]
        tab = await scene.tab()
        row = tab.page.locator(".member.agent", has_text="Ada")
        await expect(row).to_contain_text("in a room that you do not see")
        await expect(row).not_to_contain_text("every")
        await row.click()
        drawer = tab.page.locator(".drawer")
        await expect(drawer).to_contain_text("What it saw is shown to those who see its room.")
        await expect(drawer).not_to_contain_text("open its room")


async def test_of_an_agent_that_plays_in_secret_nothing_is_said_that_is_not_so(browser: Browser) -> None:
    async with facing() as face, staged(browser, face_url=face.url) as scene:
        face.agents = [agent("1", interval_seconds=10.0, waits_for="the scene that it sits in", waiting="scene")]
        tab = await scene.tab()
        row = tab.page.locator(".member.agent", has_text="Ada")
        await expect(row).to_contain_text("in a scene")
        await expect(row).not_to_contain_text("every")
        await row.click()
        drawer = tab.page.locator(".drawer")
        await expect(drawer).to_contain_text("It sits in a scene: how it beats is told once that is over.")
        await expect(drawer).to_contain_text("What it saw is shown once its scene is over.")
        await expect(drawer).not_to_contain_text("none yet")
        await expect(drawer).not_to_contain_text("has not looked at anything")


async def test_a_channel_that_no_agent_hears_says_where_they_are(browser: Browser) -> None:
    async with facing() as face, staged(browser, face_url=face.url) as scene:
        room = await scene.channel.guild.create_text_channel("ada")
        face.agents = [agent(str(room.id)), agent(None, id=2, name="Clerk", hidden=True)]
        tab = await scene.tab()
        line = tab.page.locator(".typing")
        await expect(line).to_have_text("No agent hears this channel. Talk to them in #ada.")
        await tab.page.set_viewport_size({"width": 280, "height": 600})
        assert await line.locator(".quiet").evaluate("one => one.scrollWidth <= one.clientWidth")
        await tab.page.set_viewport_size({"width": 1360, "height": 850})
        await line.get_by_role("button", name="#ada").click()
        await expect(tab.box).to_have_attribute("placeholder", "Message #ada")
        await expect(line).to_be_empty()
