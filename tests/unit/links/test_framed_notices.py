"""A page that says it has moved, within the frame of its site; and pages that only speak of moving."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from afresh.base.models import Kind, NewResource
from afresh.base.protocols import Store
from afresh.base.records.links import Check, CheckStatus, Standing
from afresh.base.settings.sections import LinkSettings
from afresh.links.answers import Checked
from afresh.links.checker import PROBE_PATH, Checker
from afresh.links.judge import LinkJudge
from afresh.links.measures.profile import Profile
from afresh.links.verdicts.model import default_model
from afresh.links.verdicts.moved import moved_notice
from afresh.parse.documents import read_document
from afresh.store import open_store
from tests.fakes.fake_web import FakeWeb, HandClock

OLD, NEW = "https://club.example", "https://choir.example"
MENU = "".join(
    f'<li><a href="/{name.lower()}/">{name}</a></li>'
    for name in ("Home", "Articles", "Archive", "Topics", "Contact", "Newsletter", "Events", "Shop", "Members", "Press")
)
READ = "".join(
    f'<li><a href="/x/{at}">{text}</a></li>'
    for at, text in enumerate(
        (
            "How the boat hall got its new roof before the winter storms",
            "Eight songs that every fisherman of the coast can sing",
            "What we learnt from a year of rehearsals in the open air",
            "The long road to a piano that stays in tune by the sea",
            "Interview: forty years at the first desk of the altos",
        )
    )
)
FOOT = (
    "We use cookies to make this site work and to understand how it is used. You can change your choice at any time in"
    " the settings. All articles are published under the terms that stand below each of them. Reproduction elsewhere is"
    " welcome if you name the author. For corrections please write to the editors; we read every letter. Imprint ·"
    " Privacy · Terms of use · Accessibility · Sitemap"
)
ARTICLE = (
    "<h1>Winter songs</h1><p>The choir of the fishermen rehearses winter songs in the boat hall and welcomes every"
    " willing voice. The oldest of them was written down by a school teacher who heard it from the rowers of the"
    " northern ferry.</p><p>Most of the verses speak of the wind, of nets that have to be mended and of the light that"
    " stands in the window of the pilot's house. In the third week of November the whole village meets to sing them,"
    " and whoever forgets a line buys the cider.</p><p>The printed book has notes for three voices. It can be had at"
    " the bakery, at the museum of nets and sails and from the sexton, who keeps a few copies for guests.</p>"
)
FRAMES = {
    "classes": '<div class="top"><h2><a href="/">Club</a></h2></div><div class="nav"><ul>{menu}</ul></div><aside>'
    '<h3>Most read</h3><ul>{read}</ul></aside><div id="content">{body}</div><footer><p>{foot}</p></footer>',
    "tables": '<table><tr><td colspan=2><a href="/">Club</a></td></tr><tr><td><ul>{menu}</ul><ul>{read}</ul></td>'
    "<td>{body}</td></tr></table><div id=footer><p>{foot}</p></div>",
    "tags": '<header><a href="/">Club</a><nav><ul>{menu}</ul></nav></header><main>{body}</main><aside><ul>{read}</ul>'
    "</aside><footer><p>{foot}</p></footer>",
}
NOTICES = (
    '<h1>This page has moved</h1><p>The new location of this page is <a href="{new}">here</a>. Please update your'
    " bookmarks.</p>",
    '<h1>Our website has moved</h1><p>Please visit us at our new website: <a href="{new}">choir.example</a>.</p>',
    "<h1>Winter songs</h1><p>You can find these songs at their new home, for the whole site has moved:</p><p><a"
    ' href="{new}">Winter songs</a></p><p>This copy is not kept up any more.</p>',
    "<h1>Wir sind umgezogen</h1><p>Die neue Adresse dieser Seite: {new}</p>",
    "<h1>Nous avons déménagé</h1><p>Cette page se trouve désormais à l'adresse <a href='{new}'>{new}</a>. Merci de"
    " mettre à jour vos favoris.</p>",
)
_MORE = (
    "The rehearsals take place every second Thursday, and guests who would like to listen are asked to come a little"
    " earlier, because the door is locked when the singing begins. Tea is served in the break. Whoever wants to sing"
    " along gets the notes from the librarian, and returns them on the way out. "
)
SPEAK_OF_IT = {
    "a story": f"<h1>Why we have moved our blog</h1><p>Last spring our blog has moved from one system to <a"
    f' href="https://maker.example/">another</a>. {_MORE * 3}</p>',
    "a shop": "<h1>Our store</h1><p>Our store has moved: you find us at Harbour Street 5 now, see the <a"
    f' href="https://maps.example/5">map</a>.</p><p>{_MORE * 2}</p>',
    "a shop, in few words": "<h1>Visit us</h1><p>Our store has moved to Harbour Street 5. <a"
    ' href="https://maps.example/5">See the map</a>. Open Monday to Friday.</p>',
    "an office": "<h1>Contact</h1><p>Our office has moved to the first floor. Write to us or <a"
    ' href="https://forms.example/club">use the form</a>.</p>',
    "a meeting": '<h1>Annual meeting</h1><p>The meeting was moved to Friday; <a href="https://calendar.example/7">add'
    " it to your calendar</a>.</p>",
    "a list of changes": "<h1>Release 2.4</h1><ul><li>The settings have moved to their own page.</li><li>The <a"
    ' href="https://docs.example/cli">command line</a> has a new option.</li><li>Faster start.</li></ul>',
    "a story about another site": f"<h1>News of the week</h1><p>The archive of the museum is now available at <a"
    f' href="https://museum.example/">its new address</a>. {_MORE * 2}</p>',
    "what may have happened": "<h1>About lost pages</h1><p>A page may have been moved or deleted; the <a"
    ' href="https://archive.example/">archive</a> has copies of many.</p>',
    "what is to come": "<h1>News</h1><p>Our new website is on its way and will be found at <a"
    ' href="https://soon.example/">soon.example</a>. Stay tuned.</p>',
    "a file": "<h1>Downloads</h1><p>The notes are now available on the <a"
    f' href="https://files.example/notes">file server</a> of the town.</p><p>{_MORE * 2}</p>',
    "a house": f"<h1>Le déménagement</h1><p>En mai nous avons déménagé au bord de la mer. {_MORE * 2} Voici des <a"
    ' href="https://pictures.example/coast">photos</a>.</p>',
    "a family": f"<h1>Our year</h1><p>In May we have moved to the coast. {_MORE * 2} Here are <a"
    ' href="https://pictures.example/coast">pictures</a>.</p>',
}


def framed(body: str, frame: str) -> str:
    page = FRAMES[frame].format(menu=MENU, read=READ, body=body, foot=FOOT)
    return f"<!DOCTYPE html><html lang=en><head><title>Club</title></head><body>{page}</body></html>"


class Club:
    """A site with one page, and a store that keeps it."""

    def __init__(self, store: Store) -> None:
        self.store, self.clock = store, HandClock()
        self.web = FakeWeb(self.clock)
        self.url = OLD + "/songs"
        self.number = store.add([NewResource(url=self.url, site="club.example", kind=Kind.LINK)], now=0.0)[0].id
        self.web.status(OLD + PROBE_PATH, 404)

    def see(self, body: str, url: str = "") -> Check:
        """The check that finds this."""
        self.web.document(url or self.url, body.encode(), content_type="text/html")
        found: list[Checked] = []

        async def done(checked: Checked) -> None:
            found.append(checked)

        judge = LinkJudge(self.store.links, LinkSettings(), model=lambda _: default_model())
        checker = Checker(self.web.fetch, judge, now=self.clock.now)
        self.clock.advance(90_000.0)
        asyncio.run(checker.check_all({self.url: self.number}, done, site_of=lambda url: url))
        assert found[0].record is not None
        self.store.links.record_checks([found[0].record])
        return found[0].check


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    with closing(open_store(str(tmp_path / "links.db"))) as store:
        yield Club(store)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("notice", NOTICES)
def test_a_page_has_moved_though_the_frame_is_most_of_it(club: Club, frame: str, notice: str) -> None:
    new = NEW + "/winter-songs"
    club.web.document(new, framed(ARTICLE, "tags").replace("Club", "Choir").encode(), content_type="text/html")
    assert club.see(framed(ARTICLE, frame)).standing is Standing.OK
    moved = club.see(framed(notice.format(new=new), frame))
    assert (moved.status, moved.new_url, moved.turned) == (CheckStatus.MOVED, new, None)
    assert moved.probability is not None
    assert moved.probability > 0.5, "it is that of the page found there"


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", SPEAK_OF_IT)
def test_a_page_that_speaks_of_moving_is_one(club: Club, frame: str, name: str) -> None:
    """At first sight, and when a saved page comes to say so."""
    for place in ("maker", "maps", "forms", "calendar", "docs", "museum", "archive", "soon", "files", "pictures"):
        for path in ("/", "/5", "/7", "/cli", "/notes", "/club", "/coast"):
            club.web.document(f"https://{place}.example{path}", _MORE.encode(), content_type="text/html")
    seen = club.see(framed(SPEAK_OF_IT[name], frame))
    state = club.store.links.link(club.number).state
    assert (seen.standing, seen.new_url, state.is_candidate) == (Standing.OK, "", False)
    again = club.see(framed(SPEAK_OF_IT[name] + "<p>Until soon!</p>", frame))
    assert (again.standing, again.new_url) == (Standing.OK, "")


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", SPEAK_OF_IT)
def test_a_saved_page_may_come_to_speak_of_moving(club: Club, frame: str, name: str) -> None:
    club.see(framed(ARTICLE, frame))
    said = SPEAK_OF_IT[name].partition("</h1>")[2]
    seen = club.see(framed(ARTICLE + said, frame))
    assert (seen.standing, seen.new_url) == (Standing.OK, "")


def test_a_menu_is_no_notice() -> None:
    for item in ("This page has moved", "Our new address: here"):
        body = framed("<p>Songs of winter.</p>", "classes").replace(
            MENU, f'{MENU}<li><a href="{NEW}/a">{item}</a></li>'
        )
        assert moved_notice(Profile(read_document(body.encode(), url=OLD + "/songs"))) is None
