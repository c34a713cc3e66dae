import json
import os
import subprocess

import numpy as np
import pytest
from click.testing import CliRunner

from afresh.base.errors import UsageError
from afresh.doors.cli.lab.trace import from_git_command
from afresh.lab.traces import merged_commits, page_trace_from_git, read_page_trace, trace_from_git, write_page_trace
from afresh.lab.traces.errors import TraceError

DAY = 86_400
MONDAY = 1_577_836_800  # 2020-01-01


class Repo:
    """A repository whose commits are made at given times."""

    def __init__(self, path):
        self.path = path
        path.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments, at=MONDAY):
        env = {
            "PATH": os.defpath,
            "HOME": str(self.path),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@example.org",
            "GIT_AUTHOR_DATE": f"{at} +0000",
            "GIT_COMMITTER_DATE": f"{at} +0000",
        }
        subprocess.run(["git", *arguments], cwd=self.path, env=env, check=True, capture_output=True)

    def commit_signed(self, at):
        """A commit that carries a signature, so that showing it would ask for its verification."""
        run = subprocess.run
        tree = run(["git", "write-tree"], cwd=self.path, check=True, capture_output=True, text=True).stdout.strip()
        parent = run(["git", "rev-parse", "HEAD"], cwd=self.path, check=True, capture_output=True, text=True).stdout
        who = f"a <a@example.org> {at} +0000"
        signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----"
        raw = f"tree {tree}\nparent {parent.strip()}\nauthor {who}\ncommitter {who}\n{signature}\n\nx\n"
        add = ["git", "hash-object", "-t", "commit", "-w", "--stdin"]
        name = run(add, cwd=self.path, check=True, capture_output=True, text=True, input=raw).stdout.strip()
        self.git("update-ref", "HEAD", name)

    def commit(self, at, **files):
        for name, text in files.items():
            path = self.path / name.replace("_", ".")
            if text is None:
                path.unlink()
            else:
                path.write_text(text)
        self.git("add", "-A", at=at)
        self.git("commit", "-q", "--allow-empty", "-m", "x", at=at)


@pytest.fixture
def repo(tmp_path):
    repo = Repo(tmp_path / "site")
    repo.commit(MONDAY, a_html="1", b_txt="1")
    repo.commit(MONDAY + DAY, a_html="22")
    repo.git("tag", "v1")
    repo.commit(MONDAY + 2 * DAY)
    repo.git("tag", "-a", "v2", "-m", "x", at=MONDAY + 5 * DAY)
    repo.commit(MONDAY + 3 * DAY, a_html="333", b_txt=None)
    return repo


def test_commits_and_tags_become_feeds(repo):
    trace = trace_from_git([repo.path])
    assert trace.name == "site"
    assert trace.columns == {"repo": ["site", "site"], "stream": ["commits", "releases"]}
    assert trace.windows.tolist() == [20, 10]
    assert trace.stream(0).tolist() == [MONDAY + i * DAY for i in range(4)]
    assert trace.stream(1).tolist() == [MONDAY + DAY, MONDAY + 5 * DAY]  # commit date, tagger date


@pytest.fixture
def merged(repo):
    """With a branch of one commit that was merged two days later."""
    repo.git("checkout", "-q", "-b", "side")
    repo.commit(MONDAY + 10 * DAY, c_txt="1")
    repo.git("checkout", "-q", "main")
    repo.commit(MONDAY + 8 * DAY, d_txt="1")
    repo.commit(MONDAY + 7 * DAY, d_txt="2")  # a wrong clock
    repo.git("merge", "-q", "--no-ff", "-m", "m", "side", at=MONDAY + 12 * DAY)
    return repo


def test_only_the_first_parent_line_counts_and_times_ascend(merged):
    times = trace_from_git([merged.path], streams=("commits",)).times
    assert times.tolist() == [MONDAY + i * DAY for i in (0, 1, 2, 3, 7, 8, 12)]
    assert merged_commits([merged.path, merged.path]) == 2


def test_all_commits_are_taken_if_asked_for(merged):
    times = trace_from_git([merged.path], streams=("commits",), all_commits=True).times
    assert times.tolist() == [MONDAY + i * DAY for i in (0, 1, 2, 3, 7, 8, 10, 12)]


def run(*arguments):
    return CliRunner().invoke(from_git_command, [str(argument) for argument in arguments], standalone_mode=False)


def test_the_command_and_the_readme_say_which_commits_are_left_out(merged, tmp_path):
    said = run(merged.path, "-o", tmp_path / "out").output.splitlines()
    assert said[0].endswith("feeds 2, entries 9, left_out 1")
    assert said[1] == "left out: commits of merged branches; --all-commits takes them"
    assert json.loads(run(merged.path, "-o", tmp_path / "out", "--overwrite", "--json").output)["left_out"] == 1
    readme = (tmp_path / "out" / "README.md").read_text()
    assert "the commits of HEAD's first-parent line, without the 1 of merged branches (--all-commits" in readme
    rows = [line.split("|")[1:3] for line in readme.splitlines() if line.startswith("| ")][1:]
    assert [name.strip() for name, _ in rows] == ["feed_id", "window", "repo", "stream"]
    assert all(meaning.strip() for _, meaning in rows)
    said = run(merged.path, "-o", tmp_path / "all", "--all-commits").output
    assert said == f"folder {tmp_path / 'all'}, feeds 2, entries 10, left_out 0\n"
    assert "all commits of HEAD, and tags." in (tmp_path / "all" / "README.md").read_text()
    refused = run(merged.path, "-o", tmp_path / "pages", "--all-commits", "--pages").exception
    assert isinstance(refused, UsageError)


def test_impossible_dates_are_left_out(repo):
    repo.commit(MONDAY + 200 * DAY)
    times = trace_from_git([repo.path], streams=("commits",), latest=MONDAY + 100 * DAY).times
    assert times.max() < MONDAY + 100 * DAY


def test_file_versions_become_page_changes(repo, tmp_path):
    trace = page_trace_from_git([repo.path])
    assert trace.columns["path"] == ["a.html", "b.txt"]
    assert trace.versions(0).tolist() == [MONDAY, MONDAY + DAY, MONDAY + 3 * DAY]
    assert trace.sizes is not None
    assert trace.sizes.tolist() == [1, 2, 3, 1]
    assert trace.changes(1).tolist() == []
    only = page_trace_from_git([repo.path], paths=["*.html"])
    assert only.columns["path"] == ["a.html"]
    back = read_page_trace(write_page_trace(trace, tmp_path / "out"))
    np.testing.assert_array_equal(back.times, trace.times)


def test_hostile_names(tmp_path):
    repo = Repo(tmp_path / "--upload-pack=touch x;$(id)")
    name = 'x\n"y,;\r z.html'
    (repo.path / name).write_text("1")
    repo.commit(MONDAY)
    trace = page_trace_from_git([repo.path])
    assert trace.columns["path"] == [name]
    back = read_page_trace(write_page_trace(trace, tmp_path / "out"))
    assert back.columns["path"] == [name]
    assert len(trace_from_git([repo.path]).times) == 1


def test_settings_of_the_repository_start_nothing(repo, tmp_path):
    repo.commit_signed(MONDAY + 4 * DAY)
    marker = tmp_path / "ran"
    script = tmp_path / "evil"
    script.write_text(f"#!/bin/sh\ntouch {marker}\ncat\n")
    script.chmod(0o755)
    for setting in ("core.pager", "core.fsmonitor", "diff.external", "gpg.program", "diff.evil.textconv"):
        repo.git("config", setting, str(script))
    repo.git("config", "log.showSignature", "true")
    (repo.path / ".git" / "info").mkdir(exist_ok=True)
    (repo.path / ".git" / "info" / "attributes").write_text("* diff=evil\n")
    trace_from_git([repo.path])
    page_trace_from_git([repo.path])
    assert not marker.exists()


def test_a_repository_without_commits_is_an_empty_feed(tmp_path):
    repo = Repo(tmp_path / "new")
    trace = trace_from_git([repo.path])
    assert trace.columns["stream"] == ["commits"]
    assert len(trace.times) == 0
    assert len(page_trace_from_git([repo.path])) == 0


def test_several_repositories(repo, tmp_path):
    other = Repo(tmp_path / "other")
    other.commit(MONDAY)
    trace = trace_from_git([repo.path, other.path])
    assert trace.name == "2 repositories"
    assert trace.columns["repo"] == ["site", "site", "other"]


def test_what_is_no_repository_is_named(repo, tmp_path):
    with pytest.raises(TraceError, match="no such repository"):
        trace_from_git([tmp_path / "absent"])
    (tmp_path / "plain").mkdir()
    with pytest.raises(TraceError, match="not a git repository"):
        trace_from_git([tmp_path / "plain"])
    inner = repo.path / "inner"
    inner.mkdir()
    with pytest.raises(TraceError, match="not a git repository"):  # the one around it was not asked for
        trace_from_git([inner])
    with pytest.raises(TraceError, match="unknown stream 'issues'"):
        trace_from_git([repo.path], streams=("issues",))
