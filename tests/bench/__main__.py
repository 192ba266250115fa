"""Run the benchmarks: `python -m tests.bench [part]` prints the figures and writes `bench.json`."""

import importlib
import json
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.bench import Figure

FOLDER = Path(__file__).parent
PARTS = tuple(path.stem for path in sorted(FOLDER.glob("*.py")) if "\ndef run() -> list[Figure]:" in path.read_text())


def measure(part: str) -> list[Figure]:
    """Run one part, `tests/bench/<part>.py`, whose `run()` gives its figures."""
    module = importlib.import_module(f"tests.bench.{part}")
    figures: list[Figure] = module.run()
    return figures


def show(figures: list[Figure]) -> None:
    """Print the figures as a table."""
    table = Table("figure", "value", "unit", "target", "")
    for figure in figures:
        row = figure.as_row()
        mark = "" if figure.target is None else ("ok" if figure.ok else "MISSED")
        table.add_row(figure.name, f"{figure.value:,.3f}", figure.unit, str(row["target"] or "-"), mark)
    Console().print(table)


def main(asked: list[str]) -> int:
    """Measure the parts asked for (all, when none is named)."""
    unknown = [part for part in asked if part not in PARTS]
    if unknown:
        Console(stderr=True).print(f"There is no part {unknown[0]!r}: choose one of {', '.join(PARTS)}.")
        return 2
    figures = [figure for part in asked or PARTS for figure in measure(part)]
    show(figures)
    Path("bench.json").write_text(json.dumps([figure.as_row() for figure in figures], indent=2) + "\n")
    return 0 if all(figure.ok for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
