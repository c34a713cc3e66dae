"""Pages that stand where another one stood: soft 404, parked, walled, suspended, taken over.  Spec §9.3."""

import html
import random
from collections.abc import Mapping
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from afresh.lab.verdicts.templates import HELD_OUT, TRAINING, Replacement, Templates, Topic, fill
from afresh.parse.encoding import decode

__all__ = ["HELD_OUT", "JUDGED", "TRAINING", "replace_page", "stand_in"]

#: What the measured command replaces pages with, each as often as the others.
JUDGED: tuple[tuple[str, ...], ...] = (
    ("soft_404",),
    ("parked",),
    ("login_wall", "consent_wall", "captcha"),
    ("suspended",),
    ("taken_over",),
)
_CONTENT = "main,article,[role=main],#content,#main,#main-content,.content,#bodycontent,.main"
_KEEP = 0.6  # a content element holds at least this part of the page's text


def replace_page(body: bytes, url: str, kinds: tuple[str, ...], templates: Templates, rng: random.Random) -> bytes:
    """A page of one of these kinds in place of ``body`` at ``url``."""
    kind = rng.choice(kinds)
    if kind == "taken_over":
        return _taken_over(rng.choice(templates.topics), templates, _slots(body, url), rng)
    choices = [replacement for replacement in templates.replacements if replacement.kind == kind]
    return stand_in(body, url, rng.choice(choices), templates, rng)


def stand_in(body: bytes, url: str, chosen: Replacement, templates: Templates, rng: random.Random) -> bytes:
    """This template in place of ``body`` at ``url``, in the frame of the page or alone."""
    slots = _slots(body, url)
    content = fill(chosen.body, slots)
    title = fill(chosen.title, slots)
    if chosen.chrome and rng.random() < 0.7 and (kept := _in_frame(body, title, content)):
        return kept
    return _alone(chosen, title, content, templates, rng)


def _alone(chosen: Replacement, title: str, content: str, templates: Templates, rng: random.Random) -> bytes:
    layout = rng.choice(templates.layouts)
    return fill(layout, {"title": title, "body": content, "language": chosen.language}).encode()


def _taken_over(topic: Topic, templates: Templates, slots: Mapping[str, str], rng: random.Random) -> bytes:
    """A business page that may keep the name of the domain, as buyers of expired domains do."""
    brand, city = rng.choice(topic.brands), rng.choice(templates.cities)
    parts = []
    for noun in rng.sample(topic.nouns, rng.randint(3, len(topic.nouns))):
        claims = rng.sample(topic.claims, rng.randint(2, len(topic.claims)))
        said = " ".join(fill(claim, {"noun": noun, "brand": brand, "city": city}) for claim in claims)
        parts.append(f"<h2>{noun.capitalize()}</h2><p>{said}</p>")
    menu = "".join(f"<li><a href='/{noun.replace(' ', '-')}'>{noun.capitalize()}</a></li>" for noun in topic.nouns)
    name = brand if rng.random() < 0.7 else slots["site"]
    content = f"<ul>{menu}</ul><h1>{name}</h1>{''.join(parts)}<p>Call us in {city}.</p>"
    title = f"{name} - {topic.name} in {city}"
    return fill(rng.choice(templates.layouts), {"title": title, "body": content, "language": "en"}).encode()


def _slots(body: bytes, url: str) -> dict[str, str]:
    """What a template may say of the page it replaces; the site's name is the last part of its title."""
    parts = urlsplit(url if "//" in url else f"//{url}")
    tree = LexborHTMLParser(decode(body[:100_000], html=True))
    node = tree.css_first("title")
    title = " ".join(node.text().split())[:200] if node else ""
    host = parts.hostname or "www.example.org"
    site = title.replace(" | ", " - ").replace(" – ", " - ").replace(" — ", " - ").rpartition(" - ")[2] or host
    made = {"title": title or host, "host": host, "site": site, "path": parts.path or "/"}
    return {key: html.escape(value) for key, value in made.items()}


def _in_frame(body: bytes, title: str, content: str) -> bytes | None:
    """The old document with its content exchanged; None if it has no frame to keep."""
    tree = LexborHTMLParser(decode(body, html=True))
    node = _content_node(tree)
    if node is None:
        return None
    if head := tree.css_first("title"):
        head.inner_html = title
    node.inner_html = content
    return (tree.html or "").encode("utf-8", "replace")


def _content_node(tree: LexborHTMLParser) -> LexborNode | None:
    """The smallest element with most of the text: a named one, else the deepest table cell, section or block."""
    if tree.body is None:
        return None
    whole = len(tree.body.text())
    best: LexborNode | None = None
    smallest = whole + 1
    for node in [*tree.css(_CONTENT), *tree.css("div,td,section")[:400]]:
        size = len(node.text())
        if _KEEP * whole <= size < min(smallest, 0.98 * whole):
            best, smallest = node, size
    return best
