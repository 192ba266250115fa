"""Print the figures by which the house is kept: `python -m tests.house.figures`."""

import ast
import asyncio
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from types import FrameType

from tests.engine.hearts import answer, hearts

ROOT = Path(__file__).parent.parent.parent
FLOORS = ("bot/core", "bot/engine", "bot/adapters", "bot/playground", "bot/standin", "cogs", "storage")
PRODUCT = ("bot", "cogs", "storage")
SMALL = 70  # a module with one importer below this is looked at: it may be one thought with its importer
ANSWERS = ("Hello Mira!", "Very well, thank you.")
OF_A_BEAT = {("bot.core.records", "Reason"), ("bot.core.gate", "Claim")}


def sources(*folders: str) -> list[Path]:
    """Give the Python files below these folders, without migrations."""
    found = (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py")))
    return [path for path in found if "versions" not in path.parts]


def lines(path: Path) -> int:
    """Count the lines of a file."""
    return len(path.read_text().splitlines())


def name_of(path: Path) -> str:
    """Give a module's dotted name."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path) -> Iterator[str]:
    """Give what a module imports: modules, and names that may be modules."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{one.name}" for one in node.names)


def importers(modules: dict[str, Path]) -> dict[str, set[str]]:
    """Give who imports each module."""
    found: dict[str, set[str]] = defaultdict(set)
    for name, path in modules.items():
        for one in set(imported(path)) & modules.keys() - {name}:
            found[one].add(name)
    return found


def only_used_once() -> list[tuple[str, int, str]]:
    """Give the modules with one importer, their lines, and that importer."""
    modules = {name_of(path): path for path in sources(*PRODUCT)}
    used = importers(modules)
    return [
        (name, lines(path), next(iter(used[name])))
        for name, path in modules.items()
        if len(used[name]) == 1 and path.name != "__init__.py"
    ]


def classes() -> dict[str, ast.ClassDef]:
    """Give the product's classes by name."""
    nodes = (node for path in sources(*PRODUCT) for node in ast.walk(ast.parse(path.read_text())))
    return {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}


def ancestry(name: str, known: dict[str, ast.ClassDef], seen: frozenset[str] = frozenset()) -> frozenset[str]:
    """Give a class and those of its forebears that are our own."""
    if name not in known or name in seen:
        return seen
    seen |= {name}
    for base in known[name].bases:
        seen = ancestry(ast.unparse(base).split("[")[0].split(".")[-1], known, seen)
    return seen


def methods(names: frozenset[str], known: dict[str, ast.ClassDef]) -> int:
    """Count the public methods of an object, those of its forebears too."""
    nodes = (node for name in names for node in known[name].body)
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    return sum(not name.startswith("_") for name in own)


def records(*folders: str) -> Iterator[tuple[str, ast.ClassDef, dict[str, str]]]:
    """Give the dataclasses below these folders: the module of each, itself, and where the names in it come from."""
    for path in sources(*folders):
        tree = ast.parse(path.read_text())
        froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
        known = {one.asname or one.name: node.module or "" for node in froms for one in node.names}
        nodes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        known |= {node.name: name_of(path) for node in nodes}
        for node in nodes:
            if any("dataclass" in ast.unparse(mark) for mark in node.decorator_list):
                yield name_of(path), node, known


def forms_of_a_beat() -> set[tuple[str, str]]:
    """Give the records that hold the reasons or the claim of a beat, themselves or by way of another that does."""
    forms, found = set[tuple[str, str]](), set(OF_A_BEAT)
    while found:
        forms |= found
        found = {
            (module, node.name)
            for module, node, known in records("bot/core", "bot/engine")
            for field in node.body
            if (module, node.name) not in forms and isinstance(field, ast.AnnAssign)
            if any((known.get(one, ""), one) in forms for one in re.findall(r"\w+", ast.unparse(field.annotation)))
        }
    return forms


@contextmanager
def modules_run() -> Iterator[set[str]]:
    """Note which modules of core and engine the block runs through."""
    found = set[str]()

    def note(frame: FrameType, event: str, _: object) -> None:
        name = str(frame.f_globals.get("__name__"))
        if event == "call" and name.startswith(("bot.core", "bot.engine")):
            found.add(name)

    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)


async def hops() -> tuple[int, int]:
    """Let somebody greet an agent: through how many modules goes what they say, and the answer on its way out."""
    async with hearts(1, script=[answer({1: [(1, one)]}) for one in ANSWERS]) as home:
        await home.hear("hi there")  # once, so that what only begins is not counted
        await home.run(60)
        with modules_run() as inwards:
            await home.hear("how are you?")
        while len(home.model.calls) < 2:
            await home.slot(0.5)
        with modules_run() as outwards:
            while len(await home.lines()) < 2 * len(ANSWERS):
                await home.clock.advance(0.5)
                await home.deliver()
    return len(inwards), len(outwards)


def spread(sizes: Sequence[int]) -> str:
    """Give median, 90 % and the most."""
    return f"{median(sizes):.0f} / {quantiles(sizes, n=10)[-1]:.0f} / {max(sizes)}"


def figures() -> Iterator[tuple[str, object]]:
    """Measure everything."""
    by_floor: Counter[str] = Counter()
    for path in sources(*PRODUCT):
        where = path.relative_to(ROOT).as_posix()
        by_floor[next((floor for floor in FLOORS if where.startswith(f"{floor}/")), "rest")] += lines(path)
    yield "product lines", by_floor.total()
    yield from ((f"  {floor}", by_floor[floor]) for floor in (*FLOORS, "rest"))
    yield "tests' lines", sum(map(lines, sources("tests")))
    yield "modules", len(sources(*PRODUCT))
    once = only_used_once()
    yield "  with one importer", len(once)
    yield f"  of these under {SMALL} lines", sum(size < SMALL for _, size, _ in once)
    texts = [line for path in sources(*PRODUCT) for line in path.read_text().splitlines()]
    yield "lines with Any", sum(bool(re.search(r"\bAny\b", line)) for line in texts)
    known = classes()
    families = {name: ancestry(name, known) for name in known}
    largest = max(families, key=lambda name: methods(families[name], known))
    longest = max(families, key=lambda name: len(families[name]))
    yield "public methods of the largest class", f"{methods(families[largest], known)} ({largest})"
    yield "forms of a beat (records with its reasons or claim)", len(forms_of_a_beat())
    inwards, outwards = asyncio.run(hops())
    yield "hops of a message in (modules of core and engine)", inwards
    yield "hops of a message out (modules of core and engine)", outwards
    yield "longest MRO of own classes", f"{len(families[longest])} ({longest})"
    nodes = [node for path in sources(*PRODUCT) for node in ast.walk(ast.parse(path.read_text()))]
    defs = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    yield "functions, lines (median / 90 % / most)", spread([(one.end_lineno or 0) - one.lineno + 1 for one in defs])
    yield "files, lines (median / 90 % / most)", spread([lines(path) for path in sources(*PRODUCT)])


if __name__ == "__main__":
    for what, value in figures():
        print(f"{what:<54} {value}")  # noqa: T201 - this is what it is for
    for name, size, user in sorted(only_used_once(), key=lambda one: one[1]):
        if size < SMALL:
            print(f"    {name} ({size}) <- {user}")  # noqa: T201
