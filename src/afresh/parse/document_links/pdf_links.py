"""Links of PDF files: addresses that can be clicked on."""

from afresh.parse.document_links.model import Document, WrittenLink
from afresh.parse.pdf import pdf_links


def read_pdf_links(body: bytes) -> Document:
    """Each with its page, for there are no lines."""
    return Document(links=tuple(WrittenLink(target=target, text=f"page {page}") for target, page in pdf_links(body)))
