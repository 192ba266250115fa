"""Scenes are kept as they are, found when they are due, and moved, erased and forgotten with everything else."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import delete, select

from bot.core.changes import EndBeat, PutReason, Say
from bot.core.keeping import Readable
from bot.core.kinds import LetterState, ReasonKind
from bot.core.records import AgentId, BeatId, CommunityId, LetterId, MessageId, Reason, SceneId, Snowflake, Usage
from bot.core.scenes.council.kind import COUNCIL
from bot.core.scenes.council.state import CouncilOptions
from bot.core.scenes.play import Play, replayed
from bot.core.scenes.records import Scene, SceneEvent, SceneStatus, Seated
from storage import scenes
from storage.session import Values
from storage.store import SqlStore
from storage.tables import EARLY_EDITS, SEATS
from tests.factories import by_agent, person
from tests.fakes import START
from tests.founding import founded
from tests.storage.lines import forget, kept_beats, written_down
from tests.storage.scenes import LINE, MIRA, THREAD, a_council
from tests.storage.test_beats import beat

LATER = START + timedelta(minutes=5)


async def kept(store: SqlStore, community_id: CommunityId, **fields: object) -> Scene:
    async with store.writing(community_id) as write:
        await write.people.put(community_id, person("mira"))
        return await a_council(write, community_id, **fields)


async def found(store: SqlStore, scene: Scene) -> Scene:
    async with store.reading() as read:
        there = await read.scenes.find(scene.community_id, scene.id)
    assert there is not None
    return there


async def texts(store: SqlStore, scene: Scene) -> list[str | None]:
    async with store.reading() as read:
        return [event.text for event in await read.scenes.events(scene.community_id, scene.id)]


async def test_a_scene_reads_back_as_it_was_kept_and_its_log_folds_into_it(
    store: SqlStore, community_id: CommunityId
) -> None:
    scene = await kept(store, community_id)
    assert await found(store, scene) == scene
    async with store.reading() as read:
        log = await read.scenes.log(community_id, scene.id)
        assert await read.scenes.of_thread(community_id, THREAD) == scene
        assert await read.scenes.of_thread(community_id, Snowflake(1)) is None
        events = await read.scenes.events(community_id, scene.id)
    assert [event.audience for event in events] == [None, None, (1, 3)]
    play = Play(kind=COUNCIL, options=CouncilOptions(), seed=scene.seed)
    standing, differs = replayed(play, scene.taken, log, scene.first_digest)
    assert (standing.digest(), differs) == (scene.digest, None)
    assert play.unpacked(scene.standing) == standing


async def test_a_seat_that_is_given_up_in_the_lobby_is_gone(store: SqlStore, community_id: CommunityId) -> None:
    scene = await kept(store, community_id, status=SceneStatus.LOBBY)
    async with store.writing(community_id) as write:
        there = await write.scenes.find(community_id, scene.id)
        assert there is not None
        fewer = Scene(**{**{name: getattr(there, name) for name in Scene.__slots__}, "seats": there.seats[:2]})
        await write.scenes.keep(fewer)
    assert (await found(store, scene)).taken == (1, 2)


async def test_what_is_due_is_found_across_communities(store: SqlStore, community_id: CommunityId) -> None:
    scene = await kept(store, community_id, deadline_at=LATER)
    await kept(store, community_id, status=SceneStatus.PAUSED, deadline_at=None)
    async with store.reading() as read:
        assert await read.scenes.next_due_at() == LATER
        assert await read.scenes.due(START, limit=5) == []
        assert await read.scenes.due(LATER, limit=5) == [(community_id, scene.id)]
    async with store.writing(community_id) as write:
        await write.scenes.put_off(60)
    async with store.reading() as read:
        assert await read.scenes.next_due_at() == LATER + timedelta(seconds=60)
        running = await read.scenes.all(community_id, [SceneStatus.RUNNING])
        assert [one.id for one in running] == [scene.id]
        assert len(await read.scenes.all(community_id)) == 2


async def test_turns_are_taken_away_and_make_nobody_due_any_more(store: SqlStore, community_id: CommunityId) -> None:
    scene = await kept(store, community_id)
    turn = Reason(kind=ReasonKind.TURN, room_id=AgentId(1), since=START, due_at=START, scene_id=scene.id)
    async with store.writing(community_id) as write:
        await write.apply(community_id, [PutReason(agent_id=AgentId(one), reason=turn) for one in (1, 2)])
        glance = await write.views.glance(community_id, agent_ids=[AgentId(1)], messages=0)
        assert glance.reasons[AgentId(1)] == (turn,)
        assert len(await write.claims.due(START, limit=5)) == 2
        left = await write.scenes.ask_no_more(community_id, scene.id, but=[AgentId(2)])
        assert left == {AgentId(2): START}
        assert [agent_id for _, agent_id in await write.claims.due(START, limit=5)] == [2]


async def test_what_a_scene_cost_is_added_up_from_its_turns(store: SqlStore, community_id: CommunityId) -> None:
    scene = await kept(store, community_id)
    usage = Usage(input_tokens=10, cost_usd=Decimal("0.01"))
    async with store.writing(community_id) as write:
        for number, of in ((1, scene.id), (2, scene.id), (3, None)):
            turn = beat(number, reason=ReasonKind.TURN, scene_id=of, usage=usage)
            await write.apply(community_id, [EndBeat(beat=turn)])
        spent = await write.scenes.find(community_id, scene.id)
        assert spent is not None
        assert spent.usd == Decimal("0.02")
        assert [one.usd for one in spent.seats] == [Decimal("0.02"), 0, 0]
        assert (await kept_beats(write.beats, community_id, AgentId(1)))[-1].scene_id == scene.id


async def test_how_everybody_fared_counts_scenes_of_these_rooms_that_came_to_an_end(
    store: SqlStore, community_id: CommunityId
) -> None:
    await kept(store, community_id)
    await kept(store, community_id, status=SceneStatus.OVER)
    async with store.reading() as read:
        fared = await read.scenes.fared(community_id, [AgentId(1)])
        assert await read.scenes.fared(community_id, [AgentId(2)]) == []
    counts = {(one.agent_id, one.person_id): (one.kind, one.played, one.won, one.turns) for one in fared}
    assert counts == {
        (AgentId(1), None): ("council", 1, 0, 0),
        (AgentId(2), None): ("council", 1, 0, 0),
        (None, MIRA): ("council", 1, 0, 2),
    }


async def test_of_very_many_who_played_those_are_told_of_who_did_most_often(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anybody may ask for it, and an archive may bring a hundred thousand."""
    monkeypatch.setattr(scenes, "MOST_FARED", 2)
    for number in range(2):
        one = await kept(store, community_id, status=SceneStatus.OVER)
        if number:
            async with store.writing(community_id) as write:
                await write.session.run(delete(SEATS).where(SEATS.c.scene_id == one.id, SEATS.c.agent_id == 1))
    async with store.reading() as read:
        fared = await read.scenes.fared(community_id, [AgentId(1)])
    assert [(one.agent_id, one.person_id, one.played) for one in fared] == [(None, MIRA, 2), (AgentId(2), None, 2)]


async def test_a_list_of_scenes_is_short_and_reads_nothing_of_where_they_stand(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scenes, "MOST_LISTED", 2)
    kept_ids = [(await kept(store, community_id, status=SceneStatus.OVER)).id for _ in range(3)]
    async with store.reading() as read:
        listed = await read.scenes.all(community_id)
    assert [(one.id, one.standing) for one in listed] == [(kept_ids[2], {}), (kept_ids[1], {})]


async def test_what_is_said_in_a_scene_shows_in_no_room_and_counts_for_nothing_there(
    store: SqlStore, community_id: CommunityId
) -> None:
    scene = await kept(store, community_id)
    async with store.writing(community_id) as write:
        id_ = MessageId(write.ids.take("message"))
        said = Say(
            message_id=id_, room_id=AgentId(1), sender=by_agent(1), content="Hear!", sent_at=START, scene_id=scene.id
        )
        await write.apply(community_id, [said])
        view = await write.views.glance(community_id, agent_ids=[AgentId(1)], messages=5)
        assert (view.unposted, view.being_posted, view.all_rooms[AgentId(1)].agent_run) == ({}, {}, 0)
        (letter,) = await write.letters.due(START, limit=5)
        await write.letters.move(
            community_id, LetterId(letter.id), LetterState.SENT, posted_as=[Snowflake(44)], at=START
        )
        view = await write.views.glance(community_id, agent_ids=[AgentId(1)], messages=5)
        assert view.rooms[AgentId(1)].messages == ()
        assert await write.talk.search(community_id, "Hear", room_ids=[AgentId(1)]) == []
        assert (await write.talk.by_id(community_id, [id_]))[id_].scene_id == scene.id


async def test_a_deleted_line_leaves_the_scene_and_replay_stays_exact(
    store: SqlStore, community_id: CommunityId
) -> None:
    scene = await kept(store, community_id)
    async with store.writing(community_id) as write:
        turn = beat(1, reason=ReasonKind.TURN, scene_id=scene.id, hud="Mira brews it.")
        await write.apply(community_id, [EndBeat(beat=turn)])
        await write.talk.delete(community_id, [LINE], START)
    assert await texts(store, scene) == ["Tea", None, "{s1} moves: {t1} {t2}"]
    async with store.reading() as read:
        assert (await kept_beats(read.beats, community_id, AgentId(1)))[0].hud == ""
    assert (await found(store, scene)).digest == scene.digest


async def test_a_line_of_a_scene_that_is_changed_is_no_more_said_there_and_not_kept_for_later(
    store: SqlStore, community_id: CommunityId
) -> None:
    scene = await kept(store, community_id)
    for content in ("Mira brews it. Later", "I said nothing"):
        assert await texts(store, scene) == ["Tea", "Mira brews it.", "{s1} moves: {t1} {t2}"]
        async with store.writing(community_id) as write:
            await write.talk.edit(community_id, LINE, content=content, edited_at=START, tokens=3)
    assert await texts(store, scene) == ["Tea", None, "{s1} moves: {t1} {t2}"]
    async with store.database.reading() as connection:
        assert (await connection.execute(select(EARLY_EDITS))).all() == []


async def test_whoever_is_forgotten_leaves_neither_words_nor_seat_nor_what_they_wrote_for_it(
    store: SqlStore, community_id: CommunityId
) -> None:
    scene = await kept(store, community_id)
    async with store.writing(community_id) as write:
        told = await written_down(
            write.personal, community_id, MIRA, Readable(rooms=frozenset({AgentId(1)}), threads=frozenset())
        )
        assert told["scenes"] == [
            {"scene_id": scene.id, "seat": 3, "said": [{"at": START.isoformat(), "text": "Mira brews it."}]}
        ]
        await forget(write.personal, community_id, MIRA, LATER)
    after = await found(store, scene)
    assert await texts(store, scene) == ["Tea", None, "{s1} moves: {t1} {t2}"]
    assert [one.person_id for one in after.seats] == [None, None, None]
    assert "topic" not in after.options
    assert after.options["turns"] == 60
    assert "mira" not in str(after).casefold()


async def test_words_of_long_ago_go_and_the_scene_stays(store: SqlStore, community_id: CommunityId) -> None:
    scene = await kept(store, community_id)
    async with store.writing(community_id) as write:
        await write.upkeep.forget(community_id, messages_before=LATER, huds_before=LATER, logs_before=LATER)
    assert await texts(store, scene) == [None, None, "{s1} moves: {t1} {t2}"]


async def test_a_running_scene_comes_out_of_an_archive_paused(
    store: SqlStore, community_id: CommunityId, tmp_path: Path
) -> None:
    scene = await kept(store, community_id)
    await store.export(community_id, tmp_path / "community.zip")
    async with await SqlStore.open("sqlite:///:memory:") as other:
        moved = await other.import_archive(tmp_path / "community.zip", guild_id=Snowflake(99))
        async with other.reading() as read:
            there = await read.scenes.find(moved.community_id, scene.id)
            assert there is not None
            log = await read.scenes.log(moved.community_id, there.id)
    assert (there.status, there.deadline_at, there.seconds_left) == (SceneStatus.PAUSED, None, 120)
    assert (there.thread_id, there.board_post_id) == (None, None)
    assert (there.digest, there.standing, len(log)) == (scene.digest, scene.standing, 1)


async def test_a_copy_of_a_community_has_its_scenes(store: SqlStore, community_id: CommunityId) -> None:
    scene = await kept(store, community_id)
    async with await store.clone(community_id) as copy, copy.reading() as read:
        assert await read.scenes.find(community_id, SceneId(scene.id)) == scene
        assert len(await read.scenes.events(community_id, scene.id)) == 3


async def test_ids_of_scenes_are_counted_and_go_on_elsewhere(store: SqlStore, community_id: CommunityId) -> None:
    scene = await kept(store, community_id)
    async with store.writing(community_id) as write:
        assert write.ids.take("scene") == scene.id + 1
        assert BeatId(write.ids.take("beat")) == 1


async def test_texts_are_found_by_their_numbers_and_a_line_by_whether_it_was_said(
    store: SqlStore, community_id: CommunityId
) -> None:
    scene = await kept(store, community_id)
    async with store.reading() as read:
        assert await read.scenes.texts(community_id, scene.id, [2, 3, 4]) == {2: "Mira brews it."}
        assert await read.scenes.texts(community_id, scene.id, []) == {}
        assert await read.scenes.was_said(community_id, scene.id, LINE)
        assert not await read.scenes.was_said(community_id, scene.id, THREAD)


async def test_of_a_long_scene_others_have_their_turn_while_it_is_read_and_no_more_is_read_than_any_has(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = await kept(store, community_id)
    told = [SceneEvent(id=10 + at, step=1, kind="note", text=f"{at}", at=START) for at in range(1_000)]
    async with store.writing(community_id) as write:
        await write.scenes.tell(community_id, scene.id, told)
    turns = 0
    pause = asyncio.sleep

    async def counted(seconds: float) -> None:
        nonlocal turns
        turns += 1
        await pause(seconds)

    monkeypatch.setattr(asyncio, "sleep", counted)
    async with store.reading() as read:
        assert len(await read.scenes.events(community_id, scene.id)) == 1_003
        assert turns == 1_003 // scenes.AT_ONCE
        monkeypatch.setattr(scenes, "MOST_OF_A_SCENE", 400)
        newest = await read.scenes.events(community_id, scene.id)
    assert [one.id for one in newest] == list(range(610, 1_010))


async def test_whether_something_of_a_kind_was_told_is_asked_without_reading_all_of_it(
    store: SqlStore, community_id: CommunityId
) -> None:
    scene = await kept(store, community_id)
    async with store.reading() as read:
        assert await read.scenes.was_told(community_id, scene.id, "motion")
        assert not await read.scenes.was_told(community_id, scene.id, "silenced")


async def test_however_many_scenes_were_in_a_thread_only_the_one_that_is_meant_is_read(
    store: SqlStore, community_id: CommunityId, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await kept(store, community_id)
    for _ in range(5):
        await kept(store, community_id, status=SceneStatus.OVER)
    read_back = scenes._scene_of
    seen: list[int] = []

    def noted(row: Values, seats: Sequence[Seated]) -> Scene:
        seen.append(row["id"])
        return read_back(row, seats)

    monkeypatch.setattr(scenes, "_scene_of", noted)
    async with store.reading() as read:
        assert await read.scenes.of_thread(community_id, THREAD) == first
    assert seen == [first.id]


async def test_however_many_scenes_are_due_in_one_community_another_has_its_turn(
    store: SqlStore, community_id: CommunityId
) -> None:
    other = await founded(store, guild_id=10)
    for _ in range(3):
        await kept(store, community_id, thread_id=None)
    await kept(store, other, deadline_at=LATER)
    async with store.reading() as read:
        assert [one for one, _ in await read.scenes.due(LATER, limit=2)] == [community_id, other]
