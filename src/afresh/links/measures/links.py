"""Measures that look only at links.  [M03] §4.5.3, Table 4.2."""

from afresh.links.measures.profile import Profile
from afresh.links.measures.sets import contained, jaccard


def url_link(a: Profile, b: Profile) -> float:
    """Share of positions with the same link address, in order.  [M03] eq. 4.11, sum to min - 1 (errata)."""
    return _in_place([link.url for link in a.page.links], [link.url for link in b.page.links])


def text_link(a: Profile, b: Profile) -> float:
    """Share of positions with the same link text, in order.  [M03] eq. 4.12."""
    return _in_place([link.text for link in a.page.links], [link.text for link in b.page.links])


def url_link_bag(a: Profile, b: Profile) -> float:
    """Jaccard coefficient of the sets of link addresses.  [M03] eq. 4.13."""
    return jaccard(a.link_urls, b.link_urls)


def text_link_bag(a: Profile, b: Profile) -> float:
    """Jaccard coefficient of the sets of link texts.  [M03] eq. 4.14, text sets (errata)."""
    return jaccard(a.link_texts, b.link_texts)


def text_link_superset(a: Profile, b: Profile) -> float:
    """Share of the older version's link texts that are still there; added ones do not count.  [M03] eq. 4.15."""
    return contained(a.link_texts, b.link_texts)


def url_link_superset(a: Profile, b: Profile) -> float:
    """Share of the older version's link addresses that are still there.  [M03] eq. 4.16, sets for θ(a)."""
    return contained(a.link_urls, b.link_urls)


def _in_place(a: list[str], b: list[str]) -> float:
    longest = max(len(a), len(b))
    if not longest:
        return 1.0
    return sum(x == y for x, y in zip(a, b, strict=False)) / longest
