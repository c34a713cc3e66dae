"""How common words are in pages at large, for tf-idf: rare words tell pages apart, common ones do not.

The table is made by ``afresh lab verdicts --train`` from the sites it trains on: for each word the share of sites
that use it, kept where it is at least ``FLOOR``. Words outside the table count as rare.
"""

import json
import math
from collections.abc import Mapping
from functools import lru_cache

FLOOR = 0.05
#: Inverse document frequency of a word outside the table: as of one on a site in twenty.
RARE = math.log(1.0 / FLOOR)


@lru_cache(maxsize=1)
def rarities() -> Mapping[str, float]:
    """Inverse document frequency, log(1 / share of sites), of every word in the table."""
    from importlib.resources import files  # noqa: PLC0415 (where nothing is compared, nobody waits for it)

    text = files("afresh.links.measures").joinpath("background.json").read_text(encoding="utf-8")
    shares: dict[str, float] = json.loads(text)["shares"]
    return {word: math.log(1.0 / share) if share < 1.0 else 0.0 for word, share in shares.items()}
