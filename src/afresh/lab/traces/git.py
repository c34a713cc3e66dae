"""Git asked safely: no shell, no pager, nothing that a repository's own settings could start."""

import os
import shutil
import subprocess
from pathlib import Path

from afresh.lab.traces.errors import TraceError

PATIENCE = 1_800.0  # seconds; a large history takes minutes

# A repository may come from a stranger: settings in its .git/config that would run a program are overruled.
HARMLESS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "log.showSignature=false",
    "diff.external=",
    "protocol.allow=never",
    "core.quotePath=false",
)


def run_git(repo: Path, *arguments: str, stdin: bytes = b"", accept: tuple[int, ...] = (0,)) -> bytes:
    """Standard output of ``git ARGUMENTS`` in a local repository; TraceError when it fails."""
    program = shutil.which("git")
    if program is None:
        raise TraceError("git is not installed", path=str(repo))
    place = repo.resolve()
    if not place.is_dir():
        raise TraceError("no such repository; give the folder of a local clone", path=str(repo))
    command = [program, "--no-pager", *(part for setting in HARMLESS for part in ("-c", setting)), "-C", str(place)]
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program, arguments never pass a shell
            [*command, *arguments],
            input=stdin,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
            env={
                "PATH": os.defpath,
                "LC_ALL": "C",
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_CONFIG_GLOBAL": os.devnull,
                "GIT_TERMINAL_PROMPT": "0",
                "GIT_OPTIONAL_LOCKS": "0",
                "GIT_NO_LAZY_FETCH": "1",
                # The caller named this folder; a search upwards could end in another repository.
                "GIT_CEILING_DIRECTORIES": str(place.parent),
            },
        )
    except subprocess.TimeoutExpired as error:
        raise TraceError(f"git took longer than {PATIENCE:.0f} s", path=str(repo)) from error
    except OSError as error:
        raise TraceError(f"git could not be started: {error.strerror or error}", path=str(repo)) from error
    if done.returncode not in accept:
        reason = done.stderr.decode(errors="replace").strip().splitlines()
        raise TraceError(f"git: {reason[-1][:300] if reason else f'exit code {done.returncode}'}", path=str(repo))
    return done.stdout
