"""The dependency rule: imports point down only, and algorithms stay pure."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "afresh"

_ADAPTERS = {"base", "parse"}
_DOMAIN = {"base", "parse", "http", "store"}
_ENGINE = _DOMAIN | {"feeds", "pages", "links", "frontier", "notices", "sinks"}

#: Which layers of afresh each layer may import. A layer may always import itself; domains are strangers to each other.
MAY_IMPORT: dict[str, set[str]] = {
    "base": set(),
    "parse": {"base"},
    "http": _ADAPTERS,
    "store": _ADAPTERS,
    "feeds": _DOMAIN,
    "pages": _DOMAIN,
    "links": _DOMAIN,
    "frontier": _DOMAIN,
    "notices": _DOMAIN,
    "sinks": _DOMAIN,
    "engine": _ENGINE,
    "lab": _ENGINE | {"engine"},
    "doors": _ENGINE | {"engine", "lab"},
    "__main__": {"doors"},
    "client": {"doors"},
    "scrapy": {"base", "doors"},  # a public name of a door
}

#: Folders of algorithms: numbers and values in, decisions out.
PURE = (
    "feeds/rules",
    "feeds/strategies",
    "feeds/estimators",
    "pages/beliefs",
    "pages/policies",
    "links/measures",
    "links/verdicts",
    "frontier/partitionings",
    "frontier/orders",
)

#: What algorithms may import besides afresh: numbers and plain data.
PURE_MAY_IMPORT = {
    "__future__", "abc", "array", "base64", "bisect", "collections", "contextlib", "copy", "dataclasses", "datetime",
    "difflib", "enum", "fractions", "functools",
    "hashlib", "heapq", "importlib", "itertools", "json", "math", "numba", "numpy", "operator", "rapidfuzz", "re",
    "statistics", "string", "struct", "sys", "types", "typing", "unicodedata", "zlib",
}  # fmt: skip

OUTSIDE_WORLD = (
    "aiohttp",
    "sqlite3",
    "psycopg",
    "fastapi",
    "uvicorn",
    "socket",
    "asyncio",
    "logging",
    "feedparser",
)


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def imports(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Line, full name, and whether the import stands at the top of the file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, id(node) in top
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            yield node.lineno, node.module or "", id(node) in top


def layer_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_imports_point_down() -> None:
    offenders = []
    for path in modules():
        layer = layer_of(path)
        if layer == "__init__":
            continue
        for line, name, _ in imports(path):
            if not name.startswith("afresh."):
                continue
            target = name.split(".")[1]
            if target != layer and target not in MAY_IMPORT[layer]:
                offenders.append(f"{path.relative_to(PACKAGE.parent)}:{line}: {layer} imports {name}")
    assert not offenders, "\n".join(offenders)


def test_algorithms_import_only_numbers_and_data() -> None:
    offenders = [
        f"{path.relative_to(PACKAGE.parent)}:{line}: {name}"
        for path in modules()
        if path.relative_to(PACKAGE).as_posix().startswith(PURE)
        for line, name, _ in imports(path)
        if name.split(".")[0] not in PURE_MAY_IMPORT | {"afresh"} or name.startswith("afresh.base.settings")
    ]
    assert not offenders, "\n".join(offenders)


@pytest.mark.parametrize(
    "module",
    [
        "afresh.base.models",
        "afresh.base.protocols",
        "afresh.feeds.stream",
        "afresh.feeds.rules",
        "afresh.links.verdicts",
    ],
)
def test_importing_algorithms_loads_no_outside_world(module: str) -> None:
    code = f"import sys, {module}; print(sorted(set({OUTSIDE_WORLD!r}) & set(sys.modules)))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(ast.literal_eval(answer.stdout))
    # numba itself brings these two; what matters is that we do not.
    assert loaded <= {"logging", "asyncio", "socket"}, loaded


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from afresh.doors.cli.main import run; run(['--help']); "
        "print(sorted({'numpy', 'numba', 'aiohttp', 'fastapi', 'rich'} & set(sys.modules)), file=sys.stderr)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stderr.strip() == "[]"
    assert "Commands" in answer.stdout


def test_the_daemon_compiles_only_what_it_uses() -> None:
    """A fresh install has no compiled kernels: what the first start imports is what its user waits for."""
    code = (
        "import sys, afresh.engine.daemon; "
        "heavy = ('afresh.lab', 'afresh.pages.model', 'afresh.pages.turns', 'afresh.pages.policies.');"
        "print([m for m in sys.modules if m.startswith(heavy)])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


#: What a journey needs, and what of afresh must not be loaded for it: other domains, promises, forms for programs.
JOURNEYS = {
    "feed": (
        "afresh.doors.cli.add, afresh.doors.cli.run, afresh.feeds.kind, afresh.feeds.rules.priced",
        ("base.protocols", "base.visit_kinds", "base.records.links", "base.records.labels", "base.records.notices",
         "base.records.pages", "base.records.queries", "base.records.push", "base.records.frontier", "doors.presenting",
         "engine.link_", "feeds.queries", "feeds.profiles", "frontier", "lab", "links", "notices", "pages.planner",
         "pages.kind", "parse.opml", "parse.sitemap", "store.session", "store.postgres", "store.sql.links",
         "store.sql.pages", "store.sql.labels", "store.sql.notices", "store.sql.queries", "store.sql.push"),
    ),
    "link": (
        "afresh.doors.cli.check, afresh.doors.cli.check_run, afresh.doors.cli.check_report",
        ("base.protocols", "base.visits", "base.visit_kinds", "base.records.labels", "base.records.notices",
         "base.records.pages", "base.records.queries", "base.records.push", "base.records.frontier", "doors.presenting",
         "doors.rest", "engine.daemon", "engine.loop", "feeds", "frontier", "lab", "links.measures.catalogue",
         "links.models", "links.difference", "base.difference", "links.verdicts.judge", "links.verdicts.model",
         "notices", "pages", "store.session", "store.postgres"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("journey", JOURNEYS)
def test_a_journey_loads_what_it_needs(journey: str) -> None:
    """Import for its type alone what is named in annotations alone, and in a function what few calls need."""
    needed, others = JOURNEYS[journey]
    refused = tuple(f"afresh.{name}" for name in others)
    code = f"import sys, {needed}; print([m for m in sys.modules if m.startswith({refused!r})])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


# --- what no door reaches ---

#: Modules that only the lab or tests reach today, each a debt; the list may only become shorter.
UNREACHED: set[str] = set()


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def named(path: Path, known: set[str]) -> set[str]:
    """Modules that a module imports, or names in a string as registries do."""
    found: set[str] = set()
    here = module_name(path)
    package = here if path.name == "__init__.py" else here.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value.partition(":")[0]
            found |= {text, f"{package}.{text}"} if text.replace(".", "").replace("_", "").isalnum() else set()
    above = {".".join(name.split(".")[:count]) for name in found & known for count in range(1, name.count(".") + 1)}
    return (found | above) & known


def test_a_door_reaches_every_module_outside_the_lab() -> None:
    """What the lab and tests alone reach belongs to them."""
    paths = {module_name(path): path for path in modules()}
    reached: set[str] = set()
    names = ("afresh", "afresh.client", "afresh.scrapy")  # what programs import
    waiting = [name for name in paths if name.startswith(("afresh.doors", "afresh.__main__")) or name in names]
    while waiting:
        name = waiting.pop()
        if name in reached or name.startswith("afresh.lab"):
            continue
        reached.add(name)
        waiting += named(paths[name], set(paths))
    lost = {name for name in paths if name not in reached and not name.startswith("afresh.lab")}
    assert lost <= UNREACHED, "no door reaches: " + ", ".join(sorted(lost - UNREACHED))
    assert lost >= UNREACHED, "reached now, take it off the list: " + ", ".join(sorted(UNREACHED - lost))


def test_the_loop_knows_no_kind_by_name() -> None:
    """What differs between feeds, pages, sitemaps and links is decided by their kinds, not along the way."""
    names = {"FEED", "PAGE", "SITEMAP", "LINK"}
    offenders = [
        f"{module}.py:{node.lineno}: Kind.{node.attr}"
        for module in ("loop", "visit", "outcomes", "budget", "supervision", "daemon")
        if (path := PACKAGE / "engine" / f"{module}.py").exists()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if node.value.id == "Kind" and node.attr in names
    ]
    assert not offenders, "\n".join(offenders)


#: Who may import the HTTP client: its own layer, and the one place that makes it for the gate.
MAY_HAVE_A_CLIENT = {"http/client.py", "engine/fetching.py"}
#: Who may open connections of their own: a hub and a webhook are told, a frontier is asked; none of them is visited.
MAY_OPEN_SESSIONS = {"http/client.py", "http/posting.py", "http/service.py"}
MAY_CONNECT = {"http/pool.py"}


def calls(path: Path, name: str) -> Iterator[int]:
    """Lines that call something of this name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called == name:
                yield node.lineno


def named_modules() -> list[tuple[Path, str]]:
    return [(path, path.relative_to(PACKAGE).as_posix()) for path in modules()]


def outside_lab() -> list[tuple[Path, str]]:
    """The lab asks servers of its own."""
    return [(path, name) for path, name in named_modules() if not name.startswith("lab/")]


def test_nobody_but_the_gate_gets_hold_of_the_http_client() -> None:
    offenders = [
        f"{name}:{line}: imports {imported}; ask the gate (engine.fetching.make_gate) instead"
        for path, name in named_modules()
        if name not in MAY_HAVE_A_CLIENT
        for line, imported, _ in imports(path)
        if imported == "afresh.http.client"
    ]
    offenders += [
        f"{name}:{line}: makes a client of its own"
        for path, name in outside_lab()
        for maker, may in (
            ("HttpFetcher", MAY_HAVE_A_CLIENT),
            ("ClientSession", MAY_OPEN_SESSIONS),
            ("Pool", MAY_OPEN_SESSIONS),
            ("Connection", MAY_CONNECT),
            ("start_connection", MAY_CONNECT),
            ("create_connection", MAY_CONNECT),
            ("open_connection", MAY_CONNECT),
        )
        if name not in may
        for line in calls(path, maker)
    ]
    assert not offenders, "\n".join(offenders)


def test_no_other_way_to_the_web_is_used() -> None:
    others = {"urllib.request", "http.client", "requests", "httpx", "urllib3"}
    offenders = [
        f"{name}:{line}: imports {imported}"
        for path, name in outside_lab()
        for line, imported, _ in imports(path)
        if imported in others
    ]
    assert not offenders, "\n".join(offenders)
