"""Other villages that look the same to a seat: who is what, what the wolves, the seer and the witch did."""

from bot.core.scenes.kind import Chance, Seat, State
from bot.core.scenes.werewolf.state import MOST_DAYS, Werewolf
from bot.core.scenes.werewolf.village import Cause, Role


def hidden(state: State, seat: Seat, chance: Chance) -> Werewolf:
    """Deal anew among those of whom the seat knows no difference, and do other things where it does not look."""
    assert isinstance(state, Werewolf)
    mine = state.roles.get(seat)
    update: dict[str, object] = {"roles": _dealt(state, seat, chance)}
    anybody = tuple(state.roles)
    if mine is not Role.WOLF or seat not in state.alive:
        update["kills"] = {one: anybody[chance.below(f"kill {one}", len(anybody))] for one in state.kills}
    if mine is not Role.WOLF:
        update["packs"] = {one: chance.below(f"pack {one}", 3) for one in anybody}
    if mine is not Role.SEER:
        seen = [one for one in anybody if chance.below(f"seen {one}", 2)]
        update["inspected"] = tuple((1, one) for one in seen[:MOST_DAYS])  # one a day
    if mine is not Role.WITCH:
        update |= {"healed_in": chance.below("heal", 2), "poisoned_in": chance.below("poison", 2)}
        if state.phase == "late night":
            update["victim"] = state.alive[chance.below("victim", len(state.alive))]
    hows = {Cause.KILLED: Cause.POISONED, Cause.POISONED: Cause.KILLED}
    update["deaths"] = tuple(
        one
        if one.cause not in hows or state.roles[one.seat] is Role.HUNTER
        else one.model_copy(update={"cause": hows[one.cause]})
        for one in state.deaths
    )
    return state.model_copy(update=update)


def _dealt(state: Werewolf, seat: Seat, chance: Chance) -> dict[Seat, Role]:
    """Shuffle the roles within each group of seats that are alike to the seat."""
    groups: dict[object, list[Seat]] = {}
    for one in state.roles:
        groups.setdefault(_known(state, seat, one), []).append(one)
    dealt: dict[Seat, Role] = {}
    for known, members in groups.items():
        order = chance.shuffled(f"dealt {known}", members)
        dealt |= {one: state.roles[other] for one, other in zip(members, order, strict=True)}
    return dict(sorted(dealt.items()))


def _known(state: Werewolf, seat: Seat, one: Seat) -> object:
    """Give what a seat knows of another one."""
    role, dead = state.roles[one], {death.seat for death in state.deaths}
    if one == seat:
        return "myself"
    if role is Role.HUNTER and one in dead:
        return "hunter"  # told when it may shoot
    if state.terms.reveal_roles and one in dead:
        return role
    mine = state.roles.get(seat)
    if mine is Role.WOLF:
        return role is Role.WOLF
    if mine is Role.SEER and one in {whom for _, whom in state.inspected}:
        return f"seen {role is Role.WOLF}"
    return "anybody"
