"""Which statuses of an answer count as good, where somebody says so."""

import re
from dataclasses import replace

from afresh.base.errors import UsageError
from afresh.base.records.link_status import CheckStatus, Standing
from afresh.base.records.links import Check
from afresh.base.value_class import dataclass

_PART = re.compile(r"(\d{3})(?:(?:\.\.=?|-)(\d{3}))?")


@dataclass(frozen=True, slots=True)
class AcceptedStatuses:
    """Ranges of HTTP statuses.

    >>> 403 in AcceptedStatuses.parse("200..299, 403"), 404 in AcceptedStatuses.parse("200..299")
    (True, False)
    """

    ranges: tuple[range, ...]

    @classmethod
    def parse(cls, text: str) -> "AcceptedStatuses":
        """As it is written: ``200..299,403``; raises UsageError."""
        parts = [_PART.fullmatch(part.strip()) for part in text.split(",")]
        if not all(parts):
            raise UsageError(f"not statuses: {text!r}; write them like 200..299,403")
        return cls(tuple(range(int(part[1]), int(part[2] or part[1]) + 1) for part in parts if part is not None))

    def __contains__(self, status: int) -> bool:
        return any(status in some for some in self.ranges)

    def judge(self, check: Check) -> Check:
        """The check with what somebody says of its status."""
        if check.http is None:
            return check
        if check.http not in self:
            if check.standing not in (Standing.OK, Standing.MOVED):
                return check
            return replace(check, status=CheckStatus.SERVER_ERROR, detail=f"HTTP {check.http} is not accepted")
        if check.http < 400 or check.standing is Standing.OK:
            return check
        return replace(check, status=CheckStatus.NEW, detail=f"HTTP {check.http} is accepted")
