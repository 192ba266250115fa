"""What an action's ids stand for is said by their types; a definition that leaves it open is refused."""

from typing import Any, Literal

import pytest
from pydantic import create_model

from bot.core.actions import Action, Aim, Category, Need, ReadHistory, Reply
from bot.core.actions.definition import DEFINED, define
from bot.core.actions.fields import DiscordId, Id, MessageRef, RoomRef
from bot.core.records import AgentId

NAME = "poke"


def defined(*needs: Need, **parameters: Any) -> type[Action]:  # noqa: ANN401
    """Read the definition of an action with these parameters, which nobody else gets to see."""
    fields: dict[str, Any] = {"type": (Literal["poke"], NAME)} | {
        name: (kind, ...) for name, kind in parameters.items()
    }
    model: type[Action] = create_model("Poke", __base__=Action, **fields)
    try:
        return define(Category.SOCIAL, "Poke it.", *needs)(model)
    finally:
        DEFINED.pop(NAME, None)


@pytest.mark.parametrize("kind", [Id, DiscordId, Id | None, AgentId, AgentId | None, int])
def test_an_id_that_does_not_say_what_it_stands_for_is_refused(kind: object) -> None:
    with pytest.raises(TypeError, match="target_id is an id: say by its type what it stands for"):
        defined(target_id=kind)


def test_it_is_the_type_that_counts_and_not_the_name() -> None:
    with pytest.raises(TypeError, match="whom is an id"):
        defined(whom=Id)
    assert defined(whom=MessageRef | None).definition.aims == {"whom": Aim.MESSAGE}


@pytest.mark.parametrize("need", [Need.MEMBER, Need.MESSAGE, Need.NEIGHBOUR])
def test_what_permissions_ask_after_must_be_among_the_parameters(need: Need) -> None:
    with pytest.raises(TypeError, match=f"Poke needs {need} but is given no"):
        defined(need, text=str)


def test_what_names_the_room_is_asked_after_whatever_it_is_called() -> None:
    poke = defined(Need.MEMBER, where=RoomRef)
    assert list(poke.model_validate({"where": 7}).aimed_at(Aim.ROOM)) == [7]


def test_there_are_no_two_actions_of_one_name() -> None:
    fields: dict[str, Any] = {"type": (Literal["set"], "set")}
    model: type[Action] = create_model("Again", __base__=Action, **fields)
    with pytest.raises(TypeError, match="There are two actions set"):
        define(Category.SOCIAL, "Set it again.")(model)


def test_an_action_gives_what_it_is_aimed_at_and_nothing_that_was_left_out() -> None:
    reply = Reply(room_id=3, message_id=12, message="yes")
    assert list(reply.aimed_at(Aim.MESSAGE, Aim.ROOM)) == [3, 12]
    assert list(ReadHistory(room_id=3).aimed_at(Aim.POINT)) == []
