"""Pages that say where they went."""

import pytest

from afresh.links.measures.profile import Profile
from afresh.links.verdicts.moved import move_candidates, moved_notice
from afresh.parse.page import parse_page


def page(body: str, url: str = "http://h/old") -> Profile:
    return Profile(parse_page(body.encode(), url=url))


@pytest.mark.parametrize(
    ("body", "because"),
    [
        ("<meta http-equiv=refresh content='0;url=http://new/'><p>Wait</p>", "meta refresh"),
        ("<p>This page has moved to <a href='http://new/'>a new address</a>.</p>", "notice"),
        ("<p>Wir sind umgezogen: <a href='http://new/'>hier</a></p>", "notice"),
        ("<script>location.replace('http://new/')</script>", "script"),
    ],
)
def test_notices(body: str, because: str) -> None:
    move = moved_notice(page(body))
    assert move is not None
    assert (move.url, move.because) == ("http://new/", because)


@pytest.mark.parametrize(
    "body",
    [
        "<p>Nothing of the kind. <a href='http://new/'>Link</a></p>",
        "<p>This page has moved.</p>",  # no address
        "<meta http-equiv=refresh content='600;url=http://h/next'><p>Slides</p>",
        "<p>The museum has moved to a new house.</p>"
        + "<p>And much more is told here about it.</p>" * 40
        + "<a href='http://x/'>x</a>",
    ],
)
def test_other_pages_are_no_notices(body: str) -> None:
    assert moved_notice(page(body)) is None


FRAME = """<title>{title}</title><header><a href='/'>Mill</a><nav><a href='/list'>Lists</a>
<a href='/team'>Team</a></nav>
</header><main>{main}</main><footer><a href='/imprint'>Imprint</a></footer>"""


@pytest.mark.parametrize(
    ("main", "target"),
    [
        ("<h1>Gone elsewhere</h1><p>Our site has moved. The recipe is <a href='/r/9'>there</a> now.</p>", "/r/9"),
        ("<p>Diese Seite ist umgezogen.</p><p><a href='/neu/7'>Rezept 7</a></p><p><a href='/x'>Mehr</a></p>", "/neu/7"),
        ("<p>Cette page a été déplacée.</p><div>Nouveau lien</div><div><a href='/n/3'>La page</a></div>", "/n/3"),
        ("<p>Strona została przeniesiona pod <a href='/pl/4'>nowy adres</a>, <a href='/faq'>FAQ</a></p>", "/pl/4"),
        ("<p><a href='/faq'>Help</a></p><p>We have moved to http://h/fresh/5.</p>", "/fresh/5"),
        ("<p>This document has moved.</p><p>Sorry.</p><p>Thanks.</p><p><a href='/far'>Far</a></p>", ""),
        ("<p>This page has moved.</p>", ""),
        (
            "<p>This page has moved.</p><p><a href='/a'>A</a> <a href='/b'>B</a> <a href='/c'>C</a></p>",
            "",
        ),  # a list below it
        ("<h1>Coming soon</h1><p>Our new website is on its way. <a href='/mail'>Write to us</a></p>", ""),
        ("<p>Unsere neue Webseite entsteht gerade. <a href='/mail'>Kontakt</a></p>", ""),
    ],
)
def test_the_link_beside_the_words_is_meant_and_never_the_menu(main: str, target: str) -> None:
    move = moved_notice(page(FRAME.format(title="Mill", main=main)))
    assert (move.url if move else "") == (f"http://h{target}" if target else "")


def test_candidates_are_ranked_and_never_the_old_address() -> None:
    old = page("<title>Rare birds of the coast</title><p>text</p>")
    new = page("<link rel=canonical href='http://h/canon'><p>Other</p>")
    found = move_candidates(
        old,
        new,
        redirects=[(301, "http://h/target")],
        known=[
            ("http://h/birds", "Rare birds of the coast"),
            ("http://h/x", "Contact"),
            ("http://h/old", "Rare birds of the coast"),
        ],
    )
    assert [(move.url, move.because) for move in found] == [
        ("http://h/target", "permanent redirect"),
        ("http://h/canon", "canonical link"),
        ("http://h/birds", "same title"),
    ]


@pytest.mark.parametrize(
    "title", ["The old mill | Walks", "The old mill - Walks", "Walks: The old mill", "The old mill · Walks", "Walks"]
)
def test_links_have_the_title_without_the_name_of_the_site(title: str) -> None:
    heading = "<h1>The old mill</h1>" if title == "Walks" else ""
    old = page(f"<title>{title}</title>{heading}<p>text</p>", "http://h/p/7")
    found = move_candidates(old, known=[("http://h/", "Walks"), ("http://h/9", "The old mill"), ("http://h/8", "Mill")])
    assert [move.url for move in found] == ["http://h/9"]


def test_a_page_may_be_found_by_the_name_in_its_address() -> None:
    old = page("<title>A</title><p>text</p>", "http://h/2019/the-old-harbour.html")
    known = [("http://h/new/the-old-harbour/", "Read on"), ("http://h/2019/7", "Read on")]
    found = move_candidates(old, known=known)
    assert [(move.url, move.because) for move in found] == [
        ("http://h/new/the-old-harbour/", "same name in the address")
    ]


def test_a_temporary_redirect_proposes_nothing() -> None:
    assert move_candidates(page("<p>a</p>"), redirects=[(301, "http://h/b"), (302, "http://h/c")]) == ()


@pytest.mark.parametrize(
    "said",
    [
        "The page you are looking for has been moved or deleted. You can return to our <a href='/'>homepage</a>.",
        "This page was removed on purpose. See <a href='/rooms'>all rooms</a>.",
        "The page may have moved, been renamed or is gone. Try <a href='/search'>the search</a>.",
        "This page has moved. Begin again at <a href='http://old.example/'>the start</a>.",
    ],
)
def test_who_lists_what_may_have_happened_gives_no_new_address(said: str) -> None:
    assert moved_notice(Profile(parse_page(f"<p>{said}</p>".encode(), url="http://old.example/a/b"))) is None


NOTICES_ABROAD = [
    "<h1>Nous avons déménagé</h1><p>Cette page se trouve désormais à l'adresse <a href='{new}'>{new}</a>.</p>",
    "<p>Nous avons changé d’adresse : <a href='{new}'>cliquez ici</a>.</p>",
    "<p>Notre blog a changé d'adresse, le voici : <a href='{new}'>Le moulin</a></p>",
    "<p>Ce document est maintenant disponible à l'adresse <a href='{new}'>suivante</a>.</p>",
    "<p>Retrouvez-nous désormais sur <a href='{new}'>notre nouveau site</a>.</p>",
    "<p>Vous nous trouverez dorénavant à l’adresse {new}</p>",
    "<p>Merci de mettre à jour vos favoris : <a href='{new}'>Le moulin</a></p>",
    "<p>¡Nos hemos mudado! Visítenos en <a href='{new}'>la nueva casa</a>.</p>",
    "<p>Hemos cambiado de dirección: <a href='{new}'>aquí</a></p>",
    "<p>Esta página se encuentra ahora en <a href='{new}'>{new}</a>.</p>",
    "<p>El contenido de esta página ha sido trasladado a <a href='{new}'>otro lugar</a>.</p>",
    "<p>A partir de ahora nos encontrará en la dirección <a href='{new}'>{new}</a>.</p>",
    "<p>Ci siamo trasferiti: <a href='{new}'>ecco il sito</a></p>",
    "<p>Abbiamo cambiato indirizzo. <a href='{new}'>Entrate</a></p>",
    "<p>Questa pagina si trova ora all'indirizzo <a href='{new}'>{new}</a>.</p>",
    "<p>La pagina è stata spostata <a href='{new}'>qui</a>.</p>",
    "<p>D’ora in poi ci trovate su <a href='{new}'>{new}</a></p>",
    "<p>Wij zijn verhuisd naar <a href='{new}'>de molen</a>.</p>",
    "<p>Deze pagina staat voortaan op <a href='{new}'>{new}</a>.</p>",
    "<p>Onze site is van adres veranderd: <a href='{new}'>hier</a></p>",
    "<p>Deze pagina is verplaatst naar <a href='{new}'>de molen</a>.</p>",
    "<p>U vindt ons vanaf nu op <a href='{new}'>{new}</a>.</p>",
    "<p>Przenieśliśmy się: <a href='{new}'>tutaj</a></p>",
    "<p>Zmieniliśmy adres. <a href='{new}'>Zapraszamy</a></p>",
    "<p>Ta strona znajduje się teraz pod adresem <a href='{new}'>{new}</a>.</p>",
    "<p>Znajdziecie nas teraz pod adresem <a href='{new}'>{new}</a>.</p>",
]


@pytest.mark.parametrize("said", NOTICES_ABROAD)
def test_we_have_moved_is_said_in_other_languages(said: str) -> None:
    """On a page of few words, and in the frame of its site."""
    new = "http://new.example/mill"
    menu = "".join(f"<li><a href='/{at}'>Le chapitre numéro {at} du livre</a></li>" for at in range(40))
    for frame in ("{}", "<nav><ul>" + menu + "</ul></nav><main>{}</main>"):
        move = moved_notice(page(frame.format(said.format(new=new))))
        assert move is not None
        assert (move.url, move.because) == (new, "notice")


@pytest.mark.parametrize(
    "said",
    [
        "<h1>Bien déménager</h1><p>Qui déménage change d'adresse : <a href='{new}'>la liste des cartons</a>.</p>",
        "<p>La page que vous cherchez a été déplacée ou supprimée. Voyez <a href='{new}'>la liste</a>.</p>",
        "<p>Cette page a peut-être été supprimée ou déplacée. Voyez <a href='{new}'>la liste</a>.</p>",
        "<p>Le moulin se trouve désormais en ruine ; <a href='{new}'>photos</a>.</p>",
        "<p>Retrouvez-nous désormais sur <a href='{new}'>Facebook</a>.</p>",
        "<p>Notre boutique a changé de propriétaire. <a href='{new}'>Le plan</a></p>",
        "<h1>La mudanza</h1><p>Mis padres cambiaron de casa y de ciudad: <a href='{new}'>fotos</a>.</p>",
        "<p>La página ha sido movida o eliminada. <a href='{new}'>Buscar</a></p>",
        "<p>El sitio ahora está en obras. <a href='{new}'>Contacto</a></p>",
        "<h1>Traslocare</h1><p>Chi cambia casa cambia indirizzo in comune: <a href='{new}'>modulo</a>.</p>",
        "<p>La pagina è stata rimossa o spostata. <a href='{new}'>Cerca</a></p>",
        "<p>Il mulino si trova ora in un parco. <a href='{new}'>Mappa</a></p>",
        "<p>Deze pagina is verplaatst of verwijderd. <a href='{new}'>Zoeken</a></p>",
        "<p>De molen staat nu op een heuvel. <a href='{new}'>Kaart</a></p>",
        "<p>Strona została usunięta lub przeniesiona. <a href='{new}'>Szukaj</a></p>",
        "<p>Młyn znajduje się teraz w parku. <a href='{new}'>Mapa</a></p>",
    ],
)
def test_who_writes_of_moving_abroad_has_not_moved(said: str) -> None:
    assert moved_notice(page(said.format(new="http://new.example/mill"))) is None
