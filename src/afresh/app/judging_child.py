"""The process that judges pages for ``app.judging``: batches on standard input, answers on standard output."""

import marshal
import signal
import sys

import orjson

from afresh.app.judge_link import judge_page, wants_probe
from afresh.app.judging import SIZE, Job, Told
from afresh.core.links.status import Usage
from afresh.core.measures import Profile
from afresh.core.models import Fetched, Redirect, Trip
from afresh.core.verdicts import default_model
from afresh.parse.documents import read_document


def judge_one(job: Job) -> Told:
    """A page nobody saved a version of, judged."""
    url, final_url, content_type, status, size, redirects, body = job
    page = Profile(read_document(body, url=final_url, content_type=content_type))
    if page.page.kind not in ("binary", "empty") and wants_probe(final_url, page):
        return None
    hops = tuple(Redirect(code, target) for code, target in redirects)
    trip = Trip(url=url, final_url=final_url, started=0.0, finished=0.0, bytes=size, redirects=hops)
    outcome = Fetched(trip=trip, status=status, body=body)
    told = judge_page(url, outcome, page, None, model=default_model(), usage=Usage.REFERENTIAL)
    return str(told.status), _clean(told.title), _clean(told.detail), told.turned, _clean(told.new_url)


def _clean(text: str) -> str:
    """Text that JSON can carry."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asks ends us, by closing the pipe
    default_model()
    source, target = sys.stdin.buffer, sys.stdout.buffer
    answers: list[Told] = []
    while True:
        content = orjson.dumps(answers)
        target.write(len(content).to_bytes(SIZE, "big") + content)
        target.flush()
        head = source.read(SIZE)
        if len(head) < SIZE:
            return
        # From the process that started this one, and from nobody else.
        jobs = marshal.loads(source.read(int.from_bytes(head, "big")))  # noqa: S302
        answers = [judge_one(job) for job in jobs]


if __name__ == "__main__":
    main()
