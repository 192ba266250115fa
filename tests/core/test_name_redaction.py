"""What agents know, without a person who is to be forgotten."""

import json

from hypothesis import given
from hypothesis import strategies as some

from bot.core.name_redaction import NameRedactor
from bot.core.plan import with_lines, with_strategy
from bot.core.records import Feeling, Focus, Json, Plan
from tests.fakes import START

WORDS = some.sampled_from(["Dora", "dora likes tea", "@dora", "dorado", "tea", "Theodora", "fog"])
VALUES: some.SearchStrategy[Json] = some.recursive(
    WORDS | some.integers() | some.none(),
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


def test_what_stands_under_a_name_goes_and_the_rest_stays() -> None:
    known: dict[str, Json] = {
        "people": {"Dora": {"trust": 0.8}, "Ben": {"trust": 0.5, "note": "knows Dora"}},
        "notes": ["Dora likes tea", "fog on Mondays"],
    }
    assert NameRedactor(["dora"]).knowledge(known) == {"people": {"Ben": {"trust": 0.5}}, "notes": ["fog on Mondays"]}


def test_longer_words_that_begin_like_the_name_stay() -> None:
    assert NameRedactor(["Dora"]).knowledge({"fish": "dorado"}) == {"fish": "dorado"}


def test_a_longer_username_is_somebody_elses() -> None:
    alone = NameRedactor(["dora"], words=())
    kept = "@dora.b, @dorado, dora, me@dora and @Dora's"
    assert alone.replaced(kept) == "@dora.b, @dorado, dora, me@dora and @someone's"
    assert alone.replaced("@dora. people.@dora.trust") == "@someone. people.@someone.trust"


def test_a_focus_loses_only_what_names_them() -> None:
    focus = Focus(current_task="write to Dora", notes=("Dora called", "tea at five"))
    assert NameRedactor(["Dora"]).focus(focus) == Focus(notes=("tea at five",))


def test_a_plan_and_feelings_lose_only_what_names_them_and_numbers_stay_given() -> None:
    plan = with_lines(Plan(), "goals", ["[>] help Dora", "sell fish"])
    plan = with_strategy(with_lines(plan, "milestones", ["Dora smiles", "a boat"]), "ask Dora first")
    felt = (Feeling(emotion="joy", why="Dora came", at=START), Feeling(emotion="awe", why="fog", at=START))
    left = NameRedactor(["Dora"]).focus(Focus(plan=plan, feelings=felt))
    assert [one.text for one in (*left.plan.goals, *left.plan.milestones)] == ["sell fish", "a boat"]
    assert (left.plan.strategy, left.plan.current, left.plan.last_id) == ("", None, plan.last_id)
    assert left.feelings == felt[1:]


def test_without_a_name_nothing_goes() -> None:
    assert NameRedactor([]).knowledge({"a": "b"}) == {"a": "b"}


@given(some.dictionaries(WORDS, VALUES, max_size=5))
def test_no_name_is_left_anywhere(known: dict[str, Json]) -> None:
    forgotten = NameRedactor(["Dora", "dora likes tea"])
    left = forgotten.knowledge(known)
    assert not forgotten.found_in(json.dumps(left, ensure_ascii=False))
    assert forgotten.knowledge(left) == left


@given(
    username=some.from_regex(r"[a-z_]{2,8}", fullmatch=True),
    rest=some.from_regex(r"[ '\-][A-Za-z]{1,6}([ '\-][a-z]{1,4})?", fullmatch=True),
    before=some.sampled_from(["", "thanks ", "people.", "(", "\n"]),
    after=some.sampled_from(["", " is here", ", and", "'s", ".", "?"]),
    upper=some.booleans(),
)
def test_what_begins_somebody_elses_longer_name_is_theirs(
    username: str, rest: str, before: str, after: str, upper: bool
) -> None:
    other = username + rest
    alone = NameRedactor([username], words=(), others=[other.casefold(), "somebody"])
    written = other.upper() if upper else other
    theirs = f"{before}@{written}{after}"
    assert alone.replaced(theirs) == theirs
    assert not alone.found_in(theirs)
    assert alone.knowledge({theirs: 1}) == {theirs: 1}
    assert alone.replaced(f"{theirs} @{username}!") == f"{theirs} @someone!"
    assert alone.replaced(f"@{username}{rest}x") == f"@someone{rest}x"
