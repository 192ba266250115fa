"""A program that lives through its database's file not being writable; started by a test without root's powers.

Its arguments: the file. It says what came of a write, waits for a line, and says what comes of the next.
"""

import asyncio
import sys

from sqlalchemy import text

from bot.core.errors import StoreError
from storage.database import Database, database_url

UNPRIVILEGED = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]  # file modes bind even root then
READERS = 4  # at the same time, so that several connections are open


async def live(path: str) -> None:
    """Read, try to write, wait, and try again."""
    database = Database(database_url(f"sqlite:///{path}"))
    begun = asyncio.Barrier(READERS)

    async def read() -> None:
        async with database.reading() as connection:
            await connection.execute(text("SELECT count(*) FROM lines"))
            await begun.wait()

    async def wrote() -> str:
        try:
            async with database.writing() as connection:
                await connection.execute(text("INSERT INTO lines VALUES (1)"))
        except StoreError as error:
            return str(error)
        return "written"

    await asyncio.gather(*(read() for _ in range(READERS)))
    for _ in range(2):
        sys.stdout.write(f"{await wrote()}\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.readline)
    await database.close()


if __name__ == "__main__":
    asyncio.run(live(sys.argv[1]))
