"""Sentences in the reader's language, and the texts that do not go through it yet: a list that only ever shrinks."""

import ast
import re
from collections.abc import Iterator
from functools import partial
from gettext import NullTranslations
from pathlib import Path

import discord
import pytest

from bot import languages
from bot.core.kinds import AgentType
from bot.core.records import AgentId
from bot.core.sentences import Sentence, stacked
from bot.core.view import RoomView
from bot.core.wording import counted
from bot.languages import command_path, spoken
from bot.languages.shown import speak_view
from cogs.room.company import room_card
from cogs.ui.forms import AgentForm, Draft, NewAgentForm
from cogs.ui.guide import front, matters
from tests.cogs.trees import commands_sent, paths, tree
from tests.factories import agent, room, view
from tests.fakes import START

ROOT = Path(__file__).parents[2]
TEXT = re.compile(r"[^\W\d_]{2,}[,:;]? [^\W\d_]{1,}")
NOT_YET = {
    "cogs/scene/directing.py": 2,
    "cogs/scene/naming.py": 2,
    "cogs/scene/playing.py": 5,
    "cogs/timeline/boards.py": 4,
    "cogs/timeline/looking.py": 8,
    "cogs/timeline/merging.py": 7,
    "cogs/ui/again.py": 1,
    "cogs/ui/beats.py": 1,
    "cogs/ui/cards.py": 1,
    "cogs/ui/landlord_table.py": 3,
    "cogs/ui/presets.py": 2,
    "cogs/ui/provider.py": 4,
    "cogs/ui/scene_choices.py": 1,
    "cogs/ui/scene_pictures.py": 1,
    "cogs/ui/scenes.py": 10,
    "cogs/ui/seats.py": 2,
    "cogs/ui/tree_picture.py": 2,
    "cogs/ui/trees.py": 27,
    "cogs/ui/village_map.py": 1,
    "cogs/ui/werewolf_ring.py": 4,
}
"""By file, how many texts of commands, buttons and forms are not sentences yet: a smaller number goes in here."""

REFUSALS_NOT_YET = 15


class Pseudo(NullTranslations):
    """A language in which every sentence stands in brackets."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, one: str, many: str, number: int) -> str:
        return f"⟦{one if number == 1 else many}⟧"

    def pgettext(self, context: str, message: str) -> str:
        return f"⟦{message}⟧"


@pytest.fixture
def pseudo(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(languages, "LANGUAGES", {"en-GB": "pseudo"})
    monkeypatch.setattr(languages, "_catalogue", lambda _: Pseudo())
    return "en-GB"


def test_a_sentence_is_said_in_german_with_its_values_and_plurals() -> None:
    no = Sentence("There is no agent {typed} here: give the name or the id of one that is.", typed="'Bo'")
    assert spoken(no, "de").startswith("Hier gibt es keinen Agenten 'Bo'")
    hush = Sentence("Agents are silent here for {minutes}.", minutes=counted(1, "minute"))
    assert spoken(hush, "de") == "Agenten schweigen hier für 1 Minute."
    assert spoken(Sentence("**{agents}**{note}", agents=counted(3, "agent"), note=""), "fr") == "**3 agents**"
    assert spoken(counted(3, "agent"), "ja") == "3 体"


def test_what_nobody_translated_stays_as_it_is() -> None:
    assert spoken("A plain text", "de") == "A plain text"
    assert spoken(Sentence("Nothing was found."), "fi") == "Nothing was found."
    assert spoken(Sentence("{name} hums.", name="Wren"), "de") == "Wren hums."
    assert type(spoken(Sentence("Page"), "en-US")) is str


def test_what_is_put_together_is_said_part_by_part() -> None:
    told = stacked(Sentence("Nothing was found."), "*", Sentence("Nothing yet."))
    assert spoken(told, "de") == "Nichts gefunden.\n*\nNoch nichts."


def test_no_words_are_said_as_none() -> None:
    """A catalogue keeps its own head under them."""
    assert [spoken(one, "de") for one in (Sentence(""), stacked(), Sentence.joined("", ""))] == ["", "", ""]


def test_a_command_is_named_as_it_reads() -> None:
    assert command_path("agent create", "de") == "agent erstellen"
    assert command_path("agent create", "en-US") == "agent create"


def test_buttons_and_lists_are_said_too_and_stay_within_discords_limits(pseudo: str) -> None:
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label=Sentence("Delete {agent}", agent="A" * 90)))
    view.add_item(
        discord.ui.Select(placeholder=Sentence("In whose room?"), options=[discord.SelectOption(label="Wren")])
    )
    speak_view(view, pseudo)
    button, select = view.children
    assert isinstance(button, discord.ui.Button) and isinstance(select, discord.ui.Select)
    assert button.label == f"⟦Delete {'A' * 90}⟧"[:80]
    assert (select.placeholder, select.options[0].label) == ("⟦In whose room?⟧", "Wren")


def test_forms_are_said_too_and_stay_within_discords_limits(pseudo: str) -> None:
    draft = Draft(name="A" * 50, prompt="", type=AgentType.PERSONA, agent_id=AgentId(1))
    for form in (AgentForm(draft, nobody), NewAgentForm(draft, ["gpt"], nobody)):
        speak_view(form, pseudo)
        titles = [form.title, *(one.text for one in form.walk_children() if isinstance(one, discord.ui.Label))]
        assert all(one.startswith("⟦") and len(one) <= 45 for one in titles)


async def nobody(*_: object) -> None:
    """Nobody takes what is filled in."""


def test_a_rooms_card_is_said_in_german() -> None:
    seen = view(agents=[agent(1, name="Wren")], rooms=[RoomView(room=room(1), members=(AgentId(1),))])
    card = room_card(seen, AgentId(1), START, partial(spoken, locale="de"))
    assert (card.title, card.description) == ("Raum von Wren", "Noch kein Thema.")
    assert [one.name for one in card.fields] == ["Zugang", "Tempo", "Mitglieder"]
    assert str(card.fields[0].value).startswith("Agenten klopfen mit einem Schlüssel an; ")


async def test_all_of_help_goes_through_the_readers_language(pseudo: str) -> None:
    commands = await tree()
    for line in front(commands, manages=True, locale=pseudo).splitlines():
        assert not line or line.startswith(("⟦", "`/⟦")), line
    for about, lines in matters(commands, manages=True, locale=pseudo).values():
        assert all(one.startswith("`/⟦") and one.endswith("⟧") for one in lines)
        assert about.startswith("⟦")


def texts(path: Path) -> Iterator[str]:
    """Give the texts of a file that people may be told and that are no sentence."""
    module = ast.parse(path.read_text())
    spared = {id(part) for node in ast.walk(module) if is_spared(node) for part in ast.walk(node)}
    for node in ast.walk(module):
        if id(node) in spared:
            continue
        if isinstance(node, ast.JoinedStr):
            words = " ".join(str(one.value) for one in node.values if isinstance(one, ast.Constant))
            spared |= {id(part) for part in ast.walk(node) if part is not node}
        else:
            words = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if TEXT.search(words):
            yield words


def is_spared(node: ast.AST) -> bool:
    """Tell what is no text for people, or is said otherwise: docstrings, sentences, groups, the log."""
    if isinstance(node, ast.keyword):
        return node.arg == "group_description"
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if not isinstance(node, ast.Call):
        return False
    called = ast.unparse(node.func)
    return called in ("Sentence", "Sentence.counted", "counted") or called.startswith(
        ("log.", "re.", "super().__init_")
    )


async def test_what_is_not_said_in_the_readers_language_yet_only_ever_becomes_less() -> None:
    names = paths(await commands_sent())  # which stand in buttons' ids, and are translated as commands are
    found = {
        path.relative_to(ROOT).as_posix(): sum(one not in names for one in texts(path))
        for path in (ROOT / "cogs").rglob("*.py")
    }
    assert {path: number for path, number in sorted(found.items()) if number} == NOT_YET


def refusals(path: Path) -> Iterator[ast.expr]:
    """Give what people are refused with in a file that is no sentence."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Raise(exc=ast.Call(func=ast.Name("Rejected" | "NotFound"), args=[said, *_])):
                if isinstance(said, ast.Constant | ast.JoinedStr):
                    yield said
            case _:
                pass


def test_ever_fewer_refusals_of_core_engine_and_storage_are_english_to_everybody() -> None:
    paths = [path for folder in ("bot/core", "bot/engine", "storage") for path in (ROOT / folder).rglob("*.py")]
    assert sum(len([*refusals(path)]) for path in paths) == REFUSALS_NOT_YET


def test_a_text_that_is_no_sentence_is_found(tmp_path: Path) -> None:
    file = tmp_path / "cog.py"
    file.write_text(
        '"""Not this one."""\nlog.info("nor this")\na = "This one"\nb = f"and {a} this one"\nc = Sentence("But not")'
    )
    assert [*texts(file)] == ["This one", "and   this one"]
