"""The wheel: built without a network, installed without the sources, it works where nothing can be written."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    [made] = folder.glob("afresh-*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--quiet", "--target", str(folder)]
    subprocess.run([*command, str(wheel)], check=True, capture_output=True, timeout=200)
    return folder


def run(installed: Path, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(installed),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home),
    }
    code = (
        "import afresh, sys; sys.stderr.write(afresh.__file__ + '\\n'); from afresh.doors.cli.main import main; main()"
    )
    return subprocess.run(
        [sys.executable, "-P", "-c", code, *words],
        capture_output=True, text=True, timeout=200, cwd=installed.parent, env=environment,
    )  # fmt: skip


def test_everything_that_is_no_code_is_in_it(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    package = ROOT / "src"
    kept = [path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    missing = {str(path.relative_to(package)) for path in kept if path.suffix not in (".nbi", ".nbc")} - names
    assert not missing
    assert not [name for name in names if name.startswith("tests")]
    assert {"frontier.html", "schema.sql"} <= {Path(name).name for name in names}


def test_it_works_where_nothing_can_be_written_but_its_store(installed: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    for folder in (installed, *[path for path in installed.rglob("*") if path.is_dir()]):
        folder.chmod(0o500)
    try:
        before = set(installed.rglob("*"))
        version = run(installed, home, "--version")
        assert version.returncode == 0, version.stderr
        assert version.stderr.startswith(str(installed)), "of the wheel, not of the sources"
        demo = run(installed, home, "demo", "--for", "4s", "--port", "0", "--json")
        assert demo.returncode == 0, demo.stderr
        assert json.loads(demo.stdout)["polls"] > 10
        assert list(home.iterdir()) == []
        if os.geteuid() != 0:  # who is root writes anywhere; then what was written tells
            assert not os.access(home, os.W_OK)
        written = set(installed.rglob("*")) - before
        assert not {path for path in written if path.suffix not in (".nbi", ".nbc")}, "kernels of an extra, at most"
    finally:
        for folder in (installed, *[path for path in installed.rglob("*") if path.is_dir()]):
            folder.chmod(0o700)
