"""The page of rules says what the kind is where no table of it does (tests.core.scenes.games_page)."""

from pathlib import Path

from bot.core.scenes.village.ground import ground_of

PAGE = Path("docs/games.md").read_text().partition("\n## Village\n")[2].partition("\n## ")[0]


def test_the_buildings_are_those_on_the_page() -> None:
    buildings = {one.name for one in ground_of(1, 1).places if one.is_building}
    assert buildings == {"market", "smithy", "farm", "house 1"}
    assert "Market, farm, smithy and houses are buildings" in PAGE
