"""Benchmarks: each part measures what was promised and shows a target that is missed."""

from dataclasses import asdict, dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured number beside the number that was promised.

    `name` begins with the part's name (`hud.build_3x50`); `target` is None for a figure that is only shown.
    """

    name: str
    value: float
    unit: str
    target: float | None = None
    better: Literal["lower", "higher"] = "lower"

    @property
    def ok(self) -> bool:
        """Whether the target, if there is one, is met."""
        if self.target is None:
            return True
        return self.value <= self.target if self.better == "lower" else self.value >= self.target

    def as_row(self) -> dict[str, object]:
        """Give the row that `bench.json` keeps."""
        row = asdict(self)
        sign = "<=" if self.better == "lower" else ">="
        row["target"] = None if self.target is None else f"{sign} {self.target:g}"
        del row["better"]
        return row | {"ok": self.ok}
