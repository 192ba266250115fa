"""One read and one transaction in parts by matter; what their methods do is told where bot/core/ports asks for them."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

from bot.core.changes import Change
from bot.core.config import CommunityConfig
from bot.core.models import OwnProviders
from bot.core.ports import Ids
from bot.core.ports.beats import Beats, Claims, Money, WritableClaims, WritableMoney
from bot.core.ports.communities import (
    Communities,
    Logs,
    Notes,
    Upkeep,
    WritableCommunities,
    WritableNotes,
    WritableProviders,
)
from bot.core.ports.people import People, Personal, WritablePeople, WritablePersonal
from bot.core.ports.residents import Access, Agents, Inquiries, Rooms, Views, WritableAgents, WritableRooms
from bot.core.ports.scenes import Scenes, WritableScenes
from bot.core.ports.talk import Letters, Reactions, Summaries, Talk, WritableLetters, WritableTalk
from bot.core.ports.timelines import Timelines, WritableTimelines
from bot.core.records import CommunityId
from storage.beats import SqlBeats, SqlClaims
from storage.changes.applying import apply
from storage.circumstances import SqlInquiries
from storage.communities import SqlCommunities, SqlLogs, SqlNotes, SqlProviders
from storage.letters import SqlLetters
from storage.money import SqlMoney
from storage.personal import SqlPersonal
from storage.residents import SqlAccess, SqlAgents, SqlPeople
from storage.retention import SqlUpkeep
from storage.rooms import SqlRooms
from storage.scenes import SqlScenes
from storage.session import Session
from storage.summaries import SqlSummaries
from storage.talk import SqlReactions, SqlTalk
from storage.timelines.live import SqlTimelines
from storage.views import SqlViews


class SqlReading:
    """`bot.core.ports.Reading` over SQL."""

    def __init__(self, session: Session, config: CommunityConfig) -> None:
        self.session = session
        self.access: Access = SqlAccess(session)
        self.agents: Agents = SqlAgents(session)
        self.beats: Beats = SqlBeats(session)
        self.claims: Claims = SqlClaims(session)
        self.communities: Communities = SqlCommunities(session)
        self.inquiries: Inquiries = SqlInquiries(session)
        self.letters: Letters = SqlLetters(session)
        self.logs: Logs = SqlLogs(session)
        self.money: Money = SqlMoney(session)
        self.notes: Notes = SqlNotes(session)
        self.people: People = SqlPeople(session)
        self.personal: Personal = SqlPersonal(session, SqlTalk(session))
        self.providers: OwnProviders = SqlProviders(session)
        self.reactions: Reactions = SqlReactions(session)
        self.rooms: Rooms = SqlRooms(session)
        self.scenes: Scenes = SqlScenes(session)
        self.summaries: Summaries = SqlSummaries(session)
        self.talk: Talk = SqlTalk(session)
        self.timelines: Timelines = SqlTimelines(session)
        self.views: Views = SqlViews(session, config)


class SqlWriting:
    """`bot.core.ports.Writing` over SQL."""

    def __init__(self, session: Session, config: CommunityConfig) -> None:
        self.session = session
        self.ids: Ids = session.ids
        self.access: Access = SqlAccess(session)
        self.agents: WritableAgents = SqlAgents(session)
        self.beats: Beats = SqlBeats(session)
        self.claims: WritableClaims = SqlClaims(session)
        self.communities: WritableCommunities = SqlCommunities(session)
        self.inquiries: Inquiries = SqlInquiries(session)
        self.letters: WritableLetters = SqlLetters(session)
        self.logs: Logs = SqlLogs(session)
        self.money: WritableMoney = SqlMoney(session)
        self.notes: WritableNotes = SqlNotes(session)
        self.people: WritablePeople = SqlPeople(session)
        self.personal: WritablePersonal = SqlPersonal(session, SqlTalk(session))
        self.providers: WritableProviders = SqlProviders(session)
        self.reactions: Reactions = SqlReactions(session)
        self.rooms: WritableRooms = SqlRooms(session)
        self.scenes: WritableScenes = SqlScenes(session)
        self.summaries: Summaries = SqlSummaries(session)
        self.talk: WritableTalk = SqlTalk(session)
        self.timelines: WritableTimelines = SqlTimelines(session)
        self.upkeep: Upkeep = SqlUpkeep(session, SqlLetters(session))
        self.views: Views = SqlViews(session, config)

    async def apply(self, community_id: CommunityId, changes: Sequence[Change]) -> None:
        """Write changes, grouped by kind."""
        await apply(self.session, community_id, changes)

    def savepoint(self) -> AbstractAsyncContextManager[object]:
        return self.session.savepoint()
