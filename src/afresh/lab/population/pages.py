"""Synthetic pages: histories of their changes, site by site, from a seed."""

import numpy as np

from afresh.base.errors import ModelError
from afresh.lab.population.generate import START
from afresh.lab.revisit.standin import DAY, standin
from afresh.lab.traces.pages import PageTrace

#: Changes of a page that are made at the most: one an hour for the longest history.
_MOST_A_DAY = 24.0


def generate_pages(n: int, seed: int, days: float = 365.0, *, sites: int | None = None) -> PageTrace:
    """About n pages observed for so many days, each a Poisson process; the same arguments give the same trace.

    Sites and rates are those of the stand-in for MERGE's repository (``lab.revisit.standin``), but no page changes
    more than once an hour on average: faster ones only make a trace long. Columns: ``host``, ``rate_per_day``
    (expected), ``observed_from``, ``observed_until``.

    >>> trace = generate_pages(100, seed=1, sites=5)
    >>> len(trace), len(set(trace.columns["host"]))
    (100, 5)
    """
    if n < 1:
        raise ModelError(f"a population needs at least one page, not {n}")
    if not 0 < days <= 3_660:
        raise ModelError(f"days must lie between 0 and 3660: {days}")
    pages = standin(n, sites if sites is not None else max(1, n // 20), seed=seed)
    count = len(pages.rate)
    rate = np.minimum(pages.rate.astype(np.float64) * DAY, _MOST_A_DAY)
    rng = np.random.default_rng((seed, 1))  # apart from the one that drew the pages
    changes = rng.poisson(rate * days)
    offsets = np.concatenate(([0], np.cumsum(changes + 1))).astype(np.int64)
    times = np.full(offsets[-1], START)
    is_change = np.ones(len(times), dtype=np.bool_)
    is_change[offsets[:-1]] = False  # the first version of a page is its first observation
    owner = np.repeat(np.arange(count), changes)
    drawn = START + np.ceil(rng.random(len(owner)) * days * DAY)
    times[is_change] = drawn[np.lexsort((drawn, owner))]
    until = START + days * DAY
    site = np.repeat(np.arange(len(pages.offsets) - 1), np.diff(pages.offsets))
    return PageTrace(
        name=f"pages-{count}-{seed}",
        page_ids=np.arange(1, count + 1),
        offsets=offsets,
        times=times,
        columns={
            "host": [f"site{number + 1}.example" for number in site],
            "rate_per_day": [f"{value:.6g}" for value in rate],
            "observed_from": [f"{START:.15g}"] * count,
            "observed_until": [f"{until:.15g}"] * count,
        },
    )


def pages_readme(trace: PageTrace, *, seed: int, days: float) -> str:
    """What the folder of such a trace says about itself."""
    changes = len(trace.times) - len(trace)
    return (
        f"# {trace.name}\n\n"
        f"{len(trace):,} synthetic pages of {len(set(trace.columns['host'])):,} sites with {changes:,} changes in"
        f" {days:g} days, made by `afresh lab generate pages --seed {seed}`. Changes are independent and come at a"
        " steady rate; the rates of a site's pages resemble each other. Real pages are burstier: what holds here\n"
        "holds for the theory's assumptions, not for any web.\n"
    )
