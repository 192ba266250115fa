import pytest

from bot.core.names import name_problem, tidied


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
        *("Clyde", "xclydex", "my discord bot", "DISCORD", "disc ord", "\u200b", "Sys\u200btem"),
    ],
)
def test_names_that_mislead_or_that_discord_refuses_are_not(name: str) -> None:
    assert name_problem(tidied(name)).endswith(".")


def test_a_name_is_taken_whatever_its_case() -> None:
    assert name_problem("ADA", ["Ada"]) == '"ADA" is taken: choose another name.'
    assert name_problem("Straße", ["STRASSE"]) != ""
    assert name_problem("Adah", ["Ada"]) == ""
