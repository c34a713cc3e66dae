"""What is damaged in a store, in words."""

from afresh.base.records.damage import Damaged


def damage_line(item: Damaged) -> str:
    """One line: which row, and what is wrong with it."""
    wrong = ", ".join(f"{name} {why}" for name, why in item.columns.items())
    row = item.name if item.table == "tally" else f"{item.table} {item.id} ({item.name})"
    advice = "" if item.can_be_mended else "; it cannot be mended"
    return f"{row}: {wrong}{advice}"
