"""Pages of which only the frame is left, under a large menu that stays; and pages that merely shrank."""

import pytest

from afresh.base.records.links import Turned, Usage
from afresh.links.measures.profile import Profile
from afresh.links.verdicts.comparison import judge_pages
from afresh.links.verdicts.emptied import emptied
from afresh.links.verdicts.model import default_model
from afresh.links.verdicts.without_model import Verdict
from afresh.parse.page import parse_page

KINDS = ("Oak", "Pine", "Birch", "Ash", "Elm", "Larch", "Maple", "Beech", "Willow", "Cedar", "Yew", "Alder")
THINGS = ("chairs", "tables", "shelves", "lamps", "stools", "beds", "benches", "desks", "boxes", "frames", "doors")
PLANE = (
    "A hand plane of hornbeam with a blade of forged steel, set for fine shavings in hard wood.",
    "The sole is ground flat to a few hundredths; the mouth can be closed by two screws at the side.",
    "It comes in a box of linden wood with a strop, a spare wedge, and a leaflet on sharpening.",
    "Left handed people may turn the handle; no tool is needed for that, and it holds as firmly as before.",
)
ESSAY = (
    "El viejo puente de piedra fue construido por los vecinos en una sola primavera, sin un solo clavo de hierro.",
    "Las actas del concejo cuentan que cada familia trajo siete carros de piedra del cauce del río.",
    "Durante la riada de mil ochocientos el arco central aguantó mientras caían todos los puentes nuevos.",
    "Hoy pasan por él los rebaños en otoño, y los niños buscan en sus sillares las marcas de los canteros.",
)


def shop(body: str, *, title: str = "Plane No 4", lang: str = "en", foot: str = "footer") -> Profile:
    menu = "".join(f"<li><a href='/{a}-{b}'>{a} {b}</a></li>" for a in KINDS for b in THINGS)
    text = (
        f"<html lang={lang}><head><title>{title} – Workbench</title></head><body><div id=top><ul class=mega>{menu}</ul>"
        f"</div><div class=product><h1>{title}</h1>{body}</div><{foot}><p>Post and packing are paid by us from forty "
        f"onwards. Terms, returns and privacy are told on pages of their own.</p></{foot}></body></html>"
    )
    return Profile(parse_page(text.encode(), url="https://workbench.example/tools/plane-4"))


def prose(parts: tuple[str, ...]) -> str:
    return "".join(f"<p>{part}</p>" for part in parts)


def judged(old: Profile, new: Profile, usage: Usage = Usage.REFERENTIAL) -> Verdict:
    return judge_pages(old, new, model=default_model(), usage=usage)


@pytest.mark.parametrize("foot", ["footer", "div"])
@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "Sorry, this item is no longer available."),
        ("de", "Dieser Artikel ist leider nicht mehr verfügbar."),
        ("fr", "Ce produit n’est plus disponible."),
        ("es", "Este artículo ha sido eliminado a petición de su autora."),
        ("nl", "Dit artikel is niet meer beschikbaar."),
        ("en", "Withdrawn."),
    ],
)
def test_a_sentence_in_place_of_the_text_is_a_change_of_the_page(lang: str, said: str, foot: str) -> None:
    parts = ESSAY if lang == "es" else PLANE
    old = shop(prose(parts * 3), lang=lang, foot=foot)
    new = shop(f"<p>{said}</p>", lang=lang, foot=foot)
    assert not judged(old, new).is_same


def test_what_the_words_say_is_what_the_page_has_turned_into() -> None:
    verdict = judged(shop(prose(PLANE)), shop("<p>This product is no longer available.</p>"))
    assert verdict.turned is not None
    assert verdict.turned.kind is Turned.SOFT_404
    assert verdict.reasons[0] == "its text gave way to a few words"
    of_changing = judged(shop(prose(PLANE)), shop("<p>This product is no longer available.</p>"), Usage.CHANGING)
    assert not of_changing.is_same, "that is an end"


OFFERS = (
    "Jack plane, 89.00",
    "Smoothing plane with a spare blade, 120.50",
    "Plane for edges, 64.00",
    "Spokeshave, 32.00",
)
LISTS = {
    "items": "<ul>" + "".join(f"<li>{offer} €</li>" for offer in OFFERS * 3) + "</ul>",
    "cards": "".join(f"<div class=card><h3><a href='/p/{n}'>{o}</a></h3></div>" for n, o in enumerate(OFFERS * 3)),
    "table": "<table>" + "".join(f"<tr><td>{offer}</td><td>buy</td></tr>" for offer in OFFERS * 3) + "</table>",
}
REVIEW = "<h2>Reviews</h2><p>Ada: I have planed a whole floor with it, and the blade was still sharp at the end.</p>"


@pytest.mark.parametrize("others", LISTS)
@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "<p><b>This product is no longer available.</b></p><p>Have a look at these instead:</p>"),
        ("en", "<h2>Sorry, this item has been discontinued.</h2><p>Similar things:</p>"),
        ("de", "<p>Dieser Artikel ist leider nicht mehr verfügbar.</p><p>Das könnte Ihnen gefallen:</p>"),
    ],
)
def test_offers_of_other_things_do_not_hide_that_one_is_gone(lang: str, said: str, others: str) -> None:
    old = shop(f"<p>49.00 €, in stock</p>{prose(PLANE)}{REVIEW}", lang=lang)
    verdict = judged(old, shop(said + LISTS[others], lang=lang))
    assert not verdict.is_same


@pytest.mark.parametrize("others", LISTS)
@pytest.mark.parametrize(
    "body",
    [
        prose(PLANE) + "<p>This product is no longer available. Have a look at these:</p>",  # its text is there
        prose(PLANE[:2]) + "<p>This product is no longer available.</p>",
        prose(PLANE[1:]) + REVIEW + "<p>The version with two blades is no longer available.</p>",
        prose(PLANE) + "<p>Out of stock until May. Others bought:</p>",
        "<p>49.00 €</p><p>A hand plane of hornbeam for fine shavings, in a box of linden wood.</p><p>Goes with:</p>",
        "<p>Planes for every hand, all in stock.</p>",  # nothing says that it is gone
    ],
)
def test_a_thing_that_is_offered_with_others_is_there(body: str, others: str) -> None:
    old = shop(f"<p>49.00 €, in stock</p>{prose(PLANE)}{REVIEW}")
    assert emptied(old, shop(body + LISTS[others])) is None


def test_nothing_in_place_of_the_text_is_told_with_how_much_went() -> None:
    verdict = judged(shop(prose(PLANE * 2)), shop(""))
    assert verdict.reasons == ("its text is gone, only the frame is left: 154 words went, 0 came",)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (prose(PLANE), prose(PLANE[:2])),
        (prose(PLANE), prose(PLANE) + "<p>Out of stock until May; we take orders.</p>"),
        (prose(PLANE[:1]), "<p>This plane is sold out.</p>"),  # too little to be gone
        (prose(PLANE), prose((PLANE[0], "Shorter than it was, and better told, by somebody new.", PLANE[3]))),
        (
            "<ul>" + "".join(f"<li>{n} May: course in planing, hall {n}</li>" for n in range(1, 9)) + "</ul>",
            "<p>None.</p>",
        ),
    ],
)
def test_pages_that_shrank_are_not_emptied(old: str, new: str) -> None:
    assert emptied(shop(old), shop(new)) is None


FOOT = (
    "© {year} Workbench. All rights are ours. Open from Tuesday to Saturday, 10 to 17 o'clock, closed on holidays."
    " Harbour Street 23, 88337 Northwick, telephone 08872 75915. With thanks to the county, to the guild of joiners,"
    " and to many who help us. Our letter comes four times a year. Last updated on {day}. {count} visitors since 1998."
)


def club(body: str, foot: str, *, beside: str = "", title: str = "The plane") -> Profile:
    """A page whose foot is in no tag that says so."""
    menu = "".join(f"<li><a href='/{thing}'>{thing}</a></li>" for thing in THINGS)
    text = (
        f"<html lang=en><head><title>{title} – Workbench</title></head><body><div id=page><ul class=menu>{menu}</ul>"
        f"<div class=entry><h1>{title}</h1>{body}</div>{beside}<div id=colophon>{foot}</div></div></body></html>"
    )
    return Profile(parse_page(text.encode(), url="https://workbench.example/texts/plane"))


BEFORE = FOOT.format(year=2025, day="3 May 2025", count="12,345")
LONG = tuple(f"{part} So it was in the year {1700 + n}, in hall {n}." for n, part in enumerate(PLANE * 3))


@pytest.mark.parametrize(
    "foot",
    [
        BEFORE,
        BEFORE.replace("© 2025", "© 2026"),
        FOOT.format(year=2026, day="11 November 2026", count="20,001"),
        BEFORE.replace("10 to 17 o'clock", "9 to 18 o'clock").replace("Our letter", "Our new letter"),
    ],
)
@pytest.mark.parametrize(
    "body", ["", "<p>Withdrawn at the wish of its author.</p>", "<p>Sorry, this article is no longer available.</p>"]
)
def test_a_foot_with_another_year_is_no_text_in_place_of_the_old_one(body: str, foot: str) -> None:
    verdict = judged(club(prose(LONG), BEFORE), club(body, foot))
    assert not verdict.is_same
    if "available" in body:
        assert verdict.reasons[0] == "its text gave way to a few words"


def test_of_a_foot_with_another_year_only_new_words_came() -> None:
    foot = BEFORE.replace("© 2025", "© 2026").replace("Our letter comes", "Our fine letter comes")
    gone = emptied(club(prose(LONG), BEFORE), club("", foot))
    assert gone is not None
    assert gone.reason.endswith("words went, 1 came")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (LONG, LONG[:-2]),  # cut a little
        (LONG, tuple(part.replace("17", "18") for part in LONG[:-1])),  # other numbers in each line
        (LONG, tuple(part.replace("So it was", "Thus it was") for part in LONG[:5])),
        (LONG, (*LONG[:4], "Told anew.")),
    ],
)
def test_a_text_with_other_numbers_or_words_is_there(old: tuple[str, ...], new: tuple[str, ...]) -> None:
    foot = FOOT.format(year=2026, day="11 November 2026", count="20,001")
    assert emptied(club(prose(old), BEFORE), club(prose(new), foot)) is None
    assert judged(club(prose(old), BEFORE), club(prose(new), foot)).is_same


def test_another_text_of_its_own_is_no_foot_with_another_year() -> None:
    other = "<p>The club has sold the plane; a saw of pear wood takes its place, with a new handle made by hand.</p>"
    assert emptied(club(prose(LONG), BEFORE), club(other * 2, BEFORE.replace("2025", "2026"))) is None


READ = (
    "How the boat hall got its new roof before the winter storms",
    "Eight songs that every fisherman of the coast can sing",
    "What we learnt from a year of rehearsals in the open air",
    "The long road to a piano that stays in tune by the sea",
    "Interview: forty years at the first desk of the altos",
)
READ_NOW = (
    "A saw of pear wood found under the floor of the old mill",
    "Why the guild of joiners voted for a smaller hall this spring",
    "Twelve ways to sharpen a chisel without a grinding wheel at hand",
    "The apprentice who built a staircase from a single oak",
    "Letters from readers about glue, dust and patience",
)


def teasers(names: tuple[str, ...], told: str = "") -> str:
    return "<ul>" + "".join(f"<li><a href='/{len(name)}'>{name}</a></li>{told}" for name in names) + "</ul>"


@pytest.mark.parametrize("foot", [BEFORE, BEFORE.replace("2025", "2026")])
@pytest.mark.parametrize("body", ["", "<p>Withdrawn at the wish of its author.</p>"])
def test_links_to_other_pages_that_took_turns_are_no_text_in_place_of_the_old_one(body: str, foot: str) -> None:
    old = club(prose(LONG), BEFORE, beside=teasers(READ))
    assert not judged(old, club(body, foot, beside=teasers(READ_NOW))).is_same
    assert not judged(old, club(body, foot, beside=teasers(READ_NOW[:3]))).is_same
    well = club(prose(LONG[:-1]), foot, beside=teasers(READ_NOW))
    assert judged(old, well).is_same


def test_a_list_whose_entries_took_turns_is_there() -> None:
    told = "<p>It was a long day, and much was said of it in the evening by those who had been there.</p>"
    old = club("<p>Read here:</p>" + teasers(READ, told.replace("day", "week")), BEFORE)
    for new in (teasers(READ_NOW), teasers(READ_NOW, "<p>More.</p>"), teasers(READ_NOW * 3)):
        assert emptied(old, club("<p>Read here:</p>" + new, BEFORE.replace("2025", "2026"))) is None
    lead = club(prose(LONG[:4]), BEFORE, beside=teasers(READ))
    assert emptied(lead, club("", BEFORE, beside=teasers((*READ_NOW, *READ_NOW, *READ_NOW)))) is None  # a list now


def test_a_page_that_lost_a_part_is_not_emptied_whatever_is_said_beside_it() -> None:
    beside = "<p>This item is no longer available.</p>"  # said of something else
    assert emptied(shop(prose((*ESSAY, *PLANE[:3]))), shop(prose(ESSAY) + beside)) is None
    assert emptied(shop(prose((*ESSAY[:1], *PLANE[:3]))), shop(prose(ESSAY[:1]) + beside)) is not None


def small(body: str, *, foot: str = "footer") -> Profile:
    menu = "".join(f"<li><a href='/{kind}'>{kind}</a></li>" for kind in KINDS[:6])
    text = (
        f"<html lang=en><title>Loans – Hall</title><body><h2><a href='/'>Hall</a></h2><ul>{menu}</ul>"
        f"<main>{body}</main><{foot}>"
        f"<p>© Hall · <a href='/c'>Contact</a> · Subscribe to our newsletter</p></{foot}></body></html>"
    )
    return Profile(parse_page(text.encode(), url="https://hall.example/loans"))


NOTE = "<h1>Loans</h1><p>Tools are lent on Mondays from four to six, against a deposit of ten and a signature.</p>"
FORM = (
    "<label>Length <input name=l></label><label>Width <input name=w></label><p>Price per metre of oak 12, of ash 7</p>"
)


@pytest.mark.parametrize("foot", ["footer", "div"])
def test_a_short_page_without_its_name_and_its_text_is_emptied(foot: str) -> None:
    verdict = judged(small(NOTE, foot=foot), small("", foot=foot))
    assert verdict.reasons == ("its text is gone, only the frame is left: 18 words went, 0 came",)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (NOTE, "<h1>Loans</h1>"),  # it has its name, and may have nothing to say today
        (NOTE, "<p>Closed in May.</p>"),
        ("<h1>Loans</h1><p>On Mondays.</p>", ""),  # too little to tell
        (f"{NOTE}{FORM}", FORM),  # what it is for is there
        (f"<h1>Saws</h1>{NOTE}", "<h1>Saws</h1>"),
    ],
)
def test_a_short_page_that_has_something_left_is_not_emptied(old: str, new: str) -> None:
    assert emptied(small(old), small(new)) is None
