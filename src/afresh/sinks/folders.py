"""Folders that files are put into whole: on this machine, or at any address that fsspec knows."""

import os
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from afresh.base.errors import UsageError
from afresh.base.extras import need
from afresh.base.passwords import hide_password
from afresh.base.records.sinks import SinkAway

_LOCAL = "file://"


class Folder(Protocol):
    """Where files are put. Whatever goes wrong is SinkAway."""

    def names(self, *, beginning: str = "", ending: str = "") -> list[str]:
        """Of the files there with such a beginning and ending, sorted."""
        ...

    def put(self, name: str, body: bytes) -> None:
        """A whole file or none; it outlives a crash when this returns. One of that name is replaced."""
        ...


def folder_at(where: str) -> Folder:
    """The folder of a path, of file://… or of another address of fsspec (s3://…, gs://…, memory://…)."""
    if where.startswith(_LOCAL):
        return LocalFolder(Path(where.removeprefix(_LOCAL)))
    return RemoteFolder(where) if "://" in where else LocalFolder(Path(where))


class LocalFolder:
    """A folder of this machine."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self, *, beginning: str = "", ending: str = "") -> list[str]:
        try:
            found = [item.name for item in self.path.iterdir()] if self.path.exists() else []
        except OSError as error:
            raise away(self.path, error) from error
        return sorted(name for name in found if name.startswith(beginning) and name.endswith(ending))

    def put(self, name: str, body: bytes) -> None:
        written = self.path / f".{name}.part"
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with written.open("wb") as file:
                file.write(body)
                file.flush()
                os.fsync(file.fileno())
            written.replace(self.path / name)
            keep_names(self.path)
        except OSError as error:
            with suppress(OSError):
                written.unlink(missing_ok=True)
            raise away(self.path, error) from error


class RemoteFolder:
    """A folder at an address of fsspec: object stores show an object when all of it is there."""

    def __init__(self, address: str) -> None:
        need("fsspec", f"a sink at {address.partition('://')[0]}://…")
        self._address, self._system, self._path = address, None, ""
        try:
            import_module("fsspec").get_filesystem_class(address.partition("://")[0])
        except (ImportError, ValueError) as error:
            raise UsageError(f"{hide_password(address)}: {error}") from error

    def names(self, *, beginning: str = "", ending: str = "") -> list[str]:
        try:
            system = self._open()
            found = system.ls(self._path, detail=False, refresh=True) if system.exists(self._path) else []
        except Exception as error:  # every plug-in of fsspec raises errors of its own
            raise away(self._address, error) from error
        names = [str(path).rpartition("/")[2] for path in found]
        return sorted(name for name in names if name.startswith(beginning) and name.endswith(ending))

    def put(self, name: str, body: bytes) -> None:
        try:
            self._open().pipe_file(f"{self._path}/{name}", body)
        except Exception as error:  # every plug-in of fsspec raises errors of its own
            raise away(self._address, error) from error

    def _open(self) -> Any:
        if self._system is None:
            self._system, path = import_module("fsspec").core.url_to_fs(self._address)
            self._path = path.rstrip("/")
        return self._system


def keep_names(folder: Path) -> None:
    """Makes new names of a folder outlive a crash of the machine."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def away(where: object, error: Exception) -> SinkAway:
    """What is said of a place that cannot be written to."""
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return SinkAway(f"{hide_password(str(where))} cannot be written to: {reason}")
