"""Contracts of a store are checked on every store there is: a test that takes ``opener`` runs once for each."""

from tests.fakes.stores import opener

__all__ = ["opener"]
