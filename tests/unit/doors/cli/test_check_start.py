"""What ``afresh check`` loads before it asks the first server."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("uvicorn", "fastapi", "rich", "sqlite3", "numba", "scipy", "sklearn", "afresh.lab", "afresh.doors.rest")
#: What the check of one page has no use for: clients and parsers of others, arithmetic, files nobody reads.
NOT_FOR_A_PAGE = (
    "aiohttp", "yarl", "multidict", "email.message", "urllib.request", "http.client", "tempfile", "lxml", "xml.etree",
    "numpy", "rapidfuzz", "msgspec", "difflib", "markdown_it", "docutils", "aiodns", "dateutil", "re2",
    "afresh.http.rendering", "afresh.doors.cli.check_two_processes",
)  # fmt: skip
#: And what a status has no use for besides: whatever reads pages and judges them.
NOT_FOR_A_STATUS = (
    *NOT_FOR_A_PAGE, "selectolax", "hashlib", "afresh.links.judge", "afresh.links.measures", "afresh.links.verdicts",
    "afresh.parse.page", "afresh.parse.documents",
)  # fmt: skip
#: Nobody listens there; everything that asks is loaded all the same.
CHECK = """
import pathlib, socket, sys
from afresh.doors.cli.main import run
with socket.socket() as deaf:
    deaf.bind(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{{deaf.getsockname()[1]}}/"
    pathlib.Path("links.txt").write_text(url)
    target = "links.txt" if {in_file} else url
    code = run(["check", "--json", *{options!r}, "--set", "fetch.allowed_networks=127.0.0.0/8", target])
print(code, sorted(set({absent!r}) & set(sys.modules)))
"""


@pytest.mark.parametrize(
    ("options", "absent"), [((), NOT_FOR_A_PAGE), (("--status-only",), NOT_FOR_A_STATUS)], ids=["page", "status"]
)
@pytest.mark.parametrize("in_file", [False, True], ids=["given", "listed"])
def test_one_link_is_checked_with_little(
    options: tuple[str, ...], absent: tuple[str, ...], in_file: bool, tmp_path: Path
) -> None:
    """A module on the list costs every check of a link its time; who needs one has it imported where it is needed.

    A file of addresses, too, is read without what reads bookmarks, OPML, dates in any form or pages.
    """
    code = CHECK.format(options=options, absent=(*HEAVY, *absent), in_file=in_file)
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert answer.stdout.splitlines()[-1] == "1 []"


@pytest.mark.parametrize(
    ("modules", "absent"),
    [
        ("afresh.doors.cli.check", (*HEAVY, "aiohttp", "afresh.store")),
        (
            ", ".join(f"afresh.doors.cli.{name}" for name in ("check", "check_run", "check_report")),
            (*HEAVY, *NOT_FOR_A_PAGE),
        ),
        ("afresh.links.checker", (*HEAVY, *NOT_FOR_A_PAGE)),
    ],
)
def test_a_check_loads_no_server_store_or_table(modules: str, absent: tuple[str, ...]) -> None:
    code = f"import sys, {modules}; print(sorted(set({absent!r}) & set(sys.modules)))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted where the system lists them")
def test_a_check_starts_no_threads_for_linear_algebra() -> None:
    code = "import os, afresh.doors.cli.check, afresh.doors.cli.check_run; print(len(os.listdir('/proc/self/task')))"
    plain = {name: value for name, value in os.environ.items() if "NUM_THREADS" not in name}
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=plain)
    assert answer.stdout.strip() == "1"
