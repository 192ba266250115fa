"""Runs in the console: what they are set up from, those that are kept, and what is done with them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from aiohttp import web
from pydantic import Field

from bot.console import shapes
from bot.console.routes import Given, Route, Scope, Told, read_body, read_bytes, read_json
from bot.console.rows import Row
from bot.console.standing import Asker
from bot.console.turns import given
from bot.core.errors import BadSetting, TooMuch
from bot.core.runs.generating import generated
from bot.core.runs.reading import read_given
from bot.core.runs.spec import MOST_AGENTS, MOST_EVENTS, Further, RunSpec, Whole
from bot.core.runs.writing import as_toml
from bot.core.scenes.kind import Ordering
from bot.core.scenes.registry import KINDS
from bot.core.templates import TEMPLATES
from bot.engine.front_desk import FrontDesk

LARGEST_CARD: Final = 10_000_000  # bytes, as on Discord
EXPORT_SECONDS: Final = 600.0  # to take an archive, which lies in a file until then
PAGE: Final = 200  # lines of a transcript at a time
MOST_TURNS: Final = 200  # that a run goes on for at once
ZIP: Final = "application/zip"
BYTES: Final = "application/octet-stream"


class GoesOn(Given):
    """How a run is to go on."""

    at: Annotated[str, Field(max_length=100)] = ""
    turns: Annotated[Whole, Field(ge=1, le=MOST_TURNS)] = 10
    seed: Annotated[Whole, Field(ge=0, lt=2**63)] | None = None
    budget: Annotated[float, Field(gt=0, le=1_000)] | None = None
    said: Annotated[str, Field(max_length=2_000)] = ""
    by: Annotated[str, Field(pattern=r"^[\w .-]{0,32}$")] = ""


class Named(Given):
    """What a snapshot is to be called."""

    name: Annotated[str, Field(min_length=1, max_length=60)]


class Wished(Given):
    """How many agents are to be made up."""

    number: Annotated[Whole, Field(ge=1, le=MOST_AGENTS)] = 5
    seed: Annotated[Whole, Field(ge=0, lt=2**63)] = 1


@dataclass(frozen=True, slots=True)
class RunPages:
    """What is asked about runs; `presets`: those that ship, by name."""

    desk: FrontDesk
    presets: Mapping[str, RunSpec]

    def routes(self) -> list[Route]:
        """Give what can be asked."""
        return [*self._read(), *self._changed()]

    def _read(self) -> list[Route]:
        one, at = "/runs/{run}", "/runs/{run}/snapshots/{snapshot}"
        first = {"from": "the first line that is told; the last ones without it"}
        return [
            Route(path="/runs", told=self.all, about="The runs that are kept.", gives=shapes.KeptRuns),
            Route(path="/runs/setup", told=self.setup, about="What a run is set up from.", gives=shapes.Setup),
            Route(path=one, told=self.one, about="One run with its worlds.", gives=shapes.OneRun),
            Route(
                path=at, told=self.at, about="What came of a run until a snapshot.", query=first, gives=shapes.Snapshot
            ),
            Route(path=f"{at}/export", told=self.export, about="All files of a run.", content=ZIP, is_large=True),
        ]

    def _changed(self) -> list[Route]:
        one, at, run = "/runs/{run}", "/runs/{run}/snapshots/{snapshot}", shapes.RunNumber

        # what more a Route takes, by its names
        def change(path: str, told: Told, about: str, gives: object = shapes.Nothing, **more: Any) -> Route:  # noqa: ANN401
            return Route(
                **{"method": "POST", "scope": Scope.RUN, **more}, path=path, told=told, about=about, gives=gives
            )

        return [
            change("/runs", self.begin, "Begin a run.", run, body=RunSpec),
            change("/runs/file", self.file, "Write a run as the file of `selfroom sim`.", shapes.File, body=RunSpec),
            change("/runs/agents", self.made_up, "Make agents up.", shapes.Agents, body=Wished),
            change("/runs/card", self.card, "Read a character card.", shapes.CardRead, takes=BYTES, is_large=True),
            change("/runs/end", self.end, "End what is played."),
            change(f"{one}/advance", self.advance, "Let a run go on, or branch.", run, body=GoesOn),
            change(f"{one}/copy", self.copy, "Copy a run.", run),
            change(f"{at}/name", self.name, "Give a snapshot a name.", shapes.SnapshotNumber, body=Named),
            change(one, self.delete, "Delete a run.", method="DELETE"),
        ]

    async def all(self, asker: Asker, _: web.Request) -> web.Response:
        """Give the runs that are kept, the newest first."""
        return _json(await self.desk.runs.all(asker.guild_id))

    async def setup(self, asker: Asker, _: web.Request) -> Row:
        """Give what the wizard chooses from."""
        return {
            "presets": [{"name": name, "spec": one.model_dump(mode="json")} for name, one in self.presets.items()],
            "templates": [{"name": one.name, "about": one.about} for one in TEMPLATES.values()],
            "kinds": [
                {
                    "name": name,
                    "seats": list(kind.seats),
                    "orderings": [one.value for one in kind.orderings if one is not Ordering.CONTROLLED],
                    "presets": [one.name for one in kind.presets],
                    "options": [
                        {"name": option, "about": said.description or ""}
                        for option, said in kind.options.model_fields.items()
                        if option != "ordering"
                    ],
                }
                for name, kind in KINDS.items()
            ],
            "models": list(await self.desk.runs.models(asker.guild_id)),
            "coin": await self.desk.runs.coin(asker.guild_id),
            "most": {"agents": MOST_AGENTS, "events": MOST_EVENTS},
        }

    async def one(self, asker: Asker, request: web.Request) -> web.Response:
        """Give a run with what it was made of, and its worlds."""
        return _json(await self.desk.runs.one(asker.guild_id, _run(request)))

    async def at(self, asker: Asker, request: web.Request) -> web.Response:
        """Give what came of a run until a snapshot: some lines of its transcript, its outcome, and who knows what."""
        said = request.query.get("from", "")
        first = int(said) if said.isascii() and said.isdigit() and len(said) < 10 else None
        kept, number = self.desk.runs.kept, _run(request)
        return _json(await kept.told(asker.guild_id, number, _at(request), first=first, most=PAGE))

    async def export(self, asker: Asker, request: web.Request) -> web.StreamResponse:
        """Give what `selfroom runs export` writes, in an archive, piece by piece."""
        name = f"run-{_run(request)}-{_at(request)}.zip"
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Content-Type": ZIP}
        async with self.desk.runs.kept.packed(asker.guild_id, _run(request), _at(request)) as file:
            return await given(request, web.FileResponse(file, headers=headers), seconds=EXPORT_SECONDS)

    async def begin(self, asker: Asker, request: web.Request) -> Row:
        """Begin a run."""
        spec = read_given(await read_json(request))
        return {"run": await self.desk.runs.begin(asker.guild_id, asker.person, spec)}

    async def file(self, _: Asker, request: web.Request) -> Row:
        """Write a run as a file."""
        return {"toml": as_toml(read_given(await read_json(request)))}

    async def made_up(self, asker: Asker, request: web.Request) -> Row:
        """Make agents up."""
        wished = await read_body(request, Wished)
        made = generated(wished.number, wished.seed)
        return {"agents": [one.model_dump(mode="json", exclude_defaults=True) for one in made]}

    async def card(self, asker: Asker, request: web.Request) -> Row:
        """Read a card, as those are read that somebody gives on Discord."""
        try:
            card = await self.desk.cards.read(asker.guild_id, await read_bytes(request, LARGEST_CARD))
        except TooMuch as error:
            raise BadSetting(error.sentence) from error
        return {"name": card.name, "prompt": card.prompt, "type": card.type}

    async def advance(self, asker: Asker, request: web.Request) -> Row:
        """Let a run go on."""
        said = await read_body(request, GoesOn)
        further = Further(**said.model_dump())
        await self.desk.runs.advance(asker.guild_id, asker.person, _run(request), further)
        return {"run": _run(request)}

    async def end(self, asker: Asker, _: web.Request) -> Row:
        """End what is played."""
        await self.desk.runs.end(asker.guild_id, asker.person)
        return {}

    async def copy(self, asker: Asker, request: web.Request) -> Row:
        """Copy a run."""
        return {"run": await self.desk.runs.copy(asker.guild_id, asker.person, _run(request))}

    async def name(self, asker: Asker, request: web.Request) -> Row:
        """Give a snapshot a name."""
        said = await read_body(request, Named)
        named = await self.desk.runs.name(asker.guild_id, asker.person, _run(request), _at(request), said.name)
        return {"snapshot": named}

    async def delete(self, asker: Asker, request: web.Request) -> Row:
        """Delete a run."""
        await self.desk.runs.delete(asker.guild_id, asker.person, _run(request))
        return {}


def _run(request: web.Request) -> int:
    return int(request.match_info["run"])


def _at(request: web.Request) -> str:
    return str(int(request.match_info["snapshot"]))


def _json(told: bytes) -> web.Response:
    return web.Response(body=told, content_type="application/json")
