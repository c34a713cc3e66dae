"""Receipts as they are kept: a short JSON array, since every report with a key leaves one."""

import json

from afresh.base.records.frontier import Receipt, Standing

_LETTERS = {Standing.ACCEPTED: "a", Standing.LATE: "l", Standing.UNKNOWN: "u"}
_COUNTS = ("visited", "ignored", "discovered", "known", "refused")
_STANDINGS = {letter: standing for standing, letter in _LETTERS.items()}


def to_json(receipt: Receipt, digest: str) -> str:
    """
    >>> to_json(Receipt(standings=(Standing.ACCEPTED, Standing.LATE), visited=3), "5f")
    '["al",3,0,0,0,0,"5f",null]'
    """
    standings = "".join([_LETTERS[standing] for standing in receipt.standings])
    counts = [getattr(receipt, name) for name in _COUNTS]
    return json.dumps((standings, *counts, digest, receipt.until), separators=(",", ":"))


def from_json(text: str) -> tuple[Receipt, str]:
    """The receipt that was kept, and the digest of what it was for; '': older ones have none."""
    standings, *rest = json.loads(text)
    counts = dict(zip(_COUNTS, rest, strict=False))
    digest, until = rest[len(_COUNTS) :] or ("", None)
    return Receipt(standings=tuple(_STANDINGS[letter] for letter in standings), until=until, **counts), digest
