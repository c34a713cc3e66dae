"""What a fetcher says of a page arrives as it was said; and an older fetcher, which says less, is understood."""

import msgspec
import orjson

from afresh.base.records.frontier import PageReport, PageResult, SiteReport
from afresh.doors.rest.frontier.bodies import Results
from afresh.doors.rest.frontier.reading import ReportReader
from afresh.frontier.rest_forms import report_form
from afresh.frontier.urls import CrawlUrls

UUID = "00000000-0000-4000-8000-000000000000"


def arrived(page: PageReport, *without: str) -> dict[str, object]:
    form = report_form(SiteReport(lease=1, name="a.example", pages=(page,)))
    form["url_list"] = [{name: value for name, value in one.items() if name not in without} for one in form["url_list"]]
    body = msgspec.json.decode(orjson.dumps({"uuid": UUID, "fqdns": [form]}), type=Results)
    [site] = ReportReader(CrawlUrls(), 100.0).sites(body)
    [read] = site.pages
    return {name: getattr(read, name) for name in PageReport._fields}


def test_every_field_of_a_report_arrives() -> None:
    page = PageReport(
        url="https://a.example/", result=PageResult.ERROR, fetched=50.0, changed=False, content_hash="5f", etag='"x"',
        last_modified="yesterday", soft_404=True, bytes=7, seconds=0.5, links=["https://b.example/"], number=9,
        due=70.0, why="HTTP 301", http=301, content_type="text/html", redirect="https://b.example/",
    )  # fmt: skip
    assert arrived(page) == page._asdict()
    told = arrived(page, "http", "content_type", "redirect")
    assert (told["http"], told["content_type"], told["redirect"], told["why"]) == (0, "", "", "HTTP 301")
