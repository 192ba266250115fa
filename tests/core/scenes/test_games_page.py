"""The page of games says what the kinds say, and every rulebook is short enough for a prompt."""

import pytest

from bot.core.hud.turn import rules_of
from bot.core.scenes.kind import SceneKind
from bot.core.scenes.landlord.cards import MOST_OF_A_RANK
from bot.core.scenes.landlord.combinations import LEAST_BOMB, SHORTEST_PAIR_RUN, SHORTEST_PLANE, SHORTEST_STRAIGHT
from bot.core.scenes.landlord.kind import LANDLORD
from bot.core.scenes.landlord.plays import SUGGESTED_AT_MOST
from bot.core.scenes.landlord.table import DEALS_AT_MOST
from bot.core.scenes.registry import KINDS
from bot.core.scenes.village import bodies
from bot.core.scenes.village.goals import GoalProgress, score
from bot.core.scenes.village.ground import SIDE
from bot.core.scenes.village.kind import VILLAGE
from bot.core.scenes.village.paths import POINTS
from bot.core.scenes.village.state import WORDS_A_TURN
from bot.core.scenes.village.world import DAWN, HEARD_WITHIN, NIGHT, SIGHT, SIGHT_AT_NIGHT
from bot.core.scenes.werewolf import state as werewolf
from bot.core.scenes.werewolf.kind import WEREWOLF
from bot.core.scenes.werewolf.moves import LONGEST_LAST, LONGEST_SAID
from bot.tokens import tokenizer_for
from tests.core.scenes.games_page import PAGE, drawn

LONGEST_RULES = 900  # tokens
ONES = {1: "One", 5: "Five", 12: "twelve", 16: "sixteen"}
OFTEN = {1: "once", 2: "twice"}
NTH = {2: "second", 3: "third"}
EVENING = max(hour for hour in NIGHT if hour - 1 not in NIGHT and hour)  # when it begins

ALIVE, GOAL, MET = (
    score(alive=alive, deeds=deeds)
    for alive, deeds in ((True, GoalProgress()), (False, GoalProgress(goal_met=True)), (False, GoalProgress(met=(1,))))
)
NUMBERS = {
    "werewolf": (
        f"{ONES[WEREWOLF.seats[0]]} to {ONES[WEREWOLF.seats[1]]} sit in a village",
        f"say something to each other {OFTEN[werewolf.PACKS_A_NIGHT]} (",
        f"a tie is drawn | {werewolf.NIGHT_SECONDS} seconds |",
        f"one a night | {werewolf.LATE_SECONDS} seconds |",
        f"last {werewolf.NIGHT_LEAST} and {werewolf.LATE_LEAST} seconds, or twice or three times that",
        f"take somebody along within {werewolf.SHOT_SECONDS} seconds",
        f"all vote at once within {werewolf.BALLOT_SECONDS} seconds",
        f"({LONGEST_LAST} words, {werewolf.WORDS_SECONDS} seconds)",
        f"speaks once ({LONGEST_SAID} words)",
        f"After day {werewolf.MOST_DAYS} nobody has won",
    ),
    "landlord": (
        f"when all pass in a {NTH[DEALS_AT_MOST]} deal too",
        f"straight | {SHORTEST_STRAIGHT} ranks or more",
        f"pair run | {SHORTEST_PAIR_RUN} pairs or more",
        f"plane | {SHORTEST_PLANE} triples or more",
        f"bomb | {LEAST_BOMB} of a rank, with two decks {LEAST_BOMB} to {MOST_OF_A_RANK}",
        f"up to {LANDLORD.options.model_fields['cap'].default:,}. The landlord",
        f"up to {SUGGESTED_AT_MOST} plays in a list",
    ),
    "village": (
        f"{ONES[VILLAGE.seats[0]]} to {ONES[VILLAGE.seats[1]]} live in a village",
        f"{SIDE} columns and {SIDE} rows",
        f"At each dawn ({DAWN}:00)",
        f"look once and speak {OFTEN[WORDS_A_TURN]}",
        f"`move` | Go up to {POINTS} points",
        f"`walk` | Go up to {POINTS} points",
        f"It is {POINTS} points long at most",
        f"`eat` | Eat food of yours: each piece takes {bodies.EATEN} hunger away.",
        f"`rest` | Rest: {bodies.RESTED} energy, in a building {bodies.RESTED_INSIDE}.",
        f"`talk` | Say something: who is within {HEARD_WITHIN} steps hears it.",
        f"`look` | Look at every tile within {SIGHT} steps.",
        f"You carry {bodies.CARRIED} things at most",
        f"Hunger begins at 0 and rises by {bodies.HUNGER_A_ROUND} an hour, to {bodies.MOST} at most",
        f"Energy begins at {bodies.MOST}; each hour takes {bodies.ENERGY_A_ROUND} of it",
        f"at hunger {bodies.MOST} each hour takes {bodies.STARVING_A_ROUND} more",
        f"not asked until you have {bodies.AWAKE_FROM}",
        f"what places have, within {SIGHT} steps",
        f"Who is at most {HEARD_WITHIN} steps away hears",
        f"You score {ALIVE} for being alive, {GOAL} for your goal, and {MET} for each",
        f"whether one sees {SIGHT_AT_NIGHT} tiles far instead of {SIGHT} from {EVENING}:00 to {DAWN}:00",
        f"whether {bodies.STARVED_ROUNDS} hours in a row at hunger {bodies.MOST} kill",
    ),
}
"""What stands between the tables, with the numbers of the rules in it."""


def test_the_tables_on_the_page_are_those_of_the_kinds() -> None:
    page = PAGE.read_text()
    assert drawn(page) == page, "python -m tests.cogs.pages writes them anew"


@pytest.mark.parametrize("kind", NUMBERS)
def test_what_stands_between_the_tables_has_the_numbers_of_the_rules(kind: str) -> None:
    """So that whoever changes a rule changes what people read of it, here and in the moves' own hints."""
    page = " ".join(PAGE.read_text().split())
    assert [told for told in NUMBERS[kind] if told not in page] == []


def test_the_rules_that_villagers_read_have_the_same_numbers() -> None:
    for told in (
        f"brings {bodies.HUNGER_A_ROUND} hunger and takes {bodies.ENERGY_A_ROUND} energy, each point walked 1",
        f"at hunger {bodies.MOST} each hour takes {bodies.STARVING_A_ROUND} more",
        f"until you have {bodies.AWAKE_FROM}",
        f"carry {bodies.CARRIED} things and see {SIGHT} tiles far",
        f"score: {ALIVE} alive, {GOAL} for the goal, {MET} for each one met and each one given something",
        f"look once and speak {OFTEN[WORDS_A_TURN]}",
    ):
        assert told in VILLAGE.rules, told


def test_a_table_that_says_something_else_is_written_anew_and_one_that_lacks_is_told() -> None:
    page = PAGE.read_text()
    assert drawn(page.replace("| 12–16 | 4 |", "| 12–16 | 5 |")) == page
    with pytest.raises(ValueError, match="no table on the page"):
        drawn(page.replace("| players | wolves |", "| people | wolves |"))


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
@pytest.mark.parametrize("emotions", [False, True])
def test_rules_moves_and_answer_of_every_kind_fit_into_a_prompt(kind: SceneKind, emotions: bool) -> None:
    assert tokenizer_for("gpt-4o-mini").count(rules_of(kind, emotions=emotions)) <= LONGEST_RULES
