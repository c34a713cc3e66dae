"""The frontier's test system: an example database, simulated fetchers, an executor; in virtual time or over HTTP."""
