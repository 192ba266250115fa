"""What is given to whoever deploys this is true: every metric is there, every file is what its program reads."""

import json
import re
import subprocess
import sys
from pathlib import Path
from shutil import which

import promql_parser
import pytest
import yaml

from bot.settings import Settings

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
WATCH = DEPLOY / "watch"
OURS = re.compile(r"selfroom_[a-z_]+")
MOST_EXPOSED = 2.0
ALWAYS = {"selfroom_agent_state", "selfroom_agent_waits", "selfroom_letters", "selfroom_letters_due_seconds"}


def expressions() -> dict[str, str]:
    """Give every query that is shipped, by the panel or alert that asks it."""
    board = json.loads((WATCH / "selfroom.json").read_text(encoding="utf-8"))
    rules = yaml.safe_load((WATCH / "alerts.yaml").read_text(encoding="utf-8"))["groups"][0]["rules"]
    asked = {
        f"{panel['title']} {target['refId']}": target["expr"].replace("$__rate_interval", "1m")
        for panel in board["panels"]
        for target in panel["targets"]
    }
    return asked | {rule["alert"]: rule["expr"] for rule in rules}


def exported() -> set[str]:
    """Give every name under which the program counts, measures or shows something, as Prometheus has it."""
    names: set[str] = set()
    for path in (ROOT / "bot").rglob("*.py"):
        code = path.read_text(encoding="utf-8")
        names |= {f"selfroom_{name}_total" for name in re.findall(r"metrics\)?\.count\(\s*\"(\w+)\"", code)}
        measured = re.findall(r"metrics\)?\.observe\(\s*\"(\w+)\"", code)
        names |= {f"selfroom_{name}_{part}" for name in measured for part in ("bucket", "sum", "count")}
        names |= {f"selfroom_{name}" for name in re.findall(r"metrics\.watch\(\s*\"(\w+)\"", code)}
        names |= set(re.findall(r"Gauge\(\"(\w+)\"", code))
    return names


@pytest.mark.parametrize("asked", expressions())
def test_every_panel_and_rule_asks_for_what_is_there_in_words_that_prometheus_reads(asked: str) -> None:
    query = expressions()[asked]
    promql_parser.parse(query)
    assert set(OURS.findall(query)) <= exported()


def test_what_is_counted_is_told_to_operators() -> None:
    told = (ROOT / "docs/operating.md").read_text(encoding="utf-8")
    bare = {re.sub(r"^selfroom_|_(total|bucket|sum|count)$", "", name) for name in exported()}
    assert {name for name in bare if name not in told} == set()


def test_every_alert_has_its_paragraph() -> None:
    told = (ROOT / "docs/operating.md").read_text(encoding="utf-8")
    rules = yaml.safe_load((WATCH / "alerts.yaml").read_text(encoding="utf-8"))["groups"][0]["rules"]
    assert [rule["alert"] for rule in rules if f"`{rule['alert']}`" not in told] == []


def test_the_image_is_built_as_its_linter_wants_it_and_with_our_own_uv() -> None:
    linter = Path(sys.executable).parent / "hadolint"
    said = subprocess.run([linter, DEPLOY / "Dockerfile"], capture_output=True, text=True, check=False)
    assert (said.returncode, said.stdout) == (0, "")
    (version,) = re.findall(r"^UV_VERSION := (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert f"uv=={version}\n" in (DEPLOY / "Dockerfile").read_text(encoding="utf-8")


def test_everything_that_is_deployed_names_files_and_settings_that_there_are() -> None:
    composed = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    mounted = [one for service in composed["services"].values() for one in service.get("volumes", ())]
    for source in (one.partition(":")[0] for one in mounted):
        assert (DEPLOY / source).is_file() if source.startswith("./") else source in composed["volumes"], source
    settings = {f"SELFROOM_{name.upper()}" for name in Settings.model_fields}
    for path in [*DEPLOY.glob("*.service"), DEPLOY / "Dockerfile", DEPLOY / "compose.yaml"]:
        assert set(re.findall(r"SELFROOM_[A-Z_]+(?=[=:])", path.read_text(encoding="utf-8"))) <= settings


def test_nobody_but_selfroom_and_what_asks_it_reaches_a_database_that_trusts_everyone() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]
    assert services["database"]["environment"]["POSTGRES_HOST_AUTH_METHOD"] == "trust"
    inside = {name for name, one in services.items() if one.get("network_mode") == "service:database"}
    assert inside == {"selfroom", "mind", "nats", "prometheus"}  # none does what others ask of it
    assert "--addr 127.0.0.1" in " ".join(services["nats"]["command"])
    assert not any("ports" in services[name] for name in {*inside, "database"})
    assert services["database"]["command"] == ["-c", "listen_addresses=127.0.0.1"]
    assert all(port.startswith("127.0.0.1:") for one in services.values() for port in one.get("ports", ()))
    grafana = services["grafana"]["environment"]  # whose administrator has a password that is known to everyone
    assert grafana["GF_AUTH_DISABLE_LOGIN_FORM"] == "true"
    assert grafana["GF_AUTH_BASIC_ENABLED"] == "false"
    (source,) = yaml.safe_load((WATCH / "grafana.yaml").read_text(encoding="utf-8"))["datasources"]
    assert source["url"] == "http://database:9090"


def test_the_steps_on_a_server_name_files_settings_services_and_commands_that_there_are() -> None:
    steps = (ROOT / "docs/server.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:/opt/selfroom/|\s)(deploy/[\w.-]+)", steps)) - {"deploy/.env"}
    assert named >= {"deploy/selfroom.service", "deploy/compose.yaml"}
    assert [one for one in named if not (ROOT / one).is_file()] == []
    settings = {f"SELFROOM_{name.upper()}" for name in Settings.model_fields} | {"DISCORD_TOKEN", "OPENAI_API_KEY"}
    assert set(re.findall(r"^([A-Z_]+)=|(SELFROOM_[A-Z_]+)", steps, re.MULTILINE)) <= {
        pair for name in settings for pair in ((name, ""), ("", name))
    }
    units = set(re.findall(r"systemctl (?:start|stop|status|enable --now) ([\w .-]+)", steps))
    assert [
        unit
        for unit in " ".join(units).split()
        if not any((DEPLOY / name).is_file() for name in (unit, f"{unit}.service"))
    ] == []
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]
    asked = re.findall(r"(?:run --rm|exec -T|logs --follow|stop|start) (selfroom|database)", steps)
    assert set(asked) <= set(services)
    targets = re.findall(r"make -C /opt/selfroom (\w+)", steps)
    assert all(f"\n{one}: " in (ROOT / "Makefile").read_text(encoding="utf-8") for one in targets)


def test_minds_in_containers_are_like_the_gateway_but_for_what_they_do() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]
    gateway, mind = services["selfroom"], services["mind"]
    assert (gateway["command"], mind["command"]) == (["${POST:-run}"], ["mind"])
    alike = ("build", "env_file", "network_mode", "read_only", "tmpfs", "cap_drop", "security_opt", "volumes")
    assert {name: gateway[name] for name in alike} == {name: mind[name] for name in alike}
    assert {name for name, one in services.items() if one.get("profiles") == ["scale"]} == {"mind", "nats"}
    told = (ROOT / "docs/scale.md").read_text(encoding="utf-8")
    assert "POST=gateway" in told and "--profile scale up --build --detach --scale mind=" in told


@pytest.mark.skipif(which("systemd-analyze") is None, reason="there is no systemd-analyze here")
@pytest.mark.parametrize("unit", sorted(path.name for path in DEPLOY.glob("*.service")))
def test_a_unit_is_kept_from_what_it_does_not_need(unit: str) -> None:
    said = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--no-pager", DEPLOY / unit],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
    )
    found = re.search(r"Overall exposure level for .*: ([0-9.]+)", said.stdout)
    assert found is not None, said.stderr
    assert float(found[1]) <= MOST_EXPOSED
