import pytest

from bot.core.names import file_name, name_problem, tidied


@pytest.mark.parametrize(
    "name", ["Ada", "Dr. O'Neill-Sørensen", "李雷", "R2-D2", "x", "A" * 50, "The Gardener 🌱", "Architect", "Systema"]
)
def test_good_names_are_taken(name: str) -> None:
    assert name_problem(tidied(name)) == ""


@pytest.mark.parametrize("name", ["Architect", "Systema", "Здесь", "Ηλέκτρα"])
def test_names_that_only_resemble_a_reserved_one_are_taken(name: str) -> None:
    assert name_problem(name) == ""


@pytest.mark.parametrize(
    "name",
    [
        *("", "   ", "A" * 51, "two\nlines", "tab\there", "@ada", "#ada", "a:b", "`ada`", "12", "  7 ", "١٢"),
        *("System", "system", "SYSTEM", "The Architect", "the  architect", "here", "Everyone", "ｓystem"),
        *(
            "The Arсhitect",
            "Тhe Architect",
            "The-Architect",
            "The Architect (@mira)",
            "Thе Аrсhіtесt",
            "The Arch1tect!",
        ),
        *("Sуstem", "Неre", "[System]", "Syst3m"),
        *("Wren (your own room)", "Wren（your own room）", "Ada [seed]", "\u3164", "\u2800", "\u115f \u1160"),
        *("Clyde", "xclydex", "my discord bot", "DISCORD", "disc ord", "\u200b", "Sys\u200btem"),
    ],
)
def test_names_that_mislead_or_that_discord_refuses_are_not(name: str) -> None:
    assert name_problem(tidied(name)).endswith(".")


def test_a_name_is_taken_whatever_its_case() -> None:
    assert name_problem("ADA", ["Ada"]) == '"ADA" is taken: choose another name.'
    assert name_problem("Straße", ["STRASSE"]) != ""
    assert name_problem("Adah", ["Ada"]) == ""


@pytest.mark.parametrize("name", ["Аdа", "Áda", "A d a", "Ada\u3164", "\uffa0Ada", "Ada\u2800", "A.d.a!", "4da"])
def test_a_name_is_taken_by_one_that_looks_like_it(name: str) -> None:
    name = tidied(name)
    assert name_problem(name, ["Ada"]) == f'"{name}" is taken: choose another name.'
    assert name_problem("Ada", [name]) == '"Ada" is taken: choose another name.'


@pytest.mark.parametrize(
    ("name", "other"), [("Bot-1", "Bot-2"), ("राम", "रम"), ("กิน", "กัน"), ("かい", "がい"), ("🌱", "🌿"), ("김", "강")]
)
def test_names_that_only_begin_alike_are_two(name: str, other: str) -> None:
    assert name_problem(name, [other]) == ""


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("notes.md", "notes.md"),
        ("../../etc/passwd", "passwd.txt"),
        ("C:\\temp\\run.exe", "run.exe.txt"),
        (".env", "env.txt"),
        ("a<b>|c.JSON", "a_b__c.JSON"),
        ("Überblick 2026.csv", "Überblick 2026.csv"),
        ("///", "file.txt"),
        ("x" * 100 + ".py", "x" * 60 + ".py"),
    ],
)
def test_a_files_name_is_that_of_a_text_on_any_machine(given: str, name: str) -> None:
    assert file_name(given) == name
