"""What single beats spend their time on is told, but nothing of who moves in a closed scene."""

from collections import Counter

from bot.core.errors import ModelUnreachable
from bot.core.spans import SpanKind
from tests.engine.hearts import hearts
from tests.engine.test_closed_scenes import knowing, until
from tests.engine.theatre import Player, theatre

WHOLE = Counter(SpanKind)


async def test_a_beat_tells_all_it_does_from_its_claim_to_its_letter() -> None:
    async with hearts(1, script=["Good morning, Mira."]) as here:
        await here.hear("Wren?")
        await here.run(30)
        spans = here.metrics.spans
        assert Counter(one.kind for one in spans) == WHOLE
        beat = await here.last_beat()
        assert beat is not None and {one.beat_ids for one in spans} == {(beat.id,)}
        told = {one.kind: one for one in spans}
        assert told[SpanKind.BEAT].about == {"reason": "addressed"}
        assert told[SpanKind.CALL].usage is not None and told[SpanKind.CALL].model
        order = [SpanKind.CLAIM, SpanKind.VIEW, SpanKind.HUD, SpanKind.CALL, SpanKind.APPLY, SpanKind.LETTER]
        times = [(told[kind].since, told[kind].until) for kind in order]
        assert times == sorted(times) and all(since <= until for since, until in times)


async def test_a_call_that_failed_names_its_error_and_ends_its_beat() -> None:
    async with hearts(1, script=[ModelUnreachable("Nobody is there.")]) as here:
        await here.hear("Wren?")
        await here.run(5)
        first = next(one for one in here.metrics.spans if one.kind is SpanKind.CALL)
        assert first.failure == "ModelUnreachable"
        told = {one.kind for one in here.metrics.spans if one.beat_ids == first.beat_ids}
        assert told == WHOLE.keys() - {SpanKind.APPLY, SpanKind.LETTER}


async def test_nothing_is_told_of_who_moves_in_a_closed_scene() -> None:
    async with theatre(Player(knowing), agents=6) as stage:
        await stage.opened("werewolf", 6)
        await stage.run(2)
        before, asked = len(stage.house.metrics.spans), len(stage.house.model.calls)
        await until(stage, "ballot")
        assert len(stage.house.model.calls) > asked
        assert not stage.house.metrics.spans[before:]
