"""The process that judges pages for ``links.judging``: batches on standard input, answers on standard output."""

from __future__ import annotations

import gc
import marshal
import signal
from typing import TYPE_CHECKING, BinaryIO, NoReturn

import orjson

from afresh.base.child_process import be_child, serve
from afresh.base.freed_memory import keep_freed_memory
from afresh.base.models import Fetched, Redirect, Trip
from afresh.base.settings.sections import LinkSettings
from afresh.links.judge import LinkJudge, Seen, is_suspicious, shortened, wants_home, wants_probe, wants_target
from afresh.links.judging_start import Job, Told
from afresh.links.measures.profile import Profile
from afresh.links.unsaved import UnsavedLinks
from afresh.parse.documents import read_document

if TYPE_CHECKING:
    from afresh.base.records.links import ModelChoice
    from afresh.links.verdicts.model import VerdictModel

_NOBODYS = UnsavedLinks()
_LINK = _NOBODYS.add("")  # whichever it is: nothing is known of it
_LONGEST = 10.0  # seconds for one page; an ordinary one takes a few thousandths
_GARBAGE = 50_000  # objects; thousands of short-lived parts of pages, hardly a cycle among them


def judge_one(judge: LinkJudge, job: Job) -> Told:
    """A page nobody saved a version of, judged."""
    url, final_url, content_type, status, size, redirects, body, (is_honest, home_title) = job
    page = Profile(read_document(body, url=final_url, content_type=content_type))
    hops = tuple(Redirect(code, target) for code, target in redirects)
    trip = Trip(url=url, final_url=final_url, started=0.0, finished=0.0, bytes=size, redirects=hops)
    seen = Seen(page, is_honest=is_honest)
    if wants_target(page):
        return None
    may_be_home = home_title is None or page.title_words == home_title or is_suspicious(page)
    if wants_probe(trip, page) and (not is_honest or (may_be_home and wants_home(trip, seen))):
        return None
    outcome = Fetched(trip=trip, status=status, body=body)
    told = shortened(judge.judge_page(_NOBODYS.link(_LINK), outcome, seen).check)
    return str(told.status), _clean(told.title), _clean(told.detail), told.turned, _clean(told.new_url)


def _clean(text: str) -> str:
    """Text that JSON can carry."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def serve_judge(source: BinaryIO, target: BinaryIO) -> None:
    """Answers batch after batch until there is nobody any more."""
    judge = LinkJudge(_NOBODYS, LinkSettings(), model=_model)

    def answer(content: bytes) -> bytes:
        # From the process that started this one, and from nobody else.
        try:
            return orjson.dumps([_in_time(judge, job) for job in marshal.loads(content)])  # noqa: S302
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)

    serve(source, target, answer, greeting=orjson.dumps([]))


def _model(_: ModelChoice) -> VerdictModel:
    """Nothing is compared here, so nobody waits for it."""
    from afresh.links.verdicts.model import default_model  # noqa: PLC0415

    return default_model()


def _in_time(judge: LinkJudge, job: Job) -> Told:
    """A page that is made to take for ever ends this process; who asks then reads its pages apart."""
    signal.setitimer(signal.ITIMER_REAL, _LONGEST)  # takes the place of the one before
    return judge_one(judge, job)


def main() -> NoReturn:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # ends us within a library, too
    keep_freed_memory()
    gc.freeze()
    gc.set_threshold(_GARBAGE)
    be_child(serve_judge)


if __name__ == "__main__":
    main()
