"""A watched page is kept as a link for a while, and watched again: nothing of its history is lost, in any store."""

from afresh.base.models import Kind
from afresh.base.records.links import CheckStatus, Standing
from afresh.engine.edit_resource import change
from afresh.pages.comparing import compare_pages
from tests.fakes.watched import WatchedPages, told
from tests.laws.store_material import Open, opened

_REST = "".join(f"<p>Paragraph {number} of the history of lamps, which is long.</p>" for number in range(30))


def _page(price: str) -> str:
    return f"<title>The lamp shop</title><h1>Reading lamp</h1><p>Price: {price}</p>{_REST}"


def test_a_page_is_a_link_for_a_while(opener: Open) -> None:
    with opened(opener) as store:
        pages = WatchedPages(store)
        number = pages.add()
        pages.visit(number, _page("10 €"))
        assert told(pages.visit(number, _page("12 €"))) == ["Price: 10 → 12 €"]
        newest = store.links.versions(number)[0].id

        change(store, number, {"kind": Kind.LINK}, now=pages.now)
        as_link = pages.visit(number, _page("12 €"))
        assert as_link.page is None
        [check] = store.links.link_checks(number)
        assert (check.status, check.against) == (CheckStatus.EQUAL, newest)
        assert told(pages.visit(number, _page("14 €"))) == []
        assert store.links.link(number).state.standing is Standing.OK

        change(store, number, {"kind": Kind.PAGE}, now=pages.now)
        assert told(pages.visit(number, _page("14 €"))) == ["Price: 12 → 14 €"]  # as it was told last
        assert told(pages.visit(number, _page("14 €"))) == []
        shown = [compare_pages(store, number, newest, one.id).after[1] for one in store.links.versions(number)]
        assert shown == ["Price: 14 €", "Price: 12 €", "Price: 10 €"]
