"""Documents show the figures that ``make figures`` measured last, and no others in their place."""

import json
import re

import pytest

from tests.figures import KEPT, ROOT, documents, included, probed, shown

CLAIMING = [ROOT / "README.md", ROOT / "docs" / "experiments.md"]
FIGURES = json.loads(KEPT.read_text(encoding="utf-8"))


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_shows_what_was_measured(document) -> None:
    for name, number in shown(document.read_text(encoding="utf-8")):
        assert FIGURES[name] == number, f"{name} in {document.name}: run make figures"


@pytest.mark.parametrize("name", ["README.md", "docs/theory/priced.md", "docs/experiments.md"])
def test_these_documents_include_figures(name: str) -> None:
    assert shown((ROOT / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "claim", ["the default rule `priced` has", "than once a day, it finds entries sooner than", "news feeds, "]
)
def test_where_documents_boast_the_number_is_one_that_is_measured(claim: str) -> None:
    [line] = [line for path in CLAIMING for line in path.read_text(encoding="utf-8").splitlines() if claim in line]
    assert shown(line)
    bare = re.sub(r"<!--figure [\w.-]+-->.*?<!--/figure-->", "", line)
    assert not re.search(r"\d\.\d", bare), "a number typed by hand stays when the measured one moves"


def test_the_kept_figures_were_measured_with_this_code() -> None:
    """A change of the rule that moves nothing by a thousandth may pass; other processors differ by less."""
    for name, number in probed().items():
        assert float(FIGURES[name]) == pytest.approx(float(number), abs=1e-3), f"{name}: run make figures TRACES=DIR"


def test_a_number_that_is_no_longer_printed_is_found_and_replaced() -> None:
    text = "at <!--figure news.polls-->9.999<!--/figure--> of the polls"
    assert shown(text) == [("news.polls", "9.999")]
    assert shown(included(text, FIGURES)) == [("news.polls", FIGURES["news.polls"])] != shown(text)
