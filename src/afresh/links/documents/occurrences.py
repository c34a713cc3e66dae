"""A link where it stands: in a line of a file, or on the command line."""

from afresh.base.records.links import LinkRef
from afresh.base.value_class import dataclass
from afresh.links.documents.targets import Target, WebPage


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """One link to be checked; several may lead to the same page."""

    link: LinkRef  # its address complete, or the path of a file; with name, folder and tags where a list gives them
    target: Target
    file: str = ""  # empty: given by itself; "-": standard input
    column: int = 0  # 0: unknown
    start: int = -1  # of what is written for the target, in characters of the file; -1: it cannot be replaced
    end: int = -1
    is_listed: bool = False  # by somebody who wants it checked, not mentioned in a document

    @property
    def url(self) -> str:
        return self.link.url


def listed(link: LinkRef, *, file: str = "") -> Occurrence:
    """A link that somebody named, on the command line or in a list."""
    address, _, fragment = link.url.partition("#")
    return Occurrence(link=link, target=WebPage(address, fragment), file=file, is_listed=True)
