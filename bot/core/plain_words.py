"""Plain words in place of an answer: what of them is the agent's own message, and what is never posted."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from bot.core.actions import BY_NAME
from bot.core.key_redaction import speaks_of_keys
from bot.core.records import AgentId

MOST_CHARACTERS: Final = 8_000
RUN: Final = 8  # words: so many in a row are a copy, not a coincidence
SHORTEST_ECHO: Final = 4  # words: people greet each other with fewer
MOST_COPIED: Final = 0.5  # of an answer: more of what it was shown is no message of its own
MOST_QUOTED: Final = 0.9  # of a message: the rest says no more than whose words they are
MOST_TOLD: Final = 0.5  # of what an agent is: more at once is its prompt, and no talk about itself
_SPOKEN_TO: Final = frozenset(
    {"you", "your", "du", "dein", "deine", "tu", "ton", "vous", "votre", "tú", "usted", "você", "seu"}
)
ROUNDS: Final = 4  # so often in a row the same is a circle
SHORTEST_ROUND: Final = 12  # characters that are no spaces
LONGEST_ROUNDS: Final = (24, 48, 96, 192, 300)  # each is looked for with a stretch of its own length

_THINKING: Final = re.compile(r"\s*<(think(?:ing)?)>.*?(?:</\1>|\Z)", re.DOTALL)
_DATA: Final = re.compile(
    r'\A\s*(?:\{|\[\s*(?:[\[{"]|\d+\s*[,\]]))|'
    r'"(?:agents|agent_id|responses|actions|room_id|message_id|thoughts)"|'
    r"^[ \t]{0,20}(?:agents|responses|actions|thoughts|agent_id|room_id)\s*(?:\[\d*\]|\{|:)",
    re.MULTILINE,
)
_SHOWN: Final = re.compile(
    r"^(?:={60,}|-{60,})$|>>>[^\n]{1,80}<<<|--- Room: |-- \d{4}-\d\d-\d\d --|AGENT \d+: [^\n]{0,80}\(ID: |"
    r"\d/\d{1,9} tokens \(|<\|\w|</?tool_call"
)
_FRAME: Final = re.compile(  # what alone might be somebody's own words
    rf"{_SHOWN.pattern}|={{20,}}|-{{20,}}|attention_pct|time_since_last|memory_used|word_budget|all but rooms: |<\||"
    r"<tools?>"
)
_TURN: Final = re.compile(r"\s*\**(?:User|Human|Assistant)\**\s?:(?:\s|\Z)")
_THOUGHTS: Final = re.compile(r"^\s*<(think(?:ing)?)>.*?(?:</\1>|\Z)", re.DOTALL | re.MULTILINE)
_LOGGED: Final = re.compile(r"\s*(?:\[\d+ \d\d:\d\d\]|\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\])")
_SPEAKER: Final = re.compile(
    r"\s*\**(?:@[\w.-]{1,40}|The Architect(?: \(@[\w.-]+\))?|System|User|Human|Assistant)\**\s?:(?:\s|\Z)"
)
_CALL: Final = re.compile(r"(?:[-*]\s*)?(\w+)\(.*\)\Z")
Run = tuple[str, ...]
_WORD: Final = re.compile(r"\w+")
SENTENCE_END: Final = re.compile(r"[.!?…。！？](?=[\"')*_\]]*(?:\s|\Z))[\"')*_\]]*|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """An agent of a call, and what its words are held against; alone in a call, plain words can be taken for its own.

    `room_id` is the room of what it beats for; `is_asked`: somebody there waits for its words, else they are thoughts.
    `rules` is the constant part of what the model was given, `prompt` what it is, `prompts` what the others of the call
    are, `others` what others said, and `asked` of that the message that it should answer. A mind that is shown little
    (`is_lean`) says again what it read; any other may say it on purpose.
    """

    agent_id: AgentId
    name: str
    room_id: AgentId | None
    is_asked: bool
    is_whole: bool = True  # the answer was not cut off at its longest
    is_lean: bool = True
    rules: str = ""
    prompt: str = ""
    prompts: str = ""
    others: str = ""
    asked: str = ""

    @property
    def shown(self) -> int:
        """How many characters its words are held against."""
        return sum(map(len, (self.rules, self.prompt, self.prompts, self.others)))


def without_thinking(text: str) -> str:
    """Give an answer without what a model thought aloud before it."""
    thought = _THINKING.match(text)
    return text[thought.end() :] if thought else text


def spoken(text: str, speaker: Speaker) -> str:
    """Give the message in plain words; empty where nothing of them can be posted."""
    text = text[:MOST_CHARACTERS].strip()
    if _DATA.search(text) or speaks_of_keys(text):
        return ""  # what may hold a key is said only where it can be read what is meant
    own = _own_name(speaker)
    kept: list[str] = []
    for line in own.sub("", text, count=1).split("\n"):
        said = own.sub("", line, count=1)
        if _FRAME.search(said) or _LOGGED.match(said) or _SPEAKER.match(said):
            break  # from here on it writes the log, others' lines or its instructions
        if (call := _CALL.match(said.strip())) is None or call[1] not in BY_NAME:
            kept.append(said)
    said = without_loop(_unquoted("\n".join(kept).strip()))
    said = said if speaker.is_whole or len(kept) < text.count("\n") + 1 else in_whole_sentences(said)
    return said if _says_something(said) and not _is_copied(said, speaker) else ""


def own_messages(texts: Sequence[str], speaker: Speaker) -> list[str]:
    """Give of each message of an answer what the agent says itself; empty where it only says again what was read."""
    own = _own_name(speaker)
    said = [_before_the_log(own.sub("", _THOUGHTS.sub("", text), count=1)) for text in texts]
    runs = [_runs(_words_of(text)) for text in said]
    sought = frozenset(run for some in runs for run in some)
    foreign = f"{speaker.prompts}\n{speaker.others}" if speaker.is_lean else speaker.prompts
    rules, others, prompt = (
        _found(sought, text) if sought else set() for text in (speaker.rules, foreign, speaker.prompt)
    )
    whole = _runs(_WORD.findall(speaker.prompt.lower())) if prompt else []
    return [
        ""
        if _is_answered_with_itself(text, speaker)
        or not rules.isdisjoint(mine)
        or _copied(mine, others) > MOST_QUOTED * len(_words_of(text))
        or _tells_prompt(prompt.intersection(mine), whole)
        else without_loop(text)
        for text, mine in zip(said, runs, strict=True)
    ]


def _tells_prompt(told: Collection[Run], whole: Sequence[Run]) -> bool:
    """Tell whether an agent's prompt is said as it stands, from its beginning or most of it.

    Who tells of itself says most of the same, but *I am* where the prompt says *you are*.
    """
    speaks_to = any(not _SPOKEN_TO.isdisjoint(run) for run in told)
    return speaks_to and (whole[0] in told or len(told) >= MOST_TOLD * len(whole))


def _before_the_log(text: str) -> str:
    """Give words up to where they go on as the log, or as what else a model was shown."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if _SHOWN.search(line.strip()) or _LOGGED.match(line) or (at and _TURN.match(line)):
            return "\n".join(lines[:at]).rstrip()
    return text


def _is_answered_with_itself(text: str, speaker: Speaker) -> bool:
    """Tell whether words are those that they should answer."""
    named = _SPEAKER.match(text)
    words = _WORD.findall((text[named.end() :] if named else text).lower())
    return len(words) >= SHORTEST_ECHO and words == _WORD.findall(speaker.asked.lower())


def _words_of(text: str) -> list[str]:
    """Give the words of a message that are not quoted as another's."""
    return _WORD.findall("\n".join(line for line in text.split("\n") if not line.startswith(">")).lower())


def goes_round(text: str) -> bool:
    """Tell whether words go round in circles by now."""
    bare = "".join(text.split())
    return any(_first_round(bare, longest) for longest in LONGEST_ROUNDS)


def without_loop(text: str) -> str:
    """Give words up to where they begin to go round in circles, in whole sentences."""
    places = [at for at, mark in enumerate(text[:MOST_CHARACTERS]) if not mark.isspace()]
    bare = "".join([text[at] for at in places])
    ends = [end for longest in LONGEST_ROUNDS if (end := _first_round(bare, longest))]
    return in_whole_sentences(text[: places[min(ends) - 1] + 1]) if ends else text


def _first_round(text: str, longest: int) -> int:
    """Give where the first round of a circle ends whose rounds are half to once so long; 0 when there is none.

    A circle is longer than two such stretches, so one of those that begin here and there comes again one round on.
    """
    for at in range(0, len(text) - longest, longest // 2):
        step = text.find(text[at : at + longest], at + 1, at + 2 * longest) - at
        if step > 0:
            size = step * -(-SHORTEST_ROUND // step)
            start, end = _circle(text, at, step, ROUNDS * size)
            if end - start >= ROUNDS * size and any(mark.isalnum() for mark in text[start : start + size]):
                return _past_marks(text, start + size)
    return 0


def _circle(text: str, at: int, step: int, most: int) -> tuple[int, int]:
    """Give how far, within bounds, each character around a place is the one a step further on."""
    start, end = at, at + step
    while start > max(0, at - most) and text[start - 1] == text[start - 1 + step]:
        start -= 1
    while end < min(len(text), start + most) and text[end] == text[end - step]:
        end += 1
    return start, end


def _past_marks(text: str, at: int) -> int:
    """Give where the marks at a place end: a round may begin with those that end the one before."""
    while at < len(text) and not text[at].isalnum():
        at += 1
    return at


def in_whole_sentences(text: str) -> str:
    """Give words up to the last end of a sentence; as they are where there is none."""
    ends = [end.end() for end in SENTENCE_END.finditer(text)]
    return text[: ends[-1]].rstrip() if ends else text.strip()


def _own_name(speaker: Speaker) -> re.Pattern[str]:
    """Give what models put before their words, as the log they read does: `Wren:`, `[12 10:31] 5:`."""
    name = re.escape(speaker.name)
    return re.compile(
        rf"\A\s*(?:\[\d+ \d\d:\d\d\]\s*(?=\**@?(?:{name}|{speaker.agent_id})\b))?"
        rf"\**@?(?:{name}|Assistant|{speaker.agent_id}(?=:))(?: \(ID: \d+\))?\**\s?:\**\s*",
        re.IGNORECASE,
    )


def _unquoted(text: str) -> str:
    """Give words without the quotes around all of them."""
    whole = len(text) > 2 and text[0] == text[-1] == '"' and '"' not in text[1:-1]
    return text[1:-1].strip() if whole else text


def _says_something(text: str) -> bool:
    return any(unicodedata.category(mark)[0] in "LN" or unicodedata.category(mark) == "So" for mark in text)


def copies(text: str, rules: str) -> bool:
    """Tell whether words are in part those of the instructions."""
    runs = frozenset(_runs(_WORD.findall(text.lower())))
    return bool(runs and _found(runs, rules))


def _is_copied(text: str, speaker: Speaker) -> bool:
    """Tell whether words are those of the instructions, or mostly what others wrote."""
    words = _WORD.findall(text.lower())
    runs = _runs(words)
    if not runs:
        return False
    sought = frozenset(runs)
    if _found(sought, speaker.rules):
        return True
    foreign = (speaker.prompt, speaker.prompts, speaker.others)
    return _copied(runs, {run for text in foreign for run in _found(sought, text)}) > MOST_COPIED * len(words)


def _copied(runs: Sequence[Run], known: Collection[Run]) -> int:
    """Count the words that stand in known runs."""
    return len({at for start, run in enumerate(runs) if run in known for at in range(start, start + RUN)})


def _found(sought: frozenset[Run], text: str) -> set[Run]:
    """Give which of these runs stand in a text: line by line, so that of all the others nothing is kept."""
    known = frozenset(word for run in sought for word in run)
    found: set[Run] = set()
    words: list[str] = []
    for line in text.lower().splitlines():
        words = words[1 - RUN :] + _WORD.findall(line)  # a run may begin on the line before
        if not known.isdisjoint(words):
            found |= sought.intersection(_runs(words))
    return found


def _runs(words: Sequence[str]) -> list[Run]:
    return list(zip(*(words[start:] for start in range(RUN)), strict=False))
