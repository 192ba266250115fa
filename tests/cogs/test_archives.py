"""How large the files of `/setup export` and `/setup import` may be."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from cogs.setup.archives import most_bytes


@pytest.mark.parametrize(("limit", "most"), [(10_000_000, 10_000_000), (100_000_000, 25_000_000)])
def test_an_archive_is_never_larger_than_fits_beside_others_in_memory(limit: int, most: int) -> None:
    assert most_bytes(cast("Any", SimpleNamespace(filesize_limit=limit))) == most
