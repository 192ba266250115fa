"""The statements of a view, worded once for each database: to word one takes longer than to execute it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Executable,
    FromClause,
    Integer,
    Table,
    Text,
    and_,
    any_,
    bindparam,
    case,
    cast,
    false,
    func,
    literal,
    literal_column,
    or_,
    select,
    text,
    true,
    tuple_,
    type_coerce,
    union_all,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.types import NULLTYPE

from bot.core.kinds import LetterState, SenderKind
from bot.core.records import PUBLIC_SIDE
from storage.convert import AGENT_COLUMNS, MEMBERSHIP_COLUMNS, MESSAGE_COLUMNS, ROOM_COLUMNS
from storage.messages import MESSAGE
from storage.prepared import Prepared, Together
from storage.session import Query, Term, literally
from storage.tables import (
    ACTIONS,
    AGENTS,
    ATTACHMENTS,
    CHECKPOINTS,
    COMMUNITIES,
    HOLDERS,
    KEYS,
    LETTERS,
    LOOKUPS,
    MEMBERSHIPS,
    MESSAGES,
    MINDS,
    OVERRIDES,
    PEOPLE,
    REASONS,
    REQUESTS,
    ROOMS,
    SCHEDULES,
    TOMBSTONES,
)

RECENT_ACTIONS = 20
CHARACTERS_A_TOKEN = 4
BARE_LINE_TOKENS = 12
UNSENT = LETTERS.c.state.in_(literally("waiting", "sending"))  # as the index of open letters has it
PENDING = REQUESTS.c.state == literal_column("'pending'")  # as the index of pending requests has it
Among = Callable[[Term, str], ColumnElement[bool]]

# SQLite has no LATERAL: the index tells where each room's stretch begins, and CROSS JOIN keeps the planner from reading
# the whole community. All rooms get their newest, then all their second: what no longer fits is the oldest of those
# with most to show, and no room has a hole. The first LIMIT keeps texts out of what is sorted.
NEWEST_SQLITE = text(
    "WITH sized AS (SELECT messages.community_id, messages.room_id, messages.sent_at, messages.discord_id, messages.id,"  # noqa: S608  # our own names
    " length(content) + coalesce(length(reactions), 0) + CASE WHEN attachment_count > 0 THEN coalesce("
    "(SELECT sum(length(name) + length(url) + coalesce(length(text), 0)) FROM attachments"
    " WHERE community_id = messages.community_id AND message_id = messages.id), 0) ELSE 0 END AS size"
    " FROM rooms CROSS JOIN messages"
    " ON messages.community_id = rooms.community_id AND messages.room_id = rooms.id AND messages.shown = 1"
    " AND messages.sent_at >= coalesce("
    "(SELECT sent_at FROM messages WHERE community_id = rooms.community_id AND room_id = rooms.id AND shown = 1"
    " ORDER BY sent_at DESC LIMIT 1 OFFSET :messages - 1), -9223372036854775808)"
    " WHERE rooms.community_id = :community_id AND rooms.id IN (SELECT value FROM json_each(:rooms)) LIMIT -1),"
    " placed AS (SELECT community_id, room_id, id, size, row_number()"
    " OVER (PARTITION BY room_id ORDER BY sent_at DESC, coalesce(discord_id, 0) DESC, id DESC) AS place FROM sized),"
    " measured AS (SELECT community_id, id, place,"
    " sum(size) OVER (ORDER BY place, room_id ROWS UNBOUNDED PRECEDING) AS until FROM placed)"
    f" SELECT {', '.join(f'messages.{name}' for name in MESSAGE_COLUMNS)} FROM measured CROSS JOIN messages"
    " ON messages.community_id = measured.community_id AND messages.id = measured.id"
    " WHERE place <= :messages AND (place = 1 OR until <= :characters)"
    " ORDER BY messages.room_id, measured.place"
)
FREE = or_(AGENTS.c.beat_id.is_(None), AGENTS.c.lease_until <= bindparam("now"))  # no live claim holds the agent
# a community with its own settings, a row for each of them
WITH_OVERRIDES = select(*COMMUNITIES.c, OVERRIDES.c.name, OVERRIDES.c.value).select_from(
    COMMUNITIES.outerjoin(OVERRIDES, OVERRIDES.c.community_id == COMMUNITIES.c.id)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """What is asked of `community_id`, and of many `agents`, `rooms`, `members` and `minds` (`Session.many`)."""

    community: Prepared
    residents: Prepared
    roster: Prepared
    memberships: Prepared
    newest: Prepared
    checkpoints: Prepared
    minds: Prepared
    minds_on_sides: Prepared
    sides: Prepared
    mind_sizes: Prepared
    actions: Prepared
    lookups: Prepared
    schedules: Prepared
    keys: Prepared
    requests: Prepared
    letters: Prepared
    being_posted: Prepared
    reasons: Prepared
    people: Prepared
    uncovered: Prepared
    messages: Prepared
    buried: Prepared
    can_be_claimed: Prepared


@cache
def glance_question(*, is_sqlite: bool, itself: bool, newest: bool, letters: bool, summaries: bool) -> Together:
    """Word what a glance asks; `itself`: the community as well."""
    among = _of_these_and_theirs(is_sqlite=is_sqlite)
    asked: dict[str, Executable] = dict(
        memberships=select(*MEMBERSHIP).where(_its(MEMBERSHIPS), among(MEMBERSHIPS.c.room_id, "rooms")),
        roster=_residents(among).where(among(ROOMS.c.id, "around")),
        reasons=_all_of(REASONS).where(among(REASONS.c.agent_id, "members")),
    )
    asked |= {"community": _community()} if itself else {}
    asked |= {"newest": _newest_lateral(among)} if newest else {}
    asked |= {"letters": _open(LETTERS, among, UNSENT), "being_posted": _being_posted(among)} if letters else {}
    asked |= {"checkpoints": _checkpoints(among)} if summaries else {}
    return Together(**asked)


@cache
def house_question(*, is_sqlite: bool, itself: bool) -> Together:
    """Word what tells who and what is there; `itself`: the community as well."""
    among = _of_these_and_theirs(is_sqlite=is_sqlite)
    residents = _residents(among).where(or_(ROOMS.c.thread_of.is_(None), among(ROOMS.c.id, "rooms")))
    memberships = questions(is_sqlite=is_sqlite).memberships.statement
    return Together(memberships=memberships, residents=residents, **({"community": _community()} if itself else {}))


@cache
def post_question(*, is_sqlite: bool, itself: bool) -> Together:
    """Word what a message (`said`) is posted with in a `place`; `itself`: the community as well."""
    this, answering, speaking, here = (MESSAGES.alias(), MESSAGES.alias(), MESSAGES.alias(), ROOMS.alias())
    its_own = select(this.c.id).where(_its(this), this.c.id == bindparam("said"))
    answered = select(answering.c.reply_to).where(_its(answering), answering.c.id == bindparam("said"))
    said = union_all(its_own, answered)
    speakers = select(speaking.c.sender_agent_id).where(_its(speaking), speaking.c.id.in_(said))
    place = (_its(here), here.c.id == bindparam("place"))
    around = select(func.coalesce(here.c.thread_of, here.c.id)).where(*place)
    who_and_where = or_(
        ROOMS.c.id.in_(union_all(select(here.c.id).where(*place), around)),
        ROOMS.c.id.in_(speakers.where(speaking.c.sender_agent_id.is_not(None))),
    )
    here_posted = and_(_its(LETTERS), LETTERS.c.room_id == bindparam("place"))
    of_letter = and_(MESSAGES.c.community_id == LETTERS.c.community_id, MESSAGES.c.id == LETTERS.c.message_id)
    by_agent = and_(MESSAGES.c.sender_kind == SenderKind.AGENT, LETTERS.c.state == LetterState.SENT)
    pace = select(ROOMS.c.rpm - 1).where(_its(ROOMS), ROOMS.c.id.in_(around)).scalar_subquery()
    earlier = select(LETTERS.c.closed_at).select_from(LETTERS.join(MESSAGES, of_letter)).where(here_posted, by_agent)
    earlier = earlier.order_by(LETTERS.c.last_part.desc()).limit(1).offset(func.coalesce(pace, 0))
    asked: dict[str, Executable] = dict(
        said=select(*MESSAGE).where(_its(MESSAGES), MESSAGES.c.id.in_(said)),
        roster=_residents(_among_sqlite if is_sqlite else _among_postgresql).where(who_and_where),
        last=select(func.max(LETTERS.c.last_part)).where(here_posted),
        earlier=select(*earlier.subquery("earlier").c),
    )
    return Together(**asked, **({"community": _community()} if itself else {}))


@cache
def hud_question(*, is_sqlite: bool, carried: Literal["all", "some", "nothing"] = "all") -> Together:
    """Word what else a HUD shows beside what is said, with what agents carry on all sides, or what some minds hold."""
    one_by_one = questions(is_sqlite=is_sqlite)
    names = ("keys", "letters", "being_posted", "checkpoints", "schedules", "requests", "reasons")
    asked = (*names, "minds", "actions", "lookups") if carried == "all" else names
    parts = {name: getattr(one_by_one, name).statement for name in asked}
    return Together(**parts, **(_held(is_sqlite=is_sqlite) if carried == "some" else {}))


@cache
def minds_question(*, is_sqlite: bool) -> Together:
    """Word what some minds hold, with what was done and looked up last."""
    return Together(**_held(is_sqlite=is_sqlite))


def _held(*, is_sqlite: bool) -> dict[str, Executable]:
    some = _minds_of(is_sqlite=is_sqlite)
    return {
        "minds": questions(is_sqlite=is_sqlite).minds_on_sides.statement,
        "actions": _recent_actions(some.subquery("sides")),
        "lookups": _all_of(LOOKUPS).where(tuple_(LOOKUPS.c.agent_id, LOOKUPS.c.side).in_(some)),
    }


@cache
def doors_question(*, is_sqlite: bool) -> Together:
    """Word what tells of keys and knocks: by themselves, for each may be held and used by many."""
    one_by_one = questions(is_sqlite=is_sqlite)
    return Together(keys=one_by_one.keys.statement, requests=one_by_one.requests.statement)


@cache
def questions(*, is_sqlite: bool) -> Questions:
    """Word them."""
    among = _among_sqlite if is_sqlite else _among_postgresql
    asked: dict[str, Executable] = dict(
        community=_community(),
        residents=_residents(among).where(or_(ROOMS.c.thread_of.is_(None), among(ROOMS.c.id, "rooms"))),
        roster=_residents(among).where(or_(among(ROOMS.c.id, "rooms"), ROOMS.c.id.in_(_around(among)))),
        memberships=_memberships(among),
        newest=NEWEST_SQLITE if is_sqlite else _newest_lateral(among),
        checkpoints=_checkpoints(among),
        minds=select(*MIND).where(_its(MINDS), among(MINDS.c.agent_id, "agents")),
        sides=select(MINDS.c.agent_id, MINDS.c.side).where(_its(MINDS), among(MINDS.c.agent_id, "agents")),
        minds_on_sides=_on_sides(is_sqlite=is_sqlite),
        mind_sizes=_mind_sizes(is_sqlite=is_sqlite),
        actions=_recent_actions(_all_sides(among)),
        lookups=_all_of(LOOKUPS).where(among(LOOKUPS.c.agent_id, "agents")).order_by(LOOKUPS.c.id),
        schedules=_all_of(SCHEDULES)
        .where(among(SCHEDULES.c.agent_id, "agents"))
        .order_by(SCHEDULES.c.at, SCHEDULES.c.id),
        keys=_keys(among),
        requests=_open(REQUESTS, among, PENDING),
        letters=_open(LETTERS, among, UNSENT),
        being_posted=_being_posted(among),
        reasons=_all_of(REASONS)
        .where(among(REASONS.c.agent_id, "members"))
        .order_by(REASONS.c.due_at, REASONS.c.kind, REASONS.c.room_id),
        can_be_claimed=select(AGENTS.c.id, AGENTS.c.next_beat_at, AGENTS.c.beat_id).where(
            _its(AGENTS), AGENTS.c.next_beat_at <= bindparam("now"), FREE, among(AGENTS.c.id, "agents")
        ),
        buried=_all_of(TOMBSTONES).where(among(TOMBSTONES.c.discord_id, "posts")),
        messages=select(*MESSAGE).where(_its(MESSAGES), among(MESSAGES.c.id, "ids")),
        uncovered=_uncovered(among),
        people=_all_of(PEOPLE).where(among(PEOPLE.c.id, "people")),
    )
    return Questions(**{name: Prepared(statement) for name, statement in asked.items()})


def _among_sqlite(column: Term, name: str) -> ColumnElement[bool]:
    return column.in_(_many_sqlite(name))


def _among_postgresql(column: Term, name: str) -> ColumnElement[bool]:
    return column == any_(bindparam(name, type_=postgresql.ARRAY(BigInteger)))


def _many_sqlite(name: str) -> Query:
    return select(func.json_each(bindparam(name)).table_valued("value").c.value)


def _many_postgresql(name: str) -> Query:
    return select(func.unnest(bindparam(name, type_=postgresql.ARRAY(BigInteger))))


def _of_these_and_theirs(*, is_sqlite: bool) -> Among:
    """Take for `rooms` also those of `agents`, for `members` who is in these, and `around` with the rooms of both."""
    among, many = (_among_sqlite, _many_sqlite) if is_sqlite else (_among_postgresql, _many_postgresql)

    def within(column: Term, name: str) -> ColumnElement[bool]:
        mine, seats = MEMBERSHIPS.alias("mine"), MEMBERSHIPS.alias("seats")
        theirs = select(mine.c.room_id).where(_its(mine), among(mine.c.agent_id, "agents"))
        rooms = union_all(theirs, many("rooms"))
        seated = select(seats.c.agent_id).where(_its(seats), seats.c.room_id.in_(rooms))
        match name:
            case "rooms":
                return column.in_(rooms)
            case "members":
                return column.in_(union_all(seated, many("agents")))
            case "around":
                return column.in_(union_all(theirs, many("rooms"), seated, many("agents"), _around(within)))
            case _:
                return among(column, name)

    return within


def _its(table: FromClause) -> ColumnElement[bool]:
    its: ColumnElement[bool] = table.c.community_id == bindparam("community_id")
    return its


def _all_of(table: Table) -> Query:
    return select(table).where(_its(table))


def _open(table: Table, among: Among, waiting: ColumnElement[bool]) -> Query:
    return _all_of(table).where(among(table.c.room_id, "rooms"), waiting).order_by(table.c.id)


def _community() -> Query:
    return WITH_OVERRIDES.where(COMMUNITIES.c.id == bindparam("community_id")).order_by(OVERRIDES.c.name)


def _residents(among: Among) -> Query:
    """Each room with its owner, the agents' own ones first; the long prompt and lore of those who are `whole`."""
    own = and_(
        AGENTS.c.community_id == ROOMS.c.community_id, AGENTS.c.id == func.coalesce(ROOMS.c.thread_of, ROOMS.c.id)
    )
    own_words = (case((among(AGENTS.c.id, "whole"), one)).label(one.name) for one in (AGENTS.c.prompt, LORE))
    asked = select(*AGENT, *ROOM, ROOMS.c.message_count, *own_words).select_from(ROOMS.join(AGENTS, own))
    return asked.where(_its(ROOMS)).order_by(ROOMS.c.thread_of.is_not(None), ROOMS.c.id)


def _around(among: Among) -> Query:
    """The rooms in which those of `rooms` are that are private threads."""
    inside = ROOMS.alias("inside")
    return select(inside.c.thread_of).where(_its(inside), among(inside.c.id, "rooms"), inside.c.thread_of.is_not(None))


def _as_they_lie(table: Table, names: Iterable[str]) -> tuple[Term, ...]:
    """Columns that are read faster than their types do it (`storage.convert`)."""
    return tuple(type_coerce(table.c[name], NULLTYPE).label(f"{table.name}_{name}") for name in names)


AGENT, ROOM = _as_they_lie(AGENTS, AGENT_COLUMNS), _as_they_lie(ROOMS, ROOM_COLUMNS)
MEMBERSHIP = _as_they_lie(MEMBERSHIPS, MEMBERSHIP_COLUMNS)
LORE = _as_they_lie(AGENTS, ("lore",))[0]
MIND = _as_they_lie(MINDS, ("agent_id", "side", "knowledge", "focus"))


def _memberships(among: Among) -> Query:
    mine = MEMBERSHIPS.alias("mine")
    theirs = select(mine.c.room_id).where(_its(mine), among(mine.c.agent_id, "agents"))
    in_these = or_(MEMBERSHIPS.c.room_id.in_(theirs), among(MEMBERSHIPS.c.room_id, "rooms"))
    asked = select(*MEMBERSHIP).where(_its(MEMBERSHIPS), in_these)
    return asked.order_by(MEMBERSHIPS.c.agent_id, MEMBERSHIPS.c.room_id)


def _newest_lateral(among: Among) -> Query:
    """The newest messages of each room, newest first, in PostgreSQL's words."""
    in_room = and_(MESSAGES.c.community_id == ROOMS.c.community_id, MESSAGES.c.room_id == ROOMS.c.id)
    newest = (
        select(*MESSAGE)
        .where(in_room, MESSAGES.c.shown == true())
        .order_by(MESSAGES.c.sent_at.desc())
        .fetch(bindparam("messages", type_=Integer), with_ties=True)  # not all are to be sorted for one millisecond
        .correlate(ROOMS)
        .lateral("newest")
    )
    order = (newest.c.sent_at.desc(), func.coalesce(newest.c.discord_id, 0).desc(), newest.c.id.desc())
    place = func.row_number().over(partition_by=newest.c.room_id, order_by=order).label("place")
    its = and_(_its(ATTACHMENTS), ATTACHMENTS.c.message_id == newest.c.id)
    of_files = (ATTACHMENTS.c.name, ATTACHMENTS.c.url, func.coalesce(ATTACHMENTS.c.text, ""))
    files = select(func.sum(sum(map(func.length, of_files), literal(0)))).where(its).correlate(newest)
    size = func.length(newest.c.content) + func.length(func.coalesce(newest.c.reactions, literal_column("''")))
    size += case((newest.c.attachment_count > 0, func.coalesce(files.scalar_subquery(), 0)), else_=0)
    of_rooms = select(*(newest.c[name] for name in MESSAGE_COLUMNS), place, size.label("size"))
    of_rooms = of_rooms.select_from(ROOMS.join(newest, true())).where(_its(ROOMS), among(ROOMS.c.id, "rooms"))
    lines = of_rooms.subquery("lines")
    until = func.sum(lines.c.size).over(order_by=(lines.c.place, lines.c.room_id), rows=(None, 0)).label("until")
    measured = select(*lines.c, until).subquery("measured")
    most, characters = bindparam("messages", type_=Integer), bindparam("characters", type_=Integer)
    fits = and_(measured.c.place <= most, or_(measured.c.place == 1, measured.c.until <= characters))
    asked = select(*(measured.c[name] for name in MESSAGE_COLUMNS)).where(fits)
    return asked.order_by(measured.c.room_id, measured.c.place)


def _being_posted(among: Among) -> Query:
    """What is said in open letters and not shown yet, in the order of its saying."""
    said = and_(MESSAGES.c.community_id == LETTERS.c.community_id, MESSAGES.c.id == LETTERS.c.message_id)
    asked = select(*MESSAGE).select_from(LETTERS.join(MESSAGES, said))
    waits = and_(_its(LETTERS), among(LETTERS.c.room_id, "rooms"), UNSENT, MESSAGES.c.shown == false())
    return asked.where(waits).order_by(MESSAGES.c.room_id, MESSAGES.c.id)


def _checkpoints(among: Among) -> Query:
    """The newest of each room, with how many there are."""
    here = and_(_its(CHECKPOINTS), among(CHECKPOINTS.c.room_id, "rooms"))
    of_room = select(func.max(CHECKPOINTS.c.id).label("id"), func.count().label("number"))
    newest = of_room.where(here).group_by(CHECKPOINTS.c.room_id).subquery("newest")
    asked = select(*CHECKPOINTS.c, newest.c.number).select_from(
        CHECKPOINTS.join(newest, CHECKPOINTS.c.id == newest.c.id)
    )
    return asked.where(_its(CHECKPOINTS))


def uncovered_tokens(rooms: FromClause, newest_counted: int | Term) -> Term:
    """Add up, roughly, what the newest messages of a room take that no summary covers."""
    covered = (
        select(func.coalesce(func.max(CHECKPOINTS.c.last_message_id), 0))
        .where(CHECKPOINTS.c.community_id == rooms.c.community_id, CHECKPOINTS.c.room_id == rooms.c.id)
        .correlate(rooms)
        .scalar_subquery()
    )
    guessed = func.length(MESSAGES.c.content) / CHARACTERS_A_TOKEN + BARE_LINE_TOKENS
    tokens = case((MESSAGES.c.tokens > 0, MESSAGES.c.tokens), else_=guessed)
    newest = (
        select(case((MESSAGES.c.id > covered, tokens), else_=0).label("tokens"))
        .where(
            MESSAGES.c.community_id == rooms.c.community_id,
            MESSAGES.c.room_id == rooms.c.id,
            MESSAGES.c.shown == true(),
        )
        .order_by(MESSAGES.c.sent_at.desc(), MESSAGES.c.id.desc())
        .limit(newest_counted)
        .correlate(rooms)
        .subquery("newest")
    )
    return select(func.sum(newest.c.tokens)).scalar_subquery()


def _uncovered(among: Among) -> Query:
    tokens = uncovered_tokens(ROOMS, bindparam("messages", type_=Integer))
    return select(ROOMS.c.id, tokens.label("tokens")).where(_its(ROOMS), among(ROOMS.c.id, "rooms"))


def _minds_of(*, is_sqlite: bool) -> Query:
    """The pairs of agent and side that `minds` names."""
    if is_sqlite:
        one = func.json_each(bindparam("minds")).table_valued("value").c.value
        agent_id, side = (func.json_extract(one, literal_column(f"'$[{place}]'")) for place in (0, 1))
        return select(agent_id.label("agent_id"), side.label("side"))
    pair = func.json_array_elements(cast(bindparam("minds", type_=Text), postgresql.JSON)).column_valued("pair")
    whose, where = (cast(pair.op("->>")(literal_column(str(place))), BigInteger) for place in (0, 1))
    return select(whose.label("agent_id"), where.label("side"))


def _on_sides(*, is_sqlite: bool) -> Query:
    return select(*MIND).where(_its(MINDS), tuple_(MINDS.c.agent_id, MINDS.c.side).in_(_minds_of(is_sqlite=is_sqlite)))


def _mind_sizes(*, is_sqlite: bool) -> Query:
    """How many characters there are to what an agent carries on a side, and to the answers that wait for it there."""
    some = _minds_of(is_sqlite=is_sqlite)
    knowledge, focus, answer = (
        func.coalesce(func.length(type_coerce(column, NULLTYPE)), 0)
        for column in (MINDS.c.knowledge, MINDS.c.focus, LOOKUPS.c.answer)
    )
    its = tuple_(MINDS.c.agent_id, MINDS.c.side).in_(some)
    kept = select(MINDS.c.agent_id, MINDS.c.side, (knowledge + focus).label("size")).where(_its(MINDS), its)
    waits = tuple_(LOOKUPS.c.agent_id, LOOKUPS.c.side).in_(some)
    found = select(LOOKUPS.c.agent_id, LOOKUPS.c.side, answer.label("size")).where(_its(LOOKUPS), waits)
    both = union_all(kept, found).subquery("both")
    return select(both.c.agent_id, both.c.side, func.sum(both.c.size)).group_by(both.c.agent_id, both.c.side)


def _all_sides(among: Among) -> FromClause:
    public = select(AGENTS.c.id.label("agent_id"), literal(PUBLIC_SIDE).label("side"))
    private = select(MEMBERSHIPS.c.agent_id, MEMBERSHIPS.c.room_id)
    return union_all(
        public.where(_its(AGENTS), among(AGENTS.c.id, "agents")),
        private.where(_its(MEMBERSHIPS), among(MEMBERSHIPS.c.agent_id, "agents")),
    ).subquery("sides")


def _recent_actions(sides: FromClause) -> Query:
    """The last actions of each agent and side, oldest first; the index tells where they begin."""
    earlier = ACTIONS.alias("earlier")
    first = (
        select(earlier.c.id)
        .where(_its(earlier), earlier.c.agent_id == sides.c.agent_id, earlier.c.side == sides.c.side)
        .order_by(earlier.c.id.desc())
        .limit(1)
        .offset(RECENT_ACTIONS - 1)
        .correlate(sides)
        .scalar_subquery()
    )
    its = and_(ACTIONS.c.agent_id == sides.c.agent_id, ACTIONS.c.side == sides.c.side)
    recent = select(ACTIONS).select_from(sides.join(ACTIONS, its)).where(_its(ACTIONS))
    return recent.where(ACTIONS.c.id >= func.coalesce(first, 0)).order_by(ACTIONS.c.id)


def _keys(among: Among) -> Query:
    """The keys of these rooms and those that these agents hold, a row for each holder."""
    mine = HOLDERS.alias("mine")
    held = select(mine.c.key_id).where(_its(mine), among(mine.c.agent_id, "agents"))
    on = and_(HOLDERS.c.community_id == KEYS.c.community_id, HOLDERS.c.key_id == KEYS.c.id)
    asked = select(*KEYS.c, HOLDERS.c.agent_id).select_from(KEYS.outerjoin(HOLDERS, on)).where(_its(KEYS))
    return asked.where(or_(among(KEYS.c.room_id, "rooms"), KEYS.c.id.in_(held))).order_by(KEYS.c.id)
