"""Which tables of the daemon's store are divided among servers, and how."""

from afresh.store.postgres.citus import Layout
from afresh.store.sql.moving import CARRIED


def layout(schema: str) -> Layout:
    """The tables of a store. What is not named here is small, and stays with the coordinator."""
    return Layout(
        schema,
        divided=("site", "resource", "signal", *CARRIED),
        copied=("label",),  # whoever forgets versions looks whether a label speaks of them
        functions=(
            *("max(float8, float8)", "min(float8, float8)", "instr(text, text)", "has_tag(text, text)"),
            "wanted(float8, boolean, float8)",
        ),
    )
