"""Links of reStructuredText, AsciiDoc, notebooks, packed documents, PDF and running text."""

import io
import json
import time
import zipfile
from collections.abc import Callable

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from pypdf import PdfWriter
from pypdf.annotations import Link

from afresh.base.errors import ParseError
from afresh.parse.document_links import Document, read_document, read_text
from afresh.parse.document_links.asciidoc import read_asciidoc
from afresh.parse.document_links.plain import read_plain
from afresh.parse.document_links.rst import read_rst

RST = """\
=====
Title
=====

See `the guide <guide.rst>`_, `another
one <https://a.example/long/
path>`__ and https://b.example/c. ``https://no.example`` is a literal.

.. _Named Target: https://named.example/
.. _here:
.. image:: pictures/map.png
   :target: https://shown.example/
.. |logo| image:: logo.svg
.. [1] A note with https://note.example/.
.. a comment with https://no.example/comment
   that goes on https://no.example/more

.. code-block:: python

   url = "https://no.example/code"

.. note::

   Inside: `inner <inner.rst#part>`_.

Literal::

   https://no.example/literal

- `Named Target`_ and :ref:`label <https-label>`

__ https://anonymous.example/

Next part
---------
"""


def test_rst_has_the_links_that_docutils_has() -> None:
    text = RST.replace("and :ref:`label <https-label>`", "")  # a role of Sphinx, which docutils does not know
    tree = publish_doctree(text + "\n`x`__\n", settings_overrides={"report_level": 5, "file_insertion_enabled": False})
    theirs = {node["refuri"] for node in tree.findall(nodes.reference) if "refuri" in node}
    theirs |= {node["uri"] for node in tree.findall(nodes.image)}
    theirs |= {node["refuri"] for node in tree.findall(nodes.target) if "refuri" in node}
    assert {link.target for link in read_rst(RST).links} == theirs
    ids = {name for node in tree.findall(nodes.section) for name in node["ids"]} | {"here"}
    assert ids <= read_rst(RST).anchors


SPHINX = """
See :doc:`guide`, :doc:`the other <sub/other>`, :doc:`/root` and :download:`the file <data/x.zip>`; ``:doc:`no` ``.

.. toctree::
   :maxdepth: 2
   :caption: Contents

   intro
   A title <sub/titled>
   self
   chapters/*
   Elsewhere <https://a.example/>

After :ref:`label`.
"""


def test_rst_of_sphinx_names_documents_without_their_endings() -> None:
    found = [(link.target, bool(link.endings), link.line) for link in read_rst(SPHINX).links]
    assert found == [
        ("guide", True, 2),
        ("sub/other", True, 2),
        ("data/x.zip", False, 2),
        ("intro", True, 8),
        ("sub/titled", True, 9),
        ("https://a.example/", False, 12),
    ]


def test_rst_says_where() -> None:
    found = {link.target: link for link in read_rst(RST).links}
    guide = found["guide.rst"]
    assert (guide.line, guide.column, guide.text) == (5, 17, "the guide")
    for link in found.values():
        assert RST[link.start : link.end].replace("\n", "").startswith(link.target[:5])


def test_asciidoc() -> None:
    text = """\
= Title
:imagesdir: img

link:a.adoc[A], https://b.example/c[the *B*], <https://d.example/>, https://e.example/f.
image::map.png[a map] <<next-part,N>> xref:other.adoc#x[X] \\https://no.example/escaped `+https://no.example/+`
// https://no.example/comment
----
https://no.example/listing
----
////
https://no.example/block
////
[#named]
== Next part
include::more.adoc[]
"""
    found = read_asciidoc(text)
    told = {link.target: (link.line, link.text) for link in found.links}
    assert told == {
        "a.adoc": (4, "A"),
        "https://b.example/c": (4, "the *B*"),
        "https://d.example/": (4, ""),
        "https://e.example/f": (4, ""),
        "img/map.png": (5, "a map"),
        "#next-part": (5, "N"),
        "other.adoc#x": (5, "X"),
        "more.adoc": (15, ""),
    }
    assert {"named", "_next_part", "next-part"} <= found.anchors


def test_plain_text_has_every_address_of_a_line() -> None:
    text = "One: http://a.example/x, two (https://b.example/y_(z)); «https://c.example/».\n<https://d.example/?q=1>"
    assert [(link.target, link.line) for link in read_plain(text).links] == [
        ("http://a.example/x", 1),
        ("https://b.example/y_(z)", 1),
        ("https://c.example/", 1),
        ("https://d.example/?q=1", 2),
    ]


def test_notebooks_are_read_by_their_markdown_cells() -> None:
    cells = [
        {"cell_type": "code", "source": ["x = 'https://no.example/'"]},
        {"cell_type": "markdown", "source": ["# A\n", "[b](c.ipynb) ", "https://d.example/"]},
    ]
    found = read_text(json.dumps({"cells": cells}, indent=1), "x.ipynb")
    assert [(link.target, link.line > 8) for link in found.links] == [("c.ipynb", True), ("https://d.example/", True)]
    for broken in ("{}", "[1]", "{", '{"cells": [1]}'):
        with pytest.raises(ParseError):
            read_text(broken, "x.ipynb")


def test_links_of_a_notebook_that_stand_nowhere_in_it_are_not_looked_for_again_and_again() -> None:
    cells = [{"cell_type": "markdown", "source": [f"<http://\u00e9.example/{number}> "]} for number in range(5_000)]
    began = time.process_time()
    found = read_text(json.dumps({"cells": cells, "metadata": "x" * 5_000_000}), "x.ipynb")
    assert time.process_time() - began < 5.0
    assert [(link.target[-1], link.line) for link in found.links[:2]] == [("0", 0), ("1", 0)]
    assert len(found.links) == 5_000


def packed(parts: dict[str, str]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return target.getvalue()


def targets(found: Document) -> list[str]:
    return [link.target for link in found.links]


def test_packed_documents() -> None:
    word = (
        '<Relationships><Relationship Id="r1" Type="x/hyperlink" Target="https://a.example/?b&amp;c"/></Relationships>'
    )
    assert targets(read_document(packed({"word/_rels/document.xml.rels": word}), "x.docx")) == [
        "https://a.example/?b&c"
    ]
    book = "<a href='chapter2.xhtml'>next</a><a href='https://b.example/'>B</a>"
    assert targets(read_document(packed({"OEBPS/one.xhtml": book, "x.css": "url(c)"}), "x.epub")) == [
        "https://b.example/"
    ]
    text = "<text:a xlink:href='https://c.example/'>C</text:a>"
    found = read_document(packed({"content.xml": text}), "x.odt").links
    assert [(link.target, link.text) for link in found] == [("https://c.example/", "C")]
    for broken in (b"", b"PK\x03\x04", packed({"content.xml": text})[:-30]):
        with pytest.raises(ParseError):
            read_document(broken, "x.docx")


def test_an_archive_that_unpacks_to_any_size_is_read_to_a_bound() -> None:
    bomb = packed({"content.xml": " " * 60_000_000 + "<a xlink:href='https://a.example/'>"})
    assert targets(read_document(bomb, "x.odt")) == []


def test_links_of_a_pdf() -> None:
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    writer.add_annotation(0, Link(rect=(0, 0, 9, 9), url="https://a.example/"))
    target = io.BytesIO()
    writer.write(target)
    found = read_document(target.getvalue(), "x.pdf").links
    assert [(link.target, link.text) for link in found] == [("https://a.example/", "page 1")]
    assert read_document(b"%PDF-1.7 broken", "x.pdf").links == ()


@pytest.mark.parametrize("read", [read_rst, read_asciidoc, read_plain])
@pytest.mark.parametrize(
    "piece",
    ["`a <", "``a", ".. _a: b\n", "link:", "<<a", "https://", "`", "[", ":a:`", ".. \n", "image::a[", "a::\n b\n"],
)
def test_time_grows_with_the_length_alone(read: Callable[[str], Document], piece: str) -> None:
    begin = time.process_time()
    read(piece * (200_000 // len(piece)))
    assert time.process_time() - begin < 20.0  # seconds; below two now, and hours where time grows with the square
