"""Commands run here, on a store of their own, with what they printed."""

import json
from pathlib import Path
from typing import Any

import pytest

from afresh.doors.cli.main import run


class Desk:
    """Commands on an empty store, with what they printed."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys

    def run(self, *words: str, code: int = 0) -> str:
        got = run(["--store", str(self.folder / "desk.db"), *words])
        printed = self._capsys.readouterr()
        assert got == code, printed
        return printed.out if code == 0 else printed.err

    def json(self, *words: str) -> Any:
        return json.loads(self.run(*words, "--json"))

    def rows(self, *words: str) -> list[dict[str, Any]]:
        """What a check found, whether or not it fails."""
        run(["--store", str(self.folder / "desk.db"), *words, "--json"])
        return list(json.loads(self._capsys.readouterr().out))

    def file(self, name: str, text: str) -> str:
        """The name of a new file with this in it."""
        (self.folder / name).write_text(text, encoding="utf-8")
        return str(self.folder / name)

    def kinds(self) -> dict[str, str]:
        """What is watched; nothing where no command has made the store."""
        if not (self.folder / "desk.db").exists():
            return {}
        return {item["url"]: item["kind"] for item in self.json("list")}
