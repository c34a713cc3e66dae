"""The lock file fits the project file, and names no place to install from."""

import re
import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement

from afresh.base.settings import load_settings

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCK = [line for line in (ROOT / "requirements-dev.lock").read_text("utf-8").splitlines() if not line.startswith("#")]


def test_every_requirement_is_locked_at_a_version_it_allows() -> None:
    versions = dict(line.split("==") for line in LOCK)
    texts = [*PROJECT["dependencies"], *(text for more in PROJECT["optional-dependencies"].values() for text in more)]
    for wanted in map(Requirement, texts):
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        if name == "afresh" or (wanted.marker is not None and not wanted.marker.evaluate()):
            continue
        assert name in versions, f"{name}: make lock"
        assert wanted.specifier.contains(versions[name], prereleases=True), f"{name}: make lock"


def test_the_lock_says_names_and_versions_only() -> None:
    for line in LOCK:
        assert re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.+]*", line), line


def test_compose_starts_what_is_here() -> None:
    text = (ROOT / "deploy" / "compose.yaml").read_text(encoding="utf-8")
    services = yaml.safe_load(text)["services"]
    assert services.keys() == {"afresh", "postgres", "prometheus", "grafana"}
    build = services["afresh"]["build"]
    assert (ROOT / "deploy" / build["context"] / build["dockerfile"]).resolve().is_file()
    for name in re.findall(r"[\w-]+\.json", text):
        assert (ROOT / "deploy" / name).is_file(), name
    content = {name: yaml.safe_load(one["content"]) for name, one in yaml.safe_load(text)["configs"].items()}
    [job] = content["prometheus"]["scrape_configs"]
    assert job["static_configs"] == [{"targets": ["afresh:8080"]}]
    for service in services.values():
        used = [one.partition(":")[0] for one in service.get("volumes", ())]
        assert set(used) <= yaml.safe_load(text)["volumes"].keys()
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ())), "for this machine only"
    assert ":latest" not in text


def test_what_compose_tells_afresh_is_a_setting_it_takes() -> None:
    services = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text(encoding="utf-8"))["services"]
    given = services["afresh"]["environment"]
    loaded = load_settings(environment={name: re.sub(r"\$\{(\w+)[^}]*\}", r"\1", text) for name, text in given.items()})
    origins = {item.source for item in loaded.origins}
    assert {f"environment {name}" for name in given} <= origins, "each of them is known"
    assert "afresh" in loaded.settings.service.names, "by which Prometheus asks"
