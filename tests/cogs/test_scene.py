"""What `/scene` tells of rooms that whoever asks may not read: nothing; and what pressing on a board does."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import discord
import pytest
from discord import app_commands

from bot.client import SelfroomClient
from bot.core.actions import Play, TakeSeat
from bot.core.errors import NotFound, Rejected
from bot.core.records import AgentId, CommunityId, SceneId
from bot.core.scenes.chat import CHAT, ChatOptions
from bot.core.scenes.council.moves import CHOICES, Vote
from bot.core.scenes.kind import RULES, Form
from bot.core.scenes.play import Rule
from bot.core.scenes.records import Scene, SceneStatus
from bot.core.scenes.registry import KINDS
from bot.core.scenes.showing import ShownMove, Turn, shown_at, shown_move
from bot.core.scenes.village.moves import Give, Whisper
from bot.engine.performer import Outcome
from cogs.scene import SceneCog, naming, playing
from cogs.ui import rights, scenes
from cogs.ui.patience import Patience
from cogs.ui.scenes import seat_view, seen
from cogs.ui.seats import Seats, seat_text
from tests.core.scenes.plays import of
from tests.engine.theatre import MIRA


async def test_stats_count_scenes_of_rooms_that_one_may_read(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    async def all_(_: object) -> list[Any]:
        return [SimpleNamespace(room_id=AgentId(number)) for number in (1, 2)]

    async def fared(_: object, rooms: object) -> tuple[list[Any], dict[AgentId, str]]:
        asked.append(rooms)
        return [], {}

    async def names(_: object) -> dict[AgentId, tuple[str, int]]:
        return {AgentId(number): (f"Agent {number}", 100 + number) for number in (1, 2)}

    async def done(*_: object, **__: object) -> None:
        """Nobody waits for an answer."""

    client = SelfroomClient()
    parts: dict[str, Any] = {"scenes": SimpleNamespace(all=all_, fared=fared), "agents": SimpleNamespace(names=names)}
    client.desk = cast("Any", SimpleNamespace(**parts, providers=SimpleNamespace(coin=done)))
    cog = SceneCog(client)
    monkeypatch.setattr(playing, "wait", done)
    monkeypatch.setattr(naming, "may_read", lambda _, channel_id: channel_id == 101)
    monkeypatch.setattr(SceneCog, "list_out", done)
    await cast("Any", SceneCog.stats).callback(cog, SimpleNamespace(client=client, guild_id=1))
    assert asked == [{AgentId(1)}]


class Played:
    """As much of a desk as a press on a scene looks at; its room is one that somebody may read, or not."""

    def __init__(self) -> None:
        self.scenes = self.rooms = self

    async def find(self, _: object, scene_id: int) -> Any:  # noqa: ANN401
        return SimpleNamespace(id=scene_id, room_id=AgentId(1))

    async def place(self, _: object, room_id: AgentId) -> Any:  # noqa: ANN401
        return SimpleNamespace(channel_id=100 + room_id)


def press(user_id: int) -> Any:  # noqa: ANN401
    now = datetime(2026, 11, 20, tzinfo=UTC)
    client = SimpleNamespace(desk=Played())
    user, locale = SimpleNamespace(id=user_id), discord.Locale.american_english
    return SimpleNamespace(client=client, guild_id=1, user=user, locale=locale, created_at=now)


async def test_an_old_button_shows_nothing_to_who_may_read_the_room_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rights, "may_read", lambda interaction, channel_id: interaction.user.id == 7)
    assert (await seen(press(7), 3)).id == 3
    with pytest.raises(NotFound, match="no scene 3"):
        await seen(press(8), 3)


async def test_nobody_presses_the_buttons_of_scenes_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rights, "may_read", lambda *_: True)
    for _ in range(40):
        await seen(press(9), 3)
    with pytest.raises(app_commands.CommandOnCooldown):
        await seen(press(9), 3)
    await seen(press(10), 3)


async def test_of_agents_chosen_at_once_one_that_cannot_sit_keeps_none_of_the_others_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = list[str]()

    async def act(_: object, action: TakeSeat) -> str:
        if action.agent_id == 2:
            raise Rejected("Ledger is paused: resume it first.")
        return f"{action.agent_id} sits."

    async def tell(_: object, text: str, *__: object) -> None:
        said.append(text)

    async def defer(**_: object) -> None:
        """Nobody waits for an answer."""

    monkeypatch.setattr(rights, "may_read", lambda *_: True)
    monkeypatch.setattr(scenes, "act", act)
    monkeypatch.setattr(scenes, "tell", tell)
    chosen = press(11)
    chosen.data, chosen.response = {"values": ["1", "2", "3"]}, SimpleNamespace(defer=defer)
    await scenes.BoardButton(discord.ui.Button(custom_id="scene:agents:3:0"), "agents", 3).pressed(chosen)
    assert said == ["1 sits.\nLedger is paused: resume it first.\n3 sits."]


class Bench(Played):
    """A desk at which one seat is asked for what it may do, and moves."""

    def __init__(self, *moves: ShownMove) -> None:
        super().__init__()
        self.actions, self.moves, self.taken = self, moves, list[Play]()

    async def seat(self, *_: object) -> Turn:
        return replace(TURN, moves=self.moves)

    async def take(self, _: object, __: object, action: Play) -> Outcome:
        self.taken.append(action)
        return Outcome(action=action, accepted=True, result="Your move stands.")


KIND = KINDS["chat"]
SAY, YIELD = (shown_move(Form(KIND.moves[place])) for place in (0, 1))
TURN = Turn(
    scene_id=SceneId(3),
    window=2,
    kind=KIND,
    seat=2,
    names={1: "Ada", 2: "@mira"},
    phase="talking",
    awaited=(2,),
    away=(),
    dead=(),
    facts=(),
    private=(("Your brief", "You hide a letter."),),
    bars=(),
    picture={},
    lines=(),
    moves=(),
    deadline_at=None,
)


def at_the_board(*moves: ShownMove, message_id: int = 40, ephemeral: bool = False) -> Any:  # noqa: ANN401
    """Press something on a message: on the board, which everybody sees."""
    pressed = press(12)
    pressed.client.desk, pressed.client.person = Bench(*moves), lambda _: MIRA
    pressed.message = SimpleNamespace(id=message_id, flags=SimpleNamespace(ephemeral=ephemeral))
    pressed.channel, pressed.extras = SimpleNamespace(last_message_id=90), {}
    pressed.expires_at = pressed.created_at + timedelta(minutes=15)
    pressed.told, pressed.forms, pressed.edited = [], [], []

    async def send_message(text: str, *, view: Any = None, **_: object) -> None:  # noqa: ANN401
        pressed.told.append((text, [] if view is None else [getattr(one, "custom_id", "") for one in view.children]))

    async def send_modal(form: scenes.MoveForm) -> None:
        pressed.forms.append(form)

    async def defer(*, ephemeral: bool = False, thinking: bool = False) -> None:
        kinds = discord.InteractionResponseType
        pressed.response.type = kinds.deferred_channel_message if thinking else kinds.deferred_message_update
        pressed.edits = "an answer to who pressed alone" if thinking and ephemeral else "the message pressed on"

    async def edit_original_response(*, content: str, **_: object) -> Any:  # noqa: ANN401
        pressed.edited.append((pressed.edits, content))
        return SimpleNamespace(id=91)

    pressed.response = SimpleNamespace(
        send_message=send_message, send_modal=send_modal, defer=defer, is_done=lambda: False, type=None
    )
    pressed.edit_original_response = edit_original_response
    return pressed


@pytest.fixture
def readable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rights, "may_read", lambda *_: True)
    monkeypatch.setattr(scenes, "PRESSES", Patience(40, 60.0))
    monkeypatch.setattr(scenes, "SEATS", Seats())


ACT = scenes.BoardButton(discord.ui.Button(custom_id="scene:act:3:0"), "act", 3)


async def test_act_offers_what_may_be_done_now_and_nothing_of_what_the_seat_sees(readable: None) -> None:
    pressed = at_the_board(SAY, YIELD)
    await ACT.pressed(pressed)
    assert pressed.told == [
        ("**Chat 3**, seat 2 · talking\nIt is your turn.", ["form:3:2:say", "play:3:2:yield"]),
    ]


async def test_who_is_not_asked_is_told_so_at_act(readable: None) -> None:
    with pytest.raises(Rejected, match="You are not asked now"):
        await ACT.pressed(at_the_board())


async def test_act_opens_the_form_where_that_is_all_one_may_do_and_leaves_the_board_alone(readable: None) -> None:
    pressed = at_the_board(SAY)
    await ACT.pressed(pressed)
    [form] = pressed.forms
    sent = at_the_board(SAY)
    next(iter(form._fields.values()))._value = "It rains."
    await form.on_submit(sent)
    assert sent.client.desk.taken == [Play(scene_id=3, window=2, move="say", arguments={"text": "It rains."})]
    [(where, text)] = sent.edited
    assert where == "an answer to who pressed alone"
    assert "You hide a letter." in text


async def test_a_move_made_in_an_answer_is_answered_there(readable: None) -> None:
    sent = at_the_board(SAY, YIELD, message_id=70, ephemeral=True)
    await scenes.MoveButton(3, 2, "yield").pressed(sent)
    [(where, text)] = sent.edited
    assert where == "the message pressed on"
    assert "Your move stands." in text


async def test_who_is_away_finds_a_button_to_come_back_in_their_seat() -> None:
    talk = of(CHAT, ChatOptions(turns=9), 3)
    names = {1: "Wren", 2: "@mira", 3: "Bo"}

    def view() -> tuple[list[str], str]:
        scene = Scene(
            community_id=CommunityId(1),
            id=SceneId(7),
            kind="chat",
            version=CHAT.version,
            title="",
            room_id=AgentId(1),
            status=SceneStatus.RUNNING,
            started_by=MIRA.id,
            created_at=datetime(2026, 11, 20, tzinfo=UTC),
        )
        shown = shown_at(scene, talk.play, talk.standing, [], names, 2)
        offered = seat_view(shown)
        return [str(one.custom_id) for one in offered.children] if offered else [], seat_text(shown)  # type: ignore[attr-defined]

    assert view()[0] == []
    talk.enter(RULES, Rule.AWAY, {"seat": 2})
    pressed, told = view()
    assert pressed == ["scene:join:7:0"]
    assert told.endswith("You are away: it goes on without waiting for you until you come back.")
    talk.enter(RULES, Rule.BACK, {"seat": 2})
    assert view()[0] == []


async def test_a_form_lists_by_name_what_may_be_chosen_so_that_nobody_writes_numbers_into_it(readable: None) -> None:
    items = ("bread", "apples", "eggs", "berries", "wood")
    give = shown_move(Form(Give, {"seat": (1, 2), "item": items, "n": (1, 2, 3)}))
    [button] = scenes.seat_view(replace(TURN, moves=(give,))).children  # type: ignore[union-attr]
    assert button.custom_id == "form:3:2:give"  # type: ignore[union-attr]  # 30 ways to give are no list
    form = scenes.MoveForm(TURN, give)
    lists = {one.text: one.component for one in form.children if isinstance(one, discord.ui.Label)}
    labels = {name: [option.label for option in one.options] for name, one in lists.items()}  # type: ignore[attr-defined]
    assert labels == {"seat": ["1. Ada", "2. @mira"], "item": [*items], "n": ["1", "2", "3"]}
    assert [one.required for one in lists.values()] == [True, True, False]  # type: ignore[attr-defined]
    sent = at_the_board(give)
    for name, value in (("seat", "1"), ("item", "eggs")):
        lists[name]._values = [value]  # type: ignore[attr-defined]
    await form.on_submit(sent)
    assert [one.arguments for one in sent.client.desk.taken] == [{"seat": 1, "item": "eggs"}]


async def test_a_form_with_words_and_somebody_to_say_them_to_has_a_list_and_a_line(readable: None) -> None:
    whisper = shown_move(Form(Whisper, {"seat": (1,)}))
    form = scenes.MoveForm(TURN, whisper)
    whom, words = (one.component for one in form.children if isinstance(one, discord.ui.Label))
    assert isinstance(whom, discord.ui.Select)
    assert isinstance(words, discord.ui.TextInput)
    assert [(one.label, one.default) for one in whom.options] == [("1. Ada", True)]  # the only one is chosen already


async def test_a_vote_is_one_press_and_with_a_comment_a_form(readable: None) -> None:
    vote = shown_move(Form(Vote, {"choice": CHOICES}, about="on motion 1"))
    *_, last = buttons = scenes.seat_view(replace(TURN, moves=(vote,))).children  # type: ignore[union-attr]
    labels = [one.item.label for one in buttons]  # type: ignore[union-attr]
    votes = [f"vote on motion 1: {choice}" for choice in CHOICES]
    assert labels == [*votes, "vote on motion 1 + comment…"]
    assert last.custom_id == "form:3:2:vote"  # type: ignore[union-attr]
    form = scenes.MoveForm(TURN, vote)
    choice, comment = (one.component for one in form.children if isinstance(one, discord.ui.Label))
    assert isinstance(choice, discord.ui.Select)
    assert isinstance(comment, discord.ui.TextInput)
    sent = at_the_board(vote)
    choice._values, comment._value = ["no"], "Too late in the day."
    await form.on_submit(sent)
    assert [one.arguments for one in sent.client.desk.taken] == [{"choice": "no", "comment": "Too late in the day."}]


def test_a_list_of_several_choices_at_once_names_each() -> None:
    give = shown_move(Form(Give, {"seat": (1, 2), "item": ("bread",), "n": (1,)}))
    [chosen] = scenes.seat_view(replace(TURN, moves=(give,))).children  # type: ignore[union-attr]
    assert isinstance(chosen, discord.ui.DynamicItem)
    assert [one.label for one in chosen.item.options] == ["1. Ada: bread × 1", "2. @mira: bread × 1"]
