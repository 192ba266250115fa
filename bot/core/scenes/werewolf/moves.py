"""What may be done among werewolves; of a seat that may be nobody, 0 is nobody."""

from typing import Annotated, ClassVar

from bot.core.scenes.kind import Move, Seat, TextId, Words

LONGEST_SAID, LONGEST_PACK, LONGEST_LAST = 120, 60, 60


class Pack(Move):
    """At night, as a wolf: say something to the other wolves."""

    name: ClassVar[str] = "pack"
    free: ClassVar[bool] = True
    text: Annotated[TextId, Words(LONGEST_PACK)]


class Kill(Move):
    """At night, as a wolf: vote for whom the pack kills; 0 for nobody."""

    name: ClassVar[str] = "kill"
    seat: Seat


class Inspect(Move):
    """At night, as the seer: learn at once whether somebody is a wolf."""

    name: ClassVar[str] = "inspect"
    seat: Seat


class Heal(Move):
    """Late at night, as the witch: save the victim, once a game."""

    name: ClassVar[str] = "heal"


class Poison(Move):
    """Late at night, as the witch: kill somebody, once a game."""

    name: ClassVar[str] = "poison"
    seat: Seat


class Hold(Move):
    """Late at night, as the witch: do nothing."""

    name: ClassVar[str] = "wait"


class Shoot(Move):
    """As the hunter who was killed or hanged: take somebody along; 0 for nobody."""

    name: ClassVar[str] = "shoot"
    seat: Seat


class Say(Move):
    """By day, on your turn: say something to everybody."""

    name: ClassVar[str] = "say"
    text: Annotated[TextId, Words(LONGEST_SAID)]


class LastWords(Move):
    """Say something to everybody before you are hanged."""

    name: ClassVar[str] = "last_words"
    text: Annotated[TextId, Words(LONGEST_LAST)]


class Silence(Move):
    """Say nothing."""

    name: ClassVar[str] = "silence"


class Vote(Move):
    """In the ballot: vote for whom to hang; 0 abstains."""

    name: ClassVar[str] = "vote"
    seat: Seat
