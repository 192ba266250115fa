"""The map of a village: what it shows, what it hides, and its words."""

from io import BytesIO

import pytest
from PIL import Image

from bot.core.scenes.kind import Chance
from bot.core.scenes.village.kind import VILLAGE, VillageOptions
from bot.core.scenes.village.state import Village
from cogs.ui.scene_pictures import PICTURES, scene_picture
from cogs.ui.village_map import AXIS, TERRAIN, TILE, village_map, village_words
from tests.core.scenes.hidden_village import hidden
from tests.core.scenes.plays import dice, of, play_out

NAMES = {seat: f"Agent {seat}" for seat in range(1, 13)}


def state(seats: int = 4, **options: object) -> Village:
    found = of(VILLAGE, VillageOptions.model_validate(options), seats).standing.state
    assert isinstance(found, Village)
    return found


def image(png: bytes) -> Image.Image:
    return Image.open(BytesIO(png))


def middle(tile: int) -> tuple[int, int]:
    return AXIS + tile % 20 * TILE + TILE // 2, AXIS + tile // 20 * TILE + TILE // 2


def test_each_tile_has_the_colour_of_its_terrain_and_people_stand_on_theirs() -> None:
    there = state(faces=True)
    shown = image(village_map(there.view(0).picture, NAMES))
    places = {one.tile for one in there.ground.places}
    near = {one + step for one in places for step in (0, 1, -1, 20, -20, 19, 21, -19, -21)}
    for tile, terrain in enumerate(there.ground.terrain):
        if tile not in near:
            assert shown.getpixel(middle(tile)) == tuple(bytes.fromhex(TERRAIN[terrain.value][1:]))
    without = image(village_map(state().view(0).picture, NAMES))
    home = there.bodies[1].tile
    left = (middle(home)[0] - 7, middle(home)[1])
    assert shown.getpixel(left) != without.getpixel(left)


def test_what_one_does_not_see_is_darker() -> None:
    there = state()
    mine, everybodys = (image(village_map(there.view(seat).picture, NAMES)) for seat in (1, 0))
    here = there.bodies[1].tile
    far = max(range(400), key=lambda tile: abs(tile % 20 - here % 20) + abs(tile // 20 - here // 20))
    assert sum(mine.getpixel(middle(far))) < sum(everybodys.getpixel(middle(far)))  # type: ignore[arg-type]


def test_its_words_tell_places_people_and_at_the_end_how_far_each_walked() -> None:
    there = state(2)
    told = village_words(there.view(1).picture, NAMES)
    assert told.startswith("Map of the village. People: Agent 1 ")
    assert "(house 1)" in told
    assert "Places: well " in told
    for options in ({"rounds": 1}, {"turns": 2}):
        playing = of(VILLAGE, VillageOptions.model_validate(options), 2)
        for seat in (1, 2):
            assert "walked" not in village_words(playing.standing.state.view(0).picture, NAMES)
            playing.move(seat, "move", place="well")
        assert playing.is_over
        assert "Walks: Agent 1 walked " in village_words(playing.standing.state.view(0).picture, NAMES)


def test_a_dozen_on_one_tile_with_names_of_any_script_can_be_drawn() -> None:
    there = state(12, faces=True)
    bodies = {seat: body.model_copy(update={"tile": there.bodies[1].tile}) for seat, body in there.bodies.items()}
    crowded = there.model_copy(update={"bodies": bodies, "ended": "its time has passed"})
    names = {seat: "名前 🦊 " * 20 for seat in there.seats}
    assert image(village_map(crowded.view(0).picture, names)).mode == "RGB"


@pytest.mark.slow
def test_its_bytes_tell_nothing_that_its_seat_does_not_see() -> None:
    pairs = 0
    for seed in range(4):
        for playing in play_out(VILLAGE, dice(seed), illegal=False):
            if playing.is_over or playing.standing.step > 4:
                break
            there = playing.standing.state
            assert isinstance(there, Village)
            for seat in (0, *there.seats[:3]):
                other = hidden(there, seat, Chance("other", playing.standing.step))
                one, two = (each.view(seat).picture for each in (there, other))
                assert one == two
                assert seed or village_map(one, NAMES) == village_map(two, NAMES)  # to draw takes long
                pairs += 1
    assert pairs >= 40


async def test_a_kind_without_a_picture_has_none() -> None:
    assert await scene_picture("twenty-questions", {"a": 1}, NAMES) is None
    assert await scene_picture("village", {}, NAMES) is None
    assert "village" in PICTURES


@pytest.mark.parametrize("seat", [0, 1])
async def test_a_picture_is_a_file_with_words(seat: int) -> None:
    file = await scene_picture("village", state().view(seat).picture, NAMES)
    assert file is not None
    assert file.filename == "village.png"
    assert (file.description or "").startswith("Map of the village.")
