"""When pages are due again that a client brings back without a time: by how often they changed."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from afresh.base.page_numbers import site_of
from afresh.base.records.frontier import PageResult
from afresh.base.records.queues import Put
from afresh.base.settings.sections import Hygiene
from afresh.store.frontier.intervals import FIRST_PRICE, revisit_intervals
from afresh.store.frontier.report_effects import LONGEST_TEXT, to_pages
from afresh.store.frontier.session import Session
from afresh.store.frontier.visits import CODES, UNTOLD, Floats, Pages, advance


def first_time(now: float, hygiene: Hygiene) -> float:
    """When a page is due that nobody has seen but its client."""
    return now + float(_intervals(np.zeros(1), np.full(1, FIRST_PRICE), hygiene)[0])


def next_times(
    session: Session, known: Mapping[int, Put], numbers: Sequence[int], now: float, hygiene: Hygiene
) -> dict[int, float]:
    """When these pages are due again; what their visit taught is written."""
    old, contents = to_pages(session.rows("pages", {"pages": session.as_set(numbers)}))
    found = [known[number].content[:LONGEST_TEXT] for number in numbers]
    changed = [
        int(after != before) if after and before else UNTOLD for before, after in zip(contents, found, strict=True)
    ]
    sites = session.as_set(sorted({site_of(number) for number in numbers}))
    of_site: dict[int, float] = dict(session.rows("prices", {"sites": sites}))
    prices = np.array([of_site.get(site_of(number)) or FIRST_PRICE for number in numbers])
    new = advance(
        old,
        np.full(len(numbers), CODES[PageResult.FETCHED], dtype=np.int64),
        np.full(len(numbers), now),
        np.array(changed, dtype=np.int64),
        intervals=lambda rates: _intervals(rates, prices, hygiene),
        hygiene=hygiene,
    )
    _learn(session, numbers, old, new, [after or before for before, after in zip(contents, found, strict=True)])
    # Of a page that was completed the visit begins anew: `advance` leaves such as they are.
    again = np.where(np.isinf(new.due), now + _intervals(new.rate, prices, hygiene), new.due)
    return dict(zip(numbers, again.tolist(), strict=True))


def _intervals(rates: Floats, prices: Floats, hygiene: Hygiene) -> Floats:
    return revisit_intervals(rates, prices, shortest=hygiene.shortest_revisit, longest=hygiene.longest_revisit)


def _learn(session: Session, numbers: Sequence[int], old: Pages, new: Pages, contents: list[str]) -> None:
    columns = [column.tolist() for column in (new.looks, new.changes, new.span, new.rate)]
    session.run_many("learn_pages", list(zip(*columns, contents, numbers, strict=True)))
    more: defaultdict[int, float] = defaultdict(float)
    for number, rate in zip(numbers, (new.rate - old.rate).tolist(), strict=True):
        more[site_of(number)] += rate
    session.run_many("learn_sites", [(rate, site) for site, rate in sorted(more.items()) if rate])
