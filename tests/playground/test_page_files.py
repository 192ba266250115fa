"""The page's files by themselves: small, complete, without anything from outside, and readable in both colours."""

import re
from pathlib import Path

import aiohttp
import pytest

from bot.playground.bundle import bundled
from bot.playground.server import Playground

PAGE = Path(__file__).parents[2] / "bot" / "playground" / "page"
FILES = sorted(path for path in PAGE.rglob("*") if path.is_file())
SCRIPTS = sorted(PAGE.rglob("*.js"))
LONGEST_FILE = 500
READABLE = 4.5
VISIBLE = 3.0
NAMESPACE = "http://www.w3.org/2000/svg"
HOSTS = re.compile(r"https?://(?!127\.0\.0\.1|localhost)[\w.-]+\.[a-z]{2,}[^\s\"'`]*")
IMPORTED = re.compile(r"""^(?:import|export)[^;]*?from "(\.[^"]+)";""", re.MULTILINE)


def test_every_file_is_short_enough_to_read() -> None:
    lengths = {path.name: len(path.read_text().splitlines()) for path in FILES}
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_nothing_comes_from_outside() -> None:
    outside = {path.name: HOSTS.findall(path.read_text().replace(NAMESPACE, "")) for path in FILES}
    assert {name: found for name, found in outside.items() if found} == {}


def test_no_text_is_ever_read_as_html() -> None:
    unsafe = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function")
    assert [path.name for path in SCRIPTS if unsafe.search(path.read_text())] == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_what_a_script_imports_is_there(script: Path) -> None:
    text = script.read_text()
    for target in IMPORTED.findall(text):
        assert (script.parent / target).is_file(), target
    for names, target in re.findall(r"""import \{([^}]*)\} from "(\.[^"]+)";""", text):
        exported = (script.parent / target).read_text()
        for name in filter(None, (part.strip().split(" as ")[0] for part in names.split(","))):
            assert re.search(rf"export (?:async )?(?:function|class|const) {name}\b", exported), name


def test_the_modules_are_one_script_in_which_each_stands_once_after_what_it_imports() -> None:
    script = bundled(PAGE / "js" / "main.js")
    stands = re.findall(r"^// (\S+\.js)\nconst (\$scope\d+) = ", script, re.MULTILINE)
    modules = {path.relative_to(PAGE / "js").as_posix() for path in SCRIPTS} - {"theme_early.js"}
    assert sorted(name for name, _ in stands) == sorted(modules)
    taken = re.findall(r"^const \{.*\} = (\$scope\d+);", script, re.MULTILINE)
    assert all(script.index(f"const {scope} = ") < script.index(f" }} = {scope};") for scope in taken)
    assert re.findall(r"^(?:import|export)\b.*", script, re.MULTILINE) == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('import { there } from "./main.js";', "break the circle"),
        ("export default 1;", "export what is declared"),
        ('import * as all from "./third.js";', "import by `import { … } from`"),
    ],
)
def test_modules_that_cannot_be_one_script_are_named(tmp_path: Path, text: str, why: str) -> None:
    main = tmp_path / "main.js"
    main.write_text('import { back as forth } from "./other.js";\nexport const there = forth;')
    (tmp_path / "other.js").write_text("export function back() {}")
    assert "const { back: forth } = $scope0;" in bundled(main)
    (tmp_path / "other.js").write_text(f"{text}\nexport function back() {{}}\n")
    with pytest.raises(ValueError, match=re.escape(why)):
        bundled(main)


async def test_the_script_is_kept_by_a_browser_until_it_changes(playground: Playground) -> None:
    address = f"{playground.url}/js/all.js"
    async with aiohttp.ClientSession() as session:
        async with session.get(address) as first:
            assert (first.status, first.content_type) == (200, "text/javascript")
            assert await first.text() == bundled(PAGE / "js" / "main.js")
        for known, status in ((first.headers["ETag"], 304), ('"of an older one"', 200)):
            async with session.get(address, headers={"If-None-Match": known}) as again:
                assert (again.status, again.headers["Cache-Control"]) == (status, "no-cache")


def test_what_the_document_links_to_is_there() -> None:
    linked = re.findall(r'(?:href|src)="([^"#]+)"', (PAGE / "index.html").read_text())
    assert [name for name in linked if not (PAGE / name).is_file()] == ["js/all.js"]
    styles = {str(path.relative_to(PAGE)) for path in PAGE.rglob("*.css")}
    assert styles <= set(linked)


def colours() -> dict[str, tuple[str, str]]:
    """Give the palette: a name's light and dark colour."""
    text = (PAGE / "style.css").read_text()
    pairs = re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", text)
    return {name: (light, dark) for name, light, dark in pairs}


def luminance(colour: str) -> float:
    """Give the relative luminance of `#rrggbb`, as WCAG 2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Give the contrast of two colours, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["paper", "surface", "raised"])
def test_words_stand_out_from_what_they_stand_on(theme: int, ground: str) -> None:
    palette = colours()
    for ink in ("ink", "ink-soft", "ink-faint", "accent", "danger"):
        assert contrast(palette[ink][theme], palette[ground][theme]) >= READABLE, ink
    for mark in ("good", "busy"):
        assert contrast(palette[mark][theme], palette[ground][theme]) >= VISIBLE, mark


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_words_stand_out_from_colours(theme: int) -> None:
    palette = colours()
    for ink, ground in (
        ("on-accent", "accent"),
        ("accent-strong", "accent-soft"),
        ("ink", "glow"),
        ("surface", "danger"),
    ):
        assert contrast(palette[ink][theme], palette[ground][theme]) >= READABLE, (ink, ground)
