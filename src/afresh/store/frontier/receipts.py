"""Receipts as they are kept: a short JSON array, since every report with a key leaves one."""

import json

from afresh.base.records.frontier import Receipt, Standing

_LETTERS = {Standing.ACCEPTED: "a", Standing.LATE: "l", Standing.UNKNOWN: "u"}
_STANDINGS = {letter: standing for standing, letter in _LETTERS.items()}


def to_json(receipt: Receipt, digest: str) -> str:
    """
    >>> to_json(Receipt(standings=(Standing.ACCEPTED, Standing.LATE), visited=3), "5f")
    '["al",3,0,0,0,0,"5f",null]'
    """
    standings = "".join([_LETTERS[standing] for standing in receipt.standings])
    counts = (receipt.visited, receipt.ignored, receipt.discovered, receipt.known, receipt.refused)
    return json.dumps((standings, *counts, digest, receipt.until), separators=(",", ":"))


def from_json(text: str) -> tuple[Receipt, str]:
    """The receipt that was kept, and the digest of what it was for; '': older ones have none."""
    standings, visited, ignored, discovered, known, refused, *newer = json.loads(text)
    digest, until = newer or ("", None)
    receipt = Receipt(
        standings=tuple(_STANDINGS[letter] for letter in standings),
        visited=visited,
        ignored=ignored,
        discovered=discovered,
        known=known,
        refused=refused,
        until=until,
    )
    return receipt, digest
