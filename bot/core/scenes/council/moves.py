"""What one does in a council."""

from typing import Annotated, ClassVar, Literal

from bot.core.scenes.kind import NO_TEXT, Move, TextId, Words

Choice = Literal["yes", "no", "abstain"]
CHOICES = ("yes", "no", "abstain")


class Speak(Move):
    """Say something to everybody."""

    name: ClassVar[str] = "speak"
    text: Annotated[TextId, Words(150)]


class Yield(Move):
    """Say nothing this time."""

    name: ClassVar[str] = "yield"


class MoveMotion(Move):
    """Move a motion: what is to be decided."""

    name: ClassVar[str] = "move_motion"
    title: Annotated[TextId, Words(15)]
    text: Annotated[TextId, Words(150)]


class Second(Move):
    """Support what another member asks for, so that it stands; you may still speak."""

    name: ClassVar[str] = "second"
    free: ClassVar[bool] = True


class Amend(Move):
    """Propose other words for a clause of the motion, or a new last clause; it is voted on first."""

    name: ClassVar[str] = "amend"
    clause: int
    text: Annotated[TextId, Words(80)]


class Withdraw(Move):
    """Take your motion back."""

    name: ClassVar[str] = "withdraw"


class CallVote(Move):
    """Have it voted on now."""

    name: ClassVar[str] = "call_vote"


class Vote(Move):
    """Vote; nobody sees it before all have."""

    name: ClassVar[str] = "vote"
    choice: Choice
    comment: Annotated[TextId, Words(30)] = NO_TEXT


class Adjourn(Move):
    """End the meeting; members only together, by majority."""

    name: ClassVar[str] = "adjourn"
