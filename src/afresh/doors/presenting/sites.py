"""Sites: the units of politeness."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from afresh.base.models import Site
from afresh.doors.presenting.fields import About, Time
from afresh.doors.presenting.lists import NamedPage, named_page_of
from afresh.doors.presenting.showing import following, shown
from afresh.doors.presenting.times import finite


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteView:
    """One site: the unit of politeness."""

    name: Annotated[str, About("", "example.org")]
    delay: Annotated[float | None, About("Seconds between requests; null: the default.")]
    next_allowed: Annotated[str | None, About("No request before this.")]
    retry_after: Annotated[str | None, About("Until when the server asked us to stay away.")]
    ready: Annotated[str | None, About("When its next request may and should be made.")]
    resources: int
    requests: Annotated[
        int,
        About("Visits, and requests that visits of other sites led here; redirects within and robots.txt are parts."),
    ]
    failures: Annotated[int, About("In a row, over all its resources.")]
    leased_by: Annotated[str, About("The fetcher that has it; empty: none.")]
    leased_until: Time | None
    crawl_delay: Annotated[float | None, About("Seconds between requests its robots.txt asks for.")]
    price: Annotated[float, About("Of its own, where its politeness binds; 0: it does not.")]
    visits_per_hour: Annotated[float, About("Planned for its pages together.")]
    answer: Annotated[float, About("Seconds an answer takes, smoothed; 0: not known.")]


SitePage = named_page_of(SiteView, "SitePage", "Sites, ascending by name.")


def view_site(site: Site) -> SiteView:
    return shown(
        SiteView,
        site,
        site.state,
        price=finite(site.state.price) or 0.0,
        visits_per_hour=3600.0 * site.state.frequency,
    )


def site_page(found: Sequence[Site], limit: int) -> NamedPage[SiteView]:
    return SitePage(items=tuple(view_site(site) for site in found), next=following(found, limit, "name"))
