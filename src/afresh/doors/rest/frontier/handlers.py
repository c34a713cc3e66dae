"""What each operation does: reads, asks the use case, answers."""

import asyncio
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import UNSET
from starlette.responses import Response

from afresh.base.records.frontier import Imported, PageReport, PageResult, Receipt, Seed, SiteReport
from afresh.base.settings.frontier import THESIS_NAMES, FrontierSettings
from afresh.base.value_class import alike
from afresh.doors.rest.frontier import answers, bodies
from afresh.doors.rest.frontier.door import IMPORT_TYPES, Asked, Routes, answer, in_query, stream
from afresh.doors.rest.frontier.importing import Import, in_turns
from afresh.doors.rest.frontier.long_lists import streamed_list
from afresh.doors.rest.frontier.operating import CRAWL, crawl_in_query
from afresh.doors.rest.frontier.reading import ReportReader
from afresh.doors.rest.problems import Refused
from afresh.doors.rest.who_asks import Need
from afresh.frontier.queues import crawl_name
from afresh.frontier.scheduling import Wish

MOST_RANDOM = 10_000
ADDED_TOGETHER = 8_000  # URLs of an import: the next are read when these are stored
LARGE_RESULTS = 1_000_000  # bytes; a hundred thousand links would hold up everybody else for a second

routes = Routes()
_KEY_HEADER = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Makes a repetition harmless; the same as `key` in the body.",
    "schema": {"type": "string", "maxLength": 200, "pattern": "^[ -~]*$"},
}
_AMOUNT = in_query("amount", "How many.", type="integer", minimum=0, maximum=MOST_RANDOM, default=1)
_FQDN = in_query("fqdn", "Only of this site.", type="string", maxLength=300, pattern="^[^\\x00]*$")


@routes(
    "POST",
    "/fetchers",
    "fetchers",
    "Register a fetcher",
    answer=answers.NewAccount,
    status=201,
    problems=(409,),
    need=Need.JOIN,
)
async def create_fetcher(asked: Asked[bodies.NewFetcher]) -> Response:
    """Creates an account. The answer holds its UUID and its secret token, which is shown this once."""
    body = asked.body
    account, token = await asked.door.frontier.register(
        contact=body.contact,
        name=body.name,
        location=body.location,
        tld_preference=body.tld_preference.lower(),
        address=body.ip_address,
    )
    return await answer(asked.request, answers.new_account_view(account, token), status=201)


@routes("PUT", "/fetchers", "fetchers", "Reset a fetcher", answer=answers.Fetcher, problems=(404, 409))
async def reset_fetcher(asked: Asked[bodies.ResetFetcher]) -> Response:
    """Sets what is given and empties the rest; contact and name stay if left out."""
    body = asked.body
    return await _change(asked, str(body.uuid), body)


@routes("PATCH", "/fetchers", "fetchers", "Change a fetcher", answer=answers.Fetcher, problems=(404, 409))
async def update_fetcher(asked: Asked[bodies.ChangedFetcher]) -> Response:
    """Sets what is given and leaves the rest."""
    body = asked.body
    return await _change(asked, str(body.uuid), body)


async def _change(asked: Asked[Any], uuid: str, body: Any) -> Response:
    asked.must(Need.OWNER, uuid)
    names = {"ip_address": "address"}
    given = {
        names.get(name, name): value
        for name, value in ((item, getattr(body, item)) for item in body.__struct_fields__ if item != "uuid")
        if value is not UNSET
    }
    if "tld_preference" in given:
        given["tld_preference"] = given["tld_preference"].lower()
    account = await asked.door.frontier.change(uuid, **given)
    return await answer(asked.request, answers.fetcher_view(account))


@routes("DELETE", "/fetchers", "fetchers", "Delete a fetcher", status=204, problems=(404,))
async def delete_fetcher(asked: Asked[bodies.FetcherKey]) -> Response:
    """With its reservations: its sites become free, their delays stay."""
    body = asked.body
    uuid = str(body.uuid)
    asked.must(Need.OWNER, uuid)
    await asked.door.frontier.remove(uuid)
    return Response(status_code=204)


@routes("POST", "/fetchers/restart", "fetchers", "Begin anew", answer=answers.Restart, problems=(404,))
async def restart_fetcher(asked: Asked[bodies.FetcherKey]) -> Response:
    """A fetcher's process has started and knows nothing of the lists of the one before: their sites become free, each
    after its pause from now on. A report of such a list that still arrives is `late`.
    """
    body = asked.body
    uuid = str(body.uuid)
    asked.must(Need.OWNER, uuid)
    return await answer(asked.request, answers.Restart(given_back=await asked.door.frontier.begin_anew(uuid)))


@routes("GET", "/fetchers", "fetchers", "All fetchers", answer=list[answers.ListedFetcher], need=Need.ADMIN)
async def list_fetchers(asked: Asked[None]) -> Response:
    """By registration, which is the order hash partitionings count them in."""
    frontier = asked.door.frontier
    found, held = await frontier.fetchers(), await frontier.run(frontier.store.holdings)
    views = [answers.listed_fetcher_view(account, held.get(account.uuid)) for account in found]
    return await answer(asked.request, views)


@routes("POST", "/frontiers", "crawl", "Ask for a list", answer=answers.UrlFrontier, problems=(404,))
async def reserve_list(asked: Asked[bodies.WantedList]) -> Response:
    """Chooses sites and reserves them in one step: until `latest_return` nobody else gets them. Nothing to fetch is
    an empty list. A list is full with 50,000 URLs, however many sites are asked for; a long one is sent while it is
    made. An answer above 150 kB is packed if the client accepts gzip.
    """
    body = asked.body
    uuid = str(body.fetcher_uuid)
    asked.must(Need.OWNER, uuid)
    wish = alike(Wish, body, uuid=uuid, crawl=crawl_name(body.crawl))
    parts = asked.door.frontier.hand_out_in_parts(wish)
    base = asked.door.public_url or f"{asked.request.url.scheme}://{asked.request.headers['host']}"
    first = await anext(parts)
    view = answers.frontier_view(first, f"{base}/api/v1/results")
    more = await anext(parts, None)
    if more is None:
        return await answer(asked.request, view)
    return stream(asked.request, streamed_list(view, more, parts))


@routes(
    "POST",
    "/results",
    "crawl",
    "Report results",
    answer=answers.Submission,
    problems=(404, 409, 413),
    parameters=(_KEY_HEADER,),
)
async def take_results(asked: Asked[bodies.Results]) -> Response:
    """Takes over what was fetched and found, and releases the sites. Each site gets a standing: `accepted`, `late`
    (its reservation had expired; visits are kept) or `unknown` (never reserved by this fetcher; nothing is taken
    over). A site with `partial: true` stays reserved for the pages of its list that are not reported yet, until the
    `latest_return` of the answer. With a key, sending the same again changes nothing and gives the same answer;
    another body under the same key is refused (409).
    """
    body = asked.body
    uuid = str(body.uuid)
    asked.must(Need.OWNER, uuid)
    key = _key(asked, body.key)
    frontier = asked.door.frontier
    reader = ReportReader(frontier.link_urls, frontier.now())
    sent = await asked.request.body()
    is_large = len(sent) > LARGE_RESULTS
    reports = await asyncio.to_thread(reader.sites, body) if is_large else reader.sites(body)
    await frontier.account(uuid) if not reports else None
    digest = blake2b(sent, digest_size=16).hexdigest() if key else ""
    receipt = await frontier.report(uuid, reports, key=key, digest=digest) if reports else Receipt(standings=())
    view = answers.submission_view(receipt, key, [report.name for report in reports], reader.refused)
    if reader.found:
        added = await frontier.add(reader.found, revive=False)
        view.discovered += added.urls
        view.known += added.known
        view.refused += added.refused
    return await answer(asked.request, view)


@routes("POST", "/results/aside", "crawl", "Put a report aside", answer=answers.Submission, problems=(404,))
async def put_result_aside(asked: Asked[bodies.AsideReport]) -> Response:
    """For a fetcher whose report of one page is answered with 500 again and again: the page counts as failed and is
    tried again, the rest of its list stays reserved, and `/health` says for a day what could not be taken. What the
    fetcher found there is not known to the frontier; `afresh fetch` keeps it in a file.
    """
    body = asked.body
    asked.must(Need.OWNER, str(body.uuid))
    page = PageReport(body.url, PageResult.ERROR, number=body.number, why=f"its report could not be taken: {body.why}")
    site = SiteReport(lease=body.reservation, name=body.fqdn, pages=(page,), is_partial=True)
    receipt = await asked.door.frontier.put_report_aside(str(body.uuid), site)
    return await answer(asked.request, answers.submission_view(receipt, "", [site.name], 0))


def _key(asked: Asked[Any], in_body: str) -> str:
    in_header: str = asked.request.headers.get("idempotency-key", "")
    if in_header and in_body and in_header != in_body:
        raise Refused(422, "Idempotency-Key and body.key differ; send one of them", where="body.key")
    key = in_header or in_body
    if len(key) > 200 or not key.isprintable():
        raise Refused(422, "an idempotency key has at most 200 printable characters", where="header.idempotency-key")
    return key


@routes(
    "POST",
    "/urls",
    "urls",
    "Import URLs",
    raw_types=tuple(sorted(IMPORT_TYPES)),
    answer=answers.Import,
    problems=(400, 413, 415),
    need=Need.ADMIN,
    parameters=(CRAWL,),
)
async def import_urls(asked: Asked[None]) -> Response:
    """As JSON (8 MB at most), as one JSON value (a URL or an object) a line, or as one URL a line; gzip is
    understood. A body that is wrong somewhere is refused as a whole. Known URLs stay as they are. What is no URL of
    the public web is counted as refused.
    """
    frontier = asked.door.frontier
    wanted = Import(await asked.request.body(), asked.request.headers, frontier.urls)
    crawl = crawl_in_query(asked)
    async for _ in in_turns(wanted.check(), frontier.long_work):
        pass
    done: list[Imported] = []
    waiting: list[Seed] = []
    refused = answers.Refusals(frontier.urls)
    async for seeds, not_taken in in_turns(wanted.seeds(), frontier.long_work):
        waiting += seeds
        refused.add(not_taken)
        if len(waiting) >= ADDED_TOGETHER:
            done.append(await frontier.add(waiting, crawl=crawl))
            waiting = []
    done.append(await frontier.add(waiting, crawl=crawl))
    return await answer(asked.request, answers.import_view(done, refused))


@routes(
    "GET",
    "/urls/random",
    "urls",
    "Random known URLs",
    answer=answers.UrlList,
    need=Need.MEMBER,
    parameters=(_AMOUNT, _FQDN),
)
async def random_urls(asked: Asked[None]) -> Response:
    """For simulators and samples."""
    amount = _whole(asked, "amount", 1, MOST_RANDOM)
    fqdn = asked.request.query_params.get("fqdn")
    if fqdn is not None and (len(fqdn) > 300 or "\0" in fqdn):
        raise Refused(422, "query.fqdn: not a host name", where="query.fqdn")
    found = await asked.door.frontier.random_urls(amount, site=fqdn or None)
    return await answer(asked.request, answers.UrlList(url_list=found))


def _whole(asked: Asked[Any], name: str, default: int, most: int) -> int:
    text = asked.request.query_params.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) <= most):
        raise Refused(422, f"query.{name}: a whole number from 0 to {most:,}", where=f"query.{name}")
    return int(text)


@routes("GET", "/health", "system", "How the frontier is doing", answer=answers.Health, need=Need.MEMBER)
async def show_health(asked: Asked[None]) -> Response:
    """Whether its store can be used, and what else does not work; answers whatever the store does."""
    return await answer(asked.request, answers.health_view(asked.door.frontier.troubles.current()))


@routes("GET", "/stats", "system", "Totals", answer=answers.Stats, need=Need.MEMBER)
async def show_stats(asked: Asked[None]) -> Response:
    """Fetchers, sites, URLs, reservations, visits, links."""
    frontier = asked.door.frontier
    lately = frontier.lately
    totals = await frontier.stats()
    view = answers.stats_view(
        totals,
        out_of_scope=lately.out_of_scope(),
        links_left_out=lately.links_left_out(),
        scope=await frontier.run(frontier.scope.told, frontier.store),
    )
    return await answer(asked.request, view)


@routes("GET", "/settings", "system", "The settings", answer=bodies.Settings, need=Need.MEMBER)
async def show_settings(asked: Asked[None]) -> Response:
    """Global strategies and limits, and what simulators read at start."""
    return await answer(asked.request, _settings_view(await asked.door.frontier.settings()))


@routes("PUT", "/settings", "system", "Replace the settings", answer=bodies.Settings, need=Need.ADMIN)
async def replace_settings(asked: Asked[bodies.Settings]) -> Response:
    """Sets all of them: what is left out goes back to its default. Every scheduler process follows within a second."""
    said = _said_settings(asked, {})
    kept = await asked.door.frontier.put_settings(FrontierSettings.from_thesis(said))
    return await answer(asked.request, _settings_view(kept))


@routes("PATCH", "/settings", "system", "Change some settings", answer=bodies.Settings, need=Need.ADMIN)
async def change_settings(asked: Asked[bodies.SettingsPatch]) -> Response:  # type: ignore[valid-type]  # made from Settings
    """Sets what is named and leaves the rest as it is; null goes back to the default."""
    frontier = asked.door.frontier
    kept = await frontier.change_settings(_said_settings(asked, (await frontier.settings()).to_thesis()))
    return await answer(asked.request, _settings_view(kept))


def _said_settings(asked: Asked[Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """What the body names, by the names that the store has; raises Refused where that does not go together, with what
    is ``known`` beside it."""
    said = {name: value for name, value in msgspec.structs.asdict(asked.body).items() if value is not msgspec.UNSET}
    for old, name in THESIS_NAMES.items():
        if name in said and said.setdefault(old, said[name]) != said[name]:
            raise Refused(422, f"body.{name} and its old name {old} differ; give one of them", where=f"body.{name}")
        if name != old:
            said.pop(name, None)
    both = {**known, **said}
    least, most = both.get("min_links_per_page") or 0, both.get("max_links_per_page")
    if most is not None and least > most:
        raise Refused(422, "body.min_links_per_page is larger than max_links_per_page", where="body.min_links_per_page")
    return said


def _settings_view(settings: FrontierSettings) -> bodies.Settings:
    """By our names and the old ones; what another version kept and this one does not know is left out."""
    known, ours = bodies.Settings.__struct_fields__, {name: getattr(settings, name) for name in THESIS_NAMES.values()}
    told = {name: value for name, value in settings.to_thesis().items() if name in known}
    return bodies.Settings(**told | ours)


@routes(
    "POST",
    "/database",
    "development",
    "Generate an example database",
    answer=answers.Stats,
    status=202,
    problems=(400, 501),
    need=Need.ADMIN,
    dev=True,
)
async def generate_database(asked: Asked[bodies.ExampleDatabase]) -> Response:
    """The test system's sites and pages (only with --dev)."""
    body = asked.body
    if body.min_url_amount > body.max_url_amount:
        raise Refused(400, "min_url_amount is larger than max_url_amount", where="body.min_url_amount")
    make = asked.door.make_example
    if make is None:
        raise Refused(501, "this frontier cannot generate an example database")
    await make(asked.door.frontier, body)
    return await answer(asked.request, answers.stats_view(await asked.door.frontier.stats()), status=202)


@routes(
    "DELETE",
    "/database",
    "development",
    "Delete the database, wholly or in part",
    answer=answers.Stats,
    status=202,
    need=Need.ADMIN,
    dev=True,
)
async def delete_database(asked: Asked[bodies.Deletion]) -> Response:
    """Only with --dev."""
    body = asked.body
    frontier = asked.door.frontier
    await frontier.clear(
        fetchers=body.delete_fetchers,
        urls=body.delete_urls,
        sites=body.delete_fqdns,
        leases=body.delete_reserved_fqdns,
        edges=body.delete_url_refs,
    )
    return await answer(asked.request, answers.stats_view(await frontier.stats()), status=202)
