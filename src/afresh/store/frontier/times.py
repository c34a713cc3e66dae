"""Times that a wrong clock wrote, brought to where they would be."""

from collections.abc import Mapping

from afresh.base.settings.sections import Hygiene
from afresh.base.timekeeping import SKEW, SeenTimes, TimeBounds
from afresh.store.frontier.session import Row, Session
from afresh.store.frontier.store_part import Concern, reading, writing
from afresh.store.frontier.visits import RULES_LAST


class Times(Concern):
    """Looks for them and pulls them back."""

    @reading
    def seen_times(self, session: Session) -> SeenTimes:
        *done, registered, discovered = session.rows("latest_done")[0]
        ready = [row for _, crawl in session.rows("crawls") for row in session.rows("latest_ready", {"crawl": crawl})]
        return SeenTimes(
            visited=max((time for time in done if time is not None), default=None),
            added=max((time for time in (registered, discovered) if time is not None), default=None),
            due=None,
            ready=max((time for (time,) in ready if time is not None), default=None),
        )

    @writing
    def pull_back(self, session: Session, *, now: float, bounds: TimeBounds) -> int:
        late = now + SKEW
        given = {"now": now, "late": late, "far": late + bounds.longest, "longest": bounds.interval}
        retries = {"retry": self._hygiene.retry, "longest_retry": self._hygiene.longest_retry, "rules": RULES_LAST}
        retries["second_look"] = self._hygiene.second_look
        visits = session.rows("visited_ahead", given)
        touched = {site for site, *_ in visits}
        last: dict[int, float] = dict(session.rows("leased_ahead", given))
        for site, visited, _ in visits:
            last[site] = max(visited, last.get(site, 0.0))
        pauses = [
            (rest, row[0])
            for row in session.rows("paused", given)
            if (rest := _shortened(row, last, now, bounds, self._hygiene)) is not None
        ]
        session.run("pull_back_visits", given)
        touched |= {site for (site,) in session.rows("pull_back_retries", given | retries)}
        touched |= {site for (site,) in session.rows("pull_back_due", given)}
        session.run("pull_back_big_pages")
        touched |= {site for (site,) in session.rows("pull_back_leases", given | {"lease": bounds.lease})}
        session.run("pull_back_locks", given | {"lease": bounds.lease})
        touched |= {site for (site,) in session.rows("pull_back_servings", given | {"lease": bounds.lease})}
        touched |= {site for (site,) in session.rows("pull_back_blocks", given)}
        session.run_many("pull_back_pauses", pauses)
        touched |= {site for _, site in pauses}
        session.run_many("pull_back_sums", [(ahead, site) for site, _, ahead in visits])
        counts = dict.fromkeys(("visits", "first_visits", "well", "failed", "left_out"), 0)
        less = sum(ahead for *_, ahead in visits)
        session.run("count_visits", counts | {"sum_visited": -less, "part": session.part})
        session.run_many("queue_anew", [(site,) for site in sorted(touched)])
        for name in ("discovered", "discovered_sites", "receipts", "fetchers", "failures"):
            session.run(f"pull_back_{name}", given)
        return len(touched)


def _shortened(
    paused: Row, last: Mapping[int, float], now: float, bounds: TimeBounds, hygiene: Hygiene
) -> float | None:
    """When a site is asked again whose pause a wrong clock wrote; None: that it did is not to be seen.

    What is left of a pause is counted from the last request where that lies ahead. Where nobody knows when that was, a
    site that fails may have asked for a pause.
    """
    site, until, stated, errors, slow = paused
    delay = bounds.delay if stated is None else stated
    if site in last:
        return float(now + max(delay, min(bounds.pause, until - last[site])))
    if until <= now + SKEW + bounds.pause:
        return None
    return float(now + max(delay, hygiene.site_pause(errors, slow), hygiene.longest_delay if errors else 0.0))
