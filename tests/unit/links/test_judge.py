"""A watched link against its reference: replaced pages stay broken, slow drift is seen, 304 is no absolution."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from afresh.base.errors import UsageError
from afresh.base.models import (
    Failed,
    Failure,
    Fetched,
    Kind,
    NewResource,
    NotModified,
    Outcome,
    Redirect,
    Rejected,
    Trip,
)
from afresh.base.protocols import Store
from afresh.base.records.links import Check, CheckStatus, ModelChoice, NewVersion, Origin, Standing, Turned, Usage
from afresh.base.settings.sections import LinkSettings
from afresh.links.answers import Checked
from afresh.links.comparing import compare_versions
from afresh.links.judge import LinkJudge, Seen
from afresh.links.measures.profile import Profile
from afresh.links.verdicts.model import default_model
from afresh.parse.documents import read_document
from afresh.store import open_store

URL = "http://town.example/harbour"
TOPICS = {
    "harbour": "The harbour was rebuilt in stone after the storm and the council printed the plans for all to see",
    "garden": "Our garden club meets in the old greenhouse on every first Sunday to trade seeds and tell long stories",
    "mill": "A walk along the mill stream takes two hours and passes three bridges an orchard and a small chapel",
    "choir": "The choir of the fishermen rehearses winter songs in the boat hall and welcomes every willing voice",
    "bakery": "Before sunrise the bakery by the market fills the square with the smell of rye bread and cinnamon",
    "museum": "The museum of nets and sails shows how ropes were turned when ships still waited for the north wind",
}
PARKED = (
    "<title>town.example is for sale</title><h1>This domain is for sale</h1><p>Buy this domain. Related searches</p>"
)


def page(*topics: str, title: str = "Town pages", number: int = 0) -> str:
    prose = "".join(f"<h2>{name}</h2><p>{TOPICS[name]}. {TOPICS[name]} again, part {number}.</p>" for name in topics)
    links = "".join(f'<a href="/{name}">{name}</a>' for name in ("start", "news", "contact"))
    return f"<html><head><title>{title}</title></head><body>{links}<h1>{title}</h1>{prose}</body></html>"


def fetched(body: str | bytes, at: float = 0.0, **trip: object) -> Fetched:
    raw = body.encode() if isinstance(body, str) else body
    headers = {"content-type": "text/html"}
    made = Trip(url=URL, final_url=URL, started=at, finished=at, bytes=len(raw), headers=headers)
    for name, value in trip.items():
        object.__setattr__(made, name, value)
    return Fetched(trip=made, status=200, body=raw)


def trip(at: float) -> Trip:
    return Trip(url=URL, final_url=URL, started=at, finished=at, headers={"date": "today"})


class Watched:
    """A link and its judge; every check is recorded."""

    def __init__(self, store: Store, url: str = URL) -> None:
        self.store = store
        self.id = store.add([NewResource(url=url, site="town.example", kind=Kind.LINK)], now=0.0)[0].id
        self.judge = LinkJudge(store.links, LinkSettings(versions=5), model=lambda _: default_model())
        self.time = 0.0
        self.events: list[tuple[str, str]] = []

    def see(self, outcome: Outcome | str, seen: Seen | None = None) -> Check:
        return self.check(outcome, seen).check

    def check(self, outcome: Outcome | str, seen: Seen | None = None) -> Checked:
        self.time += 3_600.0
        if isinstance(outcome, str):
            outcome = fetched(outcome, self.time)
        checked = self.judge.judge(self.id, outcome, seen)
        assert checked.record is not None
        self.store.links.record_checks([checked.record])
        if checked.record.event is not None:
            self.events.append((checked.record.event.before, checked.record.event.after))
        return checked

    @property
    def standing(self) -> Standing:
        return self.store.links.link(self.id).state.standing


@pytest.fixture
def link(tmp_path: Path) -> Iterator[Watched]:
    store = open_store(str(tmp_path / "store.db"))
    yield Watched(store)
    store.close()


def test_a_replaced_page_does_not_turn_well_by_itself(link: Watched) -> None:
    assert link.see(page("harbour", "garden")).status is CheckStatus.NEW
    assert link.see(page("harbour", "garden", number=1)).standing is Standing.OK
    for _ in range(4):
        result = link.see(PARKED)
        assert (result.status, result.turned) == (CheckStatus.DIFFERENT, Turned.PARKED)
        assert link.standing is Standing.BROKEN
    assert link.see(page("harbour", "garden")).status is CheckStatus.EQUAL
    assert link.standing is Standing.OK
    assert link.events == [("ok", "broken"), ("broken", "ok")]


def test_a_link_is_judged_by_the_model_chosen_for_it(link: Watched) -> None:
    """One calls every page the same; chosen for the link, it lets a page pass that everybody's does not."""
    lenient = replace(default_model(), threshold=0.0)
    link.judge = LinkJudge(
        link.store.links, LinkSettings(), model=lambda choice: lenient if choice.owner else default_model()
    )
    link.see(page("harbour"))
    assert link.see(page("choir", "museum", title="Songs and sails")).status is CheckStatus.DIFFERENT
    link.store.learning.choose_model(link.id, ModelChoice(owner="ada"))
    assert link.see(page("choir", "museum", title="Songs and sails")).status is CheckStatus.SIMILAR
    assert link.standing is Standing.OK


def test_acceptance_makes_the_new_page_the_page(link: Watched) -> None:
    link.see(page("harbour"))
    assert link.see(page("choir", "museum", title="Songs and sails")).status is CheckStatus.DIFFERENT
    link.store.links.accept_version(link.id, by="me", now=link.time)
    assert link.see(page("choir", "museum", title="Songs and sails")).status is CheckStatus.EQUAL
    assert link.see(page("mill", "bakery", title="Bread and bridges")).status is CheckStatus.DIFFERENT


def test_what_was_the_page_before_is_no_other_page(link: Watched) -> None:
    """A reference of before comes back, to the letter or nearly; what a person rejected does not pass so."""
    link.see(page("harbour", "garden"))
    link.see(page("choir", "museum", title="Songs and sails"))
    link.store.links.accept_version(link.id, by="me", now=link.time)
    again = link.see(page("harbour", "garden"))
    assert (again.status, again.detail) == (CheckStatus.EQUAL, "reads like a version that was the page before")
    link.store.links.reject_version(link.id, by="me", now=link.time)
    link.see(page("choir", "museum", title="Songs and sails"))
    assert link.see(page("harbour", "garden")).status is CheckStatus.DIFFERENT


CHANGES = [page(*topics, title="The board") for topics in (("harbour",), ("garden", "mill"), ("choir",), ("bakery",))]


def test_a_page_of_which_two_changes_were_accepted_changes_by_nature(link: Watched) -> None:
    link.see(CHANGES[0])
    for body in CHANGES[1:3]:
        assert link.see(body.replace("The board", f"Board {len(body)}")).status is CheckStatus.DIFFERENT
        kept = link.store.links.accept_version(link.id, by="me", now=link.time)
    assert kept.state.usage is Usage.CHANGING
    now = link.see(CHANGES[3])
    assert (now.status, now.detail) == (CheckStatus.SIMILAR, "its content changes by nature: only its end is told")
    assert link.see(PARKED).turned is Turned.PARKED


def test_a_candidate_that_is_accepted_is_no_change(link: Watched) -> None:
    link.see(PARKED)
    for body in ("", *CHANGES[:2]):
        if body:
            link.see(body.replace("The board", f"Board {len(body)}"))
        kept = link.store.links.accept_version(link.id, by="me", now=link.time)
    assert kept.state.usage is Usage.REFERENTIAL


def test_of_a_page_that_changes_by_nature_only_its_end_is_told(link: Watched) -> None:
    link.see(page("harbour", "garden"))
    link.store.links.set_usage(link.id, Usage.CHANGING)
    assert link.see(page("choir", "museum", title="Town pages, new")).standing is Standing.OK
    assert link.see(PARKED).turned is Turned.PARKED
    taken = "<title>Shoes</title><h1>Shoes</h1>" + "<p>Sneakers and sandals of all sizes, sent to you by night.</p>" * 9
    assert link.see(taken).turned is Turned.TAKEN_OVER
    gone = "<title>Page not found</title><h1>Page not found</h1><p>The page you asked for does not exist.</p>"
    assert link.see(gone).turned is Turned.SOFT_404
    other = "http://other.example/"
    away = fetched(page("choir", "mill"), 9.0, final_url=other, redirects=(Redirect(301, other),))
    assert link.see(away).status is CheckStatus.DIFFERENT


def test_slow_drift_is_seen_against_the_reference(link: Watched) -> None:
    names = list(TOPICS)
    link.store.links.set_usage(link.id, Usage.ATTRIBUTIVE)
    seen = [link.see(page(*(names[(step + n) % 6] for n in range(3)))) for step in range(4)]
    assert seen[1].standing is Standing.OK
    state = link.store.links.link(link.id).state
    assert seen[-1].status is CheckStatus.DIFFERENT
    assert state.drifted
    assert "drifted" in state.detail
    assert state.step is not None
    assert state.step > 0.5
    assert state.reference == link.store.links.versions(link.id)[-1].id


def test_a_replacement_is_no_drift(link: Watched) -> None:
    link.see(page("harbour", "garden"))
    link.see(PARKED)
    link.see(PARKED)
    assert not link.store.links.link(link.id).state.drifted


def test_a_page_rewritten_in_one_step_has_not_drifted(link: Watched) -> None:
    """It passed as the same place; by its content it is another page, and was so in one step."""
    link.judge = LinkJudge(link.store.links, LinkSettings(), model=lambda _: replace(default_model(), threshold=0.0))
    link.see(page("harbour", "garden"))
    assert link.see(page("choir", "museum")).standing is Standing.OK
    link.store.links.set_usage(link.id, Usage.ATTRIBUTIVE)
    assert link.see(page("choir", "museum", number=1)).status is CheckStatus.DIFFERENT
    assert not link.store.links.link(link.id).state.drifted
    assert "drifted" not in link.store.links.link(link.id).state.detail


def test_a_step_is_judged_by_what_this_check_is_to_mean(link: Watched) -> None:
    """``afresh check --profile attributive`` of a link that means a place: the rewrite is this very step."""
    link.judge = LinkJudge(link.store.links, LinkSettings(), model=lambda _: replace(default_model(), threshold=0.0))
    link.see(page("harbour", "garden"))
    assert link.see(page("harbour", "garden", number=1)).standing is Standing.OK
    check = link.judge.judge(link.id, fetched(page("choir", "museum"), 9_000.0), usage=Usage.ATTRIBUTIVE).check
    assert check.status is CheckStatus.DIFFERENT
    assert "drifted" not in check.detail


def test_another_page_is_told_with_how_much_is_left_and_since_when(link: Watched) -> None:
    link.see(page("harbour", "garden"))
    first = link.see(page("choir", "museum", title="Town pages, new"))
    assert (first.status, first.turned) == (CheckStatus.DIFFERENT, None)
    assert (
        first.detail
        == "it looks like another page, not like new content of this one: 2% of the text that was saved is left"
    )
    link.time += 3 * 86_400.0
    assert (
        link.see(page("choir", "museum", title="Town pages, new")).detail == f"{first.detail}; so since 1 January 1970"
    )


@pytest.mark.parametrize("status", [301, 302])
def test_another_page_at_another_host_is_told_with_the_host(link: Watched, status: int) -> None:
    link.see(page("harbour", "garden"))
    other = "http://other.example:8080/x"
    moved = fetched(
        page("choir", "museum", title="Town pages, new"), 9.0, final_url=other, redirects=(Redirect(status, other),)
    )
    seen = link.see(moved)
    assert seen.status is CheckStatus.DIFFERENT
    assert seen.detail.startswith(
        f"sent on to other.example:8080 (HTTP {status}); it looks like another page, not like new content of this one: "
    )


def known(link: Watched) -> str:
    """What the link is asked with the next time."""
    return link.store.get(link.id).validators.etag


def test_what_was_not_kept_is_asked_for_anew(link: Watched) -> None:
    """Else "as it was" would be taken for the version before, which was well."""
    tagged = {"content-type": "text/html", "etag": '"1"'}
    link.see(fetched(page("harbour", "garden"), headers=tagged))
    assert known(link) == '"1"'
    link.see(NotModified(trip=trip(link.time)))
    link.see(Rejected(trip=trip(link.time), status=503))
    assert known(link) == '"1"'
    binary = {"content-type": "application/zip", "etag": '"2"'}
    assert link.see(fetched(b"PK\x03\x04\x00\x00", headers=binary)).status is CheckStatus.UNSUPPORTED
    assert known(link) == ""
    link.see(fetched(PARKED, headers=tagged))
    assert known(link) == '"1"'


def test_a_link_to_a_part_is_asked_for_anew(tmp_path: Path) -> None:
    """Of a page whose text stays, the version that came first is kept, whatever parts it has."""
    with closing(open_store(str(tmp_path / "store.db"))) as store:
        link = Watched(store, URL + "#plans")
        link.see(fetched(page("harbour", "garden"), headers={"content-type": "text/html", "etag": '"1"'}))
        assert known(link) == ""


def test_not_modified_does_not_repeat_what_an_archive_gave(link: Watched) -> None:
    link.see(page("harbour", "garden"))
    later = NewVersion(at=link.time + 60.0, url=URL, mark=b"other", body=PARKED.encode(), origin=Origin.ARCHIVE)
    link.store.links.add_version(link.id, replace(later, content_type="text/html"))
    assert link.see(NotModified(trip=trip(link.time))).status is CheckStatus.EQUAL


def test_not_modified_repeats_what_was_seen_last(link: Watched) -> None:
    link.see(page("harbour", "garden"))
    assert link.see(NotModified(trip=trip(link.time))).status is CheckStatus.EQUAL
    link.see(PARKED)
    result = link.see(NotModified(trip=trip(link.time)))
    assert (result.status, result.http, result.turned) == (CheckStatus.DIFFERENT, 304, Turned.PARKED)
    assert link.standing is Standing.BROKEN


NOTICE = "<title>Town pages</title><p>We have moved! Our new address: <a href='http://new.example/h'>here</a>.</p>"


def test_not_modified_does_not_forget_where_a_page_went(link: Watched) -> None:
    """Nobody asks what stands there again: the page says what it said when that was found."""
    old = page("harbour", "garden")
    link.see(old)
    there = Seen(Profile(read_document(NOTICE.encode(), url=URL)), target=Profile(read_document(old.encode(), url=URL)))
    moved = link.see(fetched(NOTICE, link.time + 3_600.0), there)
    assert (moved.status, moved.new_url) == (CheckStatus.MOVED, "http://new.example/h")
    for _ in range(3):
        again = link.see(NotModified(trip=trip(link.time)))
        assert (again.status, again.new_url, again.http) == (CheckStatus.MOVED, "http://new.example/h", 304)
        assert again.detail == moved.detail
    state = link.store.links.link(link.id).state
    assert (state.standing, state.failures) == (Standing.MOVED, 0)
    link.store.links.accept_version(link.id, by="me", now=link.time)
    assert link.see(NotModified(trip=trip(link.time + 1.0))).status is CheckStatus.EQUAL


@pytest.mark.parametrize("saved", [True, False])
def test_not_modified_does_not_forget_what_else_the_site_was_asked(link: Watched, saved: bool) -> None:
    """Here it gives a page that cannot exist the same words, which say nothing by themselves."""
    anything = page("choir", "museum", title="Welcome to our pages")
    if saved:
        link.see(page("harbour", "garden"))
    read = Profile(read_document(anything.encode(), url=URL))
    soft = link.see(fetched(anything, link.time + 3_600.0), Seen(read, probe=read))
    assert (soft.status, soft.turned) == (CheckStatus.DIFFERENT, Turned.SOFT_404)
    for _ in range(3):
        again = link.see(NotModified(trip=trip(link.time)))
        assert (again.status, again.turned, again.detail) == (soft.status, soft.turned, soft.detail)
    assert link.store.links.link(link.id).state.is_candidate is not saved


def test_not_modified_does_not_forget_a_page_that_was_found_elsewhere(link: Watched) -> None:
    link.see(page("harbour", "garden"))
    other = link.judge.judge(link.id, fetched(page("choir", "museum", title="Songs"), link.time + 9.0)).record
    assert other is not None
    found = replace(
        other, check=replace(other.check, new_url=URL + "/2"), state=replace(other.state, new_url=URL + "/2")
    )
    link.store.links.record_checks([found])
    assert link.see(NotModified(trip=trip(link.time))).new_url == URL + "/2"


def test_a_parked_page_is_no_reference(link: Watched) -> None:
    assert link.see(PARKED).status is CheckStatus.DIFFERENT
    assert link.store.links.link(link.id).state.is_candidate  # kept for a person who knows better
    assert link.see(PARKED).status is CheckStatus.DIFFERENT
    assert link.see(page("harbour")).status is CheckStatus.NEW
    state = link.store.links.link(link.id).state
    assert (state.reference, state.is_candidate) == (link.store.links.versions(link.id)[0].id, False)


def test_a_false_alarm_at_first_sight_does_not_cost_the_reference(link: Watched) -> None:
    """The page is about parked domains and looks like one; it has many other faces before somebody says so."""
    link.see(PARKED)
    for number in range(8):  # more than are kept
        link.see(PARKED.replace("Related", f"Related {number}"))
    state = link.store.links.link(link.id).state
    assert state.reference in [version.id for version in link.store.links.versions(link.id)]
    link.store.links.accept_version(link.id, state.reference, by="me", now=link.time)
    assert link.see(PARKED).status is CheckStatus.EQUAL
    assert link.see(page("harbour")).status is CheckStatus.DIFFERENT


@pytest.mark.parametrize(
    ("body", "turned"),
    [
        ("<title>Just a moment...</title><p>Checking your browser.</p>", Turned.CAPTCHA),
        ("<title>Wartung</title><p>Wir sind gleich zurück.</p>", Turned.MAINTENANCE),
        ("<title>sorry</title><p>Too busy, hm.</p>", Turned.STAND_IN),
    ],
)
def test_what_stands_there_for_an_hour_waits(link: Watched, body: str, turned: Turned) -> None:
    link.see(page("harbour", "garden", "mill"))
    seen = link.see(body)
    assert (seen.status, seen.turned) == (CheckStatus.DIFFERENT, turned)
    assert link.standing is Standing.SUSPECT
    link.see(page("harbour", "garden", "mill"))
    assert link.standing is Standing.OK
    assert link.events == []


def test_a_page_that_changes_by_nature_is_known_by_its_history(link: Watched) -> None:
    """Once it was still the page although all of its text was new: then that is what it does."""
    menu = "".join(f"<a href='/{n}'>{n} corner</a>" for n in range(8))
    faces = [f"{menu}{page(*names, title='Notices')}" for names in (("harbour", "garden"), ("mill", "choir"))]
    link.see(faces[0])
    assert link.see(f"{menu}{page('bakery', 'museum', title='Notices')}").status is CheckStatus.DIFFERENT
    strict, link.judge = (
        link.judge,
        LinkJudge(link.store.links, LinkSettings(), model=lambda _: replace(default_model(), threshold=0.0)),
    )
    assert link.see(faces[1]).standing is Standing.OK
    link.judge = strict
    assert link.see(f"{menu}{page('bakery', 'museum', title='Notices')}").standing is Standing.OK
    assert link.see(f"{menu}{page('bakery', 'museum', title='Songs')}").status is CheckStatus.DIFFERENT


def test_a_link_is_not_named_after_what_replaced_it(link: Watched) -> None:
    link.see(PARKED)
    assert link.store.get(link.id).title == ""
    link.see(page("harbour"))
    assert link.store.get(link.id).title == "Town pages"
    link.see(PARKED)
    assert link.store.get(link.id).title == "Town pages"


@pytest.mark.parametrize(
    ("asked", "final", "turned"),
    [
        ("/harbour", "http://town.example/", Turned.FRONT_PAGE),
        ("/a/b.html", "https://www.town.example/index.php", Turned.FRONT_PAGE),
        ("/harbour", "http://town.example/login?next=/harbour", Turned.LOGIN_WALL),
        ("/harbour", "http://town.example/harbour/", None),
        ("/index.html", "http://town.example/", None),
        ("/login", "http://town.example/sign-in", None),
        ("/harbour", "http://harbour.example/", None),
    ],
)
def test_who_is_sent_away_is_told_so(link: Watched, asked: str, final: str, turned: Turned | None) -> None:
    seen = fetched(page("choir", "museum"), final_url=final, redirects=(Redirect(302, final),))
    object.__setattr__(seen.trip, "url", f"http://town.example{asked}")
    check = link.see(seen)
    assert check.turned is turned
    assert check.status is (CheckStatus.NEW if turned is None else CheckStatus.DIFFERENT)
    assert turned is not Turned.FRONT_PAGE or "sent to the front page" in check.detail


def test_a_front_page_that_was_saved_is_no_detour(link: Watched) -> None:
    home = "http://town.example/"
    for _ in range(2):
        seen = link.see(fetched(page("choir"), link.time, final_url=home))
    link.see(fetched(page("choir"), link.time))
    seen = link.see(fetched(page("choir"), link.time, final_url=home, redirects=(Redirect(302, home),)))
    assert seen.status is CheckStatus.EQUAL
    lost = link.see(fetched(page("bakery", title="Bread"), link.time, final_url=home, redirects=(Redirect(302, home),)))
    assert (lost.status, lost.turned) == (CheckStatus.DIFFERENT, Turned.FRONT_PAGE)


def test_a_rejected_version_is_remembered(link: Watched) -> None:
    link.see(page("harbour", "garden", "mill"))
    assert link.see(page("harbour", "garden", "choir")).standing is Standing.OK
    link.store.links.reject_version(link.id, by="me", now=link.time, teach=True)
    assert link.see(page("harbour", "garden", "choir")).status is CheckStatus.DIFFERENT
    assert link.see(page("harbour", "garden", "mill")).status is CheckStatus.EQUAL
    assert link.standing is Standing.OK


def test_failures_keep_the_reference_and_come_with_grace(link: Watched) -> None:
    link.see(page("harbour"))
    before = link.store.links.link(link.id).state.reference
    assert link.see(Failed(trip=trip(link.time), cause=Failure.TIMEOUT)).status is CheckStatus.NET_TIMEOUT
    assert link.see(Rejected(trip=trip(link.time), status=503)).status is CheckStatus.SERVER_ERROR
    assert link.see(Failed(trip=trip(link.time), cause=Failure.OFFLINE)).status is CheckStatus.OFFLINE
    state = link.store.links.link(link.id).state
    assert (state.standing, state.failures, state.reference) == (Standing.SUSPECT, 2, before)
    assert not link.events
    assert link.see(page("harbour")).status is CheckStatus.EQUAL
    assert not link.events


def test_a_status_of_the_server_is_told_wherever_the_link_is(link: Watched) -> None:
    assert link.see(Rejected(trip=trip(link.time), status=404)).detail == "HTTP 404"
    assert link.store.links.link(link.id).state.detail == "HTTP 404"


def test_a_permanent_redirect_keeps_the_comparison_beside_it(link: Watched) -> None:
    link.see(page("harbour"))
    moved = "http://town.example/port"
    checked = link.check(fetched(page("harbour"), link.time, final_url=moved, redirects=(Redirect(301, moved),)))
    assert (checked.check.status, checked.check.new_url) == (CheckStatus.MOVED, moved)
    assert checked.check.probability == 1.0
    assert checked.verdict is not None
    assert checked.verdict.is_same
    for_now = fetched(page("harbour"), link.time, final_url=moved, redirects=(Redirect(302, moved),))
    assert link.see(for_now).status is CheckStatus.EQUAL
    # Sent to the home page: permanent, but not to the page.
    home = fetched(page("choir", title="Welcome"), link.time, redirects=(Redirect(301, "http://town.example/"),))
    assert link.see(home).status is CheckStatus.DIFFERENT


def test_only_the_permanent_hops_at_the_beginning_give_the_new_address(link: Watched) -> None:
    new, now = "http://town.example/port", "http://town.example/port?today"
    for _ in range(2):  # at first sight, and compared with what was seen then
        on = fetched(page("harbour"), link.time, final_url=now, redirects=(Redirect(301, new), Redirect(302, now)))
        check = link.see(on)
        assert (check.status, check.new_url, check.final_url) == (CheckStatus.MOVED, new, now)
        assert check.detail == f"permanent redirect, and from there for now to {now}"
    back = fetched(page("harbour"), link.time, final_url=now, redirects=(Redirect(302, new), Redirect(301, now)))
    assert link.see(back).status is CheckStatus.EQUAL


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", CheckStatus.MISSING),
        (b"\x89PNG\r\n\x1a\n" + bytes(400), CheckStatus.UNSUPPORTED),
        (b"<div>" * 50_000, CheckStatus.DIFFERENT),
        (b"x" * 3_000_000, CheckStatus.DIFFERENT),
        (b"\xff\xfe\x00broken \xc3\x28 text", None),
        (("<p>" + "word " * 400_000).encode(), CheckStatus.DIFFERENT),
    ],
    ids=["empty", "binary", "nested", "one word", "broken encoding", "one long line"],
)
def test_whatever_arrives_has_a_status(link: Watched, body: bytes, status: CheckStatus | None) -> None:
    link.see(page("harbour"))
    result = link.see(fetched(body, link.time))
    assert status is None or result.status is status


def test_versions_can_be_compared(link: Watched) -> None:
    with pytest.raises(UsageError, match="no version"):
        compare_versions(link.store.links, link.id, model=lambda _: default_model())
    link.see(page("harbour", "garden"))
    link.see(page("harbour", "mill"))
    made = compare_versions(link.store.links, link.id, model=lambda _: default_model())
    assert made.influences
    assert {str(piece.change) for piece in made.difference} >= {"added", "removed"}
    backwards = compare_versions(
        link.store.links, link.id, old=made.new.id, new=made.old.id, model=lambda _: default_model()
    )
    assert (backwards.old.id, backwards.new.id) == (made.new.id, made.old.id)
    with pytest.raises(LookupError):
        compare_versions(link.store.links, link.id, new=99, model=lambda _: default_model())
