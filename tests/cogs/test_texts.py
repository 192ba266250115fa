"""What agents, cards and archives wrote says what it is where people read it."""

import io
from dataclasses import replace

import discord
import pytest

from bot.core.kinds import Access, LetterKind, ReasonKind
from bot.core.records import AccessKey, AgentId, Attachment, Beat, BeatId, CommunityId, KeyId, Letter, LetterId
from bot.core.view import RoomView
from bot.core.wording import honest
from cogs.key import key_line
from cogs.looking import message_line
from cogs.room.company import member_lines, room_card
from cogs.ui.beats import beat_line, why
from cogs.ui.cards import Shown, agent_card, agent_list
from cogs.ui.deciding import held_line
from cogs.ui.pictures import Bar, alt_text
from cogs.ui.texts import label
from tests.factories import agent, message, room, view
from tests.fakes import START, ScriptedModel

LURE = "[https://bank.example](https://evil.example) and [more](<https://evil.example>)"
UNSEEN = "\u202e\u200b\x1b\u2066"


@pytest.mark.parametrize(
    "text", [LURE, f"\\{LURE}", f"\\\\{LURE}", f"[[{LURE}]](x)", LURE.replace("](", f"]{UNSEEN}(")]
)
def test_no_link_hides_where_it_leads(text: str) -> None:
    for shown in (honest(text), label(text)):
        assert "](" not in shown
        assert not set(UNSEEN) & set(shown)


def test_a_name_is_one_line_without_markup() -> None:
    assert label("Wren\n# **loud** ||x||") == "Wren # \\*\\*loud\\*\\* \\|\\|x\\|\\|"
    assert label("Bot-1") == "Bot-1"


def test_what_an_agent_wrote_lures_nobody_wherever_it_is_shown() -> None:
    bad = LURE + UNSEEN
    one = replace(agent(1, name="Wren"), name=bad, prompt=bad)
    place = replace(room(1), topic=bad, billboard=bad)
    seen = view(agents=[one], rooms=[RoomView(room=place, members=(AgentId(1),))])
    beat = Beat(id=BeatId(1), agent_id=AgentId(1), at=START, reason=ReasonKind.ADDRESSED, thoughts=bad, outcome=(bad,))
    file = discord.File(
        io.BytesIO(b"png"), filename="a.png", description=alt_text(UNSEEN, [Bar(label=UNSEEN, share=1, note=UNSEEN)])
    )
    shown = Shown(model=ScriptedModel(), feedback={}, last=beat, is_manager=True, face="https://cdn.example/a.png")
    card = agent_card(seen, AgentId(1), START, shown, file)
    said = message(1, bad)
    texts = [
        str(card.to_components()),  # type: ignore[no-untyped-call]
        str(room_card(seen, AgentId(1), START, str).to_dict()),
        *agent_list(seen, {}, START),
        *member_lines(seen, AgentId(1), {}, START),
        why(beat, {}),
        beat_line(beat, ScriptedModel(), {}),
        message_line(5, seen, place, said, bad),
    ]
    for text in texts:
        assert "](https://evil" not in text
        assert "](<https://evil" not in text
        assert not set(UNSEEN) & set(text)


def test_a_message_that_is_a_file_is_listed_with_its_name() -> None:
    place = room(1)
    seen = view(agents=[agent(1, name="Wren")], rooms=[RoomView(room=place, members=(AgentId(1),))])
    file = Attachment(name="poem.txt", media_type="text/plain", size_bytes=4, url="https://cdn.example/poem.txt")
    sent = replace(message(1, ""), attachments=(file,))
    assert "in Wren: 📎 poem.txt [" in message_line(5, seen, place, sent, sent.content)


def test_rooms_keys_and_beats_are_told_in_words_with_links_and_names() -> None:
    one, guest = agent(1, name="Wren"), agent(2, name="Fern")
    place = replace(room(1, channel_id=70), access=Access.KNOCK)
    seen = view(agents=[one, guest], rooms=[RoomView(room=place, members=(AgentId(1),))])
    key = AccessKey(
        id=KeyId(1),
        room_id=AgentId(1),
        label="door",
        ciphertext=b"",
        digest=b"",
        created_at=START,
        held_by=(AgentId(2),),
    )
    card = room_card(seen, AgentId(1), START, str)
    assert card.fields[0].value == "Agents knock with a key; everyone on the server sees it."
    assert card.footer.text == "ID 1 · 0 knocks at the door"
    assert "held by Fern" in key_line(key, "secret", seen)
    held = Letter(
        id=LetterId(4),
        community_id=CommunityId(1),
        room_id=AgentId(1),
        kind=LetterKind.POST,
        payload={},
        not_before=START,
        created_at=START,
    )
    assert held_line(held, "a word", seen) == "**4**: to be said in <#70>: a word"
    beat = Beat(id=BeatId(1), agent_id=AgentId(1), at=START, reason=ReasonKind.AMBIENT)
    assert "something was said where it listens; " in beat_line(beat, ScriptedModel(), {})
