"""All that can be asked of the store, in one consistent read."""

from sqlalchemy.ext.asyncio import AsyncConnection

from bot.core.config import CommunityConfig
from storage.counting import Counting
from storage.desking import Desking
from storage.dues import Dues
from storage.logbook import Logbook
from storage.outbox import Outbox
from storage.personal import PersonalData
from storage.search import Searching
from storage.summaries import Summarising


class SqlReading(Desking, Dues, Outbox, Counting, Searching, Logbook, Summarising, PersonalData):
    """`bot.core.ports.Reading` over SQL."""

    def __init__(self, connection: AsyncConnection, config: CommunityConfig) -> None:
        super().__init__(connection)
        self.config = config
