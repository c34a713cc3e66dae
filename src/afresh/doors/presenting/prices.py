"""The price of a visit: what it is, whose it is, and since when."""

from dataclasses import dataclass
from typing import Annotated

from afresh.base.plain_numbers import amount, must_save
from afresh.base.records.explained import PriceOrigin, PriceSource
from afresh.doors.presenting.fields import About, Time
from afresh.doors.presenting.showing import shown
from afresh.doors.presenting.times import iso, plain

_WORDS = {
    PriceSource.SETTING: "the setting {name}",
    PriceSource.RULE: "its own rule, {name}",
    PriceSource.BUDGET: "the controller of the budget of {name}",
    PriceSource.TARGET: "the controller of {name}",
    PriceSource.SITE: "its site {name}, which bears no more visits at the price of all",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceView:
    """What a visit costs, and who says so."""

    price: Annotated[float, About("What one visit costs, in seconds that one entry waits.")]
    weight: Annotated[float, About("Of the resource: waiting for it counts so many times.")]
    source: Annotated[PriceSource, About("setting, rule, budget, target or site.", "budget")]
    name: Annotated[str, About("Which setting, rule, budget, target or site.", "600 requests an hour")]
    since: Annotated[Time | None, About("When the budget began to be held; null: not known, or there is none.")]
    words: Annotated[str, About("The same as a sentence.")]


def view_price(origin: PriceOrigin | None) -> PriceView | None:
    """None: no price has a say in when the resource is visited."""
    if origin is None:
        return None
    source = _WORDS[origin.source].format(name=origin.name)
    begun = f", since {plain(iso(origin.since))} UTC" if origin.since is not None else ""
    times = "" if origin.weight == 1 else f", where waiting for it counts {amount(origin.weight)} times"
    moved = "; it was another when this visit was planned, which may therefore come sooner" if origin.has_moved else ""
    words = f"{must_save(origin.price)}{times}, says {source}{begun}{moved}"
    return shown(PriceView, origin, words=words)
