"""Traces from git: commits and tags as the feeds a forge would serve, file versions as page changes."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from afresh.lab.replay.trace import Trace
from afresh.lab.traces.errors import TraceError
from afresh.lab.traces.git import run_git
from afresh.lab.traces.pages import PageTrace
from afresh.lab.traces.read import LATEST
from afresh.lab.traces.streams import pack

#: What forges show: the newest 20 commits, the newest 10 releases.
WINDOWS = {"commits": 20, "releases": 10}


def trace_from_git(
    repos: Sequence[str | Path],
    *,
    streams: Sequence[str] = ("commits", "releases"),
    all_commits: bool = False,
    latest: float = LATEST,
) -> Trace:
    """Feeds of local clones: the commits of HEAD (window 20), the tags (window 10).

    Of the commits only the first-parent line, when they arrived on the branch; with ``all_commits`` those of merged
    branches too, which a reader of the branch saw only at the merge.
    Times are committer dates (tagger dates for annotated tags), sorted: a rebase leaves them out of order. Dates before
    1970 or after ``latest`` are somebody's wrong clock and are left out. A repository without tags has no release feed.
    """
    unknown = [stream for stream in streams if stream not in WINDOWS]
    if unknown:
        raise TraceError(f"unknown stream {unknown[0]!r}; there are {', '.join(WINDOWS)}")
    rows: list[tuple[str, str, list[float]]] = []
    for repo in map(Path, repos):
        for stream in streams:
            read = _commit_times(repo, all_commits=all_commits) if stream == "commits" else _tag_times(repo)
            times = [t for t in read if 0 <= t <= latest]
            if times or stream == "commits":
                rows.append((name_of(repo), stream, times))
    offsets, packed = pack([times for _, _, times in rows])
    return Trace(
        name=_common_name(repos),
        feed_ids=np.arange(1, len(rows) + 1),
        offsets=offsets,
        times=packed,
        windows=np.array([WINDOWS[stream] for _, stream, _ in rows], dtype=np.int64),
        columns={"repo": [repo for repo, _, _ in rows], "stream": [stream for _, stream, _ in rows]},
    )


def page_trace_from_git(repos: Sequence[str | Path], *, paths: Sequence[str] = (), latest: float = LATEST) -> PageTrace:
    """Versions of the files of local clones, each commit that gave a file new content being one.

    ``paths`` are git pathspecs (``*.html``); none means every file. Sizes are those of the stored versions.
    """
    rows: list[tuple[str, str, list[tuple[float, float]]]] = []
    for repo in map(Path, repos):
        for path, versions in _file_versions(repo, paths).items():
            known = sorted(v for v in versions if 0 <= v[0] <= latest)
            if known:
                rows.append((name_of(repo), path, known))
    counts = np.array([len(versions) for _, _, versions in rows], dtype=np.int64)
    flat = np.array([v for _, _, versions in rows for v in versions], dtype=np.float64).reshape(-1, 2)
    return PageTrace(
        name=_common_name(repos),
        page_ids=np.arange(1, len(rows) + 1),
        offsets=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        times=flat[:, 0].copy(),
        sizes=flat[:, 1].copy(),
        columns={
            "repo": [repo for repo, _, _ in rows],
            "path": [path for _, path, _ in rows],
            "versions": [str(len(versions)) for _, _, versions in rows],
        },
    )


def name_of(repo: Path) -> str:
    """What a repository is called in a trace: its folder, without ``.git``."""
    return repo.resolve().name.removesuffix(".git") or str(repo)


def _common_name(repos: Sequence[str | Path]) -> str:
    return name_of(Path(repos[0])) if len(repos) == 1 else f"{len(repos)} repositories"


def merged_commits(repos: Sequence[str | Path]) -> int:
    """How many commits came with merges, so that the first-parent line of HEAD does not have them."""
    return sum(
        int(run_git(repo, "rev-list", "--count", "HEAD", "--"))
        - int(run_git(repo, "rev-list", "--count", "--first-parent", "HEAD", "--"))
        for repo in map(Path, repos)
        if _has_commits(repo)
    )


def _commit_times(repo: Path, *, all_commits: bool) -> list[float]:
    if not _has_commits(repo):
        return []
    line = () if all_commits else ("--first-parent",)
    return _numbers(run_git(repo, "log", *line, "--format=%ct", "HEAD", "--"))


def _has_commits(repo: Path) -> bool:
    return bool(run_git(repo, "rev-parse", "--verify", "--quiet", "HEAD^{commit}", accept=(0, 1)).strip())


def _tag_times(repo: Path) -> list[float]:
    return _numbers(run_git(repo, "for-each-ref", "--format=%(creatordate:unix)", "refs/tags"))


def _numbers(output: bytes) -> list[float]:
    """One time a line; a tag of something without a date gives an empty line."""
    return [float(line) for line in output.split() if line.lstrip(b"-").isdigit()]


def _file_versions(repo: Path, paths: Sequence[str]) -> dict[str, list[tuple[float, float]]]:
    """(time, size) of every version of every file, by path."""
    if not _has_commits(repo):
        return {}
    output = run_git(
        repo,
        *("log", "--reverse", "--first-parent", "-m", "--no-renames", "--no-ext-diff", "--no-textconv"),
        *("--raw", "--no-abbrev", "-z", "--format=%x01%ct", "HEAD", "--", *paths),
    )
    versions: dict[str, list[tuple[float, bytes]]] = defaultdict(list)
    for time, path, blob in _raw_changes(output):
        name = path.decode(errors="replace")
        if not versions[name] or versions[name][-1][1] != blob:
            versions[name].append((time, blob))
    sizes = _blob_sizes(repo, sorted({blob for found in versions.values() for _, blob in found}))
    return {name: [(t, sizes.get(blob, np.nan)) for t, blob in found] for name, found in versions.items()}


def _raw_changes(output: bytes) -> Iterator[tuple[float, bytes, bytes]]:
    """Time, path and new content of each changed file, from ``git log --raw -z``."""
    time = 0.0
    tokens = iter(output.split(b"\0"))
    for token in tokens:
        token = token.lstrip(b"\n")
        if token.startswith(b"\x01"):
            time = float(token[1:])
        elif token.startswith(b":"):
            _, mode, _, blob, status = token.split(b" ")[:5]
            path = next(tokens, b"")
            if not status.startswith(b"D") and mode.startswith(b"100"):  # a plain file: no link, no submodule
                yield time, path, blob


def _blob_sizes(repo: Path, blobs: Sequence[bytes]) -> dict[bytes, float]:
    """Bytes of each blob; one that a partial clone lacks is left out."""
    if not blobs:
        return {}
    output = run_git(repo, "cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=b"\n".join(blobs) + b"\n")
    fields = [line.split() for line in output.splitlines()]
    return {f[0]: float(f[1]) for f in fields if len(f) == 2 and f[1].isdigit()}
