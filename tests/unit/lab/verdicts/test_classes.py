"""What is recognised, class by class: pages of our own making in place of generated ones."""

from pathlib import Path
from typing import Any

import pytest

from afresh.lab.verdicts.classes import judge_classes
from afresh.lab.verdicts.pairs import read_histories
from afresh.lab.verdicts.versions import read_versions
from afresh.links.verdicts.model import default_model
from tests.unit.lab.verdicts.test_pairs import generated


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder: Path = generated(tmp_path_factory.mktemp("pages"), sites=6, pages=3)
    return judge_classes(read_histories(read_versions(folder)), default_model())


def test_soft_404_pages_are_told_in_any_language(classes: dict[str, Any]) -> None:
    assert classes["by_kind"]["soft_404"]["first_sight"] >= 0.95
    scripts = classes["by_script"]
    assert {"latin", "cyrillic", "greek", "arabic", "hebrew", "indic", "thai", "kana", "han", "hangul"} <= set(scripts)
    assert {name: row["with_probe"] for name, row in scripts.items() if row["with_probe"] < 0.95} == {}


@pytest.mark.parametrize("kind", ["parked", "login_wall", "consent_wall", "captcha", "maintenance", "suspended"])
def test_parked_pages_and_walls_are_told_at_first_sight(classes: dict[str, Any], kind: str) -> None:
    assert classes["by_kind"][kind]["first_sight"] >= 0.85


@pytest.mark.parametrize("kind", ["captcha", "maintenance", "error_dump"])
def test_what_passes_is_named_and_not_taken_for_a_takeover(classes: dict[str, Any], kind: str) -> None:
    row = classes["by_kind"][kind]
    assert row["different"] >= 0.98
    assert row["named"] >= 0.8


def test_ordinary_pages_raise_no_alarm(classes: dict[str, Any]) -> None:
    assert classes["false_alarms"]["alarms"] <= 0.005 * classes["false_alarms"]["pages"]
