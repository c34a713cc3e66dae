"""How far a check is, and which sites it still waits for; what politeness will cost, said beforehand."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from afresh.base.durations import format_duration
from afresh.base.errors import AfreshError
from afresh.base.settings.sections import PolitenessSettings
from afresh.parse.sites import Sites
from afresh.parse.url import canonical

_LONG = 30.0  # seconds from which on somebody wants to know what they wait for
_NAMED = 3  # sites


def sites_of(urls: Iterable[str], site_of: Callable[[str], str]) -> Counter[str]:
    """How many links each site has."""
    counts: Counter[str] = Counter()
    for url in urls:
        counts[_site(url, site_of)] += 1
    return counts


def forecast(urls: Iterable[str], politeness: PolitenessSettings) -> str:
    """What the pauses between two requests to a site will cost; empty: nothing worth a word.

    >>> forecast([f"https://a.example/{n}" for n in range(50)], PolitenessSettings(delay=5.0))
    '50 links of a.example: about 4m5s, with a pause of 5s after each (--delay 1s is less polite, and quicker)'
    """
    urls, delay = set(urls), politeness.delay
    if (len(urls) - 1) * delay < _LONG:
        return ""
    counts = sites_of(urls, Sites(politeness).of)
    site, most = counts.most_common(1)[0]
    seconds = (most - 1) * delay
    if seconds < _LONG:
        return ""
    pause = format_duration(delay)
    quicker = "" if delay <= 1.0 else " (--delay 1s is less polite, and quicker)"
    return (
        f"{most} links of {site}: about {format_duration(round(seconds))}, with a pause of {pause} after each{quicker}"
    )


@contextmanager
def progress_by_site(urls: Sequence[str], site_of: Callable[[str], str]) -> Iterator[Callable[[str], None]]:
    """Gives the function to call with each link that is done: a bar, and the sites that have most left."""
    from afresh.doors.cli.progress import progress_bar  # noqa: PLC0415 (where nobody watches, there is no bar)

    left = sites_of(urls, site_of)

    def words() -> str:
        waiting = [f"{site} {count}" for site, count in left.most_common(_NAMED) if count > 0]
        return "checking" + (f"; left: {', '.join(waiting)}" if waiting else "")

    with progress_bar("checking", len(urls), words=words) as advance:

        def done(url: str) -> None:
            left[_site(url, site_of)] -= 1
            advance()

        yield done


def _site(url: str, site_of: Callable[[str], str]) -> str:
    try:
        return site_of(canonical(url))
    except AfreshError:
        return ""
