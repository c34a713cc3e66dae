"""The programs of "Use it from Python" run as they are printed, against real services on loopback."""

import re
from pathlib import Path

import pytest

from afresh.doors.rest import create_app
from afresh.lab.bench_grpc.server import running_server
from afresh.store import open_store
from tests.fakes.served import served
from tests.fakes.service_context import FakeContext

GUIDE = Path(__file__).parents[2] / "docs" / "howto" / "use-from-python.md"


def test_every_program_of_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(programs) >= 6
    monkeypatch.chdir(tmp_path)
    url = str(tmp_path / "daemon.db")
    store = open_store(url)
    names: dict[str, object] = {}
    with (
        served(create_app(FakeContext(store, store_url=url))) as daemon,
        running_server(str(tmp_path / "served.db"), tmp_path) as frontier,
    ):
        places = {
            "http://127.0.0.1:8080": daemon,
            "http://127.0.0.1:8081": frontier.base,
            "127.0.0.1:7071": frontier.address,
        }
        for program in programs:
            for printed, real in places.items():
                program = program.replace(printed, real)
            exec(compile(program, str(GUIDE), "exec"), names)
    store.close()
    assert names["found"]
