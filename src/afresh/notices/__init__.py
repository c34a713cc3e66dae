"""Notices: the outbox, who is told and how, and push from hubs."""
