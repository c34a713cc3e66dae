"""Feeds: rules that say when to visit, the stream of entries, discovery, query feeds."""
