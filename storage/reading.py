"""One consistent read, in parts by matter."""

from bot.core.config import CommunityConfig
from bot.core.models import OwnProviders
from bot.core.ports.beats import Beats, Claims, Money
from bot.core.ports.communities import Communities, Logs, Notes
from bot.core.ports.people import People, Personal
from bot.core.ports.residents import Access, Agents, Inquiries, Rooms, Views
from bot.core.ports.talk import Letters, Reactions, Summaries, Talk
from storage.beats import SqlBeats
from storage.circumstances import SqlInquiries
from storage.claims import SqlClaims
from storage.communities import SqlCommunities, SqlNotes, SqlProviders
from storage.letters import SqlLetters
from storage.logs import SqlLogs
from storage.money import SqlMoney
from storage.people import SqlPeople
from storage.personal import SqlPersonal
from storage.reactions import SqlReactions
from storage.residents import SqlAccess, SqlAgents
from storage.rooms import SqlRooms
from storage.session import Session
from storage.summaries import SqlSummaries
from storage.talk import SqlTalk
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
        self.summaries: Summaries = SqlSummaries(session)
        self.talk: Talk = SqlTalk(session)
        self.views: Views = SqlViews(session, config)
