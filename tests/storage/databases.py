"""Databases to test on: a PostgreSQL database of its own, made and dropped, where a server runs."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import asyncpg

SERVERS = (
    {"host": "/var/run/postgresql", "database": "test"},
    {"host": "127.0.0.1", "port": 5432, "database": "test"},
)


@dataclass(frozen=True, slots=True)
class PostgresqlDatabase:
    """A database of one test's or benchmark's own."""

    url: str
    name: str
    server: asyncpg.Connection

    async def size(self) -> int:
        """Give its size in bytes."""
        return int(await self.server.fetchval("SELECT pg_database_size($1)", self.name))


@asynccontextmanager
async def postgresql_database() -> AsyncIterator[PostgresqlDatabase | None]:
    """Make an empty database and drop it afterwards; None when no server can be reached."""
    server = await _connected()
    if server is None:
        yield None
        return
    name = f"selfroom_{uuid.uuid4().hex}"
    try:
        await server.execute(f"CREATE DATABASE {name}")
        user = await server.fetchval("SELECT current_user")
        port = await server.fetchval("SHOW port")
        yield PostgresqlDatabase(f"postgresql://{user}@127.0.0.1:{port}/{name}", name, server)
        await server.execute(f"DROP DATABASE {name} WITH (FORCE)")
    finally:
        await server.close()


async def _connected() -> asyncpg.Connection | None:
    for server in SERVERS:
        try:
            return await asyncpg.connect(**server, timeout=3)
        except (OSError, asyncpg.PostgresError):
            continue
    return None
