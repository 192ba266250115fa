"""The page's modules as one script: a browser asks once, where to ask for each was most of the page's opening."""

import re
from functools import lru_cache
from pathlib import Path

IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
OTHER_FORM = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)


def bundled(main: Path) -> str:
    """Give a module, and before it all that it imports from its folder, each in a scope of its own.

    ValueError for modules that import one another in a circle, and for a form of import or export that the page lacks.
    """
    scripts = sorted(main.parent.rglob("*.js"))
    return _bundled(main.resolve(), tuple(path.stat().st_mtime_ns for path in scripts))


@lru_cache(maxsize=1)
def _bundled(main: Path, _changed_at: tuple[int, ...]) -> str:
    bundle = _Bundle(main.parent)
    bundle.take(main)
    return "\n".join(bundle.parts)


class _Bundle:
    """The parts of the script so far; of each file its scope's name, None while its imports are taken."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scopes: dict[Path, str | None] = {}
        self.parts: list[str] = []

    def take(self, file: Path) -> str:
        """Give the name of the scope in which a file's module stands, after all that it imports."""
        name = file.relative_to(self.folder).as_posix()
        if file in self.scopes:
            if (known := self.scopes[file]) is None:
                raise ValueError(f"{name} imports itself by way of others: break the circle.")
            return known
        self.scopes[file] = None
        text = file.read_text(encoding="utf-8")
        takes = [
            f"const {{ {names.strip().replace(' as ', ': ')} }} = {self.take((file.parent / place).resolve())};"
            for names, place in IMPORT.findall(text)
        ]
        body = EXPORT.sub("", IMPORT.sub("", text)).strip()
        if found := OTHER_FORM.search(body):
            raise ValueError(f"{name} says {found[0]!r}: import by `import {{ … }} from`, export what is declared.")
        scope = self.scopes[file] = f"$scope{len(self.parts)}"
        gives = f"return {{ {', '.join(EXPORT.findall(text))} }};"
        self.parts.append("\n".join([f"// {name}", f"const {scope} = (() => {{", *takes, body, gives, "})();", ""]))
        return scope
