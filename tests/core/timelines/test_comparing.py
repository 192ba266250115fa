"""Two worlds side by side."""

from dataclasses import replace

from bot.core.records import PUBLIC_SIDE, AgentId, Json
from bot.core.timelines.comparing import Sighting, common, compared, flat, tabled
from bot.core.timelines.records import NodeId
from tests.core.timelines.test_growth import node

WREN = AgentId(1)


def seen(id: int, *said: str, knows: dict[str, Json] | None = None, outcome: str = "") -> Sighting:
    return Sighting(
        node=node(id, 0, 1, outcome=outcome),
        said={"Wren's room": [("Wren", one) for one in said]},
        minds={(WREN, PUBLIC_SIDE): {"knowledge": knows or {}}},
        names={WREN: "Wren"},
    )


def test_what_is_only_in_one_and_what_is_otherwise_is_told_path_by_path() -> None:
    header, lines = compared(
        seen(7, "Yes.", "Go.", knows={"a": 1, "b": 2}),
        seen(9, "Yes.", "Stay.", knows={"a": 3, "c": 4}),
        "imaginary USD",
    )
    assert "Node 7 and node 9 differ in 1 line, 3 paths" in header
    assert "0.0000 imaginary USD and 0 tokens beside 0.0000 imaginary USD and 0 tokens." in header
    assert "The first line that differs is line 2 in Wren's room." in lines
    assert "  7: Wren: Go." in lines
    assert "  9: Wren: Stay." in lines
    assert "Wren `knowledge.a`: 1 → 3" in lines
    assert "Wren `knowledge.b`: only in 7: 2" in lines
    assert "Wren `knowledge.c`: only in 9: 4" in lines


def test_children_are_counted_by_what_came_of_them() -> None:
    table = tabled([seen(1, outcome="quiet"), seen(2), seen(3, outcome="quiet")], "imaginary USD")
    assert table[0] == "**Node 1**: quiet, 0 lines, 0 turns, 0.0000 imaginary USD"
    assert table[-2:] == ["2 of 3: quiet", "1 of 3: went on"]


def test_children_are_counted_by_who_won_and_tell_what_was_voted() -> None:
    def ended(id: int, outcome: str, by: str, *votes: str) -> Sighting:
        title = "werewolf 1"
        return replace(seen(id), scenes={title: outcome}, won_by={title: by}, votes=votes)

    table = tabled(
        [
            ended(1, "The village has won on day 2.", "the village", "Fern", "Fern", "Otto"),
            ended(2, "The village has won on day 3.", "the village"),
            ended(3, "The council is closed.", ""),
        ],
        "USD",
    )
    assert table[0].startswith("**Node 1**: werewolf 1: The village has won on day 2., votes: Fern ×2; Otto ×1, ")
    assert table[-2:] == ["2 of 3: werewolf 1: the village", "1 of 3: werewolf 1: The council is closed."]


def test_moves_and_reactions_are_held_against_each_other() -> None:
    line = ("Wren's room", "“Wren: Yes.”")
    one = replace(seen(7), moves={"council 1": {4: "Wren vote yes", 5: "Otto vote no"}}, reactions={line: "star ×1"})
    two = replace(seen(9), moves={"council 1": {4: "Wren vote yes", 5: "Otto vote yes"}, "chat 2": {1: "Wren say"}})
    header, lines = compared(one, two, "USD")
    assert "2 moves, 1 reaction" in header
    assert lines[lines.index("## Moves and votes") + 1 :] == [
        "chat 2, step 1: none → Wren say",
        "council 1, step 5: Otto vote no → Otto vote yes",
        "",
        "## Reactions",
        "Wren's room, “Wren: Yes.”: star ×1 → none",
    ]


def test_the_last_common_node_is_where_ways_part() -> None:
    assert common([NodeId(0), NodeId(1), NodeId(4)], [NodeId(0), NodeId(1), NodeId(5)]) == 1
    assert flat({"a": {"b": 1}, "c": []}) == {"a.b": 1, "c": []}
