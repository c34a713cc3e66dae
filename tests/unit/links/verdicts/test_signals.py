"""Which words of a page call for a closer look."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.base.page_text import PageText
from afresh.base.records.links import Turned
from afresh.links.measures.profile import Profile
from afresh.links.measures.tokens import words_of
from afresh.links.verdicts import phrases, searched_text
from afresh.links.verdicts.phrases_abroad import ABROAD
from afresh.links.verdicts.scripts import SCRIPTS
from afresh.links.verdicts.signals import CERTAIN, signals_of
from afresh.parse.page import parse_page

_END = re.compile(r"[.!?]\s+")  # of a sentence


@given(st.text(alphabet="ab3 .!?…,-\n\xa0", max_size=60))
def test_words_are_found_as_if_every_sentence_stood_alone(text: str) -> None:
    squeezed = " ".join(text.split())  # as every page's text is
    expected = words_of(f"{_END.sub(' ', squeezed)}")
    found = searched_text.view_of(Profile(PageText(text=squeezed))).words
    assert {word for word in found if word.strip("-.")} == {word for word in expected if word.strip("-.")}


def test_every_trigger_is_a_word_and_every_pattern_compiles() -> None:
    for pattern in (pattern for patterns in searched_text.PATTERNS.values() for pattern in patterns):
        assert all(any(char.isalnum() for char in word) for word in pattern.triggers)
        assert words_of(" ".join(pattern.triggers)) != () or pattern.script in SCRIPTS
        assert searched_text.regex(pattern.title).pattern == pattern.title
        assert searched_text.regex(pattern.text).pattern == pattern.text
    assert len(searched_text.PATTERNS) == len(phrases.PHRASES)
    assert set(ABROAD) <= set(phrases.PHRASES)


def test_a_page_without_a_sign_has_no_signals() -> None:
    prose = "The harbour council prints its plans every spring for all who live by the water. " * 20
    assert signals_of(Profile(PageText(title="Plans", text=prose, main=prose))) == ()


def page(body: str, title: str = "", url: str = "http://town.example/plans") -> Profile:
    return Profile(parse_page(f"<html><title>{title}</title><body>{body}</body></html>".encode(), url=url))


def surest(page: Profile) -> tuple[Turned | None, float]:
    found = signals_of(page)
    return (found[0].kind, found[0].score) if found else (None, 0.0)


def said_of_absence(page: Profile) -> list[str]:
    signs = (sign for sign in signals_of(page) if sign.kind is Turned.SOFT_404)
    return [said for sign in signs for said in sign.evidence if said != "structure"]


@pytest.mark.parametrize(
    ("lang", "headlines"),
    [
        ("de", ("Warum wir nachts nicht schlafen", "Gefunden: der Ring der Gräfin", "Die schönste Seite des Winters")),
        ("de", ("Impfung reicht allein aber nicht", "Es gibt sie noch, die Bäcker", "Hochzeit: Seite an Seite")),
        ("en", ("A lost page", "Could not be better: our picnic", "Found in a well")),
    ],
)
@pytest.mark.parametrize("tag", ["li", "h3"])
def test_headlines_beside_each_other_make_no_sentence(lang: str, headlines: tuple[str, ...], tag: str) -> None:
    text = "".join(f"<{tag}><a href=/{n}>{line}</a></{tag}>" for n, line in enumerate(headlines))
    source = f"<html lang={lang}><title>Kurier</title><body>{text}</body></html>"
    assert said_of_absence(Profile(parse_page(source.encode(), url="http://town.example/plans"))) == []


def test_a_sentence_that_a_link_or_a_line_break_parts_is_one() -> None:
    assert said_of_absence(page("<p>We are sorry, the <a href=/p>page you asked for</a> could not<br>be found.</p>"))
    assert said_of_absence(page("<ul><li>Not now</li><li>The page was not found</li><li>Found: a ring</li></ul>"))


def test_each_phrase_counts() -> None:
    """One phrase may be chance; three that say the same are not."""
    one = "<p>The plan you asked for is no longer available.</p>"
    filler = "<p>" + "The council of the harbour meets every other Monday in the old customs house. " * 14 + "</p>"
    said = "<p>The file was removed. We could not find the page. Check the address, please.</p>"
    (_, once), (kind, thrice) = surest(page(one + filler)), surest(page(one + said + filler))
    assert kind is Turned.SOFT_404
    assert once < CERTAIN < thrice


@pytest.mark.parametrize(
    "dump",
    [
        "<b>Warning</b>: mysqli_connect(): (HY000/2002): Connection refused in <b>/srv/db.php</b> on line <b>7</b>",
        "<b>Parse error</b>: syntax error, unexpected '}' in <b>/srv/www/a.php</b> on line <b>88</b><br />",
        "Notice: Undefined index: id in /home/u/public_html/show.php on line 12",
        "<h1>HTTP Status 500</h1><p>Exception report</p><pre>NullPointerException at t.Page.show(Page.java:31)</pre>",
        "<pre>PG::ConnectionBad ActiveRecord::ConnectionNotEstablished</pre><h1>Internal Server Error</h1>",
        "<h1>Server Error in '/' Application.</h1><p>[SqlException (0x80131904): login failed]</p>",
        "<h1>504 Gateway Time-out</h1><hr>nginx",
        "<h1>TypeError at /plans</h1><pre>Traceback (most recent call last): File 'x.py', line 3</pre>",
    ],
)
def test_error_dumps_are_told(dump: str) -> None:
    kind, score = surest(page(dump))
    assert kind is Turned.ERROR
    assert score >= CERTAIN


@pytest.mark.parametrize("number", [500, 502, 503, 504])
def test_the_number_of_a_thing_is_no_error(number: int) -> None:
    prose = "<p>The harbour opens at seven and closes at nine. </p>" * 8
    found = page(f"<h1>Lamp {number}</h1>{prose}", title=f"Lamp {number}")
    assert all(signal.score < CERTAIN for signal in signals_of(found))
    assert surest(page(f"<h1>Error {number}</h1>", title=f"Error {number}"))[0] is Turned.ERROR


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("<script>window.onload=function(){window.location.href='/lander'}</script>", Turned.PARKED),
        ("<iframe src='https://www.sedoparking.com/frmpark/town.example'></iframe><p>town.example</p>", Turned.PARKED),
        ("<div id=c></div><script>window._cf_chl_opt={a:1}</script><p>Bitte warten</p>", Turned.CAPTCHA),
        ("<p>...</p><script src='https://ct.captcha-delivery.com/c.js'></script>", Turned.CAPTCHA),
    ],
)
def test_the_source_names_who_stands_there(source: str, kind: Turned) -> None:
    assert surest(page(source))[0] is kind
    prose = "<p>" + "The harbour council prints its plans every spring for all who live by the water. " * 20 + "</p>"
    assert surest(page(source + prose))[1] < CERTAIN  # an ordinary page may load anything


@pytest.mark.parametrize(
    ("title", "body"),
    [
        (
            "Maintenance of wooden boats",
            "How planks are cleaned, dried and oiled before winter, step by step, with tools.",
        ),
        (
            "HTTP status codes",
            "A list of codes: 200 says that all is well, 301 names another address, 404 says not found.",
        ),
        ("Contact", "Write to us. We answer within two days.<form><textarea></textarea><button>Send</button></form>"),
        ("Domain names for beginners", "What a domain is, who registers it, and what to do when yours will expire."),
        ("Cookie policy", "Which cookies we set, for how long, and how to refuse them in your browser's settings."),
        ("Member directory", "All members of the rowing club by name, with their boats. Log in to change your entry."),
        ("Robots in the kitchen", "A talk about machines that cut onions, and whether you are a better cook than one."),
        ("Under construction: the new pier", "The pier is under construction until May; boats land at the old quay."),
        ("小さな港の歴史", "港は嵐のあと石で造り直されました。議会は計画を印刷して町の人に配りました。"),
        ("История порта", "После шторма порт построили заново, а планы напечатали для всех жителей города."),
    ],
)
def test_ordinary_pages_that_use_the_words_are_left_alone(title: str, body: str) -> None:
    told = page(f"<h1>{title}</h1><p>{body}</p>" + "<p>The harbour has three quays and a crane.</p>" * 12, title)
    assert surest(told)[1] < CERTAIN


def test_long_texts_without_spaces_are_prose_too() -> None:
    story = "昔々、ある港町に古い灯台がありました。灯台守は毎晩、海を見ながら手紙を書きました。" * 30
    told = page(f"<h1>灯台</h1><p>その手紙は見つかりませんでした。{story}</p>", "灯台の話")
    assert surest(told)[1] < CERTAIN


NAV = "".join(f"<li><a href='/{name}'>{name}</a></li>" for name in ("plans", "news", "quays", "crane", "fees", "map"))
FRAME = f"<ul>{NAV}<li><a href='/contact'>contact</a></li><li><a href='/'>home</a></li></ul>"


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ("<h1>Error 404</h1><p>Words and music by J. Okoro.</p>", "<h1>“Error 404”</h1><p>Words by J. Okoro.</p>"),
        ("<p>This domain is for sale. Make an offer.</p>", "<p>It read “This domain is for sale. Make an offer”.</p>"),
        ("<h1>Just a moment</h1>", "<h1>Was bedeutet „Just a moment“?</h1>"),
        ("<h1>404</h1><p>ページが見つかりません</p>", "<h1>「404」</h1><p>「ページが見つかりません」</p>"),
    ],
)
def test_what_is_quoted_is_not_said(said: str, quoted: str) -> None:
    assert surest(page(said))[1] >= CERTAIN
    assert surest(page(quoted))[1] < CERTAIN


@pytest.mark.parametrize(
    "source",
    [
        "<body class='blog error404 wide'><h1>Jejda</h1><p>Tady nic neni, vratte se na zacatek prosim.</p>",
        "<body class=x><div class='noarticletext mw'><p>Kvu blaf nomu pelta, kvu blaf sor.</p></div>",
        '<body><main class="wide template-404"><h1>Kvu</h1><p>Blaf nomu pelta sor.</p></main>',
    ],
)
def test_the_source_says_not_found_in_any_language(source: str) -> None:
    found = signals_of(Profile(parse_page(f"<html><title>Kvu</title>{source}".encode(), url="http://t.example/a")))
    assert (found[0].kind, found[0].is_all) == (Turned.SOFT_404, True)
    assert found[0].score >= CERTAIN


def test_the_name_of_its_body_counts_however_much_else_a_page_shows() -> None:
    teasers = "<p>The harbour council prints its plans every spring for all who live by the water.</p>" * 10
    for name, expected in (("error404", Turned.SOFT_404), ("single", None)):
        source = f"<html><title>Town</title><body class='{name}'>{teasers}"
        assert surest(Profile(parse_page(source.encode(), url="http://t.example/a")))[0] is expected


@pytest.mark.parametrize(
    ("title", "body", "kind"),
    [
        (
            "Player",
            "<h1>Sorry, this video isn't available in your region</h1><p>Are you using a VPN?</p>",
            Turned.CAPTCHA,
        ),
        ("451", "<h1>Unavailable due to legal reasons</h1><p>You visit us from a country that ...</p>", Turned.CAPTCHA),
        ("Server too busy", "<p>Too many users. Please try again later.</p>", Turned.MAINTENANCE),
        (
            "Runtime Error",
            "<h1>Server Error in '/' Application.</h1><p>An application error occurred.</p>",
            Turned.ERROR,
        ),
        ("OperationalError at /lamps/", "<p>Request Method: GET</p><p>Django Version: 4.2</p>", Turned.ERROR),
        ("Video not found", "<p>Have a look at the others.</p>", Turned.SOFT_404),
        ("Forum", "<h1>Information</h1><p>Das gewählte Thema existiert nicht.</p>", Turned.SOFT_404),
    ],
)
def test_families_of_phrases(title: str, body: str, kind: Turned) -> None:
    found, score = surest(page(body, title))
    assert (found, score >= CERTAIN) == (kind, True)


def test_a_manual_that_prints_an_error_is_none() -> None:
    dump = "Fatal error: Uncaught Error: Call to undefined function foo() in /srv/a.php on line 3 Stack trace: #0"
    told = f"<p>What PHP prints if nobody catches it, and how to switch that off for visitors.</p><pre>{dump}</pre>"
    assert surest(page(FRAME + told, "Fatal errors explained"))[1] < CERTAIN
    assert surest(page(f"<b>{dump}</b>"))[1] >= CERTAIN


def test_an_offer_to_log_in_is_no_wall() -> None:
    prices = "<h1>Subscribe</h1><p>Paper and digital, seven euros a week, first month free for everybody.</p>"
    offer = "<p>Already a subscriber? Sign in to manage your deliveries.</p>"
    assert surest(page(prices + offer, "Prices"))[1] < CERTAIN
    field = "<form><input type=password></form>"
    assert surest(page(offer + field, "Log in to continue"))[0] is Turned.LOGIN_WALL


STORY = (
    "<p>The old stone bridge was built by monks who kept bees and sold honey at the market until the flood took the"
    " mill away, and the village moved uphill.</p>"
)
FORM = "<form action=/login><input name=user><input type=password name=pw><button>Log in</button></form>"
BANNER = "<div>We use cookies to improve this site. <button>Accept all</button> <button>Reject all</button></div>"


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("The stone bridge", BANNER + STORY),
        ("A walk to the bridge", f"{STORY}<h3>Comments</h3><p>You must be logged in to post a comment.</p>{FORM}"),
        ("How do I log in with curl?", f"{STORY}<p>You must log in to answer this question.</p>"),
    ],
)
def test_what_shows_a_paragraph_hides_nothing(title: str, body: str) -> None:
    assert surest(page(f"<h1>{title}</h1>{body}", title=title))[1] < CERTAIN


CHOICE = (
    "<div><p>Wir verwenden Cookies, um unsere Website zu verbessern. Sie können alle Cookies akzeptieren oder Ihre"
    " Einstellungen ändern.</p><button>Einstellungen ändern</button><button>Alle akzeptieren</button></div>"
)
SIGNBOARD = "<h3>Tierarztpraxis Weber</h3><a href='/'>Startseite</a> <a href='/wir'>Wir</a> <a href='/x'>Kontakt</a>"


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Wann?", "<p>Montag bis Freitag 8 bis 12 und 15 bis 18 Uhr, mittwochs geschlossen.</p><p>Notdienst: 030 5"),
        ("Wir", "<p>Anna Weber, Ärztin für Tiere</p><p>Jo Krüger, Pfleger seit 2012</p><p>Olga, vormittags am Empfang"),
    ],
    ids=["hours", "people"],
)
@pytest.mark.parametrize("is_above", [True, False])
def test_a_few_words_under_a_name_of_their_own_beside_a_banner_are_a_page(
    title: str, text: str, *, is_above: bool
) -> None:
    told = f"<h1>{title}</h1>{text}"
    body = SIGNBOARD + (CHOICE + told if is_above else told + CHOICE)
    assert surest(page(body, title=f"{title} - Tierarztpraxis Weber"))[1] < CERTAIN


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Tierarztpraxis Weber", CHOICE),  # no name of its own
        ("Wann? - Tierarztpraxis Weber", f"<h1>Wann?</h1>{CHOICE}"),  # a name and no text
        ("Ihre Zustimmung - Weber", f"<h1>Ihre Zustimmung</h1><p>{'Es dauert nur einen Moment. ' * 3}</p>{CHOICE}"),
        ("Wann? - Weber", f"<h1>Wann?</h1>{CHOICE}<p>Nachher geht es weiter mit dem, was Sie hier lesen möchten.</p>"),
    ],
)
def test_a_question_for_consent_without_a_text_under_a_name_is_a_wall(title: str, body: str) -> None:
    found, score = surest(page(body, title=title))
    assert (found, score >= CERTAIN) == (Turned.CONSENT_WALL, True)


@pytest.mark.parametrize(
    ("title", "body", "kind"),
    [
        ("Log in", f"<p>Please log in to continue.</p>{FORM}", Turned.LOGIN_WALL),
        ("The stone bridge", f"{STORY}<p>Subscribe to continue reading.</p><p>Log in</p>{FORM}", Turned.LOGIN_WALL),
        ("Before you continue", f"<p>Accept cookies to continue to the site.</p>{BANNER}", Turned.CONSENT_WALL),
    ],
)
def test_what_keeps_somebody_from_reading_on_is_a_wall(title: str, body: str, kind: Turned) -> None:
    found, score = surest(page(f"<h1>{title}</h1>{body}", title=title))
    assert (found, score >= CERTAIN) == (kind, True)
