"""Packages that only some people need: each extra with a package by which one sees that it is there."""

from importlib.util import find_spec

from afresh.base.errors import UsageError

#: extra: packages it brings
EXTRAS: dict[str, tuple[str, ...]] = {
    "fast": ("numba",),
    "lab": ("scipy", "sklearn", "matplotlib", "numba"),
    "postgres": ("psycopg", "psycopg_pool"),
    "notices": ("apprise",),
    "grpc": ("grpc",),
    "scrapy": ("scrapy",),
    "archive": ("warcio",),
    "browser": ("playwright", "PIL"),
    "parquet": ("pyarrow",),
    "fsspec": ("fsspec",),
    "nats": ("nats",),
    "urlwatch": ("yaml",),
    "dask": ("dask", "distributed", "pyarrow"),
}


#: extra: what it is needed for
PURPOSES: dict[str, str] = {
    "fast": "replays, and stores of 100,000 pages and more",
    "lab": "experiments and their figures, and training verdicts",
    "postgres": "a store or frontier in PostgreSQL",
    "notices": "notices by e-mail, chat and other ways than webhooks",
    "grpc": "crawlers that speak URLFrontier",
    "scrapy": "Scrapy with the frontier as its scheduler",
    "archive": "WARC files, and versions of links from web archives",
    "browser": "pages made by scripts",
    "parquet": "sinks of Parquet files",
    "fsspec": "sinks at s3://, gs:// and the like",
    "nats": "sinks that are streams of NATS",
    "urlwatch": "its list of pages, urls.yaml",
    "dask": "replays on several machines",
}


def is_installed(extra: str) -> bool:
    """Whether every package of an extra can be imported; imports none."""
    return all(_is_there(package) for package in EXTRAS[extra])


def installing(extra: str) -> str:
    """The command that installs an extra from where this installation came."""
    return f"pip install {_installed_from(extra)}"


def _installed_from(extra: str) -> str:
    """What pip noted of a folder or a repository (PEP 610); without a note it was a package index."""
    import json  # noqa: PLC0415 (most lack nothing)
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415
    from urllib.parse import unquote  # noqa: PLC0415

    try:
        noted = json.loads(distribution("afresh").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, OSError, ValueError):
        noted = {}
    url = str(noted.get("url", ""))
    if "vcs_info" in noted:
        return f"'afresh[{extra}] @ {noted['vcs_info'].get('vcs', 'git')}+{url}'"
    if "dir_info" in noted and url.startswith("file://"):
        editable = "-e " if noted["dir_info"].get("editable") else ""
        return f"{editable}'{unquote(url.removeprefix('file://'))}[{extra}]'"
    return f"'afresh[{extra}]'"


def need(extra: str, what: str) -> None:
    """Raises UsageError where an extra is missing; ``what``: the thing that cannot be done without it."""
    if why := wanting(extra, what):
        raise UsageError(why)


def wanting(extra: str, what: str) -> str:
    """The same in words, for whoever does not even offer the thing; empty: nothing is missing."""
    return "" if is_installed(extra) else missing(extra, what)


def missing(extra: str, what: str) -> str:
    """What is said to whoever lacks an extra."""
    return f"{what} needs the extra {extra}, which is not installed: {installing(extra)}"


def extra_of(package: str) -> str | None:
    """The extra that brings a package, the larger one where two do; None: it is none of ours."""
    name = package.partition(".")[0]
    return next((extra for extra, packages in reversed(EXTRAS.items()) if name in packages), None)


def _is_there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ValueError:  # hidden: sys.modules has None in its place
        return False
