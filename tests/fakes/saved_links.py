"""Links with a page that was saved and a page that is there now."""

import random

from afresh.base.models import Kind, NewResource
from afresh.base.protocols import Store
from afresh.base.records.links import Check, CheckRecord, CheckStatus, LinkState, NewVersion, Standing
from afresh.lab.verdicts.sites import make_page, make_site, render
from afresh.parse.documents import mark_of, read_document

NOW = 1_800_000_000.0


def page_body(seed: int, *, site: int = 0, path: str = "/a") -> bytes:
    rng = random.Random(seed)
    return render(make_page(rng, make_site(random.Random(site), site), path, "plain", 6))


def watched(store: Store, number: int, old: bytes, new: bytes) -> int:
    """A link with the one page as reference and the other as newest version."""
    url = f"https://site{number}.example/page"
    [added] = store.add([NewResource(url=url, site=f"site{number}.example", kind=Kind.LINK)], now=NOW)
    for step, body in enumerate((old, new)):
        mark = mark_of(read_document(body, url=url, content_type="text/html"), body)
        version = NewVersion(at=NOW + step, url=url, mark=mark, body=body, content_type="text/html")
        check = Check(url=url, at=NOW + step, status=CheckStatus.SIMILAR, probability=0.5 if step else None)
        state = LinkState(status=check.status, standing=Standing.OK, checked=check.at, probability=check.probability)
        store.links.record_checks(
            [CheckRecord(resource=added.id, check=check, state=state, version=version, becomes_reference=not step)]
        )
    return added.id
