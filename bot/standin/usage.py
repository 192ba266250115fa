"""Token counts, and how many of them a provider's prompt cache would have known."""

from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b

BYTES_PER_TOKEN = 3.6
FIRST_CACHED = 1_024
CACHE_STEP = 128
MAX_BLOCKS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one call; `cached_tokens` are part of `input_tokens`."""

    input_tokens: int
    cached_tokens: int
    output_tokens: int

    @property
    def total_tokens(self) -> int:
        return self.input_tokens + self.output_tokens


def tokens_of(text: str) -> int:
    """Estimate: UTF-8 bytes / 3.6, rounded up."""
    return -int(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


def first_tokens(text: str, tokens: int) -> str:
    """The start of a text that is at most so many tokens long."""
    return text.encode("utf-8", "replace")[: int(tokens * BYTES_PER_TOKEN)].decode("utf-8", "ignore")


class PromptCache:
    """Remembers the beginnings of prompts in steps of 128 tokens, so that a common prefix is found.

    Each block is known by a digest of everything up to its end: two prompts share a block only when
    they are the same from the first byte on. Prompts meet only under the same model and cache key; a
    prompt without a key may meet any other of that model.
    """

    def __init__(self) -> None:
        self._blocks: OrderedDict[tuple[str, str | None, bytes], None] = OrderedDict()

    def cached_tokens(self, prompt: str, *, model: str, key: str | None) -> int:
        """Tokens known from earlier prompts (0, or 1,024 and up in steps of 128); this one is kept."""
        digests = block_digests(prompt)
        known = 0
        while known < len(digests) and (model, key, digests[known]) in self._blocks:
            known += 1
        for digest in digests:
            for kept_under in {key, None}:
                self._keep((model, kept_under, digest))
        tokens = known * CACHE_STEP
        return tokens if tokens >= FIRST_CACHED else 0

    def _keep(self, block: tuple[str, str | None, bytes]) -> None:
        self._blocks[block] = None
        self._blocks.move_to_end(block)
        if len(self._blocks) > MAX_BLOCKS:
            self._blocks.popitem(last=False)


def block_digests(prompt: str) -> list[bytes]:
    """One digest for each whole block of 128 tokens, over all bytes from the start to its end."""
    data = prompt.encode("utf-8", "replace")
    running = blake2b(digest_size=12)
    digests, start = [], 0
    for number in range(1, int(len(data) / (CACHE_STEP * BYTES_PER_TOKEN)) + 1):
        end = int(number * CACHE_STEP * BYTES_PER_TOKEN)
        running.update(data[start:end])
        digests.append(running.digest())
        start = end
    return digests
