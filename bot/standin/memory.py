"""Remembering what one is told to remember, and finding it again in the knowledge that the HUD shows."""

import re
from collections.abc import Iterator, Mapping

from bot.core.hud.formats.document import Document
from bot.core.records import Json
from bot.standin.turn import OpenLine, Rule, Turn, rule

MAX_VALUE = 300
SHOWN_FACTS = 5
FEW_WORDS = 4
STOP_WORDS = (
    "a about am an and are as at be been by can could did do does for from give had has have he her his how i in is "
    "it its know me my of on or our please she so tell that the their them they this to us was we were what whats "
    "when where which who whose will with would you your colour color name remember again ever"
)
STOP = frozenset(STOP_WORDS.split())
Fact = tuple[tuple[str, ...], Json]


def remember(open_line: OpenLine, found: re.Match[str]) -> Turn | None:
    """`remember that my tea is green` is set under the speaker; other facts under what they are about."""
    fact = found["fact"].strip().rstrip(".!")
    if not fact or re.match(r"(?:\w+ )?(?:you|me|us|about|when|what)\b.*\?$", fact, re.IGNORECASE):
        return None
    action, told = stored(fact, open_line.who)
    says = open_line.pick([f"I'll remember that {told}.", f"Noted: {told}.", f"Kept: {told}. I won't forget."])
    return Turn(says=says, actions=(action,), thought=f"{open_line.who} told me something to keep.")


def stored(fact: str, who: str) -> tuple[Document, str]:
    """The action that keeps a fact, and the fact as it is told back to who said it."""
    is_form = re.match(r"(?P<what>.{1,80}?)\s+(?:is|are|=)\s+(?P<value>.+)$", fact, re.IGNORECASE | re.DOTALL)
    feels = re.match(r"I (?P<verb>like|love|hate|prefer|need|want|have) (?P<value>.+)$", fact, re.IGNORECASE)
    iam = re.match(r"(?:I am|I'm) (?P<value>.+)$", fact, re.IGNORECASE)
    if feels:
        verb = feels["verb"].lower()
        path = path_of("people", who, {"have": "has"}.get(verb, verb + "s"))
        return act("append", path, feels["value"]), f"you {verb} {feels['value']}"
    if iam:
        return act("set", path_of("people", who, "is"), iam["value"]), f"you are {iam['value']}"
    if is_form:
        return place_of(is_form["what"], who, is_form["value"]), second_person(fact)
    return act("append", "notes", fact), second_person(fact)


def place_of(what: str, who: str, value: str) -> Document:
    mine = re.match(r"my (?P<what>.+)$", what, re.IGNORECASE)
    theirs = re.match(r"@?(?P<person>[\w.-]+)['’]s (?P<what>.+)$", what)
    if mine:
        return act("set", path_of("people", who, key_of(mine["what"])), value)
    if theirs:
        return act("set", path_of("people", theirs["person"], key_of(theirs["what"])), value)
    return act("set", path_of("facts", key_of(what)), value)


def act(kind: str, path: str, value: str) -> Document:
    number = re.fullmatch(r"-?\d{1,15}(?:\.\d{1,6})?", value.strip())
    kept: Json = value.strip()[:MAX_VALUE]
    if number:
        kept = float(number[0]) if "." in number[0] else int(number[0])
    return {"type": kind, "path": path, "value": kept}


def key_of(words: str) -> str:
    words = re.sub(r"^(?:the|a|an) ", "", words.strip().lower())
    return re.sub(r"[^\w'’-]+", "_", words).strip("_")[:60] or "thing"


def path_of(*segments: str) -> str:
    """A dot path; what holds more than letters, digits, `_` and `-` is quoted."""
    cleaned = [segment.replace('"', "").replace("\\", "") or "someone" for segment in segments]
    return ".".join(part if re.fullmatch(r"[\w-]+", part) else f'"{part}"' for part in cleaned)


def second_person(text: str) -> str:
    turned = {"my": "your", "i": "you", "me": "you", "mine": "yours", "am": "are", "i'm": "you're"}
    return re.sub(r"\b(?:I'm|my|mine|me|am|I)\b", lambda found: turned[found[0].lower()], text, flags=re.IGNORECASE)


def forget(open_line: OpenLine, found: re.Match[str]) -> Turn | None:
    facts = best_facts(open_line, found["what"])
    if not facts:
        return Turn(says="There is nothing of the kind in what I keep.", thought="Nothing to forget.")
    path = facts[0][0]
    says = f"Forgotten: {told(facts[0], open_line.who)}."
    return Turn(says=says, actions=({"type": "delete", "path": path_of(*path)},), thought="Asked to forget.")


def list_all(open_line: OpenLine, found: re.Match[str]) -> Turn | None:
    """`what do you remember`, or `... about X` / `about me`."""
    about = (found["about"] or "").strip(" ?.!")
    facts = list(facts_of(open_line.seat.knowledge))
    if about.lower() in ("me", "myself"):
        facts = [fact for fact in facts if fact[0][:2] == ("people", open_line.who)]
    elif about:
        facts = best_facts(open_line, about)
    if not facts:
        return Turn(says=nothing_kept(open_line), thought="I have nothing on that.")
    shown = "; ".join(told(fact, open_line.who) for fact in facts[:SHOWN_FACTS])
    more = f" (and {len(facts) - SHOWN_FACTS} more)" if len(facts) > SHOWN_FACTS else ""
    return Turn(says=f"I remember: {shown}{more}.", thought="Told what I keep.")


def nothing_kept(open_line: OpenLine) -> str:
    return open_line.pick(
        [
            "Nothing yet. Say 'remember that …' and I'll keep it.",
            "My memory is empty on that. Tell me 'remember that …'.",
        ]
    )


def recall(open_line: OpenLine, _: re.Match[str]) -> Turn | None:
    """Answer a question from what is kept, or pass it on when nothing fits."""
    facts = best_facts(open_line, open_line.said)
    if not facts:
        return None
    says = told(facts[0], open_line.who)
    return Turn(says=f"{says[:1].upper()}{says[1:]}.", thought="I had that in my knowledge.")


def best_facts(open_line: OpenLine, asked: str) -> list[Fact]:
    """The facts that share most words with the question, the best first; of `my` only the speaker's."""
    wanted = words_of(asked)
    mine = re.search(r"\b(?:my|mine|I|me)\b", asked, re.IGNORECASE) is not None
    scored = []
    for fact in facts_of(open_line.seat.knowledge):
        path, value = fact
        if mine and path[0] == "people" and path[1:2] != (open_line.who,):
            continue
        subject = words_of(" ".join(path).replace("_", " ")) - {"people", "facts", "notes"}
        score = 2 * len(wanted & subject) + len(wanted & words_of(str(value)))
        if score:
            scored.append((score, fact))
    scored.sort(key=lambda pair: -pair[0])
    return [fact for score, fact in scored if score * 2 > scored[0][0]]


def words_of(text: str) -> set[str]:
    """The words that matter, without a plural's or verb's s."""
    words = re.findall(r"[\w-]+", text.lower())
    return {word.removesuffix("s") if len(word) >= FEW_WORDS else word for word in words} - STOP


def facts_of(held: Mapping[str, Json], path: tuple[str, ...] = ()) -> Iterator[Fact]:
    """Every value with its path; a weighted `{"v": …, "w": …}` counts as its value."""
    for key, value in held.items():
        here = (*path, str(key))
        if isinstance(value, Mapping) and set(value) == {"v", "w"}:
            value = value["v"]
        if isinstance(value, Mapping):
            yield from facts_of(value, here)
        else:
            yield here, value


def told(fact: Fact, who: str) -> str:
    path, value = fact
    shown = ", ".join(str(item) for item in value) if isinstance(value, list) else str(value)
    if path[0] != "people" or len(path) < len(("people", "who", "what")):
        return shown if path[0] == "notes" else f"{spaced(path[-1:])} is {shown}"
    owner, leaf = path[1], spaced(path[2:])
    if leaf in VERBS:
        verb = {"has": "have"}.get(leaf, leaf.removesuffix("s")) if owner == who else leaf
        return f"{'you' if owner == who else owner} {verb} {shown}"
    if leaf == "is":
        return f"you are {shown}" if owner == who else f"{owner} is {shown}"
    return f"{'your' if owner == who else owner + chr(39) + 's'} {leaf} is {shown}"


def spaced(path: tuple[str, ...]) -> str:
    return " ".join(path).replace("_", " ")


VERBS = ("likes", "loves", "hates", "prefers", "needs", "wants", "has")

MEMORY_RULES: tuple[Rule, ...] = (
    rule(
        r"\bwhat (?:do|can|did|have) you (?:remember|know|keep|learn(?:ed|t)?)(?: about (?P<about>[^?.!]+))?", list_all
    ),
    rule(r"\bdo you remember (?:what )?(?:about )?(?P<about>(?:me|my|@?\w+)\b[^?]*)\?", list_all),
    rule(
        r"(?<!do you )\b(?:remember|don't forget|keep in mind|memori[sz]e)[:,]? (?:that |this[:,]? )?(?P<fact>.+)",
        remember,
    ),
    rule(r"\bforget (?:about |that )?(?P<what>.+)", forget),
)
QUESTION_RULES: tuple[Rule, ...] = (rule(r"\?|^(?:what|when|where|which|who|how|do|does|is|tell me)\b", recall),)
