"""Times of our own JSON, read again."""

from datetime import datetime


def from_iso(text: str | None) -> float | None:
    """Seconds since 1970 of an ISO time; None stays None.

    >>> from_iso("1970-01-01T00:00:00.250Z"), from_iso(None)
    (0.25, None)
    """
    return None if text is None else datetime.fromisoformat(text).timestamp()
