"""A site of the demo web at work: from a request to an answer, without a socket."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from afresh.feeds.patterns import Pattern
from afresh.lab.web.answers import Answer, Call, Document, Validators, respond
from afresh.lab.web.catalogue import FeedPlan, SitePlan
from afresh.lab.web.feeds import MEDIA_TYPES, Channel, Format, Item, make_item, render
from afresh.lab.web.pages import (
    STORIES,
    Announcement,
    changes,
    entry_page,
    start_page,
    story_path,
    text_page,
)
from afresh.lab.web.patterns import Stream, publications

HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Era:
    """What all sites of one demo web share."""

    seed: int
    start: float
    day: float
    port: int

    def origin(self, name: str) -> str:
        return f"http://{name}.localhost:{self.port}"


class LiveFeed:
    """A feed that publishes, is asked, and answers with its manners."""

    def __init__(self, site: SitePlan, plan: FeedPlan, era: Era) -> None:
        self.plan = plan
        self.url = era.origin(site.name) + plan.path
        self._site, self._era = site, era
        self._key = f"{site.name}{plan.path}"
        # A feed that has moved publishes at its new address what it would have published at the old one.
        moved_to = getattr(plan.manners, "site", None)
        self._source = f"{moved_to}{plan.path}" if moved_to else self._key
        self.stream = Stream(publications(plan.rhythm, seed=f"{era.seed}/{self._source}", start=era.start, day=era.day))
        self._asked = 0
        self._asked_at: float | None = None
        self._cache: dict[Format, tuple[int, Document]] = {}

    def item(self, number: int) -> Item:
        """Entry ``number``, counted from 0, with its true date."""
        name, _, path = self._source.partition("/")
        link = f"{self._era.origin(name)}/entry/{number}?of=/{path}"
        date = self.stream.time(number)
        return make_item(seed=self._era.seed, feed=self._source, number=number, link=link, date=date)

    def links_at(self, now: float) -> list[str]:
        """Links of the entries that a document of then has; empty where that depends on more than the time."""
        manners = self.plan.manners
        if not (manners.is_readable and manners.is_stable):
            return []
        items = manners.shown(self._window(self.stream.count(now)), Call(host="", path="", now=now))
        return [item.link for item in items]

    def _window(self, count: int) -> list[Item]:
        return [self.item(n) for n in range(count - 1, max(-1, count - 1 - self.plan.window), -1)]

    def answer(self, call: Call, form: Format | None = None) -> Answer:
        """The answer to one request."""
        if "?hop=" not in call.path:  # the hops of a redirect chain belong to one visit
            self._asked += 1
            call = replace(call, number=self._asked, previous=self._asked_at)
            self._asked_at = call.now
        manners = self.plan.manners
        answer = manners.instead(call)
        if answer is None:
            document = self._document(call, form or self.plan.format)
            answer = respond(call, document, self.plan.validators, conditional=manners.honours_conditions)
            if manners.content_encoding and answer.status == 200:
                answer = replace(answer, headers={**answer.headers, "Content-Encoding": manners.content_encoding})
        return replace(answer, delay=manners.delay())

    @property
    def _is_stable(self) -> bool:
        return self.plan.manners.is_stable and self.plan.rhythm.pattern is not Pattern.ON_THE_FLY

    def _document(self, call: Call, form: Format) -> Document:
        count = self.stream.count(call.now)
        known, document = self._cache.get(form, (-1, None))
        if document is None or known != count or not self._is_stable:
            document = self._render(call, form, count)
            self._cache[form] = (count, document)
        return document

    def _render(self, call: Call, form: Format, count: int) -> Document:
        items: Sequence[Item] = self._window(count)
        modified = items[0].date if items and items[0].date is not None else self._era.start - self._era.day
        if self.plan.rhythm.pattern is Pattern.ON_THE_FLY:
            items = [replace(item, date=call.now // 1) for item in items]
        origin = self._era.origin(self._site.name) + "/"
        title = f"{self._site.title}: {self.plan.path.strip('/')}"
        channel = Channel(title=title, link=origin, self_url=self.url, updated=modified, hints=self.plan.hints)
        body = render(form, channel, self.plan.manners.shown(items, call)).encode()
        return Document(
            body=self.plan.manners.spoil(body, call),
            content_type=f"{MEDIA_TYPES[form]}; charset=utf-8",
            modified=modified,
        )


class LiveSite:
    """A host: feeds, pages, robots.txt."""

    def __init__(self, plan: SitePlan, era: Era, neighbours: Sequence[str] = ()) -> None:
        self.plan = plan
        self.name = f"{plan.name}.localhost"
        self.url = era.origin(plan.name) + "/"
        self._era = era
        self._neighbours = tuple(neighbours)
        self.feeds = {feed.path: LiveFeed(plan, feed, era) for feed in plan.feeds}
        self._twins = {path: (self.feeds[feed.path], form) for feed in plan.feeds for path, form in feed.twins}
        texts = ["/about", "/private/ledger", *map(story_path, range(STORIES))]
        self._changes = {
            path: Stream(changes(seed=self._seed, path=path, start=era.start, day=era.day)) for path in texts
        }

    @property
    def _seed(self) -> str:
        return f"{self._era.seed}/{self.plan.name}"

    def feed_at(self, address: str) -> LiveFeed | None:
        """The feed behind a path, whatever its query."""
        path = address.partition("?")[0]
        twin = self._twins.get(path)
        return twin[0] if twin else self.feeds.get(path)

    def allows(self, address: str) -> bool:
        return self.plan.robots.allows(address)

    def answer(self, call: Call) -> Answer:
        """The answer to one request."""
        path = call.path.partition("?")[0]
        if path in self.feeds:
            return self.feeds[path].answer(call)
        if path in self._twins:
            feed, form = self._twins[path]
            return feed.answer(call, form)
        if path == "/robots.txt":
            return self._robots()
        document = self._page(path, call)
        if document is None:
            return Answer(status=404, body=b"<h1>Not here</h1>", headers={"Content-Type": HTML})
        return respond(call, document, Validators.BOTH)

    def announcements(self) -> list[Announcement]:
        """The feeds of the start page, with the duplicates and the dead link a discoverer has to recognise."""
        found = []
        for feed in self.plan.feeds:
            for path, form in ((feed.path, feed.format), *feed.twins) if feed.announced else ():
                found.append(Announcement(path, MEDIA_TYPES[form], f"{self.plan.title} ({form})"))
        if self.plan.session_duplicate:
            first = found[0]
            found.append(Announcement(f"{first.href}?PHPSESSID=0123456789abcdef", first.media_type, first.title))
        if self.plan.dead_link:
            found.append(Announcement("/nowhere.xml", MEDIA_TYPES[Format.RSS20], "Nowhere"))
        return found

    def _robots(self) -> Answer:
        if not self.plan.robots.exists:
            return Answer(status=404, headers={"Content-Type": "text/plain"})
        return Answer(status=200, body=self.plan.robots.text().encode(), headers={"Content-Type": "text/plain"})

    def _page(self, path: str, call: Call) -> Document | None:
        title = self.plan.title
        if path == "/":
            private = bool(self.plan.robots.disallow)
            html = start_page(title=title, announced=self.announcements(), neighbours=self._neighbours, private=private)
            return Document(body=html.encode(), content_type=HTML, modified=self._era.start)
        if path.startswith("/entry/"):
            return self._entry(call)
        if path not in self._changes:
            return None
        stream = self._changes[path]
        version = stream.count(call.now)
        modified = stream.time(version - 1) if version else self._era.start
        number = int(path.rpartition("/")[2]) if path.startswith("/story/") else 0
        links = ["/", story_path(number), story_path(number * 2 + 1), *self._neighbours[:1]]
        html = text_page(seed=self._seed, title=title, path=path, version=version, links=links)
        return Document(body=html.encode(), content_type=HTML, modified=modified)

    def _entry(self, call: Call) -> Document | None:
        address, _, source = call.path.partition("?of=")
        digits = address.removeprefix("/entry/")
        feed = self.feeds.get(source)
        if feed is None or not digits.isdecimal() or len(digits) > 9:
            return None
        if int(digits) >= feed.stream.count(call.now):
            return None
        item = feed.item(int(digits))
        html = entry_page(title=self.plan.title, heading=item.title, summary=item.summary)
        return Document(body=html.encode(), content_type=HTML, modified=item.date)
