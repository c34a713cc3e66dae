"""Lists of pins: a line "address | title" each."""

from collections.abc import Iterator

from afresh.parse.links import LinkRef


def read_pins(body: bytes) -> Iterator[LinkRef]:
    """The links of a file whose name ends in ``.pins``."""
    for number, line in enumerate(body.decode("utf-8", "replace").splitlines(), start=1):
        url, _, title = (part.strip() for part in line.partition("|"))
        if url:
            yield LinkRef(url=url, title=title, line=number)
