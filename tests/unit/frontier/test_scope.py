"""What is said of a crawl's scope at each start, and goes on to hold."""

from typing import Any

import pytest

from afresh.base.errors import ConfigError
from afresh.base.records.frontier_store import FrontierStore
from afresh.base.settings.sections import FrontierOptions
from afresh.frontier.scope import Scope
from afresh.store.frontier import open_frontier


def test_a_scope_that_is_not_said_again_is_told() -> None:
    store = open_frontier(":memory:")
    stays = Scope.of(FrontierOptions(stay="hosts", exclude=("/calendar/",)))
    assert [line.partition(":")[0] for line in stays.told(store)] == [
        "links are followed to the hosts of the seeds alone",
        "frontier.stay is hosts, and nothing was added since it is",
        "links are not followed where they match /calendar/",
    ]
    everywhere = Scope.of(FrontierOptions())
    assert everywhere.told(store) == []
    stays.note_seeds(store, ["a.example"])
    assert len(stays.told(store)) == 2
    assert "though this crawl stayed with its seeds before" in everywhere.told(store)[0]
    store.close()


def begun(store: FrontierStore, **options: Any) -> Scope:
    scope = Scope.of(FrontierOptions(**options))
    scope.begin(store)
    return scope


def test_what_was_said_holds_until_something_else_is_said() -> None:
    store = open_frontier(":memory:")
    first = begun(store, include=("/docs/",), exclude=("[.]css$", "[.]png$"))
    assert first.told(store) == [
        "links are followed only where they match /docs/",
        "links are not followed where they match [.]css$ or [.]png$",
    ]
    again = begun(store)
    assert again.told(store) == [
        "links are followed only where they match /docs/ (as before; --include '' takes it back)",
        "links are not followed where they match [.]css$ or [.]png$ (as before; --exclude '' takes it back)",
    ]
    assert again.has(store, "https://a.example/docs/")
    assert not again.has(store, "https://a.example/blog/")
    other = begun(store, stay="hosts", include=("",))
    assert other.told(store)[0] == "links are followed to the hosts of the seeds alone"
    assert not any("only where" in line for line in other.told(store))
    assert not other.excludes("https://a.example/docs/")
    assert other.excludes("https://a.example/a.css")
    other.note_seeds(store, ["a.example"])
    stays = begun(store)
    assert stays.told(store)[0].endswith("(as before; --stay everywhere takes it back)")
    assert not stays.has(store, "https://b.example/")
    free = begun(store, stay="everywhere", exclude=("",))
    assert (free.is_all, free.told(store), begun(store).is_all) == (True, [], True)
    store.close()


def test_a_limit_of_links_holds_until_it_is_taken_back() -> None:
    store = open_frontier(":memory:")
    assert begun(store, depth=3).told(store) == [
        "links are followed to pages that are at most 3 links away from the seeds"
    ]
    again = begun(store)
    assert (again.depth, again.is_all) == (3, True)
    assert again.told(store)[0].endswith("(as before; --depth 0 takes it back)")
    assert begun(store, depth=0).told(store) == []
    again.read(store)
    assert again.depth == 0
    store.close()


def test_another_process_hears_what_was_said() -> None:
    store = open_frontier(":memory:")
    here = begun(store)
    here.read(store)
    assert here.is_all
    begun(store, exclude=("/private/",))
    here.read(store)
    assert here.excludes("https://a.example/private/")
    begun(store, exclude=("",))
    here.read(store)
    assert here.is_all
    store.close()


@pytest.mark.parametrize("damaged", ["{", "[]", '{"include": ["("]}', '{"stay": "nowhere"}', '{"exclude": 3}'])
def test_a_scope_that_cannot_be_read_opens_no_crawl(damaged: str) -> None:
    store = open_frontier(":memory:")
    here = begun(store, exclude=("/private/",))
    store.put_setting("frontier.scope", damaged)
    here.read(store)
    assert here.excludes("https://a.example/private/")
    with pytest.raises(ConfigError, match="say --stay, --include, --exclude and --depth anew"):
        begun(store)
    assert begun(store, stay="hosts", include=("",), exclude=("/a/",), depth=0).excludes("https://a.example/a/")
    begun(store)
    store.close()
