"""The composition root: chooses and connects store, fetcher and use cases."""
