"""How good was a crawl? Visited pages and their share, Freshness′, utilisation, throughput.

[G20] §7.1.4, eq. 3 to 7.
"""

from afresh.base.errors import ModelError


def visited_pages(urls: int, visited_ratio: float) -> float:
    """Pages visited at least once, [G20] eq. 4; stands for coverage where every run starts from the same pages."""
    return urls * visited_ratio


def visited_share(visited: float, initial: float, links: float) -> float:
    """The share of known pages that are visited, when each visit finds so many new pages nobody visits.

    It flattens: with 5 new pages a visit it never exceeds 1/5, so the number of visits belongs beside it.

    >>> round(visited_share(20_000, 20_000, 5), 4)
    0.1667
    """
    known = initial + links * visited
    return visited / known if known > 0.0 else 0.0


def visits_behind(share: float, initial: float, links: float) -> float:
    """The number of visits that a published share stands for: the inverse of ``visited_share``.

    >>> round(visits_behind(0.16, 20_000, 5))
    16000
    """
    if links * share >= 1.0:
        raise ModelError(f"a share of {share} cannot be reached when each visit finds {links} new pages")
    return share * initial / (1.0 - links * share)


def freshness_prime(mean_last_visited: float, started: float) -> float:
    """How far the mean time of the last visits lies after the start, in seconds ([G20] eq. 5): less is older.

    Only visited pages count, so it cannot tell whether a page is current; see ``true_freshness``.
    """
    return mean_last_visited - started


def utilisation(cpu_seconds: float, seconds: float) -> float:
    """The share of the time in which a processor was busy ([G20] eq. 6), of all processes of the part."""
    return cpu_seconds / seconds if seconds > 0.0 else 0.0


def throughput(amount: float, seconds: float) -> float:
    """Pages or bytes per second ([G20] eq. 3), which [G20] did not measure."""
    return amount / seconds if seconds > 0.0 else 0.0


def true_freshness(current: int, known: int) -> float:
    """The share of known pages whose copy is current ([G20] eq. 2); pages never visited have no copy."""
    return current / known if known else 0.0
