"""What is damaged in a store."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Damaged:
    """A row of a table that cannot be read as it is; by the name of each damaged column what is wrong with it."""

    table: str
    id: int
    name: str  # what a person knows it by: the URL of a resource
    columns: Mapping[str, str]
    can_be_mended: bool = True  # False: what is lost cannot be replaced by anything; it is better removed
