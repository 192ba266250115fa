"""What is left on Discord of a deleted message goes by one letter."""

from bot.core.kinds import LetterKind
from bot.core.letters import RemovalPayload, parse_payload
from bot.core.post_removal import Parts, removal
from bot.core.records import AgentId, Snowflake
from tests.fakes import START


def test_one_letter_of_its_room_takes_all_posts_away_at_once() -> None:
    posts = (Snowflake(11), Snowflake(12))
    letter = removal(Parts(room_id=AgentId(3), thread_id=Snowflake(9), post_ids=posts), START)
    assert (letter.kind, letter.room_id, letter.not_before) == (LetterKind.REMOVAL, 3, START)
    assert parse_payload(letter.kind, letter.payload) == RemovalPayload(post_ids=posts, thread_id=Snowflake(9))
