"""Watching pages: is what a visit brought a change, what is kept of it, and what is told.

A page that is empty, an error or a wall has not changed: that is a remark, told once, and told again when it is over.
So is a page that cannot be had several times in a row, or is gone.
What the watcher sees of the page (``base.records.watches``) is compared with what was shown when a change was told
last; parts that change at every visit are left out (``pages.changes.always_changing``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha1
from typing import TYPE_CHECKING

import numpy as np

from afresh.base.difference import compare
from afresh.base.errors import ParseError, StoreAway, StoreBusy
from afresh.base.models import Entry, Fetched, ParsedEntry, Resource, Result, Window
from afresh.base.records.links import NewVersion
from afresh.base.records.watches import USUAL, PageMemory, PageRecord, Watch
from afresh.base.settings.sections import PageSettings
from afresh.pages.changes.always_changing import Restless
from afresh.pages.changes.deciding import Change, decide, leaves_out
from afresh.pages.changes.still_itself import is_itself
from afresh.pages.changes.wording import as_html, as_text, between, headline, restless_words, watch_words
from afresh.parse import child_reader
from afresh.parse.watched_lines import Shown, read_own, read_shown

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.base.visits import Answer, Finding

#: What helps with a page that shows nothing without its scripts.
RENDERING = "its text is made by scripts: --render lets a browser run them"
_FEW = 12  # words: a page with scripts and no more than these is likely to be made by them
_FRESH = 2.0  # seconds for which what is watched is remembered
#: What a page shows instead of itself ("an error page", "a wall"); empty: itself
Oddness = Callable[[Fetched], str]


def shown_by(outcome: Fetched, watch: Watch) -> Shown:
    """What arrived, as its watcher sees it."""
    return show(
        outcome.body,
        watch,
        url=outcome.trip.final_url,
        content_type=outcome.trip.headers.get("content-type", ""),
    )


def show(body: bytes, watch: Watch, *, url: str, content_type: str) -> Shown:
    """The same of a version; of one that takes too long to read nothing."""
    try:
        return child_reader.read(read_shown, Shown, body, url=url, content_type=content_type, watch=watch.to_text())
    except ParseError:
        return Shown(kind="empty", truncated=True)


def own_lines(outcome: Fetched, shown: Shown, watch: Watch) -> tuple[str, ...]:
    """What of it is not the frame of its site; all where somebody chose the part, or nothing tells the frame."""
    if shown.kind != "html" or watch.css or watch.xpath:
        return shown.lines
    url, content_type = outcome.trip.final_url, outcome.trip.headers.get("content-type", "")
    try:
        return child_reader.read(
            read_own, Shown, outcome.body, url=url, content_type=content_type, watch=watch.to_text()
        ).lines
    except ParseError:
        return shown.lines


def mark_of(lines: Sequence[str]) -> bytes:
    """Identity of what is shown: blanks and where lines end do not count."""
    return sha1(" ".join(lines).encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()


def _mark_of_view(shown: Shown, watch: Watch) -> bytes:
    """The same, and of who shows it: what a browser shows is not what the server sent, even if it reads alike."""
    return mark_of(("rendered", *shown.lines) if watch.renders else shown.lines)


def _mark_of_bytes(outcome: Fetched, watch: Watch) -> bytes:
    """Identity of what arrived, and of how it is looked at: most servers send the same bytes until a page changes."""
    seen = f"{watch.to_text()}\0{outcome.trip.headers.get('content-type', '')}\0"
    return sha1(seen.encode("utf-8", "replace") + outcome.body, usedforsecurity=False).digest()


@dataclass(slots=True)
class Watches:
    """What is watched of which page; changes are seen within moments."""

    store: Store | None
    _known: Mapping[str, Watch] = field(default_factory=dict)
    _until: float = 0.0

    def of(self, resource: Resource) -> Watch:
        """What its own watch says, over its tags', over its site's."""
        known = self._all()
        if not known:
            return USUAL
        scopes = (f"site:{resource.site}", *(f"tag:{tag}" for tag in resource.tags), f"page:{resource.id}")
        watch = USUAL
        for scope in scopes:
            if (own := known.get(scope)) is not None:
                watch = own.over(watch)
        return watch

    def _all(self) -> Mapping[str, Watch]:
        if self.store is not None and time.monotonic() >= self._until:
            try:
                self._known = self.store.watches.watches()
            except (StoreAway, StoreBusy):
                if not self._until:
                    raise
                return self._known  # what was said a moment ago
            self._until = time.monotonic() + _FRESH
        return self._known


@dataclass(frozen=True, slots=True)
class PageWatching:
    """Judges what visits of pages brought. Without a store nothing is remembered: another text is a change."""

    store: Store | None = None
    settings: PageSettings = field(default_factory=PageSettings)
    oddness: Oddness | None = None
    soon: float = 300.0  # seconds between two visits within which nobody writes something new
    watches: Watches = field(default_factory=lambda: Watches(None))
    failures: int = 3  # in a row, before one is told of

    def judge(self, answer: Answer, plain: Finding) -> Finding:
        """The finding with what changed, and what is kept of it."""
        outcome, before = answer.outcome, answer.before
        assert isinstance(outcome, Fetched)
        watch = self.watches.of(before)
        if (raw := _mark_of_bytes(outcome, watch)) in before.window.uids:  # nothing to be read
            return self._unchanged(answer, plain)
        shown = shown_by(outcome, watch)
        mark, found = _mark_of_view(shown, watch), replace(plain, title=shown.title)
        if mark in before.window.uids:
            return self._unchanged(answer, found)
        found = replace(found, window=Window((mark, raw), np.full(2, answer.now)))
        if self.store is None:
            return replace(found, result=Result.NEW)
        known = self.store.watches.page_memory(before.id)
        odd = self._odd(answer, shown, watch, known)
        if odd and known is not None:
            return self._remark(answer, found, known, odd)
        if known is not None and Watch.from_text(known.watch).renders != watch.renders:
            known = replace(known, told=())  # what a browser makes of it is not compared with what the server sent
        elif known is None or known.watch != watch.to_text():
            known = self._baseline(answer, watch, known)
        if known is None or not known.told:  # nothing of it was seen yet
            return self._first(answer, found, shown, watch, odd, known)
        return self._compare(answer, found, shown, watch, known)

    def failed(self, answer: Answer, plain: Finding) -> Finding:
        """A visit that brought no page; once in a row of failures that is told, and when it is gone."""
        if self.store is None or not plain.result.is_failure:
            return plain
        if plain.result is Result.GONE:
            words = f"gone: {plain.error}; not visited any more"
        elif answer.before.counters.failures + 1 == self.failures:
            words = f"failed {self.failures} times in a row: {plain.error}"
        else:
            return plain
        return replace(plain, entries=(_entry(answer, words, "", "failing"),))

    def working_again(self, answer: Answer) -> tuple[Entry, ...]:
        """That a page works again, if the last that was told of it is that it does not."""
        if self.store is None or not answer.before.counters.failures:
            return ()
        newest = self.store.entries(resource=answer.before.id, newest_first=True, limit=1)
        if not newest or "failing" not in newest[0].entry.parsed.categories:
            return ()
        return (_entry(answer, "works again", "", "working"),)

    def described(self, resource: Resource) -> tuple[str, ...]:
        """What of a page is watched, and what of it changes at every visit, in words."""
        watch = self.watches.of(resource)
        known = None if self.store is None else self.store.watches.page_memory(resource.id)
        if known is None:
            return (watch_words(watch),)
        restless = Restless.load(known.restless).places(known.lines, visit=resource.counters.ok)
        if not watch.everything and not leaves_out(watch, known.lines):
            return (watch_words(watch),)
        return (watch_words(watch), *(restless_words(place, counts=watch.everything) for place in restless))

    def _unchanged(self, answer: Answer, found: Finding) -> Finding:
        """The same as at the visit before; if that was a moment ago, parts that may be restless were calm."""
        found = replace(found, error=self.standing_remark(answer.before))
        before, has_picture = answer.before, bool(_picture(answer))
        if self.store is None or not (has_picture or self._is_soon(answer)):
            return found
        known = self.store.watches.page_memory(before.id)
        if known is None:
            return found
        restless = Restless.load(known.restless)
        is_calm = self._is_soon(answer) and restless.calm_down(visit=before.counters.ok + 1)
        if not is_calm and not has_picture:
            return found
        return replace(found, page=self._record(answer, replace(known, restless=restless.dump()), found, keeps=False))

    def standing_remark(self, before: Resource) -> str:
        """What was to be said of a page that shows the same; a failure since then has put its error in that place."""
        if before.last_result is None or before.last_result.is_success or self.store is None:
            return before.error
        known = self.store.watches.page_memory(before.id)
        return "" if known is None else known.remark

    def _is_soon(self, answer: Answer) -> bool:
        last = answer.before.last_ok
        return last is not None and answer.now - last <= self.soon

    def _odd(self, answer: Answer, shown: Shown, watch: Watch, known: PageMemory | None) -> str:
        """What it shows instead of itself; empty: itself. A page that has half of its own text is no other."""
        outcome = answer.outcome
        assert isinstance(outcome, Fetched)
        if shown.missing and not shown.lines:
            return f"nothing on it matches {', '.join(shown.missing)}"
        if not shown.lines:
            empty = f"it is empty; {RENDERING}" if shown.kind == "html" and has_scripts(outcome.body) else "it is empty"
            return "it takes too long to be read" if shown.truncated else empty
        if self.oddness is None or known is None or frozenset(known.told) <= frozenset(shown.lines):
            return ""
        if is_itself(known.told, shown.lines, own=own_lines(outcome, shown, watch)):
            return ""
        odd = self.oddness(outcome)
        return "" if odd and self._was_so(answer, odd, shown, known) else odd

    def _was_so(self, answer: Answer, odd: str, shown: Shown, known: PageMemory) -> bool:
        """Whether the page was that before: a box to log in beside one paragraph looks like a wall, whatever that says.

        Without a version nobody knows, so the frame has to be gone as well: a change too many is better than none.
        """
        assert self.store is not None
        assert self.oddness is not None
        assert isinstance(answer.outcome, Fetched)
        versions = self.store.links.versions(answer.before.id, limit=1)
        if not versions:
            return is_itself(known.told, shown.lines)
        headers = {"content-type": versions[0].content_type}
        trip = replace(answer.outcome.trip, final_url=versions[0].url, headers=headers)
        body = self.store.links.version_body(versions[0].id)
        return self.oddness(replace(answer.outcome, trip=trip, body=body)) == odd

    def _first(
        self, answer: Answer, found: Finding, shown: Shown, watch: Watch, odd: str, known: PageMemory | None
    ) -> Finding:
        """The first visit, or the first that showed something, or the first since versions are kept."""
        memory = PageMemory(watch=watch.to_text(), lines=shown.lines, told=shown.lines, remark=odd)
        told = f"cannot be watched: {odd}" if odd else self._advice_on(answer, shown, watch)
        entries = (_entry(answer, told, "", "remark"),) if told else _over(answer, known)
        page = self._record(answer, memory, found, keeps=not odd)
        return replace(found, result=Result.NEW, page=page, entries=entries, error=odd)

    def _advice_on(self, answer: Answer, shown: Shown, watch: Watch) -> str:
        assert isinstance(answer.outcome, Fetched)
        return advice(shown.lines, watch, answer.outcome.body) if shown.kind == "html" else ""

    def advice(self, resource: Resource) -> str:
        """What would make the page easier to watch; empty: nothing."""
        if self.store is None or (known := self.store.watches.page_memory(resource.id)) is None:
            return ""
        watch = Watch.from_text(known.watch)
        if known.remark or watch.renders or _words(known.lines) > _FEW:
            return known.remark
        newest = self.store.links.versions(resource.id, limit=1)
        is_page = bool(newest) and "html" in newest[0].content_type
        return advice(known.lines, watch, self.store.links.version_body(newest[0].id)) if is_page else ""

    def _baseline(self, answer: Answer, watch: Watch, known: PageMemory | None) -> PageMemory | None:
        """What the version told last shows of what is watched now; None: no version is kept."""
        assert self.store is not None
        versions = self.store.links.versions(answer.before.id, limit=1)
        if not versions:
            return None
        body = self.store.links.version_body(versions[0].id)
        lines = show(body, watch, url=versions[0].url, content_type=versions[0].content_type).lines
        remark = "" if known is None else known.remark
        return PageMemory(watch=watch.to_text(), lines=lines, told=lines, remark=remark)

    def _remark(self, answer: Answer, found: Finding, known: PageMemory, odd: str) -> Finding:
        """It shows something else than itself; told once."""
        page = self._record(answer, replace(known, remark=odd), found, keeps=False)
        entries = () if known.remark else (_entry(answer, odd, "", "remark"),)
        return replace(found, page=page, entries=entries, error=odd)

    def _compare(self, answer: Answer, found: Finding, shown: Shown, watch: Watch, known: PageMemory) -> Finding:
        visit = answer.before.counters.ok + 1
        restless = Restless.load(known.restless)
        restless.learn(compare(known.lines, shown.lines), visit=visit, is_soon=self._is_soon(answer))
        change = decide(known.told, shown.lines, watch, restless, visit=visit, now=answer.now)
        memory = PageMemory(
            watch=watch.to_text(),
            lines=shown.lines,
            # a word that is waited for may come, go untold, and come again
            told=shown.lines if change.counts or watch.appears or watch.vanishes else known.told,
            restless=restless.dump(),
        )
        page = self._record(answer, memory, found, keeps=change.counts)
        page = replace(page, look_soon=leaves_out(watch, shown.lines) and restless.suspects(visit=visit))
        entries = self._told(answer, change, known)
        return replace(found, result=Result.NEW if change.counts else Result.SAME, page=page, entries=entries)

    def _told(self, answer: Answer, change: Change, known: PageMemory) -> tuple[Entry, ...]:
        entries = _over(answer, known)
        if change.counts:
            text, shown = (write(change.rows, most=self.settings.told) for write in (as_text, as_html))
            when = between(answer.before.last_ok, answer.now)
            text, shown = f"{text}{when}\n", f"{shown}<p>{when}</p>"
            entries += (_entry(answer, headline(change.rows), text, "change", content=shown),)
        return entries

    def _record(self, answer: Answer, memory: PageMemory, found: Finding, *, keeps: bool) -> PageRecord:
        version = None
        if keeps and self.settings.versions > 0:
            outcome = answer.outcome
            assert isinstance(outcome, Fetched)
            version = NewVersion(
                at=answer.now,
                url=outcome.trip.final_url,
                mark=mark_of(memory.lines),
                body=outcome.body,
                content_type=outcome.trip.headers.get("content-type", "")[:200],
                title=found.title,
                picture=_picture(answer),
            )
        return PageRecord(
            resource=answer.before.id,
            memory=memory,
            version=version,
            # of something else than the page no picture is wanted
            picture=b"" if memory.remark else _picture(answer),
            keep_versions=self.settings.versions,
            keep_for=self.settings.keep_for,
        )


def advice(lines: Sequence[str], watch: Watch, body: bytes) -> str:
    """What helps with a page that says next to nothing; empty: it says enough, or scripts would not help."""
    words = _words(lines)
    if watch.renders or watch.css or watch.xpath or words > _FEW or not has_scripts(body):
        return ""
    return f"shows {words} words; {RENDERING}"


def _picture(answer: Answer) -> bytes:
    return answer.outcome.picture if isinstance(answer.outcome, Fetched) else b""


def has_scripts(body: bytes) -> bool:
    return b"<script" in body.lower()


def _words(lines: Sequence[str]) -> int:
    return sum(len(line.split()) for line in lines)


def _over(answer: Answer, known: PageMemory | None) -> tuple[Entry, ...]:
    """That it shows itself again, if it did not."""
    if known is None or not known.remark:
        return ()
    return (_entry(answer, "is itself again", f"It was not: {known.remark}", "remark"),)


def _entry(answer: Answer, words: str, text: str, category: str, *, content: str = "") -> Entry:
    """A change as an entry of the one sequence, of the time it was found: nobody knows when it happened."""
    before, now = answer.before, answer.now
    identity = f"{before.url}#{category}-{now:.0f}-{words}"
    parsed = ParsedEntry(
        title=f"{before.title or before.url}: {words}",
        link=before.url,
        native_id=identity,
        date_source="seen",
        summary=text,
        content=content,
        categories=(category,),
    )
    return Entry(
        uid=sha1(identity.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest(),
        published=now,
        published_raw=None,
        found=now,
        parsed=parsed,
    )
