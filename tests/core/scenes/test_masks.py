"""The list of places where a closed scene might show; tests/engine/test_masks.py walks through them."""

from bot.core.scenes.masks import SURFACES, Mask


def test_every_place_is_named_once_and_what_is_refused_or_shut_opens_at_the_end() -> None:
    assert len({one.name for one in SURFACES}) == len(SURFACES)
    assert all(one.until for one in SURFACES if one.mask in (Mask.REFUSED, Mask.SHUT))
    assert {one.mask for one in SURFACES} == {*Mask}
