"""Which words of a page call for a closer look."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.base.page_text import PageText
from afresh.base.records.link_status import Turned
from afresh.links.measures.profile import Profile
from afresh.links.measures.tokens import words_of
from afresh.links.verdicts import phrases, signals
from afresh.links.verdicts.phrases_abroad import ABROAD
from afresh.links.verdicts.scripts import SCRIPTS
from afresh.links.verdicts.signals import CERTAIN, signals_of
from afresh.parse.page import parse_page

_END = re.compile(r"[.!?]\s+")  # of a sentence


@given(st.text(alphabet="ab3 .!?…,-\n\xa0", max_size=60))
def test_words_are_found_as_if_every_sentence_stood_alone(text: str) -> None:
    squeezed = " ".join(text.split())  # as every page's text is
    expected = words_of(f"{_END.sub(' ', squeezed)}")
    found = signals._view(Profile(PageText(text=squeezed))).words
    assert {word for word in found if word.strip("-.")} == {word for word in expected if word.strip("-.")}


def test_every_trigger_is_a_word_and_every_pattern_compiles() -> None:
    for pattern in (pattern for patterns in signals._PATTERNS.values() for pattern in patterns):
        assert all(any(char.isalnum() for char in word) for word in pattern.triggers)
        assert words_of(" ".join(pattern.triggers)) != () or pattern.script in SCRIPTS
        assert signals._regex(pattern.title).pattern == pattern.title
        assert signals._regex(pattern.text).pattern == pattern.text
    assert len(signals._PATTERNS) == len(phrases.PHRASES)
    assert set(ABROAD) <= set(phrases.PHRASES)


def test_a_page_without_a_sign_has_no_signals() -> None:
    prose = "The harbour council prints its plans every spring for all who live by the water. " * 20
    assert signals_of(Profile(PageText(title="Plans", text=prose, main=prose))) == ()


def page(body: str, title: str = "", url: str = "http://town.example/plans") -> Profile:
    return Profile(parse_page(f"<html><title>{title}</title><body>{body}</body></html>".encode(), url=url))


def surest(page: Profile) -> tuple[Turned | None, float]:
    found = signals_of(page)
    return (found[0].kind, found[0].score) if found else (None, 0.0)


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
