"""What a transaction is likely to ask, as the very questions that its parts ask one by one."""

from collections.abc import Sequence

from bot.core.ports import Expected
from bot.core.records import CommunityId
from storage.beats import addressed_by
from storage.money import spent_on
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
    return asked
