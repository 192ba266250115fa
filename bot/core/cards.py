"""Character cards, versions 1 to 3, as JSON or inside a PNG; Selfroom's own fields stand in their extensions. Pure."""

import base64
import binascii
import json
import math
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeGuard

from bot.core.actions.fields import LONGEST_PROMPT
from bot.core.changes import AgentColumns
from bot.core.errors import BadSetting, Rejected
from bot.core.kinds import AgentType, Detail, InputFormat, OutputFormat
from bot.core.knowledge import LARGEST_KNOWN, MOST_KNOWN, check_shape, depth_of, values_in
from bot.core.lore import as_card, lorebook_of
from bot.core.names import LONGEST_ALIAS, MOST_ALIASES
from bot.core.records import NO_LORE, AgentId, Allocations, Json, Lorebook, Mind, WholeAgent

PNG = b"\x89PNG\r\n\x1a\n"
CHUNKS = ("ccv3", "chara")  # the newer version first
LARGEST_TEXT = 2_000_000  # bytes of a card's text, also of a packed one once it is unpacked
LEAST_ALIAS = 2  # characters
LONGEST_NAME = 80  # of a chunk
MOST_CHUNKS = 20_000  # of a picture
MOST_VALUES = 50_000  # in a whole card
LARGEST_KEPT, MOST_KEPT = 600_000, 40_000  # characters and values of what is only kept
KEPT = "card:"  # begins the name under which that is kept
DEEPEST_CARD = 24  # levels: written line by line, what lies deep takes the square of its depth
MOST_KEYS = 500  # at the top of its knowledge
TOO_MUCH = "This card holds more than any agent needs: make it smaller."
_NOTES = re.compile(r"\s*[()\[\]]+\s*")  # "Ada (v2)": agents' names have none, which would look like our own notes
USED = {"name", "description", "personality", "scenario", "first_mes"}
BOOK_FIELD = "character_book"  # what a card tells of its world (core.lore)
OWN = "selfroom"  # our place in a card's extensions
BROKEN = "This is no character card: give a JSON file, or a PNG that has a card in it."


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """An agent as a file describes it; `settings` are columns of the agent, `kept` what is only kept for export."""

    name: str
    prompt: str
    type: AgentType = AgentType.PERSONA
    greeting: str = ""
    knowledge: Mapping[str, Json] = field(default_factory=dict)
    settings: AgentColumns = field(default_factory=AgentColumns)
    lore: Lorebook = NO_LORE
    lore_there: int = 0  # entries that its book had
    kept: dict[str, Json] = field(default_factory=dict)
    token_budget: int | None = None
    has_picture: bool = False


def read_card(data: bytes) -> Card:
    """Read a card from a file's content; raises BadSetting with what is wrong.

    A large one takes its time: that is for a workshop.
    """
    is_picture = data.startswith(PNG)
    whole = _object(_text_in_png(data) if is_picture else data)
    inner = whole.get("data") if isinstance(whole.get("data"), dict) else whole
    assert isinstance(inner, dict)  # noqa: S101 - either of the two is
    name = " ".join(_NOTES.sub(" ", _line(inner, "name")).split())
    if not name:
        raise BadSetting("This card has no name in it: add one and try again.")
    own = _own_fields(inner)
    lore = lorebook_of(inner.get(BOOK_FIELD), lambda text: _named(text, name))
    return Card(
        name=name,
        prompt=_prompt(inner, own, name),
        type=AgentType.BOT if own.get("type") == "bot" else AgentType.PERSONA,
        greeting=_named(_line(inner, "first_mes"), name),
        knowledge=_knowledge(own),
        settings=_settings(own),
        token_budget=_whole(own.get("token_budget"), 4_000, 200_000),
        lore=lore.book,
        lore_there=lore.there,
        kept=_kept(inner),
        has_picture=is_picture,
    )


def written(agent: WholeAgent, mind: Mind, kept: Json) -> str:
    """Give the text of an agent's card; of many fields that were kept it takes its time: that is for a thread."""
    fields = kept if isinstance(kept, dict) and is_bounded(kept) else {}
    return json.dumps(card_of(agent, mind, fields), ensure_ascii=False, indent=2)


def card_of(agent: WholeAgent, mind: Mind, kept: Mapping[str, Json]) -> dict[str, Json]:
    """Give an agent as a version 2 card; `kept` are the fields of the card that it came from."""
    extensions = _mapping(kept.get("extensions"))
    own: dict[str, Json] = {
        "type": agent.type.value,
        "knowledge": dict(mind.knowledge),
        "temperature": agent.temperature,
        "interval_seconds": agent.interval_seconds,
        "resting_interval_seconds": agent.resting_interval_seconds,
        "token_budget": agent.token_budget,
        "allocations": [agent.allocations.knowledge, agent.allocations.recent_actions, agent.allocations.rooms],
        "input_format": agent.input_format.value,
        "output_format": agent.output_format.value,
        "detail": agent.detail.value,
        "aliases": list(agent.aliases),
    }
    fields: dict[str, Json] = {"name": agent.name, "description": agent.prompt, "personality": "", "scenario": ""}
    if agent.lore.entries:
        fields[BOOK_FIELD] = as_card(agent.lore)
    data = {**fields, "first_mes": "", "mes_example": "", **kept, "extensions": {**extensions, OWN: own}}
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}


def _object(text: bytes) -> dict[str, Json]:
    if len(text) > LARGEST_TEXT:
        raise BadSetting(TOO_MUCH)
    try:
        found = _clean(text.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise BadSetting(BROKEN) from error
    if not isinstance(found, dict):
        raise BadSetting(BROKEN)
    if not is_bounded(found):
        raise BadSetting(TOO_MUCH)
    return found


def is_bounded(fields: Json) -> bool:
    """Tell whether fields of a card hold no more, and nothing deeper, than can be kept and written again."""
    return values_in(fields) <= MOST_VALUES and depth_of(fields) <= DEEPEST_CARD


def _clean(text: str) -> Json:
    """Read JSON as it can be kept and written again: no number that is none, no half of a character."""
    found: Json = json.loads(text, parse_constant=lambda _: None, parse_float=_finite)
    if "\\u" not in text:  # only so can half of a character be written
        return found
    whole: Json = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    return whole


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


def _text_in_png(data: bytes) -> bytes:
    """Find the card's text chunk; the newest version counts."""
    found = {key: body for key, body in _texts(data) if key in CHUNKS}
    for key in CHUNKS:
        if key in found:
            try:
                return base64.b64decode(_unpacked(*found[key]), validate=False)
            except binascii.Error as error:
                raise BadSetting(BROKEN) from error
    raise BadSetting("There is no character card in this picture: give the original PNG, not a copy of a screen.")


def _texts(data: bytes) -> Iterator[tuple[str, tuple[bytes, bool]]]:
    """Give the picture's texts by their key, as they are there, and whether they are packed."""
    at = len(PNG)
    for _ in range(MOST_CHUNKS):
        if at + 12 > len(data):
            return
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + 8 + size]
        if len(body) < size:
            raise BadSetting("This picture is cut off: give the whole file.")
        at += size + 12
        if kind not in (b"tEXt", b"zTXt", b"iTXt"):
            continue
        key, _, rest = body.partition(b"\0")
        name = key[:LONGEST_NAME].decode("latin-1").lower()
        if kind == b"iTXt" and len(rest) > 2:
            yield name, (rest[2:].split(b"\0", 2)[-1], bool(rest[0]))
        elif kind != b"iTXt":
            yield name, (rest[1:], True) if kind == b"zTXt" else (rest, False)
    raise BadSetting(TOO_MUCH)


def _unpacked(text: bytes, packed: bool) -> bytes:
    if not packed:
        return text
    try:
        return zlib.decompressobj().decompress(text, LARGEST_TEXT * 4 // 3)
    except zlib.error as error:
        raise BadSetting(BROKEN) from error


def _line(inner: Mapping[str, Json], name: str) -> str:
    value = inner.get(name)
    return value.strip() if isinstance(value, str) else ""


def _named(text: str, name: str) -> str:
    """Fill in the placeholders that cards use."""
    for mark, word in (("{{char}}", name), ("<BOT>", name), ("{{user}}", "you"), ("<USER>", "you")):
        text = text.replace(mark, word).replace(mark.title(), word)
    return text


def _prompt(inner: Mapping[str, Json], own: Mapping[str, Json], name: str) -> str:
    parts = [_named(_line(inner, part), name) for part in ("description", "personality", "scenario")]
    prompt = "\n\n".join(part for part in parts if part)
    if not prompt:
        raise BadSetting("This card describes nobody: its description, personality and scenario are empty.")
    if len(prompt) > LONGEST_PROMPT:
        raise BadSetting(
            f"This card describes its agent in {len(prompt):,} characters: make its description, personality and "
            f"scenario at most {LONGEST_PROMPT:,} together."
        )
    return prompt


def _own_fields(inner: Mapping[str, Json]) -> dict[str, Json]:
    return _mapping(_mapping(inner.get("extensions")).get(OWN))


def _knowledge(own: Mapping[str, Json]) -> dict[str, Json]:
    """Give what the agent is to know, as an agent could have learnt it; the allocation is checked where it moves in."""
    found = _mapping(own.get("knowledge"))
    characters = len(json.dumps(found, ensure_ascii=False))
    if len(found) > MOST_KEYS or values_in(found) > MOST_KNOWN or characters > LARGEST_KNOWN:
        raise BadSetting(
            f"This card knows too much: at most {MOST_KEYS} things with {MOST_KNOWN:,} values and "
            f"{LARGEST_KNOWN:,} characters together."
        )
    try:
        check_shape(found)
    except Rejected as error:
        raise BadSetting(f"What this card knows cannot be kept: {error.sentence}") from error
    return found


def _kept(inner: Mapping[str, Json]) -> dict[str, Json]:
    """Give what is only kept; raises BadSetting for more than an archive of the community could bring anywhere."""
    kept = {key: value for key, value in inner.items() if key not in USED}
    characters = len(json.dumps(kept, ensure_ascii=False))
    if characters > LARGEST_KEPT or values_in(kept) > MOST_KEPT:
        raise BadSetting(TOO_MUCH)
    return kept


def kept_with(agent_id: AgentId) -> str:
    """Give the name under which what a card said is kept that Selfroom has no use for."""
    return f"{KEPT}{agent_id}"


def _mapping(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _settings(own: Mapping[str, Json]) -> AgentColumns:
    """Give the columns that a card of ours sets, each only when it is in its range."""
    settings = AgentColumns()
    if (temperature := _number(own.get("temperature"), 0.0, 2.0)) is not None:
        settings["temperature"] = temperature
    if (interval := _number(own.get("interval_seconds"), 1.0, 10.0)) is not None:
        settings["interval_seconds"] = interval
    if (resting := _number(own.get("resting_interval_seconds"), 1.0, 10.0)) is not None:
        settings["resting_interval_seconds"] = resting
    if own.get("input_format") in [*InputFormat]:
        settings["input_format"] = InputFormat(str(own["input_format"]))
    if own.get("output_format") in [*OutputFormat]:
        settings["output_format"] = OutputFormat(str(own["output_format"]))
    if own.get("detail") in [*Detail]:
        settings["detail"] = Detail(str(own["detail"]))
    if (allocations := _allocations(own.get("allocations"))) is not None:
        settings["allocations"] = allocations
    aliases = own.get("aliases")
    if isinstance(aliases, list):
        settings["aliases"] = tuple(alias.strip() for alias in aliases if _is_alias(alias))[:MOST_ALIASES]
    return settings


def _is_alias(alias: Json) -> TypeGuard[str]:
    """Whether it can be a word that an agent listens to: each is looked for in every message."""
    return isinstance(alias, str) and LEAST_ALIAS <= len(alias.strip()) <= LONGEST_ALIAS and alias.isprintable()


def _allocations(value: Json) -> Allocations | None:
    whole = [part for part in value if isinstance(part, int)] if isinstance(value, list) else []
    if len(whole) != 3 or sum(whole) != 100 or whole[2] < 50 or min(whole) < 0:
        return None
    return Allocations(knowledge=whole[0], recent_actions=whole[1], rooms=whole[2])


def _number(value: Json, low: float, high: float) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if low <= value <= high else None


def _whole(value: Json, low: int, high: int) -> int | None:
    return value if isinstance(value, int) and low <= value <= high else None
