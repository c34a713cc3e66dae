"""afresh: a fresh picture of the web for the fewest requests."""

__version__ = "0.1.0"
