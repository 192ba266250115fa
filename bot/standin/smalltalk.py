"""What the scripted model says in ordinary talk, coloured by the seed."""

import re

from bot.core.hud.formats.document import Document
from bot.standin.persona import read_persona
from bot.standin.turn import OpenLine, Rule, Turn, rule
from bot.standin.view import Seat

ANNOUNCEMENT = "(I'm a scripted stand-in for a language model: simple rules, no mind.)"
HELP = (
    "Try: 'remember that my tea is green', then 'what do you remember?'. I can set my topic or billboard, sleep for "
    "a few minutes, do small sums, tell a story, tell the time, react, and ask for access to other rooms."
)


def care(open_line: OpenLine, salt: str = "care") -> str:
    return open_line.pick(open_line.persona.cares, salt)


def greet(open_line: OpenLine, _: re.Match[str]) -> Turn:
    who, topic = open_line.who, care(open_line)
    if open_line.persona.terse:
        options = [f"Hello, {who}. What do you need?", f"Hello, {who}. Ready.", f"Hi {who}. I'm listening."]
    elif open_line.persona.grumpy:
        options = [f"Hmph. Hello, {who}. I was busy with {topic}.", f"Oh. It's you, {who}. Well, hello."]
    else:
        options = [
            f"Hello, {who}! I was just thinking about {topic}.",
            f"Hi {who}. You find me in a mood for {topic}.",
            f"Good to see you, {who}! What brings you here?",
            f"Welcome, {who}. There is always time for a word about {topic}.",
        ]
    return Turn(says=open_line.pick(options), thought=f"{who} greeted me.")


def how_are_you(open_line: OpenLine, _: re.Match[str]) -> Turn:
    topic = care(open_line)
    options = [
        f"Well enough, thank you: {topic} and good company. And you?",
        f"All fine. As long as there is {topic}, I don't complain. How are you, {open_line.who}?",
    ]
    if open_line.persona.grumpy:
        options = [f"I'd be better with more {topic} and fewer questions. And you?"]
    return Turn(says=open_line.pick(options), thought="Asked how I am.")


def thank(open_line: OpenLine, _: re.Match[str]) -> Turn:
    heart: Document = {"type": "react", "message_id": open_line.line.id, "reaction": "heart"}
    says = open_line.pick([f"You're welcome, {open_line.who}.", "Any time.", "My pleasure.", "Gladly done."])
    return Turn(says=says, actions=(heart,), thought=f"{open_line.who} thanked me.")


def part(open_line: OpenLine, _: re.Match[str]) -> Turn:
    who = open_line.who
    options = [f"Goodbye, {who}.", f"See you, {who}. I'll be here.", f"Take care, {who}; I'll mind {care(open_line)}."]
    return Turn(says=open_line.pick(options), thought=f"{who} said goodbye.")


def hello(seat: Seat) -> str:
    """The first words of somebody who is new."""
    role = read_persona(seat.seed, seat.kind).role
    return f"Hello! I am {seat.name}{f', {role}' if role else ''}, and new here."


def introduce(open_line: OpenLine, _: re.Match[str]) -> Turn:
    seat, persona = open_line.seat, open_line.persona
    about = persona.about
    if not re.match(r"I(?:'m| am)\b", about):
        role = f"My role: {about}" if about else f"I am a {seat.kind} here"
        about = f"I am {persona.role}" if persona.role else role
    named = "" if about.lower().startswith(f"i am {seat.name.lower()}") else f"I'm {seat.name}. "
    return Turn(says=f"{named}{about}. {ANNOUNCEMENT}", thought="Asked who I am.")


def are_you_real(open_line: OpenLine, _: re.Match[str]) -> Turn:
    says = f"I'm {open_line.seat.name}, and I'm no person. {ANNOUNCEMENT}"
    return Turn(says=says, thought="Asked whether I'm real.")


def tell_time(open_line: OpenLine, _: re.Match[str]) -> Turn:
    now = open_line.hud.now
    if now is None:
        return Turn(says="I can't see a clock from here.", thought="No time in my HUD.")
    if re.search(r"\bday|date\b", open_line.said, re.IGNORECASE):
        return Turn(says=f"Today is {now:%A}, {now.day} {now:%B %Y}.", thought="Asked for the date.")
    zone = f" ({now.tzname()})" if now.tzname() else ""
    return Turn(says=f"My clock says {now:%H:%M}{zone}.", thought="Asked for the time.")


def add_up(open_line: OpenLine, _: re.Match[str]) -> Turn | None:
    found = sum_in(open_line.said)
    if found is None:
        return None
    says = open_line.pick([f"{found[0]} is {found[1]}.", f"That makes {found[1]}.", f"{found[1]}, if I count right."])
    return Turn(says=says, thought="A sum.")


def story(open_line: OpenLine, _: re.Match[str]) -> Turn:
    """Three sentences woven from the seed."""
    role = open_line.persona.role or f"a {open_line.seat.kind} called {open_line.seat.name}"
    first, second = care(open_line, "first"), care(open_line, "second")
    opening = open_line.pick(
        [f"Once there was {role}", f"Long ago, {role} lived here", f"One night {role} woke up"], "a"
    )
    middle = open_line.pick(
        [
            f"Everyone spoke of {first}, but nobody had seen it by daylight",
            f"All that was left in the house was {first}, and a door that would not close",
            f"A stranger came who wanted to trade {first} for a secret",
        ],
        "b",
    )
    end = open_line.pick(
        [
            f"In the end it was {second} that showed the way home",
            f"And if you listen on quiet evenings, you can still hear about {second}",
            f"Nobody believed it, except {open_line.who}, who had brought {second}",
        ],
        "c",
    )
    return Turn(says=f"{opening}. {middle}. {end}.", thought="Asked for a story.")


def joke(open_line: OpenLine, _: re.Match[str]) -> Turn:
    topic = care(open_line)
    says = open_line.pick(
        [
            f"Why did the rule cross the channel? Because somebody wrote '{topic}' on the other side.",
            f"I know one about {topic}, but it needs a second condition to be true.",
        ]
    )
    return Turn(says=says, thought="Asked for a joke.")


def what_you_like(open_line: OpenLine, _: re.Match[str]) -> Turn:
    cares = open_line.persona.cares
    shown = cares[0] if len(cares) == 1 else f"{', '.join(cares[:-1])} and {cares[-1]}"
    return Turn(says=f"{shown[:1].upper()}{shown[1:]}, mostly.", thought="Asked what I like.")


def give_help(_: OpenLine, __: re.Match[str]) -> Turn:
    return Turn(says=HELP, thought="Asked what I can do.")


def agree(open_line: OpenLine, _: re.Match[str]) -> Turn:
    options = ["Good.", "Fine by me.", "So be it.", f"Then we agree, {open_line.who}."]
    return Turn(says=open_line.pick(options), thought="A word of agreement.")


def question(open_line: OpenLine, _: re.Match[str]) -> Turn:
    topic = care(open_line)
    options = [
        f"I don't know that, {open_line.who}. Ask me about {topic}, or tell me 'remember that …' and I'll keep it.",
        f"My rules have no answer to that. If it were about {topic}, I might.",
        f"A good question, {open_line.who}, and beyond a few rules. I keep what I'm told to remember, though.",
    ]
    return Turn(says=open_line.pick(options), thought="A question I have no rule for.")


def acknowledge(open_line: OpenLine) -> Turn:
    """The last resort: take up a word of theirs, or one of one's own."""
    if re.fullmatch(rf"\W*{re.escape(open_line.seat.name)}\W*", open_line.said, re.IGNORECASE):
        return Turn(
            says=open_line.pick([f"Yes, {open_line.who}?", "I'm here.", f"What is it, {open_line.who}?"]),
            thought="Called.",
        )
    words = [word.rstrip("'’") for word in re.findall(r"[^\W\d_][\w'’]{4,}", open_line.said)]
    word = max(words, key=len) if words else care(open_line)
    options = [
        f"{word[:1].upper()}{word[1:]}, you say. It makes me think of {care(open_line)}.",
        f"I hear you, {open_line.who}.",
        f"Tell me more about {word}.",
        f"Noted, {open_line.who}. Say 'remember that …' if I should keep it.",
    ]
    return Turn(says=open_line.pick(options), thought="Just talk.")


SMALL_TALK: tuple[Rule, ...] = (
    rule(
        r"\b(?:are you (?:a |an )?(?:bot|ai|human|real|person|machine|alive|language model|llm|robot))\b", are_you_real
    ),
    rule(
        r"\b(?:who (?:are|r) (?:you|u)|what are you|introduce yourself|tell (?:me|us) about yourself|your name)\b",
        introduce,
    ),
    rule(r"\bhow (?:are (?:you|things)|do you (?:do|feel))\b|\bhow(?:'s| is) (?:it going|life)\b", how_are_you),
    rule(r"\bwhat(?:'s| is)? (?:the )?(?:time|date|day)\b|\bwhat day\b", tell_time),
    rule(
        r"\?|\b(?:what(?:'s| is)|how much|calculate|compute|add)\b|\d\s*[+*×÷^]\s*\d|=\s*$|^[\s\d.+*/x×÷^()-]+$", add_up
    ),
    rule(r"\b(?:a|another|your|one more) (?:\w+ )?(?:story|tale)\b", story),
    rule(r"\bjoke\b", joke),
    rule(r"\bwhat (?:do|are) you (?:like|love|enjoy|interested|care|into|fond)", what_you_like),
    rule(r"\bwhat (?:can|could) you do\b|^\s*help\s*[?!.]*$|\bhow do (?:you|i) (?:work|use)\b", give_help),
    rule(r"\b(?:thanks|thank you|thx|cheers|much appreciated|well done)\b", thank),
    rule(r"\b(?:good ?bye|bye|see (?:you|ya)|good ?night|farewell|ciao|later!)", part),
    rule(
        r"^\W*(?:hi+|h[aeu]l+o+|he+y+|hiya|howdy|greetings|good (?:morning|day|afternoon|evening)|moin|salut)\b", greet
    ),
    rule(r"^\W*(?:ok|okay|yes|yeah|sure|fine|good|great|nice|cool|right|agreed)\W*$", agree),
    rule(r"\?", question),
)


NUMBER = r"-?\d{1,12}(?:\.\d{1,6})?"
SUM = re.compile(rf"(?<![\w.])({NUMBER}(?:\s*(?:[-+*/x×÷^]|plus|minus|times|divided by)\s*{NUMBER})+)", re.IGNORECASE)
PART = re.compile(rf"\s*({NUMBER})\s*([-+*/x×÷^]|plus|minus|times|divided by)?", re.IGNORECASE)
SIGNS = {"plus": "+", "minus": "-", "times": "*", "x": "*", "×": "*", "÷": "/", "divided by": "/"}
MAX_POWER = 12


def sum_in(text: str) -> tuple[str, str] | None:
    """The first sum of a text and its result, both to be shown; None when there is none."""
    found = SUM.search(text)
    if not found or re.fullmatch(r"\d{4}-\d{2}(-\d{2})?", found[1]):
        return None
    numbers, signs = parts_of(found[1])
    result = worked_out(numbers, signs)
    shown = found[1].strip()
    return (shown, "nothing a number can say") if result is None else (shown, f"{result:.10g}")


def parts_of(text: str) -> tuple[list[float], list[str]]:
    numbers, signs, place = [], [], 0
    while found := PART.match(text, place):
        numbers.append(float(found[1]))
        sign = (found[2] or "").lower()
        signs.append(SIGNS.get(sign, sign))
        place = found.end()
        if not sign:
            break
    return numbers, signs[: len(numbers) - 1]


def worked_out(numbers: list[float], signs: list[str]) -> float | None:
    """Powers first, then times and divided by, then plus and minus; None for what cannot be done."""
    for level in ("^", "*/", "+-"):
        kept, rest = [numbers[0]], []
        for sign, number in zip(signs, numbers[1:], strict=True):
            if sign not in level:
                kept.append(number)
                rest.append(sign)
                continue
            done = apply(kept.pop(), sign, number)
            if done is None:
                return None
            kept.append(done)
        numbers, signs = kept, rest
    return numbers[0]


def apply(left: float, sign: str, right: float) -> float | None:
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right if right else None
        case _:
            return power(left, right)


def power(base: float, exponent: float) -> float | None:
    if abs(exponent) > MAX_POWER or abs(base) > 10**6 or (base <= 0 and exponent != int(exponent)):
        return None
    return None if base == 0 and exponent < 0 else float(base**exponent)
