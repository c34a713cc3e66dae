"""What a result makes of a page: when it is due again, how often it changes, whether it is still asked for.

Column-wise over all pages of a report, for every store alike.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from afresh.base.records.frontier import PageResult
from afresh.base.settings.sections import Hygiene
from afresh.store.frontier.intervals import PRIOR_RATE

Floats = NDArray[np.float64]
NEVER: Final = -1.0  # in a column of times: not yet
UNTOLD: Final = -1  # in a column of changes: nobody could tell


class PageStatus(IntEnum):
    """Whether a page is handed out; only ``ACTIVE`` ones are, the others are due at infinity.

    Three of those may come back by themselves: a page that a fetcher found excluded is due again when robots.txt has
    been read anew, one that a fetcher did not want to ask is tried again after pauses that grow, maybe by another, and
    one that was not found is asked for once more, much later.
    """

    ACTIVE = 0
    EXCLUDED = 1  # robots.txt
    GONE = 2  # not found: the answer of a server that works
    FAILING = 3  # errors, again and again
    REFUSED = 4  # its fetcher does not ask such addresses
    BACKLOG = 5  # over its site's budget
    COMPLETED = 6  # not to be fetched again, as a client said
    DAMAGED = 7  # could not be read, and was set aside


#: results by number, as the columns hold them
CODES: Final = {result: code for code, result in enumerate(PageResult)}
_FETCHED, _SAME = CODES[PageResult.FETCHED], CODES[PageResult.NOT_MODIFIED]
_EXCLUDED, _NOT_FOUND = CODES[PageResult.EXCLUDED], CODES[PageResult.NOT_FOUND]
_ERROR, _SKIPPED, _REFUSED = CODES[PageResult.ERROR], CODES[PageResult.SKIPPED], CODES[PageResult.REFUSED]
#: results for which a request went to the server
REQUESTED: Final = np.isin(np.arange(len(CODES)), (_FETCHED, _SAME, _NOT_FOUND, _ERROR))
#: results that count as a visit
VISITED: Final = np.isin(np.arange(len(CODES)), (_FETCHED, _SAME, _NOT_FOUND))
RULES_LAST: Final = 86_400.0  # seconds: then robots.txt is read anew, and what it forbade is looked at again
_FAILED = np.isin(np.arange(len(CODES)), (_NOT_FOUND, _ERROR))
_MAY_COME_BACK = (PageStatus.EXCLUDED, PageStatus.REFUSED, PageStatus.GONE)  # what fails then is tried again


@dataclass(frozen=True, slots=True)
class Pages:
    """The numbers of pages that a visit changes, a column each."""

    due: Floats
    visited: Floats  # NEVER: not yet
    status: NDArray[np.int64]
    failures: NDArray[np.int64]
    looks: NDArray[np.int64]
    changes: NDArray[np.int64]
    span: Floats
    rate: Floats


def is_left_out(status: Any) -> Any:
    """Whether robots.txt forbids a page; of one, or of a column of them."""
    return status == PageStatus.EXCLUDED


def has_failed(status: Any, failures: Any) -> Any:
    """Whether nothing came of a page at its last try."""
    gone, failing, refused = (status == one for one in (PageStatus.GONE, PageStatus.FAILING, PageStatus.REFUSED))
    return (status != PageStatus.EXCLUDED) & (gone | failing | refused | (failures > 0))


def standings(pages: Pages) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Which pages are well, have failed, are left out; the others wait for their first try."""
    left_out, failed = is_left_out(pages.status), has_failed(pages.status, pages.failures)
    return (pages.visited >= 0.0) & ~left_out & ~failed, failed, left_out


def estimate_rate(looks: NDArray[np.int64], changes: NDArray[np.int64], span: Floats) -> Floats:
    """Changes a second from ``changes`` seen at ``looks`` visits over ``span`` seconds; 0 while nothing is known.

    lambda = -ln((n - X + 0.5)/(n + 0.5)) / I with I the mean interval (Cho and Garcia-Molina's bias-reduced estimator).
    """
    told = (looks > 0) & (span > 0.0)
    mean = np.where(told, span / np.maximum(looks, 1), 1.0)
    return np.where(told, -np.log((looks - changes + 0.5) / (looks + 0.5)) / mean, 0.0)


def advance(
    old: Pages,
    results: NDArray[np.int64],
    at: Floats,
    changed: NDArray[np.int64],
    *,
    intervals: float | Callable[[Floats], Floats],
    hygiene: Hygiene,
) -> Pages:
    """The pages after a visit each: ``at`` with these ``results``; ``changed`` is 1, 0 or ``UNTOLD``.

    ``intervals`` are the seconds until a page that is well is due again, or a function of change rates (0: not known).
    """
    ok = (results == _FETCHED) | (results == _SAME)
    failed = _FAILED[results]
    visited = np.where(VISITED[results], at, old.visited)
    # What a fetcher does not want to ask is not failing: how often that happened says nothing about its server.
    refused = results == _REFUSED
    before = np.where(refused == (old.status == PageStatus.REFUSED), old.failures, 0)
    failures = np.where(ok, 0, np.where(failed | refused, before, old.failures) + (failed | refused))
    told = ok & (changed != UNTOLD) & (old.visited >= 0.0) & (at > old.visited)
    looks, changes, span, rate = old.looks, old.changes, old.span, old.rate
    if told.any():
        looks = looks + told
        changes = changes + (told & (changed == 1))
        span = span + np.where(told, at - old.visited, 0.0)
        rate = np.where(told, estimate_rate(looks, changes, span), rate)
    if isinstance(intervals, float):
        due = np.where(ok, at + intervals, old.due)
    else:
        # A few looks within minutes say little: half a change in half a week was believed before the first. Taken by
        # its word, a look after a minute would make a page one of those that change too fast to be chased.
        likely = np.where(looks > 0, (rate * span + 0.5) / (span + 0.5 / PRIOR_RATE), 0.0)
        due = np.where(ok, at + intervals(likely), old.due)
    status = np.where(ok | (failed & np.isin(old.status, _MAY_COME_BACK)), 0, old.status)
    if not ok.all():
        pause = np.minimum(hygiene.retry * np.exp2(np.minimum(failures - 1, 60)), hygiene.longest_retry)
        due = np.where(failed, at + pause, due)
        gone = results == _NOT_FOUND
        status = np.where(failed & (failures >= hygiene.failures), PageStatus.FAILING, status)
        status = np.where(gone, PageStatus.GONE, status)
        status = np.where(results == _EXCLUDED, PageStatus.EXCLUDED, status)
        status = np.where(refused, PageStatus.REFUSED, status)
        due = np.where((status != PageStatus.ACTIVE) & (results != _SKIPPED), np.inf, due)
        due = np.where(results == _EXCLUDED, at + RULES_LAST, due)
        due = np.where(refused, at + pause, due)
        if hygiene.second_look:
            due = np.where(gone & (old.status != PageStatus.GONE), at + hygiene.second_look, due)
    completed = old.status == PageStatus.COMPLETED  # since the list was handed out
    if completed.any():
        due, status = np.where(completed, np.inf, due), np.where(completed, PageStatus.COMPLETED, status)
    return Pages(due, visited, status, failures, looks, changes, span, rate)
