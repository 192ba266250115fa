"""Discord's markup becomes names."""

from types import SimpleNamespace
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.discord.wording import Names, names_in, readable

NAMES = Names(users={1: "mira"}, roles={2: "helpers"}, channels={3: "garden"})


def test_mentions_roles_and_channels_become_names() -> None:
    assert readable("<@1> and <@!1> of <@&2> in <#3>", NAMES) == "@mira and @mira of @helpers in #garden"


def test_what_nobody_knows_is_still_readable() -> None:
    assert readable("<@9> <@&9> <#9>", NAMES) == "@someone @a-role #a-channel"


def test_custom_emoji_show_their_names() -> None:
    assert readable("<:wave:77> <a:party_2:78>", NAMES) == ":wave: :party_2:"


def test_times_are_shown_in_utc() -> None:
    assert readable("<t:1763633482>", NAMES) == "2025-11-20 10:11 UTC"
    assert readable("<t:1763633482:t> <t:1763633482:d>", NAMES) == "10:11 UTC 2025-11-20"


def test_a_time_outside_the_calendar_stays_as_it_is() -> None:
    assert readable("<t:99999999999999999>", NAMES) == "<t:99999999999999999>"


def test_commands_show_as_people_type_them() -> None:
    assert readable("try </agent create:123>", NAMES) == "try /agent create"


def test_links_in_angle_brackets_and_comparisons_are_left_alone() -> None:
    text = "<https://example.org> 1 < 2 > 0 <@> <#x>"
    assert readable(text, NAMES) == text


@given(st.text() | st.text("<@!&#:at0123456789>/", max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    assert "<@1>" not in readable(text, NAMES)


def test_a_private_thread_that_is_linked_is_not_named_to_agents() -> None:
    def thread(id_: int, name: str, *, private: bool) -> SimpleNamespace:
        return SimpleNamespace(id=id_, name=name, is_private=lambda: private)

    threads = [thread(5, "the plot", private=True), thread(6, "the garden", private=False)]
    guild = SimpleNamespace(channels=[SimpleNamespace(id=4, name="lobby")], threads=threads, roles=[])
    said = SimpleNamespace(guild=guild, content="<#4> <#5> <#6>", mentions=[])
    assert readable(said.content, names_in(cast("Any", said))) == "#lobby #a-channel #the garden"
