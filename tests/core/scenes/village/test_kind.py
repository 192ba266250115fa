"""The page of rules and the rulebook say what the kind is."""

from pathlib import Path

from bot.core.hud.turn import rules_of
from bot.core.scenes.showing import hint_of
from bot.core.scenes.village.bodies import STOCKED
from bot.core.scenes.village.ground import COST, Terrain, ground_of
from bot.core.scenes.village.kind import VILLAGE
from bot.tokens import tokenizer_for

PAGE = Path("docs/games.md").read_text().partition("\n## Village\n")[2].partition("\n## ")[0]


def test_every_move_option_and_preset_stands_on_the_page_in_its_own_words() -> None:
    for move in VILLAGE.moves:
        assert f"| `{move.name}` | {hint_of(move)} |" in PAGE
    for name, info in VILLAGE.options.model_fields.items():
        assert f"| `{name}` | " in PAGE
        assert f" | {info.description} |" in PAGE
    for preset in VILLAGE.presets:
        assert f"| {preset.title} | " in PAGE


def test_every_place_and_tile_stands_on_the_page_with_what_is_there() -> None:
    for place, items in STOCKED.items():
        assert f"| {place} | {', '.join(items)} |" in PAGE
    for terrain in Terrain:
        assert f"`{terrain.value}`" in PAGE
    for terrain, cost in COST.items():
        line = next(line for line in PAGE.splitlines() if line.startswith("| ") and f"`{terrain.value}`" in line)
        assert line.endswith(f"| {cost} |")
    buildings = {one.name for one in ground_of(1, 1).places if one.is_building}
    assert buildings == {"market", "smithy", "farm", "house 1"}
    assert "Market, farm, smithy and houses are buildings" in PAGE


def test_its_rulebook_is_short() -> None:
    assert tokenizer_for("gpt-4o-mini").count(rules_of(VILLAGE)) <= 900
