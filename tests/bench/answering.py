"""How soon a person sees an answer once the model has given it, at the pace that rooms have as they come."""

import asyncio
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from tests.bench import Figure
from tests.e2e.sharing import Cast, shared_home
from tests.e2e.visitor import Json, until

TIMES = 5
LOOK_SECONDS = 0.02
EPOCH_MS = 1_420_070_400_000
AS_IT_COMES = {"SELFROOM_COMMUNITY__TYPING_AT_MOST_SECONDS": "2", "SELFROOM_COMMUNITY__SETTLE_SECONDS": "0.8"}
SENTENCES = {"short": 1, "long": 12}
TARGETS = {"short": 2.0, "long": 4.0}


def run() -> list[Figure]:
    """Measure through the playground: from the model's answer to the post."""
    return asyncio.run(_answers())


async def _answers() -> list[Figure]:
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        async with shared_home(Path(folder), **AS_IT_COMES) as cast:
            for length, sentences in SENTENCES.items():
                waits = [await _wait(cast, f"{length} {number}", sentences) for number in range(TIMES)]
                name = f"answering.{length}_answer_after_the_models"
                figures.append(Figure(name=name, value=median(waits), unit="s", target=TARGETS[length]))
    return figures


async def _wait(cast: Cast, mark: str, sentences: int) -> float:
    """Ask once, and give how long after the model's answer the post stands."""
    words = " ".join(f"Boat {number} of {mark} has come into the harbour." for number in range(sentences))
    await cast.home.script({"match": f"tell me {mark} now", "answer": words})
    before = len(await cast.you.model_calls())
    said = await cast.you.say(cast.manager.channel_id, f"Wren, tell me {mark} now")

    async def answered() -> Json | None:
        calls = (await cast.you.model_calls())[before:]
        return next((one for one in calls if f"tell me {mark} now" in one["input"] and one["answer"]), None)

    await until(answered, "answer of the model")
    at = time.time()
    post = await cast.you.answer_after(said)
    stands = datetime.fromtimestamp(((int(post["id"]) >> 22) + EPOCH_MS) / 1000, UTC)
    return stands.timestamp() - at
