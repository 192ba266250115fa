"""The kind as it is found by its name."""

from dataclasses import replace

from bot.core.scenes.council.before import Council1, Council2, CouncilOptions1, CouncilOptions2
from bot.core.scenes.council.moves import (
    Adjourn,
    Amend,
    CallVote,
    MoveMotion,
    Second,
    Speak,
    Vote,
    Withdraw,
    Yield,
)
from bot.core.scenes.council.state import Council, CouncilOptions
from bot.core.scenes.kind import Ordering, Preset, SceneKind, Secrecy

COUNCIL = SceneKind(
    kind="council",
    version=3,
    title="Council",
    rules=(
        "A meeting that decides. In the debate it is one seat's turn at a time: speak, move a motion where none is on "
        "the table, amend a clause, call for the vote, or yield. A member's motion, and a member's call for the vote, "
        "need a second by another member. Amendments are voted on first, then the motion as it is then; more yes than "
        "no passes, a tie fails. Debate is short: when everything was said, call for the vote, and when nothing is "
        "left to decide, adjourn."
    ),
    seats=(2, 16),
    secrecy=Secrecy.OPEN,
    orderings=(Ordering.SEQUENTIAL, Ordering.RANDOM),
    options=CouncilOptions,
    state=Council,
    moves=(Speak, Yield, MoveMotion, Second, Amend, Withdraw, CallVote, Vote, Adjourn),
    speech=(Speak.name,),
    presets=(
        Preset(name="meeting", title="A meeting without a host", options={"host": False, "turns": 40}),
        Preset(
            name="parliament",
            title="With a host, secret ballots and two thirds",
            options={"host": True, "secret": True, "two_thirds": True},
        ),
    ),
)

COUNCILS_BEFORE = (
    replace(COUNCIL, version=1, options=CouncilOptions1, state=Council1),
    replace(COUNCIL, version=2, options=CouncilOptions2, state=Council2),
)
