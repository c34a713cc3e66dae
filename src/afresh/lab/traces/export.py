"""A trace made fit for others: the files and a README that says what is in them and what to beware of."""

from datetime import UTC, datetime
from pathlib import Path

from afresh.lab.replay.trace import Trace
from afresh.lab.traces.describe import Description, as_text, describe
from afresh.lab.traces.write import write_trace

MEANINGS = {
    "feed_id": "number of the feed in all files",
    "window": "entries the feed shows at a time; older ones are gone",
    "class": "update pattern",
    "ttl": "seconds the feed asks to be left alone; empty: none",
    "size": "bytes of a document",
    "header": "bytes of an answer without news (304)",
    "conditional": "1: the server answers 304 when nothing is new",
    "misses": "potential gaps: consecutive windows without a common entry",
    "failed": "visits without an answer that could be read",
    "rate_per_day": "entries a day",
    "complete_from": "Unix seconds: nothing is missing from then on; older entries only fill the first windows",
    "url": "address",
    "host": "site",
    "has_dates": "1: entries carry usable dates; otherwise times are those of the polls that found them",
    "has_ids": "1: entries carry ids",
    "has_cloud": "1: the feed names a server that tells of news (RSS cloud)",
    "has_hub": "1: the feed names a hub that tells of news (WebSub)",
    "has_skip_hours": "1: the feed names hours in which it asks not to be visited",
    "has_skip_days": "1: the feed names days on which it asks not to be visited",
    "format": "format of the document",
    "repo": "folder of the repository",
    "stream": "commits: commits of HEAD by committer date; releases: tags by tagger date",
    "file": "file the feed was read from",
    "corrected": "entries whose publication time could not be right and was replaced",
}
#: of a column that came with a trace of others
_FOREIGN = "as in the trace this one was made from"


def export_trace(trace: Trace, folder: str | Path, *, source: str = "", licence: str = "") -> Path:
    """Writes the trace with a README: provenance, columns, statistics, quality, caveats.  [R12] §3.1, §3.6."""
    return write_trace(trace, folder, readme=readme_of(trace, describe(trace), source=source, licence=licence))


def readme_of(trace: Trace, d: Description, *, source: str = "", licence: str = "") -> str:
    """The README of an exported trace."""
    columns = "\n".join(
        f"| {name} | {MEANINGS.get(name, _FOREIGN)} |" for name in ("feed_id", "window", *trace.columns)
    )
    polls = "- `polls.csv.gz`: `feed_id,timestamp,window,bytes`, the polls of the recording\n"
    return f"""# {trace.name}

{source or "Recorded publication times of feeds."}
{f"Licence: {licence}." if licence else ""}

{d.feeds:,} feeds, {d.entries:,} entries, {_day(d.start)} to {_day(d.end)}.

## Files

- `feeds.csv`: one row a feed
- `entries.csv.gz`: `feed_id,timestamp`, seconds since 1970 UTC, ascending within a feed; equal times are genuine
{polls if trace.polls is not None else ""}
| Column of feeds.csv | Meaning |
|---|---|
{columns}

## Statistics

```
{as_text(d)}```

## Complete?

{_completeness(d)}
"""


def _day(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).date().isoformat()


def _completeness(d: Description) -> str:
    if not d.quality.source:
        return "Nothing in this trace tells whether entries are missing."
    steps = ", ".join(f"{share:.1%} at most {n}" for n, share in d.quality.cumulative.items())
    return f"Potential gaps per feed: {steps}. A gap stands for zero or more lost entries."
