"""How long a site is left alone after a request."""


def next_allowed(
    finished: float, *, delay: float, load_factor: float = 0.0, duration: float = 0.0, retry_after: float | None = None
) -> float:
    """The earliest next request to a site.

    The longest of: the configured delay, ``load_factor`` times what the last answer took (a slow answer means a busy
    server; Mercator used 10), and what the server itself asked for.

    >>> next_allowed(100.0, delay=5.0, load_factor=10.0, duration=1.5)
    115.0
    """
    return finished + max(delay, load_factor * duration, retry_after or 0.0)
