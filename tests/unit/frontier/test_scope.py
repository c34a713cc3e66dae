"""What is said of a crawl's scope at each start."""

from afresh.base.settings.sections import FrontierOptions
from afresh.frontier.scope import Scope
from afresh.store.frontier import open_frontier


def test_a_scope_that_is_not_said_again_is_told() -> None:
    store = open_frontier(":memory:")
    stays = Scope.of(FrontierOptions(stay="hosts", exclude=("/calendar/",)))
    assert [line.partition(":")[0] for line in stays.told(store)] == [
        "links are followed to the hosts of the seeds alone",
        "frontier.stay is hosts, and nothing was added since it is",
        "links are followed not where they match 1 pattern",
    ]
    everywhere = Scope.of(FrontierOptions())
    assert everywhere.told(store) == []
    stays.note_seeds(store, ["a.example"])
    assert len(stays.told(store)) == 2
    assert "though this crawl stayed with its seeds before" in everywhere.told(store)[0]
    store.close()
