"""What is asked of a frontier's queues over REST and over gRPC alike: single URLs, and how a site is treated."""

from collections.abc import Sequence

from afresh.base.records.queues import DEFAULT_CRAWL, QueueControl, QueueRequest, QueueUrl
from afresh.doors.python.remote.asking import Asking, Plan, asked


class QueueCalls(Asking):
    """A client says how it asks: ``_lock`` and ``_control``."""

    @asked
    def lock(
        self,
        *,
        sites: int = 10,
        urls: int = 10,
        seconds: float = 30.0,
        crawl: str | None = DEFAULT_CRAWL,
        site: str = "",
    ) -> Plan[Sequence[QueueUrl]]:
        """Single URLs that are due, of some sites, which stay free; ours until they are put back or time is up.

        ``crawl=None``: of any.
        """
        return (yield from self._lock(QueueRequest(crawl=crawl, key=site, queues=sites, urls=urls, hold=seconds)))

    @asked
    def control(
        self,
        site: str,
        *,
        crawl: str = DEFAULT_CRAWL,
        delay: float | None = None,
        block_until: float | None = None,
        limit: int | None = None,
    ) -> Plan[None]:
        """Says how a site is treated from now on, over gRPC in whole seconds; None: as it was."""
        yield from self._control(crawl, site, QueueControl(delay=delay, block_until=block_until, limit=limit))

    def _lock(self, request: QueueRequest) -> Plan[Sequence[QueueUrl]]:
        raise NotImplementedError

    def _control(self, crawl: str, site: str, said: QueueControl) -> Plan[None]:
        raise NotImplementedError
