"""Count tokens as the models do, without a network: o200k_base from ranks that are installed with the program."""

import gc
import gzip
import math
from base64 import b64decode
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from io import BytesIO
from typing import Final

import tiktoken

from bot.core.errors import BadSetting
from bot.core.ports import Tokenizer

_RANKS: Final = "o200k_base.tiktoken.gz"  # OpenAI's own, as tiktoken (MIT) fetches them
_SHA256: Final = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"  # the one tiktoken holds them to

_LETTERS: Final = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_SMALL: Final = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_ENDINGS: Final = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_SPLITS: Final = "|".join(
    (
        rf"[^\r\n\p{{L}}\p{{N}}]?{_LETTERS}*{_SMALL}+{_ENDINGS}",
        rf"[^\r\n\p{{L}}\p{{N}}]?{_LETTERS}+{_SMALL}*{_ENDINGS}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)
_BYTES_PER_TOKEN: Final = 3.6
_O200K_FAMILIES: Final = ("gpt-", "o1", "o3", "o4", "chatgpt-", "codex", "computer-use")


class O200kTokenizer:
    """The vocabulary of OpenAI's models since gpt-4o.

    `adds_up`: whole lines' counts add up to the text's, so counts of messages are stored by it.
    """

    adds_up: Final = True

    def __init__(self) -> None:
        ranks = _ranks()
        self._encoding = tiktoken.Encoding(
            "o200k_base", pat_str=_SPLITS, mergeable_ranks=ranks, special_tokens={}, explicit_n_vocab=None
        )
        del ranks
        gc.collect()

    def count(self, text: str) -> int:
        """Give the number of tokens; what looks like a special token is counted as the text it is."""
        return len(self._encoding.encode_ordinary(text))


def _ranks() -> dict[bytes, int]:
    """Give the vocabulary's tokens with their ranks; raises BadSetting when the file is not the one it should be."""
    text = gzip.decompress((files(__package__) / _RANKS).read_bytes())
    if sha256(text).hexdigest() != _SHA256:
        raise BadSetting("The tokenizer's vocabulary is damaged: install Selfroom again.")
    return {b64decode(token): int(rank) for token, rank in map(bytes.split, BytesIO(text))}


class ByteTokenizer:
    """A careful guess for models whose vocabulary is not at hand: UTF-8 bytes by 3.6, rounded up."""

    def count(self, text: str) -> int:
        """Give the estimated number of tokens."""
        return math.ceil(len(text.encode("utf-8", "surrogatepass")) / _BYTES_PER_TOKEN)


@lru_cache(maxsize=1)
def o200k() -> O200kTokenizer:
    """Give the one tokenizer of this process; the first call takes about 0.3 s."""
    return O200kTokenizer()


@lru_cache(maxsize=1)
def by_bytes() -> ByteTokenizer:
    """Give the one estimating tokenizer of this process."""
    return ByteTokenizer()


def tokenizer_for(model: str) -> Tokenizer:
    """Give the tokenizer of a model by its name, with or without a provider's prefix (`openai/gpt-4o-mini`)."""
    prefix, _, name = model.rpartition("/")
    is_openai = prefix in ("", "openai") and name.startswith(_O200K_FAMILIES) and not name.startswith("gpt-oss")
    older = name.startswith(("gpt-3", "gpt-4-", "gpt-4.0")) or name == "gpt-4"
    return o200k() if is_openai and not older else by_bytes()
