"""How soon a new entry reaches its query feeds: 10,000 query feeds over 20,000 sources.

Half of the queries read a few sources, a quarter a folder, a quarter everything; each asks for words of a Zipf
vocabulary, so some words are in nearly every entry and many queries. Measured is the whole way: reading the entry
back, finding its queries, writing matches and cursor.
"""

import random
import tempfile
import time
from pathlib import Path

from afresh.base.models import Entry, NewResource, ParsedEntry
from afresh.base.protocols import Store
from afresh.base.records.queries import Matched, NewQuery, NewSource
from afresh.feeds.queries.creating import create
from afresh.feeds.queries.index import EVERYTHING
from afresh.feeds.queries.language import parse_query
from afresh.feeds.queries.matching import Matcher
from afresh.feeds.queries.model import Source, SourceKind
from afresh.store import open_store
from tests.laws.store_material import report, take

QUERIES, SOURCES, ENTRIES, FOLDERS = 10_000, 20_000, 200, 200
CREATED = 200  # of the queries by the use case, the others straight into the store
VOCABULARY, WORDS = 20_000, 300
STOP_WORDS = 100  # the commonest words, which nobody asks for
NOW = 1_700_000_000.0


def measure() -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="afresh-bench-") as folder:
        store = open_store(str(Path(folder) / "bench.db"))
        try:
            return _measure(store, random.Random(1))
        finally:
            store.close()


def _measure(store: Store, rng: random.Random) -> dict[str, float]:
    store.add(
        [
            NewResource(url=f"http://s{n}.example/feed", site=f"s{n}.example", folder=f"f{n % FOLDERS}", due=NOW)
            for n in range(SOURCES)
        ],
        now=NOW,
    )
    begin = time.perf_counter()
    for n in range(CREATED):
        create(store, _query(n, rng), now=NOW)
    created = time.perf_counter() - begin
    for n in range(CREATED, QUERIES):
        _put(store, _query(n, rng))
    matcher = Matcher(store.queries, now=lambda: NOW)
    _publish(store, rng, "warm")
    begin = time.perf_counter()
    matcher.catch_up()
    loaded = time.perf_counter() - begin
    times, busy, taken = [], 0.0, 0
    for n in range(ENTRIES):
        _publish(store, rng, str(n))
        begin, used = time.perf_counter(), time.thread_time()
        taken += matcher.catch_up()
        times.append(time.perf_counter() - begin)
        busy += time.thread_time() - used
    times.sort()
    return {
        "create_ms": created / CREATED * 1e3,
        "load_seconds": loaded,
        "entry_ms_mean": sum(times) / len(times) * 1e3,
        "entry_cpu_ms": busy / ENTRIES * 1e3,  # what of it does not depend on what else the machine does
        "entry_ms_95": times[int(0.95 * len(times))] * 1e3,
        "feeds_an_entry": taken / ENTRIES,
    }


def _word(rng: random.Random) -> str:
    """Word number r about as often as 1 / r."""
    return f"word{int(VOCABULARY ** rng.random()) - 1}"


def _wanted(rng: random.Random) -> str:
    while int((word := _word(rng)).removeprefix("word")) < STOP_WORDS:
        pass
    return word


def _query(n: int, rng: random.Random) -> str:
    one, two, three = (_wanted(rng) for _ in range(3))
    condition = f'ITEM CONTAINS "{one}" AND (TITLE CONTAINS "{two}" OR CONTENT CONTAINS "{three}")'
    if n % 4 < 2:
        source = " | ".join(str(rng.randrange(SOURCES) + 1) for _ in range(5))
    elif n % 4 == 2:
        source = f'FOLDER "f{rng.randrange(FOLDERS)}"'
    else:
        source = "ALL"
    return f"CREATE FEED q{n} AS RETURN {source} WHERE {condition} AND NOT CATEGORY = 'ads'"


def _put(store: Store, text: str) -> None:
    """A query as the use case would keep it, its sources taken on trust."""
    query = parse_query(text)
    sources = tuple(_source(branch.source) for branch in query.branches)
    new = NewQuery(name=query.name, title="", text=text, sources=sources)
    assert store.queries.put_query(
        new, Matched(seen={}, passed={}), expected=store.queries.query_state(), cursor=0, now=NOW
    )


def _source(source: Source) -> NewSource:
    match source.kind:
        case SourceKind.NUMBER:
            return NewSource(f"resource:{source.value}", str(source), resource=int(source.value))
        case SourceKind.FOLDER:
            return NewSource(f"folder:{source.value}", str(source))
        case _:
            return NewSource(EVERYTHING, str(source))


def _publish(store: Store, rng: random.Random, name: str) -> None:
    """One new entry of some source."""
    [lease] = take(store, NOW, limit=1)
    words = [_word(rng) for _ in range(WORDS)]
    content = "".join(f"<p>{' '.join(words[at : at + 30])}</p>" for at in range(0, WORDS, 30))
    parsed = ParsedEntry(title=" ".join(words[:8]), content=content, categories=("news",), native_id=name)
    uid = name.encode().ljust(20, b"_")
    entry = Entry(uid=uid, published=NOW, published_raw=NOW, found=NOW, initial=False, after_gap=False, parsed=parsed)
    assert store.record([report(lease, entries=(entry,))]) == [True]


if __name__ == "__main__":
    print(measure())
