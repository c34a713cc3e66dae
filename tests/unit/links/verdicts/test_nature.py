"""Front pages, lists and sisters: the same page with other words, and other pages in the same frame."""

import random

import pytest

from afresh.base.records.links import CheckStatus, Usage
from afresh.lab.verdicts.prose import paragraph, phrase, sentence, vocabulary
from afresh.links.measures.profile import Profile
from afresh.links.verdicts.comparison import judge_pages
from afresh.links.verdicts.model import default_model
from afresh.links.verdicts.nature import breadcrumb, is_there
from afresh.links.verdicts.without_model import Verdict
from afresh.parse.page import parse_page


class Paper:
    """A news site: navigation and footer that stay, teasers and texts that do not."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.words = vocabulary(self.rng, 400)
        self.host = f"http://www.{self.words[0]}.example"
        self.name = phrase(self.rng, self.words)
        labels = [phrase(self.rng, self.words[:80]) for _ in range(14)]
        self.menu = "".join(f"<li><a href='/{n}/'>{label}</a></li>" for n, label in enumerate(labels))

    def page(self, body: str, path: str = "/", title: str = "", head: str = "") -> Profile:
        text = (
            f"<html lang=en><head><title>{title or self.name}</title>{head}</head><body><nav><ul>{self.menu}</ul></nav>"
            f"<main>{body}</main><footer><p>{self.name}. Imprint and terms of this paper.</p></footer></body></html>"
        )
        return Profile(parse_page(text.encode(), url=self.host + path))

    def teasers(self, count: int) -> list[str]:
        return [
            f"<article><h2><a href='/{self.rng.randint(0, 10**6)}.html'>{sentence(self.rng, self.words)}</a></h2>"
            f"<p>{sentence(self.rng, self.words)}</p></article>"
            for _ in range(count)
        ]

    def text(self, heading: str = "") -> str:
        prose = "".join(f"<p>{paragraph(self.rng, self.words)}</p>" for _ in range(5))
        return f"<h1>{heading or phrase(self.rng, self.words)}</h1>{prose}"


def judged(old: Profile, new: Profile, usage: Usage = Usage.REFERENTIAL, *, is_changing: bool = False) -> Verdict:
    return judge_pages(old, new, model=default_model(), usage=usage, is_changing=is_changing)


def test_front_pages_of_the_next_day_are_the_same_page() -> None:
    wrong = []
    for seed in range(42):
        paper = Paper(seed)
        old, new = (paper.page("".join(paper.teasers(40))) for _ in range(2))
        if not judged(old, new).is_same:
            wrong.append(seed)
        assert judged(old, new, Usage.ATTRIBUTIVE).status is CheckStatus.DIFFERENT
    assert len(wrong) <= 3


def test_a_front_page_of_somebody_else_is_another_page() -> None:
    for seed in range(10):
        old, other = Paper(seed), Paper(100 + seed)
        new = other.page("".join(other.teasers(40)), title=old.name)  # who takes a domain over may keep the name
        assert not judged(old.page("".join(old.teasers(40))), new).is_same


@pytest.mark.parametrize("path", ["/news/?page=3", "/news/page/3", "/archive.php?start=40"])
def test_a_list_whose_entries_moved_on_by_a_page_is_the_same_list(path: str) -> None:
    for seed in range(8):
        paper = Paper(seed)
        entries = paper.teasers(40)
        old, new = (paper.page("<h1>All news</h1>" + "".join(part), path) for part in (entries[20:], entries[:20]))
        assert judged(old, new).is_same


def reference(paper: Paper, shared: str, name: str, *, head: str = "", trail: str = "", heading: str = "") -> Profile:
    """A page of a reference: sections and phrases of all its pages around a few words of its own."""
    sections = ("Public functions", "Detailed description", "Member documentation")
    rows = "".join(
        f"<tr><td>{paper.rng.choice(paper.words)}</td><td><a href='/{name}#{n}'>{name}{n}</a></td></tr>"
        for n in range(6)
    )
    body = "".join(f"<h2>{section}</h2>{shared}" for section in sections)
    heading = heading or f"{name} class reference"
    own = f"<p>{sentence(paper.rng, paper.words)} {sentence(paper.rng, paper.words)}</p>"
    return paper.page(f"{trail}<h1>{heading}</h1>{own}{body}<table>{rows}</table>", f"/{name}.html", head=head)


def test_sisters_under_one_title_are_told_by_what_names_them() -> None:
    """Same frame, title and phrases; the heading, the breadcrumb or the canonical address is another one."""
    wrong = []
    for seed in range(20):
        paper = Paper(seed)
        shared = f"<p>{sentence(paper.rng, paper.words)}</p>"
        names = paper.rng.sample(paper.words, 2)
        trails = [f"<nav class=breadcrumb><ol><li>Start</li><li>{name}</li></ol></nav>" for name in names]
        heads = [f"<link rel=canonical href='{paper.host}/{name}'>" for name in names]
        ways = [
            [reference(paper, shared, name) for name in names],
            [
                reference(paper, shared, n, trail=trail, heading="Reference")
                for n, trail in zip(names, trails, strict=True)
            ],
            [reference(paper, shared, n, head=head, heading="Reference") for n, head in zip(names, heads, strict=True)],
        ]
        wrong += [(seed, way) for way, (one, other) in enumerate(ways) if judged(one, other).is_same]
    assert len(wrong) <= 3


def test_a_page_that_grew_or_was_edited_is_no_sister() -> None:
    for seed in range(10):
        paper = Paper(seed)
        text = paper.text("Terms")
        old, new = paper.page(text, "/terms"), paper.page(f"{text}<p>{paragraph(paper.rng, paper.words)}</p>", "/terms")
        assert judged(old, new).is_same


def test_a_history_of_changes_speaks_for_a_page() -> None:
    same = []
    for seed in range(10):
        paper = Paper(seed)
        old, new = (paper.page(paper.text("The kitchen"), "/menu.html") for _ in range(2))
        same.append((judged(old, new).is_same, judged(old, new, is_changing=True).is_same))
    assert all(changing for _, changing in same)
    assert not all(plain for plain, _ in same)


def test_a_breadcrumb_is_read_from_the_source() -> None:
    page = Paper(1).page("<div class=breadcrumbs><ul><li><a href=/>Start</a></li><li>Boats</li></ul></div><p>x</p>")
    assert breadcrumb(page) == "start boats"
    assert breadcrumb(Paper(1).page("<p>No trail.</p>")) == ""


def test_a_short_page_that_gains_teasers_is_the_same_page() -> None:
    for seed in range(20):
        paper = Paper(seed)
        heading, text = "Reading room", f"<p>{paragraph(paper.rng, paper.words)}</p>"
        old = paper.page(f"<h1>{heading}</h1>{text}", "/room", f"{heading} – {paper.name}")
        new = paper.page(f"<h1>{heading}</h1>{text}{''.join(paper.teasers(24))}", "/room", f"{heading} – {paper.name}")
        verdict = judged(old, new)
        assert verdict.is_same, verdict.reasons


@pytest.mark.parametrize(
    ("title", "heading", "part"),
    [("Plans", "Reading room", "text"), ("Reading room", "Plans", "text"), ("Reading room", "Reading room", "")],
)
def test_a_page_is_not_there_if_its_title_its_name_or_its_text_is_not(title: str, heading: str, part: str) -> None:
    paper = Paper(3)
    text = f"<p>{paragraph(paper.rng, paper.words)}</p>"
    old = paper.page(f"<h1>Reading room</h1>{text}", "/room", "Reading room")
    teasers = "".join(paper.teasers(8))
    assert is_there(old, paper.page(f"<h1>Reading room</h1>{text}{teasers}", "/room", "Reading room"))
    assert not is_there(old, paper.page(f"<h1>{heading}</h1>{part and text}{teasers}", "/room", title))
