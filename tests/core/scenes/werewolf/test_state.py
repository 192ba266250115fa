"""Nights and days of werewolf against a referee that was written beside it, draws, and who hears what."""

from collections import Counter
from itertools import product

from bot.core.records import Json
from bot.core.scenes.kind import RULES, Expect, Wait
from bot.core.scenes.play import Rule
from bot.core.scenes.werewolf.kind import WEREWOLF, WerewolfOptions
from bot.core.scenes.werewolf.state import Werewolf
from bot.core.scenes.werewolf.village import Role
from tests.core.scenes.plays import Playing, of


def dealt(roles: str, **options: Json) -> Playing:
    """Begin a game in which seat 1 is what the first letter says, and so on."""
    words = {"w": Role.WOLF, "s": Role.SEER, "i": Role.WITCH, "h": Role.HUNTER, "v": Role.VILLAGER}
    playing = of(WEREWOLF, WerewolfOptions.model_validate(options), max(5, len(roles)))
    given = {seat: words[letter] for seat, letter in enumerate(roles, 1)}
    state = playing.standing.state
    assert isinstance(state, Werewolf)
    seats = tuple(given)
    fixed = state.model_copy(update={"roles": given, "seats": seats, "alive": seats})
    object.__setattr__(playing.standing, "state", fixed)
    playing.standing.__dict__.pop("awaits", None)
    return playing


def state_of(playing: Playing) -> Werewolf:
    state = playing.standing.state
    assert isinstance(state, Werewolf)
    return state


def close(playing: Playing) -> None:
    """Let the time of a window or a wait pass."""
    playing.enter(RULES, Rule.CLOSE if playing.standing.is_complete else Rule.DEADLINE)


def night(playing: Playing, *, kills: dict[int, int], brew: tuple[str, int] = ("wait", 0), sees: int = 0) -> None:
    """Play a night."""
    for seat in playing.standing.open_seats:
        role = state_of(playing).roles[seat]
        if role is Role.WOLF and seat in kills:
            playing.move(seat, "kill", seat=kills[seat])
        if role is Role.SEER and sees:
            playing.move(seat, "inspect", seat=sees)
    close(playing)
    if state_of(playing).phase == "late night":
        for seat in playing.standing.open_seats:
            playing.move(seat, brew[0], **({"seat": brew[1]} if brew[1] else {}))
        close(playing)


def day(playing: Playing, votes: dict[int, int]) -> None:
    """Let everybody be silent, and vote."""
    while state_of(playing).phase == "talk":
        playing.move(state_of(playing).speakers[0], "silence")
    for seat in playing.standing.open_seats:
        playing.move(seat, "vote", seat=votes.get(seat, 0))


def test_every_night_of_two_wolves_and_a_witch_ends_as_the_referee_says() -> None:
    """Two wolves at five seats and nobody, a witch who heals, poisons or waits: all of it, from the first night on."""
    targets, brews = (0, 3, 4, 5, 6), [("wait", 0), ("heal", 0), *(("poison", seat) for seat in (1, 2, 3, 5, 6))]
    for first, second, brew in product(targets, targets, brews):
        playing = dealt("wwsivvv", first_night_kill=True)
        if brew[0] == "heal" and not (first or second):
            continue
        legal = {first, second}
        night_one = dealt("wwsivvv", first_night_kill=True)
        for seat, whom in ((1, first), (2, second)):
            night_one.move(seat, "kill", seat=whom)
        close(night_one)
        victim = state_of(night_one).victim
        assert victim in legal
        names = {form.move.name for form in state_of(night_one).legal(4)}
        assert names == {"poison", "wait"} | ({"heal"} if victim else set())
        if brew[0] == "heal" and not victim:
            continue
        night(playing, kills={1: first, 2: second}, brew=brew)
        dead = {victim} - {0} if brew[0] != "heal" else set()
        dead |= {brew[1]} - {0}
        assert set(state_of(playing).alive) == set(range(1, 8)) - dead, (first, second, brew)
        told = next(one.text or "" for one in reversed(playing.events) if one.kind == "dawn")
        assert told.endswith(" and ".join(f"{{s{seat}}}" for seat in sorted(dead)) + "." if dead else "nobody.")


def test_a_tie_of_the_pack_is_drawn_by_the_seed_and_both_come_up() -> None:
    drawn = Counter(tied(str(seed)) for seed in range(60))
    assert set(drawn) == {4, 5}
    assert min(drawn.values()) > 15
    assert tied("7") == tied("7")


def tied(seed: str) -> int:
    """Give whom two wolves that disagree kill."""
    playing = dealt("wwsvvvv", first_night_kill=True)
    object.__setattr__(playing.play, "seed", seed)
    playing.move(1, "kill", seat=4)
    playing.move(2, "kill", seat=5)
    close(playing)
    return next(iter({4, 5} - set(state_of(playing).alive)))


def test_the_seer_is_told_at_once_and_nobody_else_ever() -> None:
    playing = dealt("wsvvv")
    playing.move(2, "inspect", seat=1)
    told = [one for one in playing.events if one.kind == "inspected"]
    assert [(one.text, one.audience) for one in told] == [("{s1} is a wolf.", (2,))]
    close(playing)
    assert ("You saw", "{s1} a wolf") in state_of(playing).view(2).private
    assert all("saw" not in name for seat in (0, 1, 3) for name, _ in state_of(playing).view(seat).private)


def test_the_pack_speaks_at_once_twice_at_most_and_only_wolves_hear_it() -> None:
    playing = dealt("wwsvvvv")
    window = playing.standing.window
    for _ in range(2):
        playing.move(1, "pack", text="We take the baker.")
    assert playing.standing.window == window
    assert [one.audience for one in playing.events if one.kind == "pack"] == [(1, 2), (1, 2)]
    assert {form.move.name for form in state_of(playing).legal(1)} == {"kill"}
    assert {form.move.name for form in state_of(playing).legal(2)} == {"pack", "kill"}
    left = state_of(playing).model_copy(update={"alive": (2, 3, 4, 5, 6, 7)})
    assert {form.move.name for form in left.legal(2)} == {"kill"}  # whom should one who is alone say something to


def test_nobody_dies_in_the_first_night_unless_that_was_agreed_on() -> None:
    playing = dealt("wsvvv")
    assert [form.values for form in state_of(playing).legal(1)] == [{"seat": (0,)}]
    night(playing, kills={1: 0})
    assert state_of(playing).alive == (1, 2, 3, 4, 5)


def test_the_witch_saves_herself_only_in_the_first_night_of_killing() -> None:
    for first, nights in ((True, 1), (False, 2)):
        playing = dealt("wwivvvv", first_night_kill=first)
        if nights == 2:
            night(playing, kills={1: 0, 2: 0})
            day(playing, {})
        for seat in (1, 2):
            playing.move(seat, "kill", seat=3)
        close(playing)
        assert "heal" in {form.move.name for form in state_of(playing).legal(3)}
        playing.move(3, "heal")
        close(playing)
        day(playing, {})
        for seat in (1, 2):
            playing.move(seat, "kill", seat=3)
        close(playing)
        assert "heal" not in {form.move.name for form in state_of(playing).legal(3)}


def test_a_hunter_who_is_killed_or_hanged_shoots_before_anything_is_decided_and_a_poisoned_one_does_not() -> None:
    playing = dealt("wwhvvvvsi", first_night_kill=True)
    night(playing, kills={1: 3, 2: 3})
    assert state_of(playing).phase == "shot"
    playing.move(3, "shoot", seat=1)
    assert state_of(playing).alive == (2, 4, 5, 6, 7, 8, 9)
    assert state_of(playing).phase == "talk"
    playing = dealt("wwhvvvvsi", first_night_kill=True)
    night(playing, kills={1: 4, 2: 4}, brew=("poison", 3))
    assert state_of(playing).phase == "talk"
    assert state_of(playing).alive == (1, 2, 5, 6, 7, 8, 9)
    playing = dealt("whvv", first_night_kill=False)
    night(playing, kills={1: 0})
    day(playing, {1: 2, 3: 2, 4: 2})
    assert state_of(playing).phase == "shot"  # as many wolves as others, were it not for the shot
    playing.move(2, "shoot", seat=1)
    assert state_of(playing).won == "village"


def test_a_hanged_one_has_last_words_and_the_dead_of_the_night_have_none() -> None:
    playing = dealt("wsvvv")
    night(playing, kills={1: 0})
    day(playing, {1: 3, 2: 3, 4: 3})
    assert state_of(playing).phase == "last words"
    assert playing.standing.open_seats == (3,)
    playing.move(3, "last_words", text="It was not me.")
    night(playing, kills={1: 4})
    assert state_of(playing).won == "" or state_of(playing).phase != "last words"


def test_a_tie_hangs_nobody_and_the_ballot_is_told_all_at_once() -> None:
    playing = dealt("wsvvv")
    night(playing, kills={1: 0})
    before = len(playing.events)
    day(playing, {1: 2, 2: 1, 3: 1, 4: 2})
    told = [one.text or "" for one in playing.events[before:] if one.kind == "ballot"]
    assert len(told) == 1
    assert "Nobody is hanged" in told[0]
    assert state_of(playing).alive == (1, 2, 3, 4, 5)


def test_everybody_speaks_once_a_day_one_seat_later_each_day() -> None:
    playing = dealt("wsvvv")
    for first in (1, 2, 3):
        night(playing, kills={1: 0})
        seats = (*range(first, 6), *range(1, first))
        assert state_of(playing).speakers == seats
        day(playing, {})
    rounds = dealt("wsvvv", talk_rounds=2, talk_drawn=True)
    night(rounds, kills={1: 0})
    assert Counter(state_of(rounds).speakers) == Counter({seat: 2 for seat in range(1, 6)})


def test_after_the_last_day_nobody_has_won() -> None:
    playing = dealt("wsvvv", days=2)
    for _ in range(2):
        night(playing, kills={1: 0})
        day(playing, {})
    assert playing.is_over
    assert playing.outcome.startswith("Nobody has won on day 2.")


def test_the_dead_are_shown_only_where_that_was_agreed_on() -> None:
    for shown in (False, True):
        playing = dealt("wsvvv", reveal_roles=shown, first_night_kill=True)
        night(playing, kills={1: 2})
        public = " ".join(told for _, told in state_of(playing).view(0).facts)
        assert ("{s2} (seer)" in public) is shown


def test_in_a_night_nobody_is_seen_awaited_and_it_has_a_least_length() -> None:
    playing = dealt("wsvvv")
    awaits = playing.standing.awaits
    assert isinstance(awaits, Expect)
    assert (awaits.agent_seconds, awaits.person_seconds, awaits.least_seconds, awaits.unseen) == (90, 90, 30, True)
    assert all(state_of(playing).view(seat).awaited == () for seat in range(6))
    late = dealt("wwsivvv")
    night_moves = {1: 0, 2: 0}
    for seat, whom in night_moves.items():
        late.move(seat, "kill", seat=whom)
    close(late)
    awaits = late.standing.awaits
    assert isinstance(awaits, Expect)
    assert (awaits.agent_seconds, awaits.least_seconds) == (45, 15)
    gone = state_of(late).model_copy(update={"alive": (1, 2, 3, 5, 6, 7)})
    assert gone.next() == Wait(seconds=15, agent_seconds=1)  # though the witch is dead


def moderated(**options: Json) -> Playing:
    """Begin a game whose seat 1 moderates, and let the first night pass."""
    playing = of(WEREWOLF, WerewolfOptions.model_validate({"talk_moderated": True, **options}), 7)
    while state_of(playing).phase != "talk":
        close(playing)
    return playing


def test_a_moderator_is_on_no_side_and_says_who_speaks_when() -> None:
    playing = moderated(talk_rounds=2)
    state = state_of(playing)
    assert set(state.roles) == set(state.alive) == {2, 3, 4, 5, 6, 7}
    assert playing.standing.open_seats == (1,)
    assert dict(state.view(1).private) == {"You are": "the moderator: on no side, and told no more than everybody"}
    playing.move(1, "schedule", seats=[5, 3, 1, 5, 99])
    assert state_of(playing).speakers == (5, 3, 2, 4, 6, 7, 5, 3, 2, 4, 6, 7)
    assert not state_of(playing).silenced(1)
    day(playing, {2: 3})
    assert state_of(playing).ended().results[1] == ("moderated", 0)
    assert all(1 not in (*form.values["seat"],) for form in state_of(playing).offers(2) if "seat" in form.values)


def test_a_moderator_who_names_nobody_is_asked_three_times_and_no_more() -> None:
    playing, asked = moderated(), 0
    for _ in range(5):
        if state_of(playing).arranging:
            asked += 1
            order = state_of(playing).speakers
            told = playing.move(1, "schedule", seats=[1])
            assert state_of(playing).speakers == order
            assert told == (["From now on everybody speaks in the order of seats."] if asked == 3 else [])
        day(playing, {})
        night(playing, kills={})
    assert asked == 3


def test_a_moderated_game_needs_five_players_beside_its_moderator() -> None:
    assert "seat one more" in WerewolfOptions(talk_moderated=True).refusal(5)
    assert WerewolfOptions(talk_moderated=True).refusal(6) == WerewolfOptions().refusal(5) == ""


def test_whoever_was_away_and_acts_at_night_is_back_only_by_day_for_else_all_would_know_who_was_asked() -> None:
    playing = dealt("wsvvvvv", first_night_kill=True)
    for seat in (1, 2):
        playing.enter(RULES, Rule.AWAY, {"seat": seat})
    told = [*playing.move(1, "kill", seat=3), *playing.move(2, "inspect", seat=1)]
    assert told == ["{s1} is a wolf."]
    assert playing.standing.state.away == (1, 2)
    close(playing)
    assert state_of(playing).alive == (1, 2, 4, 5, 6, 7)
    assert state_of(playing).phase == "talk"
    assert "{s4}" in str(playing.move(4, "silence"))
    while state_of(playing).phase == "talk":
        playing.move(state_of(playing).speakers[0], "silence")
    assert "{s1} is back." in playing.move(1, "vote", seat=2)
