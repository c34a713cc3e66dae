"""The works that experiments repeat, by the keys that their sources name; ``docs/references.md`` has all."""

import re
from typing import Final

WORKS: Final = {
    "R12": "Reichert: Analysis and prediction of the updates of web feeds (thesis, TU Dresden 2012)",
    "H12": "Horincar: Refresh strategies and online change estimation for web feeds (thesis, UPMC Paris 2012)",
    "M03": "Masloch: A URL checker that learns (thesis, 2003)",
    "G20": "Gäbeler: A scheduler for distributed web crawls (thesis, 2020)",
    "SL": "Souza, Laber: polite revisiting of pages (MERGE)",
    "CG03": "Cho, Garcia-Molina: Effective page refresh policies for web crawlers (ACM TODS 2003)",
    "KPLH19": "Kolobov, Peres, Lubetzky, Horvitz: Optimal freshness crawl under politeness constraints (SIGIR 2019)",
}
_KEY = re.compile(r"\[(\w+)\]")


def works_in(*sources: str) -> dict[str, str]:
    """The works these sources name, in the order of the table.

    >>> list(works_in("[SL], [CG03]", "afresh, beside the rules of [R12]"))
    ['R12', 'SL', 'CG03']
    """
    named = {key for source in sources for key in _KEY.findall(source)}
    return {key: title for key, title in WORKS.items() if key in named}
