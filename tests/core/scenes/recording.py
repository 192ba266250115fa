"""`python -m tests.core.scenes.recording`: write down logs of the present chats and councils (tests.core.scenes.logs).

They are played by chance. A kind whose rules change gets another version, and its logs of before stay as they are.
"""

import json
import sys
from pathlib import Path

from bot.core.scenes.chat import CHAT
from bot.core.scenes.council.kind import COUNCIL
from bot.core.scenes.kind import Ordering, SceneKind
from tests.core.scenes.plays import Playing, dice, play_out

LOGS = Path(__file__).parent / "logs"
RECORDED = ((CHAT, Ordering.MODERATED), (CHAT, Ordering.FREE), (COUNCIL, Ordering.SEQUENTIAL))
TRIED, LONGEST = 500, 90  # play-outs of which the richest is kept; lines of a log


def path_of(kind: SceneKind, name: str) -> Path:
    """Give where a log of that version is kept."""
    return LOGS / f"{kind.kind}_{kind.version}_{name}.json"


def richest(kind: SceneKind, ordering: Ordering) -> Playing:
    """Play by chance, again and again; gives the play-out with the most kinds of moves."""
    found: list[Playing] = []
    for seed in range(TRIED):
        *_, playing = play_out(kind, dice(seed), illegal=False, digests=True, listens=False)
        if playing.play.options.ordering is ordering and len(playing.log) <= LONGEST:
            found.append(playing)
    return max(found, key=lambda one: len({entry.move for entry in one.log}))


def written(playing: Playing) -> str:
    """Give a log as it is kept, a line for each entry."""
    head = {
        "kind": playing.play.kind.kind,
        "version": playing.play.kind.version,
        "seed": playing.play.seed,
        "seats": len(playing.seats),
        "options": playing.play.options.model_dump(mode="json"),
        "first_digest": playing.first,
        "outcome": playing.outcome,
    }
    lines = [json.dumps([one.seat, one.move, dict(one.arguments), one.digest]) for one in playing.log]
    moves = ",\n".join(f"  {line}" for line in lines)
    return f'{json.dumps(head, indent=1)[:-2]},\n "moves": [\n{moves}\n ]\n}}\n'


def main() -> None:
    """Write what is not written yet."""
    for kind, ordering in RECORDED:
        path = path_of(kind, ordering.value)
        if not path.exists():
            path.write_text(written(richest(kind, ordering)))
            sys.stdout.write(f"{path.name}\n")


if __name__ == "__main__":
    main()
