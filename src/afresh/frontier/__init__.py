"""The frontier's use cases: fetchers register, ask for lists, report; operators import URLs and change settings."""
