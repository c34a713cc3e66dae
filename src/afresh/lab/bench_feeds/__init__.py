"""How fast feeds are read, and whether others read the same in them."""

from afresh.lab.bench_feeds.material import KINDS, documents
from afresh.lab.bench_feeds.run import bench_feeds, documents_in

__all__ = ["KINDS", "bench_feeds", "documents", "documents_in"]
