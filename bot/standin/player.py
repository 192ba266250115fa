"""Playing scenes: any kind, by choosing among the moves that a turn offers; words from what was said last."""

import re
from collections.abc import Mapping, Sequence

from bot.core.hud.formats.document import Document
from bot.core.hud.turn import ReadParameter, ReadTurn, read_moves, read_outcome, read_turn
from bot.core.records import Json
from bot.core.scenes.commentary import LONGEST
from bot.core.scenes.showing import COMMENTED
from bot.standin.dice import Dice
from bot.standin.tactics import TACTICS

PHRASES = (
    "I have thought about {topic}, and I would keep it simple.",
    "Yes, and there is one more thing about {topic}: it should do everybody good.",
    "Let me ask the others: what would {topic} change for you?",
    "I see it a little differently: {topic} needs some care.",
    "That sounds right to me: {topic} has my support.",
    "Before we go on with {topic}: who would look after it?",
)
COMMENTS = (
    "Now it gets interesting: {line}",
    "Did you see that? {line}",
    "I would not like to sit there now. {line}",
    "If you ask me, that decides more than it seems to: {line}",
)
EAGER = {"second": 8, "yield": 1, "adjourn": 0, "withdraw": 0, "propose_end": 1, "move_motion": 2, "call_vote": 2}
WITH_WORDS, WITH_CHOICES, BARE = 6, 4, 2
_TOPIC = re.compile(r"^(?:Topic|About): (.+)$", re.MULTILINE)
_NUMBER = re.compile(r"-?\d{1,9}")


def played(text: str) -> Document | None:
    """The answer to a turn; None where there is none to be played."""
    if outcome := read_outcome(text):
        return {"thoughts": "It is over.", "actions": [{"type": "append", "path": "scenes", "value": outcome}]}
    moves = read_moves(text)
    if not moves:
        return None
    dice = Dice(text)
    turn = read_turn(text)
    tactic = (commented if "comment" in moves else TACTICS.get(turn.plays)) if turn is not None else None
    if turn is not None and tactic is not None and (found := tactic(turn, dice)) is not None:
        return {"thoughts": "I have a plan.", "move": found, "actions": []}
    name = chosen(moves, dice)
    move: dict[str, Json] = {"type": name}
    for one in moves[name]:
        if one.values or (one.words and not one.optional):  # of nothing there is nothing to choose
            move[one.name] = value_of(one, text, dice)
    return {"thoughts": f"I choose to {name.replace('_', ' ')}.", "move": move, "actions": []}


def commented(turn: ReadTurn, dice: Dice) -> dict[str, Json]:
    """What a commentator says of the last thing that everybody saw; nothing where that is a comment already."""
    last = turn.lines[-1] if turn.lines else COMMENTED
    if last.startswith(COMMENTED):
        return {"type": "nothing"}
    words = COMMENTS[dice.below(len(COMMENTS), "comment")].format(line=last).split()
    return {"type": "comment", "text": " ".join(words[:LONGEST])}


def chosen(moves: Mapping[str, Sequence[ReadParameter]], dice: Dice) -> str:
    """One of the moves: those that say something more often than those that end it."""
    weighed = [(name, EAGER.get(name, weight_of(parameters))) for name, parameters in moves.items()]
    at = dice.below(max(1, sum(weight for _, weight in weighed)), "move")
    for name, weight in weighed:
        at -= weight
        if at < 0:
            return name
    return weighed[0][0]


def weight_of(parameters: Sequence[ReadParameter]) -> int:
    if any(one.words for one in parameters):
        return WITH_WORDS
    return WITH_CHOICES if parameters else BARE


def value_of(one: ReadParameter, text: str, dice: Dice) -> Json:
    """Words within their limit, or one or several of the values."""
    if one.words:
        topic = found[1].strip() if (found := _TOPIC.search(text)) and found[1].strip() != "–" else "this"
        words = PHRASES[dice.below(len(PHRASES), one.name)].format(topic=topic)
        return " ".join(words[:1].upper().join(["", words[1:]]).split()[: one.words])
    if one.suggested:
        return [*one.suggested[dice.below(len(one.suggested), one.name)]]
    values: list[Json] = [int(value) if _NUMBER.fullmatch(value) else value for value in one.values]
    first = dice.below(len(values), one.name)
    return values[first : first + 3] if one.many else values[first]
