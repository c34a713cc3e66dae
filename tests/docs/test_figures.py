"""Documents show the figures that ``make figures`` measured last, and no others in their place."""

import json

import pytest

from tests.figures import KEPT, ROOT, documents, included, shown

FIGURES = json.loads(KEPT.read_text(encoding="utf-8"))


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_shows_what_was_measured(document) -> None:
    for name, number in shown(document.read_text(encoding="utf-8")):
        assert FIGURES[name] == number, f"{name} in {document.name}: run make figures"


@pytest.mark.parametrize("name", ["README.md", "docs/theory/priced.md", "docs/experiments.md"])
def test_these_documents_include_figures(name: str) -> None:
    assert shown((ROOT / name).read_text(encoding="utf-8"))


def test_a_number_that_is_no_longer_printed_is_found_and_replaced() -> None:
    text = "at <!--figure news.polls-->9.999<!--/figure--> of the polls"
    assert shown(text) == [("news.polls", "9.999")]
    assert shown(included(text, FIGURES)) == [("news.polls", FIGURES["news.polls"])] != shown(text)
