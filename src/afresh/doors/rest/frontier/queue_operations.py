"""The table of crawls, single URLs, and what an operator says about sites."""

from afresh.doors.rest.doorkeeper import Need
from afresh.doors.rest.frontier import bodies
from afresh.doors.rest.frontier import queueing as h
from afresh.doors.rest.frontier.door import Operation
from afresh.doors.rest.frontier.inside import Count, SiteView
from afresh.doors.rest.frontier.inside_operations import CRAWL, FQDN

QUEUEING: tuple[Operation, ...] = (
    Operation(
        "GET",
        "/crawls",
        h.list_crawls,
        "All crawls",
        "By name, with their counts. A crawl is a tenant: the same URL may be in several.",
        tag="crawls",
        answer=h.CrawlList,
        problems=(403,),
        need=Need.MEMBER,
    ),
    Operation(
        "GET",
        "/crawls/counts",
        h.count_crawl,
        "Counts of a crawl, or of one site of it",
        "Nothing but zeros where there is none.",
        tag="crawls",
        answer=h.CrawlView,
        problems=(403, 422),
        need=Need.MEMBER,
        parameters=(CRAWL, FQDN),
    ),
    Operation(
        "PUT",
        "/crawls",
        h.make_crawl,
        "Make a crawl",
        "One that is there stays as it is. The first URL put into a crawl makes it as well.",
        tag="crawls",
        body=bodies.CrawlKey,
        answer=h.CrawlView,
        problems=(403,),
        need=Need.ADMIN,
        example={"crawl": "news"},
    ),
    Operation(
        "DELETE",
        "/crawls",
        h.delete_crawl,
        "Delete a crawl",
        "With its sites and URLs; the answer says how many URLs.",
        tag="crawls",
        answer=Count,
        problems=(403, 404, 422),
        need=Need.ADMIN,
        parameters=(
            {
                "name": "crawl",
                "in": "query",
                "required": True,
                "description": "Its name.",
                "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[^\\x00-\\x1f\\x7f]*$"},
            },
        ),
    ),
    Operation(
        "PATCH",
        "/sites",
        h.control_site,
        "Block, delay or limit a site",
        "What is left out stays; null takes back a block, or a delay of its own. Remembered across restarts. Nothing "
        "of a blocked site is handed out. Where a fetcher holds it: `afresh fetch` asks for `/sites/blocked` every few "
        "seconds and gives the rest of its list back, after one more request at most; any other one stops when its "
        "list ends, `leased_until` at the latest.",
        tag="urls",
        body=bodies.SiteControl,
        answer=SiteView,
        problems=(403, 404),
        need=Need.ADMIN,
        example={"fqdn": "www.example.com", "crawl_delay": 5, "blocked_until": "2030-01-01T00:00:00Z"},
    ),
    Operation(
        "GET",
        "/sites/blocked",
        h.show_blocked,
        "Sites blocked lately",
        "For fetchers at work: of these nothing more shall be asked for, though they may be in a list that is out.",
        tag="urls",
        answer=h.BlockedSites,
        problems=(403, 422),
        need=Need.MEMBER,
        parameters=(CRAWL,),
    ),
    Operation(
        "POST",
        "/sites/visit",
        h.visit_site,
        "Visit a site again",
        "Its pages that are to be visited at some time are due now; they are fetched at the pace of their site. What "
        "is gone, failing or excluded stays so. The answer counts pages that were not due yet.",
        tag="urls",
        body=bodies.SiteKey,
        answer=Count,
        problems=(403, 404),
        need=Need.ADMIN,
        example={"fqdn": "www.example.com"},
    ),
    Operation(
        "GET",
        "/sites/delay",
        h.show_delay,
        "The delay of sites without their own",
        "Between two times that single URLs of a site are locked; lists have `default_crawl_delay` of the settings.",
        tag="urls",
        answer=bodies.Delay,
        problems=(403,),
        need=Need.MEMBER,
    ),
    Operation(
        "PUT",
        "/sites/delay",
        h.set_delay,
        "Set the delay of sites without their own",
        "Remembered across restarts.",
        tag="urls",
        body=bodies.Delay,
        answer=bodies.Delay,
        problems=(403,),
        need=Need.ADMIN,
        example={"crawl_delay": 1.0},
    ),
    Operation(
        "POST",
        "/urls/lock",
        h.lock_urls,
        "Ask for single URLs",
        "URLs that are due, of several sites, each locked for some seconds: nobody else gets it meanwhile. The sites "
        "stay free. Put a URL back as known when it was fetched; otherwise it is handed out again when its lock ends.",
        tag="crawl",
        body=bodies.WantedUrls,
        answer=h.LockedUrls,
        problems=(403,),
        need=Need.MEMBER,
        example={"sites": 50, "urls": 10, "seconds": 120},
    ),
    Operation(
        "POST",
        "/urls/put",
        h.put_urls,
        "Put URLs, each acknowledged",
        "Found URLs are added unless they are known; known ones are unlocked and told when they are due again: `due`, "
        "`completed` (never), or as the frontier estimates. URLs are kept as they are written. The same "
        "again is harmless.",
        tag="crawl",
        body=bodies.PutUrls,
        answer=h.Acknowledged,
        problems=(403,),
        need=Need.MEMBER,
        example={
            "crawl": "news",
            "urls": [
                {"url": "https://www.example.com/", "due": "2030-01-01T00:00:00Z", "metadata": {"depth": ["1"]}},
                {"url": "https://www.example.com/next"},
            ],
        },
    ),
)
