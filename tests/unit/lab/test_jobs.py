"""Commands beside a daemon: what cannot be started says so, and what printed nothing has no report."""

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from afresh.lab.jobs import Job, Jobs, RunState
from afresh.lab.verdicts.trainings import Training, Wish
from afresh.links.verdicts.kernels import Kernel


@dataclass(slots=True, kw_only=True)
class Python(Job):
    """A few words of Python, or a program that is not there."""

    program: str = sys.executable
    words: str
    found: Mapping[str, str] = field(default_factory=dict)

    def command(self) -> tuple[str, ...]:
        return (self.program, "-c", self.words)

    def environment(self) -> Mapping[str, str]:
        return self.found


def done(words: str, program: str = sys.executable, **found: str) -> tuple[Python, str]:
    """The job when it is over, and what it printed."""

    async def main() -> tuple[Python, str]:
        jobs = Jobs[Python]()
        job = jobs.begin(
            lambda number, folder, asked: Python(
                number=number, folder=folder, asked=asked, program=program, words=words, found=found
            )
        )
        async with asyncio.timeout(60):
            while not job.is_over:
                await asyncio.sleep(0.01)
        said = job.said()
        await jobs.close()
        assert not job.folder.exists()
        return job, said

    return asyncio.run(main())


def test_lines_and_print_are_kept_apart() -> None:
    job, said = done("import os, sys; print(os.environ['WORD']); print('one\\ntwo', file=sys.stderr)", WORD="secret")
    assert (job.state, list(job.lines), said.split()) == (RunState.DONE, ["one", "two"], ["secret"])
    assert job.started is not None
    assert job.ended is not None
    assert job.asked <= job.started <= job.ended


def test_what_ends_badly_has_failed() -> None:
    assert done("raise SystemExit(3)")[0].state is RunState.FAILED


def test_what_cannot_be_started_says_so() -> None:
    job, _ = done("", program="/no/such/program")
    assert job.state is RunState.FAILED
    assert "could not be run" in job.lines[-1]


def training(folder: Path, **wish: object) -> Training:
    wanted = Wish(**wish)  # type: ignore[arg-type]
    beside = {"AFRESH_STORE_URL": "postgresql://me:secret@db/afresh"}
    return Training(number=1, folder=folder, asked=0.0, wish=wanted, beside=beside)


def test_a_training_is_told_what_was_wished_for(tmp_path: Path) -> None:
    words = training(
        tmp_path, owner="-x", kernel=Kernel.LINEAR, measures=("TEXT", "title"), link=7, rater="", transduction=True
    ).command()
    assert words[words.index("-m") :][:5] == ("-m", "afresh", "learn", "train", "--json")
    assert {"--owner=-x", "--kernel=linear", "--measure=TEXT", "--measure=title", "--link=7", "--rater="} <= set(words)
    assert "--transduction" in words
    assert not any("secret" in word for word in words)
    assert not any(word.startswith(("--link", "--rater", "--kernel")) for word in training(tmp_path).command())


def test_a_training_that_said_nothing_came_to_nothing(tmp_path: Path) -> None:
    job = training(tmp_path)
    assert not job.is_done(0)
    for said in ("", "[]", "{", "Traceback"):
        (tmp_path / "said").write_text(said)
        assert not job.is_done(1), "a crash ends with 1, too"
    (tmp_path / "said").write_text('{"model": 3, "is_better": false}')
    assert job.is_done(1)
    assert not job.is_done(2)
    job.state = RunState.DONE
    assert job.report() == {"model": 3, "is_better": False}
