"""Notices: what shall be told to whom, and the outbox it waits in."""
