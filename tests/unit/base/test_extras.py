"""What is not installed is named, with the command that installs it; what only makes things faster is not missed."""

import json
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from afresh.base.errors import UsageError
from afresh.base.extras import EXTRAS, extra_of, installing, need

PROJECT = Path(__file__).parents[3] / "pyproject.toml"
HIDDEN = (
    "import sys; sys.modules[{package!r}] = None; from afresh.doors.cli.main import run; sys.exit(run({arguments!r}))"
)


def run_without(package: str, arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    code = HIDDEN.format(package=package, arguments=arguments)
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=200, check=False)


def test_every_extra_can_be_installed() -> None:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    assert set(EXTRAS) <= set(project["optional-dependencies"])


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "warcio", None)
    with pytest.raises(UsageError, match=r"--warc needs the extra archive, .*: pip install .*\[archive\]'"):
        need("archive", "--warc")
    need("postgres", "a PostgreSQL store")


def test_a_package_belongs_to_an_extra() -> None:
    assert extra_of("apprise.plugins") == "notices"
    assert extra_of("numba") == "lab"
    assert extra_of("some.module") is None


@pytest.mark.parametrize(
    ("package", "arguments", "extra"),
    [
        ("numba", ["lab", "replay", "--trace", "nowhere"], "lab"),
        ("scipy", ["lab", "run", "horincar-table-4-1"], "lab"),
        ("numba", ["lab", "recommend", "--trace", "nowhere"], "lab"),
        ("numba", ["lab", "refresh", "--trace", "nowhere"], "lab"),
        ("numba", ["lab", "revisit", "--trace", "nowhere"], "lab"),
        ("matplotlib", ["lab", "trace", "describe", "nowhere", "--plot", "x.svg"], "lab"),
        ("sklearn", ["lab", "verdicts", "--train", "nowhere", "--output", "x"], "lab"),
        ("sklearn", ["learn", "train"], "lab"),
        ("apprise", ["notice", "add", "mailto://a:b@example.org", "--failing"], "notices"),
        ("apprise", ["init", "--tell", "mailto://a:b@example.org"], "notices"),
        ("psycopg", ["--store", "postgresql://nobody@127.0.0.1:1/x", "list"], "postgres"),
        ("psycopg", ["serve", "--store", "postgresql://nobody@127.0.0.1:1/x", "--port", "0"], "postgres"),
        ("psycopg", ["store", "copy", "a.db", "postgresql://nobody@127.0.0.1:1/x"], "postgres"),
        ("grpc", ["serve", "--grpc", "127.0.0.1:0", "--port", "0"], "grpc"),
        ("grpc", ["run", "--grpc", "127.0.0.1:0", "--port", "0"], "grpc"),
        (
            "warcio",
            ["fetch", "--from", "http://127.0.0.1:9/", "--name", "a", "--email", "b@c.de", "--warc", "x"],
            "archive",
        ),
        ("playwright", ["add", "--kind", "page", "--render", "https://a.example/"], "browser"),
    ],
)
def test_a_command_says_what_it_lacks_and_does_nothing(
    package: str, arguments: list[str], extra: str, tmp_path: Path
) -> None:
    answer = run_without(package, arguments, tmp_path)
    assert answer.returncode in (2, 3)
    assert installing(extra) in answer.stderr.rstrip().rpartition("\n")[2]
    assert "Traceback" not in answer.stderr
    made = [path.name for path in tmp_path.iterdir() if path.suffix not in (".lock",)]
    assert made == [], "nothing was begun"


ANSWERS = """
import json, sys
if sys.argv[1] == "plain":
    sys.modules["numba"] = None
sys.path.insert(0, sys.argv[2])
from afresh.feeds.rules import load, names
from tests.laws.rules import answers, lives
rules = [load(name) for name in names()]
told = {rule.name: [due for polls in list(lives(rule))[3:6] for due in answers(rule, polls)] for rule in rules}
print(json.dumps(told))
"""


def test_every_rule_says_the_same_without_a_compiler() -> None:
    """To a millisecond: sums are formed in another order where a compiler may choose."""
    told = {}
    for how in ("plain", "compiled"):
        command = [sys.executable, "-W", "error", "-c", ANSWERS, how, str(PROJECT.parent)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
        told[how] = json.loads(done.stdout)
    assert told["plain"].keys() == told["compiled"].keys()
    for name, answers in told["plain"].items():
        assert answers == pytest.approx(told["compiled"][name], abs=1e-3, rel=0.0), name


def test_experiments_are_listed_without_the_extra(tmp_path: Path) -> None:
    answer = run_without("numba", ["lab", "list"], tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert "horincar-table-4-1" in answer.stdout


def test_feeds_and_pages_are_watched_without_a_compiler(tmp_path: Path) -> None:
    for options in (["--for", "4s"], ["--pages", "60", "--sites", "5", "--for", "6s"]):
        answer = run_without("numba", ["demo", *options, "--port", "0", "--json"], tmp_path)
        assert answer.returncode == 0, answer.stderr
        assert '"politeness_violations": 0' in answer.stdout
        assert '"requests_served": 0' not in answer.stdout


@pytest.mark.parametrize(
    ("noted", "command"),
    [
        (None, "pip install 'afresh[lab]'"),
        ("not JSON", "pip install 'afresh[lab]'"),
        ('{"url": "file:///home/a%20b/afresh", "dir_info": {}}', "pip install '/home/a b/afresh[lab]'"),
        ('{"url": "file:///src/afresh", "dir_info": {"editable": true}}', "pip install -e '/src/afresh[lab]'"),
        (
            '{"url": "https://git.example/afresh.git", "vcs_info": {"vcs": "git", "commit_id": "1"}}',
            "pip install 'afresh[lab] @ git+https://git.example/afresh.git'",
        ),
    ],
)
def test_an_extra_comes_from_where_the_rest_came(
    noted: str | None, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PEP 610: pip notes it beside the installation."""
    monkeypatch.setattr(metadata, "distribution", lambda name: SimpleNamespace(read_text=lambda file: noted))
    assert installing("lab") == command


def test_a_list_of_urlwatch_needs_its_extra(tmp_path: Path) -> None:
    (tmp_path / "urls.yaml").write_text("name: News\nurl: https://a.example/\n---\nurl: https://b.example/\n")
    answer = run_without("yaml", ["import", "urls.yaml"], tmp_path)
    assert answer.returncode == 2
    assert installing("urlwatch") in answer.stderr
    assert "Traceback" not in answer.stderr
