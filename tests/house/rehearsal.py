"""Carry out the Dockerfile where no container engine is at hand: `make rehearsal`, as root on Linux.

Each stage is a folder with this machine's own system mounted read-only beneath, so that what is built and run is the
Dockerfile's own steps; the base image itself is not. The last stage runs without network, read-only, as its user.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
SYSTEM = ("usr", "bin", "sbin", "lib", "lib64", "opt", "dev", "proc")
READY_SECONDS = 120
ISOLATED = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]


@dataclass
class Stage:
    """One image that comes to be: its folder, and what its instructions have set."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    workdir: str = "/"
    told: dict[str, str] = field(default_factory=dict)

    def at(self, path: str) -> Path:
        """Give where a path of the image is, one that is relative within the working directory."""
        return self.folder / Path(self.workdir, path).relative_to("/")


def instructions(text: str) -> list[tuple[str, str]]:
    """Give the instructions of a Dockerfile in order, each a word and the rest."""
    joined = re.sub(r"\\\n\s*", "", re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE))
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in joined.splitlines() if line)]


def begin(folder: Path) -> Stage:
    """Make a stage's folder, with an /etc and a Python of its own."""
    for name in (*SYSTEM, "srv", "data", "tmp", "root", sys.base_prefix.lstrip("/")):
        (folder / name).mkdir(parents=True, exist_ok=True)
    shutil.copytree("/etc", folder / "etc", symlinks=True, ignore_dangling_symlinks=True)
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_", "SSL_"))}
    stage = Stage(folder, environment=kept | {"PATH": "/python/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"})
    subprocess.run(inside(stage, [f"{sys.base_prefix}/bin/python3", "-m", "venv", "/python"]), check=True)
    return stage


def inside(stage: Stage, command: Sequence[str], *, last: bool = False) -> list[str]:
    """Give the command line that does something within a stage; `last`: without network, and read-only."""
    mounts = [f"mount --make-rprivate / && mount --bind {stage.folder} {stage.folder} && cd {stage.folder}"]
    for name in (*SYSTEM, sys.base_prefix.lstrip("/")):
        if name == "proc":
            mounts.append("mount -t proc proc proc")
        elif Path("/", name).exists():
            mounts.append(f"mount --rbind /{name} {name} && mount -o remount,bind,ro {name}")
    if last:
        binds = [f"mount --bind {name} {name}" for name in ("data", "tmp")]
        mounts += [*binds, "mount -o remount,bind,ro .", "ip link set lo up"]
    user = stage.told.get("USER", "0")
    drop = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs"]
    settled = ["env", "-i", *(f"{name}={value}" for name, value in stage.environment.items())]
    told = shlex.join(
        [*settled, *(drop if last else []), "sh", "-c", f"cd {stage.workdir} && exec {shlex.join(command)}"]
    )
    whole = " && ".join([*mounts, f"exec chroot . {told}"])
    return [*ISOLATED, *(["--net"] if last else []), "sh", "-ec", whole]


def carry_out(stages: Mapping[str, Stage], stage: Stage, word: str, rest: str) -> None:
    """Do one instruction."""
    match word:
        case "ENV":
            for name, value in (pair.split("=", 1) for pair in shlex.split(rest)):
                stage.environment[name] = value.replace("$PATH", stage.environment["PATH"])
        case "WORKDIR":
            stage.workdir = rest
            stage.at(rest).mkdir(parents=True, exist_ok=True)
        case "COPY":
            copy(stages, stage, shlex.split(rest))
        case "RUN":
            subprocess.run(inside(stage, ["sh", "-ec", rest]), check=True)
        case "USER" | "ENTRYPOINT" | "CMD" | "HEALTHCHECK":
            stage.told[word] = rest
        case "VOLUME" | "STOPSIGNAL":
            pass
        case _:
            raise SystemExit(f"The rehearsal does not know {word}: teach it in {Path(__file__).name}.")


def copy(stages: Mapping[str, Stage], stage: Stage, words: Sequence[str]) -> None:
    """Copy files and folders from the repository, or from an earlier stage."""
    *what, where = words
    source = ROOT
    if what[0].startswith("--from="):
        source = stages[what.pop(0).removeprefix("--from=")].folder
    for name in what:
        one = source / name.lstrip("/")
        if one.is_dir():
            shutil.copytree(one, stage.at(where), symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(one, stage.at(where) / one.name)


def live(stage: Stage) -> None:
    """Run what the image runs until it is healthy, then end it as an engine does."""
    began = time.monotonic()
    check = shlex.join(json.loads(stage.told["HEALTHCHECK"].partition(" CMD ")[2]))
    both = f"{shlex.join(json.loads(stage.told['ENTRYPOINT']) + json.loads(stage.told['CMD']))} & run=$!; "
    both += f"i=0; until {check} 2>/dev/null; do i=$((i+1)); [ $i -lt {READY_SECONDS} ] || exit 9; sleep 1; done; "
    both += "echo HEALTHY; kill -TERM $run; wait $run; echo ENDED $?"
    done = subprocess.run(
        inside(stage, ["sh", "-c", both], last=True),
        capture_output=True,
        text=True,
        timeout=READY_SECONDS * 3,
        check=False,
    )
    said = done.stdout + done.stderr
    if "HEALTHY" not in said or "ENDED 0" not in said:
        raise SystemExit(f"What the image runs was not well:\n{said[-4000:]}")
    say(f"healthy and ended within {time.monotonic() - began:.0f} s, read-only and without network, as its user")


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Build every stage, then live in the last one."""
    if os.geteuid() != 0 or not sys.platform.startswith("linux"):
        raise SystemExit("The rehearsal mounts folders: run it as root on Linux.")
    stages: dict[str, Stage] = {}
    stage: Stage | None = None
    with tempfile.TemporaryDirectory(prefix="image-") as folder:
        for word, rest in instructions((ROOT / "deploy/Dockerfile").read_text(encoding="utf-8")):
            if word == "FROM":
                name = rest.partition(" AS ")[2] or "last"
                stage = stages[name] = begin(Path(folder, name))
            elif stage is not None:
                say(f"{word} {rest}"[:110])
                carry_out(stages, stage, word, rest)
        size = subprocess.run(["du", "-sm", stages["last"].folder / "srv"], capture_output=True, text=True, check=True)
        say(f"the program and its libraries: {size.stdout.split()[0]} MB")
        live(stages["last"])


if __name__ == "__main__":
    main()
