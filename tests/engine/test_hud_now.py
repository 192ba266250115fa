"""What an agent would see now is built as for a beat, counted, and leaves everything as it was."""

from bot.core.kinds import InputFormat
from bot.engine.hud_now import hud_now
from tests.engine.town import ADA, BOB, town
from tests.fakes import WordTokenizer


async def test_it_shows_what_was_said_where_the_agent_is_and_counts_its_sections() -> None:
    async with town() as here:
        await here.hear("Where is the kettle?")
        before = await here.view()
        seen = {}
        for id_ in (ADA, BOB):
            async with here.store.reading() as read:
                seen[id_], sections = await hud_now(
                    read.views,
                    here.community_id,
                    before.agents[id_],
                    now=here.clock.now(),
                    tokenizer=WordTokenizer(),
                    structured=False,
                    lean=False,
                )
            assert sum(tokens for _, tokens in sections) > 0
            assert len(dict(sections)) == len(sections)
        assert "Where is the kettle?" in seen[ADA]
        assert "Where is the kettle?" not in seen[BOB]
        assert await here.view() == before


async def test_it_is_written_in_the_format_that_is_asked_for_and_else_in_the_agents_own() -> None:
    async with town() as here:
        await here.hear("Where is the kettle?")
        ada = (await here.view()).agents[ADA]

        async def seen(input_format: InputFormat | None) -> str:
            async with here.store.reading() as read:
                text, _ = await hud_now(
                    read.views,
                    here.community_id,
                    ada,
                    now=here.clock.now(),
                    tokenizer=WordTokenizer(),
                    structured=False,
                    lean=False,
                    input_format=input_format,
                )
            return text

        assert await seen(None) == await seen(ada.input_format)
        assert await seen(InputFormat.JSON) != await seen(InputFormat.TEXT)
