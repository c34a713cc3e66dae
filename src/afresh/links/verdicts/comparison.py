"""Two versions of a page compared by a model: equal, similar, different; what it turned into; and why we think so."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from afresh.base.records.links import CheckStatus, Turned, Usage
from afresh.links.measures.catalogue import compare_pages, measure
from afresh.links.measures.profile import Profile
from afresh.links.measures.sets import jaccard
from afresh.links.measures.shingles import common_shingles, shingle_overlap
from afresh.links.measures.url import is_usual
from afresh.links.verdicts.emptied import emptied
from afresh.links.verdicts.model import EXTRA, VerdictModel
from afresh.links.verdicts.nature import is_refreshed, is_sister, is_there
from afresh.links.verdicts.signals import CERTAIN, Signal, page_signals, unturned
from afresh.links.verdicts.without_model import (
    LIKELY,
    SAME_ANSWER,
    Verdict,
    is_little,
    like_probe,
    moved_since,
    same_text,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Influence:
    """What one measure said and how far it moved the decision; above 0: towards "same"."""

    measure: str
    value: float
    influence: float


#: An attributive reader wants at least this part of the old main text to be there, or the new one to be part of it.
KEPT = 0.5
#: What no word on the page says.
_UNSAID = frozenset((Turned.TAKEN_OVER, Turned.STAND_IN))
_REFRESHED = 0.75  # P(same) where content changes by nature
_OTHER = "it looks like another page, not like new content of this one"
_TOLD = 3  # signs that a reason names: more of them say the same


def pair_values(old: Profile, new: Profile, names: tuple[str, ...]) -> NDArray[np.float64]:
    """The vector a model asks for; "unturned" is no measure of likeness but the absence of new signs."""
    if not set(EXTRA) & set(names):
        return compare_pages(old, new, names)
    return np.array([unturned(old, new) if n in EXTRA else measure(n).compare(old, new) for n in names], np.float64)


def judge_pages(
    old: Profile,
    new: Profile,
    *,
    model: VerdictModel,
    usage: Usage = Usage.REFERENTIAL,
    probe: Profile | None = None,
    is_changing: bool = False,
) -> Verdict:
    """Compare two versions; ``probe`` is the site's answer for an address that cannot exist, if it was asked for.

    ``is_changing``: the page's history says that its content changes while it stays the page.
    """
    if (same := same_text(old, new)) is not None:
        return same
    values = pair_values(old, new, model.measures)
    probability = float(model.probabilities(values[None, :])[0])
    named = dict(zip(model.measures, values.tolist(), strict=True))
    turned = _turned(old, new, probability, probe)
    reasons = []
    if turned is not None and SAME_ANSWER in turned.evidence:
        probability = min(probability, 1.0 - turned.score)
    elif turned is None or turned.kind in _UNSAID or turned.score < CERTAIN:
        probability, told = _by_nature(old, new, probability, model, is_changing=is_changing)
        turned = None if told and probability >= model.threshold else turned
        reasons += told
    if probability >= model.threshold and (gone := emptied(old, new)) is not None:
        probability, turned, reasons = _below(model), gone.sign, [gone.reason]
    status = _status(probability, model)
    if usage is Usage.ATTRIBUTIVE and status is not CheckStatus.DIFFERENT:
        kept = shingle_overlap(old.main_shingles, new.main_shingles)
        if kept < KEPT:
            status = CheckStatus.DIFFERENT
            reasons.append(f"only {kept:.0%} of the main text is kept")
    if usage is Usage.CHANGING and status is CheckStatus.DIFFERENT and not _is_end(turned):
        status, probability, turned = CheckStatus.SIMILAR, max(_REFRESHED, model.threshold), None
        reasons = ["its content changes by nature: only its end is told"]
    if turned is not None and status is CheckStatus.DIFFERENT:
        reasons.append(f"looks like {turned.kind.value.replace('_', ' ')}: {'; '.join(turned.evidence[:_TOLD])}")
    if status is CheckStatus.DIFFERENT and not reasons:
        reasons.append(_what_is_left(old, new))
    return Verdict(
        status=status,
        probability=probability,
        turned=turned if status is CheckStatus.DIFFERENT else None,
        moved=moved_since(old, new),
        values=named,
        reasons=tuple(reasons),
    )


def _is_end(turned: Signal | None) -> bool:
    """Whether a page that may say anything is one no more."""
    return turned is not None and (turned.kind in _UNSAID or turned.score >= CERTAIN)


def _below(model: VerdictModel) -> float:
    """P(same) where a rule says that a model is wrong about a page that it takes for the same."""
    return min(1.0 - _REFRESHED, max(0.0, model.threshold - 0.01))


def _what_is_left(old: Profile, new: Profile) -> str:
    """Why a page is another one, where it has not turned into anything that has a name."""
    if not len(old.main_shingles):
        return f"{_OTHER}: its text is a different one"
    left = common_shingles(old.main_shingles, new.main_shingles) / len(old.main_shingles)
    if left < KEPT:
        return f"{_OTHER}: {left:.0%} of the text that was saved is left"
    by = "links and frame" if old.title_words == new.title_words else "title, links and frame"
    return f"it is another page by its {by}, though {left:.0%} of the saved text is there"


def _by_nature(
    old: Profile, new: Profile, probability: float, model: VerdictModel, *, is_changing: bool
) -> tuple[float, list[str]]:
    """The probability where the model is wrong: pages that change by nature or only gained, sisters; and why."""
    if probability < model.threshold and is_refreshed(old, new, is_changing=is_changing):
        return max(_REFRESHED, model.threshold), ["its content changes by nature: title and frame are the same"]
    if probability < model.threshold and is_there(old, new):
        return max(_REFRESHED, model.threshold), ["all that was saved is there, under the same title"]
    if probability >= model.threshold and is_sister(old, new):
        return _below(model), ["another page of the site: only title and frame are the same"]
    return probability, []


def explain(verdict: Verdict, model: VerdictModel, *, limit: int = 6) -> tuple[Influence, ...]:
    """The measures that decided, the most influential first; none where the texts were identical."""
    if not verdict.values:
        return ()
    values = np.array([verdict.values[name] for name in model.measures], np.float64)
    told = [
        Influence(measure=name, value=float(value), influence=float(influence))
        for name, value, influence in zip(model.measures, values, model.influences(values), strict=True)
    ]
    return tuple(sorted(told, key=lambda item: -abs(item.influence))[:limit])


def _status(probability: float, model: VerdictModel) -> CheckStatus:
    if probability < model.threshold:
        return CheckStatus.DIFFERENT
    return CheckStatus.EQUAL if probability >= model.equal_from else CheckStatus.SIMILAR


def _turned(old: Profile, new: Profile, probability: float, probe: Profile | None) -> Signal | None:
    """The surest sign that is new; a page without a sign that shares nothing with the old one was taken over."""
    if probe is not None and not like_probe(old, probe) and (signal := like_probe(new, probe)):
        return signal
    before = {signal.kind: signal.score for signal in page_signals(old)} if page_signals(new) else {}
    signs = [signal for signal in page_signals(new) if before.get(signal.kind, 0.0) < signal.score - 0.2]
    # Where the comparison has found another page already, a weaker sign is enough to name it.
    sure = [signal for signal in signs if signal.score >= (LIKELY if probability < 0.5 else CERTAIN)]
    if sure and sure[0].kind is not Turned.SPAM:
        return sure[0]
    if probability < 0.1 and not _shares_site(old, new):
        spam = [f"{signal.kind.value}: {e}" for signal in sure for e in signal.evidence]
        evidence = ("neither links nor title nor text of the old page are left", *spam)
        # Who takes a page over has something to say; a few words may stand there for an hour.
        kind = Turned.STAND_IN if is_little(new) and not spam else Turned.TAKEN_OVER
        return Signal(kind=kind, score=1.0 - probability, evidence=evidence)
    return sure[0] if sure else None


def _shares_site(old: Profile, new: Profile) -> bool:
    """Whether anything of the old page's site is left: links, title words, prose.

    Links that a stranger's site has as well say nothing where there were others, else they would name some of its
    pages otherwise than the rest.
    """
    if own := _own_links(old):
        likeness = jaccard(own, _own_links(new))
    else:
        likeness = jaccard(old.link_urls, new.link_urls) if old.link_urls else 0.0
    if likeness > 0.1:
        return True
    return measure("title").compare(old, new) > 0.6 or shingle_overlap(old.main_shingles, new.main_shingles) > 0.1


def _own_links(page: Profile) -> frozenset[str]:
    return frozenset(url for url in page.link_urls if not is_usual(url))
