"""A robots.txt as it was read: for another process, and for the next run."""

from afresh.base.value_class import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRobots:
    """What came for the robots.txt of an origin."""

    address: str
    read: float  # when
    status: int  # as of HTTP; 4xx: there is none
    body: bytes = b""
