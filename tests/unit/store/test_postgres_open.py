"""Opening a PostgreSQL store: what is said when it cannot be used, and that a password is never part of it."""

import subprocess
import sys

import psycopg
import pytest

from afresh.base.errors import ConfigError, ModelError, SchemaMismatch, StoreBusy, StoreError
from afresh.base.extras import installing
from afresh.base.models import NewResource
from afresh.base.passwords import hide_password
from afresh.doors.cli.main import run
from afresh.store import open_store
from afresh.store.postgres.connection import Connection, Database
from afresh.store.postgres.database import VERSION
from afresh.store.postgres.locks import Lock, try_lock
from afresh.store.postgres.schema import prepare_schema
from tests.fakes.postgres import named_database, postgres_server
from tests.laws.store_material import NOW, feeds

SECRET = "s3cr-t"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:pw@db/x", "postgresql://me:(hidden)@db/x"),
        ("postgresql://me:p@w:d/@db/x", "postgresql://me:(hidden)@db/x"),  # what should have been written %2F
        ("postgresql://me:p@w@db:1/x?a=b", "postgresql://me:(hidden)@db:1/x?a=b"),
        ("postgresql://db/x?user=me&password=pw&sslpassword=y", "postgresql://db/x?user=me&password=(hidden)&sslpassword=(hidden)"),
        ("host=db password='p w' user=me", "host=db password=(hidden) user=me"),
        ("postgresql://me@db/x", "postgresql://me@db/x"),
        ("feeds.db", "feeds.db"),
    ],
)  # fmt: skip
def test_passwords_are_hidden(url: str, shown: str) -> None:
    assert hide_password(url) == shown


def with_password(url: str) -> str:
    return url.replace("postgres@", f"postgres:{SECRET}@")


def complaint(url: str, kind: type[Exception] = StoreError) -> str:
    with pytest.raises(kind) as caught:
        open_store(url)
    chain, error = "", caught.value
    while error is not None:
        chain += f"{error!r} {error}"
        error = error.__cause__  # type: ignore[assignment]
    assert SECRET not in chain
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_server_that_is_not_there_is_named() -> None:
    said = complaint(f"postgresql://me:{SECRET}@127.0.0.1:1/x")
    assert "cannot reach postgresql://me:(hidden)@127.0.0.1:1/x" in said


def test_a_database_that_is_not_there_is_named() -> None:
    assert "no such database" in complaint(with_password(named_database("nowhere")))


def test_a_url_that_cannot_be_read_is_refused_without_being_quoted() -> None:
    assert "not a PostgreSQL URL" in complaint(f"postgresql://me:{SECRET}%zz@db/x", ConfigError)


def test_no_command_shows_the_password(capsys: pytest.CaptureFixture[str]) -> None:
    url = with_password(postgres_server())
    for command in (["config", "show"], ["config", "show", "--json"], ["--set", "x", "status"]):
        run(["--store", url, *command])
    run(["store", "copy", "none.db", url])
    run(["--store", f"postgresql://me:{SECRET}@127.0.0.1:1/x", "list"])
    assert SECRET not in "".join(capsys.readouterr())


def test_without_the_driver_one_is_told_how_to_get_it() -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from afresh.doors.cli.main import run; sys.exit(run(['--store', 'postgresql://h/d', 'list']))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert answer.returncode == 3
    assert installing("postgres") in answer.stderr


def test_a_sqlite_store_does_not_load_the_driver() -> None:
    code = "import sys, afresh.engine.daemon; print('psycopg' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_a_database_of_another_program_is_left_alone(postgres: str) -> None:
    with psycopg.connect(postgres) as connection:
        connection.execute("CREATE TABLE resource (x integer)")
    with pytest.raises(SchemaMismatch, match="another program"):
        open_store(postgres)
    with psycopg.connect(postgres) as connection:
        tables = connection.execute("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace")
        assert tables.fetchall() == [("resource",)]


def test_a_newer_schema_asks_for_an_upgrade(postgres: str) -> None:
    open_store(postgres).close()
    with psycopg.connect(postgres) as connection:
        connection.execute("UPDATE afresh_schema SET version = 99")
    with pytest.raises(SchemaMismatch, match="upgrade afresh"):
        open_store(postgres)


STEPS = {VERSION + 1: "ALTER TABLE site ADD COLUMN extra text;", VERSION + 2: "ALTER TABLE site ADD COLUMN more text;"}


def version(database: Database) -> int:
    with database.asking() as connection:
        row = connection.execute("SELECT version FROM afresh_schema WHERE name = 'store'").fetchone()
        assert row is not None
        return int(row["version"])


def test_migrations_are_applied_whole_or_not_at_all(postgres: str) -> None:
    open_store(postgres).close()
    database = Database(postgres)
    broken = {**STEPS, VERSION + 2: "ALTER TABLE nowhere ADD COLUMN x text;"}
    with pytest.raises(SchemaMismatch), database.asking() as connection:
        prepare_schema(connection, "afresh.store.postgres", "store", VERSION + 2, migrations=broken)
    assert version(database) == VERSION
    with database.asking() as connection:
        prepare_schema(connection, "afresh.store.postgres", "store", VERSION + 2, migrations=STEPS)
        connection.execute("SELECT extra, more FROM site")
    assert version(database) == VERSION + 2
    database.close()


def test_tables_are_not_changed_under_a_running_daemon(postgres: str) -> None:
    daemon = open_store(postgres, exclusive=True)
    second = open_store(postgres, exclusive=True)  # another daemon is welcome
    database = Database(postgres)
    with pytest.raises(StoreBusy, match="a daemon is using them"), database.asking() as connection:
        prepare_schema(connection, "afresh.store.postgres", "store", VERSION + 2, migrations=STEPS)
    for store in (daemon, second):
        store.close()
    with database.asking() as connection:
        prepare_schema(connection, "afresh.store.postgres", "store", VERSION + 2, migrations=STEPS)
    database.close()


def test_connections_the_server_closed_are_replaced(postgres: str) -> None:
    store = open_store(postgres, exclusive=True)
    store.put_setting("a", "1")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE application_name = 'afresh' AND datname = current_database()"
        )
    assert store.get_setting("a") == "1"
    database = Database(postgres)
    with database.writing() as connection:  # the daemon is known to be there again
        assert not try_lock(connection, Lock.DAEMON)
    store.close()
    with database.writing() as connection:
        assert try_lock(connection, Lock.DAEMON)
    database.close()


def test_work_is_begun_again_on_another_connection(postgres: str) -> None:
    database = Database(postgres)
    attempts: list[int] = []

    def work(connection: Connection) -> int:
        attempts.append(connection.info.backend_pid)
        if len(attempts) == 1:
            connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return len(attempts)

    assert database.run(work) == 2
    assert attempts[0] != attempts[1]
    database.close()


def test_a_database_that_was_there_is_waited_for(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("psycopg_pool.base.AttemptWithBackoff.INITIAL_DELAY", 0.01)
    monkeypatch.setattr("afresh.store.postgres.connection.PATIENCE", 1.0)
    database = Database(postgres, pool=1)
    connect, away = Connection.connect, [psycopg.OperationalError("away")] * 2

    def sometimes(*place: object, **parameters: object) -> Connection:
        if away:
            raise away.pop()
        return connect(*place, **parameters)  # type: ignore[arg-type, return-value]

    monkeypatch.setattr(Connection, "connect", sometimes)
    with database.asking() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
        connection.close()
    assert away == []
    away += [psycopg.OperationalError("away")] * 1000
    with pytest.raises(StoreError, match=r"cannot reach .*away"), database.asking():
        pass
    database.close()


def test_too_many_at_once_are_told_that_all_connections_are_in_use(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("afresh.store.postgres.connection.PATIENCE", 0.05)
    database = Database(postgres, pool=1)
    with database.asking(), pytest.raises(StoreBusy, match=r"all connections .* are in use"), database.asking():
        pass
    database.close()
    with pytest.raises(StoreError, match="was closed"), database.asking():
        pass


def test_a_long_list_is_added_whole(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afresh.store.sql.resources.AT_ONCE", 7)
    store = open_store(postgres)
    added = store.add(feeds(10, each=2) + feeds(3), now=NOW)
    assert [one.is_new for one in added] == [True] * 20 + [False] * 3
    assert [one.id for one in added[:20]] == list(range(1, 21))
    with pytest.raises(ModelError):  # found before anything is written
        store.add([*feeds(30), NewResource(url="", site="x")], now=NOW)
    assert store.count() == 20
    store.close()
