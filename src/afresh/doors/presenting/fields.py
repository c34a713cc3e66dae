"""What is said about a field beside its type."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any


@dataclass(frozen=True, slots=True)
class About:
    """Description and examples of a field, for the OpenAPI document; pydantic asks for them, nothing else is loaded."""

    description: str
    example: Any = None

    def __get_pydantic_json_schema__(self, schema: Any, handler: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        told = {"description": self.description, "examples": None if self.example is None else [self.example]}
        return {**handler(schema), **{name: value for name, value in told.items() if value}}


Time = Annotated[str, About("ISO 8601, UTC.", "2026-01-31T12:00:00.000Z")]
Seconds = Annotated[float, About("Seconds.", 3600.0)]
NextNumber = Annotated[int | None, About("Pass as `after` for the next page; null: this was the last.")]
NextName = Annotated[str | None, About("Pass as `after` for the next page; null: this was the last.")]
