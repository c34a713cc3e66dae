"""A crawl of many machines in virtual time: one event a list, so that 10^8 pages take a minute.

Each site is in one bucket, each bucket on one database. A slot of a fetcher takes a list from the bucket whose turn it
is, visits its pages one delay apart, reports, and takes the next. A fetcher that dies takes its lists with it: they are
handed out again when their leases end. A database that is away lets its buckets wait, and whoever has something to
report to it. What a site knows of its pages is their number: nothing else matters here.
"""

import heapq
from collections import deque
from dataclasses import dataclass

import numpy as np

from afresh.lab.scale.cluster import Cluster, Ints

_REPORT, _READY, _FETCHER_DIES, _FETCHER_BACK, _SERVER_DIES, _SERVER_BACK, _LEADER_DIES, _LEADER_BACK = range(8)


@dataclass(slots=True)
class Outcome:
    """What a simulated crawl came to."""

    fetched: int = 0  # pages that were reported
    again: int = 0  # pages that were fetched and never reported
    lists: int = 0
    end: float = 0.0  # when the last page was reported
    bulk: float = 0.0  # when slots were idle for want of sites for the first time with nothing in the way
    rate: float = 0.0  # pages a second until then
    twice: int = 0  # sites that two had at once
    fetchers_died: int = 0
    servers_died: int = 0
    leaders_died: int = 0
    longest_wait: float = 0.0  # of a report for its database
    results_waiting: int = 0  # most results that waited for a leader


class Simulation:
    """One crawl; ``run`` may be called once."""

    def __init__(self, cluster: Cluster, pages: Ints, rng: np.random.Generator) -> None:
        self._cluster, self._rng = cluster, rng
        self._left = pages.tolist()
        self._total = int(pages.sum())
        self._bucket = rng.integers(0, cluster.buckets, cluster.sites).tolist()
        self._queues: list[deque[int]] = [deque() for _ in range(cluster.buckets)]
        for site in rng.permutation(cluster.sites).tolist():
            self._queues[self._bucket[site]].append(site)
        self._waiting = cluster.sites  # sites in the queues
        self._turn = 0
        self._events: list[tuple[float, int, int, int, int, int]] = []
        self._count = 0
        self._deaths: list[list[float]] = [[] for _ in range(cluster.fetchers)]  # a report of an earlier life is none
        self._alive = [True] * cluster.fetchers
        self._idle = [cluster.parallel] * cluster.fetchers
        self._free: list[int] = list(range(cluster.fetchers))  # fetchers with idle slots
        self._held = bytearray(cluster.sites)
        self._away_until = [0.0] * cluster.servers
        self._busy_until = [0.0] * cluster.servers
        self._blocked = 0  # databases that are away
        self.outcome = Outcome()

    def run(self) -> Outcome:
        self._schedule_failures()
        self._hand_out(0.0)
        outcome, events = self.outcome, self._events
        while events and outcome.fetched < self._total:
            now, _, kind, who, site, more = heapq.heappop(events)
            if kind == _REPORT:
                self._report(now, who, site, more)
            elif kind == _READY:
                self._make_ready(site)
            else:
                self._fail_or_return(now, kind, who)
            self._hand_out(now)
        return outcome

    # --- lists ---

    def _hand_out(self, now: float) -> None:
        """Lists for idle slots, a bucket after the other."""
        free, idle = self._free, self._idle
        while free and self._waiting:
            fetcher = free[-1]
            if not self._alive[fetcher] or not idle[fetcher]:
                free.pop()
                continue
            site = self._next_site(now)
            if site < 0:
                return
            self._begin(now, fetcher, site)
        if free and not self._waiting and not self._blocked and not self.outcome.bulk:
            self.outcome.bulk = now
            self.outcome.rate = self.outcome.fetched / now if now else 0.0

    def _next_site(self, now: float) -> int:
        """The first of the bucket whose turn it is; -1: all that have sites are on databases that are away."""
        cluster = self._cluster
        for _ in range(cluster.buckets):
            self._turn = (self._turn + 1) % cluster.buckets
            if self._queues[self._turn] and self._away_until[self._turn % cluster.servers] <= now:
                self._waiting -= 1
                return self._queues[self._turn].popleft()
        return -1

    def _begin(self, now: float, fetcher: int, site: int) -> None:
        cluster, outcome = self._cluster, self.outcome
        self._idle[fetcher] -= 1
        size = min(self._left[site], cluster.list_length)
        outcome.twice += self._held[site]
        self._held[site] = 1
        outcome.lists += 1
        start = self._served(now, site, size)
        self._push(start + size * cluster.delay, _REPORT, fetcher, site, len(self._deaths[fetcher]))

    def _report(self, now: float, fetcher: int, site: int, life: int) -> None:
        cluster, outcome = self._cluster, self.outcome
        size = min(self._left[site], cluster.list_length)
        if life != len(self._deaths[fetcher]):  # it died meanwhile: when the lease ends, somebody else begins anew
            begun = now - size * cluster.delay
            outcome.again += max(0, min(size, int((self._deaths[fetcher][life] - begun) / cluster.delay)))
            self._held[site] = 0
            self._push(max(now, begun + cluster.lease), _READY, -1, site, 0)
            return
        away = self._away_until[self._server(site)]
        if away > now:  # it goes on trying
            outcome.longest_wait = max(outcome.longest_wait, away - now)
            self._push(away, _REPORT, fetcher, site, life)
            return
        self._served(now, site, size)
        self._held[site] = 0
        self._left[site] -= size
        self._count_pages(size, now)
        self._give_slot(fetcher)
        if self._left[site]:
            self._push(now + cluster.delay, _READY, -1, site, 0)

    def _served(self, now: float, site: int, size: int) -> float:
        """When a database has done its half of the work for a list, after all that came before."""
        server = self._server(site)
        start = max(now, self._busy_until[server], self._away_until[server])
        self._busy_until[server] = done = start + 0.5 * size / self._cluster.server_rate
        return done

    def _server(self, site: int) -> int:
        bucket: int = self._bucket[site]
        return bucket % self._cluster.servers

    def _make_ready(self, site: int) -> None:
        self._queues[self._bucket[site]].append(site)
        self._waiting += 1

    def _give_slot(self, fetcher: int) -> None:
        self._idle[fetcher] += 1
        if self._idle[fetcher] == 1:
            self._free.append(fetcher)

    def _count_pages(self, size: int, now: float) -> None:
        outcome = self.outcome
        outcome.fetched += size
        outcome.end = now

    # --- failures ---

    def _schedule_failures(self) -> None:
        cluster = self._cluster
        for fetcher in range(cluster.fetchers):
            self._next_failure(0.0, cluster.fetcher_fails, _FETCHER_DIES, fetcher)
        for server in range(cluster.servers):
            self._next_failure(0.0, cluster.server_fails, _SERVER_DIES, server)
        self._next_failure(0.0, cluster.leader_fails, _LEADER_DIES, 0)

    def _next_failure(self, now: float, between: float, kind: int, who: int) -> None:
        if between:
            self._push(now + self._rng.exponential(between), kind, who, -1, 0)

    def _fail_or_return(self, now: float, kind: int, who: int) -> None:
        cluster, outcome = self._cluster, self.outcome
        if kind == _FETCHER_DIES:
            outcome.fetchers_died += 1
            self._deaths[who].append(now)
            self._alive[who], self._idle[who] = False, 0
            self._push(now + cluster.fetcher_away, _FETCHER_BACK, who, -1, 0)
        elif kind == _FETCHER_BACK:
            self._alive[who] = True
            self._idle[who] = cluster.parallel
            self._free.append(who)
            self._next_failure(now, cluster.fetcher_fails, _FETCHER_DIES, who)
        elif kind == _SERVER_DIES:
            outcome.servers_died += 1
            self._blocked += 1
            self._away_until[who] = now + cluster.server_away
            self._push(now + cluster.server_away, _SERVER_BACK, who, -1, 0)
        elif kind == _SERVER_BACK:
            self._blocked -= 1
            self._next_failure(now, cluster.server_fails, _SERVER_DIES, who)
        elif kind == _LEADER_DIES:
            outcome.leaders_died += 1
            self._push(now + cluster.leader_away, _LEADER_BACK, outcome.fetched, -1, 0)
        else:
            outcome.results_waiting = max(outcome.results_waiting, outcome.fetched - who)
            self._next_failure(now, cluster.leader_fails, _LEADER_DIES, 0)

    def _push(self, at: float, kind: int, who: int, site: int, more: int) -> None:
        self._count += 1
        heapq.heappush(self._events, (at, self._count, kind, who, site, more))
