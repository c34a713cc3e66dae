"""The breaks: one line of code each, as a tired person might write it, and the test that is there to notice."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Break:
    """``right`` occurs once in the module and is replaced by ``wrong``; ``caught_by`` must then fail."""

    module: str  # below src/afresh
    right: str
    wrong: str
    caught_by: str  # below tests


_GATE, _PRICE, _VISIT = "unit/engine/test_gate.py::", "unit/engine/test_price.py::", "unit/engine/test_visit.py::"
_STREAM, _PACING, _GUARD = "unit/feeds/test_stream.py::", "unit/base/test_politeness.py::", "unit/http/test_guard.py::"
_LINKS, _PAGES, _CENSUS = "unit/links/test_workflow.py::", "unit/pages/test_turns.py::", "unit/engine/test_demand.py::"
_CHANGES, _WATCHING = "unit/pages/changes/", "unit/pages/test_watching.py::"
_DIFFERENCE = "unit/base/test_difference.py::"

BREAKS = (
    # politeness
    Break(
        "engine/site_turns.py",
        "return self._clock.now() + max(manners.delay, pause)",
        "return self._clock.now() + min(manners.delay, pause)",
        _GATE + "test_a_hop_within_the_site_keeps_the_pause",
    ),
    Break(
        "engine/site_turns.py",
        "self.crawl_delay = delay = rules.delay or 0.0",
        "self.crawl_delay = delay = 0.0",
        _GATE + "test_the_pause_is_the_longest_that_anybody_asks_for",
    ),
    Break(
        "engine/site_turns.py",
        "site.failures = site.failures + 1 if is_sites_trouble(outcome) else 0",
        "site.failures = 0",
        _GATE + "test_trouble_backs_off_and_is_forgiven",
    ),
    Break(
        "engine/site_turns.py",
        "        if time > limit or not self.is_patient:",
        "        if not self.is_patient:",
        _GATE + "test_a_retry_after_that_is_too_long_to_wait_for_is_no_request",
    ),
    Break(
        "base/politeness.py",
        "doubled = base * 2.0 ** min(failures - 1, 60)",
        "doubled = base * 2.0 ** min(1 - failures, 60)",
        _PACING + "test_backoff_settles_at_one_try_a_day",
    ),
    Break(
        "base/politeness.py",
        "* (0.75 + 0.5 * u)",
        "* 1.0",
        _PACING + "test_backoff_spreads",
    ),
    Break(
        "http/guard.py",
        "return not any(address in block for block in _REFUSED_V4)",
        "return True",
        _GUARD + "test_addresses_that_are_not_public_are_refused",
    ),
    # budget and price
    Break(
        "engine/price.py",
        "gained = max(0.0, now - self.at) * self.rate",
        "gained = abs(now - self.at) * self.rate",
        _PRICE + "test_a_clock_that_goes_back_gives_nothing",
    ),
    Break(
        "engine/price.py",
        "tokens=min(self.size, self.tokens + gained)",
        "tokens=self.tokens + gained",
        _PRICE + "test_no_more_than_the_rate_and_one_bucket_ever_passes",
    ),
    Break(
        "engine/price.py",
        "share = min(2.0, max(0.5, 1.0 + saved / max(1e-9, planned)))",
        "share = min(2.0, max(0.5, 1.0 - saved / max(1e-9, planned)))",
        _PRICE + "test_the_price_rises_with_debts_and_keeps_a_part",
    ),
    Break(
        "engine/running_figures.py",
        "return math.inf if self.free <= 0 else (room / self.free) ** 2",
        "return math.inf if self.free <= 0 else room / self.free",
        _PRICE + "test_a_mean_that_goes_with_the_root_of_the_price_tells_the_price",
    ),
    # what an outcome means
    Break(
        "engine/outcomes.py",
        "    if status == 410:\n",
        "    if status == 404:\n",
        _VISIT + "test_gone_stops",
    ),
    Break(
        "engine/outcomes.py",
        "return Validators(etag=etag or old.etag, last_modified=last_modified or old.last_modified)",
        "return Validators(etag=etag, last_modified=last_modified)",
        _VISIT + "test_a_304_keeps_validators_or_renews_them",
    ),
    Break(
        "engine/outcomes.py",
        "wait, words = max(asked, bounds.shortest), ",
        "wait, words = bounds.shortest, ",
        _VISIT + "test_a_feed_is_not_due_before_its_server_wants_to_be_asked",
    ),
    Break(
        "engine/outcomes.py",
        "moving.days >= settings.redirect_days",
        "moving.days > settings.redirect_days",
        _VISIT + "test_a_permanent_redirect_is_followed_at_once_but_trusted_on_the_third_day",
    ),
    Break(
        "engine/outcomes.py",
        "        if not hop.is_permanent:\n            break\n",
        "",
        _VISIT + "test_a_temporary_redirect_never_changes_the_url",
    ),
    # entries: new, known, missed
    Break(
        "feeds/stream.py",
        "        before = uid if uid in seen else named.get(marks[uid])",
        "        before = uid if uid in seen else None",
        "unit/feeds/test_stream.py::test_an_entry_with_the_id_of_a_known_one_is_that_entry_revised",
    ),
    Break(
        "feeds/stream.py",
        "missed = bool(known.uids) and len(new) == len(unique)",
        "missed = bool(known.uids) and len(new) > 0",
        _STREAM + "test_overlapping_windows_show_the_new_and_no_miss",
    ),
    Break(
        "feeds/stream.py",
        "key = entry.title + entry.link + entry.native_id",
        "key = entry.link + entry.native_id",
        _STREAM + "test_identity_ignores_dates_and_texts_but_not_titles",
    ),
    Break(
        "feeds/stream.py",
        "    if shifted > now:\n        return now",
        "    if shifted > now:\n        return shifted",
        _STREAM + "test_times_that_cannot_be_true_become_the_poll_time",
    ),
    Break(
        "feeds/stream.py",
        "        return Comparison((), (), known, missed=False, request_time_dates=False)",
        "        return Comparison((), (), Window(), missed=False, request_time_dates=False)",
        _STREAM + "test_an_empty_document_changes_nothing",
    ),
    # rules, pages, links
    Break(
        "feeds/rules/mavsync.py",
        "sync = newest + (newest - oldest) / (n - 1) + params[3]",
        "sync = newest + (newest - oldest) / n + params[3]",
        "unit/feeds/rules/test_worked_examples.py",
    ),
    Break(
        "links/workflow.py",
        "if state.failures >= failures and state.failing_days >= days:",
        "if state.failures >= failures or state.failing_days >= days:",
        _LINKS + "test_a_server_is_dead_after_several_failures_on_several_days",
    ),
    Break(
        "links/workflow.py",
        "return Standing.BROKEN if state.standing is Standing.BROKEN else Standing.SUSPECT",
        "return Standing.SUSPECT",
        _LINKS + "test_broken_stays_broken_while_it_goes_on_failing",
    ),
    Break(
        "pages/turns.py",
        "frequency = 1.0 / page.wait if 0.0 < page.wait < math.inf else 0.0",
        "frequency = page.wait if 0.0 < page.wait < math.inf else 0.0",
        "unit/pages/test_turns.py",
    ),
    # what changed on pages
    Break(
        "base/difference.py",
        "gone[-1] == come[-1] and come[-1].isspace()",
        "gone[-1].isspace() and come[-1].isspace()",
        _DIFFERENCE + "test_words_put_together_are_both_forms",
    ),
    Break(
        "base/difference.py",
        "moved = gone & come",
        "moved = gone | come",
        _DIFFERENCE + "test_rows_put_together_are_both_versions",
    ),
    Break(
        "pages/changes/meaningless.py",
        "return sorted((number, month)) == sorted((day.day, day.month))",
        "return {day.day, day.month} <= {number, month}",
        _CHANGES + "test_meaningless.py::test_what_counts",
    ),
    Break(
        "pages/changes/always_changing.py",
        "if share >= _COUNTS and _counts_up(part):",
        "if share >= _COUNTS:",
        _CHANGES + "test_always_changing.py::test_a_price_that_rises_is_no_counter",
    ),
    Break(
        "pages/changes/deciding.py",
        "counts = counts and _words(wanted) >= watch.at_least and _has_words(told, lines, watch)",
        "counts = counts and _words(wanted) >= watch.at_least",
        _CHANGES + "test_deciding.py::test_words_that_are_waited_for",
    ),
    Break(
        "pages/watching.py",
        "told=shown.lines if change.counts or watch.appears or watch.vanishes else known.told,",
        "told=shown.lines if change.counts else known.told,",
        _WATCHING + "test_a_word_that_is_waited_for_is_told_whenever_it_comes",
    ),
    Break(
        "pages/watching.py",
        'entries = () if known.remark else (_entry(answer, odd, "", "remark"),)',
        'entries = (_entry(answer, odd, "", "remark"),)',
        _WATCHING + "test_a_remark_is_told_once_and_again_when_it_is_over",
    ),
    Break(
        "pages/watching.py",
        "if known is None or not known.told:  # nothing of it was seen yet",
        "if known is None:",
        _WATCHING + "test_a_first_visit_that_shows_nothing_is_no_baseline",
    ),
    Break(
        "pages/kind.py",
        "finding.page.look_soon and bounds.shortest <= self.watching.soon",
        "finding.page.look_soon",
        _WATCHING + "test_no_look_sooner_than_its_owner_allows",
    ),
    Break(
        "store/sql/labels.py",
        'ids = {row["base_id"] for row in dropped if row["base_id"] is not None}',
        "ids = set[int]()",
        "contract/test_store_watches.py",
    ),
)
