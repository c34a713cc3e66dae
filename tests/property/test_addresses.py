"""The quick way to a URL's address and site gives what the slow one gives, or refuses it in the same words."""

from ada_url import URL
from hypothesis import example, given, settings
from hypothesis import strategies as st

from afresh.base.errors import AfreshError
from afresh.base.models import Kind
from afresh.base.settings import Settings
from afresh.base.settings.sections import PolitenessSettings
from afresh.engine import accepted_values as values
from afresh.engine.add import address_and_site
from afresh.http.guard import Guard
from afresh.parse.url import Scope, Sites, kept_link, kept_url, plain_parts

SCHEMES = ["http://", "https://", "HTTP://", "feed://", "", "ftp://", "//"]
HOSTS = ["example.org", "a.blogspot.com", "x.y.example.co.uk", "localhost", "127.0.0.1", "0x7f.1", "10.1", "e.org.",
         "xn--bcher-kva.example", "bücher.example", "[::1]", "1e", "a-b.example", "-a.example", "u@e.org",
         "E.org", ""]  # fmt: skip
PORTS = ["", ":80", ":443", ":8080", ":22", ":65536", ":"]
PATHS = [
    "",
    "/",
    "/a/b.html",
    "/a/../b",
    "/./a",
    "//a",
    "/a b",
    "/%7ea",
    "/é",
    "/a;jsessionid=1A/b",
    "/session",
    "/" + "a" * 4_000,
]
QUERIES = ["", "?", "?a=1&b=2", "?sid=1", "?x=1&PHPSESSID=abc", "?a='", "?%", "#top", "?a#b"]

URLS = st.one_of(
    st.builds(lambda *parts: "".join(parts), *map(st.sampled_from, (SCHEMES, HOSTS, PORTS, PATHS, QUERIES))),
    st.text(st.sampled_from("htps:/.abAB019-_~%?&=;#@[] é"), max_size=30).map("http://".__add__),
)


def _slowly(url: str, kind: Kind, sites: Sites, guard: Guard) -> tuple[str, str] | str:
    try:
        kept = kept_link(url) if kind is Kind.LINK else kept_url(url)  # a link may be to a part of a page
        values.check_address(kept, guard)
    except AfreshError as error:
        return str(error)
    return kept, sites.of(kept)


@given(url=URLS, scope=st.sampled_from(Scope), kind=st.sampled_from([Kind.FEED, Kind.PAGE, Kind.LINK]))
@settings(max_examples=1_000, deadline=None)
@example(url="https://example.org/a?b=1", scope=Scope.HOST, kind=Kind.LINK)
@example(url="https://a.blogspot.com/a", scope=Scope.SERVICE, kind=Kind.LINK)
@example(url="http://localhost/?sid=1", scope=Scope.HOST, kind=Kind.LINK)
def test_both_ways_agree(url: str, scope: Scope, kind: Kind) -> None:
    sites, guard = Sites(PolitenessSettings(scope=scope)), Guard.of(Settings().fetch)
    if plain_parts(url) is not None:
        assert URL(url).href == url  # a browser would leave it as it is, too
    expected = _slowly(url, kind, sites, guard)
    for _ in range(2):  # the second time from memory
        try:
            found: tuple[str, str] | str = address_and_site(url, kind, sites, guard)
        except AfreshError as error:
            found = str(error)
        assert found == expected
