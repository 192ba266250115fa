"""What a transaction is likely to ask, as the very questions that its parts ask one by one."""

from collections.abc import Sequence

from bot.core.ports import Expected, Moves
from bot.core.records import CommunityId
from storage.beats import addressed_by, claimable, posting_awaited, reasons_of
from storage.communities import own_provider
from storage.letters import buried, moved
from storage.money import spent_on
from storage.owed import keeping_nothing
from storage.prepared import Question
from storage.residents import people_known
from storage.rooms import of_channel
from storage.session import Session
from storage.talking import known_as


def asked_for(session: Session, community_id: CommunityId, expected: Expected) -> Sequence[Question]:
    """Give what is to be asked ahead."""
    asked: list[Question] = []
    if expected.people:
        asked.append(people_known(session, community_id, expected.people))
    if len(expected.channels) == 1:
        asked.append(of_channel(community_id, expected.channels[0]))
    if expected.posts:
        asked.append(known_as(session, community_id, expected.posts, expected.replied_to))
    if expected.spent_on is not None:
        asked.append(spent_on(community_id, expected.spent_on))
    if expected.addressed_by is not None:
        asked.append(addressed_by(community_id, *expected.addressed_by))
    if expected.moves is not None:
        asked += _moved(session, community_id, expected.moves)
    if expected.claims is not None:
        agent_ids, now = expected.claims
        asked.append(claimable(session, community_id, agent_ids, now))
        asked += [reasons_of(session, community_id, agent_ids), own_provider(community_id)]
    if expected.ends_beats:
        asked.append(keeping_nothing(community_id))
    return asked


def _moved(session: Session, community_id: CommunityId, moves: Moves) -> Sequence[Question]:
    asked = [moved(community_id, moves.letter_id)]
    if moves.author_id is not None and moves.room_id is not None:
        asked.append(posting_awaited(community_id, moves.author_id, moves.room_id))
    if moves.posts:
        asked.append(buried(session, community_id, moves.posts))
    return asked
