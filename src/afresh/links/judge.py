"""The judge of links: what an outcome means for a link, against its reference version, and what is recorded of it.

One status a check, in the order of [M03] §4.4. The reference advances on acceptance only, so a replaced page does not
turn well by itself, and a page that creeps away in small steps is noticed: each step is like the one before, but no
longer like the version that was accepted.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from afresh.base.models import Fetched, NotModified, Outcome, Trip, Validators
from afresh.base.records.links import (
    Check,
    CheckRecord,
    CheckStatus,
    KeptLink,
    LinkState,
    NewVersion,
    Origin,
    Standing,
    Turned,
    Usage,
    Version,
)
from afresh.base.settings.sections import LinkSettings
from afresh.base.value_class import dataclass
from afresh.links.answers import (
    FOUND_THERE,
    SAYS_SO,
    Checked,
    answered,
    but,
    is_redirected,
    judge_without_page,
    redirected,
)
from afresh.links.documents.anchors import anchors_of, has_anchor, no_anchor
from afresh.links.measures.profile import Profile
from afresh.links.measures.url import host_of, is_front, names_a_page
from afresh.links.sent_elsewhere import SENT_WITH_LOST, is_asked_for, is_detour, sent_away, sent_elsewhere
from afresh.links.verdicts.building import is_misnamed, is_shell
from afresh.links.verdicts.moved import FRAMED, Move, moved_notice, says_that_it_moved
from afresh.links.verdicts.searched_text import view_of
from afresh.links.verdicts.signals import CERTAIN, Signal, page_signals
from afresh.links.verdicts.without_model import (
    OF_SITES,
    SAME_ANSWER,
    SHOWS_FRONT,
    Verdict,
    called,
    inspect_page,
    is_little,
    like_home,
    like_probe,
    reads_like,
    same_text,
)
from afresh.links.versions import UNREADABLE, ModelFor, StoredPages, read_outcome, version_of
from afresh.links.workflow import Grace, advance, event_of
from afresh.parse.url import page_of, part_of

if TYPE_CHECKING:
    from afresh.base.records.link_store import LinkReader

_NO_CONTENT = (204, 205)  # say by themselves that nothing follows
_SUSPICIOUS = 0.2  # score of a sign from which on the site is probed
#: Evidence that the page alone does not give.
_ASKED_BESIDES = (SAME_ANSWER, SHOWS_FRONT, SENT_WITH_LOST)
_UNTOLD = frozenset((Turned.LISTING, Turned.SPAM))  # of which a probe says nothing
_THIN = 60  # words of main text below which it is, too
_NAME = 3  # words of a title that may be no more than the site's name
_PORT = re.compile(r":\d*\Z")
_DETAIL = 1_000  # characters
_REMEMBERED = 10  # versions that were accepted, or compared with, before


@dataclass(frozen=True, slots=True)
class Seen:
    """A page that was read, and what its site was asked besides to understand it."""

    page: Profile
    probe: Profile | None = None  # what the site shows for a page that cannot exist
    probe_url: str = ""  # where that came from, after redirects
    is_honest: bool = False  # for a page that cannot exist the site says that it is not there
    home: Profile | None = None  # the front page of the site
    target: Profile | None = None  # what stands at the address that a notice on the page gives
    asked: tuple[Outcome, ...] = ()  # what came of asking that for this page


class LinkJudge:
    """Judges links. Reads the store, writes nothing: the record does that, with the visit or by itself."""

    def __init__(
        self, links: LinkReader, settings: LinkSettings, *, model: ModelFor, looks_for_parts: bool = True
    ) -> None:
        self.links, self._settings, self._model = links, settings, model
        self._looks_for_parts = looks_for_parts
        self._grace = Grace(failures=settings.failures, days=settings.days)
        self.pages = StoredPages(links)

    def judge(
        self, resource: int, outcome: Outcome, seen: Seen | None = None, *, usage: Usage | None = None
    ) -> Checked:
        """``seen`` is what arrived if it was read already; ``usage`` takes the place of the link's own."""
        link = self.links.link(resource)
        if resource < 0:  # nobody keeps it: what follows from the check is of no use
            return self._judge_unsaved(link, outcome, seen, usage)
        last, validators = None, _validators_of(outcome)
        if isinstance(outcome, NotModified) and (newest := self._newest(link)) is not None:
            outcome, seen = self._stored(newest, outcome), Seen(self.pages.profile(newest.id))
            last = self._last_look(link, newest)
        if not isinstance(outcome, Fetched):
            return self.conclude(link, Checked(check=judge_without_page(link, outcome)))
        seen = seen or Seen(read_outcome(outcome))
        checked = self.judge_page(link, outcome, seen, usage=usage)
        if last is not None:
            checked = _as_seen_last(checked, last)
        version = None if seen.page.page.kind in UNREADABLE else version_of(outcome, seen.page)
        step = self._step(link, seen.page, usage=usage)
        if not _is_repeatable(link, checked.check, version):
            validators = validators and Validators()
        missing = self._missing_part(link, outcome)
        return self.conclude(link, checked, version=version, step=step, missing=missing, validators=validators)

    def _judge_unsaved(self, link: KeptLink, outcome: Outcome, seen: Seen | None, usage: Usage | None) -> Checked:
        if isinstance(outcome, Fetched):
            checked = self.judge_page(link, outcome, seen or Seen(read_outcome(outcome)), usage=usage)
        else:
            checked = Checked(check=judge_without_page(link, outcome))
        check = shortened(checked.check)
        return checked if check is checked.check else replace(checked, check=check)

    def judge_page(self, link: KeptLink, outcome: Fetched, seen: Seen, *, usage: Usage | None = None) -> Checked:
        """What a page that arrived means; without what follows from it."""
        page = seen.page
        title, size = link.title or page.page.title, outcome.trip.bytes or len(outcome.body)
        check = replace(answered(link, outcome.trip, CheckStatus.NEW), title=title, http=outcome.status, size=size)
        checked = self._judged(link, Checked(check=check, page=page.page), outcome, seen, usage=usage)
        # A link without a name is called like its page; never like what stands in the page's place.
        is_page = checked.check.standing in (Standing.OK, Standing.MOVED)
        return checked if is_page or link.title or not check.title else but(checked, title="")

    def _judged(self, link: KeptLink, known: Checked, outcome: Fetched, seen: Seen, *, usage: Usage | None) -> Checked:
        page, saved = seen.page, None
        if outcome.status in _NO_CONTENT:
            return redirected(known, outcome)
        if link.state.reference is not None and not link.state.is_candidate:
            saved = self.pages.profile(link.state.reference)
        if page.page.kind == "empty":
            return but(known, status=CheckStatus.MISSING, turned=Turned.EMPTY, detail="the answer is empty")
        if page.page.kind == "binary":
            changed = saved is not None and saved.page.kind != "binary"
            return but(known, status=CheckStatus.UNSUPPORTED) if changed else known
        away = sent_away(outcome.trip, lost=seen.probe_url) if outcome.trip.redirects else None
        if away is not None and away.evidence == (SENT_WITH_LOST,):
            away = called(page, away, OF_SITES)
        if away is None and seen.home is not None:
            away = like_home(page, seen.home)
        if saved is None or saved.page.kind == "binary":
            signal = away or _inspected(page_of(link.url), seen)
            return redirected(_first_seen(known, signal, seen), outcome)
        meant = usage or link.state.usage
        if away is not None or sent_elsewhere(outcome.trip):
            meant = meant.strict  # whoever is sent elsewhere has to find the page there
        verdict = self._compare(link, saved, page, usage=meant, probe=seen.probe)
        if not verdict.is_same and self._is_changing(link):
            verdict = self._compare(link, saved, page, usage=meant, probe=seen.probe, is_changing=True)
        if not verdict.is_same:
            verdict = self._as_accepted_before(link, page) or verdict
        compared = redirected(_compared(known, verdict, link.state.reference), outcome)
        if away is not None and not verdict.is_same:
            compared = but(compared, turned=away.kind, detail=_joined(*away.evidence, *verdict.reasons))
        elif not verdict.is_same and outcome.trip.redirects and (elsewhere := sent_elsewhere(outcome.trip)):
            compared = but(compared, detail=_joined(elsewhere, *verdict.reasons))
        if verdict.moved is not None:
            compared = self._mind_notice(link, compared, saved, seen, verdict.moved)
        return self._mind_rejection(link, compared, page)

    def conclude(
        self,
        link: KeptLink,
        checked: Checked,
        *,
        version: NewVersion | None = None,
        step: Verdict | None = None,
        missing: str = "",
        validators: Validators | None = None,
    ) -> Checked:
        """The same with what follows from it, to be recorded; ``missing`` is the part that the page does not have."""
        is_reference = _is_first_reference(checked)  # whether or not it has the part that the link names
        if missing and checked.check.standing in (Standing.OK, Standing.MOVED):
            checked = but(checked, status=CheckStatus.FRAGMENT_MISSING, detail=no_anchor(missing))
        drifted = _may_have_drifted(link.state, checked.check, step) and not self._was_rewritten(link)
        if drifted:
            because = "drifted: every change was small, together it is no longer the page that was accepted"
            checked = but(checked, detail=_joined(because, checked.check.detail))
        elif checked.check.status is CheckStatus.DIFFERENT and step is not None and step.is_same:
            since = self._since(link, checked.check.at)
            if since not in checked.check.detail:
                checked = but(checked, detail=_joined(checked.check.detail, since))
        check, settings = shortened(checked.check), self._settings
        probability = None if step is None else step.probability
        after = advance(link.state, check, grace=self._grace, step=probability, drifted=drifted)
        record = CheckRecord(
            resource=link.id,
            check=check,
            state=after,
            version=version,
            becomes_reference=is_reference,
            becomes_candidate=link.state.reference is None and checked.page is not None,
            keep_versions=settings.versions,
            keep_checks=settings.checks,
            event=event_of(link.id, link.url, check.title, link.state, after),
            validators=validators,
        )
        return replace(checked, check=check, record=record)

    def _missing_part(self, link: KeptLink, outcome: Fetched) -> str:
        """The part that the link names, if the page has none of that name; not where a person accepted it without."""
        part = part_of(link.url)
        if not part or not self._looks_for_parts or has_anchor(anchors_of(outcome), part):
            return ""
        if not link.state.accepted_by or link.state.reference is None:
            return part
        accepted = self._stored(self.links.version(link.state.reference), outcome)
        return part if has_anchor(anchors_of(accepted), part) else ""

    def _stored(self, version: Version, outcome: Fetched | NotModified) -> Fetched:
        """A version as if it had been the answer."""
        trip = replace(outcome.trip, headers={**outcome.trip.headers, "content-type": version.content_type})
        return Fetched(trip=trip, status=304, body=self.links.version_body(version.id))

    def _newest(self, link: KeptLink) -> Version | None:
        """What was seen last, which need not be the reference: 304 repeats it, and it is judged again."""
        return next((kept for kept in self.links.versions(link.id) if kept.origin is not Origin.ARCHIVE), None)

    def _last_look(self, link: KeptLink, newest: Version) -> Check | None:
        """The last check that brought a version; None: it is not kept, or a person has said something since."""
        last = next((check for check in self.links.link_checks(link.id) if check.version == newest.id), None)
        if last is None or last.overruled is not None:
            return None
        return last if link.state.accepted is None or link.state.accepted <= last.at else None

    def _mind_notice(self, link: KeptLink, checked: Checked, saved: Profile, seen: Seen, move: Move) -> Checked:
        """The page says that it has moved: it has if the saved content stands there, else that is a remark."""
        there = None if seen.target is None else self._compare(link, saved, seen.target)
        if there is not None and there.is_same:
            detail = f"{SAYS_SO} ({move.because}), {FOUND_THERE}"
            found = {"new_url": move.url, "turned": None, "probability": there.probability, "detail": detail}
            return but(checked, status=CheckStatus.MOVED, **found)
        return _remarked(checked, move)

    def _mind_rejection(self, link: KeptLink, checked: Checked, page: Profile) -> Checked:
        """A page closer to a version a person rejected than to the reference is not the page, whatever a model says."""
        rejected = link.state.rejected
        if rejected is None or checked.verdict is None or not checked.verdict.is_same:
            return checked
        verdict = self._compare(link, self.pages.profile(rejected), page)
        if not verdict.is_same or verdict.probability < checked.verdict.probability:
            return checked
        return but(checked, status=CheckStatus.DIFFERENT, detail="like the version that was rejected")

    def _step(self, link: KeptLink, page: Profile, *, usage: Usage | None) -> Verdict | None:
        """Against the version before, where that is not the reference itself."""
        if link.state.reference is None:
            return None
        newest = self.links.versions(link.id, limit=1)
        if not newest or newest[0].id == link.state.reference:
            return None
        meant = (usage or link.state.usage).strict
        return self._compare(link, self.pages.profile(newest[0].id), page, usage=meant)

    def _compare(
        self,
        link: KeptLink,
        old: Profile,
        new: Profile,
        *,
        usage: Usage | None = None,
        probe: Profile | None = None,
        is_changing: bool = False,
    ) -> Verdict:
        """Two versions of a link; most pages stay as they are, and for those no model is loaded."""
        if (same := same_text(old, new)) is not None:
            return same
        from afresh.links.verdicts.comparison import judge_pages  # noqa: PLC0415 (loads every measure)

        return judge_pages(
            old,
            new,
            model=self._model(link.model),
            usage=usage or link.state.usage.strict,
            probe=probe,
            is_changing=is_changing,
        )

    def _as_accepted_before(self, link: KeptLink, page: Profile) -> Verdict | None:
        """The verdict on a page that reads as a version that a person accepted, or that was the reference before."""
        checks = self.links.link_checks(link.id)
        wrong = {link.state.reference, link.state.rejected, None}
        wrong |= {check.version for check in checks if check.overruled is CheckStatus.DIFFERENT}
        accepted = (check.version for check in checks if check.overruled is CheckStatus.SIMILAR)
        known = dict.fromkeys((*accepted, *(check.against for check in checks)))
        for version in [number for number in known if number is not None and number not in wrong][:_REMEMBERED]:
            if (same := reads_like(self.pages.profile(version), page)) is not None:
                return same
        return None

    def _is_changing(self, link: KeptLink) -> bool:
        """Whether the version before was still the page although nothing of its text was left."""
        return link.state.standing is Standing.OK and self._was_rewritten(link)

    def _was_rewritten(self, link: KeptLink) -> bool:
        """Whether the version before had hardly anything of the accepted text; not of a page known to have drifted."""
        newest = self.links.versions(link.id, limit=1)
        if link.state.drifted or link.state.reference is None or not newest or newest[0].id == link.state.reference:
            return False
        from afresh.links.verdicts.nature import is_rewritten  # noqa: PLC0415 (loads every measure)

        return is_rewritten(self.pages.profile(link.state.reference), self.pages.profile(newest[0].id))

    def _since(self, link: KeptLink, now: float) -> str:
        """Since when a page that stays another one is so, from the day after on."""
        first = datetime.fromtimestamp(self.links.versions(link.id, limit=1)[0].at, UTC)
        if first.date() == datetime.fromtimestamp(now, UTC).date():
            return ""
        return f"so since {first.day} {first:%B %Y}"


def _joined(*parts: str) -> str:
    return "; ".join(filter(None, parts))


def _validators_of(outcome: Outcome) -> Validators | None:
    """What an answer gives to ask with the next time; None: it was no new one."""
    if not isinstance(outcome, Fetched):
        return None
    headers = outcome.trip.headers
    return Validators(etag=headers.get("etag", ""), last_modified=headers.get("last-modified", ""))


def _is_repeatable(link: KeptLink, check: Check, version: NewVersion | None) -> bool:
    """Whether "as it was" would tell the same of a link the next time: what was judged is what is kept.

    Of a page whose text stays, the version is kept that came first, whatever parts it has since.
    """
    if version is None:  # nobody could read it
        return not link.versions and check.status is CheckStatus.NEW
    return not part_of(link.url)


def shortened(check: Check) -> Check:
    """With no more detail than anybody reads."""
    return check if len(check.detail) <= _DETAIL else replace(check, detail=check.detail[:_DETAIL])


def wants_probe(trip: Trip, page: Profile) -> bool:
    """Whether the page looks so that the site's answer for a page that cannot exist would tell more.

    It does if it may be a "not found", or the end of its site, by its words, where there is little that is its own (a
    few words, no title, the site's title, nothing of what its address speaks of), or where one was sent to it. A site
    is asked once a week, however many of its pages look so.
    """
    address = trip.final_url
    if page.page.kind in UNREADABLE:
        return False
    if is_front(
        address
    ):  # may speak of maintenance, as the site of a garage does; a site that is down is down everywhere
        return any(s.kind is Turned.MAINTENANCE and s.score >= CERTAIN for s in page_signals(page))
    if view_of(page).prose < _THIN or _has_sites_title(address, page) or (trip.redirects and is_detour(trip)):
        return True
    return is_misnamed(address, page) or is_suspicious(page)


def is_suspicious(page: Profile) -> bool:
    """Whether the words of a page may say that it is none, so that what else its site shows has to be known."""
    return any(sign.score >= _SUSPICIOUS and sign.kind not in _UNTOLD for sign in page_signals(page))


def wants_home(trip: Trip, seen: Seen) -> bool:
    """Whether a page that the probe was wanted for may be the front page, which the probe did not show it to be.

    Also where it showed a few words that stand at every address: whether at that of the front page, too.
    """
    if not names_a_page(trip.final_url) or is_shell(seen.page):
        return False
    told = None if seen.probe is None else like_probe(seen.page, seen.probe)
    return told is None or (told.evidence == (SAME_ANSWER,) and is_little(seen.page))


def wants_target(page: Profile) -> str:
    """The address a notice on the page gives, if it can be looked at; else empty."""
    move = None if page.page.kind in UNREADABLE else moved_notice(page)
    return move.url if move is not None and move.url.startswith(("http://", "https://")) else ""


def _inspected(asked: str, seen: Seen) -> Signal | None:
    """What a page is at first sight, if it is not what was asked for."""
    signal = inspect_page(seen.page, probe=seen.probe, is_honest=seen.is_honest, home=seen.home)
    return None if signal is None or is_asked_for(asked, signal.kind) else signal


def _has_sites_title(address: str, page: Profile) -> bool:
    """Whether the title is none of the page's own: there is none, or the host's name, or it is the front page's."""
    if page.page.canonical and is_front(page.page.canonical):
        return True
    words = page.title_words
    if not words or len(words) > _NAME:
        return not words
    host = _PORT.sub("", host_of(address)).removeprefix("www.")
    return all(word in host for word in words)


def _first_seen(known: Checked, signal: Signal | None, seen: Seen) -> Checked:
    move = moved_notice(seen.page)
    if move is not None and _is_followed(known.check.url, signal, move, seen):
        return but(known, status=CheckStatus.MOVED, new_url=move.url, detail=f"{SAYS_SO} ({move.because})")
    if signal is not None:
        known = but(known, status=CheckStatus.DIFFERENT, turned=signal.kind, detail="; ".join(signal.evidence))
    return known if move is None else _remarked(known, move)


def _is_followed(asked: str, signal: Signal | None, move: Move, seen: Seen) -> bool:
    """What every browser follows by itself is a redirect, if it leads to a page.

    Who has nothing to say but where to go must mean one page: neither the front page, nor where all are sent.
    """
    if move.because != "meta refresh" or not _is_well(seen.target):
        return False
    if signal is None:
        return True
    if signal.kind is not Turned.EMPTY and not (signal.kind is Turned.SOFT_404 and says_that_it_moved(seen.page)):
        return False
    everywhere = None if seen.probe is None else moved_notice(seen.probe)
    return (is_front(asked) or not is_front(move.url)) and (everywhere is None or everywhere.url != move.url)


def _is_well(page: Profile | None) -> bool:
    return page is not None and page.page.kind not in UNREADABLE and inspect_page(page) is None


def _as_seen_last(checked: Checked, last: Check) -> Checked:
    """A page that is as it was: with what the site was asked at the last look, which nobody asks again.

    That is where the page went, as it said itself or as was found, and that the site gives it for other addresses too.
    """
    check = checked.check
    if check.final_url != last.final_url or is_redirected(check) or is_redirected(last):
        return checked
    if last.detail.startswith(SAYS_SO) or any(told in last.detail for told in _ASKED_BESIDES):
        said = {name: getattr(last, name) for name in ("status", "turned", "probability", "new_url", "detail")}
        return but(checked, **said)
    return checked if check.standing is Standing.OK or check.new_url else but(checked, new_url=last.new_url)


def _remarked(checked: Checked, move: Move) -> Checked:
    """With the notice as a remark: what a page says of itself proves nothing."""
    remark = f"says that it has moved to {move.url} ({move.because})"
    return but(checked, detail=_joined(checked.check.detail, remark))


def _compared(known: Checked, verdict: Verdict, reference: int | None) -> Checked:
    turned = None if verdict.turned is None else verdict.turned.kind
    check = replace(
        known.check,
        status=verdict.status,
        detail="; ".join(verdict.reasons),
        turned=turned,
        probability=verdict.probability,
        against=reference,
    )
    return replace(known, check=check, verdict=verdict)


def _may_have_drifted(state: LinkState, check: Check, step: Verdict | None) -> bool:
    """Different from the reference, though like the version before, which was still well (or had drifted)."""
    if check.status is not CheckStatus.DIFFERENT or check.turned is not None or step is None or not step.is_same:
        return False
    return state.drifted or state.standing is Standing.OK


def _is_mere_notice(page: Profile) -> bool:
    move = moved_notice(page)
    return move is not None and move.confidence > FRAMED


def _is_first_reference(checked: Checked) -> bool:
    """A page that is well, or well at its new address; a parked page, or a mere notice, is a candidate at most."""
    check = checked.check
    if check.turned is not None or (checked.page is not None and _is_mere_notice(Profile(checked.page))):
        return False
    return check.status is CheckStatus.NEW or is_redirected(check)
