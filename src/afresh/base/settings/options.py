"""What a person needs to know of each setting: a line of help, an example, the check, whether it is a secret."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from afresh.base.default_rule import DEFAULT_RULE
from afresh.base.report_limits import MOST_LINKS
from afresh.base.value_class import dataclass

Check = Callable[[Any], str | None]  # what is wrong with a value; None: nothing


def _positive(value: float) -> str | None:
    return None if value > 0 else "must be greater than 0"


def _share(value: float) -> str | None:
    return None if 0 <= value <= 1 else "must be a number from 0 to 1"


def _not_negative(value: float) -> str | None:
    return None if value >= 0 else "must not be negative"


def _a_budget(value: float) -> str | None:
    if 0 < value < math.inf:
        return None
    return "is no budget: with it nothing could be asked; leave the option out for no limit"


def _ordinary(value: float) -> str | None:
    return None if 0 <= value < math.inf else "must be a number of at least 0"


def _links_of_a_page(value: int) -> str | None:
    return None if 0 < value <= MOST_LINKS else f"must be a whole number from 1 to {MOST_LINKS:,}"


def _one_of(*choices: str) -> Check:
    return lambda value: None if value in choices else f"must be one of: {', '.join(choices)}"


def _depth(value: float) -> str | None:
    return None if value >= -1 else "is no number of links"


def _stays(value: str) -> str | None:
    return _one_of("everywhere", "hosts", "domains")(value) if value else None


def _web_address(value: str) -> str | None:
    return None if not value or value.startswith(("https://", "http://")) else "is no address of the web"


def _listening(value: str) -> str | None:
    host, _, port = value.rpartition(":")
    is_right = bool(host) and port.isdecimal() and _port(int(port)) is None
    return None if not value or is_right else "is not HOST:PORT, as 127.0.0.1:7071 is"


def _port(value: int) -> str | None:
    return None if 0 <= value < 65_536 else "must be a port number from 0 (any free one) to 65535"


@dataclass(frozen=True, slots=True)
class Option:
    """What the table says about one setting."""

    help: str
    example: str = ""
    is_duration: bool = False
    check: Check | None = None
    secret: bool = False
    commas: bool = False  # whether a comma ends a value of a list: values of some others have commas of their own
    needs_unit: bool = False  # a duration that must say whether it means seconds, minutes or hours


#: settings that have had another name; the old one works until the next version
RENAMED: Mapping[str, str] = {
    "predict.alpha": "predict.shortest",
    "predict.beta": "predict.longest",
    "predict.eta": "predict.standard",
}

#: options that there are no more, with the reason; they are still accepted
RETIRED: Mapping[str, str] = {
    "budget.horizon": "idle budget goes to what is worth most, never before its shortest interval is over",
}


def _seconds(text: str, example: str, check: Check = _positive) -> Option:
    return Option(text, example, is_duration=True, check=check)


def _count(text: str, example: str, check: Check = _positive) -> Option:
    return Option(text, example, check=check)


OPTIONS: Mapping[str, Option] = {
    "store.url": Option("SQLite file, or postgresql://… to share the work among machines", "afresh.db"),
    "fetch.user_agent": Option(
        "the name we give to servers; it should include an address where you can be reached",
        "afresh/0.1 (+https://example.org/about-our-crawler)",
    ),
    "fetch.max_bytes": _count("largest page over the wire, bytes", "1000000"),
    "fetch.max_feed_bytes": _count("largest feed over the wire, bytes", "8000000"),
    "fetch.max_decoded_bytes": _count("largest body after decompression, bytes", "8000000"),
    "fetch.max_links": _count(
        "most links of a page that `afresh fetch` reports to its frontier; how many more there were is told",
        "10000",
        _links_of_a_page,
    ),
    "fetch.max_header_bytes": _count("longest header line, bytes", "32768"),
    "fetch.max_headers": _count("most header lines of an answer", "128"),
    "fetch.connect_timeout": _seconds("longest wait for a connection", "20s"),
    "fetch.read_timeout": _seconds("longest silence within an answer", "60s"),
    "fetch.total_timeout": _seconds("longest time for a request with all its redirects", "3m"),
    "fetch.max_redirects": _count("most redirects followed", "10", _not_negative),
    "fetch.allow_private": Option("reach addresses that are not public; switches the address guard off", "false"),
    "fetch.allowed_networks": Option("networks the address guard lets through", '["10.0.0.0/8"]', commas=True),
    "fetch.no_cache": Option("send Cache-Control: no-cache with every request", "true"),
    "fetch.concurrency": _count("most connections at a time", "64"),
    "fetch.keep_alive": _seconds("how long an idle connection is kept", "4s"),
    "fetch.dns_ttl": _seconds("how long resolved names are remembered", "60s", _not_negative),
    "fetch.respect_robots": Option("heed robots.txt for pages and links", "true"),
    "fetch.respect_robots_for_feeds": Option("heed robots.txt for subscribed feeds too", "false"),
    "fetch.proxy": Option("HTTP proxy for all requests; empty: none", "http://proxy:3128", secret=True),
    "fetch.passwords": Option(
        "name and password for a host (https unless it says http://); no other host is sent them",
        '["example.org=name:password"]',
        secret=True,
    ),
    "fetch.headers": Option(
        "header for a host (https unless it says http://), a token, say; no other host is sent it",
        '["example.org=Authorization: Bearer 123"]',
        secret=True,
    ),
    "browser.program": Option("path of the Chromium that renders pages; empty: the one that is installed", ""),
    "browser.time": _seconds("longest time for a page to be rendered", "30s"),
    "browser.settle": _seconds("longest wait for a page that goes on loading; then it is taken as it is", "10s"),
    "browser.requests": _count("most requests of a rendered page besides its own", "60", _not_negative),
    "browser.max_bytes": _count("most bytes that these requests may bring together", "10000000"),
    "browser.memory": _count("most memory of a browser, bytes", "1000000000"),
    "browser.at_once": _count("most browsers at the same time", "1"),
    "politeness.delay": _seconds("shortest pause between two requests to a site", "5s", _not_negative),
    "politeness.scope": Option(
        "what counts as one site: host, domain or service", "host", check=_one_of("host", "domain", "service")
    ),
    "politeness.services": Option("more named services, each name=suffix,suffix", '["forum=forum.example.org"]'),
    "politeness.load_factor": _count("also pause this many times the last answer's duration", "10", _not_negative),
    "politeness.trouble_wait": _seconds("pause of a site after a server error or no answer", "60s", _not_negative),
    "politeness.retry_after_cap": _seconds("longest pause a server may ask for", "1d"),
    "predict.rule": Option("the default rule for feeds; `afresh lab list` names them", DEFAULT_RULE),
    "predict.shortest": _seconds("shortest interval between visits of a feed", "1m"),
    "predict.longest": _seconds("longest interval between visits of a feed", "1d"),
    "predict.standard": _seconds("interval of a feed while none can be computed for it", "1h"),
    "predict.ttl": Option(
        "RSS ttl: ignore it, take it as lower bound, or as interval",
        "ignore",
        check=_one_of("ignore", "lower", "interval"),
    ),
    "predict.skips": Option("heed skipHours and skipDays", "false"),
    "predict.clock_offset": Option("correct dates by the offset of the server's clock", "true"),
    "predict.retrain": _seconds("time after which trained profiles are learnt anew", "7d"),
    "revisit.policy": Option("how it is decided when a page is visited: site-clocked or belief", "site-clocked"),
    "revisit.objective": Option(
        "what visits to pages are for: freshness (as many copies as possible are good) or age (none is old)",
        "freshness",
        check=_one_of("freshness", "age"),
    ),
    "revisit.shortest": _seconds("shortest interval between visits of a page", "1m"),
    "revisit.longest": _seconds("longest interval between visits of a page", "30d"),
    "revisit.second_look": _seconds("longest wait between a page's first visit and its second", "1d"),
    "revisit.replan": _seconds("how often it is planned anew how much of the budget each site gets", "5m"),
    "revisit.sitemap_every": _seconds("time between two readings of a sitemap", "1d"),
    "revisit.pages_per_site": _count("most pages taken from the sitemaps of a site", "100000"),
    "revisit.pages_per_domain": _count(
        "most pages taken from the sitemaps of all sites of a domain together", "200000"
    ),
    "revisit.day": _seconds(
        "how long a day of the watched web lasts; change it only for a simulated web that runs faster", "1d"
    ),
    "errors.first_wait": _seconds("pause after a first failure; doubles with each further one", "5m"),
    "errors.longest_wait": _seconds("longest pause after failures", "1d"),
    "errors.block_ratio": _count("failures per success that block a feed; 0: never block", "0", _not_negative),
    "errors.redirect_days": _count("days a permanent redirect must be seen before the URL is changed", "3"),
    "keep.unparsable": _count("unparsable documents kept for study", "200", _not_negative),
    "keep.archive_news": Option("keep the raw document of every visit that found news", "false"),
    "keep.visits": _seconds("how far the visit log reaches back", "90d"),
    "keep.content": _count("characters kept of an entry's text", "20000", _not_negative),
    "refresh.strategy": Option(
        "who decides which feeds are visited: priced, that is rules; or in rounds 2steps, only_tau, only_sat, uniform"
        " (docs/howto/choose-a-strategy.md explains each)",
        "2steps",
    ),
    "refresh.estimator": Option(
        "what strategies other than priced go by: last_interval, single, periodic, hybrid, shapes, censored or"
        " moving_average (docs/howto/choose-a-strategy.md explains each)",
        "hybrid",
    ),
    "refresh.round": _seconds("time between two rounds of strategies other than priced", "1m"),
    "refresh.fairness": Option(
        "what the default rule spends requests on: 0 counts all entries alike, so quiet feeds wait; 1 all feeds alike",
        "0.4",
        check=_share,
    ),
    "refresh.unread": Option(
        "worth of an entry that no query feed and no notice reads; counts as soon as there is a query feed",
        "0.2",
        check=_not_negative,
    ),
    "pages.versions": _count("how many versions of a page are stored; 0: none", "10", _not_negative),
    "pages.keep_for": _seconds("how long a version of a page is kept after it was last seen; the newest stays", "365d"),
    "pages.told": _count("characters of a difference in an entry or a notice", "4000"),
    "links.versions": _count("how many versions of a link are stored, besides the one it is compared with", "10"),
    "links.checks": _count("how many checks of a link are remembered", "100"),
    "links.failures": _count("failures in a row before a watched link is called broken", "3"),
    "links.days": _count("on how many different days these failures must have happened", "3"),
    "links.shortest": _seconds("shortest time between two checks of a link", "6h"),
    "links.longest": _seconds("longest time between two checks of a link", "30d"),
    "links.probe": Option(
        "compare a page that looks like an error page with the site's answer for an address that cannot exist, and with"
        " its front page",
        "true",
    ),
    "loop.concurrency": _count("most visits at the same time", "64"),
    "loop.lease": _seconds("after this time, the work of a process that died is handed out again", "5m"),
    "loop.batch": _count("most reports written in one transaction", "200"),
    "loop.flush": _seconds(
        "how long a finished visit may wait to be written together with others", "50ms", _not_negative
    ),
    "budget.requests_per_hour": _count("requests that may be made in an hour; unset: no limit", "1000", _a_budget),
    "budget.requests_per_minute": _count(
        "requests that may be made in a minute, averaged over an hour: of what was not needed 4 % of an hour's at most"
        " are saved up and may leave at once; unset: no limit",
        "20",
        _a_budget,
    ),
    "budget.mean_delay": Option(
        "mean delay to reach with the fewest requests, instead of a budget", "20m", True, _a_budget, needs_unit=True
    ),
    "budget.bytes_per_hour": _count("bytes that may be received in an hour; unset: no limit", "100000000", _a_budget),
    "budget.spend": Option(
        "all: the budget is used up, on whatever gains most by it; needed: it is a ceiling, and nothing is asked more"
        " often than without it",
        "needed",
        check=_one_of("all", "needed"),
    ),
    "budget.price": _count(
        "price of a request while no budget sets it: the seconds of waiting, summed over entries, it must save", "1000"
    ),
    "budget.every": _seconds("time between two corrections of the price", "1m"),
    "budget.gain": _count(
        "how strongly each correction moves the price: 1 takes back the whole deviation at once", "0.3"
    ),
    "budget.lowest_price": _count("lowest price that the budget may set", "0.000001"),
    "budget.highest_price": _count("highest price that the budget may set", "1000000000"),
    "notices.every": _seconds("how often it is checked whether there is something to tell", "5s"),
    "notices.failures": _count("failures in a row before you are told that a feed or page fails", "3"),
    "notices.batch": _count("most events told in one message", "50"),
    "notices.lease": _seconds("after this time, a message of a process that died is sent again", "90s"),
    "notices.first_wait": _seconds(
        "pause after a message could not be delivered; doubles with each further try", "30s"
    ),
    "notices.longest_wait": _seconds("longest pause between two tries", "6h"),
    "notices.give_up": _seconds("a message that could not be delivered in this time is given up", "3d"),
    "notices.keep": _seconds("how long delivered messages are remembered", "90d"),
    "sinks.to": Option(
        "where entries (of a daemon) or results (of a frontier) are written to besides the store",
        '["ndjson:/var/lib/afresh/out"]',
        secret=True,
    ),
    "sinks.every": _seconds("how often it is looked for something that sinks have not taken yet", "1s"),
    "sinks.first_wait": _seconds("pause after a sink did not take something; doubles with each further try", "1s"),
    "sinks.longest_wait": _seconds("longest pause between two tries of a sink", "1m"),
    "push.callback": Option(
        "public address at which WebSub hubs reach this daemon; empty: no subscriptions",
        "https://afresh.example.org",
        check=_web_address,
    ),
    "push.lease": _seconds("how long a subscription at a hub is asked to last", "10d"),
    "push.safety": _seconds("interval between visits of a feed whose hub has proved to announce its news", "6h"),
    "push.hub": Option(
        "WebSub hub of our own query feeds; empty: none", "https://hub.example.org/", check=_web_address
    ),
    "service.host": Option("address to listen on; anything but loopback needs tokens or passwords", "127.0.0.1"),
    "service.port": _count("port to listen on; 0: any free one", "8080", _port),
    "service.tokens": Option("bearer tokens of administrators", '["a-long-random-string"]', secret=True),
    "service.passwords": Option(
        "people with a password; `afresh config password NAME` makes an entry", '["anna:scrypt$…"]', secret=True
    ),
    "service.names": Option(
        "host names the service answers to besides loopback", '["afresh.example.org"]', commas=True
    ),
    "frontier.url": Option("the frontier's store: a SQLite file, or postgresql://…", "frontier.db"),
    "frontier.workers": _count("scheduler processes (SQLite: one)", "4"),
    "frontier.join_tokens": Option("tokens that let a fetcher register", '["a-long-random-string"]', secret=True),
    "frontier.public_url": Option("where fetchers reach the frontier; empty: as they addressed it", "https://f.e.org"),
    "frontier.allow_private": Option("keep URLs of hosts that are not public", "false"),
    "frontier.keep_keys": _seconds("how long a reported key is remembered", "1d"),
    "frontier.links": Option("keep the link graph, for PageRank, in-degree, OPIC and communities", "true"),
    "frontier.places": Option("table of places for geographic partitioning", "places.csv"),
    "frontier.stay": Option(
        "which links are followed: all (everywhere), or those to the hosts or the domains of what an operator added; "
        "empty: as before, at first everywhere",
        "domains",
        check=_stays,
    ),
    "frontier.include": Option(
        'only links that match one of these patterns are followed; empty: as before, at first all; [""]: all',
        '["/docs/"]',
    ),
    "frontier.exclude": Option(
        'what matches one of these patterns is never added; empty: as before, at first nothing; [""]: nothing',
        '["/calendar/", "[?&]sort="]',
    ),
    "frontier.depth": _count(
        "links are followed to pages that are at most so many away from what an operator added; 0: as far as they lead;"
        " -1: as before, at first 0",
        "3",
        _depth,
    ),
    "frontier.rank_every": _seconds("time between two rankings of the link graph; 0: never", "1h", _not_negative),
    "grpc.listen": Option(
        "address and port for crawlers that speak URLFrontier's gRPC; empty: none", "127.0.0.1:7071", check=_listening
    ),
    "grpc.certificate": Option("file with the certificates of that port, for TLS; empty: plain text", "server.pem"),
    "grpc.private_key": Option("file with the private key of that certificate", "server.key"),
    "grpc.open": Option("listen on other addresses than loopback without tokens and TLS", "false"),
    "grpc.schedule_known": Option(
        "a known URL without a refetch date is done (client), or due again by how often it changes (afresh)",
        "afresh",
        check=_one_of("client", "afresh"),
    ),
    "grpc.content_key": Option("which metadata of a known URL tells whether its content has changed", "signature"),
    "hygiene.failures": _count("failures in a row before a page is not handed out any more", "5"),
    "hygiene.retry": _seconds("pause of a page or site after a first failure; doubles with each further one", "5m"),
    "hygiene.longest_retry": _seconds("longest pause after failures", "7d"),
    "hygiene.second_look": _seconds(
        "a page that is not there (HTTP 404, 410 …) is asked for once more after this time, then not again; 0: never",
        "30d",
        _not_negative,
    ),
    "hygiene.site_errors": _count("failures in a row before a whole site is left alone", "10"),
    "hygiene.shortest_revisit": _seconds("shortest interval between visits of a page by its change rate", "1m"),
    "hygiene.longest_revisit": _seconds("longest interval between visits of a page by its change rate", "90d"),
    "hygiene.longest_delay": _seconds("a site that asks for a longer crawl delay gets this one", "1d"),
    "hygiene.slow_after": _seconds("a site whose answers take longer is visited less often", "10s"),
    "hygiene.slow_pause": _count(
        "such a site is left alone for this many times the duration of its answer", "10", _ordinary
    ),
    "hygiene.budget": _count(
        "most pages of a site that are handed out, the others wait; 0: no limit", "10000", _ordinary
    ),
    "hygiene.budget_per_referral": _count(
        "how many more pages a site may have for each link from another site", "1", _ordinary
    ),
    "log.level": Option("debug, info, warning or error", "info", check=_one_of("debug", "info", "warning", "error")),
}
