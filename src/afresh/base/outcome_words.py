"""What became of a request that brought no document, for people."""

from afresh.base.models import Failed, Fetched, NotModified, Outcome, Rejected


def outcome_words(outcome: Outcome) -> str:
    """An outcome without a document, in a few words."""
    match outcome:
        case Rejected(status=status) | Fetched(status=status):
            return f"HTTP {status}"
        case Failed():
            return str(outcome)
        case NotModified():
            return "HTTP 304"
