"""What of a step is said in the thread, and by whom."""

from bot.core.config import CommunityConfig
from bot.core.scenes.kind import Event
from bot.engine.scene_posts import names_of, posts
from tests.engine.theatre import BOSS, MIRA, theatre
from tests.fakes import START


async def test_agents_speak_for_themselves_and_all_else_is_told_together_but_not_what_only_some_may_hear() -> None:
    async with theatre() as stage:
        await stage.opened("chat", 1, BOSS, MIRA)
        scene = await stage.scene()
        events = [
            Event(text="It begins."),
            Event(text="{s2} nods."),
            Event(text="Hello.", speaker=1),
            Event(text="Well.", speaker=2),
            Event(text="psst", audience=(1,)),
        ]
        async with stage.house.store.reading() as read:
            assert await names_of(read, scene) == {1: "Agent1", 2: "@boss", 3: "@mira"}
        async with stage.house.store.writing(stage.house.community_id) as write:
            said = await posts(write, scene, events, now=START, typing_at_most_seconds=2.0)
    assert [(one.sender.agent_id, one.content) for one in said] == [
        (None, "It begins.\n@boss nods."),
        (1, "Hello."),
        (None, "@boss: Well."),
    ]
    assert {one.thread_id for one in said} == {scene.thread_id}
    assert all(one.scene_id == scene.id for one in said)
    times = [one.not_before for one in said if one.not_before is not None]
    assert times == sorted(times)
    assert times[0] == START < times[1]


async def test_in_the_thread_system_mentions_who_plays_and_calls_nobody_by_it_and_agents_read_usernames() -> None:
    async with theatre(config=CommunityConfig(pings=True)) as stage:
        await stage.opened("chat", 1, BOSS, MIRA)
        scene = await stage.scene()
        async with stage.house.store.writing(stage.house.community_id) as write:
            said = await posts(write, scene, [Event(text="{s3} nods to {s1}.")], now=START)
            await write.apply(stage.house.community_id, said)
        before = len(stage.house.publisher.posts)
        await stage.house.deliver()
    assert [one.content for one in said] == ["@mira nods to Agent1."]
    ((_, post),) = stage.house.publisher.posts[before:]
    assert (post.content, post.pings) == (f"<@{MIRA.id}> nods to Agent1.", False)
