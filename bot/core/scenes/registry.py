"""The kinds there are: a new one is its module, and its name here."""

from collections.abc import Mapping

from bot.core.errors import NotFound
from bot.core.scenes.chat import CHAT, CHATS_BEFORE
from bot.core.scenes.council.kind import COUNCIL, COUNCILS_BEFORE
from bot.core.scenes.kind import SceneKind
from bot.core.scenes.landlord.kind import LANDLORD
from bot.core.scenes.village.kind import VILLAGE
from bot.core.scenes.werewolf.kind import WEREWOLF
from bot.core.sentences import Sentence

KINDS: Mapping[str, SceneKind] = {one.kind: one for one in (CHAT, COUNCIL, VILLAGE, WEREWOLF, LANDLORD)}

# those of before, by name and version: what was begun by them goes on by them
KINDS_BEFORE: dict[tuple[str, int], SceneKind] = {
    (one.kind, one.version): one for one in (*CHATS_BEFORE, *COUNCILS_BEFORE)
}


def kind_named(name: str) -> SceneKind:
    """Find a kind; raises NotFound."""
    if (kind := KINDS.get(name)) is None:
        raise NotFound(Sentence("There is no scene {name!r}: choose {names}.", name=name, names=" or ".join(KINDS)))
    return kind
