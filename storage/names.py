"""Who bears or bore which name here, and names put in the place of ids when logs are shown."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from sqlalchemy import ColumnElement, Text, false, func, or_, select, true, type_coerce

from bot.core.keeping import CalledHere
from bot.core.name_redaction import NameRedactor
from bot.core.name_redaction import longer as beginning_alike
from bot.core.people import SOMEONE, mentioned, named
from bot.core.portions import portions
from storage.session import Field, Session, owned
from storage.tables import AGENTS, MESSAGES, NAMES, PEOPLE
from storage.tables.base import LONGEST_LABEL

AT_ONCE = 100  # names in one statement


def _few(names: Collection[str]) -> Iterator[list[str]]:
    """Give names, few at a time: each stands in a statement of its own, of which SQLite takes a thousand."""
    return portions(names, len, most=AT_ONCE * LONGEST_LABEL, many=AT_ONCE)


async def bear(session: Session, community_id: int, names: Mapping[str, str]) -> None:
    """Remember who (`agent:5`, `person:123`) bears which name: it stays theirs when they are called otherwise."""
    rows = [
        {"community_id": community_id, "name": name.casefold(), "bearer": bearer}
        for bearer, name in names.items()
        if name
    ]
    await session.run(session.insert(NAMES).on_conflict_do_nothing(), rows)


async def worded(session: Session, community_id: int, texts: Sequence[str]) -> list[str]:
    """Give texts in which people stand by their ids with the usernames that they have now."""
    ids = {id_ for text in texts for id_ in mentioned(text)}
    if not ids:
        return list(texts)
    asked = select(PEOPLE.c.id, PEOPLE.c.username).where(owned(PEOPLE, community_id), PEOPLE.c.id.in_(ids))
    usernames = {id_: username for id_, username in await session.rows(asked)}
    return [named(text, usernames) for text in texts]


async def called_here(session: Session, community_id: int, person_id: int) -> CalledHere:
    """Give what a person is or was called, and who else."""
    names = await usernames_of(session, community_id, person_id)
    shared = frozenset(await borne_by_others(session, community_id, person_id, names))
    longer = frozenset(await longer_names(session, community_id, person_id, names))
    return CalledHere(names=names, shared=shared, longer=longer)


async def usernames_of(session: Session, community_id: int, person_id: int) -> tuple[str, ...]:
    """Give all usernames, folded, that a person has had here."""
    of_person = (
        select(NAMES.c.name).where(owned(NAMES, community_id), NAMES.c.bearer == f"person:{person_id}"),
        select(PEOPLE.c.username).where(owned(PEOPLE, community_id), PEOPLE.c.id == person_id),
        select(MESSAGES.c.sender_name)
        .where(owned(MESSAGES, community_id), MESSAGES.c.sender_person_id == person_id)
        .distinct(),
    )
    found = {row[0].casefold() for asked in of_person for row in await session.rows(asked)}
    return tuple(sorted(found - {"", SOMEONE}))


async def borne_by_others(session: Session, community_id: int, person_id: int, names: Collection[str]) -> set[str]:
    """Give those of these names, folded, that somebody else (people, agents, listed programs) bears or bore."""
    found = await names_of_agents(session, community_id) & set(names)
    for some in _few(names):
        found |= await _borne_by_others(session, community_id, person_id, some)
    return found


async def _borne_by_others(session: Session, community_id: int, person_id: int, names: Collection[str]) -> set[str]:
    of_others = (
        select(NAMES.c.name).where(
            owned(NAMES, community_id), NAMES.c.name.in_(names), NAMES.c.bearer != f"person:{person_id}"
        ),
        select(PEOPLE.c.username).where(
            owned(PEOPLE, community_id), func.lower(PEOPLE.c.username).in_(names), PEOPLE.c.id != person_id
        ),
        select(MESSAGES.c.sender_name)
        .where(
            owned(MESSAGES, community_id),
            func.lower(MESSAGES.c.sender_name).in_(names),
            MESSAGES.c.sender_person_id.is_distinct_from(person_id),
        )
        .distinct(),
    )
    return {row[0].casefold() for asked in of_others for row in await session.rows(asked)}


async def longer_names(session: Session, community_id: int, person_id: int, names: Collection[str]) -> set[str]:
    """Give the names, of agents and of others now or once, that begin with one of these and are longer."""
    foreign = (
        (NAMES.c.name, NAMES.c.bearer != f"person:{person_id}"),
        (PEOPLE.c.username, PEOPLE.c.id != person_id),
        (MESSAGES.c.sender_name, MESSAGES.c.sender_person_id.is_distinct_from(person_id)),
    )
    found = await names_of_agents(session, community_id, folded=False)
    for some in _few(names):
        for column, of_others in foreign:
            begun = or_(false(), *(column.istartswith(name, autoescape=True) for name in some))
            asked = select(column).where(owned(column.table, community_id), of_others, begun).distinct()
            found |= {row[0] for row in await session.rows(asked)}
    return set(beginning_alike(names, found))


async def names_of_agents(session: Session, community_id: int, *, folded: bool = True) -> set[str]:
    """Give all words to which agents listen now."""
    rows = await session.rows(select(AGENTS.c.name, AGENTS.c.aliases).where(owned(AGENTS, community_id)))
    return {name.casefold() if folded else name for own, aliases in rows for name in (own, *(aliases or ()))}


def may_name(named: NameRedactor, column: Field) -> ColumnElement[bool]:
    """Give the condition that a column holds one of the names, roughly: databases know the case of ASCII alone."""
    if len(named.names) > AT_ONCE or not all(name.isascii() for name in named.names):
        return true()
    text = type_coerce(column, Text())
    return or_(false(), *(text.icontains(name, autoescape=True) for name in named.names))
