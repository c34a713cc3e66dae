"""Reports that could not be taken and were put aside by their fetchers: a few, for a day, in the frontier's store."""

import json

from afresh.base.calendar import DAY
from afresh.base.plain_numbers import counted
from afresh.base.records.frontier import PageReport
from afresh.base.records.frontier_store import FrontierStore

_KEY = "frontier.reports_aside"
_MOST = 100  # remembered
_SHOWN = 200  # characters of a URL


def note(store: FrontierStore, page: PageReport, now: float) -> None:
    """Remembers one of them."""
    kept = [*_read(store, now), (now, page.url[:_SHOWN], page.why)][-_MOST:]
    store.put_setting(_KEY, json.dumps(kept))


def words(store: FrontierStore, now: float) -> str:
    """What was put aside in the last day; '': nothing."""
    kept = _read(store, now)
    if not kept:
        return ""
    _, url, why = kept[-1]
    number = counted(len(kept), "report") if len(kept) < _MOST else f"{_MOST} reports or more"
    return f"{number} of the last day put aside by fetchers, which keep them in a file; the last, {url}: {why}"


def _read(store: FrontierStore, now: float) -> list[tuple[float, str, str]]:
    return [(at, url, why) for at, url, why in json.loads(store.get_setting(_KEY) or "[]") if now - at < DAY]
