"""The tables: SQLModel rows for the schema, and their tables for statements over columns."""

from storage.tables.base import Row, table_of
from storage.tables.beats import BeatRow, ReservationRow, UsageRow
from storage.tables.community import (
    AuditRow,
    CommunityRow,
    CounterRow,
    KeptRow,
    NameRow,
    OverrideRow,
    PersonRow,
    ProviderRow,
    TimelineRow,
)
from storage.tables.residents import (
    ActionRow,
    AgentRow,
    DepartureRow,
    FailureRow,
    HolderRow,
    JournalRow,
    KeyRow,
    LookupRow,
    MembershipRow,
    MindRow,
    ReasonRow,
    RequestRow,
    RoomRow,
    ScheduleRow,
)
from storage.tables.scenes import EventRow, MoveRow, SceneRow, SeatRow
from storage.tables.talk import (
    AttachmentRow,
    CheckpointRow,
    EarlyEditRow,
    LetterRow,
    MessageRow,
    PartRow,
    ReactionRow,
    TombstoneRow,
)

METADATA = Row.metadata

COMMUNITIES = table_of(CommunityRow)
COUNTERS = table_of(CounterRow)
OVERRIDES = table_of(OverrideRow)
KEPT = table_of(KeptRow)
PROVIDERS = table_of(ProviderRow)
PEOPLE = table_of(PersonRow)
NAMES = table_of(NameRow)
AUDIT = table_of(AuditRow)
AGENTS = table_of(AgentRow)
ROOMS = table_of(RoomRow)
MEMBERSHIPS = table_of(MembershipRow)
DEPARTURES = table_of(DepartureRow)
REASONS = table_of(ReasonRow)
SCHEDULES = table_of(ScheduleRow)
MESSAGES = table_of(MessageRow)
ATTACHMENTS = table_of(AttachmentRow)
PARTS = table_of(PartRow)
TOMBSTONES = table_of(TombstoneRow)
EARLY_EDITS = table_of(EarlyEditRow)
REACTIONS = table_of(ReactionRow)
CHECKPOINTS = table_of(CheckpointRow)
LETTERS = table_of(LetterRow)
KEYS = table_of(KeyRow)
HOLDERS = table_of(HolderRow)
REQUESTS = table_of(RequestRow)
FAILURES = table_of(FailureRow)
MINDS = table_of(MindRow)
JOURNAL = table_of(JournalRow)
ACTIONS = table_of(ActionRow)
LOOKUPS = table_of(LookupRow)
BEATS = table_of(BeatRow)
USAGE = table_of(UsageRow)
RESERVATIONS = table_of(ReservationRow)
SCENES = table_of(SceneRow)
SEATS = table_of(SeatRow)
MOVES = table_of(MoveRow)
EVENTS = table_of(EventRow)
TIMELINES = table_of(TimelineRow)

ROWS: dict[str, type[Row]] = {
    table_of(row).name: row
    for row in (
        *(CommunityRow, CounterRow, OverrideRow, KeptRow, ProviderRow, PersonRow, NameRow, AuditRow),
        *(AgentRow, RoomRow, MembershipRow, DepartureRow, ReasonRow, ScheduleRow),
        *(MessageRow, AttachmentRow, PartRow, TombstoneRow, EarlyEditRow, ReactionRow, CheckpointRow, LetterRow),
        *(MindRow, JournalRow, ActionRow, LookupRow, KeyRow, HolderRow, RequestRow, FailureRow),
        *(BeatRow, UsageRow, ReservationRow),
        *(SceneRow, SeatRow, MoveRow, EventRow),
        TimelineRow,
    )
}
