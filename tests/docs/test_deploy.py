"""What is shipped for operators fits the program: dashboard, container file, service units."""

import asyncio
import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from afresh.base.settings import load_settings
from afresh.doors.cli.check import check_command
from afresh.doors.rest.metrics import render_metrics
from afresh.engine.daemon import running_daemon
from tests.fakes.frontier_door import FrontierDoor

ROOT = Path(__file__).parents[2]
DASHBOARD: dict[str, Any] = json.loads((ROOT / "deploy" / "grafana-dashboard.json").read_text(encoding="utf-8"))
FRONTIER: dict[str, Any] = json.loads((ROOT / "deploy" / "grafana-frontier.json").read_text(encoding="utf-8"))
CONTAINER = (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8")
UNITS = re.findall(r"```ini\n(.*?)```", (ROOT / "docs" / "operations.md").read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The samples of one scrape of a daemon with a budget: name -> values of the label ``result``."""
    store = str(tmp_path_factory.mktemp("deploy") / "afresh.db")
    loaded = load_settings(overrides={"store.url": store, "budget.requests_per_hour": 60})

    async def scrape() -> bytes:
        async with running_daemon(loaded) as daemon:
            health = {name: 0.0 if value is None else value for name, value in daemon.health().items()}  # as later on
            return render_metrics(daemon.store.stats(now=daemon.now()), health, "0")

    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(asyncio.run(scrape()).decode()):
        for sample in family.samples:
            found.setdefault(sample.name, set()).add(sample.labels.get("result", ""))
    return found


def expressions() -> list[str]:
    return [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]


@pytest.mark.parametrize("expression", expressions())
def test_every_metric_of_the_dashboard_exists(expression: str, samples: dict[str, set[str]]) -> None:
    names = set(re.findall(r"afresh_\w+", expression))
    assert names
    assert names <= samples.keys()
    for name, result in re.findall(r'(afresh_\w+)\{result="(\w+)"\}', expression):
        assert result in samples[name]
    for counter in re.findall(r"rate\((\w+)", expression):
        assert counter.endswith("_total"), "only what never falls has a rate"


@pytest.fixture(scope="module")
def frontier_samples() -> set[str]:
    """The samples of one scrape of a frontier."""
    door = FrontierDoor()
    text = door.client.get("/metrics").text
    door.store.close()
    return {sample.name for family in text_string_to_metric_families(text) for sample in family.samples}


def test_every_metric_of_the_frontiers_dashboard_exists(frontier_samples: set[str]) -> None:
    for expression in [target["expr"] for panel in FRONTIER["panels"] for target in panel["targets"]]:
        names = set(re.findall(r"(?:afresh_)?frontier_\w+", expression))
        assert names
        assert names <= frontier_samples
        for counter in re.findall(r"rate\((\w+)", expression):
            assert counter.endswith(("_total", "_sum", "_count")), "only what never falls has a rate"


@pytest.mark.parametrize("dashboard", [DASHBOARD, FRONTIER], ids=["daemon", "frontier"])
def test_panels_do_not_overlap_and_name_their_source(dashboard: dict[str, Any]) -> None:
    taken: set[tuple[int, int]] = set()
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert place["x"] + place["w"] <= 24, panel["title"]
        assert not cells & taken, panel["title"]
        taken |= cells
        assert panel["datasource"]["uid"] == "${source}"
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])


def test_the_container_file_takes_what_there_is() -> None:
    for line in re.findall(r"^COPY (?!--from)(.+)$", CONTAINER, re.MULTILINE):
        for source in line.split()[:-1]:
            assert (ROOT / source).exists(), source
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    [extras] = re.findall(r"'\.\[([\w,]+)\]'", CONTAINER)
    assert set(extras.split(",")) <= project["optional-dependencies"].keys()
    assert project["readme"] in CONTAINER
    assert all(name in CONTAINER for name in project["license-files"])


@pytest.mark.parametrize("name", ["check-links.yml", "pre-commit-config.yaml"])
def test_links_are_checked_by_a_command_that_exists(name: str) -> None:
    """The hook and the workflow call ``afresh check`` with options it has."""
    text = (ROOT / "deploy" / name).read_text(encoding="utf-8")
    assert isinstance(yaml.safe_load(text), dict)
    [line] = re.findall(r"afresh check (.*)$", text, re.MULTILINE)
    with check_command.make_context("check", shlex.split(line)) as context:
        assert context.params["targets"] == (".",)


def test_service_units_are_read_as_they_are_meant() -> None:
    assert len(UNITS) == 2
    for unit in UNITS:
        lines = [line for line in unit.splitlines() if line and not line.startswith(("#", "["))]
        assert not [line for line in lines if " #" in line], "systemd takes a comment behind a value for a part of it"
        # Nothing but the state directory can be written to, and kernels that cannot be kept cannot be loaded.
        assert "Environment=NUMBA_CACHE_DIR=/var/lib/afresh/.numba" in lines
