"""What the seed of an agent says about its voice: who it is and what it cares about."""

import re
from dataclasses import dataclass

CARE = (
    r"\b(?:loves?|likes?|enjoys?|adores?|(?:is |are )?fond of|interested in|obsessed with|passion(?:ate)? (?:for|about)"
    r"|(?:stories|tales|knows?) (?:\w+ ){0,3}about|keeps?(?! (?:track|an eye))"
    r"|talks? (?:\w+ )?about|thinks? (?:\w+ )?about|collects?|grows?|stud(?:y|ies)"
    r"|dreams? (?:of|about)|expert (?:in|on|at)|speciali[sz]es? in|helps? (?:\w+ ){0,2}with|cares? (?:for|about))\s+"
)
CARES = re.compile(CARE + r"([^.;:!?\n()]{2,120})", re.IGNORECASE)
AGAIN = re.compile(CARE, re.IGNORECASE)
ROLE = re.compile(r"\b(?:you are|you're|is|i am|i'm)\s+((?:an?|the)\s+[^.;:!?\n]{2,120})", re.IGNORECASE)
CALLED = re.compile(
    r"\b(?:you are|you're)\s+[A-Z][\w' -]{0,40}?,\s+((?:an?|the)?\s*[a-z][^.;:!?\n,]{2,80})", re.IGNORECASE
)
ROLE_END = re.compile(r",|\b(?:who|that|which|with|in|on|at|from|and|but|by)\b", re.IGNORECASE)
SPLIT = re.compile(r",| and | or | but | with | who | in | on | at | more than |/", re.IGNORECASE)
VERB = re.compile(
    r"^(?:brew|make|write|speak|answer|give|tell|ask|help|know|read|look|sing|paint|play|bake|cook|build|bring)s?\s+",
    re.IGNORECASE,
)
LEAD = re.compile(r"^(?:the|an?|all|his|her|its|their|your|my|to|of|also|very|both|every)\s+", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_][\w'’-]{4,}")
DULL_WORDS = (
    "about above after again agent always answer asked being below briefly character every everyone friendly from "
    "have helpful keep kind like little loves never often only other people person persona please polite quite "
    "really reply room rooms short shortly should some sometimes speak speaks still talk talks that their them there "
    "these they thing things think this those very what when where which while will with without words would write "
    "years yourself through because between before could"
)
DULL = frozenset(DULL_WORDS.split())
MAX_WORDS = 3
SUBJECT = re.compile(r"(^|[,;]\s*|\b(?:and|that|when|if|because|what|as|but|while|since)\s+)you\b", re.IGNORECASE)
PRONOUNS = {
    "you were": "I was",
    "yourself": "myself",
    "yours": "mine",
    "your": "my",
    "you": "me",
}
PRONOUN = re.compile(r"\b(?:" + "|".join(PRONOUNS) + r")\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """`cares` are a few words from the seed, never empty; `role` may be empty."""

    role: str = ""
    about: str = ""
    cares: tuple[str, ...] = ("small things",)
    grumpy: bool = False
    terse: bool = False


def read_persona(seed: str, kind: str) -> Persona:
    """Read a seed of any shape; what cannot be found is left plain."""
    role = role_in(seed)
    return Persona(
        role=role,
        about=first_person(first_sentence(seed)),
        cares=cares_in(seed, role) or ("small things",),
        grumpy=re.search(r"grump|surly|gruff|cranky|sarcas|cynic", seed, re.IGNORECASE) is not None,
        terse=kind == "bot" or re.search(r"\b(?:terse|laconic|few words)\b", seed, re.IGNORECASE) is not None,
    )


def role_in(seed: str) -> str:
    """`a grumpy cook`, from `You are a grumpy cook who …` as well as from `You are Ada, a grumpy cook …`."""
    found = ROLE.search(seed) or CALLED.search(seed)
    role = ROLE_END.split(found[1])[0].strip() if found else ""
    return role if not role or re.match(r"(?:an?|the)\s", role, re.IGNORECASE) else f"the {role}"


def cares_in(seed: str, role: str) -> tuple[str, ...]:
    """What the seed says it loves or knows; else its longest words."""
    phrases = [tidy(part) for found in CARES.finditer(seed) for part in SPLIT.split(found[1])]
    cares = [phrase for phrase in phrases if phrase and phrase.lower() not in DULL]
    if not cares:
        words = [word for word in WORD.findall(seed) if word.lower() not in DULL]
        cares = sorted(set(words) - set(role.split()[:2]), key=lambda word: (-len(word), word))
    return tuple(dict.fromkeys(cares))[:6]


def tidy(phrase: str) -> str:
    phrase = LEAD.sub("", VERB.sub("", AGAIN.split(phrase)[-1].strip().strip("\"'")))
    return phrase if len(phrase.split()) <= MAX_WORDS and phrase.isprintable() else ""


def first_sentence(seed: str) -> str:
    found = re.match(r"\s*(.{1,220}?)(?:[.!?](?=\s|$)|\n|$)", seed, re.DOTALL)
    return found[1].strip() if found else ""


def first_person(sentence: str) -> str:
    """`You are a keeper of your lamp` becomes `I am a keeper of my lamp`; other sentences stay."""
    sentence = re.sub(r"\b(?:you are|you're)\b", "I am", sentence, flags=re.IGNORECASE)
    sentence = SUBJECT.sub(r"\1I", sentence)
    return PRONOUN.sub(lambda found: PRONOUNS[found[0].lower()], sentence)
