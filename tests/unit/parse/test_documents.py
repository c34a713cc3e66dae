"""Documents by content type: HTML, text, PDF, and readers one may add."""

import io
from pathlib import Path

import pytest

from afresh.base.page_text import PageText
from afresh.parse import documents
from afresh.parse.documents import Reader, is_slow, mark_of, read_document, register
from afresh.parse.pdf import parse_pdf


def pdf(text: str, *, title: str = "") -> bytes:
    """A PDF of one page, written by hand."""
    content = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Title (%s) >>" % title.encode(),
    ]
    out = io.BytesIO(b"")
    out.write(b"%PDF-1.4\n")
    places = []
    for number, item in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, item))
    start = out.tell()
    out.write(b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places))
    out.write(b"trailer << /Size 6 /Root 1 0 R /Info 5 0 R >>\nstartxref\n%d\n%%%%EOF" % start)
    return out.getvalue()


def test_a_pdf_is_read_as_text() -> None:
    page = read_document(pdf("The harbour was rebuilt in stone", title="Plans"), url="http://x.example/a.pdf")
    assert (page.kind, page.title, page.text) == ("pdf", "Plans", "The harbour was rebuilt in stone")
    assert page.main == page.text


@pytest.mark.parametrize(
    "body",
    [
        b"%PDF-1.7 ...",
        b"%PDF-1.4\n" + b"\xff" * 2_000,
        pdf("cut")[:200],
        b"%PDF-1.4\n" + b"[" * 100_000,
        b"%PDF-1.4\n1 0 obj << /Type /Pages /Kids [1 0 R] /Count 9999999 >> endobj\ntrailer << /Root 1 0 R >>\n%%EOF",
    ],
    ids=["empty", "noise", "cut", "nested", "cycle"],
)
def test_a_broken_pdf_is_binary_and_nothing_worse(body: bytes) -> None:
    assert parse_pdf(body).kind == "binary"


def test_a_pdf_that_would_take_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afresh.parse.pdf._TIMEOUT", 0.01)
    assert parse_pdf(pdf("slow")).kind == "binary"


def test_a_pdf_past_the_limit_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afresh.parse.pdf.MAX_BYTES", 10)
    page = parse_pdf(pdf("large"))
    assert (page.kind, page.truncated) == ("binary", True)


def test_no_module_of_the_current_folder_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("open('was-run', 'w').close()\nraise SystemExit\n")
    monkeypatch.chdir(tmp_path)
    assert parse_pdf(pdf("words")).text == "words"
    assert not (tmp_path / "was-run").exists()


def test_an_error_page_under_the_type_of_a_pdf_is_a_page() -> None:
    page = read_document(b"<title>Oops</title><p>not here", content_type="application/pdf")
    assert (page.kind, page.title) == ("html", "Oops")


def test_html_text_and_the_rest() -> None:
    assert read_document(b"<title>T</title><p>one").kind == "html"
    assert read_document(b"one < two", content_type="text/plain").kind == "text"
    assert read_document(b"\x89PNG\r\n\x1a\n").kind == "binary"
    assert read_document(b"  ").kind == "empty"
    assert is_slow(pdf("x"))
    assert not is_slow(b"<p>x")


def test_a_reader_may_be_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "_READERS", list(documents._READERS))

    def read(body: bytes, url: str, _: str) -> PageText:
        return PageText(url=url, kind="text", text=body.decode()[::-1])

    register(Reader("reversed", frozenset(("text/reversed",)), lambda body: body.startswith(b"!"), read))
    assert read_document(b"abc", content_type="Text/Reversed; charset=utf-8").text == "cba"
    assert read_document(b"!abc").text == "cba!"
    assert read_document(b"<p>abc").text == "abc"


def test_the_mark_is_of_the_text_where_there_is_one() -> None:
    one, two = b"<p class=a>text</p>", b"<p class=b>text</p>"
    assert mark_of(read_document(one), one) == mark_of(read_document(two), two)
    assert mark_of(PageText(kind="binary"), b"a") != mark_of(PageText(kind="binary"), b"b")
