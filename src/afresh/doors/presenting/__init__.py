"""The one form in which a noun is shown, made here for every door: `--json`, REST and the pages' JSON twins.

Times are ISO 8601 in UTC, durations are seconds, null means "not known" or "never". The frozen dataclasses are also
what the OpenAPI document describes. No framework is loaded for them: the command line starts without one.
"""
