"""A small community whose real HUD is sent to the scripted mind, and what it answers."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from jsonschema import Draft202012Validator

from bot.core.hud.call import Ask, build
from bot.core.kinds import AgentType, InputFormat, OutputFormat, SenderKind
from bot.core.records import (
    PUBLIC_SIDE,
    SYSTEM,
    AccessRequest,
    ActionRecord,
    AgentId,
    KeyId,
    Lookup,
    Message,
    MessageId,
    Mind,
    RequestId,
    Sender,
)
from bot.core.schema import answer_schema
from bot.core.view import RoomView, View
from bot.standin.brain import think
from bot.standin.reader import read_hud
from bot.standin.schema import Fitter
from tests import factories as make
from tests.fakes import START

NIA, BOB = 3, 4
FIRST = {NIA: 100, BOB: 200}  # message ids in their rooms
KEEPER = "You are a lighthouse keeper who loves tea, storms and old maps."
Json = dict[str, Any]


class Characters:
    """Counts characters, halves of them too."""

    def count(self, text: str) -> int:
        return len(text) // 4 + 1


@dataclass(frozen=True, kw_only=True)
class Said:
    """The answer for one agent: its words by room, and its actions without the nulls."""

    words: dict[int, str]
    actions: list[Json]
    thoughts: str

    @property
    def text(self) -> str:
        return " ".join(self.words.values())


@dataclass(kw_only=True)
class Talk:
    """What stands in the rooms of Nia (3) and Bob (4), who is in both; lines are `sender: text`."""

    seed: str = KEEPER
    kind: AgentType = AgentType.PERSONA
    lines: tuple[str, ...] = ()
    at_bobs: tuple[str, ...] = ()
    seconds_apart: int = 10
    knowledge: Json = field(default_factory=dict)
    deeds: tuple[ActionRecord, ...] = ()
    lookups: tuple[Lookup, ...] = ()
    knocks: tuple[int, ...] = ()
    may_create: bool = False
    input_format: InputFormat = InputFormat.TEXT
    older: int = 0  # lines of Nia's room that are not shown
    reply_to: int | None = None  # of the newest line, as an id; lines count from 100, at Bob's from 200

    def now(self) -> datetime:
        return START + timedelta(seconds=self.seconds_apart * max(len(self.lines), len(self.at_bobs)))

    def view(self) -> View:
        nia = make.agent(NIA, name="Nia", prompt=self.seed, type=self.kind, can_create_agents=self.may_create)
        bob = make.agent(BOB, name="Bob", prompt="You count things.", type=AgentType.BOT)
        mind = Mind(agent_id=AgentId(NIA), knowledge=self.knowledge, recent_actions=self.deeds, lookups=self.lookups)
        rooms = [self._room(NIA, self.lines), self._room(BOB, self.at_bobs)]
        return make.view(
            [nia, bob],
            rooms=rooms,
            memberships=[make.membership(BOB, NIA), make.membership(NIA, BOB)],
            minds={(AgentId(NIA), PUBLIC_SIDE): mind},
            requests={NIA: tuple(knock(id) for id in self.knocks)},
        )

    def _room(self, id: int, lines: tuple[str, ...]) -> RoomView:
        messages = [self._message(place, line, id) for place, line in enumerate(lines)]
        if messages and self.reply_to:
            messages[-1] = replace(messages[-1], reply_to=MessageId(self.reply_to))
        return RoomView(
            room=make.room(id),
            members=(AgentId(id), AgentId(NIA + BOB - id)),
            messages=tuple(messages),
            older=self.older,
        )

    def _message(self, place: int, line: str, room_id: int) -> Message:
        sender, _, text = line.partition(": ")
        sent_at = START + timedelta(seconds=self.seconds_apart * place)
        return make.message(FIRST[room_id] + place, text, room_id=room_id, sender=sender_of(sender), sent_at=sent_at)

    def answers(self, *agents: int) -> list[Said]:
        """Send the HUD of these agents in one call; every answer must keep to the real schema."""
        asks = [Ask(agent_id=AgentId(id), alone=len(agents) == 1) for id in agents]
        call = build(
            self.view(),
            asks,
            now=self.now(),
            tokenizer=Characters(),
            input_format=self.input_format,
            output_format=OutputFormat.JSON,
            structured=True,
        )
        hud = read_hud(f"{call.instructions}\n{call.input}")
        assert hud is not None
        schema = answer_schema(alone=len(agents) == 1)
        answer: Any = Fitter(schema).fitted(think(hud))
        Draft202012Validator(schema).validate(answer)
        return [said(entry) for entry in answer.get("agents", [answer])]


def said(entry: Json) -> Said:
    bare = [{name: value for name, value in action.items() if value is not None} for action in entry["actions"]]
    words = {one["room_id"]: one["message"] for one in entry["responses"]}
    return Said(words=words, actions=bare, thoughts=entry["thoughts"])


def nia(*lines: str, **talk: Any) -> Said:  # noqa: ANN401 - what a talk has
    """Nia's answer, alone, to these lines in her own room."""
    return Talk(lines=lines, **talk).answers(NIA)[0]


def sender_of(name: str) -> Sender:
    if name.isdecimal():
        return make.by_agent(int(name))
    if name.startswith("The Architect"):
        return Sender(kind=SenderKind.ARCHITECT, name=name.partition("(@")[2].rstrip(")"))
    return SYSTEM if name == "System" else make.by_person(name, id=sum(map(ord, name)))


def knock(id: int) -> AccessRequest:
    return AccessRequest(
        id=RequestId(id),
        room_id=AgentId(NIA),
        requester_agent_id=AgentId(BOB),
        key_id=KeyId(1),
        key_label="spare",
        created_at=START,
    )


def spoke(text: str, *, seconds: float = 0, room_id: int = NIA, accepted: bool = True) -> ActionRecord:
    """A recent action that tells of something said."""
    at = START + timedelta(seconds=seconds)
    parameters: Json = {"room_id": room_id, "message": text}
    return ActionRecord(
        type="send_message", at=at, parameters=parameters, accepted=accepted, why="" if accepted else "no"
    )
