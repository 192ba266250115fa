"""What a server says it used, as far as that can be."""

from bot.core.records import Usage

MOST_TOKENS = 100_000_000  # of one call: more is no count


def usage_of(*, input_count: object, output: object, cached: object = 0, written: object = 0) -> Usage:
    """Give token counts that fit together, whatever a server reports; what is no number counts as 0."""
    read = _count(input_count)
    from_cache = min(_count(cached), read)
    return Usage(
        input_tokens=read,
        cached_tokens=from_cache,
        cache_write_tokens=min(_count(written), read - from_cache),
        output_tokens=_count(output),
    )


def _count(said: object) -> int:
    if isinstance(said, bool) or not isinstance(said, int | float) or not 0 <= said <= MOST_TOKENS:
        return 0
    return int(said)
