"""What may happen only one at a time."""

from enum import IntEnum


class Lock(IntEnum):
    """What may happen only one at a time, among all processes on a database.

    Order, so that nobody waits in a circle: WRITING, ADDING, rows of ``site`` by number, rows of ``resource``, ENTRIES.
    """

    SCHEMA = 1  # making or changing tables
    DAEMON = 2  # shared by running daemons; alone for whoever must not have one beside
    ADDING = 3  # new resources and sites: a URL is unique over all partitions, which no index can promise
    ENTRIES = 4  # numbers of entries: they become visible in their order
    LEADER = 6  # held by the daemon that decides for all, as long as it lives
    SINKS = 7  # held by the frontier process that carries results to sinks, as long as it lives
    WRITING = 5  # shared by leasing, recording and adding; alone for everything else, which so has no rivals
